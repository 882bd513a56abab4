// The plan against what backends mapped, and against what the driver counts.
#include <fmt/format.h>

#include <cmath>

#include "gpu/gpu_check.h"
#include "open_model.h"
#include "support/decode_step.h"

namespace headroom::check {
namespace {

// Two moments of a card that others use too, and what drivers round to.
constexpr double kMostDifference = 32.0 * static_cast<double>(kMiB);

double mib(double bytes) { return bytes / static_cast<double>(kMiB); }
double signed_bytes(Bytes bytes) { return static_cast<double>(bytes); }

// Kernels are made and scratch is used once something has run.
Status run_something(Session& session) {
  std::vector<TokenId> tokens(session.plan().options.n_batch);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(3 + i % 250);
  if (Status done = session.step({0, tokens, 1}, {}); !done) return done;
  const std::vector<test::SlotToken> next{{0, 9}};
  return test::decode(session, next);
}

// Fills in `arenas` of the data, and says which are not as planned.
void compare_arenas(const MemoryReport& report, Outcome& outcome) {
  Json arenas = Json::array();
  for (const ArenaReport& arena : report.arenas) {
    const Bytes mapped = arena.mapped_bytes + (has_fault("plan") ? 1 : 0);
    arenas.push_back({{"device", arena.device},
                      {"lifetime", lifetime_name(arena.lifetime)},
                      {"planned_bytes", arena.planned_bytes},
                      {"mapped_bytes", mapped}});
    if (mapped == arena.planned_bytes) continue;
    outcome.failures.push_back(
        fmt::format("{}: expected {} bytes mapped, found {}", arena.device, arena.planned_bytes, mapped));
  }
  outcome.figure = outcome.failures.empty() ? fmt::format("planned = mapped in {} arenas", arenas.size())
                                            : fmt::format("{} arenas are not as planned", outcome.failures.size());
  outcome.data["arenas"] = std::move(arenas);
}

// What is free on the device before anything was loaded, and now.
struct Readings {
  DeviceInfo before, after;
};

void compare_with_driver(const Readings& read, const DeviceInfo& planned_for, Bytes planned, Outcome& outcome) {
  const double taken = signed_bytes(read.before.free_bytes) - signed_bytes(read.after.free_bytes);
  const double expected = signed_bytes(planned) + signed_bytes(planned_for.driver_bytes);
  outcome.data["device"] = {{"confidence", memory_confidence_name(read.after.account.confidence)},
                            {"doubt", read.after.account.doubt.text()},
                            {"total_bytes", read.after.total_bytes},
                            {"free_before_bytes", read.before.free_bytes},
                            {"free_loaded_bytes", read.after.free_bytes},
                            {"taken_bytes", taken},
                            {"planned_bytes", planned},
                            {"driver_bytes", planned_for.driver_bytes},
                            {"driver_measured", planned_for.driver_measured},
                            {"spilled_bytes", read.after.account.spilled}};
  if (!is_counted(read.after)) {
    outcome.figure += "; its driver counts nothing";
    return;
  }
  outcome.figure += fmt::format("; {:.1f} MiB taken of the device, planned {:.1f} and {:.1f} of the driver{}: {:+.1f}",
                                mib(taken), mib(signed_bytes(planned)), mib(signed_bytes(planned_for.driver_bytes)),
                                planned_for.driver_measured ? "" : " (assumed)", mib(taken - expected));
  // An assumed share says nothing of this driver: then only too little is wrong.
  const bool is_off = std::abs(taken - expected) > kMostDifference &&
                      (planned_for.driver_measured || taken < signed_bytes(planned) - kMostDifference);
  if (is_off) {
    outcome.failures.push_back(
        fmt::format("expected within 32 MiB of {:.1f} MiB taken of the device (planned, and the driver's share), found "
                    "{:.1f}",
                    mib(expected), mib(taken)));
  }
  if (read.after.account.spilled > 0)
    outcome.failures.push_back(
        fmt::format("{} were pushed out of the device", format_bytes(read.after.account.spilled)));
}

}  // namespace

Result<Outcome> check_plan(const std::string& model, const std::string& device) {
  const Result<std::uint32_t> n_layers = n_layers_of(model);
  if (!n_layers) return n_layers.error();
  const Result<DeviceInfo> before = device_now(device);
  if (!before) return before.error();
  const Result<cli::OpenModel> open = cli::openModel(model, arguments_for(device, *n_layers, 0), {});
  if (!open) return open.error();
  const MemoryPlan& plan = *open->planned.plan;
  const Result<std::unique_ptr<Session>> session = Session::open(open->loaded, open->planned.plan);
  if (!session) return session.error();
  if (Status ran = run_something(**session); !ran) return ran.error();
  const Result<DeviceInfo> after = device_now(device);
  if (!after) return after.error();
  Outcome outcome;
  compare_arenas((*session)->memory_report(), outcome);
  const DeviceIndex index = plan.options.main_device();
  compare_with_driver({*before, *after}, plan.devices[index], plan.planned_bytes(index), outcome);
  return outcome;
}

}  // namespace headroom::check
