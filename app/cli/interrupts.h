// Ctrl-C, which is never lost: it ends the process, or asks those who work to stop.
#pragma once

#include "base/stop.h"

namespace headroom::cli {

// One for the whole program, made in main(). Until heard() an interrupt ends the process with kNoResource at once; from
// then on the first one asks, and stays asked until take(), and a second one before that ends the process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  void hear();  // from here on whoever works looks at this object
  bool isAsked() const;
  bool take();                 // whether a stop was asked for; afterwards none is
  StopToken token() const;     // is asked to stop whenever this is
  int wakeDescriptor() const;  // can be read while a stop is asked for: what waits with poll() misses none
};

}  // namespace headroom::cli
