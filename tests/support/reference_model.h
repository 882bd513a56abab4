// A model on one or two reference devices, its program walked by hand: what the contract and golden tests compare with.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "backend/reference/reference_backend.h"
#include "run/kv_rings.h"

namespace headroom::test {

class ReferenceModel {
 public:
  static constexpr std::uint32_t kAllLayers = ~0U;

  // The embedding and the first layers on device 0, `n_last_layers` and the head on device 1; kAllLayers: everything on
  // device 1. `options` as to plan_memory(), but for where things stand.
  static Result<std::unique_ptr<ReferenceModel>> open(const std::filesystem::path& path, PlanOptions options,
                                                      std::uint32_t n_last_layers = kAllLayers);

  const ModelInfo& info() const { return info_; }
  const MemoryPlan& plan() const { return plan_; }
  Backend& backend(DeviceIndex device) { return *parts_[device].backend; }
  ReferenceDevice& device(DeviceIndex index) { return *parts_[index].device; }
  Bytes crossed_bytes() const { return crossed_bytes_; }  // of all steps

  // (logit_rows.size(), n_vocab).
  Result<std::vector<float>> step(std::span<const StepRow> rows, std::span<const std::uint32_t> logit_rows,
                                  const StopToken& stop = {});
  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions);

 private:
  struct Part {
    std::shared_ptr<ReferenceDevice> device;
    std::unique_ptr<Backend> backend;
    std::vector<std::unique_ptr<Arena>> arenas;
  };
  ReferenceModel(ModelFile file, ModelInfo info, MemoryPlan plan)
      : file_(std::move(file)), info_(std::move(info)), plan_(std::move(plan)), rings_(info_, plan_.options) {}
  Status load(DeviceIndex device);
  Status transfer(const Op& op, std::size_t n_rows);

  ModelFile file_;
  ModelInfo info_;
  MemoryPlan plan_;
  KvRings rings_;
  std::vector<std::vector<float>> key_balance_;
  std::vector<Part> parts_;  // as plan_.devices
  std::vector<std::byte> staging_;
  Bytes crossed_bytes_ = 0;
};

}  // namespace headroom::test
