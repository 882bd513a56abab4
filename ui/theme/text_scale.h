// The size of text that the user chose, for layouts in pixels: a column that is 190 pixels wide at 100 % has 285 at
// 150 %.
#pragma once

class QSize;
class QWidget;

namespace headroom::ui {

// GUI thread. Set by Theme, with the font of the application; widgets hear of a change by QEvent::FontChange.
int textPercent();
void setTextPercent(int percent);

int scaledToText(int px);  // what takes `px` pixels at 100 %
// A window that has this size at 100 %; no larger than its screen has room for.
void resizeToText(QWidget& window, const QSize& size);

}  // namespace headroom::ui
