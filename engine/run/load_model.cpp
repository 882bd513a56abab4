#include "run/load_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/heap.h"
#include "model/model_fingerprint.h"
#include "plan/device_rules.h"
#include "run/memory_request.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressInterval = std::chrono::milliseconds(50);
// Loads of models with 4 to 8 layers left 43 to 48 KiB beside the tokenizer; templates of real models are longer.
constexpr Bytes kHeapBytes = 128 * kKiB, kHeapBytesPerLayer = 4 * kKiB;

Status check_same_model(const ModelInfo& info, const MemoryPlan& plan) {
  const std::uint64_t found = model_fingerprint(info);
  if (found == plan.model_fingerprint) return ok_status();
  return Error{ErrorCode::kUsage,
               Message::say("the plan was made for another model: expected one of fingerprint {}, found {} of {}",
                            fmt::format("{:016x}", plan.model_fingerprint), info.name, fmt::format("{:016x}", found))};
}

// Another program may have taken memory since the plan was made.
Status check_plan_fits_now(const LoadedModel& model) {
  const MemoryPlan& plan = *model.plan;
  const Result<std::vector<MemoryRequest>> asks = read_memory_requests(
      model.backends, [&](DeviceIndex device) { return plan.peak_bytes(device); }, [](DeviceIndex) { return Bytes{0}; },
      [&](DeviceIndex device) { return plan.devices[device].driver_bytes; });
  return asks ? check_fits_now(plan, *asks) : Status(asks.error());
}

// What carries weights to each device, (devices); null where none is needed.
using Uploads = std::vector<std::unique_ptr<Arena>>;

Result<Uploads> map_uploads(const LoadedModel& model) {
  Uploads uploads(model.backends.size());
  for (const ArenaPlan& plan : model.plan->arenas) {
    if (plan.lifetime != Lifetime::kLoad) continue;
    Result<std::unique_ptr<Arena>> arena = model.backends[plan.mapped_by]->map_arena(plan);
    if (!arena) return arena.error();
    uploads[plan.mapped_by] = std::move(*arena);
  }
  return uploads;
}

Status fill_arena(LoadedModel& model, std::size_t index, Arena* upload, const ModelFile& file, const StopToken& stop,
                  const Advance& advance) {
  const ArenaPlan& plan = model.plan->arenas[index];
  for (const Region& region : plan.regions) {
    if (region.kind != RegionKind::kWeights) continue;
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
    const WeightTensor& weight = model.info->weights[static_cast<std::size_t>(region.weight)];
    Backend& backend = *model.backends[plan.device];
    if (Status status = backend.load_weight(*model.arenas[index], region, weight, file, upload, stop, advance); !status)
      return status;
  }
  return ok_status();
}

}  // namespace

// Beside the tokenizer: the template, and what backends and the session keep for each layer.
Result<ModelInfo> describe_model(const ModelFile& file) {
  Result<ModelInfo> info = read_model_info(file);
  if (!info) return info;
  info->heap_bytes = estimate_tokenizer_bytes(file) + kHeapBytes + info->n_layers() * kHeapBytesPerLayer;
  info->longest_token_bytes = longest_token_bytes(file);
  return info;
}

Result<TextParts> read_text_parts(const ModelFile& file, const StopToken& stop) {
  TextParts parts;
  if (file.find("tokenizer.ggml.model") == nullptr) {
    parts.template_problem = Message::say("the file has no tokenizer (tokenizer.ggml.model)");
    return parts;
  }
  Result<std::unique_ptr<const Tokenizer>> tokenizer = read_tokenizer(file);
  if (!tokenizer) return tokenizer.error();
  parts.tokenizer = std::move(*tokenizer);
  parts.chat_prompt = std::make_shared<const ChatPromptWriter>(ChatPromptWriter::read(file, *parts.tokenizer, stop));
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
  parts.template_problem = parts.chat_prompt->problem();
  return parts;
}

LoadMeter::LoadMeter(Bytes total, std::function<void(LoadProgress)> tell)
    : total_(total), told_(Clock::now()), tell_(std::move(tell)) {
  tell_({0, total_});
}

void LoadMeter::advance(Bytes bytes) {
  done_ = std::min(total_, done_ + bytes);
  const Clock::time_point now = Clock::now();
  if (now - told_ < kProgressInterval) return;
  told_ = now;
  tell_({done_, total_});
}

