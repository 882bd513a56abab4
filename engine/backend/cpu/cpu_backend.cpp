#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "backend/cpu/copy_panels.h"
#include "backend/cpu/cpu_candidates.h"
#include "backend/cpu/cpu_limits.h"
#include "backend/cpu/cpu_step.h"
#include "backend/cpu/isa_choice.h"
#include "backend/cpu/load_weight.h"
#include "backend/host/host_arena.h"
#include "backend/host/host_memory.h"
#include "backend/host/thread_pool.h"

namespace headroom {
namespace {

constexpr Bytes kCopyUnitBytes = 4096;  // of a copy that threads share: each takes whole ones

class CpuBackend final : public Backend {
 public:
  CpuBackend(DeviceInfo device, Isa isa)
      : device_(std::move(device)), kernels_(make_kernel_table(isa)), pool_(device_.n_threads) {}

  std::uint32_t n_threads() const { return pool_.n_threads(); }

  const DeviceInfo& device_info() const override { return device_; }

  Result<DeviceSpeed> measure_speed(Bytes most_bytes) override {
    return measure_cpu_speed(pool_, kernels_, most_bytes);
  }

  Result<DeviceLimits> measure_limits() override { return measure_cpu_limits(pool_, kernels_); }
  Result<std::unique_ptr<ReadMeter>> open_read_meter() override { return open_cpu_read_meter(pool_, kernels_); }

  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) override {
    // Pages are only promised by the system, so it would grant more than there is: ask first.
    if (const Result<MemorySample> now = sample_host_memory(); now && plan.size > now->free) {
      return Error{ErrorCode::kResource, Message::say("{}: asked for {} ({} bytes), free {} ({} bytes)", device_.id,
                                                      amount(plan.size), plan.size, amount(now->free), now->free)};
    }
    return map_host_arena(plan, n_allocations_);
  }

  Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                     Arena* /*upload*/, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    CHECK(weight_bytes(weight, WeightLayout::kPanels) <= region.size &&
              region.offset + region.size <= arena.mapped_bytes(),
          "a weight leaves its region");
    return load_cpu_weight(weight, file, arena.host_address() + region.offset, pool_, stop, advance);
  }

  Status clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    return clear_host_arena(arena, pool_, stop, advance);
  }

  Status bind(const Binding& binding) override {
    Result<BoundModel> bound = bind_model(binding, device_);
    if (!bound) return bound.error();
    step_.reset();
    step_ = std::make_unique<CpuStep>(std::move(*bound), kernels_, pool_);
    return ok_status();
  }

  void copy_panels(std::int32_t weight, const PanelFormat& format, PanelRange range, std::byte* to) override {
    CHECK(step_ != nullptr, "copy_panels() before bind()");
    const BoundModel& bound = step_->bound();
    const auto index = static_cast<std::size_t>(weight);
    CHECK(index < bound.weights.size() && bound.weights[index] != nullptr,
          "a streamed weight does not stand on the CPU");
    copy_cpu_panels(bound.model->weights[index], bound.weights[index], format, range, bound.panel_rows, pool_, to);
  }

  // Computes here and now. A step that was stopped stays so until somebody waits for it.
  Status submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) override {
    CHECK(step_ != nullptr, "submit() before bind()");
    Status done = step_->run(subgraph, inputs, stop);
    if (done || done.error().code != ErrorCode::kCancelled) return done;
    stopped_ = true;
    return ok_status();
  }

  Status wait(const StopToken&) override {
    if (std::exchange(stopped_, false)) return Error{ErrorCode::kCancelled, Message::say("the step was stopped")};
    return ok_status();
  }

  Status read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) override {
    const std::span<const std::byte> from = step_->bound().buffer_bytes(buffer);
    const Bytes first = first_row * step_->bound().plan->program.buffers[buffer].row_bytes();
    CHECK(first <= from.size() && to.size() <= from.size() - first, "more bytes are read than the buffer has");
    std::memcpy(to.data(), from.data() + first, to.size());
    return ok_status();
  }

  Status write(BufferId buffer, std::span<const std::byte> from) override {
    const std::span<std::byte> to = step_->bound().buffer_bytes(buffer);
    CHECK(from.size() <= to.size(), "more bytes are written than the buffer has");
    std::memcpy(to.data(), from.data(), from.size());
    return ok_status();
  }

  const std::byte* host_view(BufferId buffer) const override { return step_->bound().buffer_bytes(buffer).data(); }

  Status top_k(std::span<CandidateQuery> queries) override {
    CHECK(step_ != nullptr && step_->bound().candidates != nullptr, "the head is on another device");
    const BoundModel& bound = step_->bound();
    const CandidateRows rows{reinterpret_cast<const float*>(bound.logits), bound.model->n_vocab, bound.candidates,
                             candidate_scratch(*bound.model, bound.plan->options)};
    find_cpu_candidates(rows, kernels_, pool_, queries);
    return ok_status();
  }

  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                    const StopToken& stop) override {
    CHECK(step_ != nullptr, "copy_state() before bind()");
    return step_->copy_slot(from_slot, to_slot, n_positions, stop);
  }

  // Every thread copies its share of each.
  using Backend::copy_bytes;
  Status copy_bytes(std::span<const ArenaCopy> copies) override {
    pool_.run([&](std::uint32_t thread) {
      for (const ArenaCopy& copy : copies) {
        const auto n_units = static_cast<std::uint32_t>(div_up(copy.n_bytes, kCopyUnitBytes));
        const Share units = share_of(n_units, thread, pool_.n_threads());
        const Bytes at = units.first * kCopyUnitBytes, end = std::min(units.last * kCopyUnitBytes, copy.n_bytes);
        if (at >= end) continue;
        std::memcpy(copy.to->host_address() + copy.to_offset + at, copy.from->host_address() + copy.from_offset + at,
                    end - at);
      }
    });
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
  bool stopped_ = false;  // the last subgraph, before its end
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cpu_backend(DeviceInfo device) {
  const Result<IsaChoice> choice = choose_isa();
  if (!choice) return choice.error();
  const std::uint32_t n_asked = device.n_threads;
  auto backend = std::make_unique<CpuBackend>(std::move(device), choice->isa);
  if (backend->n_threads() != n_asked) {
    return Error{ErrorCode::kResource,
                 Message::say("cpu: asked for {} threads, the system gave {}", n_asked, backend->n_threads())};
  }
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace headroom
