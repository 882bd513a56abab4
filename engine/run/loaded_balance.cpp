#include "run/loaded_balance.h"

#include "format/dtype_table.h"
#include "model/key_balance.h"
#include "model/model_fingerprint.h"

namespace headroom {
namespace {

bool rotates_keys(const PlanOptions& options) {
  return options.kv_scheme == KvScheme::kRotated && is_quantized_kv(options.kv_k);
}

}  // namespace

Result<std::span<const std::vector<float>>> LoadedBalance::of(const MemoryPlan& plan, const ModelFile* file,
                                                              const StopToken& stop) {
  if (!rotates_keys(plan.options)) return std::span<const std::vector<float>>();
  if (!factors_.empty()) return std::span<const std::vector<float>>(factors_);
  if (file != nullptr) {
    if (Status done = read(*file, stop); !done) return done.error();
    return std::span<const std::vector<float>>(factors_);
  }
  const Result<ModelFile> now = open_model_file(path_);
  if (!now) return now.error();
  const Result<ModelInfo> info = read_model_info(*now);
  if (!info) return info.error();
  if (model_fingerprint(*info) != model_fingerprint(*info_)) {
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: expected the model that is loaded, {}, found {} of another shape: load it again",
                              path_.string(), info_->name, info->name)};
  }
  if (Status done = read(*now, stop); !done) return done.error();
  return std::span<const std::vector<float>>(factors_);
}

Status LoadedBalance::read(const ModelFile& file, const StopToken& stop) {
  Result<std::vector<std::vector<float>>> factors = read_key_balance(*info_, file, stop);
  if (!factors) return factors.error();
  factors_ = std::move(*factors);
  return ok_status();
}

}  // namespace headroom
