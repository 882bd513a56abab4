// A model loaded on one device, in slots that can be emptied, with guards around all that was mapped.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prove/proof_model.h"
#include "run/executor.h"
#include "run/load_model.h"

namespace headroom {

// What one run of the steps left: of each step the logits of all its rows.
struct ProofAnswers {
  std::vector<std::vector<float>> of_steps;  // (steps)(rows, n_vocab)
};

// The steps of a run: rows of a prompt in each, then tokens one by one.
struct ProofSteps {
  std::vector<std::uint32_t> n_rows;
  std::uint32_t n_decoded = 0;
  std::uint32_t n_steps() const { return static_cast<std::uint32_t>(n_rows.size()) + n_decoded; }
  std::uint32_t n_positions() const;
  std::uint32_t most_rows() const;
};

class ProofDevice {
 public:
  // Loads the weights. `devices`: the CPU, and the device that is to hold everything, unless it is the CPU itself.
  static Result<std::unique_ptr<ProofDevice>> load(const ProofModel& model, std::vector<DeviceInfo> devices,
                                                   const BackendFactory& make_backend, const StopToken& stop);

  // Maps what a session of this cache type takes, binds, and runs the steps `n_runs` times, each time with the caches
  // cleared. Says whether anything was written outside of the arenas, and what top_k() finds otherwise than the logits
  // that it looks in.
  struct Outcome {
    std::vector<ProofAnswers> runs;
    std::vector<std::string> faults;
  };
  Result<Outcome> run(DType kv, const ProofSteps& steps, std::uint32_t n_runs, const StopToken& stop,
                      const std::function<void()>& advance);

  // Of the device, with the guards: what was planned for the last run.
  Bytes planned_bytes() const { return plan_->planned_bytes(device_); }
  Backend& backend() const { return *loaded_->backends[device_]; }

 private:
  ProofDevice(const ProofModel& model, std::vector<DeviceInfo> devices)
      : model_(model), devices_(std::move(devices)), device_(static_cast<DeviceIndex>(devices_.size() - 1)) {}
  Result<std::shared_ptr<const MemoryPlan>> plan(DType kv, const ProofSteps& steps) const;
  Status map_session();
  std::vector<Arena*> all_arenas() const;
  Status clear_session(const StopToken& stop);
  Status check_guards(std::vector<std::string>& faults);
  Result<ProofAnswers> run_once(Executor& executor, const ProofSteps& steps, const StopToken& stop,
                                std::vector<std::string>& faults, const std::function<void()>& advance);

  const ProofModel& model_;
  std::vector<DeviceInfo> devices_;
  DeviceIndex device_;
  std::shared_ptr<const LoadedModel> loaded_;
  std::shared_ptr<const MemoryPlan> plan_;
  std::vector<std::unique_ptr<Arena>> session_;  // (arenas); null for those of other lifetimes
  std::vector<std::unique_ptr<Arena>> bounces_;  // (devices)
};

}  // namespace headroom
