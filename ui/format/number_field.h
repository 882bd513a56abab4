// Numbers that are typed or stepped: written as the window writes numbers, read also in the form of the user's locale.
#pragma once

class QDoubleSpinBox;
class QSpinBox;
class QWidget;

namespace headroom::ui {

QSpinBox* makeNumberField(int from, int to, QWidget* parent);
QDoubleSpinBox* makeDecimalField(double from, double to, QWidget* parent);

// Plans are made anew whenever free memory moves: a number that is being typed stays.
void showNumber(QSpinBox& field, int value);

}  // namespace headroom::ui
