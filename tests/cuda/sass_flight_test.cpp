#include "support/sass/flight.h"

#include "sass_fixture.h"

namespace headroom::test {
namespace {

LoadFlight flight_of(const std::string& lines) {
  const SassFunction function = sass_function(lines);
  std::vector<const SassInstruction*> iteration;
  for (const SassInstruction& instruction : function.code) iteration.push_back(&instruction);
  return loads_under_way(iteration);
}

TEST(SassFlight, loads_that_stand_before_the_first_use_are_under_way_together) {
  const LoadFlight flight = flight_of(R"(
LDG.E.EF.128 R8, desc[UR4][R2.64]
LDG.E.EF.128 R12, desc[UR4][R2.64+0x200]
LDG.E.EF.128 R16, desc[UR4][R2.64+0x400]
LOP3.LUT R0, R8, 0xf, RZ, 0xc0, !PT
LOP3.LUT R0, R15, 0xf, RZ, 0xc0, !PT
LOP3.LUT R0, R17, 0xf, RZ, 0xc0, !PT
)");
  EXPECT_EQ(flight.loads, 3);
  EXPECT_DOUBLE_EQ(flight.distance, 3);
}

TEST(SassFlight, a_use_directly_behind_each_load_leaves_one_under_way) {
  const LoadFlight flight = flight_of(R"(
LDG.E.128.EF.SYS R8, [R2.64]
IDP.4A.S8.S8 R0, R9, R1, R0
LDG.E.128.EF.SYS R12, [R2.64+0x200]
IDP.4A.S8.S8 R0, R12, R1, R0
)");
  EXPECT_EQ(flight.loads, 1);
  EXPECT_DOUBLE_EQ(flight.distance, 1);
}

// What an iteration asks for may be used in the next: then both have it under way.
TEST(SassFlight, a_load_may_be_used_in_the_next_iteration) {
  const LoadFlight flight = flight_of(R"(
IDP.4A.S8.S8 R0, R9, R1, R0
LDG.E.EF.128 R8, desc[UR4][R2.64]
IDP.4A.S8.S8 R0, R12, R1, R0
LDG.E.EF.128 R12, desc[UR4][R2.64+0x200]
)");
  EXPECT_EQ(flight.loads, 2);
  EXPECT_DOUBLE_EQ(flight.distance, 3);
}

TEST(SassFlight, activations_and_other_registers_do_not_count) {
  const LoadFlight flight = flight_of(R"(
LDG.E.128 R20, desc[UR4][R6.64]
LDG.E.EF R24, desc[UR4][R6.64]
LDG.E.EF.128 R8, desc[UR4][R2.64]
LDG.E.128 R28, desc[UR9][R6.64]
IADD3 R18, R19, 0x8, RZ
MOV R0, SR8
IADD3 R0, R11, 0x8, RZ
)");
  EXPECT_EQ(flight.loads, 1);
  EXPECT_DOUBLE_EQ(flight.distance, 4);
  EXPECT_EQ(flight_of("FFMA R0, R1, R2, R3\n").loads, 0);
}

TEST(SassFlight, requests_into_the_second_level_cache_are_told_from_others) {
  EXPECT_TRUE(is_prefetch(sass_function("CCTL.E.PF2 [R4]\n").code.front()));
  EXPECT_FALSE(is_prefetch(sass_function("CCTL.IVALL\n").code.front()));
}

}  // namespace
}  // namespace headroom::test
