// A model file loaded for stepping by hand: on the CPU with a forced instruction set and number of threads, to be
// compared with a ReferenceModel.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "backend/registry.h"
#include "base/cpu_features.h"
#include "run/executor.h"
#include "run/load_model.h"
#include "support/all_logits.h"
#include "support/random_model.h"
#include "support/reference_model.h"
#include "support/relative_error.h"
#include "support/temp_folder.h"

namespace headroom::test {

inline void force_isa(Isa isa) { setenv("HEADROOM_ISA", std::string(isa_name(isa)).c_str(), 1); }

struct LoadedCpu {
  std::unique_ptr<ModelFile> file;
  ModelInfo model;
  MemoryPlan plan;
  std::shared_ptr<const LoadedModel> loaded;
  std::vector<std::unique_ptr<Arena>> arenas;  // of the session
  std::unique_ptr<Executor> executor;

  std::vector<float> step(const std::vector<StepRow>& rows, const std::vector<std::uint32_t>& logit_rows) {
    const Status done = executor->step(rows, logit_rows, StopToken());
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message.text());
    return done.ok() ? all_logits(*executor, logit_rows.size()) : std::vector<float>();
  }
};

template <class T>
T take(Result<T> result) {
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message.text());
  if (!result.ok()) std::abort();
  return std::move(result).value();
}

// On `devices` as probed, placed as `options` say.
inline std::unique_ptr<LoadedCpu> load_on(const std::filesystem::path& path, const std::vector<DeviceInfo>& devices,
                                          const PlanOptions& options) {
  auto made = std::make_unique<LoadedCpu>();
  made->file = std::make_unique<ModelFile>(take(open_model_file(path)));
  made->model = take(read_model_info(*made->file));
  made->plan = take(plan_memory(made->model, devices, options));
  const LoadInputs inputs{std::make_shared<const ModelInfo>(made->model),
                          std::make_shared<const MemoryPlan>(made->plan), make_backend};
  made->loaded = take(load_model(*made->file, inputs, {}, [](Bytes) {}));
  std::vector<Arena*> all;
  for (std::size_t i = 0; i < made->plan.arenas.size(); ++i) {
    const ArenaPlan& arena = made->plan.arenas[i];
    Backend& backend = *made->loaded->backends[arena.mapped_by];
    made->arenas.push_back(arena.lifetime == Lifetime::kSession ? take(backend.map_arena(arena)) : nullptr);
    all.push_back(made->arenas.back() ? made->arenas.back().get() : made->loaded->arenas[i].get());
    if (arena.lifetime == Lifetime::kLoad) continue;
    EXPECT_EQ(all.back()->mapped_bytes(), arena.size);
    if (made->arenas.back()) {
      EXPECT_TRUE(backend.clear_arena(*all.back(), {}, [](Bytes) {}).ok());
    }
  }
  made->executor = take(Executor::open(made->model, made->plan, made->loaded->backends, all,
                                       take(made->loaded->balance->of(made->plan, nullptr, {}))));
  return made;
}

inline std::unique_ptr<LoadedCpu> load_cpu(const std::filesystem::path& path, Isa isa, std::uint32_t n_threads,
                                           const PlanOptions& options) {
  force_isa(isa);
  return load_on(path, {take(probe_devices(n_threads)).front()}, options);
}

inline std::vector<StepRow> rows_of(std::uint32_t slot, std::uint32_t first, std::uint32_t n, std::uint32_t n_vocab) {
  std::vector<StepRow> rows;
  for (std::uint32_t position = first; position < first + n; ++position)
    rows.push_back({(position * 37 + slot * 11 + 5) % n_vocab, slot, position});
  return rows;
}

}  // namespace headroom::test
