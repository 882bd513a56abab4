#include <fmt/format.h>

#include <algorithm>

#include "base/message_parts.h"
#include "format/dtype_table.h"
#include "model/model_info.h"
#include "model/refusal.h"
#include "options.h"
#include "run/load_model.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model;
  bool asJson = false;
};

// The first layer with attention, or the first one.
const LayerSpec& attentionLayer(const ModelInfo& info) {
  const auto found = std::ranges::find_if(info.layers, &LayerSpec::has_cache);
  return found == info.layers.end() ? info.layers.front() : *found;
}

// The first layer with experts, or as above: the first layers of some models are dense.
const LayerSpec& ffnLayer(const ModelInfo& info) {
  const auto found = std::ranges::find_if(info.layers, &LayerSpec::has_experts);
  return found == info.layers.end() ? attentionLayer(info) : *found;
}

// Long arrays (vocabularies) are told by their length.
Json metaJson(const MetaValue& value) {
  constexpr std::size_t kLongest = 16;
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<Held> || std::is_same_v<Held, std::string>) {
          return held;
        } else {
          if (held.size() > kLongest) return {{"array_of", held.size()}};
          return Json(held);
        }
      },
      value);
}

std::string metaString(const ModelFile& file, std::string_view key) {
  const Result<std::optional<std::string>> found = file.find_string(key);
  return found && found->has_value() ? **found : std::string();
}

// How many elements of each type the file holds, as the header says: also for a model that cannot be run.
std::vector<std::pair<std::string, Bytes>> bytesByType(const ModelFile& file) {
  std::vector<std::pair<std::string, Bytes>> sums;
  for (const TensorInfo& tensor : file.tensors()) {
    const auto same =
        std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == tensor.type_name; });
    if (same == sums.end()) {
      sums.emplace_back(tensor.type_name, tensor.n_bytes);
    } else {
      same->second += tensor.n_bytes;
    }
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sums;
}

struct Facts {
  const ModelFile& file;
  Result<ModelInfo> info;
  Result<TextParts> text;
  std::optional<RefusedModel> refused;  // of an architecture that is not run
  std::string architecture() const { return metaString(file, "general.architecture"); }
  // Why a sound file cannot be run; empty when it can.
  std::string problem() const {
    return !info ? info.error().message.text() : !text ? text.error().message.text() : std::string();
  }
  std::uint64_t nParams() const {
    std::uint64_t n = 0;
    for (const TensorInfo& tensor : file.tensors()) n += tensor.n_elems();
    return n;
  }
};

Json tensorsJson(const ModelFile& file) {
  Json tensors = Json::array();
  for (const TensorInfo& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor.type_name},
                       {"shape", tensor.shape},
                       {"n_bytes", tensor.n_bytes},
                       {"part", tensor.part},
                       {"offset", tensor.offset}});
  }
  return tensors;
}

// What a model of an architecture that this version lacks would take; null: its header does not tell.
Json refusedJson(const RefusedModel& refused) {
  const auto bytes = [](bool isKnown, Bytes n) { return isKnown ? Json(n) : Json(); };
  const std::optional<Bytes> trained =
      refused.n_ctx_trained > 0 ? refused.kv_bytes(refused.n_ctx_trained) : std::nullopt;
  return {
      {"missing_part", refused.arch == nullptr ? "" : missing_part_words(*refused.arch, refused.latent_elems).text()},
      {"weight_bytes", refused.weights.n_bytes},
      {"kv_bytes_per_token", bytes(refused.has_cache(), refused.kv_bytes_per_token())},
      {"kv_bytes_trained_context", bytes(trained.has_value(), trained.value_or(0))},
      {"state_bytes", bytes(refused.arch != nullptr && refused.state_unknown.empty(), refused.state_bytes)}};
}

Json factsJson(const Facts& facts) {
  Json json;
  json["path"] = facts.file.path().string();
  json["name"] = facts.info ? facts.info->name : metaString(facts.file, "general.name");
  json["architecture"] = facts.architecture();
  json["runs"] = facts.problem().empty();
  json["problem"] = messageLine(facts.problem());
  if (facts.refused) json["would_take"] = refusedJson(*facts.refused);
  json["n_params"] = facts.nParams();
  json["file_bytes"] = facts.file.n_bytes();
  json["n_parts"] = facts.file.n_parts();
  if (facts.info) {
    const ModelInfo& info = *facts.info;
    json["n_ctx_trained"] = info.n_ctx_trained;
    json["n_layers"] = info.n_layers();
    json["n_recurrent_layers"] = info.n_recurrent_layers();
    json["d_model"] = info.d_model;
    json["n_vocab"] = info.n_vocab;
    const LayerSpec& first = attentionLayer(info);
    json["n_heads"] = first.n_heads;
    json["n_kv_heads"] = first.n_kv_heads;
    json["head_dim"] = first.head_dim;
    const LayerSpec& ffn = ffnLayer(info);
    json["d_ff"] = ffn.has_experts() ? ffn.expert_d_ff : ffn.d_ff;
    json["n_experts"] = ffn.n_experts;
    json["n_experts_used"] = ffn.has_experts() ? ffn.n_experts_used : 0;
    json["shared_d_ff"] = ffn.has_shared_expert() ? ffn.d_ff : 0;
  }
  Json types = Json::object();
  for (const auto& [type, bytes] : bytesByType(facts.file)) types[type] = bytes;
  json["bytes_by_type"] = types;
  if (facts.text && facts.text->tokenizer) {
    const SpecialTokens& special = facts.text->tokenizer->special();
    json["tokenizer"] = {{"model", facts.text->tokenizer->model()},
                         {"pre", metaString(facts.file, "tokenizer.ggml.pre")},
                         {"n_vocab", facts.text->tokenizer->n_vocab()},
                         {"add_bos", special.add_bos}};
    json["chat_template"] = {{"usable", facts.text->template_problem.empty()},
                             {"problem", facts.text->template_problem.text()},
                             {"limit", facts.text->chat_prompt->limit().text()}};
  }
  json["warnings"] = facts.info ? Json(texts_of(facts.info->warnings)) : Json::array();
  Json metadata = Json::object();
  for (const auto& [key, value] : facts.file.metadata()) metadata[key] = metaJson(value);
  json["metadata"] = metadata;
  json["tensors"] = tensorsJson(facts.file);
  return json;
}

