// What a model thinks, apart from what it answers, and what a user may choose about it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace headroom {

enum class TextKind : std::uint8_t { kAnswer, kThinking };

// kOff and kOn are of a switch, the three behind them of an effort. A choice that a template does not take is kDefault
// to it.
enum class ThinkingChoice : std::uint8_t { kDefault, kOff, kOn, kLow, kMedium, kHigh };

// By the order of ThinkingChoice: as settings and the command line write them.
inline constexpr std::array<std::string_view, 6> kThinkingChoiceNames = {"default", "off",    "on",
                                                                         "low",     "medium", "high"};
inline std::optional<ThinkingChoice> thinking_choice_named(std::string_view name) {
  const auto found = std::ranges::find(kThinkingChoiceNames, name);
  if (found == kThinkingChoiceNames.end()) return std::nullopt;
  return static_cast<ThinkingChoice>(found - kThinkingChoiceNames.begin());
}

// The choices that a chat template takes. Some have a switch, some an effort, some both.
class ThinkingChoices {
 public:
  constexpr ThinkingChoices() = default;
  constexpr ThinkingChoices(std::initializer_list<ThinkingChoice> choices) {
    for (const ThinkingChoice choice : choices) add(choice);
  }

  constexpr void add(ThinkingChoice choice) {
    if (choice != ThinkingChoice::kDefault) bits_ = static_cast<std::uint8_t>(bits_ | bit(choice));
  }
  // Every template takes kDefault, which says nothing to it.
  constexpr bool take(ThinkingChoice choice) const {
    return choice == ThinkingChoice::kDefault || (bits_ & bit(choice)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }  // there is nothing to choose
  // What makes the model think least, for what is asked in passing.
  constexpr ThinkingChoice least() const {
    for (const ThinkingChoice choice : {ThinkingChoice::kOff, ThinkingChoice::kLow})
      if (take(choice)) return choice;
    return ThinkingChoice::kDefault;
  }
  bool operator==(const ThinkingChoices&) const = default;

 private:
  static constexpr unsigned bit(ThinkingChoice choice) { return 1U << static_cast<unsigned>(choice); }
  std::uint8_t bits_ = 0;
};

inline constexpr ThinkingChoices kThinkingSwitch = {ThinkingChoice::kOff, ThinkingChoice::kOn};
inline constexpr ThinkingChoices kThinkingEfforts = {ThinkingChoice::kLow, ThinkingChoice::kMedium,
                                                     ThinkingChoice::kHigh};

}  // namespace headroom
