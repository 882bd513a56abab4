// The drivers that the images in the program ask for, by what stands in their heads, against those that cards are
// listed with.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "backend/cuda/cuda_driver.h"
#include "backend/cuda/cuda_kernels.h"

namespace headroom {
namespace {

// An image is a head and entries of code, each with a head of its own; cuobjdump shows the same. NVIDIA describes
// neither.
constexpr std::uint32_t kImageMagic = 0xBA55ED50;
struct ImageHead {
  std::uint32_t magic;
  std::uint16_t version, head_bytes;
  std::uint64_t bytes;  // of all entries
};
struct EntryHead {
  std::uint16_t kind, version;
  std::uint32_t head_bytes;
  std::uint64_t bytes;  // of the code behind this head
  std::uint32_t compressed_bytes, options;
  std::uint16_t minor, major;  // of PTX: the version of its language
  std::uint32_t architecture;
};
static_assert(sizeof(ImageHead) == 16 && sizeof(EntryHead) == 32);
constexpr std::uint16_t kPtx = 1, kMachineCode = 2;

// The driver that machine code asks for, by the bytes EI_OSABI and EI_ABIVERSION of its ELF head. NVRTC 12.9 writes
// 0x33 and 7 for cards before Blackwell, which every driver for CUDA 12 loads ("CUDA Compatibility" of NVIDIA), and
// 0x41 and 8 for Blackwell, which drivers for 12.8 were the first to know. Compilers of CUDA 13 write 0x41 and 8 for
// all cards.
struct MachineCode {
  int first_major;  // compute capability
  int os_abi, abi_version, least_driver;
};
constexpr std::array kMachineCodes{MachineCode{0, 0x33, 7, 12000}, MachineCode{10, 0x41, 8, 12080}};
// Drivers from 575 on, those of CUDA 12.9, read PTX of this version ("PTX ISA" of NVIDIA, "Release History"). It is the
// compiler's own, whatever card the code is for.
constexpr std::uint16_t kPtxMajor = 8, kPtxMinor = 8;

TEST(CudaImages, ask_for_the_driver_that_cards_are_listed_with) {
  std::size_t n_machine_code = 0, n_ptx = 0;
  for (const CudaKernelFile& file : cuda_kernel_files()) {
    const auto* at = reinterpret_cast<const unsigned char*>(file.image.data());
    ImageHead image;
    std::memcpy(&image, at, sizeof image);
    ASSERT_EQ(image.magic, kImageMagic) << file.name;
    at += image.head_bytes;
    for (const unsigned char* end = at + image.bytes; at < end;) {
      EntryHead head;
      std::memcpy(&head, at, sizeof head);
      ASSERT_GE(head.head_bytes, sizeof head) << file.name;
      const unsigned char* code = at + head.head_bytes;
      const std::string what = fmt::format("{}, kind {} for {}", file.name, head.kind, head.architecture);
      if (head.kind == kPtx) {
        ++n_ptx;
        EXPECT_EQ(head.major, kPtxMajor) << what;
        EXPECT_EQ(head.minor, kPtxMinor) << what;
      } else {
        ++n_machine_code;
        ASSERT_EQ(head.kind, kMachineCode) << what;
        ASSERT_EQ(std::memcmp(code, "\177ELF", 4), 0) << what;
        const int major = static_cast<int>(head.architecture) / 10;
        const MachineCode& expected = kMachineCodes[major < kMachineCodes[1].first_major ? 0 : 1];
        EXPECT_EQ(head.compressed_bytes, 0U) << what << ": which drivers read it?";
        EXPECT_EQ(code[7], expected.os_abi) << what;
        EXPECT_EQ(code[8], expected.abi_version) << what;
        EXPECT_EQ(cuda::least_driver(major).version, expected.least_driver) << what;
      }
      at = code + head.bytes;
    }
  }
  EXPECT_GE(n_machine_code, cuda_kernel_files().size());
  EXPECT_EQ(n_ptx, cuda_kernel_files().size());
}

// "CUDA Toolkit, Driver, and Architecture Matrix" of NVIDIA.
TEST(CudaImages, every_kind_of_card_has_the_first_driver_that_loads_its_code) {
  for (const auto& [major, branch] :
       {std::pair(7, 525), {8, 525}, {9, 525}, {10, 570}, {11, 570}, {12, 570}, {13, 570}})
    EXPECT_EQ(cuda::least_driver(major).branch, branch) << major;
  EXPECT_EQ(cuda::least_driver(9).version, 12000);
  EXPECT_EQ(cuda::least_driver(12).version, 12080);
}

}  // namespace
}  // namespace headroom
