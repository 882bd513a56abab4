// A small model in sessions over a GPU, for the tests of what sessions promise. The parameter: the device shares the
// host's memory.
#pragma once

#include <gtest/gtest.h>

#include "engine/run/loaded_fixture.h"
#include "format/dtype_table.h"
#include "gpu_contract/gpu_fixture.h"

namespace headroom::test {

inline constexpr std::uint32_t kContext = 320, kBatch = 24;

inline PlanOptions options_of(DType kv, std::int32_t n_gpu_layers) {
  PlanOptions options;
  options.n_ctx = kContext;
  options.n_batch = kBatch;
  options.n_slots = 2;
  options.kv_k = options.kv_v = kv;
  options.n_gpu_layers = n_gpu_layers;
  options.n_cpu_ffn = 0;
  options.devices = {{n_gpu_layers > 0 ? 1U : 0U}};
  return options;
}

inline RandomModelSpec four_layers() {
  RandomModelSpec spec;
  spec.n_layers = 4;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.n_ctx_trained = 1024;
  return spec;
}

inline std::vector<TokenId> tokens_of(std::size_t n, std::uint32_t seed) {
  std::vector<TokenId> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<TokenId>(3 + (i * 37 + seed * 101 + i * i) % 280);
  return tokens;
}

inline Result<std::vector<float>> try_read(Session& session, std::uint32_t slot, const std::vector<TokenId>& prompt,
                                           const StopToken& stop = {}) {
  const Result<std::uint32_t> n_reused = session.begin_prompt(slot, prompt);
  if (!n_reused) return n_reused.error();
  std::vector<float> last;
  for (std::size_t first = *n_reused; first < prompt.size(); first += kBatch) {
    const std::size_t n = std::min<std::size_t>(kBatch, prompt.size() - first);
    if (Status done = session.step({slot, {prompt.data() + first, n}, 1}, stop); !done) return done.error();
    const auto logits = session.logits(0);
    if (!logits) return logits.error();
    last.assign(logits->begin(), logits->end());
  }
  return last;
}

inline std::vector<float> read(Session& session, std::uint32_t slot, const std::vector<TokenId>& prompt) {
  return take(try_read(session, slot, prompt));
}

// A quantized cache rounds to another code where an activation differs in its last bits; on the CPU int8 queries meet
// it as well.
inline double tolerance(DType kv) {
  if (kv == DType::kQ4_0 || kv == DType::kF8E4M3) return 8e-2;
  return kv == DType::kQ8_0 ? 3e-2 : 2e-3;
}

class GpuSession : public ::testing::TestWithParam<bool> {
 protected:
  GpuSession() : opened_(open_or_die(make_random_model(four_layers(), folder_.path()))) {}

  std::shared_ptr<const MemoryPlan> plan(const OpenedFile& opened, const std::vector<DeviceInfo>& devices,
                                         const PlanOptions& options) {
    return std::make_shared<const MemoryPlan>(take(plan_memory(*opened.info, devices, options)));
  }
  std::unique_ptr<Session> open(const PlanOptions& options) { return open(options, cpu_and_gpu(GetParam())); }
  std::unique_ptr<Session> open(const PlanOptions& options, const std::vector<DeviceInfo>& devices) {
    const auto made = plan(opened_, devices, options);
    return session_or_die(load_or_die(opened_, made), made);
  }

  TempFolder folder_;
  OpenedFile opened_;
};

}  // namespace headroom::test
