// Our declarations of the driver API against the toolkit's, and what is said of a driver that cannot be used.
#include "backend/cuda/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "gpu_contract/gpu_fixture.h"

#if HEADROOM_HAS_CUDA_HEADERS
// The toolkit's has a macro of this name.
constexpr unsigned kOurPortable = headroom::cuda::CU_MEMHOSTALLOC_PORTABLE;

#include <cuda.h>
#endif

namespace headroom {
namespace {

#if HEADROOM_HAS_CUDA_HEADERS
// Types of the same size and kind: handles are pointers to structs of other names.
template <class Ours, class Theirs>
struct IsSame : std::is_same<Ours, Theirs> {};
template <class Ours, class Theirs>
struct IsSame<Ours*, Theirs*>
    : std::bool_constant<std::is_same_v<Ours, Theirs> || (std::is_class_v<Ours> && std::is_class_v<Theirs>) ||
                         IsSame<Ours, Theirs>::value> {};
template <class Ours, class Theirs>
inline constexpr bool kIsSame = IsSame<Ours, Theirs>::value ||
                                // Enumerations are whole numbers of ours.
                                (std::is_enum_v<Theirs>&& std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs));
template <class... Ours, class... Theirs>
constexpr bool same_functions(CUresult (*)(Theirs...), cuda::CUresult (*)(Ours...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return (kIsSame<Ours, Theirs> && ...);
  }
}

#define HEADROOM_CUDA_FUNCTION(name, ...) \
  static_assert(same_functions(static_cast<decltype(&::name)>(nullptr), decltype(cuda::Driver::name){}), #name);
#include "backend/cuda/driver_functions.inl"
#undef HEADROOM_CUDA_FUNCTION

#define EQUAL(name) static_assert(cuda::name == static_cast<std::remove_const_t<decltype(cuda::name)>>(::name), #name)
EQUAL(CUDA_SUCCESS);
EQUAL(CUDA_ERROR_OUT_OF_MEMORY);
EQUAL(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
EQUAL(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
EQUAL(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
EQUAL(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
EQUAL(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
EQUAL(CU_COMPUTEMODE_PROHIBITED);
EQUAL(CU_LIMIT_STACK_SIZE);
EQUAL(CU_LIMIT_PRINTF_FIFO_SIZE);
EQUAL(CU_LIMIT_MALLOC_HEAP_SIZE);
EQUAL(CU_CTX_SCHED_BLOCKING_SYNC);
static_assert(kOurPortable == CU_MEMHOSTALLOC_PORTABLE);
EQUAL(CU_STREAM_NON_BLOCKING);
EQUAL(CU_EVENT_DISABLE_TIMING);
EQUAL(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
EQUAL(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

#define SAME_PLACE(type, ours, theirs) static_assert(offsetof(cuda::type, ours) == offsetof(::type, theirs))
static_assert(sizeof(cuda::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
SAME_PLACE(CUlaunchAttribute, id, id);
SAME_PLACE(CUlaunchAttribute, value, value.programmaticStreamSerializationAllowed);
static_assert(sizeof(cuda::CUlaunchConfig) == sizeof(::CUlaunchConfig));
SAME_PLACE(CUlaunchConfig, gridDimY, gridDimY);
SAME_PLACE(CUlaunchConfig, blockDimX, blockDimX);
SAME_PLACE(CUlaunchConfig, sharedMemBytes, sharedMemBytes);
SAME_PLACE(CUlaunchConfig, hStream, hStream);
SAME_PLACE(CUlaunchConfig, attrs, attrs);
SAME_PLACE(CUlaunchConfig, numAttrs, numAttrs);

TEST(CudaDriver, knows_which_errors_leave_nothing_to_go_on_with) {
  for (const CUresult lost :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ECC_UNCORRECTABLE,
        CUDA_ERROR_DEVICE_UNAVAILABLE, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUDA_ERROR_NVLINK_UNCORRECTABLE, CUDA_ERROR_CONTAINED, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_UNKNOWN})
    EXPECT_TRUE(cuda::is_device_lost(lost)) << lost;
  for (const CUresult other : {CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE,
                               CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_NOT_FOUND, CUDA_ERROR_NOT_READY})
    EXPECT_FALSE(cuda::is_device_lost(other)) << other;
}

TEST(CudaDriver, names_what_failed_as_the_driver_does) {
  const Error refused = cuda::driver_error("cuda:0", "mapping memory", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(refused.code, ErrorCode::kResource);
  EXPECT_EQ(refused.message, "cuda:0: mapping memory failed: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuda::driver_error("cuda:0", "it", CUDA_ERROR_LAUNCH_FAILED).code, ErrorCode::kDeviceLost);
}

#else
TEST(CudaDriver, is_declared_as_by_nvidia) {
  GTEST_SKIP() << "NVIDIA's headers are not in build/tools (cmake/cuobjdump.sh --fetch)";
}
#endif

// What the tests of CUDA stand on: that what they launch is what they were told to.
TEST(CudaPtx, runs_instead_of_the_kernels_twins_where_a_folder_of_it_is_named) {
  const test::TempFolder folder;
  const auto loaded = test::load_on_gpu(test::make_random_model({}, folder.path()), {.n_ctx = 64, .n_batch = 16});
  const test::FakeCuda& driver = test::fake_cuda();
  const std::uint64_t n_before = driver.n_launches, n_ptx_before = driver.n_ptx_launches;
  loaded->step(test::rows_of(0, 0, 12, 300), {11});
  loaded->step(test::rows_of(0, 12, 1, 300), {0});
  const std::uint64_t n = driver.n_launches - n_before, n_ptx = driver.n_ptx_launches - n_ptx_before;
  EXPECT_GT(n, 20U);
  EXPECT_EQ(n_ptx, std::getenv(test::kFakeCudaPtx) == nullptr ? 0 : n);
  EXPECT_GT(driver.n_graph_launches, 0U) << "a step of one row is a graph";
}

TEST(CudaDevices, are_chosen_and_ordered_by_a_variable) {
  const auto with = [](const char* setting) {
    const test::UseDevices use(setting);
    return cuda_cards();
  };
  const std::size_t n = with("").cards.size();
  ASSERT_GT(n, 0U);
  EXPECT_TRUE(with("none").cards.empty());
  EXPECT_TRUE(with("none").refused.empty());
  EXPECT_EQ(with("0,0").cards.size(), 2U);
  EXPECT_EQ(with("0,0").cards[1].info.id, "cuda:1");
  for (const char* wrong : {"99", "x", "0;1", "-1"}) {
    const CudaCards found = with(wrong);
    EXPECT_EQ(found.cards.size(), n) << wrong;
    ASSERT_FALSE(found.refused.empty()) << wrong;
    EXPECT_THAT(found.refused.back(), testing::HasSubstr(std::string("found \"") + wrong + "\""));
  }
}

}  // namespace
}  // namespace headroom
