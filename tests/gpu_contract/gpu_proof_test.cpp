// A device proves itself, and does not where something is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "gpu_contract/gpu_fixture.h"
#include "prove/prove_device.h"

namespace headroom {
namespace {

ProofInputs proof_inputs() {
  const std::vector<DeviceInfo> devices = test::cpu_and_gpu(false);
  ProofInputs inputs;
  inputs.cpu = devices[0];
  inputs.device = devices[1];
  inputs.make_backend = make_backend;
  inputs.size = ProofSize::kQuick;
  inputs.tell = [](const ProofProgress&) {};
  return inputs;
}

TEST(GpuProof, a_sound_device_passes) {
  ProofInputs inputs = proof_inputs();
  std::vector<ProofProgress> told;
  inputs.tell = [&](const ProofProgress& progress) { told.push_back(progress); };
  const ProofReport proof = test::take(prove_device(inputs));
  EXPECT_THAT(proof.failures, testing::IsEmpty());
  EXPECT_LT(proof.worst_error, 0.7) << "too near to what is allowed";
  EXPECT_GT(proof.worst_error, 0);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().n_done, told.back().n_steps);
}

}  // namespace
}  // namespace headroom
