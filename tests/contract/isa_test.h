// The tests that every instruction set is held to.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "backend/cpu/kernel_table.h"

namespace headroom::test {

class IsaTest : public ::testing::TestWithParam<Isa> {
 protected:
  // No kernel of a set can be executed on a machine without it: such a test is told as skipped by the set's name, and
  // never passes.
  void SetUp() override {
    if (!can_run(GetParam())) GTEST_SKIP() << "this machine cannot run " << isa_name(GetParam());
    RecordProperty("isa", std::string(isa_name(GetParam())));
  }
};

inline std::string isa_test_name(const ::testing::TestParamInfo<Isa>& info) {
  return std::string(isa_name(info.param));
}

}  // namespace headroom::test
