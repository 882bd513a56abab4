// An engine thread over a fake machine, whose chunks and steps can be slow, so that a stop comes in the middle.
#pragma once

#include <memory>

#include "engine/run/engine_fixture.h"
#include "support/fake_backend.h"

namespace headroom::test {

struct FakeEngine {
  explicit FakeEngine(fake::Machine& machine)
      : engine([&machine](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
          return std::unique_ptr<Backend>(std::make_unique<fake::FakeBackend>(device, machine));
        }) {}
  Engine engine;
};

}  // namespace headroom::test
