#include "ui/chat/text_rows.h"

#include <QAbstractScrollArea>
#include <QPainter>
#include <QPainterPath>
#include <QTextDocument>
#include <algorithm>

#include "ui/chat/code_view.h"
#include "ui/chat/markdown_writer.h"
#include "ui/chat/prose_view.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kCodeBarPx = 30;
constexpr int kCodeGapPx = 8;  // above and below a code block
constexpr int kCodeSidePx = 4;

}  // namespace

// Above its first line is its beginning and below its last one its end, wherever in the line the pointer is.
int TextRow::positionAt(const QPoint& globalPos) const {
  const QPoint at = view()->viewport()->mapFromGlobal(globalPos);
  if (at.y() < 0) return 0;
  if (at.y() >= view()->viewport()->height()) return cursor().document()->characterCount() - 1;
  return cursorAt(at).position();
}

QTextCursor TextRow::over(int anchor, int head) const {
  QTextCursor part = cursor();
  const int end = part.document()->characterCount() - 1;
  part.setPosition(std::clamp(anchor, 0, end));
  part.setPosition(std::clamp(head, 0, end), QTextCursor::KeepAnchor);
  return part;
}

void TextRow::select(int anchor, int head) { setCursor(over(anchor, head)); }

void TextRow::selectNothing() {
  QTextCursor none = cursor();
  if (!none.hasSelection()) return;
  none.clearSelection();
  setCursor(none);
}

bool TextRow::isSelected() const {
  const QTextCursor now = cursor();
  return now.selectionStart() == 0 && now.selectionEnd() == now.document()->characterCount() - 1;
}

QString TextRow::textOf(int from, int to) const { return plainTextOf(over(from, to)); }

ProseRow::ProseRow(const Theme& theme, CardPart part, QWidget* parent, bool isMuted) : TextRow(theme, part, parent) {
  ProseStyle style = ProseStyle::of(theme.tokens(), font());
  if (isMuted) style.text = style.muted;
  m_view = new ProseView(style, this);
  connect(m_view, &ProseView::selectionChanged, this, &TextRow::selectionChanged);
  m_view->setAccessibleName(isMuted ? tr("What the model thought") : tr("Text of the message"));
}

QAbstractScrollArea* ProseRow::view() const { return m_view; }
QTextCursor ProseRow::cursor() const { return m_view->textCursor(); }
QTextCursor ProseRow::cursorAt(const QPoint& viewportPos) const { return m_view->cursorForPosition(viewportPos); }
void ProseRow::setCursor(const QTextCursor& cursor) { m_view->setTextCursor(cursor); }

void ProseRow::showMarkdown(const MarkdownSegment& segment) { m_view->showMarkdown(segment); }
void ProseRow::showPlain(const QString& text) { m_view->showPlain(text); }
int ProseRow::heightFor(int width) { return m_view->heightFor(width - 2 * sidePadding()) + 4; }
int ProseRow::markFound(const QString& text, int current) { return m_view->markFound(text, current, theme().tokens()); }
void ProseRow::resizeEvent(QResizeEvent*) {
  m_view->setGeometry(sidePadding(), 0, width() - 2 * sidePadding(), height());
}

CodeRow::CodeRow(const Theme& theme, const MarkdownSegment& segment, std::function<QString()> wholeCode,
                 QWidget* parent)
    : TextRow(theme, CardPart::None, parent) {
  m_code = new CodeView(theme.tokens(), segment.language, this);
  connect(m_code, &CodeView::selectionChanged, this, &TextRow::selectionChanged);
  m_code->setAccessibleName(segment.language.isEmpty() ? tr("Code") : tr("Code in %1").arg(segment.language));
  if (!segment.continuesCode) {
    m_language = new QLabel(segment.language.isEmpty() ? tr("code") : segment.language, this);
    m_language->setTextFormat(Qt::PlainText);
    setRole(m_language, "muted");
    m_copy = new QToolButton(this);
    m_copy->setText(tr("Copy"));
    m_copy->setObjectName(QStringLiteral("copyCode"));
    m_copy->setAccessibleName(tr("Copy this code"));
    connect(m_copy, &QToolButton::clicked, this,
            [this, wholeCode = std::move(wholeCode)] { copyAndTell(m_copy, wholeCode()); });
  }
  showCode(segment);
}

QAbstractScrollArea* CodeRow::view() const { return m_code; }
QTextCursor CodeRow::cursor() const { return m_code->textCursor(); }
QTextCursor CodeRow::cursorAt(const QPoint& viewportPos) const { return m_code->cursorForPosition(viewportPos); }
void CodeRow::setCursor(const QTextCursor& cursor) { m_code->setTextCursor(cursor); }

void CodeRow::showCode(const MarkdownSegment& segment) { m_code->showCode(segment.text); }

int CodeRow::heightFor(int width) {
  return m_code->heightFor(width - 2 * kCodeSidePx) + (m_language ? kCodeBarPx + kCodeGapPx : 0) + kCodeGapPx;
}

int CodeRow::markFound(const QString& text, int current) {
  const int at = m_code->markFound(text, current, theme().tokens());
  return at < 0 ? at : at + (m_language ? kCodeGapPx + kCodeBarPx : 0);
}

void CodeRow::resizeEvent(QResizeEvent*) {
  const int bar = m_language ? kCodeBarPx : 0;
  const int top = m_language ? kCodeGapPx : 0;
  m_code->setGeometry(kCodeSidePx, top + bar, width() - 2 * kCodeSidePx, height() - top - bar - kCodeGapPx);
  if (!m_language) return;
  m_language->setGeometry(12, top, width() / 2, kCodeBarPx);
  const QSize copy = m_copy->sizeHint() + QSize(16, 0);  // room for "Copied"
  m_copy->setGeometry(width() - copy.width() - 4, top + (kCodeBarPx - copy.height()) / 2, copy.width(), copy.height());
}

void CodeRow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box = QRectF(rect()).adjusted(0.5, m_language ? kCodeGapPx + 0.5 : 0, -0.5, -kCodeGapPx - 0.5);
  painter.fillPath(roundedPart(box, m_language != nullptr, true, 8), theme().tokens().sunken);
  if (!m_language) return;
  painter.setPen(theme().tokens().border);
  painter.drawLine(QPointF(box.left() + 1, box.top() + kCodeBarPx), QPointF(box.right() - 1, box.top() + kCodeBarPx));
}

}  // namespace headroom::ui
