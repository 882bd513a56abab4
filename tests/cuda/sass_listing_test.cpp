#include "sass_fixture.h"
#include "support/sass/loops.h"

namespace headroom::test {
namespace {

TEST(SassListing, instructions_have_their_guard_operands_targets_and_origin) {
  const SassFunction function = sass_function(R"(
from a.cuh:3 k.cu:9
MOV R1, c[0x0][0x28]
.L_x_0:
from k.cu:12
@!P0 IMAD.WIDE.U32 R2, R1.reuse, 0x4, R2
@P0 BRA P1, `(.L_x_0)
EXIT
)");
  ASSERT_EQ(function.code.size(), 4U);
  EXPECT_EQ(function.name, "kernel");
  EXPECT_EQ(function.code[0].op, "MOV");
  EXPECT_EQ(function.code[0].operands, "R1, c[0x0][0x28]");
  EXPECT_EQ(function.origins[function.code[0].origin], (std::vector<SassLine>{{"a.cuh", 3}, {"k.cu", 9}}));
  EXPECT_EQ(function.code[1].guard, "!P0");
  EXPECT_EQ(function.code[1].op, "IMAD.WIDE.U32");
  EXPECT_EQ(function.origins[function.code[1].origin], (std::vector<SassLine>{{"k.cu", 12}}));
  EXPECT_EQ(function.code[2].origin, function.code[1].origin);
  EXPECT_EQ(function.code[2].targets, std::vector<std::size_t>{1});
}

TEST(SassListing, a_jump_by_a_table_has_all_its_targets) {
  const SassFunction function = sass_function(R"(
BRX R4 -0x1090                 (*"BRANCH_TARGETS .L_x_1,.L_x_2,.L_x_1"*)
.L_x_1:
EXIT
.L_x_2:
EXIT
)");
  ASSERT_EQ(function.code.size(), 3U);
  EXPECT_EQ(function.code[0].targets, (std::vector<std::size_t>{1, 2, 1}));
}

TEST(SassListing, what_is_no_listing_is_an_error) {
  for (const std::string& text : {std::string("hello\n"), sass_listing("kernel", "BRA `(.L_x_9)\n"),
                                  sass_listing("kernel", "BRX R4 -0x10\n"), sass_listing("kernel", "BRA 0x10\n")}) {
    std::istringstream stream(text);
    EXPECT_FALSE(read_sass(stream).ok()) << text;
  }
}

// Blocks: 0 before the loops, 1 the outer header, 2 the inner loop, 3 the outer's end, 4 behind.
constexpr const char* kLoops = R"(
MOV R0, RZ
.L_x_1:
MOV R1, RZ
.L_x_2:
IADD3 R1, R1, 0x1, RZ
@P0 BRA `(.L_x_2)
IADD3 R0, R0, 0x1, RZ
@!P1 BRA `(.L_x_1)
EXIT
)";

TEST(SassLoops, a_loop_within_a_loop_knows_the_one_around_it) {
  const std::vector<SassBlock> blocks = blocks_of(sass_function(kLoops));
  ASSERT_EQ(blocks.size(), 5U);
  EXPECT_EQ(blocks[2].next, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(blocks[4].next, std::vector<std::size_t>{});
  const std::vector<SassLoop> loops = loops_of(blocks);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].header, 1U);
  EXPECT_EQ(loops[0].blocks, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(loops[0].inner, std::vector<std::size_t>{1});
  EXPECT_EQ(loops[0].outer, -1);
  EXPECT_EQ(loops[1].header, 2U);
  EXPECT_EQ(loops[1].blocks, std::vector<std::size_t>{2});
  EXPECT_EQ(loops[1].outer, 0);
}

// A loop's end may be written as a call of what is far away.
TEST(SassLoops, a_call_of_a_label_is_a_jump) {
  const std::vector<SassBlock> blocks = blocks_of(sass_function(R"(
.L_x_1:
@P0 CALL.REL.NOINC `(.L_x_2)
BRA `(.L_x_1)
.L_x_2:
CALL.REL.NOINC `($divide)
EXIT
)"));
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].next, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(loops_of(blocks).size(), 1U);
}

}  // namespace
}  // namespace headroom::test
