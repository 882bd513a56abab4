#include "backend/vulkan/vulkan_step.h"

#include <algorithm>
#include <utility>

#include "backend/gpu/gpu_attend.h"
#include "base/check.h"

namespace headroom {
namespace {

constexpr std::uint64_t kMostRunning = 2;  // submissions at once

}  // namespace

Result<std::unique_ptr<VulkanStep>> VulkanStep::record(std::shared_ptr<VulkanDevice> device, VulkanPipelines& pipelines,
                                                       GpuBinding bound, const StopToken& stop) {
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
      if (op.device != step->bound_.device || op.kind == OpKind::kTransfer || !has_steps_of(program, rows)) continue;
      of_op = op_parts(step->bound_, op, rows);
      for (const OpPart& part : of_op) {
        for (const Dispatch& dispatch : part.dispatches) kernels.insert({dispatch.kernel, dispatch.constants});
      }
    }
  }
  if (Status made = pipelines.prepare(kernels, stop); !made) return made.error();
  if (Status recorded = step->record_parts(pipelines, parts); !recorded) return recorded.error();
  if (Status recorded = step->record_candidates(pipelines); !recorded) return recorded.error();
  return step;
}

VulkanStep::~VulkanStep() { (void)device_->wait("computing a step"); }

bool VulkanStep::has_head() const {
  const Program& program = bound_.plan->program;
  return program.buffers[program.logits].device == bound_.device;
}

