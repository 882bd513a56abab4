#include "backend/cpu/cpu_format_speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/matrix.h"
#include "backend/host/thread_pool.h"
#include "format/dtype_table.h"
#include "model/weight_layout.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPasses = 2;
constexpr std::uint32_t kCols = 2048, kBatch = 256, kBatchRowsPerThread = 256;
// Of what kernels read alone, a model's tokens get this: measured over ten models, 0.67 to 1.2 of it, the less the
// faster the memory was in that minute.
constexpr double kModelShare = 0.87;
constexpr std::uint32_t kOpPanels = 128;  // of a matrix of 2,048 rows, as models of 1 to 3 billion weights have
// Of most models of today: heads of 128, four of which share keys and values.
constexpr std::uint32_t kHeadDim = 128, kHeadsPerKv = 4, kKvHeads = 8, kPromptKeys = 512;
constexpr std::uint32_t kPartKeys = 1024;      // of the cache that a thread attends to at once
constexpr std::size_t kAttentionBytes = kMiB;  // of a thread; heads of kHeadDim need less than half of it

// The shortest pass: other programs only ever take time away.
template <class Work>
double shortest_pass(ThreadPool& pool, Work work) {
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Clock::time_point start = Clock::now();
    pool.run(work);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (pass == 0 || seconds < best) best = seconds;
  }
  return best;
}

// As many rows of weights as `most_bytes` hold, at most `most_rows`.
Matrix matrix_at(std::span<std::byte> memory, DType dtype, Bytes most_rows) {
  const Bytes stride = panel_bytes(dtype, kCols);
  const Bytes n_rows = std::min(memory.size() / stride * kPanelRows, most_rows);
  return {.panels = memory.data(),
          .dtype = dtype,
          .n_rows = static_cast<std::uint32_t>(n_rows / kPanelRows * kPanelRows),
          .n_cols = kCols,
          .panel_stride = stride};
}

class ProductTimes {
 public:
  ProductTimes(ThreadPool& pool, const KernelTable& kernels)
      : pool_(pool),
        kernels_(kernels),
        f32_(Bytes{kBatch} * word_row_bytes(kCols) + Bytes{kBatch} * kCols * sizeof(float)),
        int8_(kBatch * cpu_int8_row_bytes(kCols)),
        slabs_(pool.n_threads() * kPairPanels * kSlabBytes),
        values_(pool.n_threads() * kValues),
        sums_(pool.n_threads()) {}

  double seconds(const Matrix& matrix, std::uint32_t n_rows) {
    const std::array matrices{&matrix};
    const Activations in = activations_for(std::span<const Matrix* const>(matrices), n_rows, f32_.data(), int8_.data());
    const std::vector<float> row(kCols, 0.5F);
    for (std::uint32_t i = 0; i < n_rows; ++i) put_activation_row(kernels_, in, i, row.data());
    return shortest_pass(pool_, [&](std::uint32_t thread) {
      const ProductScratch scratch{slabs_.data() + thread * kPairPanels * kSlabBytes,
                                   values_.data() + thread * kValues};
      // As ops of a model follow each other: threads start on a matrix together, and nothing of it is near yet.
      for (std::uint32_t first = 0; first < matrix.n_panels(); first += kOpPanels) {
        const std::uint32_t n = std::min(kOpPanels, matrix.n_panels() - first);
        const Share panels = share_of(n, thread, pool_.n_threads());
        multiply(kernels_, matrix, first + panels.first, first + panels.last, in, whole_blocks(in), scratch,
                 StopToken(), [&](const PanelProduct& product, bool) { sums_[thread] += product.values[0]; });
        pool_.barrier();
      }
    });
  }

 private:
  static constexpr std::size_t kValues = std::size_t{kCpuBlockTiles} * kPairPanels * kTileCols * kPanelRows;

  ThreadPool& pool_;
  const KernelTable& kernels_;
  std::vector<std::byte> f32_, int8_, slabs_;
  std::vector<float> values_, sums_;  // sums keep the products from being dropped
};

class AttentionTimes {
 public:
  AttentionTimes(ThreadPool& pool, const KernelTable& kernels, std::span<std::byte> memory, DType dtype)
      : pool_(pool), kernels_(kernels), scratch_(pool.n_threads() * kAttentionBytes), queries_(kHeadDim, 0.01F) {
    layer_.n_heads = kKvHeads * kHeadsPerKv, layer_.n_kv_heads = kKvHeads, layer_.head_dim = kHeadDim;
    const Bytes half = memory.size() / 2, per_row = layer_.kv_row_bytes(dtype);
    n_keys_ = static_cast<std::uint32_t>(half / per_row / kPartKeys * kPartKeys);
    const PlanOptions options{.n_ctx = n_keys_, .kv_k = dtype, .kv_v = dtype, .kv_scheme = KvScheme::kPlain};
    keys_ = make_kv_cache(memory.data(), nullptr, KvPart::kKeys, layer_, options);
    values_ = make_kv_cache(memory.data() + half, nullptr, KvPart::kValues, layer_, options);
    bytes_ = 2.0 * n_keys_ * static_cast<double>(per_row);
  }
  bool has_keys() const { return n_keys_ > 0; }

