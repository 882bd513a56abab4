#include "run/load_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "format/dtype_table.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressInterval = std::chrono::milliseconds(50);

// Counts bytes and tells about them at most 20 times a second.
class Progress {
 public:
  Progress(Bytes total, Backend& backend, const LoadObserver& tell) : total_(total), backend_(backend), tell_(tell) {
    tell_({0, total_}, backend_);
  }

  void advance(Bytes bytes) {
    done_ = std::min(total_, done_ + bytes);
    const Clock::time_point now = Clock::now();
    if (now - told_ < kProgressInterval) return;
    told_ = now;
    tell_({done_, total_}, backend_);
  }
  void finish() { tell_({total_, total_}, backend_); }

 private:
  Bytes total_, done_ = 0;
  Backend& backend_;
  Clock::time_point told_ = Clock::now();
  const LoadObserver& tell_;
};

// The one device that all arenas of a loadable plan stand on.
Result<DeviceIndex> single_device(const MemoryPlan& plan) {
  CHECK(!plan.arenas.empty(), "a plan without arenas");
  const DeviceIndex first = plan.arenas.front().device;
  for (const ArenaPlan& arena : plan.arenas) {
    const DeviceInfo& device = plan.devices[arena.device];
    if (!device.is_present) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format("the plan places {} on {}, which is not in this machine: it can be planned for, not loaded on",
                      format_bytes(arena.size), device.name)};
    }
    if (arena.device != first) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the plan splits the model over {} and {}; this build loads on one device",
                               plan.devices[first].name, device.name)};
    }
  }
  return first;
}

// A plan belongs to the model that it was made for: each weight region must be of the size that this file's weight
// takes.
Status check_same_model(const ModelInfo& info, const MemoryPlan& plan) {
  std::size_t n_regions = 0;
  for (const ArenaPlan& arena : plan.arenas) {
    for (const Region& region : arena.regions) {
      if (region.kind != RegionKind::kWeights) continue;
      ++n_regions;
      const auto weight = static_cast<std::size_t>(region.weight);
      if (weight >= info.weights.size() ||
          weight_bytes(info.weights[weight], weight_layout(plan.devices[arena.device].kind)) > region.size ||
          info.weights[weight].dtype != region.dtype) {
        return Error{ErrorCode::kUsage,
                     fmt::format("the plan was made for another model: it expects {} as {} bytes of {}", region.name,
                                 region.size, dtype_row(region.dtype).label)};
      }
    }
  }
  if (n_regions < info.weights.size()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the plan was made for another model: it holds {} weights, the file has {}", n_regions,
                             info.weights.size())};
  }
  return ok_status();
}

// Bytes of all weights, each as often as the plan places it.
Bytes loaded_bytes(const ModelInfo& info, const MemoryPlan& plan) {
  Bytes total = 0;
  for (const ArenaPlan& arena : plan.arenas) {
    const WeightLayout layout = weight_layout(plan.devices[arena.device].kind);
    for (const Region& region : arena.regions) {
      if (region.kind == RegionKind::kWeights)
        total += weight_bytes(info.weights[static_cast<std::size_t>(region.weight)], layout);
    }
  }
  return total;
}

Status fill_arena(LoadedModel& model, std::size_t index, const ModelFile& file, const StopToken& stop,
                  Progress& progress) {
  for (const Region& region : model.plan->arenas[index].regions) {
    if (region.kind != RegionKind::kWeights) continue;
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "loading was cancelled"};
    const WeightTensor& weight = model.info->weights[static_cast<std::size_t>(region.weight)];
    const auto advance = [&](Bytes bytes) { progress.advance(bytes); };
    if (Status status = model.backend->load_weight(*model.arenas[index], region, weight, file, stop, advance); !status)
      return status;
  }
  return ok_status();
}

}  // namespace

Result<TextParts> read_text_parts(const ModelFile& file) {
  TextParts parts;
  if (file.find("tokenizer.ggml.model") == nullptr) {
    parts.template_problem = "the file has no tokenizer (tokenizer.ggml.model)";
    return parts;
  }
  Result<std::unique_ptr<const Tokenizer>> tokenizer = read_tokenizer(file);
  if (!tokenizer) return tokenizer.error();
  parts.tokenizer = std::move(*tokenizer);
  parts.chat_prompt = std::make_shared<const ChatPromptWriter>(ChatPromptWriter::read(file, *parts.tokenizer));
  parts.template_problem = parts.chat_prompt->problem();
  return parts;
}

