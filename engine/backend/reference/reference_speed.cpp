#include "backend/reference/reference_speed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "format/decode.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPasses = 3;
constexpr std::size_t kRows = 256, kRowElems = 4096;
constexpr Bytes kCopyBytes = kMiB;

// The best of some passes: other programs only ever take time away.
template <class Work>
double bytes_per_s(Bytes n_bytes, Work work) {
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Clock::time_point start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds > 0) best = std::max(best, static_cast<double>(n_bytes) / seconds);
  }
  return best;
}

}  // namespace

DeviceSpeed measure_reference_speed() {
  const Bytes row_size = row_bytes(DType::kQ8_0, kRowElems);
  std::vector<std::byte> rows(kRows * row_size, std::byte{1});
  std::vector<float> decoded(kRowElems), in(kRowElems, 1.0F);
  volatile double kept = 0;  // so that the sums are not dropped
  DeviceSpeed speed;
  speed.read_bytes_per_s = bytes_per_s(rows.size(), [&] {
    for (std::size_t row = 0; row < kRows; ++row) {
      decode_row(DType::kQ8_0, rows.data() + row * row_size, kRowElems, decoded.data());
      double sum = 0;
      for (std::size_t col = 0; col < kRowElems; ++col) sum += static_cast<double>(decoded[col]) * in[col];
      kept = sum;
    }
  });
  std::vector<std::byte> from(kCopyBytes, std::byte{1}), to(kCopyBytes);
  speed.copy_bytes_per_s = bytes_per_s(kCopyBytes, [&] {
    std::memcpy(to.data(), from.data(), kCopyBytes);
    kept = kept + static_cast<double>(to.back());
  });
  return speed;
}

}  // namespace headroom
