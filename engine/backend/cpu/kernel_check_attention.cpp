// The check of what keeps rows in a cache and attends to them.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <numbers>

#include "backend/cpu/kernel_probe.h"
#include "backend/cpu/kv_rows.h"
#include "backend/cpu/panel.h"
#include "backend/cpu/plain_kernels.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "model/weight_layout.h"

namespace headroom {
namespace {

constexpr std::uint32_t kHeadDim = 80;  // two blocks of 32 and a part of one; a register is full, or none
constexpr std::uint32_t kWidth = 96;    // its accumulators

// The most by which a number in a row of a type is off, where the largest of the row is `most`.
double encoding_off(DType type, double x, double most) {
  if (type == DType::kF16) return std::abs(x) * 0x1p-11 + 0x1p-25;
  if (type == DType::kQ8_0) return most / 254 * 1.002 + most * 0x1p-11;
  if (type == DType::kF8E4M3) return std::abs(x) * 0x1p-4 * 1.002 + most * 0x1p-11;  // three bits behind the first
  CHECK(false, "the table has no kernel that encodes this type");
}

void check_encode(KernelProbe& probe, DType type) {
  const auto encode = probe.kernels.encode[index_of(type)];
  for (const std::uint32_t n : {64U, kHeadDim, 20U}) {
    const std::vector<float> row = probe.reals(n);
    std::vector<std::byte> bytes(row_bytes(type, n) + 3, std::byte{0x55});  // what stands behind is left alone
    std::vector<float> decoded(n);
    probe.begin("encode", type, n, "elements");
    encode(row.data(), n, bytes.data());
    decode_row(type, bytes.data(), n, decoded.data());
    float most = 0;
    for (const float x : row) most = std::max(most, std::abs(x));
    for (std::uint32_t i = 0; i < n; ++i) probe.expect(i, decoded[i], row[i], encoding_off(type, row[i], most));
    for (std::size_t i = row_bytes(type, n); i < bytes.size(); ++i)
      probe.expect(i, std::to_integer<int>(bytes[i]), 0x55, 0);
  }
}

// Rows that Q4_0 can hold: codes and scale are found again.
void check_quantize_q4(KernelProbe& probe) {
  Q4Blocks blocks{.n_blocks = kPanelRows - 1, .divisors = kQ4ScaleDivisors, .n_divisors = std::size(kQ4ScaleDivisors)};
  std::array<std::array<float, 32>, kPanelRows> elems;
  std::array<std::array<int, 32>, kPanelRows> codes;
  std::array<float, kPanelRows> scales{}, found{};
  std::uint32_t quants[4][kPanelRows];
  for (std::uint32_t lane = 0; lane < blocks.n_blocks; ++lane) {
    blocks.elems[lane] = elems[lane].data();
    blocks.n_elems[lane] = lane == 4 ? 20 : 32;
    blocks.shifts[lane] = lane % 2 == 0 ? 0.0F : value_shift(lane);
    scales[lane] = static_cast<float>(probe.whole(10, 40)) / 32.0F;
    for (std::uint32_t i = 0; i < 32; ++i) {
      codes[lane][i] = i == 3 ? 0 : probe.whole(1, 15);
      elems[lane][i] = scales[lane] * (static_cast<float>(codes[lane][i] - 8) + blocks.shifts[lane]);
    }
  }
  probe.begin("quantize_q4", kNoType, blocks.n_blocks, "blocks");
  probe.kernels.quantize_q4(blocks, quants[0], found.data());
  for (std::uint32_t lane = 0; lane < blocks.n_blocks; ++lane) {
    probe.expect(lane * 32, found[lane], scales[lane], 1e-5 * scales[lane]);
    for (std::uint32_t i = 0; i < blocks.n_elems[lane]; ++i) {
      const std::uint32_t byte = quants[i % 16 / 4][lane] >> (8 * (i % 4)) & 255U;
      probe.expect(lane * 32 + i, i < 16 ? byte & 15U : byte >> 4, codes[lane][i], 0);
    }
  }
}

// Keys or values of a cache as they are kept, and as numbers.
struct CheckCache {
  std::vector<std::byte> groups;
  std::vector<float> rows;  // (n, kHeadDim)
  std::array<float, kPanelRows> shifts{};

