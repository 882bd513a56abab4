#include "backend/gpu/gpu_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "backend/check_copy.h"
#include "backend/load_panels.h"
#include "base/check.h"
#include "base/usable_cores.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/kv_regions.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

constexpr Bytes kClearedBytes = 64 * kMiB, kSlotBytesAtOnce = 256 * kMiB;  // between two looks at the stop token

const GpuArena& gpu_arena(Arena& arena) {
  const auto* given = dynamic_cast<GpuArena*>(&arena);
  CHECK(given != nullptr, "an arena is of another device");
  return *given;
}

// The rows of the first positions of a slot, with all that its exact ends hold of them, and its states.
void list_slot_copies(const GpuBinding& bound, std::uint32_t from_slot, std::uint32_t to_slot,
                      std::uint32_t n_positions, std::vector<GpuCopy>& copies) {
  const PlanOptions& options = bound.plan->options;
  for (std::size_t i = 0; i < bound.model->layers.size(); ++i) {
    const LayerSpec& layer = bound.model->layers[i];
    for (const StateRegion& state : state_regions(layer, 1)) {
      const GpuSlice& of_slots = bound.states[i][static_cast<std::size_t>(state.part)];
      if (!of_slots) continue;
      copies.push_back(
          {of_slots.part(from_slot * *state.bytes, *state.bytes), of_slots.part(to_slot * *state.bytes, *state.bytes)});
    }
    for (const KvRegion& kv : kv_regions(layer, options)) {
      const GpuSlice& cache = bound.caches[i][static_cast<std::size_t>(kv.part)];
      if (!cache) continue;
      const Bytes row = row_bytes(kv.dtype, layer.head_dim);
      const auto list_rows = [&](std::uint32_t head, std::uint64_t first, std::uint64_t n_rows) {
        if (n_rows == 0) return;
        const auto at = [&](std::uint32_t slot) {
          return cache.part(((std::uint64_t{slot} * layer.n_kv_heads + head) * kv.n_rows + first) * row, n_rows * row);
        };
        copies.push_back({at(from_slot), at(to_slot)});
      };
      const bool is_keys = kv.part == KvPart::kKeys || kv.part == KvPart::kExactKeys;
      const bool is_exact = kv.part == KvPart::kExactKeys || kv.part == KvPart::kExactValues;
      const KvF16Rows ends = kv_f16_rows_of(layer, is_keys ? options.kv_k : options.kv_v, options);
      for (std::uint32_t head = 0; head < layer.n_kv_heads; ++head) {
        if (is_exact) {
          list_rows(head, 0, std::min<std::uint64_t>(n_positions, ends.n_sinks));
          list_rows(head, ends.n_sinks, std::min<std::uint64_t>(n_positions, ends.n_ring));
        } else {
          list_rows(head, 0, std::min<std::uint64_t>(n_positions, kv.n_rows));
        }
      }
    }
  }
}

}  // namespace

Result<std::unique_ptr<Arena>> GpuBackend::map_arena(const ArenaPlan& plan) {
  Result<std::unique_ptr<GpuArena>> arena = make_arena(plan);
  if (!arena) return arena.error();
  ++n_allocations_;
  return std::unique_ptr<Arena>(std::move(*arena));
}