Status VulkanStep::check_limits() const {
  if (Status fine = check_step_rows(bound_, device_->id()); !fine) return fine;
  if (!device_->card().skips_long_loops) return ok_status();
  const PlanOptions& options = bound_.plan->options;
  for (std::size_t i = 0; i < bound_.model->layers.size(); ++i) {
    const LayerSpec& layer = bound_.model->layers[i];
    if (!layer.has_attention() || bound_.plan->placement.layers[i].attention != bound_.device) continue;
    const auto is_skipped = [&](std::uint64_t n_keys) {
      return attend_loops(layer, options, bound_.arithmetic.attend, n_keys) > kMostSoftwareLoops;
    };
    std::uint64_t most = gpu_most_seen(layer, options);
    if (!is_skipped(most)) continue;
    while (is_skipped(most)) most -= std::min<std::uint64_t>(most, kKvRowStep);
    return Error{ErrorCode::kUnsupported,
                 Message::say("{}: this driver leaves out what a loop does beyond {} rounds: expected n_ctx of at most "
                              "{}, found {}",
                              device_->id(), kMostSoftwareLoops, most, options.n_ctx)};
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
  batch_.reserve(n_parts + 2);  // what arrives from another device before them, and the candidates behind
  return ok_status();
}

Status VulkanStep::record_candidates(VulkanPipelines& pipelines) {
  if (!has_head()) return ok_status();
  Result<std::unique_ptr<VulkanCandidates>> recorded =
      VulkanCandidates::record(device_, pipelines, candidate_slices(bound_));
  if (!recorded) return recorded.error();
  candidates_ = std::move(*recorded);
  return ok_status();
}

VulkanDescriptors::Buffers VulkanStep::buffers_of(const Dispatch& dispatch) const {
  VulkanDescriptors::Buffers buffers{};
  for (std::uint32_t i = 0; i < kKernelBuffers; ++i) {
    // A binding that the kernel does not use must stand on something.
    const GpuSlice& slice = dispatch.slices[i] ? dispatch.slices[i] : bound_.inputs;
    CHECK(slice.offset % device_->card().binding_alignment == 0, "a binding begins where the device cannot bind");
    buffers[i] = binding_of(slice);
  }
  return buffers;
}

std::uint32_t VulkanStep::group_index(const GridSize& rule) {
  const auto found = std::find(groups_.begin(), groups_.end(), rule);
  const auto index = static_cast<std::uint32_t>(found - groups_.begin());
  if (found == groups_.end()) groups_.push_back(rule);
  return index;
}

Status VulkanStep::record_part(VulkanPipelines& pipelines, const OpPart& part, VkCommandBuffer commands) {
  for (const Dispatch& dispatch : part.dispatches) {
    if (dispatch.needs_barrier) record_barrier(commands);
    Result<VkPipeline> pipeline = pipelines.find(dispatch.kernel, dispatch.constants);
    if (!pipeline) return pipeline.error();
    Result<VkDescriptorSet> set = descriptors_->bind(pipelines, buffers_of(dispatch));
    if (!set) return set.error();
    pipelines.bind(commands, *pipeline, *set, dispatch.push);
    const Bytes at = (bound_.input_layout.groups_at + Bytes{group_index(dispatch.groups)} * kGpuRowWords) * 4;
    vkCmdDispatchIndirect(commands, buffer_of(bound_.inputs), bound_.inputs.offset + at);
  }
  return ok_status();
}

// Nothing that reads them runs.
void VulkanStep::write_groups(const StepInputs& inputs) {
  auto* words = reinterpret_cast<std::uint32_t*>(bound_.inputs.mapped());
  const auto n_rows = static_cast<std::uint32_t>(inputs.rows.size()),
             n_logit_rows = static_cast<std::uint32_t>(inputs.logit_rows.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::uint32_t* to = words + bound_.input_layout.groups_at + i * kGpuRowWords;
    to[0] = groups_[i].x, to[1] = groups_[i].y(n_rows, n_logit_rows), to[2] = groups_[i].z(inputs.rows);
  }
}

Status VulkanStep::copy_in(const GpuCopy& copy) {
  CHECK(arrival_ == VK_NULL_HANDLE, "what arrived before is still to be copied from the same place");
  const auto recorded = device_->record_once("copying from the host", [&](VkCommandBuffer commands) {
    const VkBufferCopy region{copy.from.offset, copy.to.offset, copy.from.size};
    vkCmdCopyBuffer(commands, buffer_of(copy.from), buffer_of(copy.to), 1, &region);
  });
  if (!recorded) return recorded.error();
  arrival_ = *recorded;
  return ok_status();
}

Status VulkanStep::finish_copies() {
  const VkCommandBuffer commands = std::exchange(arrival_, VK_NULL_HANDLE);
  return commands == VK_NULL_HANDLE ? ok_status() : device_->submit({&commands, 1});
}

Status VulkanStep::top_k(std::span<CandidateQuery> queries) {
  CHECK(candidates_ != nullptr, "logits are here and nobody looks for candidates");
  return candidates_->find(queries);
}

Status VulkanStep::read_answers(std::span<CandidateQuery> queries) {
  CHECK(candidates_ != nullptr, "logits are here and nobody looks for candidates");
  return candidates_->host().read_answers(device_->id(), queries);
}

Result<bool> VulkanStep::submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) {
  if (inputs.number == 0 || inputs.number != written_step_) {
    if (Status idle = device_->wait("computing a step"); !idle) return idle.error();
    write_inputs(bound_, inputs);
    write_groups(inputs);
    if (candidates_ != nullptr && !inputs.queries.empty()) candidates_->host().write_queries(inputs.queries);
    written_step_ = inputs.number;
  }
  double products = 0;
  const auto flush = [&]() -> Result<bool> {
    if (batch_.empty()) return true;
    if (Status room = device_->wait("computing a step", kMostRunning - 1); !room) return room.error();
    if (stop.stop_requested()) return false;
    if (Status submitted = device_->submit(batch_); !submitted) return submitted.error();
    batch_.clear();
    products = 0;
    return true;
  };
  batch_.clear();
  if (arrival_ != VK_NULL_HANDLE) batch_.push_back(std::exchange(arrival_, VK_NULL_HANDLE));
  for (std::uint32_t op = subgraph.first_op; op < subgraph.last_op; ++op) {
    const bool is_head = bound_.plan->program.ops[op].kind == OpKind::kLogits;
    const std::size_t n_rows = is_head ? inputs.logit_rows.size() : inputs.rows.size();
    const auto rows = static_cast<std::size_t>(row_class(static_cast<std::uint32_t>(n_rows)));
    for (const Part& part : parts_[rows * bound_.plan->program.ops.size() + op]) {
      if (part.first_row >= n_rows) continue;
      const double more = part.products_per_row * static_cast<double>(n_rows);
      if (products + more > bound_.arithmetic.most_products) {
        if (Result<bool> flushed = flush(); !flushed || !*flushed) return flushed;
      }
      batch_.push_back(part.commands);
      products += more;
    }
  }
  if (bound_.has_logits(subgraph) && !inputs.queries.empty()) batch_.push_back(candidates_->commands());
  return flush();
}

}  // namespace headroom
