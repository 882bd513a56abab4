// What the process holds in memory now.
#pragma once

#include <unistd.h>

#include <fstream>

#include "base/bytes.h"

namespace headroom::test {

inline Bytes resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  Bytes all_pages = 0, resident_pages = 0;
  statm >> all_pages >> resident_pages;
  return resident_pages * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

}  // namespace headroom::test
