#include "model/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/message_parts.h"
#include "file/show_name.h"
#include "format/ggml_types.h"
#include "model/arch_table.h"

namespace headroom {
namespace {

// "1026.4 billion", "428 million", "96 thousand".
std::string parameters_text(std::uint64_t n) {
  const auto count = static_cast<double>(n);
  if (count >= 1e9) return fmt::format("{:.1f} billion", count * 1e-9);
  return count >= 1e6 ? fmt::format("{:.0f} million", count * 1e-6) : fmt::format("{:.0f} thousand", count * 1e-3);
}

std::string size_text(const TensorSums& weights) {
  return fmt::format("{} parameters in {} of weights", parameters_text(weights.n_elems), format_bytes(weights.n_bytes));
}

// A sentence on each type of weights that could not be computed with either, each with a blank before it.
std::string foreign_types_text(const ModelFile& file) {
  std::set<std::uint32_t> types;
  for (const TensorInfo& tensor : file.tensors())
    if (!tensor.dtype) types.insert(tensor.file_type);
  std::string text;
  for (const std::uint32_t type : types)
    text += fmt::format(" {}: this version cannot compute with these either.", foreign_type_text(file, type));
  return text;
}

// "2.14 GiB for 32768 tokens and 8.58 GiB for the 131072 that it was trained with".
std::string contexts_text(const RefusedModel& model) {
  constexpr std::uint32_t kExample = 32768;
  const auto bytes_text = [&](std::uint32_t n_ctx) {
    const std::optional<Bytes> bytes = model.kv_bytes(n_ctx);
    return bytes ? format_bytes(*bytes) : "more than 64 bits can count";
  };
  const std::string example = fmt::format("{} for {} tokens", bytes_text(kExample), kExample);
  if (model.n_ctx_trained == 0) return fmt::format("{} ({})", example, model.n_ctx_unknown);
  const std::string trained = fmt::format("{} for the {} tokens that it was trained with",
                                          bytes_text(model.n_ctx_trained), model.n_ctx_trained);
  return model.n_ctx_trained <= kExample ? trained : example + " and " + trained;
}

std::string cache_text(const RefusedModel& model) {
  if (!model.has_cache()) return fmt::format(" What its KV cache takes cannot be told: {}.", model.cache_unknown);
  std::string text =
      fmt::format(" Its KV cache would take {} a token as F16", format_bytes(model.kv_bytes_per_token()));
  const auto kept = std::ranges::find_if(model.cache, [](const CachedRows& rows) { return rows.n_positions > 0; });
  if (kept != model.cache.end()) {
    text += fmt::format(", beside {} a token in layers that keep the newest {} alone", format_bytes(kept->row_bytes),
                        kept->n_positions);
  }
  return text + ": " + contexts_text(model) + ".";
}

std::string state_text(const RefusedModel& model) {
  if (!model.state_unknown.empty())
    return fmt::format(" What its layers without a cache keep cannot be told: {}.", model.state_unknown);
  if (model.state_bytes == 0) return {};
  return fmt::format(" Its layers without a cache would keep a state of {} for each request at a time.",
                     format_bytes(model.state_bytes));
}

}  // namespace

std::string missing_part_text(const RefusedArch& arch, std::uint32_t latent_elems) {
  const std::string row = fmt::format("latent attention (MLA), one cached row{} for K and V that all heads share",
                                      latent_elems > 0 ? fmt::format(" of {} values", latent_elems) : "");
  switch (arch.part) {
    case MissingPart::kLatentAttention: return row;
    case MissingPart::kIndexedLatent:
      return row + ", and an indexer that chooses the positions that a token attends to";
    case MissingPart::kIndexedAttention:
      return "attention to positions that an indexer chooses, several residual streams, and embeddings of runs of "
             "tokens";
    case MissingPart::kCompressedCache:
      return "attention to rows that each stand for several positions, an indexer that chooses them, and several "
             "residual streams";
    case MissingPart::kMamba2:
      return arch.has_ffn_layers
                 ? "Mamba2 layers, which keep a state of fixed size in the place of a KV cache, and layers that are an "
                   "FFN alone"
                 : "Mamba2 layers, which keep a state of fixed size in the place of a KV cache";
    case MissingPart::kChunkedAttention:
      return "attention in chunks, of which a token sees its own alone, and experts whose input is weighed";
  }
  return {};
}

Error architecture_refusal(const ModelFile& file) {
  const std::optional<RefusedModel> model = read_refused_model(file);
  CHECK(model, "the architecture has a row");
  const std::string path = file.path().string(),
                    details = fmt::format("It has {}.{}", size_text(model->weights), foreign_types_text(file));
  if (model->arch == nullptr) {
    const std::string sentence = fmt::format(
        "{}: metadata 'general.architecture': {} is not supported: it needs a row in arch_table, and ops if it "
        "computes something that {} do not",
        path, show_name(model->architecture), arch_names());
    return {ErrorCode::kUnsupported, with_details(sentence, details)};
  }
  const std::string sentence = fmt::format("{}: {} cannot run in this version: the architecture {} ({}) needs {}", path,
                                           model->name, show_name(model->architecture), model->arch->models,
                                           missing_part_text(*model->arch, model->latent_elems));
  return {ErrorCode::kUnsupported, with_details(sentence, details + cache_text(*model) + state_text(*model))};
}

Error projector_refusal(const ModelFile& file) {
  const auto has = [&](std::string_view key) {
    const auto found = file.find_bool(key);
    return found && found->value_or(false);
  };
  const bool hears = has("clip.has_audio_encoder"), sees = !hears || has("clip.has_vision_encoder");
  const std::string_view what = !hears ? "images" : sees ? "images and sound" : "sound";
  const std::string sentence = fmt::format(
      "{}: holds the part of a model that reads {} (a projector), not the model itself", file.path().string(), what);
  const std::string details = fmt::format(
      "Open the model's own file instead: with text it works without this one, and this version reads no {}. This file "
      "has {}.",
      sees && hears ? "images or sound" : what, size_text(sum_tensors(file)));
  return {ErrorCode::kUnsupported, with_details(sentence, details)};
}

std::string foreign_type_text(const ModelFile& file, std::uint32_t file_type) {
  std::size_t n_tensors = 0;
  Bytes n_bytes = 0, all_bytes = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    all_bytes += tensor.n_bytes;
    if (tensor.file_type != file_type) continue;
    ++n_tensors;
    n_bytes += tensor.n_bytes;
  }
  const std::string_view meaning = ggml_type_meaning(file_type);
  return fmt::format("{} of {} tensors ({} of {}) {} {}{}{}", n_tensors, file.tensors().size(), format_bytes(n_bytes),
                     format_bytes(all_bytes), n_tensors == 1 ? "is" : "are", find_ggml_type(file_type)->name,
                     meaning.empty() ? "" : ", ", meaning);
}

}  // namespace headroom