void LoadMeter::finish() { tell_({total_, total_}); }

// Each weight as often as the plan places it.
Bytes bytes_to_load(const ModelInfo& info, const MemoryPlan& plan) {
  Bytes total = 0;
  for (const ArenaPlan& arena : plan.arenas) {
    const WeightLayout layout = plan.devices[arena.device].traits.weight_layout;
    for (const Region& region : arena.regions) {
      if (region.kind == RegionKind::kWeights)
        total += weight_bytes(info.weights[static_cast<std::size_t>(region.weight)], layout);
    }
  }
  return total;
}

Bytes bytes_to_open(const MemoryPlan& plan) {
  Bytes total = 0;
  for (const ArenaPlan& arena : plan.arenas) total += arena.lifetime == Lifetime::kSession ? arena.size : 0;
  return total;
}

Result<std::shared_ptr<LoadedModel>> prepare_model(const ModelFile& file, const LoadInputs& inputs,
                                                   const StopToken& stop) {
  if (Status same = check_same_model(*inputs.info, *inputs.plan); !same) return same.error();
  const HeapMeter heap;
  Result<TextParts> text = read_text_parts(file, stop);
  if (!text) return text.error();
  const Bytes text_bytes = heap.taken();
  Result<Backends> backends = make_backends(*inputs.plan, inputs.make_backend);
  if (!backends) return backends.error();
  auto model = std::make_shared<LoadedModel>();
  model->backends = std::move(*backends);
  model->info = inputs.info;
  model->plan = inputs.plan;
  model->balance = std::make_shared<LoadedBalance>(inputs.info, file.path());
  model->tokenizer = std::move(text->tokenizer);
  model->chat_prompt = std::move(text->chat_prompt);
  model->template_problem = std::move(text->template_problem);
  model->arenas.resize(inputs.plan->arenas.size());
  model->heap_bytes = heap.taken();
  model->text_bytes = text_bytes;
  return model;
}

Status fill_model(LoadedModel& model, const ModelFile& file, const StopToken& stop, const Advance& advance) {
  const Clock::time_point start = Clock::now();
  if (Status fits = check_plan_fits_now(model); !fits) return fits;
  const Result<Uploads> uploads = map_uploads(model);
  if (!uploads) return uploads.error();
  for (std::size_t i = 0; i < model.plan->arenas.size(); ++i) {
    const ArenaPlan& plan = model.plan->arenas[i];
    if (plan.lifetime != Lifetime::kModel) continue;
    Result<std::unique_ptr<Arena>> arena = model.backends[plan.device]->map_arena(plan);
    if (!arena) return arena.error();
    model.arenas[i] = std::move(*arena);
    if (Status filled = fill_arena(model, i, (*uploads)[plan.device].get(), file, stop, advance); !filled)
      return filled;
  }
  // Only now: weights stay in no heap, and reading them may take minutes, in which others allocate.
  const HeapMeter heap;
  if (model.balance) {
    if (const auto balance = model.balance->of(*model.plan, &file, stop); !balance) return balance.error();
  }
  model.heap_bytes += heap.taken();
  model.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return ok_status();
}

Result<std::shared_ptr<const LoadedModel>> load_model(const ModelFile& file, const LoadInputs& inputs,
                                                      const StopToken& stop, const Advance& advance) {
  Result<std::shared_ptr<LoadedModel>> model = prepare_model(file, inputs, stop);
  if (!model) return model.error();
  if (Status filled = fill_model(**model, file, stop, advance); !filled) return filled.error();
  return std::shared_ptr<const LoadedModel>(std::move(*model));
}

Result<std::shared_ptr<const LoadedModel>> share_weights(const LoadedModel& model, const BackendFactory& make_backend) {
  for (const auto& arena : model.arenas) {
    if (arena != nullptr && arena->mapped_bytes() > 0 && arena->host_address() == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   Message::say("the weights of {} do not all stand in host memory: two sessions cannot share them",
                                model.info->name)};
    }
  }
  Result<Backends> backends = make_backends(*model.plan, make_backend);
  if (!backends) return backends.error();
  auto second = std::make_shared<LoadedModel>(model);
  second->backends = std::move(*backends);
  return std::shared_ptr<const LoadedModel>(std::move(second));
}

}  // namespace headroom
