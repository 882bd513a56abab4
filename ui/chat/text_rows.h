// Rows of text, which can be selected: each by itself, or as a part of what is selected over several of them.
#pragma once

#include <QTextCursor>
#include <functional>

#include "ui/chat/chat_rows.h"
#include "ui/chat/markdown_segments.h"

class QAbstractScrollArea;

namespace headroom::ui {

class CodeView;
class ProseView;

// A row with one document of text.
class TextRow : public ChatRow {
  Q_OBJECT
 public:
  using ChatRow::ChatRow;
  virtual QAbstractScrollArea* view() const = 0;  // what has the mouse and the keyboard

  // Positions are those of the document; one behind its end, as ChatSelection::kToEnd, counts as its end.
  int positionAt(const QPoint& globalPos) const;  // the nearest
  void select(int anchor, int head);              // in either direction
  void selectNothing();
  bool isSelected() const;                 // the whole of it
  QString textOf(int from, int to) const;  // as plain text

 signals:
  void selectionChanged();

 protected:
  virtual QTextCursor cursor() const = 0;
  virtual QTextCursor cursorAt(const QPoint& viewportPos) const = 0;
  virtual void setCursor(const QTextCursor& cursor) = 0;

 private:
  QTextCursor over(int anchor, int head) const;
};

// Markdown of the assistant, or the user's own words as they were typed.
class ProseRow : public TextRow {
  Q_OBJECT
 public:
  // `isMuted`: in the colour of what stands behind the text proper.
  ProseRow(const Theme& theme, CardPart part, QWidget* parent, bool isMuted = false);
  void showMarkdown(const MarkdownSegment& segment);
  void showPlain(const QString& text);
  int heightFor(int width) override;
  int markFound(const QString& text, int current) override;
  QAbstractScrollArea* view() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  QTextCursor cursor() const override;
  QTextCursor cursorAt(const QPoint& viewportPos) const override;
  void setCursor(const QTextCursor& cursor) override;

 private:
  ProseView* m_view;
};

// Code with its language and a copy button above. `wholeCode` is called when the button is pressed.
class CodeRow : public TextRow {
  Q_OBJECT
 public:
  CodeRow(const Theme& theme, const MarkdownSegment& segment, std::function<QString()> wholeCode, QWidget* parent);
  void showCode(const MarkdownSegment& segment);
  int heightFor(int width) override;
  int markFound(const QString& text, int current) override;
  QAbstractScrollArea* view() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  QTextCursor cursor() const override;
  QTextCursor cursorAt(const QPoint& viewportPos) const override;
  void setCursor(const QTextCursor& cursor) override;

 private:
  QLabel* m_language = nullptr;  // null in a piece that continues the one above
  QToolButton* m_copy = nullptr;
  CodeView* m_code;
};

}  // namespace headroom::ui
