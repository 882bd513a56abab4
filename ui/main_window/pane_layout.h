// The docks beside the chat: opened and closed by the user, folded where the window is too narrow for them.
#pragma once

#include <QMainWindow>
#include <QObject>
#include <optional>

#include "ui/main_window/panes.h"

class QAction;
class QDockWidget;

namespace headroom::ui {

// GUI thread. What the user opened or closed is his choice and is kept; what is folded for want of room comes back with
// the room.
class PaneLayout : public QObject {
  Q_OBJECT
 public:
  // `choice` and `widths`: as in WindowSettings.
  PaneLayout(QMainWindow& window, QDockWidget& memory, QDockWidget& vram, std::optional<Panes> choice,
             PaneWidths widths);

  // What it knows beside where the docks are: for a layout of other docks that takes its place.
  struct Kept {
    QByteArray docks;
    Panes byDefault;
    bool isForPlan = false;
    std::optional<Pane> called;
    PaneWidths widths, now;  // as widths(), and as the docks are
  };
  Kept kept() const;
  void takeOver(const Kept& kept);

  QByteArray save() const;
  // As save() gave them. False: they cannot be read.
  bool restore(const QByteArray& docks);
  void placeAll();  // as at the first start: all are shown, in their places, but for what the user closed
  void reset();     // by the user: the same, and all are open again

  const std::optional<Panes>& choice() const { return m_choice; }
  const PaneWidths& widths() const { return m_widths; }  // as they were dragged, or set by reset()
  QAction* action(Pane pane) const { return m_actions[static_cast<std::size_t>(pane)]; }  // checked while it is shown
  bool isShown(Pane pane) const;
  void toggle(Pane pane);  // by the user
  void open(Pane pane);    // by the user, or for him to look at
  // Opens Memory until the model is loaded; nothing if it is open anyway.
  void openForPlan();
  void endPlan();
  // Takes away a pane that stands in the place of the chat. False: none does.
  bool uncoverChat();

 signals:
  void choiceChanged();

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  QDockWidget& dock(Pane pane) const { return pane == Pane::Memory ? m_memory : m_vram; }
  Panes wanted() const;
  void choose(Pane pane, bool on);
  void arrange();
  void setWidths();

  QMainWindow& m_window;
  QDockWidget& m_memory;
  QDockWidget& m_vram;
  QAction* m_actions[2];
  std::optional<Panes> m_choice;
  PaneWidths m_widths;
  Panes m_default{true, true};   // while there is no choice: all at the first start, none later
  bool m_isForPlan = false;      // Memory is open for as long as the user looks at a plan
  std::optional<Pane> m_called;  // was opened while there was no room for it
  bool m_isArranging = false;    // what is shown and hidden now is our own doing
};

}  // namespace headroom::ui
