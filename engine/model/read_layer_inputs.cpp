#include "model/read_layer_inputs.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr std::uint32_t kMostElems = 1U << 24;  // of a row, as of any other tensor

}  // namespace

void share_caches(const ArchRow& row, ModelInfo& model, KeyReader& keys) {
  constexpr std::string_view kKey = "attention.shared_kv_layers";
  const std::uint32_t n_shared = row.may_share_caches ? keys.count(kKey, kMostElems, 0) : 0;
  if (keys.failed() || n_shared == 0) return;
  const auto bad = [&](const Message& expected) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected {}", keys.full_key(kKey), n_shared, expected));
  };
  if (n_shared >= model.n_layers()) return bad(Message::say("less than the {} layers", model.n_layers()));
  const std::uint32_t n_own = model.n_layers() - n_shared;
  for (std::uint32_t i = n_own; i < model.n_layers(); ++i) {
    LayerSpec& layer = model.layers[i];
    std::uint32_t source = n_own;
    while (source > 0 && model.layers[source - 1].attention != layer.attention) --source;
    if (source == 0) {
      return bad(Message::say("a layer with a cache that sees as much as layer {} among the first {}", i, n_own));
    }
    const LayerSpec& of_cache = model.layers[--source];
    if (layer.n_kv_heads != of_cache.n_kv_heads || layer.head_dim != of_cache.head_dim) {
      return bad(Message::say("layer {} to have the heads of the cache of layer {}, {} of {} elements, found {} of {}",
                              i, source, of_cache.n_kv_heads, of_cache.head_dim, layer.n_kv_heads, layer.head_dim));
    }
    layer.kv_layer = source;
  }
}

void read_layer_inputs(const ArchRow& row, ModelInfo& model, KeyReader& keys) {
  constexpr std::string_view kKey = "embedding_length_per_layer_input";
  const std::uint32_t n = row.may_have_inputs ? keys.count(kKey, model.d_model, 0) : 0;
  if (keys.failed() || n == 0) return;
  if (n > kMostElems / model.n_layers()) {
    return keys.fail(ErrorCode::kBadFile,
                     Message::say("metadata '{}' is {}, expected at most {} of {} layers", keys.full_key(kKey), n,
                                  kMostElems / model.n_layers(), model.n_layers()));
  }
  for (LayerSpec& layer : model.layers) layer.input_dim = n;
  model.input_elems = n * model.n_layers();
}

}  // namespace headroom
