// Which combinations of values a test checks: each value of each of them, but not each with every other.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace headroom::test {

// Every combination: with HEADROOM_COMBINATIONS=all, as tests/gpu/full.sh has it.
inline bool is_full_run() {
  const char* asked = std::getenv("HEADROOM_COMBINATIONS");
  return asked != nullptr && std::string_view(asked) == "all";
}

// Whether the combination of these values, by their places in lists, is checked: one of `of`, so that each value is met
// with different ones of the others. Example: of the places (0, 0), (0, 1), (1, 0), (1, 1) the first and the last.
inline bool is_checked(std::initializer_list<std::size_t> places, std::size_t of = 2) {
  std::size_t sum = 0;
  for (const std::size_t place : places) sum += place;
  return is_full_run() || sum % of == 0;
}

}  // namespace headroom::test
