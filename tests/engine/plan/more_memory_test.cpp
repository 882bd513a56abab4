// More memory never makes a plan worse: over random models, devices, rules and options.
#include <gtest/gtest.h>

#include "plan/plan_text.h"
#include "plan/prompt_speed.h"
#include "support/random_machine.h"

namespace headroom {
namespace {

using test::Dice;
using test::Machine;

// One figure grows: what a device has free, or what a rule leaves of it.
Machine with_more(Dice& dice, Machine machine) {
  const Bytes more = dice.of({Bytes{1}, 4 * kKiB, 100 * kKiB, 2 * kMiB, 20 * kMiB});
  const auto device = static_cast<DeviceIndex>(dice.below(static_cast<std::uint32_t>(machine.devices.size())));
  if (dice.below(2) == 0) {
    machine.devices[device].free_bytes += more;
    machine.devices[device].total_bytes += more;
    return machine;
  }
  HeadroomRule rule = machine.options.headroom_of(device);
  if (AtMost* at_most = std::get_if<AtMost>(&rule)) at_most->bytes += more;
  if (KeepFree* keep = std::get_if<KeepFree>(&rule)) keep->bytes -= std::min(keep->bytes, more);
  machine.options.set_headroom(device, rule);
  return machine;
}

// Absent where a device was not measured, or is slow on purpose: then the most layers are planned whatever they cost.
std::optional<double> answer_seconds(const ModelInfo& model, const MemoryPlan& plan) {
  for (const DeviceChoice& choice : plan.options.devices) {
    const DeviceInfo& device = plan.devices[choice.device];
    if (device.kind == DeviceKind::kReference || !(device.speed.read_bytes_per_s > 0)) return std::nullopt;
  }
  return typical_answer_seconds(model, plan.devices, plan.placement, plan.streaming, plan.options);
}

bool fits(const Result<MemoryPlan>& plan) { return plan.ok() && plan->fits(); }

TEST(MoreMemory, never_makes_a_plan_worse) {
  std::uint32_t n_fit = 0, n_became = 0, n_faster = 0;
  for (std::uint32_t seed = 0; seed < 700; ++seed) {
    Dice dice(seed);
    const ModelInfo model = test::random_model(seed);
    Machine machine = test::random_machine(dice, model);
    Result<MemoryPlan> before = plan_memory(model, machine.devices, machine.options);
    for (int step = 0; step < 6; ++step) {
      machine = with_more(dice, std::move(machine));
      Result<MemoryPlan> after = plan_memory(model, machine.devices, machine.options);
      if (fits(before)) {
        ++n_fit;
        ASSERT_TRUE(fits(after)) << "seed " << seed << " step " << step << ": "
                                 << (after.ok() ? verdict_words(*after).text() : after.error().message.text());
        const std::optional<double> then = answer_seconds(model, *before), now = answer_seconds(model, *after);
        ASSERT_EQ(then.has_value(), now.has_value());
        // FFNs that were asked to stand on the CPU do, once there are layers elsewhere, whatever that costs.
        if (then && machine.options.n_cpu_ffn == kAutoLayers) {
          EXPECT_LE(*now, *then * (1 + 1e-9))
              << "seed " << seed << " step " << step << ": " << before->options.n_gpu_layers << " layers, FFN "
              << before->options.n_cpu_ffn << ", then " << after->options.n_gpu_layers << " and "
              << after->options.n_cpu_ffn << ", asked for " << machine.options.n_gpu_layers << " and "
              << machine.options.n_cpu_ffn;
          n_faster += *now < *then * (1 - 1e-9) ? 1 : 0;
        }
      } else {
        n_became += fits(after) ? 1 : 0;
      }
      before = std::move(after);
    }
  }
  EXPECT_GT(n_fit, 1000U);
  EXPECT_GT(n_became, 50U);
  EXPECT_GT(n_faster, 10U);
}

}  // namespace
}  // namespace headroom
