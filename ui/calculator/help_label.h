// The name of a control with a "?" behind it, which says in plain words what the control is, what it costs and what it
// wins.
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace headroom::ui {

class HelpLabel : public QWidget {
  Q_OBJECT
 public:
  // `help`: whole sentences, of which the first says what it is. The field hears it too: from Shift+F1 and screen
  // readers, since Tab does not stop at the "?".
  HelpLabel(const QString& text, const QString& help, QWidget* field, QWidget* parent);
  const QString& help() const { return m_help; }

 private:
  QString m_help;
  QLabel* m_text;
  QToolButton* m_button;
};

}  // namespace headroom::ui