  CheckCache(KernelProbe& probe, DType type, std::uint32_t n, bool are_keys) : rows(n * kHeadDim) {
    const Bytes stride = row_bytes(type, kHeadDim), group_bytes = stride * kPanelRows;
    groups.resize(div_up(n, kPanelRows) * group_bytes);
    std::vector<std::byte> bytes(stride);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t lane = i % kPanelRows;
      std::byte* group = groups.data() + i / kPanelRows * group_bytes;
      if (!are_keys && type == DType::kQ4_0) shifts[lane] = value_shift(lane);
      encode_row(type, probe.reals(kHeadDim).data(), kHeadDim, bytes.data());
      decode_shifted_row(type, bytes.data(), kHeadDim, shifts[lane], row(i));
      if (are_keys) {
        put_panel_row(type, kHeadDim, lane, bytes.data(), group);
      } else {
        put_value_row(type, kHeadDim, lane, bytes.data(), group);
      }
    }
  }
  float* row(std::uint32_t i) { return rows.data() + std::size_t{i} * kHeadDim; }
  const float* row(std::uint32_t i) const { return rows.data() + std::size_t{i} * kHeadDim; }
};

void check_values(KernelProbe& probe, DType type) {
  constexpr std::uint32_t kKeys = 21, kQueries = 7, kPadded = 32;  // queries by four, two and one
  const CheckCache cache(probe, type, kKeys, false);
  std::vector<float> weights(kQueries * kPadded), factors = probe.reals(kQueries), acc(kQueries * kWidth);
  for (std::uint32_t i = 0; i < weights.size(); ++i) weights[i] = i % kPadded < kKeys ? std::abs(probe.real()) : 0.0F;
  for (std::uint32_t i = 0; i < acc.size(); ++i) acc[i] = i % kWidth < kHeadDim ? probe.real() : 0.0F;
  const std::vector<float> before = acc;
  probe.begin("values", type, kQueries, "queries");
  probe.kernels.values[index_of(type)]({.groups = cache.groups.data(),
                                        .n_keys = kKeys,
                                        .head_dim = kHeadDim,
                                        .n_queries = kQueries,
                                        .weights = weights.data(),
                                        .weight_stride = kPadded,
                                        .factors = factors.data(),
                                        .shifts = cache.shifts.data(),
                                        .acc = acc.data(),
                                        .acc_stride = kWidth});
  for (std::uint32_t query = 0; query < kQueries; ++query) {
    for (std::uint32_t i = 0; i < kHeadDim; ++i) {
      double expected = double{before[query * kWidth + i]} * factors[query], size = std::abs(expected);
      for (std::uint32_t key = 0; key < kKeys; ++key) {
        const double product = double{weights[query * kPadded + key]} * cache.row(key)[i];
        expected += product;
        size += weights[query * kPadded + key] * 3.0;  // what shifted codes are below, which are summed apart
      }
      probe.expect(query * kHeadDim + i, acc[query * kWidth + i], expected, size * kKeys * 0x1p-23);
    }
  }
}

void check_softmax(KernelProbe& probe) {
  constexpr std::uint32_t kKeys = 48, kStride = 52, kQueries = 3;
  constexpr std::array<std::int32_t, kQueries> kFirst{0, 5, 9}, kLast{48, 37, 9};  // all, some and none
  const std::vector<float> before = probe.reals(kQueries * kStride);
  std::vector<float> scores = before;
  std::array<float, kQueries> maxima{0.5F, 3.0F, 0.25F}, sums{2.0F, 3.0F, 4.0F}, factors{};
  const std::array<float, kQueries> old_maxima = maxima, old_sums = sums;
  probe.begin("softmax", kNoType, kQueries, "queries");
  probe.kernels.softmax({.scores = scores.data(),
                         .n_queries = kQueries,
                         .n_keys = kKeys,
                         .stride = kStride,
                         .first = kFirst.data(),
                         .last = kLast.data(),
                         .maxima = maxima.data(),
                         .sums = sums.data(),
                         .factors = factors.data()});
  for (std::uint32_t query = 0; query < kQueries; ++query) {
    const auto is_seen = [&](std::uint32_t key) {
      return static_cast<std::int32_t>(key) >= kFirst[query] && static_cast<std::int32_t>(key) < kLast[query];
    };
    double most = old_maxima[query];
    for (std::uint32_t key = 0; key < kKeys; ++key) {
      if (is_seen(key)) most = std::max<double>(most, before[query * kStride + key]);
    }
    const double factor = std::exp(old_maxima[query] - most);
    double sum = old_sums[query] * factor;
    for (std::uint32_t key = 0; key < kStride; ++key) {
      const std::size_t at = query * kStride + key;
      const double weight = is_seen(key) ? std::exp(before[at] - most) : 0.0,
                   expected = key < kKeys ? weight : before[at];
      sum += key < kKeys ? weight : 0.0;
      probe.expect(at, scores[at], expected, key < kKeys ? 2e-6 * expected : 0);
    }
    probe.expect(query, maxima[query], most, 0);
    probe.expect(query, factors[query], factor, 2e-6);
    probe.expect(query, sums[query], sum, 1e-5 * sum);
  }
}

// Elements are words times a scale, which is no larger than it need be: a word is off by half a step, and by what its
// own rounding in f32 adds.
void expect_words(KernelProbe& probe, std::size_t element, std::int16_t word, double scale, double expected) {
  probe.expect(element, word * scale, expected, 0.505 * scale + 1e-6 * std::abs(expected));
}
std::int16_t word_of(const std::vector<std::byte>& words, std::size_t dword, std::size_t which) {
  std::int16_t word = 0;
  std::memcpy(&word, words.data() + dword * 4 + which * 2, 2);
  return word;
}
void check_query_words(KernelProbe& probe) {
  constexpr float kFactor = 0.125F;
  std::vector<std::byte> words(kHeadDim * kPanelRows * 2);
  std::array<float, kPanelRows> scales{};
  for (const std::uint32_t lane : {0U, 11U}) {
    const std::vector<float> query = probe.reals(kHeadDim);
    probe.begin("query_words", kNoType, lane, "as its lane");
    probe.kernels.query_words(query.data(), kHeadDim, kFactor, lane, words.data(), scales.data());
    const double step = norm_plainly(query.data(), kHeadDim) / 32767.0;
    probe.expect(0, scales[lane], step * kFactor * 1.4426950408889634, 1e-5 * step);
    for (std::uint32_t i = 0; i < kHeadDim; ++i)
      expect_words(probe, i, word_of(words, i / 2 * kPanelRows + lane, i % 2), step, query[i]);
  }
}

void check_key_words(KernelProbe& probe, DType type) {
  const CheckCache cache(probe, type, kPanelRows, true);
  std::vector<std::byte> words(kHeadDim * kPanelRows * 2);
  std::array<float, kPanelRows> scales{};
  probe.begin("key_words", type, kHeadDim, "elements");
  probe.kernels.key_words[index_of(type)](cache.groups.data(), kHeadDim, words.data(), scales.data());
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
    const double least =
        norm_plainly(cache.row(lane), kHeadDim) / 32767.0;  // 1 to 3 times that, as a bound of the norm has it
    probe.expect(lane, scales[lane], 2 * least, 1.01 * least);
    for (std::uint32_t i = 0; i < kHeadDim; ++i) {
      expect_words(probe, lane * kHeadDim + i, word_of(words, i / 2 * kPanelRows + lane, i % 2), scales[lane],
                   cache.row(lane)[i]);
    }
  }
}

