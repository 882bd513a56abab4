// What the pages of the settings are made of.
#pragma once

#include <QString>

class QLabel;
class QVBoxLayout;
class QWidget;

namespace headroom::ui {

QVBoxLayout* layOutPage(QWidget* page);
void addHeading(QVBoxLayout* layout, const QString& text);
QLabel* addNote(QVBoxLayout* layout, const QString& text);  // wraps; its text can be selected

}  // namespace headroom::ui
