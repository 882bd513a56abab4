// The interpreter of PTX on entries that are right and on such as are wrong in the ways that it is there to see.
#include "cuda/ptx_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::ptx {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Ptx, lanes_part_and_meet_again) {
  ASSERT_THAT(run("setp.lt.u32 %p1, %r0, 10;\n@%p1 bra $few;\nmov.u32 %r1, 2;\nbra.uni $both;\n"
                  "$few:\nmov.u32 %r1, 1;\n$both:\nshfl.sync.bfly.b32 %r2|%p2, %r1, 31, 31, -1;\n"
                  "shl.b32 %r3, %r2, 4;\nor.b32 %r3, %r3, %r1;\nst.global.u32 [%rd1], %r3;"),
              IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], (i < 10 ? 1U : 2U) + 16 * (31 - i < 10 ? 1U : 2U)) << i;
  EXPECT_EQ(memory_[32], 77U);
}

TEST_F(Ptx, loops_end_for_each_lane_by_itself) {
  ASSERT_THAT(run("mov.u32 %r1, 0;\nmov.u32 %r2, 0;\n$more:\nadd.s32 %r2, %r2, %r1;\nadd.s32 %r1, %r1, 1;\n"
                  "setp.le.u32 %p1, %r1, %r0;\n@%p1 bra $more;\nst.global.u32 [%rd1], %r2;"),
              IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], i * (i + 1) / 2);
}

// The lanes at the exchange stand before those that have left it for later lines.
TEST_F(Ptx, lanes_wait_for_those_of_their_warp_where_it_acts_together) {
  ASSERT_THAT(run("mov.u32 %r1, 2;\nsetp.lt.u32 %p1, %r0, 10;\n@%p1 bra $later;\n"
                  "$both:\nshfl.sync.bfly.b32 %r2, %r1, 31, 31, -1;\nst.global.u32 [%rd1], %r2;\nret;\n"
                  "$later:\nmov.u32 %r1, 1;\nbra.uni $both;"),
              IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], 31 - i < 10 ? 1U : 2U) << i;
}

// 0x101F: in halves of 16 lanes. Across them an exchange reaches back and not forward.
TEST_F(Ptx, words_are_exchanged_within_parts_of_a_warp) {
  ASSERT_THAT(run("shfl.sync.bfly.b32 %r1|%p1, %r0, 16, 0x101F, -1;\nselp.u32 %r2, 100, 200, %p1;\n"
                  "add.s32 %r1, %r1, %r2;\nst.global.u32 [%rd1], %r1;"),
              IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], i < 16 ? 200 + i : 100 + i - 16) << i;
  ASSERT_THAT(run("shfl.sync.idx.b32 %r1, %r0, 3, 0x101F, -1;\nst.global.u32 [%rd1], %r1;"), IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(memory_[i], i < 16 ? 3U : 19U) << i;
}

// Each thread writes its word of shared memory, waits in some way and reads that of a thread whose number differs in
// the bits of `other`.
std::string reads_of_others(const std::string& wait, int other) {
  return fmt::format(
      "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, room;\nadd.s32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %r0;\n{}\n"
      "xor.b32 %r4, %r1, {};\nadd.s32 %r4, %r4, %r2;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\n",
      wait, other * 4);
}

TEST_F(Ptx, shared_memory_is_seen_by_others_behind_a_barrier_and_nowhere_else) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    ASSERT_THAT(run(reads_of_others("bar.sync 0;", 32), 64, seed), IsEmpty());
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(memory_[i], i ^ 32) << i;
    ASSERT_THAT(run(reads_of_others("bar.warp.sync -1;", 3), 64, seed), IsEmpty());
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(memory_[i], i ^ 3) << i;
    const auto is_race = AnyOf(HasSubstr("was not written"), HasSubstr("with no barrier between them"));
    EXPECT_THAT(run(reads_of_others("", 32), 64, seed), is_race);
    EXPECT_THAT(run(reads_of_others("bar.warp.sync -1;", 32), 64, seed), is_race);
    // Lanes of a warp do this in step, and no card has to.
    EXPECT_THAT(run(reads_of_others("", 3), 64, seed), HasSubstr("with no barrier between them"));
  }
}

