// A whole number that is typed or stepped.
#pragma once

class QSpinBox;
class QWidget;

namespace headroom::ui {

QSpinBox* makeNumberField(int from, int to, QWidget* parent);

// Plans are made anew whenever free memory moves: a number that is being typed stays.
void showNumber(QSpinBox& field, int value);

}  // namespace headroom::ui