void check_value_words(KernelProbe& probe, DType type) {
  constexpr std::uint32_t kKeys = 21;
  const CheckCache cache(probe, type, kKeys, false);
  std::vector<std::byte> words(32 / 2 * kWidth * 4);
  std::array<float, kWidth> scales{};
  probe.begin("value_words", type, kKeys, "keys");
  probe.kernels.value_words[index_of(type)](cache.groups.data(), kKeys, kHeadDim, cache.shifts.data(), words.data(),
                                            scales.data());
  for (std::uint32_t i = 0; i < kHeadDim; ++i) {
    double sum = 0, most = 0;
    for (std::uint32_t key = 0; key < kKeys; ++key) {
      sum += std::abs(cache.row(key)[i]);
      most = std::max<double>(most, std::abs(cache.row(key)[i]));
    }
    const double scale = std::max(sum / (131072.0 - 2 * kKeyChunk), most / 32767.0);
    probe.expect(i, scales[i], scale, 1e-5 * scale);
    for (std::uint32_t key = 0; key < 32; ++key) {
      expect_words(probe, key * kHeadDim + i, word_of(words, key / 2 * kWidth + i, key % 2), scales[i],
                   key < kKeys ? cache.row(key)[i] : 0.0);
    }
  }
}

}  // namespace

