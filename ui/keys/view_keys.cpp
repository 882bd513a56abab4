#include "ui/keys/view_keys.h"

#include <QCoreApplication>
#include <QShortcut>
#include <algorithm>

namespace headroom::ui {
namespace {

struct ViewKeysWords {
  Q_DECLARE_TR_FUNCTIONS(ViewKeys)
};

struct KeyEntry {
  ViewKey key;
  const char* place;
  const char* text;
  QList<QKeySequence> keys;
};

constexpr const char* kConversation = QT_TRANSLATE_NOOP("ViewKeys", "Conversation");
constexpr const char* kConversations = QT_TRANSLATE_NOOP("ViewKeys", "List of conversations");
constexpr const char* kFinding = QT_TRANSLATE_NOOP("ViewKeys", "Finding text");
constexpr const char* kLibrary = QT_TRANSLATE_NOOP("ViewKeys", "Library");
constexpr const char* kWindow = QT_TRANSLATE_NOOP("ViewKeys", "Window");

// Keys of the desktop first, then ours.
QList<QKeySequence> standardKeys(QKeySequence::StandardKey standard) { return QKeySequence::keyBindings(standard); }

std::vector<KeyEntry> messageKeys() {
  return {
      {ViewKey::SendMessage,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "Send the message"),
       {Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter}},
      {ViewKey::SendByEnter,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "Send the message, unless set otherwise"),
       {Qt::Key_Return, Qt::Key_Enter}},
      {ViewKey::NewLine,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "Begin a new line"),
       {Qt::SHIFT | Qt::Key_Return, Qt::SHIFT | Qt::Key_Enter}},
      {ViewKey::EditEarlier,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "Edit the last message; in an empty field"),
       {Qt::Key_Up}},
      {ViewKey::StopAnswer,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "Leave an edit, stop the answer"),
       {Qt::Key_Escape}},
      {ViewKey::LineUp, kConversation, QT_TRANSLATE_NOOP("ViewKeys", "A line up"), {Qt::Key_Up}},
      {ViewKey::LineDown, kConversation, QT_TRANSLATE_NOOP("ViewKeys", "A line down"), {Qt::Key_Down}},
      {ViewKey::PageUp, kConversation, QT_TRANSLATE_NOOP("ViewKeys", "A page up"), {Qt::Key_PageUp}},
      {ViewKey::PageDown, kConversation, QT_TRANSLATE_NOOP("ViewKeys", "A page down"), {Qt::Key_PageDown}},
      {ViewKey::ToStart,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "To its start"),
       {Qt::Key_Home, Qt::CTRL | Qt::Key_Home}},
      {ViewKey::ToEnd,
       kConversation,
       QT_TRANSLATE_NOOP("ViewKeys", "To its end"),
       {Qt::Key_End, Qt::CTRL | Qt::Key_End}},
      {ViewKey::CopySelected, kConversation, QT_TRANSLATE_NOOP("ViewKeys", "Copy what is selected"),
       standardKeys(QKeySequence::Copy)},
      {ViewKey::SelectMore, kConversation, QT_TRANSLATE_NOOP("ViewKeys", "Select the text, then its message, then all"),
       standardKeys(QKeySequence::SelectAll)},
  };
}

std::vector<KeyEntry> listKeys() {
  return {
      {ViewKey::NewConversation, kConversations, QT_TRANSLATE_NOOP("ViewKeys", "New conversation"),
       standardKeys(QKeySequence::New)},
      {ViewKey::ShowConversations,
       kConversations,
       QT_TRANSLATE_NOOP("ViewKeys", "Show or hide the list"),
       {Qt::CTRL | Qt::SHIFT | Qt::Key_L}},
      {ViewKey::ShowOptions,
       kConversations,
       QT_TRANSLATE_NOOP("ViewKeys", "Show or hide the options of answers"),
       {Qt::CTRL | Qt::SHIFT | Qt::Key_S}},
      {ViewKey::RemoveConversation,
       kConversations,
       QT_TRANSLATE_NOOP("ViewKeys", "Delete the chosen one"),
       {Qt::Key_Delete}},
      {ViewKey::FindText, kFinding, QT_TRANSLATE_NOOP("ViewKeys", "Find in this conversation or file"),
       standardKeys(QKeySequence::Find)},
      {ViewKey::NextHit, kFinding, QT_TRANSLATE_NOOP("ViewKeys", "Next hit"), {Qt::Key_F3}},
      {ViewKey::PreviousHit, kFinding, QT_TRANSLATE_NOOP("ViewKeys", "Previous hit"), {Qt::SHIFT | Qt::Key_F3}},
      {ViewKey::NextHitHere,
       kFinding,
       QT_TRANSLATE_NOOP("ViewKeys", "Next hit; in the field"),
       {Qt::Key_Return, Qt::Key_Enter}},
      {ViewKey::PreviousHitHere,
       kFinding,
       QT_TRANSLATE_NOOP("ViewKeys", "Previous hit; in the field"),
       {Qt::SHIFT | Qt::Key_Return, Qt::SHIFT | Qt::Key_Enter}},
      {ViewKey::CloseFind, kFinding, QT_TRANSLATE_NOOP("ViewKeys", "Stop finding"), {Qt::Key_Escape}},
  };
}

