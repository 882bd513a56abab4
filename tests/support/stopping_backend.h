// A backend whose steps can be stopped behind one of their subgraphs, when all rows of it have been written.
#pragma once

#include <memory>
#include <utility>

#include "backend/backend.h"

namespace headroom::test {

// What a test sets; outlives the backends.
struct StopBehind {
  std::uint32_t submit = 0;  // the n-th from now; 0: none
  StopSource source;         // its token goes with the step
};

class StoppingBackend : public Backend {
 public:
  StoppingBackend(std::unique_ptr<Backend> inner, StopBehind& stop) : inner_(std::move(inner)), stop_(stop) {}

  const DeviceInfo& device_info() const override { return inner_->device_info(); }
  Result<DeviceSpeed> measure_speed(Bytes most_bytes) override { return inner_->measure_speed(most_bytes); }
  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) override { return inner_->map_arena(plan); }
  Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                     Arena* upload, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    return inner_->load_weight(arena, region, weight, file, upload, stop, advance);
  }
  Status clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    return inner_->clear_arena(arena, stop, advance);
  }
  Status bind(const Binding& binding) override { return inner_->bind(binding); }
  void copy_panels(std::int32_t weight, const PanelFormat& format, PanelRange range, std::byte* to) override {
    inner_->copy_panels(weight, format, range, to);
  }
  Status upload_weights(const Op& op, WeightSource& source, const StopToken& stop) override {
    return inner_->upload_weights(op, source, stop);
  }
  Status submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) override {
    if (Status begun = inner_->submit(subgraph, inputs, stop); !begun) return begun;
    if (stop_.submit > 0 && --stop_.submit == 0) {
      stop_.source.request_stop();
      is_stopped_ = true;
    }
    return ok_status();
  }
  Status wait(const StopToken& stop) override {
    const Status done = inner_->wait(stop);
    if (std::exchange(is_stopped_, false)) return Error{ErrorCode::kCancelled, Message::plain("the step was stopped")};
    return done;
  }
  Status read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) override {
    return inner_->read(buffer, first_row, to);
  }
  Status write(BufferId buffer, std::span<const std::byte> from) override { return inner_->write(buffer, from); }
  const std::byte* host_view(BufferId buffer) const override { return inner_->host_view(buffer); }
  Status top_k(std::span<CandidateQuery> queries) override { return inner_->top_k(queries); }
  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                    const StopToken& stop) override {
    return inner_->copy_state(from_slot, to_slot, n_positions, stop);
  }
  using Backend::copy_bytes;
  Status copy_bytes(std::span<const ArenaCopy> copies) override { return inner_->copy_bytes(copies); }
  Result<MemorySample> sample_memory() override { return inner_->sample_memory(); }
  std::uint64_t n_allocations() const override { return inner_->n_allocations(); }

 private:
  std::unique_ptr<Backend> inner_;
  StopBehind& stop_;
  bool is_stopped_ = false;
};

}  // namespace headroom::test
