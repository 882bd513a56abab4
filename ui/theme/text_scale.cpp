#include "ui/theme/text_scale.h"

#include <QScreen>
#include <QWidget>

namespace headroom::ui {
namespace {

int percentNow = 100;

}  // namespace

int textPercent() { return percentNow; }

void setTextPercent(int percent) { percentNow = percent; }

int scaledToText(int px) { return qRound(px * percentNow / 100.0); }

void resizeToText(QWidget& window, const QSize& size) {
  const QSize room = window.screen()->availableSize() * 9 / 10;  // a frame and a title stand around it
  window.resize(QSize(scaledToText(size.width()), scaledToText(size.height())).boundedTo(room));
}

}  // namespace headroom::ui
