// How long the running answer has thought.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

#include "ui/chat/conversation.h"

namespace headroom::ui {

// GUI thread.
class ThinkingClock : public QObject {
  Q_OBJECT
 public:
  explicit ThinkingClock(QObject* parent = nullptr);

  void setNow(std::function<qint64()> nowMs) { m_nowMs = std::move(nowMs); }  // for tests: it never goes back

  // More of a thought came, or a second went by: brings turn.thinkingMs up to date. The first call starts the clock, at
  // what the turn has: a thought that was stopped goes on counting when it is continued.
  void run(Turn& turn);
  void end(Turn& turn);  // the thought is over; nothing where none runs

 signals:
  void ticked();  // once a second while it runs

 private:
  std::function<qint64()> m_nowMs;
  std::optional<qint64> m_startMs;  // had all of the thought come without a pause; absent: none runs
  QTimer m_tick;
};

}  // namespace headroom::ui
