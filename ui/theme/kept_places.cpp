#include "ui/theme/kept_places.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTabWidget>

namespace headroom::ui {
namespace {

template <class Widget, class Take>
void forNamed(const QWidget& root, Take take) {
  for (auto* widget : root.findChildren<Widget*>()) {
    // Those that Qt makes inside of others have names that begin so.
    if (!widget->objectName().isEmpty() && !widget->objectName().startsWith(QLatin1StringView("qt_"))) take(*widget);
  }
}

// Until the range is large enough, or anybody else has scrolled.
class Waiting : public QObject {
 public:
  Waiting(QScrollBar& bar, int value) : QObject(&bar) {
    connect(&bar, &QScrollBar::rangeChanged, this, [this, &bar, value](int, int maximum) {
      {
        const QScopedValueRollback ours(m_isScrolling, true);
        bar.setValue(value);
      }
      if (maximum >= value) end(bar);
    });
    connect(&bar, &QScrollBar::valueChanged, this, [this, &bar] {
      if (!m_isScrolling) end(bar);
    });
  }

 private:
  void end(QScrollBar& bar) {
    disconnect(&bar, nullptr, this, nullptr);
    deleteLater();
  }

  bool m_isScrolling = false;  // by this
};

}  // namespace

KeptPlaces::KeptPlaces(const QWidget& root) {
  forNamed<QTabWidget>(root, [this](const QTabWidget& tabs) { m_tabs[tabs.objectName()] = tabs.currentIndex(); });
  forNamed<QAbstractScrollArea>(root, [this](const QAbstractScrollArea& area) {
    m_scrolls[area.objectName()] = area.verticalScrollBar()->value();
  });
  forNamed<QAbstractButton>(root, [this](const QAbstractButton& button) {
    if (button.isCheckable()) m_pressed[button.objectName()] = button.isChecked();
  });
}

void KeptPlaces::restoreIn(const QWidget& root) const {
  forNamed<QTabWidget>(root, [this](QTabWidget& tabs) {
    if (const auto kept = m_tabs.constFind(tabs.objectName()); kept != m_tabs.constEnd()) tabs.setCurrentIndex(*kept);
  });
  forNamed<QAbstractScrollArea>(root, [this](QAbstractScrollArea& area) {
    if (const int kept = m_scrolls.value(area.objectName()); kept > 0)
      scrollOnceThereIsRoom(*area.verticalScrollBar(), kept);
  });
  forNamed<QAbstractButton>(root, [this](QAbstractButton& button) {
    if (const auto kept = m_pressed.constFind(button.objectName()); kept != m_pressed.constEnd())
      button.setChecked(*kept);
  });
}

void scrollOnceThereIsRoom(QScrollBar& bar, int value) {
  bar.setValue(value);
  if (bar.value() != value) new Waiting(bar, value);
}

}  // namespace headroom::ui
