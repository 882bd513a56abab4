// Where the list and the settings stand beside the messages: as columns where the pane has room, else one of them in
// the place of the messages when it is called for.
#pragma once

#include <QObject>
#include <QWidget>

class QSplitter;

namespace headroom::ui {

// GUI thread. It decides places alone: what the user wants to see, and how wide, is kept by whoever hears chosen() and
// dragged().
class ChatSides : public QObject {
  Q_OBJECT
 public:
  enum class Side { None, List, Panel };
  struct Widgets {                            // all are within `pane`
    QWidget *list, *middle, *panel, *header;  // the header is seen above whatever covers the messages
  };
  struct Wanted {
    bool list = false, panel = false;
    int listWidth = 0, panelWidth = 0;  // in pixels at a text size of 100 %; 0: as wide as at the first start
  };
  // Makes the columns of `pane`: list, middle, panel.
  ChatSides(QWidget& pane, const Widgets& widgets);

  void setWanted(const Wanted& wanted);
  const Wanted& wanted() const { return m_wanted; }
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
  void chosen();   // the user wants other sides than before
  void dragged();  // the user gave a side another width
  void arranged();
  void uncovered();

 private:
  QWidget* widgetOf(Side side) const;
  int wantedWidth(Side side) const;
  void place(Side side, bool isColumn);
  void orderColumns();
  void placeCover();
  void setWidths(bool list, bool panel);
  void takeWidths();

  QWidget& m_pane;
  Widgets m_widgets;
  QSplitter* m_columns;
  Wanted m_wanted;
  Side m_cover = Side::None;          // shown in the place of the messages
  Side m_first = Side::Panel;         // has its room before the other: the one that was called for last
  int m_listSet = 0, m_panelSet = 0;  // widths that the columns were given, in pixels
};

}  // namespace headroom::ui
