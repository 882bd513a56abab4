// Lines that a user or a script types.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "interrupts.h"

namespace headroom::cli {

// Reads a descriptor line by line. Waiting ends at an interrupt and when stdout is lost: nobody would see an answer.
class LineReader {
 public:
  LineReader(int descriptor, const Interrupts& interrupts) : m_descriptor(descriptor), m_interrupts(interrupts) {}

  // The next line without its end (LF or CR LF), or nothing at the end of input, an interrupt or a lost stdout.
  // kResource when the input cannot be read, kUsage when a line is longer than 256 MiB.
  Result<std::optional<std::string>> next();

 private:
  bool waitForInput() const;  // false: nobody waits any more
  Result<bool> fill();        // false: nothing more comes

  int m_descriptor;
  const Interrupts& m_interrupts;
  std::string m_held;  // read and not yet returned
};

}  // namespace headroom::cli