Status check_fits_now(const DeviceInfo& device, const HeadroomRule& rule, Bytes asked, Bytes held,
                      const MemorySample& now) {
  Bytes limit = now.free;
  std::string rule_text;
  if (const auto* keep = std::get_if<KeepFree>(&rule); keep != nullptr && keep->bytes > 0) {
    limit -= std::min(limit, keep->bytes);
    rule_text = fmt::format(", of which {} are to stay free", format_bytes(keep->bytes));
  } else if (const auto* most = std::get_if<AtMost>(&rule)) {
    limit = std::min(limit, most->bytes - std::min(most->bytes, held));
    rule_text =
        fmt::format(", and at most {} may be used, {} of them in use", format_bytes(most->bytes), format_bytes(held));
  }
  if (asked <= limit) return ok_status();
  const Bytes used = now.total - std::min(now.total, now.free);
  const Bytes ours = std::min(used, now.ours);
  return Error{
      ErrorCode::kDoesNotFit,
      fmt::format("{}: asked for {} ({} bytes), free {} ({} bytes){}; of {} Headroom holds {}, other programs {}",
                  device.id, format_bytes(asked), asked, format_bytes(now.free), now.free, rule_text,
                  format_bytes(now.total), format_bytes(ours), format_bytes(used - ours))};
}

Result<std::shared_ptr<const LoadedModel>> load_model(const ModelFile& file, const LoadInputs& inputs,
                                                      const StopToken& stop, const LoadObserver& on_progress) {
  const Clock::time_point start = Clock::now();
  const MemoryPlan& plan = *inputs.plan;
  if (Status same = check_same_model(*inputs.info, plan); !same) return same.error();
  const Result<DeviceIndex> device_index = single_device(plan);
  if (!device_index) return device_index.error();
  const DeviceInfo& device = plan.devices[*device_index];

  Result<TextParts> text = read_text_parts(file);
  if (!text) return text.error();
  Result<std::unique_ptr<Backend>> backend = inputs.make_backend(device);
  if (!backend) return backend.error();

  auto model = std::make_shared<LoadedModel>();
  model->backend = std::move(*backend);
  model->info = inputs.info;
  model->plan = inputs.plan;
  model->tokenizer = std::move(text->tokenizer);
  model->chat_prompt = std::move(text->chat_prompt);
  model->template_problem = std::move(text->template_problem);
  model->arenas.resize(plan.arenas.size());

  const Result<MemorySample> now = model->backend->sample_memory();
  if (!now) return now.error();
  if (Status fits = check_fits_now(device, plan.options.headroom,
                                   plan.planned_bytes(*device_index) + device.driver_bytes, 0, *now);
      !fits) {
    return fits.error();
  }
  Progress progress(loaded_bytes(*inputs.info, plan), *model->backend, on_progress);
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    if (plan.arenas[i].lifetime != Lifetime::kModel) continue;
    Result<std::unique_ptr<Arena>> arena = model->backend->map_arena(plan.arenas[i]);
    if (!arena) return arena.error();
    model->arenas[i] = std::move(*arena);
    if (Status filled = fill_arena(*model, i, file, stop, progress); !filled) return filled.error();
  }
  progress.finish();
  model->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::shared_ptr<const LoadedModel>(std::move(model));
}

Result<std::shared_ptr<const LoadedModel>> share_weights(const LoadedModel& model, const BackendFactory& make_backend) {
  const DeviceInfo& device = model.backend->device_info();
  if (device.kind != DeviceKind::kCpu) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the weights on {} cannot be shared by two sessions", device.name)};
  }
  Result<std::unique_ptr<Backend>> backend = make_backend(device);
  if (!backend) return backend.error();
  auto second = std::make_shared<LoadedModel>(model);
  second->backend = std::move(*backend);
  return std::shared_ptr<const LoadedModel>(std::move(second));
}

}  // namespace headroom
