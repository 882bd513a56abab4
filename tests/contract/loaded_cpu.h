// A model file on the CPU backend with a forced instruction set and number of threads, and the composed reference
// beside it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "backend/composed_ops.h"
#include "backend/registry.h"
#include "base/cpu_features.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom::test {

inline void force_isa(Isa isa) { setenv("HEADROOM_ISA", std::string(isa_name(isa)).c_str(), 1); }

struct LoadedCpu {
  std::unique_ptr<ModelFile> file;
  ModelInfo model;
  MemoryPlan plan;
  std::unique_ptr<Backend> backend;
  std::vector<std::unique_ptr<Arena>> arenas;

  std::vector<float> step(const std::vector<StepRow>& rows, const std::vector<std::uint32_t>& logit_rows) {
    const Result<std::span<const float>> logits = backend->step({rows, logit_rows}, StopToken());
    EXPECT_TRUE(logits.ok()) << (logits.ok() ? "" : logits.error().message);
    return logits.ok() ? std::vector<float>(logits->begin(), logits->end()) : std::vector<float>();
  }
};

template <class T>
T take(Result<T> result) {
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  if (!result.ok()) std::abort();
  return std::move(result).value();
}

inline std::unique_ptr<LoadedCpu> load_cpu(const std::filesystem::path& path, Isa isa, std::uint32_t n_threads,
                                           const PlanOptions& options) {
  force_isa(isa);
  auto loaded = std::make_unique<LoadedCpu>();
  loaded->file = std::make_unique<ModelFile>(take(open_model_file(path)));
  loaded->model = take(read_model_info(*loaded->file));
  const std::vector<DeviceInfo> devices = take(probe_devices(n_threads));
  loaded->plan = take(plan_memory(loaded->model, devices, options));
  loaded->backend = take(make_backend(devices.front()));
  std::vector<Arena*> pointers;
  for (const ArenaPlan& arena : loaded->plan.arenas) {
    loaded->arenas.push_back(take(loaded->backend->map_arena(arena)));
    EXPECT_EQ(loaded->arenas.back()->mapped_bytes(), arena.size);
    pointers.push_back(loaded->arenas.back().get());
    for (const Region& region : arena.regions) {
      if (region.kind != RegionKind::kWeights) continue;
      const Status status = loaded->backend->load_weight(*pointers.back(), region,
                                                         loaded->model.weights[static_cast<std::size_t>(region.weight)],
                                                         *loaded->file, StopToken(), [](Bytes) {});
      EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    }
  }
  const Status status = loaded->backend->prepare(loaded->model, loaded->plan, pointers);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return loaded;
}

// Root mean square of the difference, relative to that of the expected values.
inline double relative_error(const std::vector<float>& found, const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  if (found.size() != expected.size()) return INFINITY;
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += (static_cast<double>(found[i]) - expected[i]) * (static_cast<double>(found[i]) - expected[i]);
    magnitude += static_cast<double>(expected[i]) * expected[i];
  }
  return std::sqrt(difference / magnitude);
}

inline std::vector<StepRow> rows_of(std::uint32_t slot, std::uint32_t first, std::uint32_t n, std::uint32_t n_vocab) {
  std::vector<StepRow> rows;
  for (std::uint32_t position = first; position < first + n; ++position)
    rows.push_back({(position * 37 + slot * 11 + 5) % n_vocab, slot, position});
  return rows;
}

}  // namespace headroom::test
