#include "ui/chat/prose_view.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QPainter>
#include <QTextBlock>
#include <QWheelEvent>
#include <cmath>

#include "ui/chat/found_marks.h"
#include "ui/chat/page_keys.h"

namespace headroom::ui {

ProseView::ProseView(ProseStyle style, QWidget* parent) : QTextBrowser(parent), m_style(std::move(style)) {
  setFrameShape(NoFrame);
  setFocusPolicy(Qt::ClickFocus);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  setOpenLinks(false);
  setUndoRedoEnabled(false);
  setAcceptDrops(false);
  document()->setDocumentMargin(0);
  document()->setDefaultFont(m_style.font);
  connect(this, &QTextBrowser::anchorClicked, this, &ProseView::openLink);
}

void ProseView::showMarkdown(const MarkdownSegment& segment) {
  QTextCursor tail(document());
  tail.setPosition(m_tailStart);
  tail.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
  tail.removeSelectedText();
  tail.setBlockFormat(m_tailFormat);
  if (segment.settled > m_settled) {
    appendMarkdown(*document(), segment.text.mid(m_settled, segment.settled - m_settled), m_style);
    m_settled = segment.settled;
    m_tailStart = document()->characterCount() - 1;
    m_tailFormat = document()->lastBlock().blockFormat();
  }
  appendMarkdown(*document(), segment.text.mid(m_settled), m_style);
  // Reached by Tab only where there is something to do.
  if (!segment.closed || !segment.text.contains(QLatin1StringView("http"))) return;
  setFocusPolicy(Qt::StrongFocus);
}

void ProseView::showPlain(const QString& text) {
  QTextCursor cursor(document());
  QTextCharFormat format;
  format.setFont(m_style.font);
  format.setForeground(m_style.text);
  QTextBlockFormat block;
  block.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
  cursor.setBlockFormat(block);
  cursor.insertText(text, format);
}

int ProseView::heightFor(int width) {
  resize(width, std::max(1, height()));  // else the editor wraps its document at its own width again
  document()->setTextWidth(width);
  return static_cast<int>(std::ceil(document()->size().height()));
}

int ProseView::markFound(const QString& text, int current, const ThemeTokens& tokens) {
  const std::vector<QTextCursor> hits = hitsIn(*document(), text);
  setExtraSelections(foundMarks(hits, current, tokens));
  if (current < 0 || static_cast<std::size_t>(current) >= hits.size()) return -1;
  QTextCursor start = hits[static_cast<std::size_t>(current)];
  start.setPosition(start.selectionStart());
  return cursorRect(start).top();
}

QVariant ProseView::loadResource(int, const QUrl&) { return {}; }

void ProseView::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    const int depth = block.blockFormat().intProperty(kQuoteDepthProperty);
    if (depth == 0) continue;
    const QRectF rect = document()->documentLayout()->blockBoundingRect(block);
    for (int level = 0; level < depth; ++level) {
      painter.fillRect(QRectF(level * kQuoteIndentPx + 2, rect.top(), 3, rect.height()), m_style.line);
    }
  }
  painter.end();
  QTextBrowser::paintEvent(event);
}

void ProseView::keyPressEvent(QKeyEvent* event) {
  const bool isLine = isViewKey(*event, ViewKey::LineUp) || isViewKey(*event, ViewKey::LineDown);
  isPageKey(*event) || isLine ? event->ignore() : QTextBrowser::keyPressEvent(event);
}

void ProseView::wheelEvent(QWheelEvent* event) { event->ignore(); }

void ProseView::openLink(const QUrl& url) {
  static const QStringList kSchemes{QStringLiteral("http"), QStringLiteral("https"), QStringLiteral("mailto")};
  if (kSchemes.contains(url.scheme().toLower())) QDesktopServices::openUrl(url);
}

}  // namespace headroom::ui