TEST_F(Ptx, what_others_have_read_is_overwritten_behind_a_barrier_and_nowhere_else) {
  for (const int other : {3, 32}) {
    const std::string reads = reads_of_others("bar.sync 0;", other), writes = "st.shared.u32 [%r3], %r5;";
    EXPECT_THAT(run(reads + "bar.sync 0;\n" + writes, 64), IsEmpty());
    EXPECT_THAT(run(reads + writes, 64), HasSubstr("one of them writes")) << other;
  }
  EXPECT_THAT(run("st.shared.u32 [room], %r0;"), HasSubstr("one of them writes")) << "all lanes at the same place";
  // Of many who read the same word the last one writes it: of its warp, or of two while it has waited for its own.
  const std::string all_read =
      "setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u32 [room], 5;\nbar.sync 0;\nld.shared.u32 %r1, [room];\n";
  EXPECT_THAT(run(all_read + "setp.eq.u32 %p1, %r0, 31;\n@%p1 st.shared.u32 [room], 6;"),
              HasSubstr("one of them writes"));
  for (std::uint32_t seed = 1; seed <= 20; ++seed)
    EXPECT_THAT(run(all_read + "bar.warp.sync -1;\nsetp.eq.u32 %p1, %r0, 63;\n@%p1 st.shared.u32 [room], 6;", 64, seed),
                HasSubstr("one of them writes"));
  EXPECT_THAT(run("mov.u16 %rs1, 7;\nshl.b32 %r1, %r0, 1;\nmov.u32 %r2, room;\nadd.s32 %r2, %r2, %r1;\n"
                  "st.shared.u16 [%r2], %rs1;"),
              IsEmpty())
      << "two lanes in a word";
}

// What kernels before this one have written is read behind a wait, by each thread for itself.
TEST_F(Ptx, memory_is_touched_when_earlier_kernels_have_ended) {
  const std::string touches = "st.global.u32 [%rd1], %r0;\n";
  const std::string both = "griddepcontrol.launch_dependents;\nprefetch.global.L2 [%rd1];\n";
  EXPECT_THAT(run(both + "griddepcontrol.wait;\n" + touches), IsEmpty());
  EXPECT_THAT(run(both + touches), IsEmpty()) << "a kernel that waits for none";
  EXPECT_THAT(run(touches + "griddepcontrol.wait;"), HasSubstr("while earlier kernels may run"));
  EXPECT_THAT(run("ld.global.u32 %r1, [%rd1];\ngriddepcontrol.wait;"), HasSubstr("while earlier kernels may run"));
  EXPECT_THAT(run("setp.lt.u32 %p1, %r0, 31;\n@%p1 griddepcontrol.wait;\n" + touches),
              HasSubstr("while earlier kernels may run"));
  EXPECT_THAT(run("prefetch.global.L2 [%rd0+16384];"), HasSubstr("are nobody's"));
  EXPECT_THAT(run("prefetch.global.L1 [%rd1];"), HasSubstr("a prefetch of a kind that is not known"));
  EXPECT_THAT(run("griddepcontrol.arrive;"), HasSubstr("a dependency that is not known"));
}

TEST_F(Ptx, atomics_of_all_threads_add_up) {
  const std::string body =
      "setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u32 [room], 5;\nbar.sync 0;\natom.shared.add.u32 %r1, [room], %r0;\n";
  ASSERT_THAT(run(body + "bar.sync 0;\nld.shared.u32 %r2, [room];\nst.global.u32 [%rd1], %r2;", 64), IsEmpty());
  EXPECT_EQ(memory_[9], 5U + 63U * 64U / 2U);
  EXPECT_THAT(run(body + "ld.shared.u32 %r2, [room];"), HasSubstr("with no barrier between them"));
}

TEST_F(Ptx, a_block_finds_nothing_in_shared_memory_of_the_one_before) {
  const std::string writes =
      "mov.u32 %r1, %ctaid.x;\nor.b32 %r2, %r0, %r1;\nsetp.eq.s32 %p1, %r2, 0;\n"
      "@%p1 st.shared.u32 [room], 5;\nbar.sync 0;\n";
  EXPECT_THAT(run(writes + "setp.eq.s32 %p2, %r1, 0;\n@%p2 ld.shared.u32 %r3, [room];", 32, 1, 2), IsEmpty());
  EXPECT_THAT(run(writes + "ld.shared.u32 %r3, [room];", 32, 1, 2),
              AllOf(HasSubstr("block (1, 0, 0)"), HasSubstr("was not written")));
}

