// Reference devices for the length of a scope.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "backend/reference/reference_device.h"
#include "base/bytes.h"

namespace headroom::test {

// probe_devices() finds them behind the CPU while this lives, each without faults and with all its memory free.
class ReferenceDevices {
 public:
  explicit ReferenceDevices(const std::string& setting = "64MiB") { setenv(kReferenceVariable, setting.c_str(), 1); }
  ~ReferenceDevices() { unsetenv(kReferenceVariable); }
  ReferenceDevices(const ReferenceDevices&) = delete;
  ReferenceDevices& operator=(const ReferenceDevices&) = delete;
};

}  // namespace headroom::test
