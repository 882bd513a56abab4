#include "ui/main_window/pane_layout.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QGuiApplication>
#include <QScopedValueRollback>
#include <algorithm>

#include "ui/theme/text_scale.h"

namespace headroom::ui {
namespace {

constexpr int kDockStateVersion = 2;

}  // namespace

PaneLayout::PaneLayout(QMainWindow& window, QDockWidget& memory, QDockWidget& vram, std::optional<Panes> choice,
                       PaneWidths widths)
    : QObject(&window),
      m_window(window),
      m_memory(memory),
      m_vram(vram),
      m_actions{},
      m_choice(choice),
      m_widths(widths) {
  for (const Pane pane : {Pane::Memory, Pane::Vram}) {
    auto* action = m_actions[static_cast<std::size_t>(pane)] = new QAction(dock(pane).windowTitle(), this);
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, pane] { toggle(pane); });
    connect(&dock(pane), &QDockWidget::topLevelChanged, this, &PaneLayout::arrange);
    dock(pane).installEventFilter(this);
  }
  window.installEventFilter(this);
}

QByteArray PaneLayout::save() const { return m_window.saveState(kDockStateVersion); }

bool PaneLayout::restore(const QByteArray& docks) {
  {
    const QScopedValueRollback quiet(m_isArranging, true);
    if (docks.isEmpty() || !m_window.restoreState(docks, kDockStateVersion)) return false;
  }
  m_default = {};
  arrange();
  setWidths();
  return true;
}

PaneLayout::Kept PaneLayout::kept() const {
  PaneWidths now = m_widths;
  for (const Pane pane : {Pane::Memory, Pane::Vram}) {
    if (isShown(pane) && !dock(pane).isFloating()) now.set(pane, dock(pane).width());
  }
  return {save(), m_default, m_isForPlan, m_called, m_widths, now};
}

void PaneLayout::takeOver(const Kept& kept) {
  m_widths = kept.now;
  restore(kept.docks);
  m_default = kept.byDefault;
  m_isForPlan = kept.isForPlan;
  m_called = kept.called;
  arrange();
  setWidths();
  m_widths = kept.widths;
}

void PaneLayout::reset() {
  if (m_choice) {
    m_choice = Panes{true, true};
    emit choiceChanged();
  }
  placeAll();
}

void PaneLayout::placeAll() {
  {
    const QScopedValueRollback quiet(m_isArranging, true);
    for (QDockWidget* dock : {&m_memory, &m_vram}) {
      dock->setFloating(false);
      dock->show();
    }
    m_window.addDockWidget(Qt::LeftDockWidgetArea, &m_memory);
    m_window.addDockWidget(Qt::RightDockWidgetArea, &m_vram);
    const int width = m_window.width();
    m_widths = {std::clamp(width * 28 / 100, scaledToText(kMemoryPx), scaledToText(440)),
                std::clamp(width * 25 / 100, scaledToText(kVramPx), scaledToText(420))};
  }
  m_default = {true, true};
  m_called.reset();
  arrange();
  setWidths();
}

// Qt forgets how wide a dock was that is hidden when the program ends.
void PaneLayout::setWidths() {
  QList<QDockWidget*> docks;
  QList<int> widths;
  for (const Pane pane : {Pane::Memory, Pane::Vram}) {
    if (!isShown(pane) || dock(pane).isFloating() || m_widths.of(pane) == 0) continue;
    docks << &dock(pane);
    widths << m_widths.of(pane);
  }
  m_window.resizeDocks(docks, widths, Qt::Horizontal);
}

bool PaneLayout::isShown(Pane pane) const { return dock(pane).isVisibleTo(&m_window); }

void PaneLayout::toggle(Pane pane) {
  if (isShown(pane)) {
    choose(pane, false);
  } else {
    open(pane);
  }
}

void PaneLayout::open(Pane pane) {
  m_called = pane;
  choose(pane, true);
  dock(pane).raise();
}

void PaneLayout::openForPlan() {
  if (isShown(Pane::Memory)) return;
  m_isForPlan = true;
  m_called = Pane::Memory;
  arrange();
  m_memory.raise();
}

void PaneLayout::endPlan() {
  if (!m_isForPlan) return;
  m_isForPlan = false;
  if (m_called == Pane::Memory) m_called.reset();
  arrange();
}

bool PaneLayout::uncoverChat() {
  if (m_window.centralWidget()->isVisibleTo(&m_window)) return false;
  m_called.reset();
  m_isForPlan = false;
  arrange();
  return true;
}

Panes PaneLayout::wanted() const {
  Panes panes = m_choice.value_or(m_default);
  panes.memory = panes.memory || m_isForPlan;
  return panes;
}

void PaneLayout::choose(Pane pane, bool on) {
  Panes choice = m_choice.value_or(m_default);  // what is open for a plan alone is no choice
  choice.set(pane, on);
  m_choice = choice;
  if (!on && m_called == pane) m_called.reset();
  if (pane == Pane::Memory) m_isForPlan = false;
  arrange();
  emit choiceChanged();
}

// A floating dock takes no room of the window.
void PaneLayout::arrange() {
  if (m_isArranging) return;
  const QScopedValueRollback quiet(m_isArranging, true);
  Panes docked = wanted();
  for (const Pane pane : {Pane::Memory, Pane::Vram}) {
    if (dock(pane).isFloating()) docked.set(pane, false);
  }
  const ShownPanes shown = panesThatFit(m_window.width() * 100 / textPercent(), docked, m_called);
  bool isOneMore = false;
  // The chat first where it comes back, so that the window never is without anything.
  if (shown.chat) m_window.centralWidget()->show();
  for (const Pane pane : {Pane::Memory, Pane::Vram}) {
    const bool on = dock(pane).isFloating() ? wanted().has(pane) : shown.panes.has(pane);
    isOneMore |= on && !isShown(pane);
    if (isShown(pane) != on) dock(pane).setVisible(on);
    action(pane)->setChecked(on);
  }
  if (!shown.chat) m_window.centralWidget()->hide();
  if (isOneMore && shown.chat) setWidths();
}

bool PaneLayout::eventFilter(QObject* object, QEvent* event) {
  if (object == &m_window) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) arrange();
    return false;
  }
  const Pane pane = object == &m_memory ? Pane::Memory : Pane::Vram;
  // A mouse that is pressed while a pane changes its width drags the border between them.
  if (event->type() == QEvent::Resize && !m_isArranging && QGuiApplication::mouseButtons() == Qt::LeftButton &&
      !dock(pane).isFloating())
    m_widths.set(pane, dock(pane).width());
  // The cross of a dock's title.
  if (event->type() != QEvent::Close || m_isArranging) return false;
  // Later: the dock is hidden by then. At the end of the program a floating one is closed too, which is no choice.
  const auto takeClosed = [this, pane] {
    if (m_window.isVisible()) choose(pane, false);
  };
  QMetaObject::invokeMethod(this, takeClosed, Qt::QueuedConnection);
  return false;
}

}  // namespace headroom::ui