TEST_F(Ptx, what_is_not_known_or_not_allowed_is_an_error_that_names_the_line) {
  EXPECT_THAT(run("frob.u32 %r1, %r0;"), AllOf(HasSubstr("frob.u32"), HasSubstr("line")));
  EXPECT_THAT(run("add.u32 %r1, %r0, %nothing;"), HasSubstr("expected a register, found: %nothing"));
  EXPECT_THAT(run("add.u32 %r1, %r0, nothing;"),
              HasSubstr("expected a register, a number or a variable, found: nothing"));
  EXPECT_THAT(run("bra $nowhere;"), HasSubstr("expected a label, found: $nowhere"));
  EXPECT_THAT(run(".frob 7;"), HasSubstr("expected a directive that is known"));
  EXPECT_THAT(run("setp.eq.and.u32 %p1, %r0, 1, %p2;"), HasSubstr("a comparison that is not known"));
  EXPECT_THAT(run("st.global.u32 [%rd1], %r9;"), HasSubstr("read before it was written"));
  EXPECT_THAT(run("setp.lt.u32 %p1, %r0, 31;\n@%p1 mov.u32 %r9, 1;\nst.global.u32 [%rd1], %r9;"),
              HasSubstr("read before it was written"));
  EXPECT_THAT(run("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+4];"), HasSubstr("where they cannot be"));
  EXPECT_THAT(run("ld.global.u32 %r1, [%rd0+16384];"), HasSubstr("are nobody's"));
  EXPECT_THAT(run("ld.shared.u32 %r1, [room+4096];"), HasSubstr("behind shared memory"));
  EXPECT_THAT(run("ld.shared.u32 %r1, [room+8];"), HasSubstr("byte 8 of shared memory was not written"));
  EXPECT_THAT(run("ld.param.u64 %rd2, [test_param_0+8];"), HasSubstr("behind its end"));
  EXPECT_THAT(run("setp.lt.u32 %p1, %r0, 7;\n@%p1 bar.sync 0;"),
              HasSubstr("not all lanes of a warp come to a barrier"));
  EXPECT_THAT(run("setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 0;", 64), HasSubstr("that others will not come to"));
  EXPECT_THAT(run("setp.lt.u32 %p1, %r0, 7;\n@%p1 bar.warp.sync -1;"), HasSubstr("waits for its lanes"));
  EXPECT_THAT(run("bar.warp.sync 1;"), HasSubstr("a barrier of a part of a warp"));
  EXPECT_THAT(run("setp.eq.u32 %p1, %r0, 7;\n@%p1 ret;\nshfl.sync.bfly.b32 %r1|%p2, %r0, 1, 31, -1;"),
              HasSubstr("not all of the warp have come"));
}

// What a part of a name means would be left out where it is not known.
TEST_F(Ptx, an_instruction_is_known_by_all_of_its_name_and_operands) {
  for (const std::string code : {
           "add.sat.s32 %r1, %r0, %r0",
           "add.cc.s32 %r1, %r0, %r0",
           "add.s32 %r1, %r0",
           "add.s32 %r1, %r0, %r0, %r0",
           "add.rm.f32 %f1, 0f3F800000, 0f3F800000",
           "add.ftz.f32 %f1, 0f3F800000, 0f3F800000",
           "min.NaN.f32 %f1, 0f3F800000, 0f3F800000",
           "div.approx.f32 %f1, 0f3F800000, 0f3F800000",
           "rcp.approx.f32 %f1, 0f3F800000",
           "fma.rn.sat.f32 %f1, 0f3F800000, 0f3F800000, 0f3F800000",
           "fma.rz.f32 %f1, 0f3F800000, 0f3F800000, 0f3F800000",
           "mul.lo.f32 %f1, 0f3F800000, 0f3F800000",
           "mad.lo.cc.s32 %r1, %r0, %r0, %r0",
           "cvt.rn.f32.f64 %f1, %rd0",
           "cvt.sat.f32.f16 %f1, %rs1",
           "cvt.rn.ftz.f16.f32 %rs1, 0f3F800000",
           "cvt.rz.f16x2.f32 %r1, 0f3F800000, 0f3F800000",
           "cvt.sat.u8.u32 %r1, %r0",
           "cvt.rzi.s64.f32 %rd2, 0f3F800000",
           "setp.lt.f64 %p1, %rd0, %rd0",
           "setp.lt.ftz.f32 %p1, 0f3F800000, 0f3F800000",
           "setp.ltu.s32 %p1, %r0, %r0",
           "setp.eq.pred %p1, %p2, %p3",
           "prmt.f4e.b32 %r1, %r0, %r0, %r0",
           "dp4a.u32.s32 %r1, %r0, %r0, %r0",
           "mov.b128 %rd2, %rd0",
           "ld.u32 %r1, [%rd0]",
           "ld.global.b128 %rd2, [%rd0]",
           "ld.global.v8.u32 %r1, [%rd0]",
           "ld.global.relaxed.u32 %r1, [%rd0]",
           "ld.global.shared.u32 %r1, [%rd0]",
           "st.param.u32 [test_param_0], %r0",
           "atom.global.add.u32 %r1, [%rd0], %r0",
           "atom.shared.add.f32 %r1, [room], %r0",
           "shfl.sync.bfly.b64 %rd2, %rd0, 1, 31, -1",
           "shfl.bfly.b32 %r1, %r0, 1, 31",
           "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r0, %r0}, {%r0}, {%r0, "
           "%r0, "
           "%r0, %r0}",
           "mma.sync.aligned.m16n8k16.row.col.s32.s8.s4.s32 {%r1, %r2, %r3, %r4}, {%r0, %r0}, {%r0}, {%r0, %r0, %r0, "
           "%r0}",
           "bar.sync 1",
           "bar.sync 0, 32",
           "bar.arrive 0, 32",
           "bar.red.popc.u32 %r1, 0, %p1",
           "barrier.cta.sync 0",
           "bra %r0",
           "bra.foo $end",
           "cvta.to.local.u64 %rd2, %rd0",
       }) {
    EXPECT_THAT(run(code + ";\n$end:\n"), AllOf(HasSubstr("line"), HasSubstr(code))) << code;
  }
}

