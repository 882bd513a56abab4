// Copies of the interpreter that are under way until a thread waits for them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/ptx_fixture.h"

namespace headroom::ptx {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Each thread copies 16 bytes of its own to each of two halves of shared memory, and commits each.
std::string two_groups(const std::string& count = "16") {
  return fmt::format(
      "shl.b32 %r1, %r0, 4;\nmov.u32 %r2, room;\nadd.s32 %r1, %r1, %r2;\nmul.wide.u32 %rd2, %r0, 16;\n"
      "add.s64 %rd2, %rd2, %rd0;\n"
      "cp.async.cg.shared.global [%r1], [%rd2+4096], {0};\ncp.async.commit_group;\n"
      "cp.async.cg.shared.global.L2::128B [%r1+1024], [%rd2+8192], {0};\ncp.async.commit_group;\n",
      count);
}
std::string read_half(int half, int other_bytes = 0) {
  return fmt::format("xor.b32 %r3, %r1, {};\nld.shared.u32 %r4, [%r3+{}];\nst.global.u32 [%rd1], %r4;\n", other_bytes,
                     1024 * half);
}

class PtxCopies : public Ptx {
 protected:
  PtxCopies() {
    for (std::size_t i = 0; i < kWords; ++i) memory_[i] = static_cast<std::uint32_t>(i);
  }
};

TEST_F(PtxCopies, arrive_when_their_group_was_waited_for) {
  ASSERT_THAT(run(two_groups() + "cp.async.wait_group 1;\n" + read_half(0)), IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], 1024 + i * 4) << i;
  for (const char* wait : {"cp.async.wait_group 0;\n", "cp.async.wait_all;\n"}) {
    ASSERT_THAT(run(two_groups() + wait + read_half(1)), IsEmpty());
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], 2048 + i * 4) << i;
  }
  EXPECT_THAT(run(two_groups() + read_half(0)), HasSubstr("still on its way"));
  EXPECT_THAT(run(two_groups() + "cp.async.wait_group 1;\n" + read_half(1)), HasSubstr("still on its way"));
  EXPECT_THAT(run(two_groups() + "cp.async.wait_group 2;\n" + read_half(0)), HasSubstr("still on its way"));
  EXPECT_THAT(run(two_groups() + "bar.sync 0;\n" + read_half(0)), HasSubstr("still on its way"));
}

TEST_F(PtxCopies, of_no_group_arrive_with_all_and_not_with_the_groups) {
  const std::string one = two_groups() + "cp.async.ca.shared.global [%r1+2048], [%rd2+4096], 4;\n";
  EXPECT_THAT(run(one + "cp.async.wait_group 0;\n" + read_half(2)), HasSubstr("still on its way"));
  ASSERT_THAT(run(one + "cp.async.wait_all;\n" + read_half(2)), IsEmpty());
  EXPECT_EQ(memory_[31], 1024U + 31 * 4);
}

TEST_F(PtxCopies, are_seen_by_other_threads_behind_a_barrier) {
  const std::string all = two_groups() + "cp.async.wait_all;\n";
  ASSERT_THAT(run(all + "bar.sync 0;\n" + read_half(0, 512), 64), IsEmpty());
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(memory_[i], 1024 + (i ^ 32) * 4) << i;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    EXPECT_THAT(run(all + read_half(0, 16), 64, seed), HasSubstr("with no barrier between them"));
    EXPECT_THAT(
        run(all + read_half(0, 512), 64, seed),
        AnyOf(HasSubstr("with no barrier between them"), HasSubstr("was not written"), HasSubstr("still on its way")));
  }
}

TEST_F(PtxCopies, fill_up_with_zeros) {
  ASSERT_THAT(run("mov.u32 %r8, 4;\n" + two_groups("16, %r8") +
                  "cp.async.wait_all;\nld.shared.v2.u32 {%r5, %r6}, [%r1];\nshl.b32 %r6, %r6, 16;\n"
                  "or.b32 %r5, %r5, %r6;\nst.global.u32 [%rd1], %r5;"),
              IsEmpty());
  EXPECT_EQ(memory_[7], 1024U + 7 * 4);
}

TEST_F(PtxCopies, that_are_wrong_are_errors) {
  EXPECT_THAT(run(two_groups() + "st.shared.u32 [%r1], %r0;"), HasSubstr("still on its way"));
  EXPECT_THAT(run(two_groups() + "cp.async.ca.shared.global [%r1], [%rd2], 4;"), HasSubstr("still on its way"));
  EXPECT_THAT(run("cp.async.cg.shared.global [room+8], [%rd0], 16;"), HasSubstr("where they cannot be"));
  EXPECT_THAT(run("cp.async.ca.shared.global [room], [%rd0+4], 8;"), HasSubstr("where they cannot be"));
  EXPECT_THAT(run("cp.async.ca.shared.global [room+4096], [%rd0], 8;"), HasSubstr("behind shared memory"));
  EXPECT_THAT(run("cp.async.ca.shared.global [room], [%rd0+16384], 8;"), HasSubstr("are nobody's"));
  EXPECT_THAT(run("mov.u32 %r1, 9;\ncp.async.ca.shared.global [room], [%rd0], 8, %r1;"),
              HasSubstr("reads more than it writes"));
  EXPECT_THAT(run("cp.async.cg.shared.global [room], [%rd0], 8;"), HasSubstr("a copy of so many bytes"));
  EXPECT_THAT(run("cp.async.ca.shared.global [room], [%rd0], 12;"), HasSubstr("a copy of so many bytes"));
  EXPECT_THAT(run("cp.async.ca.shared.global [room], [%rd0], 8, %p1;"), HasSubstr("that a predicate leaves out"));
  EXPECT_THAT(run("cp.async.ca.shared.foo.global [room], [%rd0], 8;"), HasSubstr("a copy that is not known"));
  EXPECT_THAT(run("cp.async.bulk.commit_group;"), HasSubstr("line"));
}

}  // namespace
}  // namespace headroom::ptx
