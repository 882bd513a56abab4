// A number that stands for what was added to it, in its order: other things have another one.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace headroom {

class Fingerprint {
 public:
  template <std::integral Number>
  void add(Number number) {
    mix(static_cast<std::uint64_t>(number));
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void add(Enum value) { mix(static_cast<std::uint64_t>(value)); }
  void add(double number) { mix(std::bit_cast<std::uint64_t>(number)); }
  void add(float number) { mix(std::bit_cast<std::uint32_t>(number)); }
  // Eight characters a word, with the length before them: "ab" and "c" differ from "a" and "bc".
  void add(std::string_view text) {
    mix(text.size());
    for (std::size_t at = 0; at < text.size(); at += 8) {
      std::uint64_t word = 0;
      for (const char c : text.substr(at, 8)) word = word << 8 | static_cast<unsigned char>(c);
      mix(word);
    }
  }
  void add(std::span<const std::byte> bytes) {
    add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::uint64_t value() const { return value_; }

 private:
  // An odd factor carries every bit upwards, the shift brings the upper ones back down.
  void mix(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 29;
  }

  std::uint64_t value_ = 0x243f6a8885a308d3;
};

}  // namespace headroom