TEST_F(Ptx, what_is_not_known_between_and_around_instructions_is_an_error) {
  EXPECT_THAT(run("mov.u32 %r1, 12x;"), HasSubstr("found: 12x"));
  EXPECT_THAT(run("mov.u32 %r1, 0.5;"), HasSubstr("found: 0.5"));
  EXPECT_THAT(run("mov.f32 %f1, 0f3F80;"), HasSubstr("found: 0f3F80"));
  EXPECT_THAT(run("ld.global.u32 %r1, [%rd0+x];"), HasSubstr("found: [%rd0+x]"));
  EXPECT_THAT(run("@%r0 bra $end;\n$end:"), HasSubstr("expected a predicate, found: %r0"));
  EXPECT_THAT(run("$twice:\n$twice:"), HasSubstr("expected a label of its own"));
  EXPECT_THAT(run(".reg .b128 %q;"), HasSubstr("of a known type"));
  EXPECT_THAT(run("}\n{"), HasSubstr("outside of bodies, found: {"));
  EXPECT_TRUE(parse(".version 9.0\n.global .align 4 .u32 x = 12;\n"));
  EXPECT_THAT(run("ld.global.u32 %r1, [x];"), HasSubstr("found: x")) << "what stands there is not read";
  for (const char* outside : {".func f()\n{\nret;\n}", ".extern .shared .b8 x[];", "frob"})
    EXPECT_FALSE(parse(std::string(".version 9.0\n") + outside + "\n")) << outside;
  const std::string head = ".visible .entry test(\n.param .align 8 .b8 test_param_0[8]\n)\n";
  EXPECT_TRUE(parse(head + ".maxntid 32, 1, 1\n{\nret;\n}\n"));
  EXPECT_FALSE(parse(head + ".maxnreg 32\n{\nret;\n}\n"));
  EXPECT_FALSE(parse(head + "{\nret\n}\n")) << "no semicolon";
  EXPECT_FALSE(parse(head + "{\nret;\n}\n" + head + "{\nret;\n}\n")) << "twice the same name";
}

TEST_F(Ptx, registers_are_those_of_the_innermost_braces) {
  ASSERT_THAT(run("mov.u32 %r1, 3;\n{\n.reg .b32 %r1;\nmov.u32 %r1, 4;\nadd.s32 %r3, %r1, 10;\n}\n"
                  "add.s32 %r2, %r1, %r3;\nst.global.u32 [%rd1], %r2;"),
              IsEmpty());
  EXPECT_EQ(memory_[0], 17U);
}

