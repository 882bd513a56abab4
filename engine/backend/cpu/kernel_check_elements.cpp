// The check of what works element by element, of rotations, and of what measures the machine.
#include <algorithm>
#include <array>

#include "backend/candidates.h"
#include "backend/cpu/kernel_probe.h"
#include "backend/cpu/plain_kernels.h"
#include "format/rotation.h"
#include "model/tensor_roles.h"
#include "model/weight_layout.h"

namespace headroom {
namespace {

constexpr std::uint32_t kCols = 3, kStride = 20;  // of what is put into rows of a matrix

// Expects value(element of a panel, what stood there) where rows are, and nothing changed beside them.
template <class Put, class Value>
void check_put(KernelProbe& probe, const char* kernel, Put put, Value value) {
  for (const std::uint32_t n_rows : {16U, 5U}) {
    const std::vector<float> before = probe.reals(kCols * kStride);
    std::vector<float> out = before;
    probe.begin(kernel, kNoType, n_rows, "rows");
    put(ProductPlace{out.data(), kStride, kCols, n_rows});
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      const std::uint32_t row = i % kStride;
      const double expected = row < n_rows ? value(i / kStride * 16 + row, row, before[i]) : before[i];
      probe.expect(i, out[i], expected, row < n_rows ? 3e-6 * std::abs(expected) + 1e-6 : 0);
    }
  }
}

void check_puts(KernelProbe& probe) {
  const KernelTable& kernels = probe.kernels;
  const std::vector<float> products = probe.reals(kCols * 16), ups = probe.reals(kCols * 16), bias = probe.reals(16);
  check_put(
      probe, "put_products", [&](const ProductPlace& to) { kernels.put_products(products.data(), to); },
      [&](std::uint32_t i, std::uint32_t, double) { return products[i]; });
  check_put(
      probe, "add_products", [&](const ProductPlace& to) { kernels.add_products(products.data(), nullptr, to); },
      [&](std::uint32_t i, std::uint32_t, double before) { return before + products[i]; });
  check_put(
      probe, "add_products", [&](const ProductPlace& to) { kernels.add_products(products.data(), bias.data(), to); },
      [&](std::uint32_t i, std::uint32_t row, double before) { return before + products[i] + bias[row]; });
  check_put(
      probe, "silu_mul", [&](const ProductPlace& to) { kernels.silu_mul(products.data(), ups.data(), to); },
      [&](std::uint32_t i, std::uint32_t, double) { return silu_plainly(products[i]) * ups[i]; });
  check_put(
      probe, "gelu_mul", [&](const ProductPlace& to) { kernels.gelu_mul(products.data(), ups.data(), to); },
      [&](std::uint32_t i, std::uint32_t, double) { return gelu_plainly(products[i]) * ups[i]; });
  // Some of each reach the limits.
  std::vector<float> far = products, far_ups = ups;
  for (std::uint32_t i = 0; i < far.size(); ++i) {
    if (i % 3 == 0) far[i] *= 20.0F;
    if (i % 3 == 1) far_ups[i] *= 20.0F;
  }
  check_put(
      probe, "clamped_mul", [&](const ProductPlace& to) { kernels.clamped_mul(far.data(), far_ups.data(), to); },
      [&](std::uint32_t i, std::uint32_t, double) { return clamped_mul_plainly(far[i], far_ups[i]); });
}

// From what the cap hardly moves to what it bounds.
void check_softcap(KernelProbe& probe) {
  constexpr std::uint32_t kElems = 48;
  constexpr float kCap = 1.25F;
  std::vector<float> numbers = probe.reals(kElems);
  for (std::uint32_t i = 0; i < kElems; ++i) numbers[i] *= i % 3 == 0 ? 0.01F : i % 3 == 1 ? 1.0F : 50.0F;
  std::vector<float> found = numbers;
  found.resize(kElems + 3, -7.0F);
  probe.begin("softcap", kNoType, kElems, "numbers");
  probe.kernels.softcap(found.data(), kElems, kCap);
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    const double expected = i < kElems ? softcap_plainly(numbers[i], kCap) : -7.0;
    probe.expect(i, found[i], expected, i < kElems ? 5e-7 * kCap : 0);
  }
}

