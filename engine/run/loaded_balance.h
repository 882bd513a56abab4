// The factors of balanced keys of a loaded model.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/stop.h"
#include "file/model_file.h"
#include "model/model_info.h"
#include "plan/memory_plan.h"

namespace headroom {

// Reads them when a plan first needs them, and keeps them: a model whose caches are F16 needs none, and the start of
// each row of Q and K is far apart in its file. Used on one thread.
class LoadedBalance {
 public:
  LoadedBalance(std::shared_ptr<const ModelInfo> info, std::filesystem::path path)
      : info_(std::move(info)), path_(std::move(path)) {}

  // (n_layers) as balance_keys() gives them; empty where the plan rotates no keys. Read from `file`, or where that is
  // null from the file as it is now: kBadFile when another model is there. kCancelled when stopped.
  Result<std::span<const std::vector<float>>> of(const MemoryPlan& plan, const ModelFile* file, const StopToken& stop);

 private:
  Status read(const ModelFile& file, const StopToken& stop);

  std::shared_ptr<const ModelInfo> info_;
  std::filesystem::path path_;
  std::vector<std::vector<float>> factors_;  // empty: not read yet
};

}  // namespace headroom
