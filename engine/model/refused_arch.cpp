#include "model/refused_arch.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>

#include "model/arch_table.h"
#include "model/key_reader.h"
#include "model/model_name.h"
#include "model/read_delta_net.h"
#include "model/tensor_roles.h"

namespace headroom {
namespace {

// Source of keys and shapes: the gguf package and llama.cpp's converters; of what is cached: transformers' caches.
constexpr std::array kRefused{
    RefusedArch{"deepseek2", "DeepSeek V2, V3 and R1, Kimi K2, GLM 4.7 Flash, GigaChat 3",
                MissingPart::kLatentAttention},
    RefusedArch{"mistral4", "Mistral Small 4", MissingPart::kLatentAttention},
    RefusedArch{"glm-dsa", "GLM 5, 5.1 and 5.2", MissingPart::kIndexedLatent},
    RefusedArch{"deepseek4", "DeepSeek V4", MissingPart::kCompressedCache},
    RefusedArch{"qwen4exp", "Qwen 3.8 Flash Next", MissingPart::kIndexedAttention},
    RefusedArch{"granitehybrid", "Granite 4 H Small, H Tiny and H Micro", MissingPart::kMamba2},
    RefusedArch{"nemotron_h", "Nemotron H, Nemotron Nano 2", MissingPart::kMamba2, true},
    RefusedArch{"nemotron_h_moe", "Nemotron 3 Nano and Super", MissingPart::kMamba2, true},
    RefusedArch{"llama4", "Llama 4 Scout and Maverick", MissingPart::kChunkedAttention},
    RefusedArch{"gptoss", "gpt-oss, in Ollama's own files", MissingPart::kOtherLayout, false, "gpt-oss"},
};

// Reads the figures of one model. Each has a KeyReader of its own: what one lacks does not take the other away.
class FigureReader {
 public:
  FigureReader(const ModelFile& file, RefusedModel& model) : file_(file), model_(model), arch_(*model.arch) {}

  void read() {
    model_.cache_unknown = reason([&](KeyReader& keys) { read_cache(keys); });
    if (!model_.cache_unknown.empty()) model_.latent_elems = 0;
    model_.state_unknown = reason([&](KeyReader& keys) { read_state(keys); });
    model_.n_ctx_unknown =
        reason([&](KeyReader& keys) { model_.n_ctx_trained = keys.positive("context_length", kMaxPositions); });
  }

 private:
  static constexpr std::uint32_t kWidest = 1U << 24;  // a file that states a larger width is damaged
  static constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();
  static constexpr Bytes kElemBytes = 2;         // F16
  static constexpr std::uint32_t kChunk = 8192;  // positions that attention in chunks sees, whatever a file says

  // Why a figure cannot be read, without the path; empty when it can.
  template <class Read>
  Message reason(Read read) const {
    KeyReader keys(file_, std::string(arch_.architecture));
    read(keys);
    return keys.failed() ? keys.take_error().message.behind_context() : Message();
  }

  struct LayerCount {
    std::uint32_t n_blocks = 0;  // as arrays of keys count them
    std::uint32_t n_run = 0;     // without those at the end that predict further tokens
  };
  // Every layer has tensors of its own, so these bound what a lying count can cost.
  LayerCount count_layers(KeyReader& keys) const {
    constexpr std::string_view kSkipped = "nextn_predict_layers";
    const std::size_t n_tensors = std::max<std::size_t>(file_.tensors().size(), 1);
    LayerCount layers;
    layers.n_blocks = keys.positive("block_count", static_cast<std::uint32_t>(n_tensors));
    const std::uint32_t n_skipped = keys.count(kSkipped, kLargest, 0);
    if (!keys.failed() && n_skipped >= layers.n_blocks) {
      keys.fail(ErrorCode::kBadFile,
                Message::say("metadata '{}' is {}, expected less than '{}', {}", keys.full_key(kSkipped), n_skipped,
                             keys.full_key("block_count"), layers.n_blocks));
    }
    if (!keys.failed()) layers.n_run = layers.n_blocks - n_skipped;
    return layers;
  }

