#include "model/refusal.h"

#include <algorithm>
#include <set>

#include "file/show_name.h"
#include "format/ggml_types.h"
#include "model/arch_table.h"

namespace headroom {
namespace {

// "1026.4 billion parameters in 2 TiB of weights".
Message size_words(const TensorSums& weights) {
  const auto count = static_cast<double>(weights.n_elems);
  const Message::Amount size = amount(weights.n_bytes);
  if (count >= 1e9) return Message::say("{} billion parameters in {} of weights", decimal(count * 1e-9, 1), size);
  if (count >= 1e6) return Message::say("{} million parameters in {} of weights", decimal(count * 1e-6, 0), size);
  return Message::say("{} thousand parameters in {} of weights", decimal(count * 1e-3, 0), size);
}

// A sentence on each type of weights that could not be computed with either.
void add_foreign_types(const ModelFile& file, std::vector<Message>& details) {
  std::set<std::uint32_t> types;
  for (const TensorInfo& tensor : file.tensors())
    if (!tensor.dtype) types.insert(tensor.file_type);
  for (const std::uint32_t type : types)
    details.push_back(
        Message::say("{}: this version cannot compute with these either.", foreign_type_words(file, type)));
}

// "2.14 GiB for 32768 tokens and 8.58 GiB for the 131072 that it was trained with".
Message contexts_words(const RefusedModel& model) {
  constexpr std::uint32_t kExample = 32768;
  const auto bytes_words = [&](std::uint32_t n_ctx) {
    const std::optional<Bytes> bytes = model.kv_bytes(n_ctx);
    return bytes ? Message::say("{}", amount(*bytes)) : Message::say("more than 64 bits can count");
  };
  const Message example = Message::say("{} for {} tokens", bytes_words(kExample), kExample);
  if (model.n_ctx_trained == 0) return Message::say("{} ({})", example, model.n_ctx_unknown);
  const Message trained = Message::say("{} for the {} tokens that it was trained with",
                                       bytes_words(model.n_ctx_trained), model.n_ctx_trained);
  return model.n_ctx_trained <= kExample ? trained : Message::say("{} and {}", example, trained);
}

Message cache_words(const RefusedModel& model) {
  if (!model.has_cache()) return Message::say("What its KV cache takes cannot be told: {}.", model.cache_unknown);
  const Message::Amount a_token = amount(model.kv_bytes_per_token());
  const auto kept = std::ranges::find_if(model.cache, [](const CachedRows& rows) { return rows.n_positions > 0; });
  if (kept == model.cache.end())
    return Message::say("Its KV cache would take {} a token as F16: {}.", a_token, contexts_words(model));
  return Message::say(
      "Its KV cache would take {} a token as F16, beside {} a token in layers that keep the newest {} alone: {}.",
      a_token, amount(kept->row_bytes), kept->n_positions, contexts_words(model));
}

void add_state(const RefusedModel& model, std::vector<Message>& details) {
  if (!model.state_unknown.empty()) {
    details.push_back(Message::say("What its layers without a cache keep cannot be told: {}.", model.state_unknown));
  } else if (model.state_bytes > 0) {
    details.push_back(Message::say("Its layers without a cache would keep a state of {} for each request at a time.",
                                   amount(model.state_bytes)));
  }
}

}  // namespace

Message missing_part_words(const RefusedArch& arch, std::uint32_t latent_elems) {
  const Message row =
      latent_elems > 0
          ? Message::say("latent attention (MLA), one cached row of {} values for K and V that all heads share",
                         latent_elems)
          : Message::say("latent attention (MLA), one cached row for K and V that all heads share");
  switch (arch.part) {
    case MissingPart::kLatentAttention: return row;
    case MissingPart::kIndexedLatent:
      return Message::say("{}, and an indexer that chooses the positions that a token attends to", row);
    case MissingPart::kIndexedAttention:
      return Message::say(
          "attention to positions that an indexer chooses, several residual streams, and embeddings of runs of "
          "tokens");
    case MissingPart::kCompressedCache:
      return Message::say(
          "attention to rows that each stand for several positions, an indexer that chooses them, and several "
          "residual streams");
    case MissingPart::kMamba2:
      return arch.has_ffn_layers
                 ? Message::say(
                       "Mamba2 layers, which keep a state of fixed size in the place of a KV cache, and layers that "
                       "are an FFN alone")
                 : Message::say("Mamba2 layers, which keep a state of fixed size in the place of a KV cache");
    case MissingPart::kChunkedAttention:
      return Message::say(
          "attention in chunks, of which a token sees its own alone, and experts whose input is weighed");
    case MissingPart::kOtherLayout:
      return Message::say(
          "a reader of the layout that Ollama alone writes: of the same models, GGUF files of the "
          "architecture {} open",
          show_name(arch.opens_as));
  }
  return {};
}

Error architecture_refusal(const ModelFile& file) {
  const std::optional<RefusedModel> model = read_refused_model(file);
  CHECK(model, "the architecture has a row");
  const std::string path = file.path().string();
  std::vector<Message> details{Message::say("It has {}.", size_words(model->weights))};
  add_foreign_types(file, details);
  if (model->arch == nullptr) {
    const Message sentence = Message::say(
        "{}: metadata 'general.architecture': {} is not supported: it needs a row in arch_table, and ops if it "
        "computes something that {} do not",
        path, show_name(model->architecture), arch_names());
    return {ErrorCode::kUnsupported, sentence.with_details(Message::joined(std::move(details), " "))};
  }
  const Message sentence = Message::say("{}: {} cannot run in this version: the architecture {} ({}) needs {}", path,
                                        model->name, show_name(model->architecture), model->arch->models,
                                        missing_part_words(*model->arch, model->latent_elems));
  details.push_back(cache_words(*model));
  add_state(*model, details);
  return {ErrorCode::kUnsupported, sentence.with_details(Message::joined(std::move(details), " "))};
}

Error projector_refusal(const ModelFile& file) {
  const auto has = [&](std::string_view key) {
    const auto found = file.find_bool(key);
    return found && found->value_or(false);
  };
  const bool hears = has("clip.has_audio_encoder"), sees = !hears || has("clip.has_vision_encoder");
  const Message images = Message::say("images"), sound = Message::say("sound");
  const Message what = !hears ? images
                       : sees ? Message::say("{} and {}", images, sound)
                              : sound,
                none = sees && hears ? Message::say("{} or {}", images, sound) : what;
  const Message sentence = Message::say(
      "{}: holds the part of a model that reads {} (a projector), not the model itself", file.path().string(), what);
  const Message details = Message::say(
      "Open the model's own file instead: with text it works without this one, and this version reads no {}. This file "
      "has {}.",
      none, size_words(sum_tensors(file)));
  return {ErrorCode::kUnsupported, sentence.with_details(details)};
}

Message foreign_type_words(const ModelFile& file, std::uint32_t file_type) {
  std::size_t n_tensors = 0;
  Bytes n_bytes = 0, all_bytes = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    all_bytes += tensor.n_bytes;
    if (tensor.file_type != file_type) continue;
    ++n_tensors;
    n_bytes += tensor.n_bytes;
  }
  const std::string_view name = find_ggml_type(file_type)->name;
  const Message::Mark meaning = ggml_type_meaning(file_type);
  const Message type = !meaning ? Message::say("{}", name) : Message::say("{}, {}", name, Message::of(meaning));
  if (n_tensors == 1)
    return Message::say("1 of {} tensors ({} of {}) is {}", file.tensors().size(), amount(n_bytes), amount(all_bytes),
                        type);
  return Message::say("{} of {} tensors ({} of {}) are {}", n_tensors, file.tensors().size(), amount(n_bytes),
                      amount(all_bytes), type);
}

}  // namespace headroom
