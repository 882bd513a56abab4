// The tool of all parts of find_kernel_fault(): numbers to compute with, and the comparison of results.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "backend/cpu/kernel_check.h"
#include "backend/cpu/kernel_list.h"
#include "format/dtype.h"

namespace headroom {

// The place of a type in tables with an entry for each.
inline std::size_t index_of(DType type) { return static_cast<std::size_t>(type); }

// Compares results with expected numbers, and keeps the first that differs.
class KernelProbe {
 public:
  explicit KernelProbe(const KernelTable& table) : kernels(table) {}
  const KernelTable& kernels;

  // Names the kernel of the results that follow, for the message. `n` and `unit` say for which shape: 7 "columns".
  void begin(const char* kernel, int type, std::uint32_t n, const char* unit) {
    kernel_ = kernel, type_ = type, n_ = n, unit_ = unit;
  }
  void begin(const char* kernel, DType type, std::uint32_t n, const char* unit) {
    begin(kernel, static_cast<int>(type), n, unit);
  }
  // NaN differs from everything.
  void expect(std::size_t element, double found, double expected, double most_off) {
    if (!(std::abs(found - expected) <= most_off) && !fault_) keep(element, found, expected);
  }
  bool has_failed() const { return fault_.has_value(); }
  const std::optional<KernelFault>& fault() const { return fault_; }

  // Pseudo-random numbers, the same in each run.
  std::int32_t whole(std::int32_t first, std::int32_t last) {  // first..last
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t n = static_cast<std::uint64_t>(last - first) + 1;
    return first + static_cast<std::int32_t>(((state_ >> 32) * n) >> 32);
  }
  float real() { return static_cast<float>(whole(-1000, 1000)) / 640.0F; }
  std::vector<float> reals(std::size_t n) {
    std::vector<float> out(n);
    for (float& x : out) x = real();
    return out;
  }

 private:
  void keep(std::size_t element, double found, double expected);

  const char *kernel_ = "", *unit_ = "";
  int type_ = kNoType;
  std::uint32_t n_ = 0;
  std::uint64_t state_ = 1;
  std::optional<KernelFault> fault_;
};

void check_quantizers(KernelProbe& probe);
void check_products(KernelProbe& probe);
void check_elementwise(KernelProbe& probe);
void check_rotations(KernelProbe& probe);
void check_delta_net(KernelProbe& probe);
void check_peaks(KernelProbe& probe);
void check_kv_rows(KernelProbe& probe);
void check_attention(KernelProbe& probe);

}  // namespace headroom
