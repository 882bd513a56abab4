// The check of the kernels of delta nets and of gates.
#include <algorithm>

#include "backend/cpu/kernel_probe.h"
#include "backend/cpu/plain_kernels.h"

namespace headroom {
namespace {

void check_l2_norm(KernelProbe& probe) {
  constexpr std::uint32_t kElems = 45;  // two registers and a part of one
  constexpr float kEpsilon = 0.25F, kLength = 0.75F;
  const std::vector<float> in = probe.reals(kElems + 3);
  std::vector<float> out = in;
  probe.begin("l2_norm", kNoType, kElems, "elements");
  probe.kernels.l2_norm(out.data(), kElems, kEpsilon, kLength);
  const double factor = kLength / std::sqrt(dot_plainly(in.data(), in.data(), kElems) + kEpsilon);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const double expected = i < kElems ? in[i] * factor : in[i];
    probe.expect(i, out[i], expected, i < kElems ? 1e-6 * std::abs(expected) : 0);
  }
}

template <class Kernel, class Plain>
void check_gate(KernelProbe& probe, const char* name, Kernel kernel, Plain plainly) {
  constexpr std::uint32_t kElems = 45;
  const std::vector<float> values = probe.reals(kElems), gates = probe.reals(kElems);
  std::vector<float> out(kElems + 3, -7.0F);
  probe.begin(name, kNoType, kElems, "elements");
  kernel(values.data(), gates.data(), kElems, out.data());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const double expected = i < kElems ? values[i] * plainly(gates[i]) : -7.0;
    probe.expect(i, out[i], expected, i < kElems ? 3e-6 * std::abs(expected) + 1e-7 : 0);
  }
}

// Whole registers and a part of one; what the state holds of an empty slot is no number.
void check_conv(KernelProbe& probe, std::uint32_t width, bool is_new, bool is_gated) {
  constexpr std::uint32_t kRows = 6, kChannels = 37, kStride = 40;
  const std::vector<float> taps = probe.reals(width * kStride), before = probe.reals((width - 1) * kStride),
                           in = probe.reals(kRows * kStride), factors = probe.reals(kRows * kStride),
                           gates = probe.reals(kRows * kStride);
  std::vector<float> rows = in, state = before;
  if (is_new) std::fill(state.begin(), state.end(), std::nanf(""));
  probe.begin("convolve", kNoType, width, "taps");
  probe.kernels.convolve({.rows = rows.data(),
                          .factors = is_gated ? factors.data() : nullptr,
                          .gates = is_gated ? gates.data() : nullptr,
                          .stride = kStride,
                          .n_rows = kRows,
                          .n_channels = kChannels,
                          .width = width,
                          .taps = taps.data(),
                          .state = state.data(),
                          .is_new = is_new});
  // What went in, counted from the oldest that the state holds.
  const auto input = [&](std::uint32_t index, std::uint32_t channel) -> double {
    if (index + 1 < width) return is_new ? 0.0F : before[index * kStride + channel];
    const std::uint32_t at = (index + 1 - width) * kStride + channel;
    return is_gated ? in[at] * factors[at] : in[at];
  };
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t channel = 0; channel < kStride; ++channel) {
      double sum = 0;
      for (std::uint32_t tap = 0; tap < width && channel < kChannels; ++tap)
        sum += taps[tap * kStride + channel] * input(row + tap, channel);
      const std::uint32_t at = row * kStride + channel;
      const double expected = is_gated ? gates[at] * sum : silu_plainly(sum);
      probe.expect(at, rows[at], channel < kChannels ? expected : in[at], channel < kChannels ? 1e-5 : 0);
    }
  }
  for (std::uint32_t i = 0; i < (width - 1) * kStride; ++i) {
    if (i % kStride < kChannels) probe.expect(i, state[i], input(kRows + i / kStride, i % kStride), 0);
  }
}

// Rows of every chunk that a set has, and heads that fill no register.
void check_rule(KernelProbe& probe, std::uint32_t n_rows, std::uint32_t value_dim, bool is_new) {
  constexpr std::uint32_t kKeyDim = 21;
  const std::uint32_t stride = 2 * kKeyDim + value_dim;
  std::vector<float> mixed = probe.reals(std::size_t{n_rows} * stride), rates = probe.reals(2UL * n_rows);
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    for (std::uint32_t head = 0; head < 2; ++head) {
      float* elems = mixed.data() + row * stride + head * kKeyDim;
      const auto length = static_cast<float>(norm_plainly(elems, kKeyDim));
      std::transform(elems, elems + kKeyDim, elems, [length](float x) { return x / length; });
    }
    rates[2UL * row] = -std::abs(rates[2UL * row]);
    rates[2UL * row + 1] = static_cast<float>(sigmoid_plainly(rates[2UL * row + 1]));
  }
  PlainState expected{kKeyDim, value_dim};
  std::vector<float> state(expected.elems.size());
  for (std::size_t i = 0; i < kKeyDim; ++i) {
    for (std::size_t n = 0; n < value_dim; ++n) {
      const float elem = is_new ? 0.0F : probe.real();
      expected.elems[i * value_dim + n] = elem;
      state[expected.place(i, n)] = is_new ? std::nanf("") : elem;
    }
  }
  std::vector<float> read(std::size_t{n_rows} * value_dim);
  probe.begin("delta_rule", kNoType, n_rows, "rows");
  probe.kernels.delta_rule({.queries = mixed.data(),
                            .keys = mixed.data() + kKeyDim,
                            .values = mixed.data() + 2UL * kKeyDim,
                            .stride = stride,
                            .decays = rates.data(),
                            .betas = rates.data() + 1,
                            .rate_stride = 2,
                            .state = state.data(),
                            .read = read.data(),
                            .read_stride = value_dim,
                            .n_rows = n_rows,
                            .key_dim = kKeyDim,
                            .value_dim = value_dim,
                            .is_new = is_new});
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    const float* query = mixed.data() + std::size_t{row} * stride;
    const std::vector<double> of_row =
        expected.step(query, query + kKeyDim, query + 2UL * kKeyDim, rates[2UL * row], rates[2UL * row + 1]);
    for (std::uint32_t n = 0; n < value_dim; ++n)
      probe.expect(row * value_dim + n, read[row * value_dim + n], of_row[n], 2e-5);
  }
  for (std::size_t i = 0; i < kKeyDim; ++i) {
    for (std::size_t n = 0; n < value_dim; ++n)
      probe.expect(i, state[expected.place(i, n)], expected.elems[i * value_dim + n], 2e-5);
  }
}

}  // namespace

void check_delta_net(KernelProbe& probe) {
  check_l2_norm(probe);
  check_gate(probe, "gate_sigmoid", probe.kernels.gate_sigmoid, sigmoid_plainly);
  check_gate(probe, "gate_silu", probe.kernels.gate_silu, silu_plainly);
  for (std::uint32_t width = 2; width <= 8; ++width) {
    check_conv(probe, width, width % 2 == 0, false);
    check_conv(probe, width, width % 2 != 0, true);
  }
  for (const std::uint32_t n_rows : {1U, 2U, 3U, 4U, 8U, 23U}) check_rule(probe, n_rows, 37, n_rows % 2 == 0);
  check_rule(probe, 15, 32, false);
}

}  // namespace headroom
