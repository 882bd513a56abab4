#include "base/cpu_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headroom {
namespace {

class CpuFeatures : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("HEADROOM_ISA"); }
  static Result<Isa> forced(const std::string& name) {
    setenv("HEADROOM_ISA", name.c_str(), 1);
    return selected_isa();
  }
};

TEST_F(CpuFeatures, the_best_instruction_set_is_taken_when_none_is_forced) {
  EXPECT_TRUE(can_run(detected_isa()));
  EXPECT_TRUE(can_run(Isa::kScalar));
  unsetenv("HEADROOM_ISA");
  const Result<Isa> selected = selected_isa();
  ASSERT_TRUE(selected.ok()) << selected.error().message.text();
  EXPECT_EQ(*selected, detected_isa());
}

TEST_F(CpuFeatures, each_instruction_set_that_the_machine_runs_can_be_forced_and_the_others_are_refused_by_name) {
  for (const Isa isa :
       {Isa::kScalar, Isa::kAvx2, Isa::kAvxVnni, Isa::kAvx512, Isa::kAvx512Vbmi, Isa::kAmx, Isa::kNeon}) {
    const std::string name(isa_name(isa));
    const Result<Isa> selected = forced(name);
    ASSERT_EQ(selected.ok(), can_run(isa)) << name;
    if (selected.ok()) {
      EXPECT_EQ(*selected, isa);
    } else {
      EXPECT_EQ(selected.error().code, ErrorCode::kUsage);
      EXPECT_NE(selected.error().message.text().find(name), std::string::npos) << selected.error().message.text();
    }
  }
}

TEST_F(CpuFeatures, an_unknown_name_is_answered_with_those_that_this_build_has) {
  const Result<Isa> selected = forced("sse");
  ASSERT_FALSE(selected.ok());
  EXPECT_EQ(selected.error().code, ErrorCode::kUsage);
  for (const Isa isa : kIsas)
    EXPECT_NE(selected.error().message.text().find(isa_name(isa)), std::string::npos)
        << selected.error().message.text();
}

TEST_F(CpuFeatures, instruction_sets_of_one_build_are_in_order) {
  EXPECT_TRUE(std::is_sorted(kIsas.begin(), kIsas.end()));
}

}  // namespace
}  // namespace headroom
