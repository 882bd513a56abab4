// How much larger than the desktop's the text is: what is laid out in pixels for a text keeps its proportion to it.
#pragma once

namespace headroom::ui {

// GUI thread. Set by Theme, with the font of the application; widgets hear of a change by QEvent::FontChange.
int textPercent();
void setTextPercent(int percent);

int scaledToText(int px);  // what takes `px` pixels at 100 %

}  // namespace headroom::ui
