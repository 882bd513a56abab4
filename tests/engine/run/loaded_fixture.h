// Random models on the CPU backend, for tests of sessions and of the engine thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "plan/memory_plan.h"
#include "run/load_model.h"
#include "run/session.h"
#include "support/all_logits.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom::test {

struct OpenedFile {
  ModelFile file;
  std::shared_ptr<const ModelInfo> info;
};
inline OpenedFile open_or_die(const std::filesystem::path& path) {
  Result<ModelFile> file = open_model_file(path);
  CHECK(file.ok(), file.error().message.text().c_str());
  Result<ModelInfo> info = read_model_info(*file);
  CHECK(info.ok(), info.error().message.text().c_str());
  return {std::move(*file), std::make_shared<const ModelInfo>(std::move(*info))};
}

inline std::shared_ptr<const MemoryPlan> plan_or_die(const ModelInfo& info, const PlanOptions& options,
                                                     std::uint32_t n_threads = 2) {
  Result<std::vector<DeviceInfo>> devices = probe_devices(n_threads);
  CHECK(devices.ok(), devices.error().message.text().c_str());
  Result<MemoryPlan> plan = plan_memory(info, *devices, options);
  CHECK(plan.ok(), plan.error().message.text().c_str());
  return std::make_shared<const MemoryPlan>(std::move(*plan));
}

inline std::shared_ptr<const LoadedModel> load_or_die(const OpenedFile& opened,
                                                      std::shared_ptr<const MemoryPlan> plan) {
  Result<std::shared_ptr<const LoadedModel>> loaded =
      load_model(opened.file, {opened.info, std::move(plan), make_backend}, {}, [](Bytes) {});
  CHECK(loaded.ok(), loaded.error().message.text().c_str());
  return *loaded;
}

inline std::unique_ptr<Session> session_or_die(std::shared_ptr<const LoadedModel> loaded,
                                               std::shared_ptr<const MemoryPlan> plan) {
  Result<std::unique_ptr<Session>> session = Session::open(std::move(loaded), std::move(plan));
  CHECK(session.ok(), session.error().message.text().c_str());
  return std::move(*session);
}

// The whole way with one set of options.
inline std::unique_ptr<Session> open_random(const RandomModelSpec& spec, const TempFolder& folder,
                                            const PlanOptions& options, std::uint32_t n_threads = 2) {
  const OpenedFile opened = open_or_die(make_random_model(spec, folder.path()));
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened.info, options, n_threads);
  return session_or_die(load_or_die(opened, plan), plan);
}

}  // namespace headroom::test
