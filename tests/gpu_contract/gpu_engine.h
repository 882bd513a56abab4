// An engine thread with the second half of a model of two layers on a GPU. The parameter: the device shares the host's
// memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backend/device_wait.h"
#include "engine/run/engine_fixture.h"
#include "gpu_contract/gpu_session.h"

namespace headroom::test {

inline std::string answer_to_hello(Engine& engine) {
  const RequestId id = engine->generate(ask("hello", 20));
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(id).has_value());
  return engine.text(id);
}

class GpuEngine : public ::testing::TestWithParam<bool> {
 protected:
  ~GpuEngine() override {
    give_gpu_memory_back();
    refuse_gpu_arena(0);
    lose_gpu_at(0);
    hang_gpu_at(0);
    end_gpu_hangs(false);
    device_wait_limit() = kDeviceWaitLimit;
  }
  LoadRequest request(std::uint32_t n_ctx) const {
    PlanOptions options = context_of(n_ctx);
    options.devices = {{1, KeepFree{kGiB / 2}}};
    options.n_gpu_layers = 1;
    options.n_cpu_ffn = 0;
    return {model_.path, std::make_shared<const MemoryPlan>(
                             take(plan_memory(*model_.opened.info, cpu_and_gpu(GetParam()), options)))};
  }
  void load(Engine& engine, std::uint32_t n_ctx) {
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(request(n_ctx))).has_value());
  }
  OnDisk model_;
};

}  // namespace headroom::test
