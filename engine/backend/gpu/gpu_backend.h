// The part of a backend that all GPUs share: it loads and uploads weights, copies buffers and cache slots, and starts
// steps, all through a GpuDriver and a GpuStep.
#pragma once

#include <functional>
#include <memory>

#include "backend/check_copy.h"
#include "backend/gpu/gpu_step.h"
#include "backend/host/thread_pool.h"

namespace headroom {

class GpuBackend : public Backend {
 public:
  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) final;
  Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                     Arena* upload, const StopToken& stop, const std::function<void(Bytes)>& advance) final;
  Status clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) final;
  Status bind(const Binding& binding) final;
  Status upload_weights(const Op& op, WeightSource& source, const StopToken& stop) final;
  Status submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) final;
  Status wait(const StopToken& stop) final;
  Status read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) final;
  Status write(BufferId buffer, std::span<const std::byte> from) final;
  const std::byte* host_view(BufferId buffer) const final;
  Status top_k(std::span<CandidateQuery> queries) final;
  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                    const StopToken& stop) final;
  using Backend::copy_bytes;
  Status copy_bytes(std::span<const ArenaCopy> copies) final;
  std::uint64_t n_allocations() const final { return n_allocations_; }

 protected:
  // `driver` belongs to the derived class and lives as long as this.
  explicit GpuBackend(GpuDriver& driver) : driver_(driver) {}

  virtual Result<std::unique_ptr<GpuArena>> make_arena(const ArenaPlan& plan) = 0;
  virtual Result<std::unique_ptr<GpuStep>> make_step(const Binding& binding) = 0;

 private:
  CopySide side() const;
  Status check_bound(const char* call) const;
  Status wait_for_step();
  Status copy(std::string_view what, const GpuSlice& from, const GpuSlice& to);
  Result<bool> upload_weight(std::size_t index, WeightSource& source, const StopToken& stop);
  Status put_bytes(const GpuArena& to, Bytes offset, Bytes n_bytes, Arena* upload,
                   const std::function<Status(std::byte*)>& fill);

  GpuDriver& driver_;
  std::unique_ptr<GpuStep> step_;
  std::unique_ptr<GpuUploads> uploads_;  // null where no weights are streamed to this device
  std::uint32_t next_part_ = 0;
  std::unique_ptr<ThreadPool> loaders_;  // while weights are loaded
  std::vector<GpuCopy> copies_;
  bool stopped_ = false;
  std::span<CandidateQuery> answered_;  // StepInputs::queries of the last step, until another one or a top_k()
  std::uint64_t n_allocations_ = 0;
};

}  // namespace headroom
