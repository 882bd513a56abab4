// Byte counts and the arithmetic on them that must never wrap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom {

using Bytes = std::uint64_t;

inline constexpr Bytes kKiB = Bytes{1} << 10;
inline constexpr Bytes kMiB = Bytes{1} << 20;
inline constexpr Bytes kGiB = Bytes{1} << 30;
inline constexpr Bytes kF32Bytes = 4;

// Absent when the exact result does not fit 64 bits.
constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}
constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// 0 where b is larger.
constexpr Bytes saturating_sub(Bytes a, Bytes b) { return a > b ? a - b : 0; }

// `step` is not zero; the caller has bounded `value` so that the result fits.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }
constexpr std::uint64_t div_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step; }

// "6.31 GiB", "512 MiB", "1.50 KiB", "12 B": three significant digits, binary units, written as such.
std::string format_bytes(Bytes bytes);

// Reads "6GiB", "512 MiB", "1.5GiB", "4096"; absent for anything else, negative or beyond 64 bits. "6G" and "6GB" are
// refused: they are ambiguous.
std::optional<Bytes> parse_bytes(std::string_view text);

}  // namespace headroom
