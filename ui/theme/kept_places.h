// Where the user stood in widgets that are built anew: how far they are scrolled, which tab is open, what is pressed.
#pragma once

#include <QMap>
#include <QString>

class QScrollBar;
class QWidget;

namespace headroom::ui {

// GUI thread. Of what lies below a widget and has a name of its own: tabs, buttons that stay pressed, and areas that
// scroll up and down. A page that stands behind another one is among them.
class KeptPlaces {
 public:
  KeptPlaces() = default;
  explicit KeptPlaces(const QWidget& root);
  // In the widgets of the same names. How far an area is scrolled follows when it is laid out.
  void restoreIn(const QWidget& root) const;

 private:
  QMap<QString, int> m_tabs, m_scrolls;
  QMap<QString, bool> m_pressed;
};

// Now, or when the range of the bar has become large enough, unless somebody has scrolled before.
void scrollOnceThereIsRoom(QScrollBar& bar, int value);

}  // namespace headroom::ui