  std::vector<std::uint32_t> kv_heads(const LayerCount& layers, KeyReader& keys) const {
    return keys.per_layer("attention.head_count_kv", layers.n_blocks, kMaxHeads, {}, 0);
  }

  // Of a key and a value of one head together.
  std::uint64_t head_elems(KeyReader& keys) const {
    constexpr std::string_view kKey = "attention.key_length", kValue = "attention.value_length";
    std::uint32_t by_width = 1;
    if (!keys.has(kKey) || !keys.has(kValue)) {
      const std::uint32_t d_model = keys.positive("embedding_length", kWidest),
                          n_heads = keys.positive("attention.head_count", kMaxHeads);
      if (!keys.failed() && d_model % n_heads != 0) {
        keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, which does not divide '{}', {}",
                                                    keys.full_key("attention.head_count"), n_heads,
                                                    keys.full_key("embedding_length"), d_model));
      }
      if (!keys.failed()) by_width = d_model / n_heads;
    }
    return std::uint64_t{keys.positive(kKey, kWidest, by_width)} + keys.positive(kValue, kWidest, by_width);
  }

  void read_cache(KeyReader& keys) {
    const LayerCount layers = count_layers(keys);
    switch (arch_.part) {
      case MissingPart::kLatentAttention:
      case MissingPart::kIndexedLatent: return read_latent(layers, keys);
      case MissingPart::kIndexedAttention: return read_indexed(layers, keys);
      case MissingPart::kCompressedCache: return read_compressed(layers, keys);
      case MissingPart::kMamba2: return read_heads(layers, {}, 0, keys);
      case MissingPart::kChunkedAttention: return read_chunked(layers, keys);
      case MissingPart::kOtherLayout:
        return read_newest(layers, 2, keys.positive("attention.sliding_window", kMaxPositions), keys);
    }
  }

  // The row is the latent vector and, behind it, the rotated part of the key. Both layouts of files have the same: what
  // makes K and V of it is in one tensor in old ones (attn_kv_b), and in two in new ones (attn_k_b, attn_v_b).
  void read_latent(const LayerCount& layers, KeyReader& keys) {
    const std::uint32_t rank = keys.positive("attention.kv_lora_rank", kWidest),
                        n_rotated = keys.positive("rope.dimension_count", kWidest);
    model_.latent_elems = rank + n_rotated;
    Bytes row_bytes = Bytes{layers.n_run} * model_.latent_elems * kElemBytes;
    // Layers without an indexer of their own take the choice of the one before them.
    std::uint64_t n_indexers = 0;
    for (std::uint32_t i = 0; arch_.part == MissingPart::kIndexedLatent && i < layers.n_run; ++i) {
      const std::string name = layer_tensor_name(static_cast<std::int32_t>(i), "indexer.attn_k.weight");
      n_indexers += file_.find_tensor(name) != nullptr ? 1 : 0;
    }
    if (n_indexers > 0) row_bytes += n_indexers * indexer_key(keys) * kElemBytes;
    model_.cache.push_back({row_bytes});
  }

  std::uint32_t indexer_key(KeyReader& keys) const { return keys.positive("attention.indexer.key_length", kWidest); }

  // K and V of heads. `has_none`: layers that keep nothing whatever their number of heads; empty: none do. Beside the
  // heads each layer keeps `further` elements.
  void read_heads(const LayerCount& layers, const std::vector<bool>& has_none, std::uint64_t further, KeyReader& keys) {
    const std::vector<std::uint32_t> n_kv_heads = kv_heads(layers, keys);
    const std::uint64_t of_head = head_elems(keys);
    if (keys.failed()) return;
    Bytes row_bytes = 0;
    for (std::uint32_t i = 0; i < layers.n_run; ++i)
      if (has_none.empty() || !has_none[i]) row_bytes += (n_kv_heads[i] * of_head + further) * kElemBytes;
    model_.cache.push_back({row_bytes});
  }

