// Where the user writes: grows with the text, carries attached files, sends with Enter once all of them are read.
#pragma once

#include <QFrame>
#include <QPlainTextEdit>
#include <memory>

#include "ui/chat/attachment_reader.h"
#include "ui/chat/chat_draft.h"
#include "ui/chat/draft_tokens.h"
#include "ui/theme/theme.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace headroom::ui {

// Enter submits and Shift+Enter breaks the line, or Ctrl+Enter and Enter do; files that are dropped on it are left to
// the pane.
class MessageEdit : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit MessageEdit(QWidget* parent = nullptr);

  void setEnterSubmits(bool on) { m_enterSubmits = on; }
  QString text() const;  // as it was typed; toPlainText() makes plain spaces of those that do not break

 signals:
  void submitted();
  void escaped();
  void earlierWanted();  // Up in an empty field

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool canInsertFromMimeData(const QMimeData* source) const override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fitHeight();

  bool m_enterSubmits = true;
};

// What reads attachments where nothing reads PDFs.
inline ReadAttachment readsTextAlone(const AttachmentOrder& order) { return readAttachment(order); }

// Shows a draft and tells it of what is typed and attached.
class Composer : public QFrame {
  Q_OBJECT
 public:
  // The theme outlives it, and the draft too or until another one is shown.
  Composer(const Theme& theme, ChatDraft& draft, QWidget* parent = nullptr,
           AttachmentReader::Read read = readsTextAlone);

  // Files that are still being read for the draft before are left out of it.
  void showDraft(ChatDraft& draft);

  // Loading: no model yet, and one is on its way: what is sent is held until it is there. Held: something is. Waiting:
  // another conversation is being opened, and nothing can be sent.
  enum class Mode { NoModel, Loading, Held, Waiting, Ready, Busy };
  void setMode(Mode mode);
  void setEditsAnswer(bool on);       // the turn that is edited is no message of the user's
  void setEditHidden(bool isHidden);  // the turn that is edited is not on the screen: another version hides it
  // Begins to read a file; its chip says so until it is there. The id that folderFound() may carry: it grows.
  quint64 attachFile(const QString& path);
  void setRead(AttachmentReader::Read read) { m_reader->setRead(std::move(read)); }
  void setLimit(const AttachmentLimit& limit) { m_reader->setLimit(limit); }
  void setFigures(const DraftFigures& figures);  // of the draft that is shown
  void setEnterSends(bool on);                   // else Ctrl+Enter does
  void focusText();

  struct Kept {
    std::unique_ptr<AttachmentReader> reader;  // with the files that it reads now
    int anchor = 0, cursor = 0, scroll = 0;    // of the text
  };
  // For a composer of the same draft that takes this one's place. Nothing can be attached to this one any more.
  Kept release();
  void takeOver(Kept kept);

 signals:
  void sendChosen();  // the draft, which can be sent
  void stopChosen();
  void attachChosen();
  void editLastWanted();
  void openChosen(const headroom::ui::Attachment& attachment, quint32 tokens);  // one of the draft
  void largerContextWanted(quint32 tokens);
  void attachmentRefused(const headroom::ui::Sentence& sentence);
  void folderFound(quint64 id, const QString& path);  // no file to attach: its chip is gone

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* makeEditBar();
  QToolButton* addEditButton(const char* name, const QString& text, const DraftEvent& event);
  void connectReader();
  void connectDraft();
  bool canStop() const;
  bool canSubmit() const;
  void submit();
  void escape();
  void showMessage();
  void showFiles();
  void showEditBar();
  void refresh();
  QWidget* makeWarning();
  QWidget* makeChip(const DraftFile& file, qsizetype index);
  quint32 tokensOf(qsizetype file) const;  // 0: not counted
  QString hintText() const;
  void showWarning();
  QString pendingName() const;  // empty: all files are read

  const Theme& m_theme;
  ChatDraft* m_draft;  // never null
  Mode m_mode = Mode::NoModel;
  bool m_isEditHidden = false, m_editsAnswer = false, m_enterSends = true, m_isShowing = false;
  QVector<DraftFile> m_shownFiles;
  DraftFigures m_figures;
  AttachmentReader* m_reader;
  QWidget* m_editBar;
  QLabel* m_editText;
  QToolButton *m_cancel, *m_discard, *m_keep;
  QWidget* m_chips;
  QHBoxLayout* m_chipLayout;
  MessageEdit* m_text;
  QToolButton* m_attach;
  QPushButton* m_action;  // Send, or Stop
  QLabel* m_hint;
  QFrame* m_warning;
  QLabel* m_warningText;
};

}  // namespace headroom::ui
