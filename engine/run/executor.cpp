#include "run/executor.h"

#include <algorithm>
#include <utility>

#include "plan/device_rules.h"
#include "plan/plan_options.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

DeviceIndex cpu_of(const MemoryPlan& plan) { return find_cpu(plan.devices).value(); }

// The device whose staging is used for bytes that leave `device`: a GPU's own page-locked memory, else the CPU's.
DeviceIndex staging_owner(const MemoryPlan& plan, DeviceIndex device) {
  return plan.devices[device].traits.copies_page_locked ? device : cpu_of(plan);
}

// The staging region of a device, as host memory; empty where the plan has none.
std::span<std::byte> find_staging(const MemoryPlan& plan, std::span<Arena* const> arenas, DeviceIndex owner) {
  const std::optional<RegionRef> found = find_region(plan, owner, RegionKind::kStaging);
  if (!found) return {};
  Arena* arena = arenas[found->arena];
  CHECK(arena != nullptr && arena->host_address() != nullptr, "staging is host memory of the session");
  const Region& region = plan.arenas[found->arena].regions[found->region];
  return {arena->host_address() + region.offset, region.size};
}

// The weights that the CPU holds, in the panels of a GPU.
class CpuPanels final : public WeightSource {
 public:
  explicit CpuPanels(Backend& backend) : backend_(backend) {}
  void copy_panels(std::int32_t weight, const PanelFormat& format, PanelRange range, std::byte* to) override {
    backend_.copy_panels(weight, format, range, to);
  }

 private:
  Backend& backend_;
};

Status check_logit_row(std::uint32_t row, std::size_t n_logit_rows) {
  if (row < n_logit_rows) return ok_status();
  return Error{ErrorCode::kUsage, Message::say("logits of row {}: the step leaves {} rows of them", row, n_logit_rows)};
}

Status check_step(const ModelInfo& model, const MemoryPlan& plan, std::span<const StepRow> rows,
                  std::span<const std::uint32_t> logit_rows) {
  const Program& program = plan.program;
  const PlanOptions& options = plan.options;
  if (rows.empty() || rows.size() > program.max_rows || logit_rows.size() > program.max_logit_rows) {
    return Error{ErrorCode::kUsage,
                 Message::say("a step of {} rows and {} logit rows: planned for 1 to {} and at most {}", rows.size(),
                              logit_rows.size(), program.max_rows, program.max_logit_rows)};
  }
  for (const StepRow& row : rows) {
    if (row.token < model.n_vocab && row.slot < options.n_slots && row.position < options.n_ctx) continue;
    return Error{
        ErrorCode::kUsage,
        Message::say(
            "token {} at position {} of slot {}: the vocabulary has {}, the context {}, and there are {} slots",
            row.token, row.position, row.slot, model.n_vocab, options.n_ctx, options.n_slots)};
  }
  for (const std::uint32_t row : logit_rows) {
    if (row >= rows.size())
      return Error{ErrorCode::kUsage, Message::say("logits of row {} in a step of {}", row, rows.size())};
  }
  return ok_status();
}

}  // namespace

Executor::Executor(const ModelInfo& model, const MemoryPlan& plan, const Backends& backends)
    : model_(model),
      plan_(plan),
      backends_(backends),
      subgraphs_(cut_subgraphs(plan.program)),
      streamed_subgraphs_(cut_subgraphs(plan.program, ExecutionMode::kStreamed)),
      rings_(model, plan.options),
      step_seconds_(plan.devices.size()),
      decode_times_{0, 0, std::vector<double>(plan.devices.size())} {}

Result<std::unique_ptr<Executor>> Executor::open(const ModelInfo& model, const MemoryPlan& plan,
                                                 const Backends& backends, std::span<Arena* const> arenas,
                                                 std::span<const std::vector<float>> key_balance,
                                                 const StopToken& stop) {
  std::unique_ptr<Executor> made(new Executor(model, plan, backends));  // NOLINT: the constructor is private
  if (Status bound = made->bind(arenas, key_balance, stop); !bound) return bound.error();
  for (DeviceIndex device = 0; device < plan.devices.size(); ++device)
    made->staging_.push_back(find_staging(plan, arenas, staging_owner(plan, device)));
  if (!made->streamed_subgraphs_.empty()) made->weight_source_ = std::make_unique<CpuPanels>(*backends[cpu_of(plan)]);
  const DeviceIndex owner = staging_owner(plan, made->head_device());
  made->logits_at_ =
      staging_layout(model, plan.devices, plan.options, plan.placement, plan.streaming, owner).logits_offset;
  return made;
}

