// Architectures that are known by name and that no row of arch_table has: which part of them is missing here, and what
// a model of one would take. So people can tell a file that is worth waiting for from one that would never fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "file/model_file.h"

namespace headroom {

// What of the forward pass this version does not have.
enum class MissingPart : std::uint8_t {
  kLatentAttention,   // MLA: one cached row for K and V, which all heads share
  kIndexedLatent,     // the same, and an indexer that chooses the positions that a token attends to
  kIndexedAttention,  // such an indexer beside delta nets, and several residual streams
  kCompressedCache,   // cached rows that each stand for several positions, chosen by an indexer; residual streams
  kMamba2,            // states in the place of caches
  kChunkedAttention,  // a position sees its own chunk alone; experts whose input is weighed
  kOtherLayout,       // of the same model, tensors that are named and cut as one other program has them
};

struct RefusedArch {
  std::string_view architecture;  // general.architecture, and the prefix of its keys
  std::string_view models;        // published ones that it is the name of, for people
  MissingPart part;
  // Of kMamba2: a layer without KV heads whose feed_forward_length is not 0 is an FFN alone, and no Mamba layer.
  bool has_ffn_layers = false;
  std::string_view opens_as = {};  // of kOtherLayout: general.architecture of files of these models that open
};

std::span<const RefusedArch> refused_archs();

// Cached rows of all layers of a kind, as F16.
struct CachedRows {
  Bytes row_bytes = 0;                  // one row of each such layer
  std::uint32_t positions_per_row = 1;  // which one row stands for
  std::uint32_t n_positions = 0;        // how many newest positions are kept; 0: all
};

// Of all tensors of all parts, as they stand in the file.
struct TensorSums {
  std::uint64_t n_elems = 0;
  Bytes n_bytes = 0;
};
TensorSums sum_tensors(const ModelFile& file);

// What a header says of a model that is refused. A figure whose keys are missing or make no sense is left out, and the
// text beside it says which key it is: "metadata 'x' is missing".
struct RefusedModel {
  std::string architecture, name;
  const RefusedArch* arch = nullptr;  // null: nothing is known of the architecture
  TensorSums weights;
  std::uint32_t latent_elems = 0;  // of a row of latent attention; 0: no such row, or unknown
  std::vector<CachedRows> cache;
  Message cache_unknown;
  Bytes state_bytes = 0;  // of one slot, F32; 0: none, or unknown
  Message state_unknown;
  std::uint32_t n_ctx_trained = 0;  // 0: unknown
  Message n_ctx_unknown;

  bool has_cache() const { return arch != nullptr && cache_unknown.empty(); }
  // F16, of one slot. Absent: unknown, or beyond 64 bits.
  std::optional<Bytes> kv_bytes(std::uint64_t n_ctx) const;
  // What each further position adds, rounded up: without the layers that keep the newest positions alone.
  Bytes kv_bytes_per_token() const;
};

// Absent where arch_table has the architecture, or the file states none. Never fails: whatever keys hold.
std::optional<RefusedModel> read_refused_model(const ModelFile& file);

// Whether the file is the part of a model that turns images or sound into embeddings, by general.type or
// general.architecture.
bool is_projector(std::string_view type, std::string_view architecture);

}  // namespace headroom
