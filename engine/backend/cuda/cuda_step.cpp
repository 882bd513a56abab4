#include "backend/cuda/cuda_step.h"

#include <fmt/format.h>

#include "backend/cuda/cuda_arena.h"
#include "backend/gpu/gpu_attend.h"
#include "base/check.h"

namespace headroom {
namespace {

// Those that do not wait for the one before them go with it where its kernel allows that.
std::vector<CudaLaunch> launches_of(const OpPart& part) {
  std::vector<CudaLaunch> launches;
  for (const Dispatch& dispatch : part.dispatches) {
    CudaLaunch made = cuda_launch(dispatch);
    for (std::size_t i = 0; i < made.buffers.size(); ++i) {
      if (dispatch.slices[i]) made.buffers[i] = address_of(dispatch.slices[i]);
    }
    if (!dispatch.needs_barrier && !launches.empty() && launches.back().takes_beside(made)) {
      launches.back().beside.push_back(std::move(made));
    } else {
      launches.push_back(std::move(made));
    }
  }
  return launches;
}

}  // namespace

Result<std::unique_ptr<CudaStep>> CudaStep::prepare(std::shared_ptr<CudaDevice> device, GpuBinding bound,
                                                    const StopToken& stop) {
  std::unique_ptr<CudaStep> step(new CudaStep(std::move(device), std::move(bound)));  // NOLINT: it is private
  if (Status found = step->find_parts(stop); !found) return found.error();
  if (Status made = step->prepare_candidates(); !made) return made.error();
  if (Status made = step->make_events(); !made) return made.error();
  if (Status captured = step->capture_graphs(); !captured) return captured.error();
  return step;
}

CudaStep::~CudaStep() {
  (void)device_->wait_idle("computing a step");
  if (!device_->has_context()) return;
  const cuda::Driver& driver = device_->driver();
  for (const Graph& graph : graphs_) driver.cuGraphExecDestroy(graph.exec);
  for (const cuda::CUevent event : done_) {
    if (event != nullptr) driver.cuEventDestroy_v2(event);
  }
}

bool CudaStep::has_head() const {
  const Program& program = bound_.plan->program;
  return program.buffers[program.logits].device == bound_.device;
}

Status CudaStep::find_parts(const StopToken& stop) {
  const Program& program = bound_.plan->program;
  for (const RowClass rows : kRowClasses) {
    for (const Op& op : program.ops) {
      std::vector<Part>& of_op = parts_.emplace_back();
      if (op.device != bound_.device || op.kind == OpKind::kTransfer) continue;
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "loading was cancelled"};
      for (const OpPart& part : op_parts(bound_, op, rows)) {
        Part& to = of_op.emplace_back();
        to.first_row = part.first_row;
        to.products_per_row = part.products_per_row;
        for (const CudaLaunch& made : launches_of(part)) {
          const Result<cuda::CUfunction> function = device_->find_kernel(made.entry);
          if (!function) return function.error();
          GridSize groups = made.groups;
          groups.x = made.blocks_across();
          to.launches.push_back({*function, made.n_threads, made.params(), groups});
        }
      }
    }
  }
  return ok_status();
}

Status CudaStep::prepare_candidates() {
  if (!has_head()) return ok_status();
  Result<std::unique_ptr<CudaCandidates>> made = CudaCandidates::prepare(device_, candidate_slices(bound_));
  if (!made) return made.error();
  candidates_ = std::move(*made);
  return ok_status();
}

Status CudaStep::make_events() {
  for (cuda::CUevent& event : done_) {
    const cuda::CUresult made = device_->driver().cuEventCreate(&event, cuda::CU_EVENT_DISABLE_TIMING);
    if (made != cuda::CUDA_SUCCESS) return device_->failed("making an event", made);
  }
  return ok_status();
}

Status CudaStep::launch(const Launch& launch, const CudaDevice::Grid& grid) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return ok_status();
  return device_->launch("submitting work", launch.function, grid, launch.n_threads, launch.params);
}