Status Executor::bind(std::span<Arena* const> arenas, std::span<const std::vector<float>> key_balance,
                      const StopToken& stop) {
  std::vector<Arena*> own(arenas.size());
  for (DeviceIndex device = 0; device < backends_.size(); ++device) {
    if (backends_[device] == nullptr) continue;
    for (std::size_t i = 0; i < arenas.size(); ++i) own[i] = plan_.arenas[i].mapped_by == device ? arenas[i] : nullptr;
    const Binding binding{&model_, &plan_, device, own, key_balance, stop};
    if (Status bound = backends_[device]->bind(binding); !bound) return bound;
  }
  return ok_status();
}

Status Executor::step(std::span<const StepRow> rows, std::span<const std::uint32_t> logit_rows, const StopToken& stop,
                      std::span<CandidateQuery> queries) {
  if (Status sane = check_step(model_, plan_, rows, logit_rows); !sane) return sane;
  for (const CandidateQuery& query : queries) {
    if (Status there = check_logit_row(query.row, logit_rows.size()); !there) return there;
  }
  rings_.advance(rows);
  n_logit_rows_ = 0;
  if (Status done = run({rows, logit_rows, rings_.exact_from(), ++n_steps_, first_group(queries)}, stop); !done) {
    settle();
    return done;
  }
  if (rows.size() == 1 && logit_rows.size() == 1) {
    ++decode_times_.n_steps;
    decode_times_.n_positions += rows.front().position + 1;
    for (std::size_t i = 0; i < step_seconds_.size(); ++i) decode_times_.seconds[i] += step_seconds_[i];
  }
  n_logit_rows_ = logit_rows.size();
  Status answered = top_k(queries);
  if (!answered) n_logit_rows_ = 0;
  return answered;
}

DecodeTimes Executor::take_decode_times() {
  return std::exchange(decode_times_, {0, 0, std::vector<double>(plan_.devices.size())});
}

// Counts the time since the last call, or since the step began, as spent on `device`: the host was waiting for it.
void Executor::charge_time(DeviceIndex device) {
  const auto now = std::chrono::steady_clock::now();
  step_seconds_[device] += std::chrono::duration<double>(now - spent_until_).count();
  spent_until_ = now;
}

Status Executor::run(const StepInputs& inputs, const StopToken& stop) {
  std::fill(step_seconds_.begin(), step_seconds_.end(), 0.0);
  spent_until_ = std::chrono::steady_clock::now();
  const std::vector<DeviceSubgraph>& subgraphs = subgraphs_for(inputs.rows);
  // The next upload starts before the host waits for the running ops, so that copying and computing overlap. Example:
  // layer 7's gate and up start their upload before the residual of layer 6 is waited for. `next` is the first subgraph
  // whose weights have not been uploaded.
  auto next = subgraphs.begin();
  const auto needs_upload_first = [&](const DeviceSubgraph& subgraph) {
    return plan_.program.ops[subgraph.first_op].needs_weight_upload;
  };
  for (auto subgraph = subgraphs.begin(); subgraph != subgraphs.end(); ++subgraph) {
    const auto upload_next = std::find_if(subgraph, subgraphs.end(), needs_upload_first);
    const bool is_due = upload_next == subgraph || !subgraph->transfers.empty();
    if (is_due && upload_next >= next && upload_next != subgraphs.end()) {
      if (Status begun = upload(*upload_next, stop); !begun) return begun;
      next = upload_next + 1;
    }
    for (const std::uint32_t transfer : subgraph->transfers) {
      if (Status crossed = cross(plan_.program.ops[transfer], inputs.rows.size(), stop); !crossed) return crossed;
    }
    if (Status begun = backends_[subgraph->device]->submit(*subgraph, inputs, stop); !begun) return begun;
  }
  const DeviceIndex last = subgraphs.back().device;
  Status done = backends_[last]->wait(stop);
  charge_time(last);
  return done;
}

