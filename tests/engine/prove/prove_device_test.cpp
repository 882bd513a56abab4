// What a device is proved with finds each fault that is seeded, and nothing in a sound device.
#include "prove/prove_device.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/registry.h"
#include "engine/prove/changed_model.h"
#include "engine/prove/forgetful_backend.h"
#include "format/dtype_table.h"
#include "prove/compare_answers.h"
#include "prove/proof_device.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

using test::ChangedModel;
using test::FaultsOfBlock;
using test::ForgetfulBackend;
using test::SeededFault;

// A fault has to show more than rounding may, and a sound device must stay far below.
constexpr double kLeastShare = 1.5, kMostSoundShare = 0.7;

// Less than on a card, for loops that take their time: rows of one chunk of a recurrent layer and more, past windows.
const ProofSteps kSteps{.n_rows = {1, 8, 65}, .n_decoded = 6};

class ProveTest : public testing::Test {
 protected:
  std::vector<DeviceInfo> devices() {
    const Result<std::vector<DeviceInfo>> found = probe_devices();
    EXPECT_TRUE(found.ok());
    return {found->front(), found->back()};
  }

  static ProofAnswers answers_of(const ProofModel& model, const std::vector<DeviceInfo>& on,
                                 const BackendFactory& factory, DType kv) {
    const auto loaded = ProofDevice::load(model, on, factory, {});
    EXPECT_TRUE(loaded.ok()) << loaded.error().message.text();
    if (!loaded) return {};
    auto outcome = (*loaded)->run(kv, kSteps, 1, {}, [] {});
    EXPECT_TRUE(outcome.ok()) << outcome.error().message.text();
    if (!outcome) return {};
    EXPECT_THAT(outcome->faults, testing::IsEmpty());
    return std::move(outcome->runs.front());
  }

  // The largest of all steps, as a share of what is allowed.
  static double worst_share(const ProofAnswers& found, const ProofAnswers& expected, DType kv) {
    EXPECT_EQ(found.of_steps.size(), expected.of_steps.size());
    double worst = 0;
    for (std::size_t i = 0; i < expected.of_steps.size() && i < found.of_steps.size(); ++i)
      worst = std::max(worst, relative_error(found.of_steps[i], expected.of_steps[i]) / allowed_error(kv));
    return worst;
  }

  test::ReferenceDevices reference_{"512MiB"};
};

// On reference devices.
BackendFactory forgetting(StatePart part) {
  return [part](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
    Result<std::unique_ptr<Backend>> inner = make_backend(device);
    if (!inner || device.kind != DeviceKind::kReference) return inner;
    return std::unique_ptr<Backend>(std::make_unique<ForgetfulBackend>(std::move(*inner), part));
  };
}

