// Sentences that the user must not miss, with buttons for what can be done about them, without a dialog in the way. The
// window has one for what concerns all of it, and each chat one for the trouble of its conversation: they look alike.
#pragma once

#include <QFrame>
#include <QList>
#include <functional>

#include "ui/format/sentence.h"
#include "ui/theme/theme.h"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace headroom::ui {

struct WayOut {  // a button
  const char* name;
  QString text, tip;
  std::function<void()> choose;
};

struct BarMessage {
  Tone tone = Tone::Neutral;
  Sentence sentence;
  Sentence details{};  // what only who wants to know more reads, below the sentence
  QList<WayOut> waysOut{};
};

// GUI thread. Hidden while there is no message.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
  // `name` tells it from others: "message" names it messageBar, and its texts messageText and messageDetails.
  MessageBar(const Theme& theme, const char* name, QWidget* parent = nullptr);

  // Newest first; the ones before come back when it is closed. The same sentence twice is shown once.
  void add(const BarMessage& message);
  void setOnly(const BarMessage& message);  // in the place of all others
  void clear();
  QString sentence() const;  // the one that is seen, in the language of now; empty when hidden
  int count() const { return static_cast<int>(m_messages.size()); }
  const QList<BarMessage>& messages() const { return m_messages; }  // newest last

 signals:
  void dismissed();  // by the user: the message that was seen

 private:
  void refresh();
  void showWaysOut(const QList<WayOut>& waysOut);
  void paintIcons();

  const Theme& m_theme;
  QList<BarMessage> m_messages;
  QLabel* m_icon;
  QLabel* m_text;
  QLabel* m_details;
  QLabel* m_more;
  QToolButton* m_close;
  QWidget* m_ways;  // holds their buttons
  QVBoxLayout* m_buttons;
};

}  // namespace headroom::ui