std::vector<KeyEntry> windowKeys() {
  return {
      {ViewKey::ToModelList,
       kLibrary,
       QT_TRANSLATE_NOOP("ViewKeys", "From the search to the models"),
       {Qt::Key_Down, Qt::Key_Return, Qt::Key_Enter}},
      {ViewKey::LoadModel,
       kLibrary,
       QT_TRANSLATE_NOOP("ViewKeys", "Load the chosen model"),
       {Qt::Key_Return, Qt::Key_Enter}},
      {ViewKey::TrashModel,
       kLibrary,
       QT_TRANSLATE_NOOP("ViewKeys", "Move the chosen model to the trash"),
       {Qt::Key_Delete}},
      {ViewKey::LeaveLibrary,
       kLibrary,
       QT_TRANSLATE_NOOP("ViewKeys", "Empty the search; then back to the chat"),
       {Qt::Key_Escape}},
      {ViewKey::ShowMenu, kWindow, QT_TRANSLATE_NOOP("ViewKeys", "Menu of what is chosen in a list"), {Qt::Key_Menu}},
      {ViewKey::PressArea,
       kWindow,
       QT_TRANSLATE_NOOP("ViewKeys", "Choose a file; on the area where models are dropped"),
       {Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter}},
      {ViewKey::UncoverChat,
       kWindow,
       QT_TRANSLATE_NOOP("ViewKeys", "Fold away what covers the chat"),
       {Qt::Key_Escape}},
      {ViewKey::NextControl, kWindow, QT_TRANSLATE_NOOP("ViewKeys", "To the next control"), {Qt::Key_Tab}},
      {ViewKey::PreviousControl,
       kWindow,
       QT_TRANSLATE_NOOP("ViewKeys", "To the control before"),
       {Qt::SHIFT | Qt::Key_Tab, Qt::SHIFT | Qt::Key_Backtab}},
  };
}

const std::vector<KeyEntry>& entries() {
  static const std::vector<KeyEntry> kEntries = [] {
    std::vector<KeyEntry> all = messageKeys();
    for (const auto& more : {listKeys(), windowKeys()}) all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return kEntries;
}

}  // namespace

std::vector<ViewKeyRow> viewKeyRows() {
  std::vector<ViewKeyRow> rows;
  for (const KeyEntry& entry : entries())
    rows.push_back({entry.key, ViewKeysWords::tr(entry.place), ViewKeysWords::tr(entry.text), entry.keys});
  return rows;
}

QList<QKeySequence> keysOf(ViewKey key) {
  return std::ranges::find(entries(), key, &KeyEntry::key)->keys;  // a test finds each in the table
}

bool isViewKey(const QKeyEvent& event, ViewKey key) {
  const QKeySequence pressed(QKeyCombination(event.modifiers() & ~Qt::KeypadModifier, Qt::Key(event.key())));
  return keysOf(key).contains(pressed);
}

QString withKey(const QString& text, ViewKey key) {
  return QStringLiteral("%1 (%2)").arg(text, keysOf(key).first().toString(QKeySequence::NativeText));
}

QShortcut* makeShortcut(ViewKey key, QWidget* parent) {
  auto* shortcut = new QShortcut(parent);
  shortcut->setKeys(keysOf(key));
  return shortcut;
}

}  // namespace headroom::ui
