// Ways to change what the user asked for, before anyone knows what each brings: fixes and improvements try them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

enum class QualityLoss : std::uint8_t { kNone, kNearlyNone, kSome };
// "quality unchanged", "quality nearly unchanged", "some quality loss"
Message quality_words(QualityLoss loss);

struct OptionChange {
  Message words;  // "KV as Q8"
  PlanOptions options;
  QualityLoss quality = QualityLoss::kNone;
  double price = 0;
};

// Prices are only an order. What costs nothing that a user feels comes first, what changes the answers last; a price
// that grows with the size of the change is added to the base.
namespace price {
inline constexpr double kBatch = 0.5;  // a slower prompt, same answers
inline constexpr double kKvQ8 = 1.0;
inline constexpr double kKvFp8 = 2.0;
inline constexpr double kHeadroom = 2.5;  // other programs may need it
inline constexpr double kSlots = 3.0;
inline constexpr double kContext = 3.0, kContextAll = 6.0;
inline constexpr double kLayers = 4.0, kLayersAll = 8.0;
inline constexpr double kKvQ4 = 6.0;
}  // namespace price

inline constexpr std::uint32_t kSmallestBatch = 32;  // that is ever proposed

// Each KV type that is lighter than one of those asked for, least lossy first.
std::vector<OptionChange> lighter_kv_changes(const PlanOptions& asked);

Message context_words(std::uint32_t n_ctx);  // "context 8k", "context 5000"
Message slots_words(std::uint32_t n_slots);  // "2 answers at once"

}  // namespace headroom
