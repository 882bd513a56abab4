#include "backend/vulkan/vulkan_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/check_copy.h"
#include "backend/load_panels.h"
#include "backend/vulkan/vulkan_memory.h"
#include "backend/vulkan/vulkan_speed.h"
#include "backend/vulkan/vulkan_step.h"
#include "base/usable_cores.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

constexpr Bytes kChunkBytes = 64 * kMiB;  // between two looks at the stop token

class VulkanBackend final : public Backend {
 public:
  VulkanBackend(std::shared_ptr<VulkanDevice> device, std::unique_ptr<VulkanPipelines> pipelines,
                std::optional<MemoryReadings> before)
      : device_(std::move(device)), pipelines_(std::move(pipelines)), before_(std::move(before)) {}

  const DeviceInfo& device_info() const override { return device_->card().info; }

  Result<DeviceSpeed> measure_speed() override { return measure_vulkan_speed(device_, *pipelines_); }

  Result<DeviceLimits> measure_limits() override { return measure_vulkan_limits(device_, *pipelines_); }

  std::optional<Bytes> driver_bytes() override {
    if (!before_) return std::nullopt;
    return driver_share(*before_, read_card_memory(device_->card()), device_info().has_unified_memory);
  }

  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) override {
    Result<std::unique_ptr<VulkanArena>> arena = VulkanArena::map(device_, plan);
    if (!arena) return arena.error();
    ++n_allocations_;
    return std::unique_ptr<Arena>(std::move(*arena));
  }

  Status load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                     Arena* upload, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    const Bytes size = weight_bytes(weight, WeightLayout::kGpuPanels);
    CHECK(size <= region.size && region.offset + region.size <= arena.mapped_bytes(), "a weight leaves its region");
    const VulkanArena& to = ours(arena);
    if (!slot_is_matrix(weight.slot)) {
      const Status put = put_bytes(to, region.offset, size, upload,
                                   [&](std::byte* place) { return load_vector(weight, file, place); });
      if (put) advance(size);
      return put;
    }
    if (loaders_ == nullptr) loaders_ = std::make_unique<ThreadPool>(usable_cores());
    const PanelFormat format{kGpuPanelRows, gpu_panel(weight.dtype, weight.n_cols).bytes(), pack_gpu_panel};
    const std::uint64_t n_panels = count_panels(weight, format);
    const std::uint64_t at_once = to.mapped() != nullptr ? n_panels : kUploadBytes / format.bytes;
    if (at_once == 0) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{}: expected rows of {} of at most {} bytes, found {}", device_->id(), weight.name,
                               kUploadBytes / kGpuPanelRows, format.bytes / kGpuPanelRows)};
    }
    for (std::uint64_t first = 0; first < n_panels; first += at_once) {
      const PanelRange range{first, std::min(n_panels, first + at_once)};
      const Status put = put_bytes(
          to, region.offset + first * format.bytes, (range.last - first) * format.bytes, upload,
          [&](std::byte* place) { return load_panels(weight, file, format, range, place, *loaders_, stop, advance); });
      if (!put) return put;
    }
    return ok_status();
  }

  Status clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    const VulkanArena& to = ours(arena);
    for (Bytes at = 0; at < to.mapped_bytes(); at += kChunkBytes) {
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "loading was cancelled"};
      const Bytes n_bytes = std::min(kChunkBytes, to.mapped_bytes() - at);
      const Status cleared = device_->run_once(
          "clearing memory", [&](VkCommandBuffer commands) { vkCmdFillBuffer(commands, to.buffer(), at, n_bytes, 0); });
      if (!cleared) return cleared;
      advance(n_bytes);
    }
    return ok_status();
  }

  Status bind(const Binding& binding) override {
    if (Status present = device_->check_present(); !present) return present;
    step_.reset();
    loaders_.reset();  // all is loaded
    stopped_ = false;
    Result<std::unique_ptr<VulkanStep>> step = VulkanStep::record(
        device_, *pipelines_, bind_vulkan(binding, device_->card().tier), binding.key_balance, binding.stop);
    if (!step) return step.error();
    step_ = std::move(*step);
    return ok_status();
  }

  Status submit(const Segment& segment, const StepInputs& inputs, const StopToken& stop) override {
    if (Status bound = check_bound("submit"); !bound) return bound;
    if (stopped_ || stop.stop_requested()) {
      stopped_ = true;
      return ok_status();
    }
    Result<bool> whole = step_->submit(segment, inputs, stop);
    if (!whole) return whole.error();
    stopped_ = !*whole;
    return ok_status();
  }

  Status wait(const StopToken& /*stop*/) override {
    Status done = device_->wait();
    if (!done) return done;
    if (std::exchange(stopped_, false)) return Error{ErrorCode::kCancelled, "the step was stopped"};
    return ok_status();
  }

  Status read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) override {
    if (Status bound = check_bound("read"); !bound) return bound;
    if (Status done = wait({}); !done) return done;
    const VulkanBinding& bound = step_->bound();
    if (Status fine = check_copy(side(), buffer, first_row, to.size()); !fine) return fine;
    const Bytes row = bound.plan->program.buffers[buffer].row_bytes();
    const VulkanSlice from = bound.buffer(buffer).part(first_row * row, to.size());
    if (from.mapped() != nullptr) {
      std::memcpy(to.data(), from.mapped(), to.size());
      return ok_status();
    }
    const VulkanSlice& staging = bound.staging;
    CHECK(staging && to.size() <= staging.size, "the plan's staging is too small for what is read");
    const bool is_in_staging =
        to.data() >= staging.mapped() && to.data() + to.size() <= staging.mapped() + staging.size;
    const Bytes at = is_in_staging ? static_cast<Bytes>(to.data() - staging.mapped()) : 0;
    const Status copied = copy("copying to the host", from, staging.part(at, to.size()));
    if (copied && !is_in_staging) std::memcpy(to.data(), staging.mapped(), to.size());
    return copied;
  }

  Status write(BufferId buffer, std::span<const std::byte> from) override {
    if (Status bound = check_bound("write"); !bound) return bound;
    if (Status done = device_->wait(); !done) return done;
    const VulkanBinding& bound = step_->bound();
    if (Status fine = check_copy(side(), buffer, 0, from.size()); !fine) return fine;
    const VulkanSlice to = bound.buffer(buffer).part(0, from.size());
    if (to.mapped() != nullptr) {
      std::memcpy(to.mapped(), from.data(), from.size());
      return ok_status();
    }
    const VulkanSlice& staging = bound.staging;
    CHECK(staging && from.size() <= staging.size, "the plan's staging is too small for what is written");
    std::memmove(staging.mapped(), from.data(), from.size());
    return copy("copying from the host", staging.part(0, from.size()), to);
  }

  const std::byte* host_view(BufferId buffer) const override {
    return step_ == nullptr ? nullptr : step_->bound().buffer(buffer).mapped();
  }

  Status find_candidates(std::span<CandidateQuery> queries) override {
    if (Status bound = check_bound("find_candidates"); !bound) return bound;
    if (Status done = wait({}); !done) return done;
    const VulkanBinding& bound = step_->bound();
    const Bytes row_bytes = bound.model->n_vocab * kF32Bytes;
    for (const CandidateQuery& query : queries) {
      if (Status fine = check_copy(side(), bound.plan->program.ops.back().outputs[0], query.row, row_bytes); !fine)
        return fine;
    }
    CHECK(step_->candidates() != nullptr, "logits are here and nobody looks for candidates");
    return step_->candidates()->find(queries);
  }

  Status copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions) override {
    if (Status bound = check_bound("copy_state"); !bound) return bound;
    const PlanOptions& options = step_->bound().plan->options;
    CHECK(from_slot < options.n_slots && to_slot < options.n_slots && n_positions <= options.n_ctx,
          "a copy of a slot is outside the plan");
    if (from_slot == to_slot) return ok_status();
    return device_->run_once(
        "copying a slot", [&](VkCommandBuffer commands) { record_copies(commands, from_slot, to_slot, n_positions); });
  }

  Result<MemorySample> sample_memory() override {
    if (Status present = device_->check_present(); !present) return present.error();
    return sample_card(device_->card());
  }

  std::uint64_t n_allocations() const override { return n_allocations_; }

 private:
  CopySide side() const { return {device_->id(), step_->bound().plan->program, step_->bound().device}; }

  Status check_bound(const char* call) const {
    if (Status present = device_->check_present(); !present) return present;
    if (step_ != nullptr) return ok_status();
    return Error{ErrorCode::kUsage, fmt::format("{}: {}() before bind()", device_->id(), call)};
  }

  static const VulkanArena& ours(Arena& arena) {
    const auto* given = dynamic_cast<VulkanArena*>(&arena);
    CHECK(given != nullptr, "an arena is of another device");
    return *given;
  }

  Status copy(std::string_view what, const VulkanSlice& from, const VulkanSlice& to) {
    return device_->run_once(what, [&](VkCommandBuffer commands) {
      const VkBufferCopy region{from.offset, to.offset, from.size};
      vkCmdCopyBuffer(commands, from.arena->buffer(), to.arena->buffer(), 1, &region);
    });
  }

  // Has `fill` write n_bytes that are to stand at `offset`, at once or through the upload. Reading and copying take
  // turns.
  template <class Fill>
  Status put_bytes(const VulkanArena& to, Bytes offset, Bytes n_bytes, Arena* upload, Fill fill) {
    if (to.mapped() != nullptr) return fill(to.mapped() + offset);
    CHECK(upload != nullptr && n_bytes <= kUploadBytes, "weights cannot reach the device without an upload");
    const VulkanArena& through = ours(*upload);
    if (Status read = fill(through.mapped()); !read) return read;
    return copy("copying weights", {&through, 0, n_bytes}, {&to, offset, n_bytes});
  }

  // The first positions of a slot, with all that its exact ends hold of them.
  void record_copies(VkCommandBuffer commands, std::uint32_t from_slot, std::uint32_t to_slot,
                     std::uint32_t n_positions) const {
    const VulkanBinding& bound = step_->bound();
    const PlanOptions& options = bound.plan->options;
    for (std::size_t i = 0; i < bound.model->layers.size(); ++i) {
      const LayerSpec& layer = bound.model->layers[i];
      for (const KvRegion& kv : kv_regions(layer, options)) {
        const VulkanSlice& cache = bound.caches[i][static_cast<std::size_t>(kv.part)];
        if (!cache) continue;
        const Bytes row = row_bytes(kv.dtype, layer.head_dim);
        const auto copy_rows = [&](std::uint32_t head, std::uint64_t first, std::uint64_t n_rows) {
          if (n_rows == 0) return;
          const auto at = [&](std::uint32_t slot) {
            return cache.offset + ((std::uint64_t{slot} * layer.n_kv_heads + head) * kv.n_rows + first) * row;
          };
          const VkBufferCopy region{at(from_slot), at(to_slot), n_rows * row};
          vkCmdCopyBuffer(commands, cache.arena->buffer(), cache.arena->buffer(), 1, &region);
        };
        const bool is_keys = kv.part == KvPart::kKeys || kv.part == KvPart::kExactKeys;
        const bool is_exact = kv.part == KvPart::kExactKeys || kv.part == KvPart::kExactValues;
        const KvEnds ends = kv_ends_of(layer, is_keys ? options.kv_k : options.kv_v, options);
        for (std::uint32_t head = 0; head < layer.n_kv_heads; ++head) {
          if (is_exact) {
            copy_rows(head, 0, std::min<std::uint64_t>(n_positions, ends.n_sinks));
            copy_rows(head, ends.n_sinks, std::min<std::uint64_t>(n_positions, ends.n_ring));
          } else {
            copy_rows(head, 0, std::min<std::uint64_t>(n_positions, kv.n_rows));
          }
        }
      }
    }
  }

  std::shared_ptr<VulkanDevice> device_;
  std::unique_ptr<VulkanPipelines> pipelines_;
  std::unique_ptr<VulkanStep> step_;
  std::unique_ptr<ThreadPool> loaders_;   // while weights are loaded
  std::optional<MemoryReadings> before_;  // the device was opened; absent: it was open already
  bool stopped_ = false;
  std::uint64_t n_allocations_ = 0;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_vulkan_backend(const DeviceInfo& device,
                                                     const std::filesystem::path& kernel_folder) {
  VulkanCards found = vulkan_cards();
  const auto card = std::find_if(found.cards.begin(), found.cards.end(),
                                 [&](const VulkanCard& each) { return each.info.id == device.id; });
  if (card == found.cards.end()) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}: expected the Vulkan device {}, found {} devices{}", device.id, device.name,
                             found.cards.size(), found.refused.empty() ? "" : "; " + found.refused.front())};
  }
  card->info = device;
  std::optional<MemoryReadings> before;
  if (use_of_card(*card).n_open == 0) before = read_card_memory(*card);
  Result<std::shared_ptr<VulkanDevice>> opened = VulkanDevice::open(*card);
  if (!opened) return opened.error();
  Result<std::unique_ptr<VulkanPipelines>> pipelines = VulkanPipelines::open(*opened, kernel_folder);
  if (!pipelines) return pipelines.error();
  return std::unique_ptr<Backend>(
      std::make_unique<VulkanBackend>(std::move(*opened), std::move(*pipelines), std::move(before)));
}

}  // namespace headroom
