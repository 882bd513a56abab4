// The K and V cache of one layer outside of any model, filled head by head: for the kernels that read it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "backend/cpu/kv_rows.h"
#include "format/decode.h"
#include "plan/kv_regions.h"

namespace headroom::test {

class FilledCache {
 public:
  struct Shape {
    DType k = DType::kF16, v = DType::kF16;
    std::uint32_t n_kv_heads = 1, head_dim = 64, n_keys = 256;
  };
  // Writes one head of one position.
  using Fill = std::function<void(bool is_keys, std::span<float> head)>;

  // Positions 0 to n_keys - 1 in one slot; its exact ends are as a decode behind them would find them.
  FilledCache(const KernelTable& kernels, const Shape& shape, const Fill& fill) {
    LayerSpec layer;
    layer.n_kv_heads = shape.n_kv_heads;
    layer.head_dim = shape.head_dim;
    const PlanOptions options{.n_ctx = shape.n_keys, .kv_k = shape.k, .kv_v = shape.v};
    for (const KvRegion& region : kv_regions(layer, options)) regions_.emplace_back(*kv_region_bytes(layer, region, 1));
    std::size_t next = 2;
    const auto exact = [&](DType dtype) {
      return kv_f16_rows_of(layer, dtype, options).n_rows() == 0 ? nullptr : regions_[next++].data();
    };
    keys = make_kv_cache(regions_[0].data(), exact(shape.k), KvPart::kKeys, layer, options);
    values = make_kv_cache(regions_[1].data(), exact(shape.v), KvPart::kValues, layer, options);
    const std::uint32_t n_ring = keys.has_ends() ? keys.ring.n_rows : values.ring.n_rows;
    exact_from = shape.n_keys - n_ring;
    std::vector<float> head(shape.head_dim);
    for (std::uint32_t position = 0; position < shape.n_keys; ++position) {
      for (std::uint32_t kv_head = 0; kv_head < shape.n_kv_heads; ++kv_head) {
        for (const bool is_keys : {true, false}) {
          fill(is_keys, head);
          put(kernels, is_keys, kv_head, position, head);
        }
      }
    }
  }

  double n_bytes() const {
    double sum = 0;
    for (const std::vector<std::byte>& region : regions_) sum += static_cast<double>(region.size());
    return sum;
  }
  // Of a cache of one KV head: what attention reads at a position.
  std::span<const float> read(bool is_keys, std::uint32_t position) const {
    const std::size_t n = keys.all.head_dim;
    return std::span(is_keys ? read_keys_ : read_values_).subspan(position * n, n);
  }

  KvCache keys, values;
  std::uint32_t exact_from = 0;

 private:
  void put(const KernelTable& kernels, bool is_keys, std::uint32_t kv_head, std::uint32_t position,
           const std::vector<float>& head) {
    const auto n = static_cast<std::uint32_t>(head.size());
    const KvCache& cache = is_keys ? keys : values;
    std::vector<std::byte> row(4UL * n + 64);
    std::vector<float> as_read((n + 31) / 32 * 32);
    const KvRows one{.lane = position % kPanelRows, .head_dim = n, .elems = head.data()};
    const auto put_in = [&](const KvView& view) {
      encode_kv_rows(kernels, KvScheme::kRotated, view.dtype, one, view.shifts, row.data());
      put_kv_rows(kernels, KvScheme::kRotated, view, is_keys ? KvPart::kKeys : KvPart::kValues, one, 0, kv_head,
                  position);
      decode_shifted_row(view.dtype, row.data(), n, view.shifts[one.lane], as_read.data());
    };
    put_in(cache.all);
    if (cache.has_ends()) {
      if (position < cache.sinks.n_rows) {
        put_in(cache.sinks);
      } else if (position >= exact_from) {
        put_in(cache.ring);
      }
    }
    std::vector<float>& all = is_keys ? read_keys_ : read_values_;
    all.insert(all.end(), as_read.begin(), as_read.begin() + n);
  }
  std::vector<std::vector<std::byte>> regions_;
  std::vector<float> read_keys_, read_values_;  // (n_keys, head_dim)
};

}  // namespace headroom::test
