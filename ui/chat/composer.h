// Where the user writes: grows with the text, carries attached files, sends with Enter.
#pragma once

#include <QFrame>
#include <QPlainTextEdit>

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
  explicit Composer(const Theme& theme, QWidget* parent = nullptr);

  enum class Mode { NoModel, Waiting, Ready, Busy };  // Waiting: for another conversation to open
  void setMode(Mode mode);
  void attach(const Attachment& attachment);
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

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void submit();
  void refresh();
  void showAttachments();

  const Theme& m_theme;
  Mode m_mode = Mode::NoModel;
  QString m_editedTurn, m_draft;  // m_draft: what was being written when the editing began
  QVector<Attachment> m_attachments, m_draftAttachments;
  QWidget* m_editBar;
  QWidget* m_chips;
  QHBoxLayout* m_chipLayout;
  MessageEdit* m_text;
  QToolButton* m_attach;
  QPushButton* m_action;  // Send, or Stop
  QLabel* m_hint;
};

}  // namespace headroom::ui
