#include "support/sass/costs.h"

#include "sass_fixture.h"

namespace headroom::test {
namespace {

std::optional<SassKind> kind_of(const std::string& instruction) {
  return sass_kind(sass_function(instruction).code.at(0));
}

TEST(SassCosts, kinds_are_told_apart) {
  EXPECT_EQ(kind_of("IMAD.WIDE.U32 R2, R1, 0x4, R2"), SassKind::kInteger);
  EXPECT_EQ(kind_of("IMAD.SHL.U32 R2, R1, 0x4, RZ"), SassKind::kInteger);
  EXPECT_EQ(kind_of("IMAD.MOV.U32 R2, RZ, RZ, R1"), SassKind::kMove);
  EXPECT_EQ(kind_of("HFMA2.MMA R0, -RZ, RZ, 0, 0"), SassKind::kMove);
  EXPECT_EQ(kind_of("HFMA2.MMA R0, R1, R2, R3"), SassKind::kFloat);
  EXPECT_EQ(kind_of("HADD2.F32 R48, -RZ, R16.H1_H1"), SassKind::kConvert);
  EXPECT_EQ(kind_of("HADD2.F32 R48, R16.H1_H1, -RZ.H0_H0"), SassKind::kConvert);
  EXPECT_EQ(kind_of("I2FP.F32.S32 R0, R1"), SassKind::kConvert);
  EXPECT_EQ(kind_of("@P0 FFMA R0, R1, R2, R3"), SassKind::kFfma);
  EXPECT_EQ(kind_of("FMUL R0, R1, R2"), SassKind::kFmul);
  EXPECT_EQ(kind_of("FADD R0, R1, R2"), SassKind::kFloat);
  EXPECT_EQ(kind_of("IDP.4A.S8.S8 R0, R1, R2, R3"), SassKind::kProduct);
  EXPECT_EQ(kind_of("LDG.E.128 R0, [R4.64]"), SassKind::kMemory);
  EXPECT_EQ(kind_of("UIADD3 UR4, UR4, 0x1, URZ"), SassKind::kUniform);
  EXPECT_EQ(kind_of("BSYNC B0"), SassKind::kRest);
  EXPECT_EQ(kind_of("QUANTUM R0, R1"), std::nullopt);
}

// The instructions of the best way through the only loop that has no loop within it.
std::vector<std::string> best_of(const SassFunction& function) {
  const std::vector<SassBlock> blocks = blocks_of(function);
  const std::vector<SassLoop> loops = loops_of(blocks);
  std::vector<WayScore> scores(blocks.size());
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    for (std::size_t i = blocks[block].first; i < blocks[block].end; ++i) {
      scores[block][0] += is_work(function.code[i]) ? 1 : 0;
      --scores[block][1];
    }
  }
  std::vector<std::string> ops;
  for (const std::size_t block : best_iteration(blocks, loops, 0, scores)) {
    for (std::size_t i = blocks[block].first; i < blocks[block].end; ++i) ops.push_back(function.code[i].op);
  }
  return ops;
}

// As of a row's tail, which reads words, and of a row that may be missing.
TEST(SassCosts, an_iteration_goes_where_most_work_is_done_with_the_fewest_instructions) {
  EXPECT_EQ(best_of(sass_function(R"(
.L_x_0:
@P0 BRA `(.L_x_1)
LDG.E R0, [R4.64]
LDG.E R1, [R4.64+0x4]
BRA `(.L_x_2)
.L_x_1:
LDG.E.128 R0, [R4.64]
.L_x_2:
@P1 BRA `(.L_x_3)
FFMA R0, R1, R2, R3
@P3 MOV R5, R6
@P4 BRA `(.L_x_4)
MOV R5, R7
.L_x_4:
NOP
.L_x_3:
@P2 BRA `(.L_x_0)
EXIT
)")),
            (std::vector<std::string>{"BRA", "LDG.E.128", "BRA", "FFMA", "MOV", "BRA", "NOP", "BRA"}));
}

TEST(SassCosts, a_loop_within_is_gone_through_for_its_work_and_counts_for_itself) {
  EXPECT_EQ(best_of(sass_function(R"(
.L_x_0:
@P0 BRA `(.L_x_2)
MOV R1, RZ
.L_x_1:
FFMA R0, R1, R2, R3
@P1 BRA `(.L_x_1)
SEL R1, R2, R3, P0
.L_x_2:
@P2 BRA `(.L_x_0)
EXIT
)")),
            (std::vector<std::string>{"BRA", "MOV", "SEL", "BRA"}));
}

}  // namespace
}  // namespace headroom::test