void check_norm(KernelProbe& probe) {
  constexpr std::uint32_t kElems = 45;  // two registers and a part of one
  constexpr float kEpsilon = 0.25F;
  const std::vector<float> in = probe.reals(kElems), weight = probe.reals(kElems);
  std::vector<float> out(kElems + 3, -7.0F);
  probe.begin("norm", kNoType, kElems, "elements");
  probe.kernels.norm(in.data(), weight.data(), kElems, kEpsilon, out.data());
  const double factor = 1.0 / std::sqrt(dot_plainly(in.data(), in.data(), kElems) / kElems + kEpsilon);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const double expected = i < kElems ? in[i] * factor * weight[i] : -7.0;
    probe.expect(i, out[i], expected, i < kElems ? 1e-5 * std::abs(expected) : 0);
  }
}

// Several blocks and a part of one, with all that is no finite number.
void check_logits(KernelProbe& probe) {
  constexpr std::uint32_t kElems = 3 * kLogitBlock + 21, kBlocks = 4;
  std::vector<float> logits = probe.reals(kElems);
  logits[3] = std::nanf("");
  logits[kElems - 1] = -INFINITY;
  const auto check = [&] {
    std::vector<float> maxima(kBlocks + 1, -7.0F);
    std::vector<double> expected(kBlocks, -double{kLargestLogit});
    for (std::uint32_t i = 0; i < kElems; ++i)
      expected[i / kLogitBlock] = std::max<double>(expected[i / kLogitBlock], finite_logit(logits[i]));
    probe.begin("block_maxima", kNoType, kElems, "logits");
    probe.kernels.block_maxima(logits.data(), kElems, maxima.data());
    for (std::uint32_t i = 0; i < kBlocks; ++i) probe.expect(i, maxima[i], expected[i], 0);
    probe.expect(kBlocks, maxima[kBlocks], -7.0, 0);
    const double most = *std::max_element(expected.begin(), expected.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(finite_logit(logit) - most);
    probe.begin("sum_exps", kNoType, kElems, "logits");
    probe.expect(0, probe.kernels.sum_exps(logits.data(), kElems, static_cast<float>(most)), sum, kMostSumError * sum);
  };
  check();
  logits[kLogitBlock + 40] = INFINITY;
  check();
}

void check_turn(KernelProbe& probe, bool neighbours) {
  for (const std::uint32_t n : {40U, 64U}) {
    const std::vector<float> head = probe.reals(n + 3);
    const PlainTurn turn(probe.reals(n / 2), neighbours);
    const std::vector<double> expected = turn.turned(head);
    std::vector<float> turned = head;
    probe.begin(neighbours ? "turn_neighbours" : "turn_halves", kNoType, n, "elements");
    (neighbours ? probe.kernels.turn_neighbours : probe.kernels.turn_halves)(turned.data(), turn.cosines.data(),
                                                                             turn.sines.data(), n);
    for (std::uint32_t i = 0; i < turned.size(); ++i) probe.expect(i, turned[i], expected[i], i < n ? 1e-6 : 0);
  }
}

std::vector<float> rotation_factors(std::uint32_t head_dim) {
  std::vector<float> factors(head_dim);
  for (std::uint32_t i = 0; i < head_dim; ++i) factors[i] = rotation_factor(head_dim, i);
  return factors;
}

std::vector<float> rotated(std::vector<float> head) {
  rotate_head(head);
  return head;
}

// 8 sums of magnitudes below 13 in f32, here and in the kernel.
constexpr double kRotationOff = 1e-5;

void check_rotation(KernelProbe& probe, std::uint32_t head_dim) {
  const std::vector<float> head = probe.reals(head_dim), factors = rotation_factors(head_dim);
  const std::vector<float> expected = rotated(head);
  std::vector<float> found = head;
  probe.begin("rotate", kNoType, head_dim, "elements");
  probe.kernels.rotate(found.data(), head_dim, factors.data());
  for (std::uint32_t i = 0; i < head_dim; ++i) probe.expect(i, found[i], expected[i], kRotationOff);
  found = expected;
  probe.begin("unrotate", kNoType, head_dim, "elements");
  probe.kernels.unrotate(found.data(), head_dim, factors.data());
  for (std::uint32_t i = 0; i < head_dim; ++i) probe.expect(i, found[i], head[i], kRotationOff);
}

// What was rotated comes back, out of the lanes of its queries.
void check_results(KernelProbe& probe, std::uint32_t head_dim, std::uint32_t n_queries, bool is_rotated) {
  const std::vector<float> factors = rotation_factors(head_dim), heads = probe.reals(n_queries * head_dim);
  std::vector<float> acc = probe.reals(std::size_t{head_dim} * kPanelRows), sums(kPanelRows), out(heads.size());
  std::vector<float*> outputs;
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) sums[lane] = 0.5F + static_cast<float>(lane) / 8;
  for (std::uint32_t query = 0; query < n_queries; ++query) {
    const std::vector<float> head(heads.begin() + query * head_dim, heads.begin() + (query + 1) * head_dim);
    const std::vector<float> kept = is_rotated ? rotated(head) : head;
    for (std::uint32_t i = 0; i < head_dim; ++i) acc[i * kPanelRows + query] = kept[i] * sums[query];
    outputs.push_back(out.data() + std::size_t{query} * head_dim);
  }
  probe.begin("take_results", kNoType, n_queries, is_rotated ? "rotated queries" : "queries");
  probe.kernels.take_results({.acc = acc.data(),
                              .sums = sums.data(),
                              .rotation = is_rotated ? factors.data() : nullptr,
                              .head_dim = head_dim,
                              .n_queries = n_queries,
                              .outputs = outputs.data()});
  for (std::size_t i = 0; i < out.size(); ++i) probe.expect(i, out[i], heads[i], kRotationOff);
}

}  // namespace