class ProveBlockTest : public ProveTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(ProveBlockTest, passes_while_it_is_sound_and_not_with_any_fault_that_is_seeded) {
  const std::vector<DeviceInfo> all = devices();
  const FaultsOfBlock block = test::seeded_faults()[GetParam()];
  ASSERT_EQ(block.make, kBlockProofs[GetParam()].make);
  ProofModel model = block.make();
  const auto sound = model.info;
  const ProofAnswers expected = answers_of(model, {all[0]}, make_backend, DType::kF16);
  const double factor = kBlockProofs[GetParam()].error_factor;
  const auto share = [&] {
    return worst_share(answers_of(model, all, make_backend, DType::kF16), expected, DType::kF16) / factor;
  };
  const double none = share();
  RecordProperty("sound", fmt::format("{:.2f}", none));
  EXPECT_LT(none, kMostSoundShare) << sound->name;
  for (const SeededFault& fault : block.faults) {
    ChangedModel changed(*sound);
    fault.change(changed);
    model.info = std::make_shared<const ModelInfo>(std::move(changed.info));
    const double found = share();
    RecordProperty(fault.name, fmt::format("{:.2f}", found));
    EXPECT_GT(found, kLeastShare) << sound->name << ": " << fault.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ProveBlockTest, testing::Range(std::size_t{0}, kBlockProofs.size()));

TEST_F(ProveTest, every_block_has_its_faults) { EXPECT_EQ(test::seeded_faults().size(), kBlockProofs.size()); }

TEST_F(ProveTest, states_that_are_not_kept_from_step_to_step_show) {
  const std::vector<DeviceInfo> all = devices();
  const ProofModel model = make_recurrent_proof_model();
  const ProofAnswers expected = answers_of(model, {all[0]}, make_backend, DType::kF16);
  for (const StatePart part : {StatePart::kConv, StatePart::kMatrix}) {
    const double found = worst_share(answers_of(model, all, forgetting(part), DType::kF16), expected, DType::kF16);
    RecordProperty(part == StatePart::kConv ? "convolution" : "matrix", fmt::format("{:.2f}", found));
    EXPECT_GT(found, kLeastShare) << "part " << static_cast<int>(part);
  }
}

TEST_F(ProveTest, a_sound_device_is_far_from_what_is_refused_with_every_cache_type) {
  const std::vector<DeviceInfo> all = devices();
  for (const BlockProof& block : kBlockProofs) {
    if (!block.concerns_caches) continue;
    const ProofModel model = block.make();
    for (const DType kv : all[1].kv_types) {
      if (std::ranges::find(all[0].kv_types, kv) == all[0].kv_types.end()) continue;
      const ProofAnswers expected = answers_of(model, {all[0]}, make_backend, kv);
      const double share = worst_share(answers_of(model, all, make_backend, kv), expected, kv);
      EXPECT_LT(share, kMostSoundShare) << model.info->name << ", " << dtype_row(kv).label << " cache";
    }
  }
}

ProofInputs quick_inputs(const std::vector<DeviceInfo>& devices, BackendFactory factory) {
  ProofInputs inputs;
  inputs.cpu = devices[0];
  inputs.device = devices[1];
  inputs.make_backend = std::move(factory);
  inputs.size = ProofSize::kQuick;
  inputs.tell = [](const ProofProgress&) {};
  return inputs;
}

TEST_F(ProveTest, a_sound_device_passes_and_its_progress_ends_where_it_was_said_to) {
  ProofInputs inputs = quick_inputs(devices(), make_backend);
  std::vector<ProofProgress> told;
  inputs.tell = [&](const ProofProgress& progress) { told.push_back(progress); };
  const Result<ProofReport> proof = prove_device(inputs);
  ASSERT_TRUE(proof.ok()) << proof.error().message.text();
  EXPECT_THAT(proof->failures, testing::IsEmpty());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().n_done, told.back().n_steps);
  for (const BlockProof& block : kBlockProofs) {
    const std::string name = block.make().info->name;
    EXPECT_TRUE(std::ranges::any_of(told, [&](const ProofProgress& each) { return each.what.starts_with(name); }))
        << name;
  }
}

TEST_F(ProveTest, a_brief_check_looks_at_the_small_model_alone) {
  ProofInputs inputs = quick_inputs(devices(), forgetting(StatePart::kMatrix));
  inputs.size = ProofSize::kBrief;
  ProofProgress last;
  inputs.tell = [&](const ProofProgress& progress) { last = progress; };
  const Result<ProofReport> proof = prove_device(inputs);
  ASSERT_TRUE(proof.ok()) << proof.error().message.text();
  EXPECT_THAT(proof->failures, testing::IsEmpty()) << "what it loses is of another model";
  EXPECT_EQ(last.n_done, last.n_steps);
}

TEST_F(ProveTest, what_fails_in_a_block_is_said_with_its_name) {
  const Result<ProofReport> proof = prove_device(quick_inputs(devices(), forgetting(StatePart::kMatrix)));
  ASSERT_TRUE(proof.ok()) << proof.error().message.text();
  ASSERT_EQ(proof->failures.size(), 1U);
  EXPECT_THAT(proof->failures.front(), testing::StartsWith("the model of recurrent layers, f16 cache: "));
  EXPECT_THAT(proof->failures.front(), testing::HasSubstr("differs from the CPU's by"));
}

}  // namespace
}  // namespace headroom
