#include "support/sass/answers.h"

#include <algorithm>

#include "sass_fixture.h"

namespace headroom::test {
namespace {

// The labels' instructions, MOV R9 with a number each, that a function comes to where lines of q.cuh ask for `answer`.
Result<std::vector<std::string>> places_reached(const std::string& lines, int answer) {
  const SassFunction function = sass_function(lines);
  std::vector<SassBlock> blocks = blocks_of(function);
  std::vector<bool> asks;
  for (const std::vector<SassLine>& origin : function.origins)
    asks.push_back(!origin.empty() && origin.front().file == "q.cuh");
  if (Status kept = keep_answered_ways(function, asks, answer, blocks); !kept) return kept.error();
  std::vector<bool> is_seen(blocks.size());
  std::vector<std::string> places;
  for (std::vector<std::size_t> open{0}; !open.empty();) {
    const std::size_t block = open.back();
    open.pop_back();
    if (is_seen[block]) continue;
    is_seen[block] = true;
    for (std::size_t i = blocks[block].first; i < blocks[block].end; ++i) {
      const std::string& operands = function.code[i].operands;
      if (operands.starts_with("R9, ")) places.push_back(operands.substr(4));
    }
    open.insert(open.end(), blocks[block].next.begin(), blocks[block].next.end());
  }
  std::ranges::sort(places);
  return places;
}

// The answer is compared, and what is left chooses by a table; on the way another line asks something else.
constexpr const char* kSwitch = R"(
from k.cu:1
LDC R7, c[0x0][R1+0x260]
from k.cu:3
ISETP.NE.AND P1, PT, R8, 0x3, PT
from q.cuh:157
ISETP.GT.AND P0, PT, R7, 0x4, PT
@P0 BRA `(.L_x_1)
ISETP.NE.AND P0, PT, R7.reuse, 0x3, PT
@!P0 BRA `(.L_x_3)
from k.cu:5
@P1 MOV R9, 0x4
EXIT
.L_x_3:
MOV R9, 0x3
EXIT
.L_x_1:
from q.cuh:157
IMAD.MOV.U32 R4, RZ, RZ, -0x5
VIADDMNMX.U32 R4, R7, R4, 0x2, PT
IMAD.SHL.U32 R8, R4, 0x4, RZ
LDC R4, c[0x2][R8+0xc]
BRX R4 -0x4160                 (*"BRANCH_TARGETS .L_x_5,.L_x_6,.L_x_7"*)
from k.cu:7
.L_x_5:
MOV R9, 0x5
EXIT
.L_x_6:
MOV R9, 0x6
EXIT
.L_x_7:
MOV R9, 0x7
EXIT
)";

TEST(SassAnswers, each_answer_has_its_own_way) {
  for (const int answer : {3, 4, 5, 6, 7}) {
    const auto places = places_reached(kSwitch, answer);
    ASSERT_TRUE(places.ok()) << places.error().message.text();
    EXPECT_EQ(*places, std::vector<std::string>{fmt::format("0x{}", answer)});
  }
}

// A predicate that was made before, by a line that does not ask, of the same register.
TEST(SassAnswers, what_else_is_made_of_the_answer_is_known) {
  constexpr const char* kCode = R"(
from k.cu:1
SEL R6, R2, R3, P5
IADD3 R10, R6, -0x4, RZ
ISETP.NE.AND P3, PT, R6, 0x7, PT
from q.cuh:157
ISETP.GT.AND P0, PT, R6, 0x5, PT
from k.cu:2
.L_x_0:
from q.cuh:158
@P0 BRA `(.L_x_1)
VIMNMX.U32 R10, PT, PT, R10, 0x1, PT
SHF.L.U32 R10, R10, 0x2, RZ
LDC R4, c[0x2][R10]
BRX R4 -0x10                 (*"BRANCH_TARGETS .L_x_4,.L_x_5"*)
from k.cu:2
.L_x_4:
MOV R9, 0x4
EXIT
.L_x_5:
MOV R9, 0x5
EXIT
.L_x_1:
from q.cuh:158
@P3 BRA `(.L_x_6)
from k.cu:2
MOV R9, 0x7
@P4 BRA `(.L_x_0)
EXIT
.L_x_6:
MOV R9, 0x6
EXIT
)";
  for (const int answer : {4, 5, 6, 7}) {
    const auto places = places_reached(kCode, answer);
    ASSERT_TRUE(places.ok()) << places.error().message.text();
    EXPECT_EQ(*places, std::vector<std::string>{fmt::format("0x{}", answer)});
  }
}

// What is written anew is not known any more: by a wide read, a call, a comparison that may be.
TEST(SassAnswers, what_cannot_be_told_is_an_error_and_never_a_guess) {
  const auto with = [](const std::string& between) {
    return places_reached(fmt::format(R"(
from q.cuh:157
ISETP.GT.AND P0, PT, R7, 0x4, PT
IMAD.SHL.U32 R7, R7, 0x4, RZ
LDC R6, c[0x2][R7]
from k.cu:1
{}
from q.cuh:157
@P0 BRA `(.L_x_1)
BRX R6 -0x10                 (*"BRANCH_TARGETS .L_x_0,.L_x_1"*)
.L_x_0:
MOV R9, 0x0
.L_x_1:
EXIT
)",
                                      between),
                          1);
  };
  ASSERT_TRUE(with("LDG.E.64 R4, [R2.64]").ok());
  EXPECT_TRUE(with("LDG.E.64 R4, [R2.64]")->empty());
  for (const char* forgets : {"LDG.E.128 R4, [R2.64]", "R2P PR, R3, 0x7f", "CALL.REL.NOINC `($divide)",
                              "ISETP.NE.AND P0, PT, R8, R9, PT", "@P3 ISETP.NE.AND P0, PT, R8, 0x1, PT"})
    EXPECT_FALSE(with(forgets).ok()) << forgets;
}

}  // namespace
}  // namespace headroom::test
