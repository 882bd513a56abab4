#include "plan/option_changes.h"

#include <array>

#include "plan/solve.h"

namespace headroom {
namespace {

struct KvChoice {
  DType dtype;
  std::string_view name;
  QualityLoss quality;
  double price;
};
constexpr std::array kKvChoices{
    KvChoice{DType::kQ8_0, "Q8", QualityLoss::kNone, price::kKvQ8},
    KvChoice{DType::kF8E4M3, "FP8", QualityLoss::kNearlyNone, price::kKvFp8},
    KvChoice{DType::kQ4_0, "Q4", QualityLoss::kSome, price::kKvQ4},
};

}  // namespace

Message quality_words(QualityLoss loss) {
  switch (loss) {
    case QualityLoss::kNone: return Message::say("quality unchanged");
    case QualityLoss::kNearlyNone: return Message::say("quality nearly unchanged");
    case QualityLoss::kSome: return Message::say("some quality loss");
  }
  CHECK(false, "a loss that is not there");
}

std::vector<OptionChange> lighter_kv_changes(const PlanOptions& asked) {
  std::vector<OptionChange> changes;
  for (const KvChoice& choice : kKvChoices) {
    const auto ranks_above = [&](DType now) { return kv_loss_rank(choice.dtype) > kv_loss_rank(now); };
    // A pair where one is lighter already keeps that one.
    OptionChange change{Message::say("KV as {}", choice.name), asked, choice.quality, choice.price};
    if (ranks_above(asked.kv_k)) change.options.kv_k = choice.dtype;
    if (ranks_above(asked.kv_v)) change.options.kv_v = choice.dtype;
    if (change.options == asked) continue;
    if (change.options.kv_v == asked.kv_v) change.words = Message::say("K as {}", choice.name);
    if (change.options.kv_k == asked.kv_k) change.words = Message::say("V as {}", choice.name);
    changes.push_back(std::move(change));
  }
  return changes;
}

Message context_words(std::uint32_t n_ctx) {
  return n_ctx % 1024 == 0 ? Message::say("context {}k", n_ctx / 1024) : Message::say("context {}", n_ctx);
}

Message slots_words(std::uint32_t n_slots) {
  return n_slots == 1 ? Message::say("1 answer at a time") : Message::say("{} answers at once", n_slots);
}

}  // namespace headroom
