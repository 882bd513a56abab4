#include "backend/vulkan/vulkan_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/vulkan/vulkan_attend.h"
#include "base/check.h"

namespace headroom {
namespace {

constexpr std::uint64_t kMostRunning = 2;  // submissions at once

}  // namespace

Result<std::unique_ptr<VulkanStep>> VulkanStep::record(std::shared_ptr<VulkanDevice> device, VulkanPipelines& pipelines,
                                                       VulkanBinding bound, std::span<const std::vector<float>> balance,
                                                       const StopToken& stop) {
  std::unique_ptr<VulkanStep> step(
      new VulkanStep(std::move(device), std::move(bound)));  // NOLINT: the constructor is private
  if (Status fine = step->check_limits(); !fine) return fine.error();
  const Program& program = step->bound_.plan->program;
  std::vector<std::vector<OpPart>> parts;  // as parts_
  std::set<PipelineKey> kernels;
  if (step->has_head()) kernels = VulkanCandidates::kernels();
  for (const RowClass rows : kRowClasses) {
    for (const Op& op : program.ops) {
      std::vector<OpPart>& of_op = parts.emplace_back();
      if (op.device != step->bound_.device || op.kind == OpKind::kTransfer) continue;
      of_op = op_parts(step->bound_, op, rows);
      for (const OpPart& part : of_op) {
        for (const Dispatch& dispatch : part.dispatches) kernels.insert({dispatch.kernel, dispatch.constants});
      }
    }
  }
  if (Status made = pipelines.prepare(kernels, stop); !made) return made.error();
  if (Status recorded = step->record_parts(pipelines, parts); !recorded) return recorded.error();
  if (Status recorded = step->record_candidates(pipelines); !recorded) return recorded.error();
  if (Status written = step->write_balance(balance); !written) return written.error();
  return step;
}

VulkanStep::~VulkanStep() { (void)device_->wait(); }

bool VulkanStep::has_head() const {
  const Program& program = bound_.plan->program;
  return program.buffers[program.ops.back().outputs[0]].device == bound_.device;
}

Status VulkanStep::check_limits() const {
  std::uint64_t n_per_row = 1;  // workgroups of one dispatch, in the dimension of rows
  for (const LayerSpec& each : bound_.model->layers) {
    if (each.has_experts()) n_per_row = std::max<std::uint64_t>(n_per_row, each.n_experts_used);
  }
  if (const std::uint32_t n_rows = bound_.plan->program.max_rows; n_rows * n_per_row > kMostGroups) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}: expected steps of at most {} rows (n_batch and n_slots), found {}", device_->id(),
                             kMostGroups / n_per_row, n_rows)};
  }
  if (!device_->card().skips_long_loops) return ok_status();
  const PlanOptions& options = bound_.plan->options;
  for (std::size_t i = 0; i < bound_.model->layers.size(); ++i) {
    const LayerSpec& layer = bound_.model->layers[i];
    if (bound_.plan->placement.layers[i].attention != bound_.device) continue;
    std::uint64_t most = gpu_most_seen(layer, options);
    if (attend_loops(layer, options, most) <= kMostSoftwareLoops) continue;
    while (attend_loops(layer, options, most) > kMostSoftwareLoops) most -= std::min<std::uint64_t>(most, kKvRowStep);
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}: this driver leaves out what a loop does beyond {} rounds: expected n_ctx of at most "
                             "{}, found {}",
                             device_->id(), kMostSoftwareLoops, most, options.n_ctx)};
  }
  return ok_status();
}

// The factors of balanced keys, which the first copy of a plan lays down once.
Status VulkanStep::write_balance(std::span<const std::vector<float>> balance) {
  const VulkanSlice& to = bound_.scratch.balance;
  if (!to) return ok_status();
  const Bytes row = to.size / bound_.model->n_layers() / kF32Bytes * kF32Bytes;
  for (std::size_t i = 0; i < bound_.model->layers.size(); ++i) {
    if (bound_.plan->placement.layers[i].attention != bound_.device) continue;
    CHECK(i < balance.size() && balance[i].size() == bound_.model->layers[i].kv_dim(),
          "the factors of balanced keys are missing");
    const Bytes bytes = balance[i].size() * kF32Bytes;
    if (to.mapped() != nullptr) {
      std::memcpy(to.mapped() + i * row, balance[i].data(), bytes);
      continue;
    }
    // In pieces, which commands may carry themselves.
    constexpr Bytes kMostCarried = 65536;
    for (Bytes at = 0; at < bytes; at += kMostCarried) {
      const Status done = device_->run_once("copying the balance of keys", [&](VkCommandBuffer commands) {
        vkCmdUpdateBuffer(commands, to.arena->buffer(), to.offset + i * row + at, std::min(kMostCarried, bytes - at),
                          reinterpret_cast<const std::byte*>(balance[i].data()) + at);
      });
      if (!done) return done;
    }
  }
  return ok_status();
}

