// What a model thinks, apart from what it answers, and what a user may choose about it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headroom {

enum class TextKind : std::uint8_t { kAnswer, kThinking };

// What a chat template takes.
enum class ThinkingControl : std::uint8_t { kNone, kSwitch, kEffort };

// kOff and kOn are for a switch, the three behind them for an effort: a choice that a template does not take is
// kDefault to it.
enum class ThinkingChoice : std::uint8_t { kDefault, kOff, kOn, kLow, kMedium, kHigh };

// By the order of ThinkingChoice: as settings and the command line write them.
inline constexpr std::array<std::string_view, 6> kThinkingChoiceNames = {"default", "off",    "on",
                                                                         "low",     "medium", "high"};
inline std::optional<ThinkingChoice> thinking_choice_named(std::string_view name) {
  const auto found = std::ranges::find(kThinkingChoiceNames, name);
  if (found == kThinkingChoiceNames.end()) return std::nullopt;
  return static_cast<ThinkingChoice>(found - kThinkingChoiceNames.begin());
}

inline bool takes(ThinkingControl control, ThinkingChoice choice) {
  const bool is_of_switch = choice == ThinkingChoice::kOff || choice == ThinkingChoice::kOn;
  if (choice == ThinkingChoice::kDefault) return true;
  return control == (is_of_switch ? ThinkingControl::kSwitch : ThinkingControl::kEffort);
}

}  // namespace headroom