Status GpuBackend::load_weight(Arena& arena, const Region& region, const WeightTensor& weight, const ModelFile& file,
                               Arena* upload, const StopToken& stop, const std::function<void(Bytes)>& advance) {
  const Bytes size = weight_bytes(weight, WeightLayout::kGpuPanels);
  CHECK(size <= region.size && region.offset + region.size <= arena.mapped_bytes(), "a weight leaves its region");
  const GpuArena& to = gpu_arena(arena);
  if (!role_is_matrix(weight.role)) {
    const Status put =
        put_bytes(to, region.offset, size, upload, [&](std::byte* place) { return load_vector(weight, file, place); });
    if (put) advance(size);
    return put;
  }
  if (loaders_ == nullptr) loaders_ = std::make_unique<ThreadPool>(usable_cores());
  const PanelFormat format{kGpuPanelRows, gpu_panel(weight.dtype, weight.n_cols).bytes(), pack_gpu_panel};
  const std::uint64_t n_panels = count_panels(weight, format);
  const std::uint64_t at_once = to.mapped() != nullptr ? n_panels : kUploadBytes / format.bytes;
  if (at_once == 0) {
    return Error{ErrorCode::kUnsupported,
                 Message::say("{}: expected rows of {} of at most {} bytes, found {}", driver_.id(), weight.name,
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

// Has `fill` write n_bytes that belong at `offset`: straight into memory that the host reaches, else into the upload
// arena, from where the device copies them. The file is read and the bytes are copied in turns, not at once.
Status GpuBackend::put_bytes(const GpuArena& to, Bytes offset, Bytes n_bytes, Arena* upload,
                             const std::function<Status(std::byte*)>& fill) {
  if (to.mapped() != nullptr) return fill(to.mapped() + offset);
  CHECK(upload != nullptr && n_bytes <= kUploadBytes, "weights cannot reach the device without an upload");
  const GpuArena& through = gpu_arena(*upload);
  if (Status read = fill(through.mapped()); !read) return read;
  return copy("copying weights", {&through, 0, n_bytes}, {&to, offset, n_bytes});
}

Status GpuBackend::clear_arena(Arena& arena, const StopToken& stop, const std::function<void(Bytes)>& advance) {
  const GpuArena& to = gpu_arena(arena);
  for (Bytes at = 0; at < to.mapped_bytes(); at += kClearedBytes) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
    const Bytes n_bytes = std::min(kClearedBytes, to.mapped_bytes() - at);
    if (Status cleared = driver_.clear({&to, at, n_bytes}); !cleared) return cleared;
    advance(n_bytes);
  }
  return ok_status();
}

Status GpuBackend::bind(const Binding& binding) {
  if (Status present = driver_.check_present(); !present) return present;
  step_.reset();
  uploads_.reset();
  loaders_.reset();  // all is loaded
  stopped_ = false;
  answered_ = {};
  Result<std::unique_ptr<GpuStep>> step = make_step(binding);
  if (!step) return step.error();
  step_ = std::move(*step);
  if (step_->bound().stream) {
    Result<std::unique_ptr<GpuUploads>> uploads = driver_.make_uploads(kStreamParts);
    if (!uploads) return uploads.error();
    uploads_ = std::move(*uploads);
  }
  if (Status written = write_balance(driver_, step_->bound(), binding.key_balance); !written) {
    step_.reset();
    return written;
  }
  write_grids(step_->bound());
  // Room for the copies of a slot, and of a checkpoint, which has up to four parts of each layer: steps allocate
  // nothing.
  list_slot_copies(step_->bound(), 0, 0, step_->bound().plan->options.n_ctx, copies_);
  copies_.clear();
  copies_.reserve(4 * step_->bound().model->layers.size());
  return ok_status();
}

// After a stop this starts nothing, as submit() does; wait() then returns kCancelled.
Status GpuBackend::upload_weights(const Op& op, WeightSource& source, const StopToken& stop) {
  if (Status bound = check_bound("upload_weights"); !bound) return bound;
  const GpuBinding& bound = step_->bound();
  CHECK(uploads_ != nullptr && op.needs_weight_upload && op.device == bound.device,
        "an op's weights stand on its device");
  if (stopped_) return ok_status();
  if (Status begun = uploads_->begin(); !begun) return begun;
  for (const TensorRole role : streamed_roles(op.kind)) {
    const std::optional<std::size_t> found = bound.index.find(role, op.layer);
    if (!found) continue;
    const Result<bool> whole = upload_weight(*found, source, stop);
    if (!whole) return whole.error();
    stopped_ = !*whole;
    if (stopped_) return ok_status();
  }
  return uploads_->end();
}

// False: a stop came before the whole weight was started.
Result<bool> GpuBackend::upload_weight(std::size_t index, WeightSource& source, const StopToken& stop) {
  const GpuBinding& bound = step_->bound();
  const WeightTensor& weight = bound.model->weights[index];
  PanelFormat format{1, weight_bytes(weight, WeightLayout::kGpuPanels), nullptr};
  if (role_is_matrix(weight.role))
    format = {kGpuPanelRows, gpu_panel(weight.dtype, weight.n_cols).bytes(), pack_gpu_panel};
  const std::uint64_t n_panels = count_panels(weight, format), at_once = kStreamPartBytes / format.bytes;
  for (std::uint64_t first = 0; first < n_panels; first += at_once) {
    if (stop.stop_requested()) return false;
    const PanelRange range{first, std::min(n_panels, first + at_once)};
    const Bytes n_bytes = (range.last - range.first) * format.bytes;
    const std::uint32_t part = next_part_;
    next_part_ = (next_part_ + 1) % kStreamParts;
    if (Status free = uploads_->wait(part); !free) return free.error();
    const GpuSlice from = bound.stream.part(part * kStreamPartBytes, n_bytes);
    source.copy_panels(static_cast<std::int32_t>(index), format, range, from.mapped());
    const GpuCopy copy{from, bound.weights[index].slice.part(first * format.bytes, n_bytes)};
    if (Status started = uploads_->start(copy, part); !started) return started.error();
  }
  return true;
}

Status GpuBackend::submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) {
  if (Status bound = check_bound("submit"); !bound) return bound;
  if (stopped_ || stop.stop_requested()) {
    stopped_ = true;
    return ok_status();
  }
  const GpuBinding& bound = step_->bound();
  CHECK(subgraph.device == bound.device && subgraph.last_op <= bound.plan->program.ops.size(),
        "a subgraph is of another device or plan");
  CHECK(inputs.exact_from.size() == std::size_t{bound.model->n_layers()} * bound.plan->options.n_slots &&
            inputs.rows.size() <= bound.plan->program.max_rows &&
            inputs.logit_rows.size() <= bound.plan->program.max_logit_rows,
        "a step is larger than planned");
  answered_ = {};
  if (uploads_ != nullptr && bound.plan->program.ops[subgraph.first_op].needs_weight_upload) {
    if (Status marked = uploads_->mark(); !marked) return marked;
  }
  Result<bool> whole = step_->submit(subgraph, inputs, stop);
  if (!whole) return whole.error();
  stopped_ = !*whole;
  if (*whole && bound.has_logits(subgraph)) answered_ = inputs.queries;
  return ok_status();
}

Status GpuBackend::wait_for_step() {
  if (step_ != nullptr && driver_.check_present()) {
    if (Status started = step_->finish_copies(); !started) return started;
  }
  return driver_.wait_idle("computing a step");
}

Status GpuBackend::wait(const StopToken& /*stop*/) {
  if (Status done = wait_for_step(); !done) return done;
  if (std::exchange(stopped_, false)) return Error{ErrorCode::kCancelled, Message::say("the step was stopped")};
  return ok_status();
}

Status GpuBackend::read(BufferId buffer, std::uint32_t first_row, std::span<std::byte> to) {
  if (Status bound = check_bound("read"); !bound) return bound;
  if (Status done = wait({}); !done) return done;
  const GpuBinding& bound = step_->bound();
  if (Status fine = check_copy(side(), buffer, first_row, to.size()); !fine) return fine;
  const Bytes row = bound.plan->program.buffers[buffer].row_bytes();
  const GpuSlice from = bound.buffer(buffer).part(first_row * row, to.size());
  if (from.mapped() != nullptr) {
    std::memcpy(to.data(), from.mapped(), to.size());
    return ok_status();
  }
  const GpuSlice& staging = bound.staging;
  CHECK(staging && to.size() <= staging.size, "the plan's staging is too small for what is read");
  const bool is_in_staging = to.data() >= staging.mapped() && to.data() + to.size() <= staging.mapped() + staging.size;
  const Bytes at = is_in_staging ? static_cast<Bytes>(to.data() - staging.mapped()) : 0;
  const Status copied = copy("copying to the host", from, staging.part(at, to.size()));
  if (copied && !is_in_staging) std::memcpy(to.data(), staging.mapped(), to.size());
  return copied;
}

Status GpuBackend::write(BufferId buffer, std::span<const std::byte> from) {
  if (Status bound = check_bound("write"); !bound) return bound;
  if (Status done = wait_for_step(); !done) return done;
  const GpuBinding& bound = step_->bound();
  if (Status fine = check_copy(side(), buffer, 0, from.size()); !fine) return fine;
  const GpuSlice to = bound.buffer(buffer).part(0, from.size());
  if (to.mapped() != nullptr) {
    std::memcpy(to.mapped(), from.data(), from.size());
    return ok_status();
  }
  const GpuSlice& staging = bound.staging;
  CHECK(staging && from.size() <= staging.size, "the plan's staging is too small for what is written");
  std::memmove(staging.mapped(), from.data(), from.size());
  return step_->copy_in({staging.part(0, from.size()), to});
}

const std::byte* GpuBackend::host_view(BufferId buffer) const {
  return step_ == nullptr ? nullptr : step_->bound().buffer(buffer).mapped();
}

Status GpuBackend::top_k(std::span<CandidateQuery> queries) {
  if (Status bound = check_bound("top_k"); !bound) return bound;
  if (Status done = wait({}); !done) return done;
  const GpuBinding& bound = step_->bound();
  const Bytes row_bytes = bound.model->n_vocab * kF32Bytes;
  for (const CandidateQuery& query : queries) {
    if (Status fine = check_copy(side(), bound.plan->program.logits, query.row, row_bytes); !fine) return fine;
  }
  const std::span<CandidateQuery> answered = std::exchange(answered_, {});
  const bool is_answered = queries.data() == answered.data() && queries.size() == answered.size();
  return is_answered ? step_->read_answers(queries) : step_->top_k(queries);
}

Status GpuBackend::copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                              const StopToken& stop) {
  if (Status bound = check_bound("copy_state"); !bound) return bound;
  const PlanOptions& options = step_->bound().plan->options;
  CHECK(from_slot < options.n_slots && to_slot < options.n_slots && n_positions <= options.n_ctx,
        "a copy of a slot is outside the plan");
  if (from_slot == to_slot) return ok_status();
  if (Status done = wait_for_step(); !done) return done;
  copies_.clear();
  list_slot_copies(step_->bound(), from_slot, to_slot, n_positions, copies_);
  for (std::span<const GpuCopy> rest = copies_; !rest.empty();) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("copying a prompt was stopped")};
    std::size_t n = 0;
    for (Bytes bytes = 0; n < rest.size() && bytes < kSlotBytesAtOnce; ++n) bytes += rest[n].from.size;
    if (Status copied = driver_.copy("copying a slot", rest.first(n)); !copied) return copied;
    rest = rest.subspan(n);
  }
  return ok_status();
}

Status GpuBackend::copy_bytes(std::span<const ArenaCopy> copies) {
  if (Status done = wait({}); !done) return done;
  copies_.clear();
  for (const ArenaCopy& copy : copies) {
    copies_.push_back({{&gpu_arena(*copy.from), copy.from_offset, copy.n_bytes},
                       {&gpu_arena(*copy.to), copy.to_offset, copy.n_bytes}});
  }
  return driver_.copy("copying memory", copies_);
}

CopySide GpuBackend::side() const { return {driver_.id(), step_->bound().plan->program, step_->bound().device}; }

Status GpuBackend::check_bound(const char* call) const {
  if (Status present = driver_.check_present(); !present) return present;
  if (step_ != nullptr) return ok_status();
  return Error{ErrorCode::kUsage, Message::say("{}: {}() before bind()", driver_.id(), std::string_view(call))};
}

Status GpuBackend::copy(std::string_view what, const GpuSlice& from, const GpuSlice& to) {
  const std::array copies{GpuCopy{from, to}};
  return driver_.copy(what, copies);
}

}  // namespace headroom
