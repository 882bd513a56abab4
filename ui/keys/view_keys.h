// What keys do in the views of the window, in one table: a view asks it what was pressed, and Help > Keyboard shortcuts
// lists it. Keys of menus stand with their actions (main_window/window_menus.cpp).
#pragma once

#include <QKeyEvent>
#include <QKeySequence>
#include <QList>
#include <QString>
#include <vector>

class QShortcut;

namespace headroom::ui {

enum class ViewKey {
  SendMessage,
  SendByEnter,
  NewLine,
  EditEarlier,
  StopAnswer,
  LineUp,
  LineDown,
  PageUp,
  PageDown,
  ToStart,
  ToEnd,
  CopySelected,
  SelectMore,
  NewConversation,
  ShowConversations,
  ShowOptions,
  RemoveConversation,
  FindText,
  NextHit,
  PreviousHit,
  NextHitHere,
  PreviousHitHere,
  CloseFind,
  ToModelList,
  LoadModel,
  TrashModel,
  LeaveLibrary,
  ShowMenu,
  PressArea,
  UncoverChat,
  NextControl,
  PreviousControl,
};

struct ViewKeyRow {
  ViewKey key;
  QString place;  // the part of the window, a heading for people
  QString text;   // what it does
  QList<QKeySequence> keys;
};

// All of them, those of one place behind each other. GUI thread, of a running application: some keys are the desktop's.
std::vector<ViewKeyRow> viewKeyRows();
QList<QKeySequence> keysOf(ViewKey key);
// Whether one of its keys was pressed, on the number pad or not.
bool isViewKey(const QKeyEvent& event, ViewKey key);

// "Next hit (F3)": what a button that the key presses says of itself.
QString withKey(const QString& text, ViewKey key);
// Pressed anywhere in the window of `parent`, which owns it.
QShortcut* makeShortcut(ViewKey key, QWidget* parent);

}  // namespace headroom::ui