void check_kv_rows(KernelProbe& probe) {
  for (const DTypeRow& type : kDTypes) {
    const std::size_t index = index_of(type.dtype);
    if (probe.kernels.encode[index] != nullptr) check_encode(probe, type.dtype);
    if (probe.kernels.values[index] != nullptr) check_values(probe, type.dtype);
    if (probe.kernels.key_words[index] != nullptr) check_key_words(probe, type.dtype);
    if (probe.kernels.value_words[index] != nullptr) check_value_words(probe, type.dtype);
  }
  check_quantize_q4(probe);
  check_softmax(probe);
  check_query_words(probe);
}

namespace {

// Two panels of queries and two chunks of keys, of which the second is seen in part.
struct TileCheck {
  static constexpr std::uint32_t kLanes = kTilePanels * kPanelRows, kKeys = 32, kDistinct = 7;
  static constexpr float kFactor = 0.25F;
  float softcap;  // 0: none
  CheckCache keys, values;
  std::vector<float> queries, query_scales, key_scales, value_scales, first, last, scores, acc, maxima, sums;
  std::vector<std::byte> query_words, key_words, value_words;

  TileCheck(KernelProbe& probe, float cap)
      : softcap(cap),
        keys(probe, DType::kF16, 2 * kKeys, true),
        values(probe, DType::kF16, 2 * kKeys, false),
        queries(probe.reals(kDistinct * kHeadDim)),
        query_scales(kLanes),
        key_scales(kKeys),
        value_scales(kWidth),
        first(kLanes),
        last(kLanes),
        scores(kTilePanels * kKeyChunk * kPanelRows),
        acc(kLanes * kWidth),
        maxima(kLanes, kNoScore),
        sums(kLanes),
        query_words(kLanes * kHeadDim * 2),
        key_words(kKeys * kHeadDim * 2),
        value_words(kKeys / 2 * kWidth * 4) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t panel = lane / kPanelRows;
      probe.kernels.query_words(queries.data() + std::size_t{lane % kDistinct} * kHeadDim, kHeadDim, kFactor,
                                lane % kPanelRows, query_words.data() + panel * kHeadDim * kPanelRows * 2,
                                query_scales.data() + panel * kPanelRows);
      first[lane] = static_cast<float>(first_of(lane));
      last[lane] = static_cast<float>(last_of(lane));
    }
  }
  static std::uint32_t first_of(std::uint32_t lane) { return lane % kDistinct; }
  static std::uint32_t last_of(std::uint32_t lane) { return kKeys - 2 * (lane % kDistinct); }

  void attend(const KernelTable& kernels, std::uint32_t chunk) {
    const Bytes group_bytes = row_bytes(DType::kF16, kHeadDim) * kPanelRows;
    const std::size_t first_group = chunk * (kKeys / kPanelRows);
    for (std::uint32_t group = 0; group < kKeys / kPanelRows; ++group) {
      kernels.key_words[index_of(DType::kF16)](keys.groups.data() + (first_group + group) * group_bytes, kHeadDim,
                                               key_words.data() + group * kPanelRows * kHeadDim * 2,
                                               key_scales.data() + group * kPanelRows);
    }
    kernels.value_words[index_of(DType::kF16)](values.groups.data() + first_group * group_bytes, kKeys, kHeadDim,
                                               values.shifts.data(), value_words.data(), value_scales.data());
    kernels.attend_tile({.n_panels = kTilePanels,
                         .head_dim = kHeadDim,
                         .n_keys = kKeys,
                         .queries = query_words.data(),
                         .keys = key_words.data(),
                         .values = value_words.data(),
                         .query_scales = query_scales.data(),
                         .key_scales = key_scales.data(),
                         .value_scales = value_scales.data(),
                         .softcap = softcap * std::numbers::log2e_v<float>,
                         .all_seen = chunk == 0,
                         .first = first.data(),
                         .last = last.data(),
                         .scores = scores.data(),
                         .acc = acc.data(),
                         .maxima = maxima.data(),
                         .sums = sums.data()});
  }

  // The attention of one query over all keys that it sees.
  std::vector<double> expected(std::uint32_t lane) const {
    std::vector<double> of_seen;
    std::vector<const float*> seen;
    for (std::uint32_t key = 0; key < 2 * kKeys; ++key) {
      if (key >= kKeys && (key - kKeys < first_of(lane) || key - kKeys >= last_of(lane))) continue;
      const float* query = queries.data() + std::size_t{lane % kDistinct} * kHeadDim;
      of_seen.push_back(softcap_plainly(kFactor * dot_plainly(query, keys.row(key), kHeadDim), softcap));
      seen.push_back(values.row(key));
    }
    return attend_plainly(of_seen, seen, kHeadDim);
  }
};

