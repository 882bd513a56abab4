// Writes Markdown at the end of a text document. HTML in it is shown as text, images as links: nothing is fetched.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <QTextBlockFormat>

#include "ui/theme/theme.h"

class QTextCursor;
class QTextDocument;

namespace headroom::ui {

struct ProseStyle {
  QFont font, codeFont;
  QColor text, muted, link, codeBackground, line;
  static ProseStyle of(const ThemeTokens& tokens, const QFont& font);
};

// Block formats carry this property: how many quotes the block stands in. The view draws a bar for each.
inline constexpr int kQuoteDepthProperty = QTextFormat::UserProperty + 1;
inline constexpr qreal kQuoteIndentPx = 16;

// Appends blocks to `document`. What was there stays as it is, layout included; an empty document starts with the first
// block.
void appendMarkdown(QTextDocument& document, const QString& markdown, const ProseStyle& style);
// What is selected of a document, of this or of plain lines: blank lines stand between paragraphs, none between items
// of a list and plain lines, and tabs between the cells of a row.
QString plainTextOf(const QTextCursor& part);

}  // namespace headroom::ui
