#include "ui/library/library_row.h"

#include <QApplication>
#include <QPainter>
#include <utility>

#include "ui/library/library_model.h"

namespace headroom::ui {

namespace {

constexpr int kPaddingPx = 7, kMarginPx = 2;  // around the texts, and between what is selected and the edge
constexpr int kBetweenPx = 3;                 // the two lines
constexpr int kBadgePaddingPx = 7, kBadgeRadiusPx = 5;
constexpr int kSmallerPt = 1;  // the second line, than the name

QFont smallFontOf(const QFont& font) {
  QFont small = font;
  if (font.pointSizeF() > 0) {
    small.setPointSizeF(font.pointSizeF() - kSmallerPt);
  } else {
    small.setPixelSize(font.pixelSize() - kSmallerPt);
  }
  return small;
}

QFont boldFontOf(const QFont& font) {
  QFont bold = font;
  bold.setWeight(QFont::DemiBold);
  return bold;
}

void drawElided(QPainter& painter, const QRect& rect, const QString& text) {
  if (rect.width() <= 0) return;
  painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

// At the right end of `line`; returns what it leaves of it.
QRect drawBadge(QPainter& painter, QRect line, const QString& text, const ToneColors& colors) {
  if (text.isEmpty()) return line;
  // The name keeps a third.
  const int most = line.width() * 2 / 3;
  const int width = std::min(painter.fontMetrics().horizontalAdvance(text) + 2 * kBadgePaddingPx + 2, most);
  const QRect badge(line.right() + 1 - width, line.top(), width, line.height());
  painter.setPen(colors.border);
  painter.setBrush(colors.surface);
  painter.drawRoundedRect(QRectF(badge).adjusted(0.5, 0.5, -0.5, -0.5), kBadgeRadiusPx, kBadgeRadiusPx);
  painter.setPen(colors.text);
  drawElided(painter, badge.adjusted(kBadgePaddingPx, 0, -kBadgePaddingPx, 0), text);
  line.setRight(badge.left() - kPaddingPx);
  return line;
}

}  // namespace

void LibraryRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem body = option;
  initStyleOption(&body, index);
  // What the style paints of an item without text: that it is selected, or that the pointer is over it.
  const QString name = std::exchange(body.text, {});
  const bool hasFocus = body.state.testFlag(QStyle::State_HasFocus);
  body.state.setFlag(QStyle::State_HasFocus, false);  // its frame would stand around the texts
  const QStyle* style = body.widget != nullptr ? body.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &body, painter, body.widget);

  const ThemeTokens& tokens = m_theme.tokens();
  const bool isGrey = index.data(LibraryModel::OfflineRole).toBool();
  const QRect inner = option.rect.adjusted(kMarginPx + kPaddingPx, kPaddingPx, -kMarginPx - kPaddingPx, -kPaddingPx);
  QRect line = inner;
  line.setHeight(option.fontMetrics.height() + kBetweenPx);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (hasFocus) {
    painter->setPen(tokens.accent);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(kMarginPx + 0.5, 1.5, -kMarginPx - 0.5, -1.5), 4, 4);
  }
  painter->setFont(smallFontOf(body.font));
  line = drawBadge(*painter, line, index.data(LibraryModel::BadgeRole).toString(),
                   tokens.tone(static_cast<Tone>(index.data(LibraryModel::ToneRole).toInt())));
  if (index.data(LibraryModel::LoadedRole).toBool())
    line = drawBadge(*painter, line, tr("Loaded"), {tokens.accent, tokens.accentSurface, tokens.accent});
  painter->setFont(boldFontOf(body.font));
  painter->setPen(isGrey ? tokens.muted : tokens.text);
  drawElided(*painter, line, name);
  painter->setFont(smallFontOf(body.font));
  painter->setPen(tokens.muted);
  QRect facts = inner;
  facts.setTop(line.bottom() + 1 + kBetweenPx);
  drawElided(*painter, facts, index.data(LibraryModel::FactsRole).toString());
  painter->restore();
}

// As narrow as the view makes it: texts are elided.
QSize LibraryRowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {1, option.fontMetrics.height() + QFontMetrics(smallFontOf(option.font)).height() + 2 * kBetweenPx +
                 2 * kPaddingPx};
}

}  // namespace headroom::ui
