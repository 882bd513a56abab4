#include "backend/cuda/cuda_step.h"

#include <utility>

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/kernel_limits.h"
#include "backend/gpu/gpu_attend.h"
#include "base/check.h"

namespace headroom {
namespace {

// Launches of the first of two graphs. The host takes about a microsecond for each launch of a graph, a card three to
// thirty: while it computes these the host starts the hundreds of others.
constexpr std::size_t kFirstLaunches = 24;

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
  if (Status fine = check_step_rows(step->bound_, step->device_->id()); !fine) return fine.error();
  if (Status found = step->find_parts(stop); !found) return found.error();
  if (Status made = step->prepare_inputs(); !made) return made.error();
  if (Status made = step->make_events(); !made) return made.error();
  if (Status captured = step->capture_graphs(); !captured) return captured.error();
  return step;
}

CudaStep::~CudaStep() {
  (void)device_->wait_idle("computing a step");
  if (!device_->has_context()) return;
  const cuda::Driver& driver = device_->driver();
  for (const Graph& graph : graphs_) {
    for (const cuda::CUgraphExec part : graph.parts) driver.cuGraphExecDestroy(part);
  }
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
      if (op.device != bound_.device || op.kind == OpKind::kTransfer || !has_steps_of(program, rows)) continue;
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
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

Status CudaStep::prepare_inputs() {
  Result<CudaInputCopy> copy = CudaInputCopy::prepare(device_);
  if (!copy) return copy.error();
  copy_ = std::move(*copy);
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
  for (const DeviceSubgraph& subgraph : cut_subgraphs(bound_.plan->program)) {
    if (subgraph.device != bound_.device) continue;
    if (Status captured = capture(subgraph, graphs_.empty()); !captured) return captured;
  }
  return device_->wait_idle("recording a step");
}

Status CudaStep::capture(const DeviceSubgraph& subgraph, bool copies_inputs) {
  Graph& graph = graphs_.emplace_back(Graph{subgraph.first_op, copies_inputs, find_arrival(subgraph), {}});
  const std::uint32_t middle = end_of_first_part(subgraph);
  for (const OpRange& ops : {OpRange{subgraph.first_op, middle}, OpRange{middle, subgraph.last_op}}) {
    if (ops.first == ops.last) continue;
    const Result<cuda::CUgraphExec> part = capture_part(subgraph, graph, ops);
    if (!part) return part.error();
    graph.parts.push_back(*part);
    // What a driver takes for it is taken now.
    if (const auto made = device_->driver().cuGraphUpload(*part, device_->stream()); made != cuda::CUDA_SUCCESS)
      return device_->failed("recording a step", made);
  }
  return ok_status();
}

// All of it, where as much again does not follow.
std::uint32_t CudaStep::end_of_first_part(const DeviceSubgraph& subgraph) const {
  std::uint32_t end = subgraph.first_op;
  std::size_t n_first = 0, n_others = 0;
  for (std::uint32_t op = subgraph.first_op; op < subgraph.last_op; ++op) {
    for (const Part& part : parts_of(op, 1)) (n_first < kFirstLaunches ? n_first : n_others) += part.launches.size();
    if (n_others == 0) end = op + 1;
  }
  return n_others >= kFirstLaunches ? end : subgraph.last_op;
}

Result<cuda::CUgraphExec> CudaStep::capture_part(const DeviceSubgraph& subgraph, const Graph& graph,
                                                 const OpRange& ops) {
  const cuda::Driver& driver = device_->driver();
  cuda::CUresult made = driver.cuStreamBeginCapture_v2(device_->stream(), cuda::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (made != cuda::CUDA_SUCCESS) return device_->failed("recording a step", made);
  const Status recorded = start_all_of(subgraph, graph, ops);
  cuda::CUgraph captured = nullptr;
  cuda::CUgraphExec exec = nullptr;
  made = driver.cuStreamEndCapture(device_->stream(), &captured);
  if (made == cuda::CUDA_SUCCESS && recorded) made = driver.cuGraphInstantiateWithFlags(&exec, captured, 0);
  if (captured != nullptr) driver.cuGraphDestroy(captured);
  if (!recorded) return recorded.error();
  if (made != cuda::CUDA_SUCCESS) return device_->failed("recording a step", made);
  return exec;
}

// Absent where nothing arrives by copy_in(), or more than one buffer does.
std::optional<GpuCopy> CudaStep::find_arrival(const DeviceSubgraph& subgraph) const {
  if (subgraph.transfers.size() != 1 || !bound_.staging) return std::nullopt;
  const Program& program = bound_.plan->program;
  const BufferId buffer = program.ops[subgraph.transfers.front()].outputs[0];
  const Bytes row = program.buffers[buffer].row_bytes();
  return GpuCopy{bound_.staging.part(0, row), bound_.buffer(buffer).part(0, row)};
}

// What a part of a graph has.
Status CudaStep::start_all_of(const DeviceSubgraph& subgraph, const Graph& graph, const OpRange& ops) {
  if (ops.first == subgraph.first_op) {
    const std::size_t n_rows = graph.copies_inputs ? 1 : 0, n_queries = candidates_ != nullptr ? n_rows : 0;
    if (Status started = start_inputs(n_rows, n_queries, graph.arrival); !started) return started;
  }
  for (std::uint32_t op = ops.first; op < ops.last; ++op) {
    for (const Part& part : parts_of(op, 1)) {
      for (const Launch& each : part.launches) {
        const GridSize& groups = each.groups;
        // Blocks of splits that a short context does not have end at once.
        const CudaDevice::Grid grid{groups.x, groups.y(1, 1), groups.splits ? groups.splits->most(1) : 1};
        if (Status started = launch(each, grid); !started) return started;
      }
    }
  }
  return ops.last == subgraph.last_op && bound_.has_logits(subgraph) ? candidates_->start(1) : ok_status();
}

std::span<const CudaStep::Part> CudaStep::parts_of(std::size_t op, std::size_t n_rows) const {
  const auto rows = static_cast<std::size_t>(row_class(static_cast<std::uint32_t>(n_rows)));
  return parts_[rows * bound_.plan->program.ops.size() + op];
}

const CudaStep::Graph* CudaStep::find_graph(const DeviceSubgraph& subgraph, const StepInputs& inputs) const {
  if (inputs.rows.size() != 1 || inputs.logit_rows.size() != 1 || inputs.queries.size() > 1) return nullptr;
  for (const Graph& graph : graphs_) {
    // One that copies what has arrived is of use only where it has.
    if (graph.first_op == subgraph.first_op) return !graph.arrival || graph.arrival == arrival_ ? &graph : nullptr;
  }
  return nullptr;
}

Status CudaStep::write(const StepInputs& inputs) {
  if (Status idle = device_->wait_idle("computing a step"); !idle) return idle;
  write_inputs(bound_, inputs);
  // Also where nothing is asked: a graph looks for queries.
  if (candidates_ != nullptr) candidates_->host().write_queries(inputs.queries);
  written_step_ = inputs.number;
  return ok_status();
}

// What the host has written for so many rows reaches the device, with what has arrived from another one.
Status CudaStep::start_inputs(std::size_t n_rows, std::size_t n_queries, const std::optional<GpuCopy>& arrival) {
  const GpuInputs& layout = bound_.input_layout;
  std::array<GpuCopy, cuda::kMostInputCopies> copies;
  std::size_t n = 0;
  const auto add_words = [&](std::uint64_t first, std::uint64_t n_words) {
    CHECK(n + 2 < copies.size(), "a model turns heads in more ways than there is room for");
    copies[n++] = {bound_.inputs.part(first * 4, n_words * 4), bound_.scratch.inputs.part(first * 4, n_words * 4)};
  };
  if (n_rows > 0 && bound_.scratch.inputs) {
    add_words(0, layout.rows_at + n_rows * kGpuRowWords);
    add_words(layout.logit_rows_at, layout.ropes_at - layout.logit_rows_at);
    for (std::uint32_t rope = 0; rope < bound_.ropes.size(); ++rope) {
      add_words(layout.rope_at(*bound_.model, rope, bound_.plan->program.max_rows),
                n_rows * bound_.model->ropes[rope].rope_dim);
    }
  }
  if (n_queries > 0) {
    if (const std::optional<GpuCopy> queries = candidates_->copy_of_queries(n_queries)) copies[n++] = *queries;
  }
  if (arrival) copies[n++] = *arrival;
  return copy_->start(std::span(copies).first(n));
}

Status CudaStep::copy_in(const GpuCopy& copy) {
  CHECK(!arrival_, "what arrived before is still to be copied from the same place");
  arrival_ = copy;
  return ok_status();
}

Status CudaStep::finish_copies() {
  if (!arrival_) return ok_status();
  return device_->start_copy("copying from the host", *std::exchange(arrival_, std::nullopt));
}

Result<bool> CudaStep::submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) {
  const bool is_new = inputs.number == 0 || inputs.number != written_step_;
  if (is_new) {
    if (Status written = write(inputs); !written) return written.error();
  }
  const Graph* graph = find_graph(subgraph, inputs);
  if (graph != nullptr && graph->arrival) {
    arrival_.reset();
  } else if (Status started = finish_copies(); !started) {
    return started.error();
  }
  const std::size_t n_queries = candidates_ != nullptr ? inputs.queries.size() : 0;
  if (is_new && (graph == nullptr || !graph->copies_inputs)) {
    if (Status started = start_inputs(inputs.rows.size(), n_queries, std::nullopt); !started) return started.error();
  }
  const cuda::Driver& driver = device_->driver();
  if (graph != nullptr) {
    for (const cuda::CUgraphExec part : graph->parts) {
      const cuda::CUresult started = driver.cuGraphLaunch(part, device_->stream());
      if (started != cuda::CUDA_SUCCESS) return device_->failed("submitting work", started);
    }
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
  if (bound_.has_logits(subgraph) && n_queries > 0) {
    if (Status started = candidates_->start(n_queries); !started) return started.error();
  }
  return true;
}

Status CudaStep::read_answers(std::span<CandidateQuery> queries) {
  CHECK(candidates_ != nullptr, "logits are here and nobody looks for candidates");
  return candidates_->host().read_answers(device_->id(), queries);
}

Status CudaStep::top_k(std::span<CandidateQuery> queries) {
  CHECK(candidates_ != nullptr, "logits are here and nobody looks for candidates");
  return candidates_->find(queries);
}

}  // namespace headroom
