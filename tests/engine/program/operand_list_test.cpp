#include "program/operand_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom {
namespace {

TEST(OperandList, holds_buffers_in_the_order_given) {
  const OperandList ids{7, 3, 7};
  EXPECT_EQ(std::vector<BufferId>(ids.begin(), ids.end()), (std::vector<BufferId>{7, 3, 7}));
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[1], 3U);
  EXPECT_TRUE(OperandList().empty());
}

TEST(OperandList, is_equal_only_to_the_same_buffers_in_the_same_order) {
  EXPECT_EQ((OperandList{1, 2}), (OperandList{1, 2}));
  EXPECT_NE((OperandList{1, 2}), (OperandList{2, 1}));
  EXPECT_NE((OperandList{1}), (OperandList{1, 0})) << "buffer 0 is a buffer";
}

TEST(OperandListDeathTest, an_operand_that_is_not_there_ends_the_program) {
  const OperandList ids{1};
  EXPECT_DEATH((void)ids[1], "an operand that it does not have");
  EXPECT_DEATH((OperandList{1, 2, 3, 4, 5}), "more operands than its list holds");
}

}  // namespace
}  // namespace headroom
