// The values that codes of four bits stand for where they are no numbers themselves. Kernels of CUDA read them too.
#pragma once

#include <cstdint>

namespace headroom {

// What the codes of IQ4_NL and IQ4_XS stand for.
inline constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};
// Those of MXFP4 (E2M1), doubled so that they are whole.
inline constexpr std::int8_t kFp4Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace headroom