Status VulkanStep::record_parts(VulkanPipelines& pipelines, const std::vector<std::vector<OpPart>>& parts) {
  std::size_t n_parts = 0, n_dispatches = 0;
  for (const std::vector<OpPart>& of_op : parts) {
    n_parts += of_op.size();
    for (const OpPart& part : of_op) n_dispatches += part.dispatches.size();
  }
  Result<std::unique_ptr<VulkanDescriptors>> descriptors = VulkanDescriptors::open(device_, n_dispatches);
  if (!descriptors) return descriptors.error();
  descriptors_ = std::move(*descriptors);
  Result<std::unique_ptr<VulkanCommands>> commands = VulkanCommands::open(device_, n_parts);
  if (!commands) return commands.error();
  commands_ = std::move(*commands);
  parts_.resize(parts.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const OpPart& part : parts[i]) {
      const Status recorded =
          commands_->record(next, [&](VkCommandBuffer to) { return record_part(pipelines, part, to); });
      if (!recorded) return recorded;
      parts_[i].push_back({(*commands_)[next++], part.first_row, part.products_per_row});
    }
  }
  CHECK(groups_.size() <= bound_.input_layout.max_groups, "the plan has room for too few kinds of dispatch");
  batch_.reserve(n_parts);
  return ok_status();
}

Status VulkanStep::record_candidates(VulkanPipelines& pipelines) {
  if (!has_head()) return ok_status();
  const CandidateSlices slices{
      bound_.model->n_vocab, bound_.buffer(bound_.plan->program.ops.back().outputs[0]), bound_.candidates,
      bound_.inputs,         candidate_scratch(*bound_.model, bound_.plan->options),    bound_.input_layout};
  Result<std::unique_ptr<VulkanCandidates>> recorded = VulkanCandidates::record(device_, pipelines, slices);
  if (!recorded) return recorded.error();
  candidates_ = std::move(*recorded);
  return ok_status();
}

VulkanDescriptors::Buffers VulkanStep::buffers_of(const Dispatch& dispatch) const {
  VulkanDescriptors::Buffers buffers{};
  for (std::uint32_t i = 0; i < kKernelBuffers; ++i) {
    // A binding that the kernel does not use must stand on something.
    const VulkanSlice& slice = dispatch.slices[i] ? dispatch.slices[i] : bound_.inputs;
    CHECK(slice.offset % device_->card().binding_alignment == 0, "a binding begins where the device cannot bind");
    buffers[i] = slice.buffer();
  }
  return buffers;
}

std::uint32_t VulkanStep::group_index(const GroupRule& rule) {
  const auto found = std::find(groups_.begin(), groups_.end(), rule);
  const auto index = static_cast<std::uint32_t>(found - groups_.begin());
  if (found == groups_.end()) groups_.push_back(rule);
  return index;
}

Status VulkanStep::record_part(VulkanPipelines& pipelines, const OpPart& part, VkCommandBuffer commands) {
  for (const Dispatch& dispatch : part.dispatches) {
    if (dispatch.waits) record_barrier(commands);
    Result<VkPipeline> pipeline = pipelines.find(dispatch.kernel, dispatch.constants);
    if (!pipeline) return pipeline.error();
    Result<VkDescriptorSet> set = descriptors_->bind(pipelines, buffers_of(dispatch));
    if (!set) return set.error();
    pipelines.bind(commands, *pipeline, *set, dispatch.push);
    const Bytes at = (bound_.input_layout.groups_at + Bytes{group_index(dispatch.groups)} * kGpuRowWords) * 4;
    vkCmdDispatchIndirect(commands, bound_.inputs.arena->buffer(), bound_.inputs.offset + at);
  }
  return ok_status();
}