// Weights are streamed for prompts. A decode step of many slots has many rows, too, but answers wait for each of them:
// what counts are the rows of slots that have more of them than an answer with its drafts.
const std::vector<DeviceSubgraph>& Executor::subgraphs_for(std::span<const StepRow> rows) const {
  std::size_t n_of_prompts = 0;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    while (last < rows.size() && rows[last].slot == rows[first].slot) ++last;
    if (last - first > plan_.options.n_draft + std::size_t{1}) n_of_prompts += last - first;
    first = last;
  }
  return execution_mode_of(plan_.streaming, n_of_prompts) == ExecutionMode::kStreamed ? streamed_subgraphs_
                                                                                      : subgraphs_;
}

Status Executor::upload(const DeviceSubgraph& subgraph, const StopToken& stop) {
  return backends_[subgraph.device]->upload_weights(plan_.program.ops[subgraph.first_op], *weight_source_, stop);
}

// A transfer copies a buffer of one device to a buffer of another: through staging, unless the host can read the first.
Status Executor::cross(const Op& transfer, std::size_t n_rows, const StopToken& stop) {
  const Buffer& to = plan_.program.buffers[transfer.outputs[0]];
  const DeviceIndex from = plan_.program.buffers[transfer.inputs[0]].device;
  Backend& source = *backends_[from];
  Backend& target = *backends_[to.device];
  const Bytes n_bytes = n_rows * to.row_bytes();
  if (Status made = source.wait(stop); !made) return made;
  std::span<const std::byte> bytes(source.host_view(transfer.inputs[0]), n_bytes);
  if (bytes.data() == nullptr) {
    CHECK(n_bytes <= staging_[from].size(), "the plan's staging is too small for what crosses");
    if (Status read = source.read(transfer.inputs[0], 0, staging_[from].first(n_bytes)); !read) return read;
    bytes = staging_[from].first(n_bytes);
  }
  charge_time(from);
  bytes_crossed_ += n_bytes;
  Status written = target.write(transfer.outputs[0], bytes);
  charge_time(to.device);
  return written;
}

// The queries that a device answers at once.
std::span<CandidateQuery> Executor::first_group(std::span<CandidateQuery> queries) const {
  return queries.first(std::min<std::size_t>(candidate_rows(plan_.options), queries.size()));
}

Status Executor::top_k(std::span<CandidateQuery> queries) {
  for (const CandidateQuery& query : queries) {
    if (Status there = check_logit_row(query.row, n_logit_rows_); !there) return there;
  }
  while (!queries.empty()) {
    const std::span<CandidateQuery> group = first_group(queries);
    if (Status found = head().top_k(group); !found) return found;
    queries = queries.subspan(group.size());
  }
  return ok_status();
}

Result<std::span<const float>> Executor::logits(std::uint32_t row) {
  if (Status there = check_logit_row(row, n_logit_rows_); !there) return there.error();
  ++n_rows_read_;
  const Bytes row_bytes = Bytes{model_.n_vocab} * sizeof(float);
  const std::byte* bytes = head().host_view(plan_.program.logits);
  if (bytes != nullptr) {
    bytes += row * row_bytes;
  } else {
    const std::span<std::byte> staging = staging_[head_device()];
    CHECK(logits_at_ + row_bytes <= staging.size(), "the plan's staging is too small for a row of logits");
    const std::span<std::byte> to = staging.subspan(logits_at_, row_bytes);
    if (Status read = head().read(plan_.program.logits, row, to); !read) return read.error();
    bytes = to.data();
  }
  return std::span<const float>(reinterpret_cast<const float*>(bytes), model_.n_vocab);
}

// After a failure: waits for every backend, so that none still reads the inputs of this step.
void Executor::settle() {
  for (const auto& backend : backends_) {
    if (backend != nullptr) (void)backend->wait({});
  }
}

Status Executor::copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions,
                            const StopToken& stop) {
  const PlanOptions& options = plan_.options;
  if (from_slot >= options.n_slots || to_slot >= options.n_slots || n_positions > options.n_ctx) {
    return Error{ErrorCode::kUsage, Message::say("{} positions of slot {} to slot {}: there are {} slots of {}",
                                                 n_positions, from_slot, to_slot, options.n_slots, options.n_ctx)};
  }
  for (const auto& backend : backends_) {
    if (backend == nullptr) continue;
    if (Status copied = backend->copy_state(from_slot, to_slot, n_positions, stop); !copied) return copied;
  }
  rings_.copy(from_slot, to_slot);
  return ok_status();
}

}  // namespace headroom
