// Which instruction set the CPU kernels run with.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace headroom {

// kAvxVnni means AVX2 and the dot products that machines without AVX-512 have; kAvx512 means F, BW, VL, DQ and VNNI;
// kAvx512Vbmi means kAvx512 and permutations of bytes; kAmx means kAvx512Vbmi and tile registers for int8, which the
// system lets this process use; kNeon means Armv8.2-A with SDOT.
enum class Isa : std::uint8_t { kScalar, kAvx2, kAvxVnni, kAvx512, kAvx512Vbmi, kAmx, kNeon };

// Those that this build has kernels for, from the slowest to the fastest.
#if defined(__x86_64__)
inline constexpr std::array kIsas{Isa::kScalar, Isa::kAvx2, Isa::kAvxVnni, Isa::kAvx512, Isa::kAvx512Vbmi, Isa::kAmx};
#elif defined(__aarch64__)
inline constexpr std::array kIsas{Isa::kScalar, Isa::kNeon};
#else
inline constexpr std::array kIsas{Isa::kScalar};
#endif

std::string_view isa_name(
    Isa isa);  // "scalar", "avx2", "avxvnni", "avx512", "avx512vbmi", "amx", "neon": also the values of HEADROOM_ISA

// The best that this machine can run.
Isa detected_isa();

// Whether kernels prefetch the weights that they read next. On AMD they do not: Zen 4's own prefetcher follows a
// sequential read, and prefetches of ours slow it down. On Intel they gain a fifth with Q4_K (docs/performance.md).
bool needs_read_ahead();

// How points of large grids (backend/cpu/point_labels.h) are looked up soonest where bytes can be permuted.
// kRegister: by an instruction for one register at a time.
// kTwoRegisters: by one for two registers. AMD's are as fast (Zen 4); Intel's processors take them apart into three.
// kMemory: IQ1 by gathers of 16 words, IQ2_S as kRegister, which there is 1.15 times as fast as gathers. Intel's
// gathers are fast from Sapphire Rapids on, the first with arithmetic in F16; an update against Downfall made older
// ones slow.
enum class LabelLookUp : std::uint8_t { kRegister, kTwoRegisters, kMemory };
LabelLookUp fastest_label_look_up();

// One of kIsas that this machine has.
bool can_run(Isa isa);

// detected_isa(), or what the environment variable HEADROOM_ISA forces; kUsage when its value is unknown or this
// machine cannot run it.
Result<Isa> selected_isa();

}  // namespace headroom