  // Of one row that attends to the whole cache.
  double cache_bytes_per_s() {
    const std::uint32_t n_parts = n_keys_ / kPartKeys;
    const double seconds = shortest_pass(pool_, [&](std::uint32_t thread) {
      const Share items = share_of(n_parts * kKvHeads, thread, pool_.n_threads());
      const FewScratch scratch = cut_few_scratch(scratch_.data() + thread * kAttentionBytes, kHeadDim);
      std::array<const float*, kHeadsPerKv> queries;
      queries.fill(queries_.data());
      std::array<std::uint32_t, kHeadsPerKv> from{}, to;
      to.fill(n_keys_);
      for (std::uint32_t item = items.first; item < items.last; ++item) {
        const std::uint32_t first = item % n_parts * kPartKeys;
        attend_few(kernels_, job(item / n_parts, queries, from, to, first, first + kPartKeys), scratch);
      }
    });
    return bytes_ / seconds;
  }

  // Multiply-adds a second of rows that attend together to the first keys.
  double products_per_s() {
    const std::uint32_t n_queries = std::min(most_queries(keys_, values_), kCpuQueryTile);
    std::vector<float> out(std::size_t{pool_.n_threads()} * n_queries * kHeadDim);
    const std::uint32_t n_items = kKvHeads * pool_.n_threads();
    const double seconds = shortest_pass(pool_, [&](std::uint32_t thread) {
      std::vector<const float*> queries(n_queries, queries_.data());
      std::vector<float*> outputs;
      for (std::uint32_t i = 0; i < n_queries; ++i)
        outputs.push_back(out.data() + (std::size_t{thread} * n_queries + i) * kHeadDim);
      const std::vector<std::uint32_t> from(n_queries), to(n_queries, std::min(kPromptKeys, n_keys_));
      const Share items = share_of(n_items, thread, pool_.n_threads());
      for (std::uint32_t item = items.first; item < items.last; ++item) {
        attend_many(kernels_, job(item % kKvHeads, queries, from, to, 0, to.front()), kHeadDim,
                    scratch_.data() + thread * kAttentionBytes, outputs.data());
      }
    });
    return 2.0 * n_items * n_queries * std::min(kPromptKeys, n_keys_) * kHeadDim / seconds;
  }

 private:
  AttendJob job(std::uint32_t kv_head, std::span<const float* const> queries, std::span<const std::uint32_t> from,
                std::span<const std::uint32_t> to, std::uint32_t first, std::uint32_t last) const {
    return {.keys = &keys_,
            .values = &values_,
            .kv_head = kv_head,
            .exact_from = n_keys_,
            .n_queries = static_cast<std::uint32_t>(queries.size()),
            .queries = queries.data(),
            .seen_from = from.data(),
            .seen_to = to.data(),
            .first = first,
            .last = last};
  }

  ThreadPool& pool_;
  const KernelTable& kernels_;
  std::vector<std::byte> scratch_;
  std::vector<float> queries_;
  LayerSpec layer_;
  KvCache keys_, values_;
  std::uint32_t n_keys_ = 0;
  double bytes_ = 0;
};

}  // namespace

void measure_formats(ThreadPool& pool, const KernelTable& kernels, std::span<std::byte> memory, bool is_beyond_caches,
                     DeviceSpeed& speed) {
  ProductTimes products(pool, kernels);
  for (const DTypeRow& row : kDTypes) {
    FormatSpeed& format = speed.formats[static_cast<std::size_t>(row.dtype)];
    if (row.is_weight) {
      const Matrix all = matrix_at(memory, row.dtype, UINT32_MAX / 2);
      const Matrix some = matrix_at(memory, row.dtype, Bytes{kBatchRowsPerThread} * pool.n_threads());
      const double one_row = products.seconds(some, 1), batch = products.seconds(some, kBatch);
      const double n_products = static_cast<double>(some.n_rows) * kCols * kBatch;
      // The time model counts the reading of the weights beside the products.
      format.prompt_products_per_s = n_products / std::max(batch - one_row, batch / 2);
      if (is_beyond_caches) {
        const double n_bytes = static_cast<double>(all.n_panels()) * static_cast<double>(all.panel_stride);
        format.decode_bytes_per_s = kModelShare * n_bytes / products.seconds(all, 1);
      }
    }
    if (row.is_kv) {
      AttentionTimes attention(pool, kernels, memory, row.dtype);
      if (!attention.has_keys()) continue;
      format.attend_products_per_s = attention.products_per_s();
      if (is_beyond_caches) format.cache_bytes_per_s = attention.cache_bytes_per_s();
    }
  }
}

}  // namespace headroom
