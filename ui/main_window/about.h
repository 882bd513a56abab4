// What the Help menu tells.
#pragma once

#include <QWidget>

namespace headroom::ui {

void showAbout(QWidget* parent);
void showAboutStarter(QWidget* parent);

}  // namespace headroom::ui
