// Ends the program in order when the system asks it to: at a log-out, at a shutdown, by Ctrl-C in its terminal.
#pragma once

#include <QObject>

namespace headroom::app {

// The first SIGTERM, SIGINT or SIGHUP ends the event loop, so that settings are kept and the check of a graphics card
// that is cut off counts as none, not as one that took the machine with it. The second one ends the process as ever.
// One for a program, on the GUI thread, from before the event loop until after it.
class QuitSignals : public QObject {
  Q_OBJECT
 public:
  explicit QuitSignals(QObject* parent = nullptr);
  ~QuitSignals() override;

 private:
  int m_ends[2] = {-1, -1};  // of a pipe: a handler may do little more than write to it
};

}  // namespace headroom::app
