// The check that a load makes: every set passes it, and it finds each kernel of the table that is a little wrong.
#include "backend/cpu/kernel_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "backend/cpu/kernel_list.h"
#include "base/cpu_features.h"
#include "contract/isa_test.h"
#include "format/dtype_table.h"
#include "model/weight_layout.h"

namespace headroom {
namespace {

class KernelCheck : public test::IsaTest {};

// The table of a set; of avx512vbmi also those with the look-ups that this machine does not choose for itself.
std::vector<KernelTable> tables_of(Isa isa) {
  std::vector<KernelTable> tables{make_kernel_table(isa)};
#if defined(__x86_64__)
  if (isa == Isa::kAvx512Vbmi) {
    for (const LabelLookUp look_up : {LabelLookUp::kRegister, LabelLookUp::kTwoRegisters, LabelLookUp::kMemory}) {
      if (look_up == fastest_label_look_up()) continue;
      tables.push_back(tables.front());
      isa_avx512vbmi::fill_grids(tables.back(), look_up);
    }
  }
#endif
  return tables;
}

TEST_P(KernelCheck, finds_nothing_wrong_with_a_set) {
  for (const KernelTable& table : tables_of(GetParam())) {
    const std::optional<KernelFault> fault = find_kernel_fault(table);
    EXPECT_FALSE(fault.has_value()) << (fault ? kernel_fault_text(GetParam(), *fault) : "");
  }
}

// What is wrong with the results of the kernel that is replaced.
enum class Seed {
  kLane,     // two lanes or elements have changed places
  kScale,    // a scale, or a result, is 2 % too large
  kGarbage,  // something was not written
  kOffset,   // one of them is off by 3 % of the largest, or a sum that goes with codes by one bit
  kEnd
};

// Of the kernel that is replaced now: its type, whether its set keeps rows for slabs whole, and the fault.
struct Current {
  Seed seed = Seed::kLane;
  DType type = DType::kF32;
  bool rows_are_whole = false;
};
Current current;

// Of n numbers, `step` apart. Neighbours that are alike would not show: the first that differ are taken.
void spoil(float* at, std::size_t n, std::size_t step = 1) {
  switch (current.seed) {
    case Seed::kLane:
      for (std::size_t i = 1; i < n; ++i) {
        if (std::abs(at[i * step] - at[(i - 1) * step]) <= 0.02F * std::abs(at[i * step])) continue;
        return std::swap(at[i * step], at[(i - 1) * step]);
      }
      return;
    case Seed::kScale:
      for (std::size_t i = 0; i < n; ++i) at[i * step] *= 1.02F;
      return;
    case Seed::kGarbage: at[(n - 1) * step] = std::nanf(""); return;
    default: {
      float largest = 0;
      for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(at[i * step]));
      at[n / 2 * step] += 0.03F * largest;
      return;
    }
  }
}
void flip(const void* at, std::size_t byte, std::uint8_t bits) {
  auto& to = static_cast<std::uint8_t*>(const_cast<void*>(at))[byte];
  to = static_cast<std::uint8_t>(to ^ bits);
}

void spoil_result(DotFn, const std::byte*, std::uint32_t, const ActTile& tile, float* out, std::uint32_t stride) {
  spoil(out + (tile.width - 1) * stride, kPanelRows);
}
void spoil_result(ColumnsFn, const std::byte*, std::uint32_t slab, const WantedColumns& wanted, float* out,
                  std::uint32_t stride) {
  constexpr std::uint32_t kColumn = 77;
  const bool is_wanted = (wanted.of_32[kColumn / 32] >> kColumn % 32 & 1U) != 0;
  if (slab == 0 && is_wanted) spoil(out + kColumn * stride, kPanelRows);
}
void spoil_result(UnpackFn, const std::byte*, std::uint32_t, std::uint32_t, std::byte* to) {
  switch (current.seed) {
    case Seed::kLane: {
      std::byte first[4];
      std::size_t other = 4;
      while (std::memcmp(to, to + other, 4) == 0) other += 4;
      std::memcpy(first, to, 4);
      std::memcpy(to, to + other, 4);
      std::memcpy(to + other, first, 4);
      return;
    }
    case Seed::kScale: return flip(to, kSlabCols * 16 + 3, 1);  // of a float's exponent, or of a byte's lowest bit
    case Seed::kGarbage: std::memset(to, 0x5A, 64); return;
    default: return flip(to, 5, 1);
  }
}
void spoil_result(DotSlabsFn, const SlabJob& job) {
  const std::size_t panel = (job.n_tiles - 1) * kPairPanels + job.n_panels - 1;
  spoil(job.out + (panel * kTileCols + job.tiles[job.n_tiles - 1].width - 1) * kPanelRows, kPanelRows);
}
void spoil_result(ValueFn, const ValueJob& job) {
  spoil(job.acc + std::size_t{job.n_queries - 1} * job.acc_stride, job.head_dim);
}

// Dwords of two words `step` apart, and scales.
void spoil_words(std::byte* words, std::size_t n, std::size_t step, float* scale) {
  switch (current.seed) {
    case Seed::kLane: return std::swap(words[0], words[step]), std::swap(words[1], words[step + 1]);
    case Seed::kScale: *scale *= 1.02F; return;
    case Seed::kGarbage: std::memset(words + (n - 1) * step, 0x5A, 4); return;
    default: *scale = 0.0F; return;
  }
}
void spoil_result(QueryWordsFn, const float*, std::uint32_t head_dim, float, std::uint32_t lane, std::byte* words,
                  float* scales) {
  spoil_words(words + 4UL * lane, head_dim / 2, 64, scales + lane);
}
void spoil_result(KeyWordsFn, const std::byte*, std::uint32_t head_dim, std::byte* words, float* scales) {
  if (current.seed == Seed::kScale) scales[7] *= 2.0F;  // a bound of the norm: three times as large would do
  spoil_words(words + 28, head_dim / 2, 64, scales + 7);
}
void spoil_result(ValueWordsFn, const std::byte*, std::uint32_t, std::uint32_t, const float*, std::byte* words,
                  float* scales) {
  spoil_words(words, 8, 4, scales);
}
void spoil_result(void (*)(const TileJob&), const TileJob& job) {
  if (current.seed == Seed::kScale) {
    for (int i = 0; i < 16; ++i) job.sums[i] *= 1.1F;
  }
  spoil(job.acc, kPanelRows);
}
void spoil_result(void (*)(const ResultJob&), const ResultJob& job) {
  spoil(job.outputs[job.n_queries - 1], job.head_dim);
}
void spoil_result(void (*)(const SoftmaxJob&), const SoftmaxJob& job) {
  if (current.seed == Seed::kOffset) {
    job.sums[0] *= 1.01F;
  } else {
    spoil(job.scores + job.stride, job.n_keys);
  }
}
void spoil_result(void (*)(const float*, std::uint32_t, float*), const float*, std::uint32_t n, float* maxima) {
  spoil(maxima, (n + kLogitBlock - 1) / kLogitBlock);
}
void spoil_result(void (*)(float*, std::uint32_t, const float*), float* head, std::uint32_t n, const float*) {
  spoil(head, n);
}
void spoil_result(void (*)(float*, std::uint32_t, float), float* numbers, std::uint32_t n, float) { spoil(numbers, n); }
void spoil_result(void (*)(const float*, std::uint32_t, std::byte*), const float*, std::uint32_t n, std::byte* out) {
  const std::size_t n_bytes = row_bytes(current.type, n);
  switch (current.seed) {
    case Seed::kLane: return std::swap(out[8], out[10]), std::swap(out[9], out[11]);
    case Seed::kScale: return flip(out, current.type == DType::kF8E4M3 ? n_bytes - 1 : 1, 4);
    case Seed::kGarbage: std::memset(out + n_bytes - 4, 0x5A, 4); return;
    default: return flip(out, 6, 32);
  }
}
void spoil_result(void (*)(const Q4Blocks&, std::uint32_t*, float*), const Q4Blocks&, std::uint32_t* quants,
                  float* scales) {
  if (current.seed == Seed::kScale) scales[14] *= 1.02F;
  if (current.seed == Seed::kGarbage) scales[2] = std::nanf("");
  if (current.seed == Seed::kLane) std::swap(scales[0], quants[5] == quants[6] ? scales[1] : scales[3]);
  if (current.seed == Seed::kLane || current.seed == Seed::kOffset) flip(quants, 21, 0x10);
}
void spoil_result(void (*)(const float*, const float*, std::uint32_t, float, float*), const float*, const float*,
                  std::uint32_t n, float, float* out) {
  spoil(out, n);
}
void spoil_result(void (*)(const float*, std::uint32_t, std::uint32_t, std::uint32_t, const ActTile&), const float*,
                  std::uint32_t, std::uint32_t, std::uint32_t column, const ActTile& tile) {
  switch (current.seed) {
    case Seed::kLane: return flip(tile.quants, (tile.width + column) * 32 + 9, 1);
    case Seed::kScale: return flip(tile.scales + tile.width + column, 3, 1);
    case Seed::kGarbage: return flip(tile.offset_corrections16 + 2 * (tile.width + column) + 1, 2, 1);
    default: return flip(tile.sums + column * 16, 9, 1);
  }
}
// Rows for slabs, and words.
void spoil_result(void (*)(const float*, std::uint32_t, std::uint32_t, const ActTile&), const float*, std::uint32_t n,
                  std::uint32_t column, const ActTile& tile) {
  if (tile.words != nullptr) {
    if (current.seed == Seed::kScale) return flip(tile.word_scales + tile.width + column, 3, 1);
    return flip(tile.words + (tile.width + column) * 64 + 9 * static_cast<int>(current.seed), 0, 1);
  }
  const bool whole = current.rows_are_whole;
  const std::int8_t* row = tile.quants + column * tile.row_stride;
  const std::size_t n_slabs = (n + 255) / 256;
  switch (current.seed) {
    case Seed::kLane: return flip(whole ? row : tile.quants + column * 32, 9, 1);
    case Seed::kScale: return whole ? flip(row, n + 3, 1) : flip(tile.scales + column, 3, 1);
    case Seed::kGarbage:
      return whole ? flip(row, n + n_slabs * 4, 1) : flip(tile.slab_offset_corrections + column, 0, 1);
    default:
      return whole ? flip(row, n + 2 * n_slabs * 4 + 4, 1) : flip(tile.offset_corrections + tile.width + column, 0, 1);
  }
}
void spoil_result(void (*)(float*, const float*, const float*, std::uint32_t), float* head, const float*, const float*,
                  std::uint32_t n) {
  spoil(head, n);
}
void spoil_result(void (*)(const float*, const ProductPlace&), const float*, const ProductPlace& to) {
  spoil(to.out + (to.n_cols - 1) * to.stride, to.n_rows);
}
void spoil_result(void (*)(const float*, const float*, const ProductPlace&), const float*, const float*,
                  const ProductPlace& to) {
  spoil(to.out + (to.n_cols - 1) * to.stride, to.n_rows);
}

void spoil_result(void (*)(float*, std::uint32_t, float, float), float* head, std::uint32_t n, float, float) {
  spoil(head, n);
}
void spoil_result(void (*)(const float*, const float*, std::uint32_t, float*), const float*, const float*,
                  std::uint32_t n, float* out) {
  spoil(out, n);
}
void spoil_result(void (*)(const ConvJob&), const ConvJob& job) {
  const bool is_state = current.seed == Seed::kOffset;
  spoil(is_state ? job.state + (job.width - 2) * job.stride : job.rows + (job.n_rows - 1) * job.stride, job.n_channels);
}
void spoil_result(void (*)(const DeltaJob&), const DeltaJob& job) {
  if (current.seed == Seed::kOffset) return spoil(job.state, std::size_t{job.key_dim} * job.value_dim);
  spoil(job.read + (job.n_rows - 1) * job.read_stride, job.value_dim);
}

// Calls the kernel that it stands for and spoils what it has done.
template <class Fn>
struct Wrong;
template <class... Args>
struct Wrong<void (*)(Args...)> {
  using Fn = void (*)(Args...);
  static inline Fn right = nullptr;
  static void call(Args... args) {
    right(args...);
    spoil_result(right, args...);
  }
};
template <class... Args>
struct Wrong<float (*)(Args...)> {
  using Fn = float (*)(Args...);
  static inline Fn right = nullptr;
  static float call(Args... args) {
    const float result = right(args...);
    return current.seed == Seed::kGarbage ? std::nanf("") : result + 1.0F;
  }
};

TEST_P(KernelCheck, finds_every_kernel_that_is_a_little_wrong) {
  const KernelTable right = make_kernel_table(GetParam());
  std::size_t n_replaced = 0;
  for (std::size_t entry = 0; entry < kNKernels; ++entry) {
    for (int seed = 0; seed < static_cast<int>(Seed::kEnd); ++seed) {
      KernelTable wrong = right;
      std::size_t at = 0;
      std::string name, format;
      for_each_kernel(wrong, [&](const char* kernel, int type, auto& function) {
        if (at++ != entry || function == nullptr) return;
        using Replaced = Wrong<std::remove_reference_t<decltype(function)>>;
        name = kernel;
        format = type == kNoType ? "" : kDTypes[static_cast<std::size_t>(type)].name;
        current = {static_cast<Seed>(seed), static_cast<DType>(type == kNoType ? 0 : type), right.tile_peak != nullptr};
        Replaced::right = function;
        function = Replaced::call;
      });
      if (name.empty()) break;  // the set has no such kernel
      ++n_replaced;
      const std::optional<KernelFault> fault = find_kernel_fault(wrong);
      ASSERT_TRUE(fault.has_value()) << name << " " << format << " with fault " << seed;
      const bool by_slabs = name == "unpack" || name == "dot_slabs";
      EXPECT_EQ(fault->kernel, by_slabs ? "unpack and dot_slabs" : name) << kernel_fault_text(GetParam(), *fault);
      EXPECT_EQ(fault->format, format) << kernel_fault_text(GetParam(), *fault);
    }
  }
  EXPECT_GE(n_replaced, 60 * static_cast<std::size_t>(Seed::kEnd));
}

// Rows for slabs have outliers apart, which are more than one fault each can show.
TEST_P(KernelCheck, finds_outliers_that_are_a_little_wrong) {
  static KernelTable right;
  static int fault;
  right = make_kernel_table(GetParam());
  KernelTable wrong = right;
  wrong.quantize_slabs = [](const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile) {
    right.quantize_slabs(in, n, column, tile);
    const std::size_t n_slabs = (n + 255) / 256;
    const auto* behind = tile.quants + column * tile.row_stride + n + n_slabs * 8 + n / 8;  // in a whole row
    const bool whole = right.tile_peak != nullptr;
    const void* outliers = whole ? static_cast<const void*>(behind) : tile.outliers + column;
    const void* counts =
        whole ? static_cast<const void*>(behind + n_slabs * sizeof(SlabOutliers)) : tile.outlier_counts + column;
    if (fault == 0) flip(outliers, 1, 1);                                    // of the first value
    if (fault == 1) flip(outliers, offsetof(SlabOutliers, columns) + 1, 1);  // the second column
    if (fault == 2) flip(counts, 0, 1);
  };
  for (fault = 0; fault < 3; ++fault) {
    const std::optional<KernelFault> found = find_kernel_fault(wrong);
    ASSERT_TRUE(found.has_value()) << "fault " << fault;
    EXPECT_EQ(found->kernel, "quantize_slabs") << fault;
  }
}

TEST(KernelCheckText, names_the_set_the_kernel_its_format_and_both_numbers) {
  const KernelFault fault{
      .kernel = "dot", .format = "Q4_K", .where = "element 3 of 2 columns", .expected = 1.5, .found = -2};
  EXPECT_EQ(kernel_fault_text(Isa::kScalar, fault),
            "kernels of scalar: dot of Q4_K, element 3 of 2 columns: expected 1.5, found -2");
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelCheck, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
