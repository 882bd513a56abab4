// Ctrl-C, SIGTERM and SIGHUP, none of which is lost: they end the process, or ask those who work to stop.
#pragma once

#include "base/stop.h"

namespace headroom::cli {

// One for the whole program, made in main(). Until hear() an interrupt ends the process with kNoResource at once; from
// then on the first one asks, and stays asked until take(), and a second Ctrl-C before that ends the process. SIGTERM
// and SIGHUP mean the program and not the answer: what they ask for cannot be taken, and they may come twice, as the
// shell and the kernel send SIGHUP when a terminal is closed, and timeout(1) sends SIGTERM to the program and its
// group. A process that is still there ten seconds later is ended.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  void hear();  // from here on whoever works looks at this object
  bool isAsked() const;
  bool take();                 // whether a stop was asked for; afterwards none is, except by SIGTERM or SIGHUP
  StopToken token() const;     // is asked to stop whenever this is
  int wakeDescriptor() const;  // can be read while a stop is asked for: what waits with poll() misses none
};

}  // namespace headroom::cli
