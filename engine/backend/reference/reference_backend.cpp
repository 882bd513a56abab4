#include "backend/reference/reference_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "backend/check_copy.h"
#include "backend/device_wait.h"
#include "backend/load_panels.h"
#include "backend/reference/reference_arena.h"
#include "backend/reference/reference_speed.h"
#include "backend/reference/reference_step.h"
#include "format/decode.h"
#include "model/weight_layout.h"

namespace headroom {
namespace {

constexpr Bytes kChunkBytes = kMiB;  // between two looks at the stop token

ReferenceArena& ours(Arena& arena) {
  auto* const mapped = dynamic_cast<ReferenceArena*>(&arena);
  CHECK(mapped != nullptr, "an arena of another backend");
  return *mapped;
}

// Whether the call that asks is the one that shall fail.
bool is_due(std::atomic<std::uint32_t>& n_calls) {
  std::uint32_t left = n_calls;
  while (left > 0 && !n_calls.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}

class ReferenceBackend final : public Backend {
 public:
  ReferenceBackend(DeviceInfo info, std::shared_ptr<ReferenceDevice> device)
      : info_(std::move(info)), device_(std::move(device)), n_losses_(device_->n_losses()) {}

  const DeviceInfo& device_info() const override { return info_; }

  Result<DeviceSpeed> measure_speed(Bytes /*most_bytes*/) override {
    if (Status present = check_present(); !present) return present.error();
    return measure_reference_speed();
  }

  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) override {
    if (Status present = check_present(); !present) return present.error();
    if (is_due(device_->faults().map_arena)) {
      return Error{ErrorCode::kResource,
                   Message::say("{}: asked for {} ({} bytes), free {} ({} bytes), refused by the device", info_.id,
                                amount(plan.size), plan.size, amount(device_->sample().free), device_->sample().free)};
    }
    if (info_.max_arena_bytes > 0 && plan.size > info_.max_arena_bytes) {
      return Error{ErrorCode::kResource,
                   Message::say("{}: asked for {} ({} bytes) at once, expected at most {} ({} bytes)", info_.id,
                                amount(plan.size), plan.size, amount(info_.max_arena_bytes), info_.max_arena_bytes)};
    }
    Result<std::unique_ptr<ReferenceArena>> arena = ReferenceArena::map(device_, plan);
    if (!arena) return arena.error();
    ++n_allocations_;
    return std::unique_ptr<Arena>(std::move(*arena));
  }

  Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                     Arena* /*upload*/, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    CHECK(
        weight_bytes(weight, WeightLayout::kRows) <= region.size && region.offset + region.size <= arena.mapped_bytes(),
        "a weight leaves its region");
    return fill(arena, [&](std::byte* base) {
      std::byte* to = base + region.offset;
      if (role_is_matrix(weight.role)) return load_matrix(weight, file, to, stop, advance);
      Status read = load_vector(weight, file, to);
      if (read) advance(weight_bytes(weight, WeightLayout::kRows));
      return read;
    });
  }

  Status clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    return fill(arena, [&](std::byte* base) -> Status {
      for (Bytes at = 0; at < arena.mapped_bytes(); at += kChunkBytes) {
        if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
        const Bytes n_bytes = std::min(kChunkBytes, arena.mapped_bytes() - at);
        std::memset(base + at, 0, n_bytes);
        advance(n_bytes);
      }
      return ok_status();
    });
  }

  Status bind(const Binding& binding) override {
    if (Status present = check_present(); !present) return present;
    step_.emplace(bind_reference(binding));
    stopped_ = false;
    return ok_status();
  }

