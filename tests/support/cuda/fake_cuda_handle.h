// The fake driver that the engine has opened.
#pragma once

#include "support/cuda/fake_cuda.h"

namespace headroom::test {

// Of the library that HEADROOM_CUDA_DRIVER names; ends the program where it is another.
FakeCuda& fake_cuda();

}  // namespace headroom::test
