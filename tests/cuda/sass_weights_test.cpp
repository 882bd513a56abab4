#include "support/sass/weights.h"

#include "sass_fixture.h"

namespace headroom::test {
namespace {

constexpr std::size_t kInteger = 0, kProducts = 6;

// A kernel of two formats, with a loop over blocks around the one that multiplies; of the first format `in_loop` is one
// more instruction of the inner loop, and `behind` stands behind its loops.
std::string kernel_with(const std::string& in_loop, const std::string& behind = "NOP") {
  return fmt::format(R"(
from k.cu:1
LDC R7, c[0x0][R1+0x260]
.L_x_8:
LDG.E R3, [R2.64]
from q.cuh:10
ISETP.NE.AND P0, PT, R7, 0x3, PT
@P0 BRA `(.L_x_4)
from k.cu:2 q.cuh:1
.L_x_1:
LEA R2, R3, R4, 0x2
LEA R2, R3, R4, 0x2
.L_x_2:
LDG.E.128 R12, [R2.64]
IDP.4A.S8.S8 R0, R12, R1, R0
IDP.4A.S8.S8 R0, R13, R1, R0
{}
LOP3.LUT R5, R4, 0xf, RZ, 0xc0, !PT
@P1 BRA `(.L_x_2)
IADD3 R3, R3, 0x1, RZ
@P2 BRA `(.L_x_1)
{}
from k.cu:3
BRA `(.L_x_7)
from k.cu:2 q.cuh:2
.L_x_4:
IDP.4A.S8.S8 R0, R12, R1, R0
LOP3.LUT R5, R4, 0xf, RZ, 0xc0, !PT
LOP3.LUT R5, R4, 0xf, RZ, 0xc0, !PT
@P1 BRA `(.L_x_4)
from k.cu:3
.L_x_7:
@P3 BRA `(.L_x_8)
EXIT
)",
                     in_loop, behind);
}

const WeightLines kLines = {
    {{{"q.cuh", 1}, DType::kQ8_0}, {{"q.cuh", 2}, DType::kQ4_0}}, {{"q.cuh", 10}}, {{{"q.cuh", 20}, true}}};

TEST(SassWeights, a_format_has_the_loops_that_are_its_own) {
  const SassFunction function = sass_function(kernel_with("NOP"), "matvec_int8_1");
  const std::vector<Result<WeightCosts>> costs = weight_costs(function, kLines, 90);
  ASSERT_EQ(costs.size(), 2U);
  ASSERT_TRUE(costs[0].ok()) << costs[0].error().message.text();
  // Eight weights an iteration, 256 one of the loop around it; the loop around both formats does not count.
  EXPECT_EQ(costs[0]->format, DType::kQ8_0);
  EXPECT_DOUBLE_EQ(costs[0]->of_kinds[kInteger], 1 / 8.0 + 3 / 256.0);
  EXPECT_DOUBLE_EQ(costs[0]->of_kinds[kProducts], 2 / 8.0);
  ASSERT_TRUE(costs[1].ok()) << costs[1].error().message.text();
  EXPECT_EQ(costs[1]->format, DType::kQ4_0);
  EXPECT_DOUBLE_EQ(costs[1]->of_kinds[kInteger], 2 / 4.0);
}

// As many products as an iteration has: those of a first iteration of a loop over the rest, which stand in the loop
// around both formats.
TEST(SassWeights, of_two_loops_with_as_many_products_the_inner_one_counts) {
  const std::string rest = "IDP.4A.S8.S8 R0, R12, R1, R0\nIDP.4A.S8.S8 R0, R13, R1, R0";
  const auto costs = weight_costs(sass_function(kernel_with("NOP", rest), "matvec_int8_1"), kLines, 90);
  ASSERT_TRUE(costs[0].ok()) << costs[0].error().message.text();
  EXPECT_DOUBLE_EQ(costs[0]->of_kinds[kInteger], 1 / 8.0 + 3 / 256.0);
}

TEST(SassWeights, one_more_instruction_is_seen) {
  const auto costs = weight_costs(sass_function(kernel_with("PRMT R5, R4, 0x2104, R5"), "matvec_int8_1"), kLines, 90);
  ASSERT_TRUE(costs[0].ok());
  EXPECT_DOUBLE_EQ(costs[0]->of_kinds[kInteger], 2 / 8.0 + 3 / 256.0);
}

TEST(SassWeights, what_is_not_understood_is_an_error) {
  const auto costs = weight_costs(sass_function(kernel_with("QUANTUM R5, R4"), "matvec_int8_1"), kLines, 90);
  ASSERT_FALSE(costs[0].ok());
  EXPECT_EQ(costs[0].error().message.text(),
            "matvec_int8_1, Q8_0: expected an instruction that is known, found QUANTUM");
  EXPECT_TRUE(costs[1].ok());
  // A loop that does not multiply, whose rounds are not known.
  const std::string loop = ".L_x_11:\nIADD3 R5, R5, 0x1, RZ\n@P4 BRA `(.L_x_11)";
  EXPECT_FALSE(weight_costs(sass_function(kernel_with(loop), "matvec_int8_1"), kLines, 90)[0].ok());
  // Of kernels with a fixed number of products: other numbers, and no loop at all.
  EXPECT_FALSE(weight_costs(sass_function(kernel_with("NOP"), "matmul_int8_64"), kLines, 90)[0].ok());
  EXPECT_FALSE(weight_costs(sass_function(kernel_with("NOP"), "matvec_1"), kLines, 90)[0].ok());
  EXPECT_TRUE(weight_costs(sass_function(kernel_with("NOP"), "rms_norm"), kLines, 90).empty());
}

TEST(SassWeights, the_kernels_sources_say_where_formats_are) {
  const Result<WeightLines> lines = weight_lines(HEADROOM_SOURCE_DIR "/engine/backend/cuda/kernels");
  ASSERT_TRUE(lines.ok()) << lines.error().message.text();
  std::set<DType> formats;
  for (const auto& [line, format] : lines->formats) formats.insert(format);
  EXPECT_EQ(formats.size(), kNDTypes - 1);  // FP8 is of caches
  EXPECT_EQ(lines->asked.size(), 3U);
  EXPECT_FALSE(weight_lines(testing::TempDir()).ok());
}

}  // namespace
}  // namespace headroom::test