// Nothing that reads them runs.
void VulkanStep::write_inputs(const StepInputs& inputs) {
  const GpuInputs& layout = bound_.input_layout;
  auto* words = reinterpret_cast<std::uint32_t*>(bound_.inputs.mapped());
  const auto n_rows = static_cast<std::uint32_t>(inputs.rows.size()),
             n_logit_rows = static_cast<std::uint32_t>(inputs.logit_rows.size());
  words[layout.counts_at] = n_rows;
  words[layout.counts_at + 1] = n_logit_rows;
  for (std::uint32_t i = 0; i < n_rows; ++i) {
    const StepRow& row = inputs.rows[i];
    std::uint32_t* to = words + layout.rows_at + std::size_t{i} * kGpuRowWords;
    to[0] = row.token, to[1] = row.slot, to[2] = row.position, to[3] = 0;
  }
  std::copy(inputs.logit_rows.begin(), inputs.logit_rows.end(), words + layout.logit_rows_at);
  const std::uint32_t n_slots = bound_.plan->options.n_slots;
  for (std::uint32_t layer = 0; layer < bound_.model->n_layers(); ++layer) {
    for (std::uint32_t slot = 0; slot < n_slots; ++slot)
      words[layout.exact_from_at + std::size_t{layer} * n_slots + slot] = inputs.rings->exact_from(layer, slot);
  }
  for (std::uint32_t rope = 0; rope < bound_.ropes.size(); ++rope) {
    const RopeFrequencies& frequencies = bound_.ropes[rope];
    const std::size_t n_pairs = frequencies.per_pair.size();
    auto* to = reinterpret_cast<float*>(words + layout.rope_at(*bound_.model, rope, bound_.plan->program.max_rows));
    for (const StepRow& row : inputs.rows) {
      for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        const float angle = static_cast<float>(row.position) * frequencies.per_pair[pair];  // as models were trained
        to[pair] = std::cos(angle) * frequencies.magnitude;
        to[n_pairs + pair] = std::sin(angle) * frequencies.magnitude;
      }
      to += 2 * n_pairs;
    }
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::uint32_t* to = words + layout.groups_at + i * kGpuRowWords;
    to[0] = groups_[i].x, to[1] = groups_[i].y(n_rows, n_logit_rows), to[2] = groups_[i].z(inputs.rows);
  }
}

Result<bool> VulkanStep::submit(const Segment& segment, const StepInputs& inputs, const StopToken& stop) {
  CHECK(segment.device == bound_.device && segment.last_op <= bound_.plan->program.ops.size(),
        "a segment is of another device or plan");
  CHECK(inputs.rings != nullptr && inputs.rows.size() <= bound_.plan->program.max_rows &&
            inputs.logit_rows.size() <= bound_.plan->program.max_logit_rows,
        "a step is larger than planned");
  if (inputs.number == 0 || inputs.number != written_step_) {
    if (Status idle = device_->wait(); !idle) return idle.error();
    write_inputs(inputs);
    written_step_ = inputs.number;
  }
  double products = 0;
  const auto flush = [&]() -> Result<bool> {
    if (batch_.empty()) return true;
    if (Status room = device_->wait(kMostRunning - 1); !room) return room.error();
    if (stop.stop_requested()) return false;
    if (Status submitted = device_->submit(batch_); !submitted) return submitted.error();
    batch_.clear();
    products = 0;
    return true;
  };
  batch_.clear();
  for (std::uint32_t op = segment.first_op; op < segment.last_op; ++op) {
    const bool is_head = bound_.plan->program.ops[op].kind == OpKind::kLogits;
    const std::size_t n_rows = is_head ? inputs.logit_rows.size() : inputs.rows.size();
    const auto rows = static_cast<std::size_t>(row_class(static_cast<std::uint32_t>(n_rows)));
    for (const Part& part : parts_[rows * bound_.plan->program.ops.size() + op]) {
      if (part.first_row >= n_rows) continue;
      const double more = part.products_per_row * static_cast<double>(n_rows);
      if (products + more > vulkan_faults().most_products) {
        if (Result<bool> flushed = flush(); !flushed || !*flushed) return flushed;
      }
      batch_.push_back(part.commands);
      products += more;
    }
  }
  return flush();
}

}  // namespace headroom