  // Of architectures whose layers are delta nets but for every fourth.
  static ArchRow delta_net_row() {
    return {.architecture = "", .models = "", .delta_net = DeltaNetRow{.attention_period = 4}};
  }

  void read_indexed(const LayerCount& layers, KeyReader& keys) {
    const std::vector<bool> is_recurrent = read_recurrent_layers(delta_net_row(), layers.n_blocks, keys);
    const std::uint32_t further = indexer_key(keys);
    if (!keys.failed()) read_heads(layers, is_recurrent, further, keys);
  }

  // Each layer keeps the newest positions as they are, K being V. Beside them a layer with a ratio has a row for each
  // so many positions; with the smaller ratio, an indexer's key for each row as well.
  void read_compressed(const LayerCount& layers, KeyReader& keys) {
    constexpr std::string_view kRatios = "attention.compress_ratios";
    constexpr std::uint32_t kIndexed = 4, kHeavy = 128;
    const std::vector<std::uint32_t> ratios = keys.per_layer(kRatios, layers.n_blocks, kMaxPositions, {}, 0);
    const std::uint64_t head = keys.positive("attention.key_length", kWidest), index = indexer_key(keys);
    const std::uint32_t window = keys.positive("attention.sliding_window", kMaxPositions);
    if (keys.failed()) return;
    std::map<std::uint32_t, Bytes> by_ratio;
    for (std::uint32_t i = 0; i < layers.n_run; ++i) {
      const std::uint32_t ratio = ratios[i];
      if (ratio != 0 && ratio != kIndexed && ratio != kHeavy) {
        return keys.fail(ErrorCode::kUnsupported, Message::say("metadata '{}' is {} in layer {}, expected 0, {} or {}",
                                                               keys.full_key(kRatios), ratio, i, kIndexed, kHeavy));
      }
      if (ratio != 0) by_ratio[ratio] += (head + (ratio == kIndexed ? index : 0)) * kElemBytes;
    }
    for (const auto& [ratio, row_bytes] : by_ratio) model_.cache.push_back({row_bytes, ratio});
    model_.cache.push_back({layers.n_run * head * kElemBytes, 1, window});
  }

  // Every fourth layer sees all positions; the others see those of their chunk. A file that states 0 has no chunks.
  void read_chunked(const LayerCount& layers, KeyReader& keys) {
    const bool has_chunks = keys.count("attention.sliding_window", kMaxPositions, kChunk) > 0;
    const std::uint32_t period = keys.positive("attention.sliding_window_pattern", kLargest, 4);
    read_newest(layers, has_chunks ? period : 1, kChunk, keys);
  }

  // Every period-th layer keeps all positions, the others the n_newest newest ones.
  void read_newest(const LayerCount& layers, std::uint32_t period, std::uint32_t n_newest, KeyReader& keys) {
    const std::vector<std::uint32_t> n_kv_heads = kv_heads(layers, keys);
    const std::uint64_t of_head = head_elems(keys);
    if (keys.failed()) return;
    CachedRows full, newest{.n_positions = n_newest};
    for (std::uint32_t i = 0; i < layers.n_run; ++i)
      ((i + 1) % period != 0 ? newest : full).row_bytes += n_kv_heads[i] * of_head * kElemBytes;
    model_.cache = {full};
    if (newest.row_bytes > 0) model_.cache.push_back(newest);
  }

  void read_state(KeyReader& keys) {
    if (arch_.part == MissingPart::kMamba2) return read_mamba_state(keys);
    if (arch_.part != MissingPart::kIndexedAttention) return;
    const LayerCount layers = count_layers(keys);
    const ArchRow row = delta_net_row();
    const std::vector<bool> is_recurrent = read_recurrent_layers(row, layers.n_blocks, keys);
    const std::optional<DeltaNetSpec> spec = read_delta_net(row, keys);
    if (keys.failed()) return;
    const auto n = std::count(is_recurrent.begin(), is_recurrent.begin() + layers.n_run, true);
    model_.state_bytes = static_cast<Bytes>(n) * spec->state_bytes();
  }