// "64", "64, of which 48 keep a state of 150 MiB in all".
std::string layersText(const ModelInfo& info) {
  if (!info.is_recurrent()) return fmt::format("{}", info.n_layers());
  return fmt::format("{}, of which {} keep a state of {} in all", info.n_layers(), info.n_recurrent_layers(),
                     format_bytes(info.state_bytes()));
}

std::string countText(std::uint64_t n) {
  if (n >= 1'000'000'000) return fmt::format("{:.2f} billion ({})", static_cast<double>(n) * 1e-9, n);
  if (n >= 1'000'000) return fmt::format("{:.1f} million ({})", static_cast<double>(n) * 1e-6, n);
  return fmt::format("{}", n);
}

void printFacts(const Facts& facts) {
  const auto line = [](const char* label, const std::string& value) {
    printLine(fmt::format("{:<16}{}", label, value));
  };
  line("name", facts.info ? facts.info->name : metaString(facts.file, "general.name"));
  line("architecture", facts.architecture());
  line("parameters", countText(facts.nParams()));
  std::string types;
  for (const auto& [type, bytes] : bytesByType(facts.file))
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", type, format_bytes(bytes));
  line("weight types", types);
  line("file", fmt::format("{} ({} bytes) in {} part{}", format_bytes(facts.file.n_bytes()), facts.file.n_bytes(),
                           facts.file.n_parts(), facts.file.n_parts() == 1 ? "" : "s"));
  if (facts.info) {
    const ModelInfo& info = *facts.info;
    const LayerSpec& first = attentionLayer(info);
    line("trained context", fmt::format("{} tokens", info.n_ctx_trained));
    line("layers", layersText(info));
    line("heads",
         fmt::format("{} of {} elements, {} for keys and values", first.n_heads, first.head_dim, first.n_kv_heads));
    const LayerSpec& ffn = ffnLayer(info);
    const std::uint32_t dFf = ffn.has_experts() ? ffn.expert_d_ff : ffn.d_ff;
    line("widths", fmt::format("model {}, feed-forward {}, vocabulary {}", info.d_model, dFf, info.n_vocab));
    if (ffn.has_experts())
      line("experts",
           fmt::format("{}, of which a token goes through {}{}", ffn.n_experts, ffn.n_experts_used,
                       ffn.has_shared_expert() ? fmt::format(", and one of width {} for all", ffn.d_ff) : ""));
  }
  if (facts.text && !facts.text->tokenizer) line("tokenizer", "none");
  if (facts.text && facts.text->tokenizer) {
    const std::string pre = metaString(facts.file, "tokenizer.ggml.pre");
    line("tokenizer", fmt::format("{}{}, {} tokens", facts.text->tokenizer->model(),
                                  pre.empty() ? "" : " (" + pre + ")", facts.text->tokenizer->n_vocab()));
    const std::string limit = facts.text->chat_prompt->limit().text();
    line("chat template", !facts.text->template_problem.empty() ? "not usable: " + facts.text->template_problem.text()
                          : limit.empty()                       ? "found"
                                                                : "found; it " + limit);
  }
  if (facts.info)
    for (const Message& warning : facts.info->warnings) line("warning", warning.text());
  if (facts.info)
    for (const NotLoaded& unused : facts.info->not_loaded) line("not loaded", not_loaded_words(unused).text());
  const std::string problem = facts.problem();
  const auto [sentence, details] = message_parts(problem);
  line("runs", problem.empty() ? "yes" : "no, because " + std::string(sentence));
  if (!details.empty()) line("", std::string(details));
}

ExitCode inspect(const Options& options) {
  const Result<ModelFile> file = open_model_file(options.model);
  if (!file) return report(file.error(), options.asJson);
  const Facts facts{*file, read_model_info(*file), read_text_parts(*file), read_refused_model(*file)};
  // A header that contradicts itself is a bad file; one that asks for more than this build has is told in full.
  if (!facts.info && facts.info.error().code != ErrorCode::kUnsupported)
    return report(facts.info.error(), options.asJson);
  if (!facts.text && facts.text.error().code != ErrorCode::kUnsupported)
    return report(facts.text.error(), options.asJson);
  if (options.asJson) {
    printJson(factsJson(facts));
  } else {
    printFacts(facts);
  }
  return kDone;
}

}  // namespace

Command addInspect(CLI::App& program) {
  CLI::App* app = addSubcommand(program, "inspect", "What a model file is, from its header alone");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file; any part of a split one", {.isRequired = true});
  addJsonOption(*app, options->asJson);
  addExample(*app, "inspect model.gguf");
  return {app, [options] { return inspect(*options); }};
}

}  // namespace headroom::cli
