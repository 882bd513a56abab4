#include "support/sass/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#if HEADROOM_HAS_CUDA_HEADERS
#include <cuda_occupancy.h>
#endif

namespace headroom::test {
namespace {

const SmLimits& limits_of(int architecture) {
  return *std::ranges::find(kSmLimits, architecture, &SmLimits::architecture);
}

#if HEADROOM_HAS_CUDA_HEADERS
cudaOccDeviceProp properties_of(const SmLimits& limits) {
  cudaOccDeviceProp properties;
  properties.computeMajor = limits.architecture / 10;
  properties.computeMinor = limits.architecture % 10;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = limits.warps * 32;
  properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 << 10;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_bytes);
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_bytes - limits.reserved_bytes);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.reserved_bytes);
  properties.numSms = 1;
  return properties;
}

// By NVIDIA's own calculator, which has its own numbers of blocks and units.
int calculated_blocks(const SmLimits& limits, int threads, int registers, int shared_bytes) {
  const cudaOccDeviceProp properties = properties_of(limits);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = registers;
  attributes.sharedSizeBytes = static_cast<std::size_t>(shared_bytes);
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, threads, 0);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(Occupancy, is_what_nvidias_calculator_says_for_every_architecture) {
  int n = 0;
  for (const SmLimits& limits : kSmLimits) {
    for (int threads = 32; threads <= 1024; threads += 32) {
      for (int registers = 16; registers <= 255; registers += registers < 40 ? 8 : 5) {
        for (const int shared_bytes : {0, 20, 1024, 4097, 9252, 17408, 25088, 35904, 44896, 48 << 10}) {
          ++n;
          ASSERT_EQ(occupancy_of(limits, threads, registers, shared_bytes).blocks,
                    calculated_blocks(limits, threads, registers, shared_bytes))
              << "sm_" << limits.architecture << ": " << threads << " threads, " << registers << " registers, "
              << shared_bytes << " bytes";
        }
      }
    }
  }
  EXPECT_GT(n, 50000);
}

// What the calculator is not told by us.
TEST(Occupancy, has_nvidias_sizes_of_shared_memory) {
  for (const SmLimits& limits : kSmLimits) {
    const cudaOccDeviceProp properties = properties_of(limits);
    auto most = static_cast<std::size_t>(limits.shared_bytes), beyond = most + 1;
    EXPECT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&most, &properties), CUDA_OCC_SUCCESS) << limits.architecture;
    EXPECT_EQ(most, static_cast<std::size_t>(limits.shared_bytes)) << limits.architecture;
    EXPECT_NE(cudaOccAlignUpShmemSizeVoltaPlus(&beyond, &properties), CUDA_OCC_SUCCESS) << limits.architecture;
  }
}

#else
TEST(Occupancy, is_what_nvidias_calculator_says_for_every_architecture) {
  GTEST_SKIP() << "NVIDIA's headers are not in build/tools (cmake/cuobjdump.sh --fetch)";
}
#endif

TEST(Occupancy, counts_by_hand) {
  // 72 registers are 2304 a warp, of which 16384 hold 7: 28 warps, three blocks of 8.
  EXPECT_EQ(occupancy_of(limits_of(90), 256, 72, 0).blocks, 3);
  EXPECT_EQ(occupancy_of(limits_of(90), 256, 72, 0).warps, 24);
  EXPECT_EQ(occupancy_of(limits_of(90), 256, 72, 0).limited_by, "registers");
  EXPECT_EQ(occupancy_of(limits_of(90), 256, 64, 0).warps, 32);
  // One byte more than a fifth of 100 KiB, less 1 KiB.
  EXPECT_EQ(occupancy_of(limits_of(89), 128, 32, 19 << 10).blocks, 5);
  EXPECT_EQ(occupancy_of(limits_of(89), 128, 32, (19 << 10) + 1).blocks, 4);
  EXPECT_EQ(occupancy_of(limits_of(89), 128, 32, (19 << 10) + 1).limited_by, "shared");
  EXPECT_EQ(occupancy_of(limits_of(75), 32, 16, 0).limited_by, "blocks");
  EXPECT_EQ(occupancy_of(limits_of(75), 32, 16, 0).warps, 16);
  EXPECT_EQ(occupancy_of(limits_of(75), 64, 16, 0).limited_by, "warps");
  EXPECT_EQ(occupancy_of(limits_of(90), 512, 129, 0).blocks, 0)
      << "129 registers of 512 threads are more than there are";
}

}  // namespace
}  // namespace headroom::test
