#include "backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <optional>

#include "backend/cpu/cpu_arena.h"
#include "backend/cpu/cpu_step.h"
#include "backend/cpu/host_memory.h"
#include "backend/cpu/isa_choice.h"
#include "backend/cpu/load_weight.h"
#include "backend/cpu/thread_pool.h"

namespace headroom {
namespace {

class CpuBackend final : public Backend {
 public:
  CpuBackend(DeviceInfo device, Isa isa)
      : device_(std::move(device)), kernels_(make_kernel_table(isa)), pool_(device_.n_threads) {}

  std::uint32_t n_threads() const { return pool_.n_threads(); }

  const DeviceInfo& device_info() const override { return device_; }

  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) override {
    // Pages are only promised by the system, so it would grant more than there is: ask first.
    if (const Result<MemorySample> now = sample_host_memory(); now && plan.size > now->free) {
      return Error{ErrorCode::kResource,
                   fmt::format("{}: asked for {} ({} bytes), free {} ({} bytes)", device_.id, format_bytes(plan.size),
                               plan.size, format_bytes(now->free), now->free)};
    }
    return map_cpu_arena(plan, n_allocations_);
  }

  Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                     const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    CHECK(weight_bytes(weight, WeightLayout::kPanels) <= region.size &&
              region.offset + region.size <= arena.mapped_bytes(),
          "a weight leaves its region");
    return load_cpu_weight(weight, file, arena.base() + region.offset, pool_, stop, advance);
  }

  Status prepare(const ModelInfo& model, const MemoryPlan& plan, std::span<Arena* const> arenas) override {
    Result<BoundModel> bound = bind_model(model, plan, arenas, device_);
    if (!bound) return bound.error();
    step_.reset();
    step_ = std::make_unique<CpuStep>(std::move(*bound), kernels_, pool_);
    return ok_status();
  }

  Result<std::span<const float>> step(const StepInputs& inputs, const StopToken& stop) override {
    CHECK(step_ != nullptr, "step() before prepare()");
    return step_->run(inputs, stop);
  }

  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions) override {
    CHECK(step_ != nullptr, "copy_state() before prepare()");
    const PlanOptions& options = step_->bound().plan->options;
    if (from_slot >= options.n_slots || to_slot >= options.n_slots || n_positions > options.n_ctx) {
      return Error{ErrorCode::kUsage, fmt::format("{} positions of slot {} to slot {}: there are {} slots of {}",
                                                  n_positions, from_slot, to_slot, options.n_slots, options.n_ctx)};
    }
    step_->copy_slot(from_slot, to_slot, n_positions);
    return ok_status();
  }

  Result<MemorySample> sample_memory() override { return sample_host_memory(); }
  double product_seconds() const override { return step_ == nullptr ? 0 : step_->product_seconds(); }

  std::uint64_t n_allocations() const override { return n_allocations_; }

 private:
  DeviceInfo device_;
  KernelTable kernels_;
  ThreadPool pool_;
  std::atomic<std::uint64_t> n_allocations_ = 0;
  std::unique_ptr<CpuStep> step_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cpu_backend(DeviceInfo device) {
  const Result<IsaChoice> choice = choose_isa();
  if (!choice) return choice.error();
  const std::uint32_t n_asked = device.n_threads;
  auto backend = std::make_unique<CpuBackend>(std::move(device), choice->isa);
  if (backend->n_threads() != n_asked) {
    return Error{ErrorCode::kResource,
                 fmt::format("cpu: asked for {} threads, the system gave {}", n_asked, backend->n_threads())};
  }
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace headroom
