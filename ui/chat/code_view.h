// One piece of a code block: highlighted, selectable, as high as its lines, scrolled sideways.
#pragma once

#include <QPlainTextEdit>

#include "ui/theme/theme.h"

namespace headroom::ui {

class CodeHighlighter;

class CodeView : public QPlainTextEdit {
  Q_OBJECT
 public:
  CodeView(const ThemeTokens& tokens, const QString& language, QWidget* parent = nullptr);

  void showCode(const QString& code);  // what is shown already stays when `code` only grew
  int heightFor(int width) const;
  // As ChatRow::markFound; a hit that is out of sight sideways is scrolled to.
  int markFound(const QString& text, int current, const ThemeTokens& tokens);

 protected:
  void keyPressEvent(QKeyEvent* event) override;  // leaves to whoever scrolls what moves the conversation
  void wheelEvent(QWheelEvent* event) override;

 private:
  void showSideways(const QTextCursor& cursor);

  QString m_shown;
  int m_widestPx = 0;  // of its lines
};

}  // namespace headroom::ui
