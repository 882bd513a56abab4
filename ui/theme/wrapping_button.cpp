#include "ui/theme/wrapping_button.h"

#include <QStyleOptionButton>
#include <QStylePainter>
#include <algorithm>

namespace headroom::ui {
namespace {

constexpr int kSidePx = 10, kTopPx = 7, kGapPx = 6;
constexpr int kTextFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap | Qt::TextShowMnemonic;

}  // namespace

WrappingButton::WrappingButton(const QString& text, QWidget* parent) : QPushButton(text, parent) {
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

QRect WrappingButton::textRect(int width) const {
  const int left = kSidePx + (icon().isNull() ? 0 : iconSize().width() + kGapPx);
  return {left, kTopPx, std::max(1, width - left - kSidePx), 0};
}

int WrappingButton::heightForWidth(int width) const {
  const QRect room = textRect(width);
  const QRect text = fontMetrics().boundingRect(QRect(0, 0, room.width(), 10'000), kTextFlags, this->text());
  return std::max(text.height(), icon().isNull() ? 0 : iconSize().height()) + 2 * kTopPx;
}

QSize WrappingButton::sizeHint() const {
  const int width = textRect(0).left() + fontMetrics().horizontalAdvance(text()) + kSidePx + 1;
  return {width, heightForWidth(width)};
}

QSize WrappingButton::minimumSizeHint() const { return {1, fontMetrics().height() + 2 * kTopPx}; }

void WrappingButton::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  painter.drawControl(QStyle::CE_PushButtonBevel, option);
  QRect text = textRect(width());
  // In the middle of what the style sheet made higher than the text.
  const int spare = std::max(0, height() - heightForWidth(width())) / 2;
  text.setTop(kTopPx + spare);
  text.setBottom(height() - kTopPx);
  const QIcon::Mode mode = isEnabled() ? QIcon::Normal : QIcon::Disabled;
  const int lineMiddle = text.top() + fontMetrics().height() / 2;
  const QRect icon(QPoint(kSidePx, lineMiddle - iconSize().height() / 2), iconSize());
  this->icon().paint(&painter, icon, Qt::AlignCenter, mode);
  painter.drawItemText(text, kTextFlags, palette(), isEnabled(), this->text(), QPalette::ButtonText);
}

}  // namespace headroom::ui