Status CudaStep::capture_graphs() {
  if (!device_->uses_graphs()) return ok_status();
  const cuda::Driver& driver = device_->driver();
  for (const DeviceSubgraph& subgraph : cut_subgraphs(bound_.plan->program)) {
    if (subgraph.device != bound_.device) continue;
    cuda::CUresult made = driver.cuStreamBeginCapture_v2(device_->stream(), cuda::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (made != cuda::CUDA_SUCCESS) return device_->failed("recording a step", made);
    Status recorded = ok_status();
    for (std::uint32_t op = subgraph.first_op; op < subgraph.last_op && recorded; ++op) {
      for (const Part& part : parts_of(op, 1)) {
        for (const Launch& each : part.launches) {
          const GridSize& groups = each.groups;
          // Blocks of splits that a short context does not have end at once.
          if (recorded) recorded = launch(each, {groups.x, groups.y(1, 1), groups.splits ? groups.splits->most(1) : 1});
        }
      }
    }
    cuda::CUgraph graph = nullptr;
    made = driver.cuStreamEndCapture(device_->stream(), &graph);
    cuda::CUgraphExec exec = nullptr;
    if (made == cuda::CUDA_SUCCESS && recorded) made = driver.cuGraphInstantiateWithFlags(&exec, graph, 0);
    if (graph != nullptr) driver.cuGraphDestroy(graph);
    if (!recorded) return recorded;
    if (made != cuda::CUDA_SUCCESS) return device_->failed("recording a step", made);
    graphs_.push_back({subgraph.first_op, exec});
    // What a driver takes for it is taken now.
    made = driver.cuGraphUpload(exec, device_->stream());
    if (made != cuda::CUDA_SUCCESS) return device_->failed("recording a step", made);
  }
  return device_->wait_idle("recording a step");
}

std::span<const CudaStep::Part> CudaStep::parts_of(std::size_t op, std::size_t n_rows) const {
  const auto rows = static_cast<std::size_t>(row_class(static_cast<std::uint32_t>(n_rows)));
  return parts_[rows * bound_.plan->program.ops.size() + op];
}

const CudaStep::Graph* CudaStep::find_graph(const DeviceSubgraph& subgraph, const StepInputs& inputs) const {
  if (inputs.rows.size() != 1 || inputs.logit_rows.size() != 1) return nullptr;
  for (const Graph& graph : graphs_) {
    if (graph.first_op == subgraph.first_op) return &graph;
  }
  return nullptr;
}

// Some words of the inputs reach the device.
Status CudaStep::start_words(std::uint64_t first, std::uint64_t n_words) {
  if (!bound_.scratch.inputs || n_words == 0) return ok_status();
  return device_->start_copy(
      {bound_.inputs.part(first * 4, n_words * 4), bound_.scratch.inputs.part(first * 4, n_words * 4)});
}

Status CudaStep::start_inputs(const StepInputs& inputs) {
  const GpuInputs& layout = bound_.input_layout;
  if (Status idle = device_->wait_idle("computing a step"); !idle) return idle;
  write_inputs(bound_, inputs);
  if (Status started = start_words(0, layout.ropes_at); !started) return started;
  for (std::uint32_t rope = 0; rope < bound_.ropes.size(); ++rope) {
    const std::uint64_t at = layout.rope_at(*bound_.model, rope, bound_.plan->program.max_rows);
    if (Status started = start_words(at, inputs.rows.size() * bound_.model->ropes[rope].rope_dim); !started)
      return started;
  }
  written_step_ = inputs.number;
  return ok_status();
}

Result<bool> CudaStep::submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) {
  if (inputs.number == 0 || inputs.number != written_step_) {
    if (Status started = start_inputs(inputs); !started) return started.error();
  }
  const cuda::Driver& driver = device_->driver();
  if (const Graph* graph = find_graph(subgraph, inputs)) {
    const cuda::CUresult started = driver.cuGraphLaunch(graph->exec, device_->stream());
    if (started != cuda::CUDA_SUCCESS) return device_->failed("submitting work", started);
    return true;
  }
  const auto n_rows = static_cast<std::uint32_t>(inputs.rows.size()),
             n_logit_rows = static_cast<std::uint32_t>(inputs.logit_rows.size());
  double products = 0;
  for (std::uint32_t op = subgraph.first_op; op < subgraph.last_op; ++op) {
    const bool is_head = bound_.plan->program.ops[op].kind == OpKind::kLogits;
    const std::uint32_t n_of_op = is_head ? n_logit_rows : n_rows;
    for (const Part& part : parts_of(op, n_of_op)) {
      if (part.first_row >= n_of_op) continue;
      const double more = part.products_per_row * n_of_op;
      if (products + more > bound_.arithmetic.most_products && products > 0) {
        const cuda::CUevent mark = done_[n_submitted_ % done_.size()];
        if (n_submitted_ >= done_.size()) {
          if (Status done = device_->wait_for("computing a step", mark); !done) return done.error();
        }
        if (stop.stop_requested()) return false;
        if (const cuda::CUresult marked = driver.cuEventRecord(mark, device_->stream()); marked != cuda::CUDA_SUCCESS)
          return device_->failed("submitting work", marked);
        ++n_submitted_;
        products = 0;
      }
      products += more;
      for (const Launch& each : part.launches) {
        const GridSize& groups = each.groups;
        if (Status started = launch(each, {groups.x, groups.y(n_rows, n_logit_rows), groups.z(inputs.rows)}); !started)
          return started.error();
      }
    }
  }
  return true;
}

Status CudaStep::top_k(std::span<CandidateQuery> queries) {
  CHECK(candidates_ != nullptr, "logits are here and nobody looks for candidates");
  return candidates_->find(queries);
}

}  // namespace headroom
