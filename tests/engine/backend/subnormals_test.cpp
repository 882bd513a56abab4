#include "backend/cpu/subnormals.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(SubnormalsAsZero, counts_them_as_zero_while_it_lives) {
  volatile float tiny = 1e-39F, small = 1.5e-38F,
                 half = 0.5F;  // the first is subnormal, the second times the third would be
  {
    const SubnormalsAsZero zeros;
    EXPECT_EQ(tiny * half * 4.0F, 0.0F);
    EXPECT_EQ(small * half, 0.0F);
  }
  EXPECT_GT(tiny * half, 0.0F);
  EXPECT_GT(small * half, 0.0F);
}

}  // namespace
}  // namespace headroom