// Weights are off by half of 16,384 steps of the largest, for 64 keys at most 2e-3 in all, and scores by the steps of
// 80 elements of queries and keys, which move weights by less than 1e-3 of themselves. Values are below 1.6.
void check_tile(KernelProbe& probe, float softcap) {
  constexpr double kMostOff = 5e-3;
  TileCheck check(probe, softcap);
  probe.begin("attend_tile", kNoType, TileCheck::kLanes, softcap > 0 ? "queries with a cap" : "queries");
  for (const std::uint32_t chunk : {0U, 1U}) check.attend(probe.kernels, chunk);
  std::array<std::vector<double>, TileCheck::kDistinct> expected;
  for (std::uint32_t lane = 0; lane < TileCheck::kDistinct; ++lane) expected[lane] = check.expected(lane);
  for (std::uint32_t lane = 0; lane < TileCheck::kLanes; ++lane) {
    const float* acc = check.acc.data() + lane / kPanelRows * kPanelRows * kWidth + lane % kPanelRows;
    for (std::uint32_t i = 0; i < kHeadDim; ++i) {
      probe.expect(lane * kHeadDim + i, acc[std::size_t{i} * kPanelRows] / check.sums[lane],
                   expected[lane % TileCheck::kDistinct][i], kMostOff);
    }
  }
}
}  // namespace

void check_attention(KernelProbe& probe) {
  check_tile(probe, 0.0F);
  check_tile(probe, 1.5F);  // below a good part of the scores
}

}  // namespace headroom
