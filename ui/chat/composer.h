// Where the user writes: grows with the text, carries attached files, sends with Enter once all of them are read.
#pragma once

#include <QFrame>
#include <QPlainTextEdit>

#include "ui/chat/attachment_reader.h"
#include "ui/chat/conversation.h"
#include "ui/theme/theme.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace headroom::ui {

// Enter submits, Shift+Enter breaks the line; files that are dropped on it are left to the pane.
class MessageEdit : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit MessageEdit(QWidget* parent = nullptr);

 signals:
  void submitted();
  void escaped();
  void earlierWanted();  // Up in an empty field

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool canInsertFromMimeData(const QMimeData* source) const override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitHeight();
};

class Composer : public QFrame {
  Q_OBJECT
 public:
  explicit Composer(const Theme& theme, QWidget* parent = nullptr, AttachmentReader::Read read = readAttachment);

  enum class Mode { NoModel, Waiting, Ready, Busy };  // Waiting: for another conversation to open
  void setMode(Mode mode);
  // Begins to read a file; its chip says so until it is there. The id that folderFound() may carry: it grows.
  quint64 attachFile(const QString& path);
  void startEditing(const QString& turnId, const QString& text, const QVector<Attachment>& attachments);
  void cancelEditing();
  const QString& editedTurn() const { return m_editedTurn; }  // empty: a new message is written
  void takeSent();  // what was sent goes; a draft that an edit had put aside comes back
  void focusText();

 signals:
  void sendChosen(const QString& text,
                  const QVector<headroom::ui::Attachment>& attachments);  // also of an edited message
  void stopChosen();
  void attachChosen();
  void editLastWanted();
  void attachmentRefused(const QString& sentence);
  void folderFound(quint64 id, const QString& path);  // no file to attach: its chip is gone

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  // A file of the message: read, or on its way.
  struct Pending {
    quint64 id;
    QString name;
  };
  using Attached = std::variant<Attachment, Pending>;

  void submit();
  void refresh();
  void showAttachments();
  QToolButton* makeChip(const Attached& attached);
  void replacePending(quint64 id, const Attachment& read);
  void removePending(quint64 id);
  QString pendingName() const;  // empty: all files are read
  void cancelReads(const QVector<Attached>& attachments);

  const Theme& m_theme;
  Mode m_mode = Mode::NoModel;
  QString m_editedTurn, m_draft;  // m_draft: what was being written when the editing began
  QVector<Attached> m_attachments, m_draftAttachments;
  AttachmentReader* m_reader;
  QWidget* m_editBar;
  QWidget* m_chips;
  QHBoxLayout* m_chipLayout;
  MessageEdit* m_text;
  QToolButton* m_attach;
  QPushButton* m_action;  // Send, or Stop
  QLabel* m_hint;
};

}  // namespace headroom::ui
