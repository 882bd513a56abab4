#include "support/reference_model.h"

#include <algorithm>
#include <utility>

#include "model/key_balance.h"
#include "program/subgraphs.h"

namespace headroom::test {
namespace {

constexpr Bytes kDeviceBytes = Bytes{1} << 40;  // room for any test

}  // namespace

Result<std::unique_ptr<ReferenceModel>> ReferenceModel::open(const std::filesystem::path& path, PlanOptions options,
                                                             std::uint32_t n_last_layers) {
  Result<ModelFile> file = open_model_file(path);
  if (!file) return file.error();
  Result<ModelInfo> info = read_model_info(*file);
  if (!info) return info.error();
  // The planner wants a CPU among the devices, which keeps the embedding unless a device shares its memory. These loops
  // take its place: a weight in rows is never larger than in panels.
  std::vector<DeviceInfo> devices{make_cpu_device("stands for the CPU", kDeviceBytes, kDeviceBytes, 1)};
  devices.push_back(reference_devices("1024GiB")->front());
  devices[1].has_unified_memory = n_last_layers == kAllLayers;
  options.devices = {{1}};
  options.n_gpu_layers = static_cast<std::int32_t>(std::min(n_last_layers, info->n_layers()));
  Result<MemoryPlan> plan = plan_memory(*info, devices, options);
  if (!plan) return plan.error();
  std::unique_ptr<ReferenceModel> model(new ReferenceModel(std::move(*file), std::move(*info), std::move(*plan)));
  Result<std::vector<std::vector<float>>> balance = read_key_balance(model->info_, model->file_);
  if (!balance) return balance.error();
  model->key_balance_ = std::move(*balance);
  for (DeviceIndex device = 0; device < devices.size(); ++device) {
    if (Status loaded = model->load(device); !loaded) return loaded.error();
  }
  return model;
}

Status ReferenceModel::load(DeviceIndex index) {
  DeviceInfo info = plan_.devices[index];
  info.kind = DeviceKind::kReference;
  info.id = "reference:" + std::to_string(index);
  Part& part = parts_.emplace_back();
  part.device = std::make_shared<ReferenceDevice>(info.id, kDeviceBytes);
  Result<std::unique_ptr<Backend>> backend = make_reference_backend(info, part.device);
  if (!backend) return backend.error();
  part.backend = std::move(*backend);
  std::vector<Arena*> arenas;
  for (const ArenaPlan& arena : plan_.arenas) {
    arenas.push_back(nullptr);
    if (arena.device != index) continue;
    Result<std::unique_ptr<Arena>> mapped = part.backend->map_arena(arena);
    if (!mapped) return mapped.error();
    arenas.back() = part.arenas.emplace_back(std::move(*mapped)).get();
    for (const Region& region : arena.regions) {
      if (region.kind != RegionKind::kWeights) continue;
      const WeightTensor& weight = info_.weights[static_cast<std::size_t>(region.weight)];
      if (Status loaded = part.backend->load_weight(*arenas.back(), region, weight, file_, nullptr, {}, [](Bytes) {});
          !loaded)
        return loaded;
    }
  }
  return part.backend->bind(
      {.model = &info_, .plan = &plan_, .device = index, .arenas = arenas, .key_balance = key_balance_});
}

Status ReferenceModel::transfer(const Op& op, std::size_t n_rows) {
  const Buffer &from = plan_.program.buffers[op.inputs[0]], &to = plan_.program.buffers[op.outputs[0]];
  staging_.resize(n_rows * from.row_bytes());
  if (Status read = backend(from.device).read(op.inputs[0], 0, staging_); !read) return read;
  crossed_bytes_ += staging_.size();
  return backend(to.device).write(op.outputs[0], staging_);
}

Result<std::vector<float>> ReferenceModel::step(std::span<const StepRow> rows,
                                                std::span<const std::uint32_t> logit_rows, const StopToken& stop) {
  rings_.advance(rows);
  const StepInputs inputs{rows, logit_rows, rings_.exact_from()};
  for (const DeviceSubgraph& subgraph : cut_subgraphs(plan_.program)) {
    for (const std::uint32_t op : subgraph.transfers) {
      if (Status moved = transfer(plan_.program.ops[op], rows.size()); !moved) return moved.error();
    }
    if (Status submitted = backend(subgraph.device).submit(subgraph, inputs, stop); !submitted)
      return submitted.error();
  }
  const BufferId source = plan_.program.logits;
  Backend& head = backend(plan_.program.buffers[source].device);
  if (Status done = head.wait(stop); !done) return done.error();
  std::vector<float> logits(logit_rows.size() * info_.n_vocab);
  if (Status read = head.read(source, 0, std::as_writable_bytes(std::span(logits))); !read) return read.error();
  return logits;
}

Status ReferenceModel::copy_state(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions) {
  for (const Part& part : parts_) {
    if (part.arenas.empty()) continue;
    if (Status copied = part.backend->copy_state(from_slot, to_slot, n_positions, {}); !copied) return copied;
  }
  rings_.copy(from_slot, to_slot);
  return ok_status();
}

}  // namespace headroom::test
