#include "ui/chat/code_view.h"

#include <QFontDatabase>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTimer>
#include <QWheelEvent>
#include <array>

#include "ui/chat/code_lexer.h"
#include "ui/chat/found_marks.h"
#include "ui/chat/page_keys.h"

namespace headroom::ui {

namespace {

constexpr int kCodePaddingPx = 8;
constexpr int kSidewaysBarPx = 12;  // as the style sheet says

using TokenColors = std::array<QColor, 8>;  // by CodeToken

// Contrast of each on the code background is at least 4.5.
TokenColors colorsOf(const ThemeTokens& tokens) {
  if (tokens.isDark) {
    return {tokens.text,       QColor("#c9a5f7"), QColor("#7fd0e8"), QColor("#9fd88f"),
            QColor("#8f9bab"), QColor("#f0b078"), QColor("#7fdcab"), QColor("#ff9d94")};
  }
  return {tokens.text,       QColor("#7a2fb5"), QColor("#006080"), QColor("#2f6b1f"),
          QColor("#5d6776"), QColor("#9a4a00"), QColor("#0a5c3a"), QColor("#9d1c14")};
}

}  // namespace

class CodeHighlighter : public QSyntaxHighlighter {
 public:
  CodeHighlighter(QTextDocument* document, const CodeLanguage& language, const ThemeTokens& tokens)
      : QSyntaxHighlighter(document), m_language(language), m_colors(colorsOf(tokens)) {}

 protected:
  void highlightBlock(const QString& line) override {
    const int state = lexCodeLine(m_language, line, std::max(previousBlockState(), 0),
                                  [this](qsizetype start, qsizetype length, CodeToken token) {
                                    setFormat(static_cast<int>(start), static_cast<int>(length),
                                              m_colors[static_cast<std::size_t>(token)]);
                                  });
    setCurrentBlockState(state);
  }

 private:
  const CodeLanguage& m_language;
  TokenColors m_colors;
};

CodeView::CodeView(const ThemeTokens& tokens, const QString& language, QWidget* parent) : QPlainTextEdit(parent) {
  setFrameShape(NoFrame);
  setProperty("role", "code");
  setReadOnly(true);
  setFocusPolicy(Qt::ClickFocus);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setLineWrapMode(NoWrap);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setUndoRedoEnabled(false);
  setAcceptDrops(false);
  viewport()->setAutoFillBackground(false);
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(this->font().pointSizeF());
  setFont(font);
  document()->setDocumentMargin(kCodePaddingPx);
  if (const CodeLanguage* known = findCodeLanguage(language)) new CodeHighlighter(document(), *known, tokens);
}

void CodeView::showCode(const QString& code) {
  const bool grew = code.startsWith(m_shown);
  const qsizetype from = grew ? m_shown.lastIndexOf(u'\n') + 1 : 0;
  if (!grew) m_widestPx = 0;
  for (const QString& line : code.mid(from).split(u'\n'))
    m_widestPx = std::max(m_widestPx, fontMetrics().horizontalAdvance(line));
  if (grew) {
    QTextCursor end(document());
    end.movePosition(QTextCursor::End);
    end.insertText(code.mid(m_shown.size()));
  } else {
    setPlainText(code);
  }
  m_shown = code;
}

int CodeView::heightFor(int width) const {
  const int lines = std::max(1, document()->blockCount() - (m_shown.endsWith(u'\n') ? 1 : 0));
  const bool scrolls = m_widestPx + 2 * kCodePaddingPx > width;
  return lines * fontMetrics().lineSpacing() + 2 * kCodePaddingPx + (scrolls ? kSidewaysBarPx : 0);
}

int CodeView::markFound(const QString& text, int current, const ThemeTokens& tokens) {
  const std::vector<QTextCursor> hits = hitsIn(*document(), text);
  setExtraSelections(foundMarks(hits, current, tokens));
  if (current < 0 || static_cast<std::size_t>(current) >= hits.size()) return -1;
  const QTextCursor& hit = hits[static_cast<std::size_t>(current)];
  // Later: a view that was just made has no width yet, and so no range to scroll in.
  QTimer::singleShot(0, this, [this, hit] { showSideways(hit); });
  return document()->findBlock(hit.selectionStart()).blockNumber() * fontMetrics().lineSpacing() + kCodePaddingPx;
}

void CodeView::showSideways(const QTextCursor& cursor) {
  QTextCursor start = cursor;
  start.setPosition(cursor.selectionStart());
  const int left = cursorRect(start).left(), right = cursorRect(cursor).right();
  QScrollBar* bar = horizontalScrollBar();
  if (left < 0 || right > viewport()->width()) bar->setValue(bar->value() + left - viewport()->width() / 3);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
  isPageKey(*event) ? event->ignore() : QPlainTextEdit::keyPressEvent(event);
}

void CodeView::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  const bool sideways = std::abs(delta.x()) > std::abs(delta.y()) || event->modifiers().testFlag(Qt::ShiftModifier);
  if (sideways && horizontalScrollBar()->maximum() > 0) {
    QPlainTextEdit::wheelEvent(event);
  } else {
    event->ignore();
  }
}

}  // namespace headroom::ui
