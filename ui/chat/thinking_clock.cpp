#include "ui/chat/thinking_clock.h"

#include <QElapsedTimer>

namespace headroom::ui {

ThinkingClock::ThinkingClock(QObject* parent) : QObject(parent) {
  QElapsedTimer sinceNow;
  sinceNow.start();
  m_nowMs = [sinceNow] { return sinceNow.elapsed(); };
  m_tick.setInterval(1000);
  connect(&m_tick, &QTimer::timeout, this, &ThinkingClock::ticked);
}

void ThinkingClock::run(Turn& turn) {
  if (!m_startMs) {
    m_startMs = m_nowMs() - turn.thinkingMs;
    m_tick.start();
  }
  turn.thinkingMs = m_nowMs() - *m_startMs;
}

void ThinkingClock::end(Turn& turn) {
  if (!m_startMs) return;
  run(turn);
  m_startMs.reset();
  m_tick.stop();
}

}  // namespace headroom::ui
