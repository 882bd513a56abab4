// Where the list and the settings stand beside the messages: as columns where the pane has room, else one of them in
// the place of the messages when it is called for.
#pragma once

#include <QObject>
#include <QWidget>

class QHBoxLayout;

namespace headroom::ui {

// GUI thread. It decides places alone: what the user wants to see is kept by whoever hears chosen().
class ChatSides : public QObject {
  Q_OBJECT
 public:
  enum class Side { None, List, Panel };
  struct Widgets {                   // all are children of `pane`
    QWidget *list, *panel, *header;  // the header is seen above whatever covers the messages
  };
  // Makes the columns of `pane`: list, `middle`, panel.
  ChatSides(QWidget& pane, const Widgets& widgets, QWidget& middle);

  void setWanted(bool list, bool panel);
  void arrange();                   // the pane has another width
  void toggle(Side side, bool on);  // by the user; a side in the place of the messages only goes away
  bool uncover();                   // takes away what covers the messages; false: nothing does
  bool isCovered() const { return m_cover != Side::None; }
  bool isShown(Side side) const;
  struct Kept {
    Side cover = Side::None, first = Side::Panel;
  };
  Kept kept() const { return {m_cover, m_first}; }
  void takeOver(const Kept& kept);  // of sides that were in this place before

 signals:
  void chosen(headroom::ui::ChatSides::Side side, bool on);
  void arranged();
  void uncovered();

 private:
  QWidget* widgetOf(Side side) const;
  void place(Side side, bool isColumn);
  void placeCover();

  QWidget& m_pane;
  Widgets m_widgets;
  QHBoxLayout* m_columns;
  bool m_wantsList = false, m_wantsPanel = false;
  Side m_cover = Side::None;   // shown in the place of the messages
  Side m_first = Side::Panel;  // has its room before the other: the one that was called for last
};

}  // namespace headroom::ui