  // At once, a row at a time.
  Status upload_weights(const Op& op, WeightSource& source, const StopToken& stop) override {
    return with_memory("upload_weights", [&]() -> Status {
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("the step was stopped")};
      if (is_due(device_->faults().write)) return failed(Message::say("copying weights failed"));
      step_->bound().upload(op, source);
      return ok_status();
    });
  }

  Status submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) override {
    if (is_due(device_->faults().lose_at_submit)) device_->lose();
    if (is_due(device_->faults().hang_at_submit)) device_->faults().hangs = true;
    if (device_->faults().hangs) return check_present();  // it is begun, as on a GPU
    return with_memory("submit", [&]() -> Status {
      if (is_due(device_->faults().submit)) return failed(Message::say("starting a subgraph failed"));
      if (!step_->run(subgraph, inputs, stop)) stopped_ = true;
      return ok_status();
    });
  }

  // All was computed in submit().
  Status wait(const StopToken& /*stop*/) override {
    if (Status answers = wait_for_answer("computing a step"); !answers) return answers;
    return check_whole();
  }

  Status read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) override {
    return with_memory("read", [&]() -> Status {
      if (Status whole = check_whole(); !whole) return whole;
      if (Status fine = check_copy(side(), buffer, first_row, to.size()); !fine) return fine;
      if (is_due(device_->faults().read)) return failed(Message::say("copying {} to the host failed", name(buffer)));
      const std::size_t row_elems = step_->bound().plan->program.buffers[buffer].row_elems;
      std::memcpy(to.data(), step_->bound().buffer(buffer) + first_row * row_elems, to.size());
      return ok_status();
    });
  }

  Status write(BufferId buffer, std::span<const std::byte> from) override {
    return with_memory("write", [&]() -> Status {
      if (Status fine = check_copy(side(), buffer, 0, from.size()); !fine) return fine;
      if (is_due(device_->faults().write)) return failed(Message::say("copying {} from the host failed", name(buffer)));
      std::memcpy(step_->bound().buffer(buffer), from.data(), from.size());
      return ok_status();
    });
  }

  const std::byte* host_view(BufferId /*buffer*/) const override { return nullptr; }

  // The answers are read by the host: what makes a copy to it fail makes them fail.
  Status top_k(std::span<CandidateQuery> queries) override {
    return with_memory("top_k", [&]() -> Status {
      if (Status whole = check_whole(); !whole) return whole;
      const BufferId logits = step_->bound().plan->program.logits;
      const std::size_t n_vocab = step_->bound().model->n_vocab;
      for (CandidateQuery& query : queries) {
        if (Status fine = check_copy(side(), logits, query.row, n_vocab * sizeof(float)); !fine) return fine;
        if (is_due(device_->faults().read)) return failed(Message::say("finding the likeliest tokens failed"));
        answer_query({step_->bound().buffer(logits) + query.row * n_vocab, n_vocab}, query);
      }
      return ok_status();
    });
  }

  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                    const StopToken& stop) override {
    return with_memory("copy_state", [&]() -> Status {
      const PlanOptions& options = step_->bound().plan->options;
      CHECK(from_slot < options.n_slots && to_slot < options.n_slots && n_positions <= options.n_ctx,
            "a copy of a slot is outside the plan");
      for (std::size_t i = 0; i < step_->bound().layers.size(); ++i) {
        const ReferenceBinding::Layer& layer = step_->bound().layers[i];
        if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("copying a prompt was stopped")};
        const LayerSpec& spec = step_->bound().model->layers[i];
        if (layer.conv != nullptr) copy_slot(layer.conv, spec.conv_bytes(), from_slot, to_slot);
        if (layer.matrices != nullptr) copy_slot(layer.matrices, spec.matrix_bytes(), from_slot, to_slot);
        if (!layer.keys.is_bound() || !step_->bound().model->layers[i].has_cache()) continue;
        layer.keys.copy(from_slot, to_slot, n_positions);
        layer.values.copy(from_slot, to_slot, n_positions);
      }
      return ok_status();
    });
  }

  using Backend::copy_bytes;
  // Of any arenas, bound or not.
  Status copy_bytes(std::span<const ArenaCopy> copies) override {
    if (Status answers = wait_for_answer("copying memory"); !answers) return answers;
    for (const ArenaCopy& copy : copies) {
      const std::array arenas{&ours(*copy.from), &ours(*copy.to)};
      const OpenArenas open(arenas);
      if (!open.status()) return open.status();
      std::memcpy(arenas[1]->device_address() + copy.to_offset, arenas[0]->device_address() + copy.from_offset,
                  copy.n_bytes);
    }
    return ok_status();
  }

  Result<MemorySample> sample_memory() override {
    if (Status present = check_present(); !present) return present.error();
    return device_->sample();
  }

  std::uint64_t n_allocations() const override { return n_allocations_; }

 private:
  Error failed(const Message& what) const { return Error{ErrorCode::kResource, what.said_of(info_.id)}; }

  // Says once that a step was broken off.
  Status check_whole() {
    if (std::exchange(stopped_, false)) return Error{ErrorCode::kCancelled, Message::say("the step was stopped")};
    return ok_status();
  }

  // As a wait for a GPU that may hang.
  Status wait_for_answer(std::string_view what) {
    if (Status present = check_present(); !present) return present;
    const std::chrono::milliseconds limit = device_wait_limit();
    const auto end = std::chrono::steady_clock::now() + limit;
    while (device_->faults().hangs) {
      if (std::chrono::steady_clock::now() >= end) {
        is_given_up_ = true;
        return no_answer(info_.id, what, limit);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return ok_status();
  }

  Status check_present() const {
    if (is_given_up_) return is_given_up(info_.id);
    if (device_->n_losses() == n_losses_) return ok_status();
    return Error{ErrorCode::kDeviceLost, Message::say("{}: the device was lost", info_.id)};
  }

  const MemoryPlan* plan() const { return step_->bound().plan; }
  CopySide side() const { return {info_.id, plan()->program, step_->bound().device}; }
  const std::string& name(BufferId buffer) const { return plan()->program.buffers[buffer].name; }

  // With the arenas that were bound.
  template <class Work>
  Status with_memory(std::string_view call, Work work) {
    if (Status answers = wait_for_answer("computing a step"); !answers) return answers;
    if (!step_) return Error{ErrorCode::kUsage, Message::say("{}: {}() before bind()", info_.id, call)};
    const OpenArenas open(step_->bound().arenas);
    return open.status() ? work() : open.status();
  }

  // With one arena, bound or not.
  template <class Work>
  Status fill(Arena& arena, Work work) {
    if (Status answers = wait_for_answer("filling memory"); !answers) return answers;
    ReferenceArena* const opened = &ours(arena);
    const OpenArenas open({&opened, 1});
    return open.status() ? work(opened->device_address()) : open.status();
  }

  // `states`: of all slots, so many bytes each.
  static void copy_slot(float* states, Bytes bytes, std::uint32_t from_slot, std::uint32_t to_slot) {
    auto* first = reinterpret_cast<std::byte*>(states);
    std::memmove(first + to_slot * bytes, first + from_slot * bytes, bytes);
  }

  static Status load_matrix(const WeightTensor& weight, const ModelFile& file, std::byte* to, const StopToken& stop,
                            const std::function<void(Bytes)>& advance) {
    const Bytes row_size = row_bytes(weight.dtype, weight.n_cols);
    const std::uint64_t n_rows = weight.n_matrices * weight.n_rows,
                        chunk_rows = std::max<std::uint64_t>(1, kChunkBytes / row_size);
    for (std::uint64_t row = 0; row < n_rows; row += chunk_rows) {
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
      const Bytes n_bytes = std::min(chunk_rows, n_rows - row) * row_size;
      if (Status status = read_rows(weight, file, row, {to + row * row_size, n_bytes}); !status) return status;
      advance(n_bytes);
    }
    return ok_status();
  }

  DeviceInfo info_;
  std::shared_ptr<ReferenceDevice> device_;
  std::uint32_t n_losses_;
  std::optional<ReferenceStep> step_;
  bool stopped_ = false, is_given_up_ = false;
  std::uint64_t n_allocations_ = 0;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_reference_backend(DeviceInfo device, std::shared_ptr<ReferenceDevice> memory) {
  if (device.kind != DeviceKind::kReference) {
    return Error{ErrorCode::kUsage, Message::say("{}: expected a reference device, found one of kind {}", device.id,
                                                 device_kind_name(device.kind))};
  }
  if (memory->faults().hangs) return is_given_up(device.id);
  return std::unique_ptr<Backend>(std::make_unique<ReferenceBackend>(std::move(device), std::move(memory)));
}

}  // namespace headroom