void check_elementwise(KernelProbe& probe) {
  check_puts(probe);
  check_softcap(probe);
  check_norm(probe);
  check_logits(probe);
  check_turn(probe, true);
  check_turn(probe, false);
}

// Blocks of each size that has code of its own, in registers and through memory, one and several to a head.
void check_rotations(KernelProbe& probe) {
  for (const std::uint32_t head_dim : {20U, 64U, 80U, 96U, 128U}) check_rotation(probe, head_dim);
  check_results(probe, 80, 6, true);
  check_results(probe, 64, kPanelRows, true);
  check_results(probe, 34, 7, false);
}

void check_peaks(KernelProbe& probe) {
  constexpr std::uint32_t kRounds = 3, kUnits = 5;
  probe.begin("int8_peak", kNoType, kRounds, "rounds");
  probe.expect(0, probe.kernels.int8_peak(kRounds), kRounds * kPeakSumPerRound, 0);
  if (probe.kernels.tile_peak != nullptr) {
    probe.begin("tile_peak", kNoType, kRounds, "rounds");
    probe.expect(0, probe.kernels.tile_peak(kRounds), kRounds * kTilePeakSumPerRound, 0);
  }
  std::array<std::int32_t, kUnits * kReadUnitBytes / 4> numbers;
  std::int32_t sum = 0;
  for (std::int32_t& number : numbers) sum += number = probe.whole(-1000, 1000);
  probe.begin("read", kNoType, kUnits, "units");
  probe.expect(0, probe.kernels.read(reinterpret_cast<const std::byte*>(numbers.data()), kUnits), sum, 0);
}

}  // namespace headroom
