#include "model/unread_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "file/show_name.h"

namespace headroom {
namespace {

constexpr std::string_view kLayerPrefix = "blk.", kAnyLayer = "blk.N.";

// "blk.3.attn_q.weight" is tensor "attn_q.weight" of layer 3.
struct LayerTensor {
  std::uint32_t layer = 0;
  std::string_view name;
};
std::optional<LayerTensor> parse_layer_tensor(std::string_view name) {
  if (!name.starts_with(kLayerPrefix)) return std::nullopt;
  LayerTensor parsed;
  const char *begin = name.data() + kLayerPrefix.size(), *end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(begin, end, parsed.layer);
  if (error != std::errc() || rest == end || *rest != '.') return std::nullopt;
  if (*begin == '0' && rest - begin > 1) return std::nullopt;  // nobody writes "blk.03"
  parsed.name = std::string_view(rest + 1, static_cast<std::size_t>(end - rest - 1));
  return parsed;
}

// Beside a model of any architecture: the parts that read images and sound, which Ollama's own files have in the same
// file as the text, and layers of multi-token prediction that do not count as blocks.
constexpr Message::Mark kVision = Message::mark("vision"), kAudio = Message::mark("audio"),
                        kPrediction = Message::mark("multi-token prediction");
constexpr std::array kBeside{UnusedTensors{"v.*", kVision}, UnusedTensors{"mm.a.*", kAudio},
                             UnusedTensors{"mm.*", kVision}, UnusedTensors{"a.*", kAudio},
                             UnusedTensors{"mtp.*", kPrediction}};

bool matches(std::string_view name, std::string_view pattern) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

bool is_of(const UnusedTensors& unused, std::string_view name) {
  if (!unused.name.starts_with(kAnyLayer)) return matches(name, unused.name);
  const auto of_layer = parse_layer_tensor(name);
  return of_layer && matches(of_layer->name, unused.name.substr(kAnyLayer.size()));
}

class UnreadTensors {
 public:
  UnreadTensors(const ArchRow& row, std::uint32_t n_blocks, ModelInfo& model)
      : row_(row), n_blocks_(n_blocks), model_(model) {}

  // What the row, or every row, says that the tensor is; false: nothing.
  Message::Mark use(std::string_view name) const {
    const auto of_layer = parse_layer_tensor(name);
    if (of_layer && of_layer->layer >= model_.n_layers())
      return of_layer->layer < n_blocks_ ? kPrediction : Message::Mark();
    for (const std::span<const UnusedTensors> list : {row_.unused, std::span<const UnusedTensors>(kBeside)}) {
      const auto unused = std::ranges::find_if(list, [&](const UnusedTensors& each) { return is_of(each, name); });
      if (unused != list.end()) return unused->what;
    }
    return {};
  }

  void count(const Message& what, Bytes n_bytes) {
    auto& counts = model_.not_loaded;
    auto same = std::find_if(counts.begin(), counts.end(), [&](const NotLoaded& each) { return each.what == what; });
    if (same == counts.end()) same = counts.insert(same, NotLoaded{what});
    ++same->n_tensors;
    same->n_bytes += n_bytes;
  }

  Message refusal(const TensorInfo& tensor, const KeyReader& keys) const {
    return Message::say(
        "tensor {} has no place in a {} model here: found {} of shape ({}), which nothing would read; {}",
        show_name(tensor.name), row_.architecture, tensor.type_name, fmt::format("{}", fmt::join(tensor.shape, ", ")),
        expected(tensor.name, keys));
  }

 private:
  Message expected(std::string_view name, const KeyReader& keys) const {
    const auto of_layer = parse_layer_tensor(name);
    if (!of_layer) return Message::say("expected beside the layers are {}", names_of(-1));
    if (of_layer->layer < model_.n_layers())
      return Message::say("expected in layer {} are {}", of_layer->layer,
                          names_of(static_cast<std::int32_t>(of_layer->layer)));
    return Message::say("expected are layers 0 to {} by metadata '{}'", n_blocks_ - 1, keys.full_key("block_count"));
  }

  // "attn_norm.weight, attn_q.weight" and so on: what the layer has.
  std::string names_of(std::int32_t layer) const {
    std::vector<std::string_view> names;
    for (const WeightTensor& weight : model_.weights) {
      if (weight.layer != layer) continue;
      const auto of_layer = parse_layer_tensor(weight.name);
      const std::string_view name = of_layer ? of_layer->name : std::string_view(weight.name);
      if (names.empty() || names.back() != name) names.push_back(name);  // a fused tensor fills several roles
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const ArchRow& row_;
  const std::uint32_t n_blocks_;
  ModelInfo& model_;
};

}  // namespace

void sort_unread_tensors(const ModelFile& file, const ArchRow& row, const std::vector<bool>& is_used,
                         std::uint32_t n_blocks, ModelInfo& model, KeyReader& keys) {
  UnreadTensors unread(row, n_blocks, model);
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    const TensorInfo& tensor = file.tensors()[i];
    // No weight: the rotary embedding has read its factors.
    const bool is_read = (tensor.name == kRopeFactorsTensor && row.rope_factors != Presence::kNever) ||
                         ((tensor.name == kShortFactorsTensor || tensor.name == kLongFactorsTensor) && row.may_be_long);
    if (is_used[i] || is_read) continue;
    const Message::Mark what = unread.use(tensor.name);
    if (!what) return keys.fail(ErrorCode::kUnsupported, unread.refusal(tensor, keys));
    unread.count(Message::of(what), tensor.n_bytes);
  }
}

}  // namespace headroom
