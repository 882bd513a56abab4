#include "app/proof_sentences.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom::app {
namespace {

DeviceInfo cardOf(DeviceKind kind, const char* id, double readBytesPerSecond) {
  DeviceInfo device = test::gpu_with(8 * kGiB);
  test::set_kind(device, kind);
  device.id = id;
  device.name = "RTX 4070";
  device.heap = "0000:01:00.0";
  device.proof = Proof::kPassed;
  device.speed.read_bytes_per_s = readBytesPerSecond;
  return device;
}

TEST(ProofSentences, a_card_by_one_driver_was_checked_and_by_two_the_faster_one_is_named) {
  std::vector<DeviceInfo> devices{cardOf(DeviceKind::kCuda, "cuda:0", 420e9),
                                  cardOf(DeviceKind::kVulkan, "vulkan:0", 300e9)};
  EXPECT_EQ(passedSentence(devices[0], std::span(devices).first(1)),
            "RTX 4070 (CUDA) was checked: it computes as the CPU does. Plans use it where it is faster.");
  const QString both =
      "RTX 4070 was checked: CUDA is 1.4 times as fast as Vulkan. Plans use it where it is faster than the CPU.";
  EXPECT_EQ(passedSentence(devices[0], devices), both);
  EXPECT_EQ(passedSentence(devices[1], devices), both) << "whichever came last";
  std::swap(devices[0].speed, devices[1].speed);
  EXPECT_EQ(passedSentence(devices[0], devices),
            "RTX 4070 was checked: Vulkan is 1.4 times as fast as CUDA. Plans use it where it is faster than the CPU.");
  devices[1].proof = Proof::kFailed;
  EXPECT_TRUE(passedSentence(devices[0], devices).startsWith("RTX 4070 (CUDA) was checked: it computes"));
}

TEST(ProofSentences, what_failed_is_said_and_no_judgement_is_no_failure) {
  const DeviceInfo device = cardOf(DeviceKind::kVulkan, "vulkan:0", 0);
  const ProofOfChild failed{ProofOfChild::Kind::kFailed, "it differs by 8.6 %, where 4 % is allowed", 0},
      none{ProofOfChild::Kind::kNoJudgement, "no memory", 0};
  EXPECT_EQ(failedSentence(device, failed), "RTX 4070 (Vulkan) failed its check and is used only where you choose it.");
  EXPECT_EQ(failedDetails(failed), QString::fromUtf8("Found: it differs by 8.6\u00A0%, where 4\u00A0% is allowed. "
                                                     "Help > Check the graphics cards again repeats the check."));
  EXPECT_EQ(failedSentence(device, none), "RTX 4070 (Vulkan) could not be checked and is not used yet.");
  EXPECT_TRUE(failedDetails(none).startsWith("Found: no memory. "));
  EXPECT_EQ(checkingSentence(device, {30, 120, "q8_0 cache"}), "Checking RTX 4070 (Vulkan) before it is used: 25 %");
}

}  // namespace
}  // namespace headroom::app