TEST_F(Ptx, numbers_become_what_cuda_makes_of_them) {
  // Each stores one word; expected for thread 5.
  struct Case {
    const char* body;
    std::uint32_t expected;
  };
  for (const Case& each : {
           Case{"sub.s32 %r1, %r0, 7;\nshr.s32 %r2, %r1, 1;", 0xFFFFFFFF},
           Case{"mov.u32 %r1, 0x80000000;\nshr.u32 %r2, %r1, 31;", 1},
           Case{"shl.b32 %r2, %r0, 32;", 0},
           Case{"mov.u32 %r1, 0x80000000;\nshr.u32 %r2, %r1, 40;", 0},
           Case{"mov.u32 %r1, 0x80000000;\nshr.s32 %r2, %r1, 40;", 0xFFFFFFFF},
           Case{"mov.u32 %r1, 0x80000001;\nmul.hi.u32 %r2, %r1, 6;", 3},
           Case{"mov.u32 %r1, 0x80000001;\nmul.hi.s32 %r2, %r1, 6;", 0xFFFFFFFD},
           Case{"mov.u32 %r1, 0xFF85;\nst.global.u32 [%rd1], %r1;\nld.global.s8 %r2, [%rd1];", 0xFFFFFF85},
           Case{"cvt.rn.f16x2.f32 %r2, 0f3F800000, 0fC0000000;", 0x3C00C000},
           Case{"mov.f32 %f1, 0f40200000;\ncvt.sat.f32.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0x3F800000},
           Case{"mov.f32 %f1, 0f7FC00000;\ncvt.sat.f32.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0},
           Case{"mov.f32 %f1, 0f00400000;\nrcp.approx.ftz.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0x7F800000},
           Case{"mov.f32 %f1, 0f7F000000;\nrcp.approx.ftz.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0},
           Case{"mov.f32 %f1, 0f7F000000;\nrcp.rn.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0x00400000},
           Case{"mov.f32 %f1, 0f33C00000;\nadd.rz.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;", 0x3F800000},
           Case{"mov.f32 %f1, 0f33C00000;\nadd.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;", 0x3F800001},
           Case{"mov.f32 %f1, 0fB3C00000;\nadd.rz.f32 %f2, %f1, 0fBF800000;\nmov.b32 %r2, %f2;", 0xBF800000},
           Case{"mov.f32 %f1, 0fC3020000;\nex2.approx.ftz.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0},
           Case{"mov.u32 %r1, 0xFF02FE7F;\nmov.u32 %r3, 0x01030201;\ndp4a.s32.s32 %r2, %r1, %r3, %r0;",
                127 - 4 + 6 - 1 + 5},
           Case{"mov.u32 %r1, 0x33221100;\nmov.u32 %r3, 0x776655F4;\nprmt.b32 %r2, %r1, %r3, 0x4C61;", 0xF4FF6611},
           Case{"mov.u32 %r1, 0xABCD;\nbfi.b32 %r2, %r1, %r0, 8, 8;", 0xCD05},
           Case{"cvt.rn.f32.s32 %f1, %r0;\nfma.rn.f32 %f2, %f1, 0f40000000, 0f3F000000;\ncvt.rzi.s32.f32 %r2, %f2;",
                10},
           Case{"mov.f32 %f1, 0fC0200000;\ncvt.rzi.u32.f32 %r2, %f1;", 0},
           Case{"mov.f32 %f1, 0fC0200000;\ncvt.rni.f32.f32 %f2, %f1;\nmov.b32 %r2, %f2;", 0xC0000000},
           Case{"mov.f32 %f1, 0f3F800001;\nmov.f32 %f3, 0f33000000;\nfma.rm.f32 %f2, %f1, %f1, %f3;\nmov.b32 %r2, %f2;",
                0x3F800002},
           Case{"mov.u16 %rs1, 0xC100;\n{  cvt.f32.f16 %f2, %rs1;}\nmov.b32 %r2, %f2;", 0xC0200000},
           Case{"mov.f32 %f1, 0f7FC00000;\nsetp.leu.f32 %p1, %f1, %f1;\nselp.u32 %r2, 3, 4, %p1;", 3},
           Case{"mov.f32 %f1, 0f7FC00000;\nsetp.le.f32 %p1, %f1, %f1;\nselp.u32 %r2, 3, 4, %p1;", 4},
           Case{"mov.b64 %rd2, {%r0, %r0};\nmov.b64 {%r3, %r2}, %rd2;", 5},
           Case{"mov.f32 %f1, 0fC0000000;\nmov.f32 %f3, 0f40400000;\ncopysign.f32 %f2, %f1, %f3;\nmov.b32 %r2, %f2;",
                0xC0400000},
       }) {
    ASSERT_THAT(run(std::string(each.body) + "\nst.global.u32 [%rd1], %r2;"), IsEmpty()) << each.body;
    EXPECT_EQ(memory_[5], each.expected) << each.body;
  }
}

}  // namespace
}  // namespace headroom::ptx
