// A model that could be fetched: its name, what is known of it, how it would fit here, and the button that fetches it.
#pragma once

#include <QFrame>

#include "ui/theme/tone.h"

class QLabel;
class QPushButton;

namespace headroom::ui {

class ElidedLabel;

class ListedModelRow : public QFrame {
  Q_OBJECT
 public:
  explicit ListedModelRow(QWidget* parent = nullptr);

  void setTexts(const QString& name, const QString& note);
  void setFit(const QString& text, Tone tone);  // empty: nothing is known
  // Without an action the button only says how things are: "On disk".
  void setAction(const QString& text, bool isEnabled);

 signals:
  void wanted();

 private:
  void describe();

  ElidedLabel* m_name;
  QLabel *m_note, *m_fit;
  QPushButton* m_button;
};

}  // namespace headroom::ui
