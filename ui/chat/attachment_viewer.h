// The text of an attached file as the model reads it, in a window of its own: to read, to search, to copy and to save.
#pragma once

#include <QDialog>
#include <vector>

#include "ui/chat/conversation.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace headroom::ui {

class AttachmentViewer : public QDialog {
  Q_OBJECT
 public:
  // Deletes itself when it is closed.
  explicit AttachmentViewer(const Attachment& attachment, QWidget* parent = nullptr);

  const Attachment& attachment() const { return m_attachment; }
  void setTokens(quint32 tokens);  // 0: not counted
  quint32 tokens() const { return m_tokens; }

 signals:
  void saveChosen(const QString& path, const QString& text);

 protected:
  void changeEvent(QEvent* event) override;  // the language is another one

 private:
  QWidget* makeFindRow();
  void writeTexts();
  void writeFacts();
  void writeCount();
  void find();
  void step(int by);
  void showHit();
  void chooseFile();

  Attachment m_attachment;
  quint32 m_tokens = 0;
  QLabel *m_facts, *m_count;
  QLineEdit* m_field;
  QToolButton *m_previous, *m_next;
  QPushButton *m_copy, *m_saveAs;
  QPlainTextEdit* m_text;
  std::vector<qsizetype> m_hits;  // where they begin
  std::size_t m_current = 0;
};

// Whether a file of this name is read best in letters of one width.
bool isCodeName(const QString& name);

}  // namespace headroom::ui
