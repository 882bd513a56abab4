// Which instruction set the CPU kernels run with.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace headroom {

// Ordered: a later one can do all that an earlier one can. kAvx512 means F, BW, VL, DQ and VNNI.
enum class Isa : std::uint8_t { kScalar, kAvx2, kAvx512 };

std::string_view isa_name(Isa isa);  // "scalar", "avx2", "avx512": also the values of HEADROOM_ISA

// The best that this machine can run.
Isa detected_isa();

// detected_isa(), or what the environment variable HEADROOM_ISA forces; kUsage when its value is unknown or this machine cannot run it.
Result<Isa> selected_isa();

// Physical cores that this process may run on, at least 1.
std::uint32_t usable_cores();

}  // namespace headroom