  // Of each Mamba layer a matrix of d_inner x d_state, and the last inputs of the convolution: those of the layer, and
  // of each group the two vectors that write and read the matrix.
  void read_mamba_state(KeyReader& keys) {
    const LayerCount layers = count_layers(keys);
    const std::vector<std::uint32_t> n_kv_heads = kv_heads(layers, keys);
    const std::vector<std::uint32_t> d_ff = arch_.has_ffn_layers
                                                ? keys.per_layer("feed_forward_length", layers.n_blocks, kWidest, {}, 0)
                                                : std::vector<std::uint32_t>(layers.n_blocks);
    const std::uint64_t inner = keys.positive("ssm.inner_size", kWidest),
                        state = keys.positive("ssm.state_size", kWidest),
                        groups = keys.positive("ssm.group_count", kMaxHeads),
                        conv = keys.positive("ssm.conv_kernel", kMaxConvWidth);
    if (keys.failed()) return;
    std::uint64_t n_mamba = 0;
    for (std::uint32_t i = 0; i < layers.n_run; ++i) n_mamba += n_kv_heads[i] == 0 && d_ff[i] == 0 ? 1 : 0;
    const std::uint64_t elems = inner * state + (conv - 1) * (inner + 2 * groups * state);
    const std::optional<Bytes> bytes = checked_mul(elems, n_mamba * kF32Bytes);
    if (!bytes) return keys.fail(ErrorCode::kBadFile, Message::say("its bytes are more than 64 bits can count"));
    model_.state_bytes = *bytes;
  }

  const ModelFile& file_;
  RefusedModel& model_;
  const RefusedArch& arch_;
};

}  // namespace

std::span<const RefusedArch> refused_archs() { return kRefused; }

TensorSums sum_tensors(const ModelFile& file) {
  TensorSums sums;
  for (const TensorInfo& tensor : file.tensors()) {
    sums.n_elems += tensor.n_elems();
    sums.n_bytes += tensor.n_bytes;
  }
  return sums;
}

std::optional<Bytes> RefusedModel::kv_bytes(std::uint64_t n_ctx) const {
  if (!has_cache()) return std::nullopt;
  Bytes sum = 0;
  for (const CachedRows& rows : cache) {
    const std::uint64_t n_positions = rows.n_positions > 0 ? std::min<std::uint64_t>(n_ctx, rows.n_positions) : n_ctx;
    const std::optional<Bytes> bytes = checked_mul(rows.row_bytes, div_up(n_positions, rows.positions_per_row));
    const std::optional<Bytes> further = bytes ? checked_add(sum, *bytes) : std::nullopt;
    if (!further) return std::nullopt;
    sum = *further;
  }
  return sum;
}

Bytes RefusedModel::kv_bytes_per_token() const {
  return std::accumulate(cache.begin(), cache.end(), Bytes{0}, [](Bytes sum, const CachedRows& rows) {
    return sum + (rows.n_positions > 0 ? 0 : div_up(rows.row_bytes, rows.positions_per_row));
  });
}

std::optional<RefusedModel> read_refused_model(const ModelFile& file) {
  const auto architecture = file.find_string("general.architecture");
  if (!architecture || !architecture->has_value() || find_arch(**architecture) != nullptr) return std::nullopt;
  RefusedModel model;
  model.architecture = **architecture;
  const Result<std::string> name = read_model_name(file);
  model.name = name ? *name : name_of_file(file);
  model.weights = sum_tensors(file);
  const auto arch = std::ranges::find(kRefused, model.architecture, &RefusedArch::architecture);
  if (arch == kRefused.end()) return model;
  model.arch = &*arch;
  FigureReader(file, model).read();
  return model;
}

bool is_projector(std::string_view type, std::string_view architecture) {
  return architecture == "clip" || type == "mmproj" || type == "projector";
}

}  // namespace headroom
