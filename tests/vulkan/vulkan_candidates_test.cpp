// What of candidates is Vulkan's own: drivers that cannot look through a large vocabulary.
#include "backend/vulkan/vulkan_candidates.h"

#include <gtest/gtest.h>

#include "gpu_contract/gpu_candidates.h"

namespace headroom {
namespace {

using VulkanCandidatesTest = test::GpuCandidateRows;

TEST_F(VulkanCandidatesTest, of_a_vocabulary_that_the_driver_cannot_look_through_are_refused) {
  ASSERT_NO_FATAL_FAILURE(make(64, 1));
  slices_.n_vocab = 1U << 27;
  const Status refused = device_.prepare(slices_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.text().find("vulkan:0: expected a vocabulary of at most "), std::string::npos)
      << refused.error().message.text();
}

}  // namespace
}  // namespace headroom
