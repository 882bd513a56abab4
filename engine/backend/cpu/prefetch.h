// Bytes that a thread reads soon, asked for while it still computes with others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headroom {

// Asks for part `index` of `n` of these bytes, into the second level of cache. Called once with each part of a product,
// it brings all of them without holding up the product's own loads. Always inline: GCC takes a function that only
// prefetches for one without effect, and drops the call.
[[gnu::always_inline]] inline void prefetch_part(std::span<const std::byte> bytes, std::uint32_t index,
                                                 std::uint32_t n) {
  for (std::size_t at = bytes.size() * index / n; at < bytes.size() * (index + 1) / n; at += 64)
    __builtin_prefetch(bytes.data() + at, 0, 2);
}

// Asks for all of these bytes, into the first level: right before they are read by loads that cut lines.
[[gnu::always_inline]] inline void prefetch_whole(std::span<const std::byte> bytes) {
  const std::size_t in_line = reinterpret_cast<std::uintptr_t>(bytes.data()) % 64;
  for (std::size_t at = 0; at < bytes.size() + in_line; at += 64) __builtin_prefetch(bytes.data() - in_line + at, 0, 3);
}

}  // namespace headroom
