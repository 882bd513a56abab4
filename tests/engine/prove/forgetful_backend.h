// A backend that begins each step with the states of no step before.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "support/stopping_backend.h"

namespace headroom::test {

class ForgetfulBackend : public StoppingBackend {
 public:
  ForgetfulBackend(std::unique_ptr<Backend> inner, StatePart forgotten)
      : StoppingBackend(std::move(inner), never()), forgotten_(forgotten) {}

  Status bind(const Binding& binding) override {
    states_.clear();
    Bytes most = 0;
    for (std::size_t i = 0; i < binding.arenas.size(); ++i) {
      if (binding.arenas[i] == nullptr) continue;
      for (const Region& region : binding.plan->arenas[i].regions) {
        if (region.state_part != forgotten_) continue;
        states_.push_back({nullptr, 0, binding.arenas[i], region.offset, region.size});
        most = std::max(most, region.size);
      }
    }
    if (most > 0) {
      ArenaPlan plan;
      plan.device = plan.mapped_by = binding.device;
      plan.lifetime = Lifetime::kSession;
      plan.size = round_up(most, device_info().granularity);
      Result<std::unique_ptr<Arena>> zeros = map_arena(plan);
      if (!zeros) return zeros.error();
      zeros_ = std::move(*zeros);
      if (Status cleared = clear_arena(*zeros_, {}, [](Bytes) {}); !cleared) return cleared;
      for (ArenaCopy& copy : states_) copy.from = zeros_.get();
    }
    return StoppingBackend::bind(binding);
  }

  Status submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) override {
    if (Status forgotten = copy_bytes(states_); !forgotten) return forgotten;
    return StoppingBackend::submit(subgraph, inputs, stop);
  }

 private:
  static StopBehind& never() {
    static StopBehind none;
    return none;
  }

  StatePart forgotten_;
  std::vector<ArenaCopy> states_;
  std::unique_ptr<Arena> zeros_;
};

}  // namespace headroom::test
