// The driver that the images in the program ask for, as nvcc wrote it into them, against the one that the build says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// What a compiler of this major version of CUDA writes: of machine code into the bytes EI_OSABI and EI_ABIVERSION of
// the ELF head (nvcc 12.9 and 13.0 were looked at), and the PTX, whose version 8.0 came with CUDA 12.0 and 9.0
// with 13.0.
struct Written {
  int cuda, os_abi, abi_version, ptx;
};
constexpr std::array kWritten{Written{12, 0x33, 7, 8}, Written{13, 0x41, 8, 9}};

// The major version of CUDA that an entry is of; 0: none that is known.
int cuda_of(const EntryHead& head, const unsigned char* code) {
  if (head.kind == kMachineCode && std::memcmp(code, "\177ELF", 4) != 0) return 0;
  const auto* written = std::ranges::find_if(kWritten, [&](const Written& each) {
    if (head.kind == kPtx) return head.major == each.ptx;
    return head.kind == kMachineCode && code[7] == each.os_abi && code[8] == each.abi_version;
  });
  return written == kWritten.end() ? 0 : written->cuda;
}

TEST(CudaImages, ask_for_the_driver_that_cards_are_listed_with) {
  const int least = cuda::least_driver_version();
  std::size_t n_machine_code = 0;
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
      const std::string what = fmt::format("{}, {} for {}: ELF of OSABI {:#x}, ABI {}; PTX {}.{}", file.name,
                                           head.kind == kPtx ? "PTX" : "machine code", head.architecture, code[7],
                                           code[8], head.major, head.minor);
      EXPECT_EQ(cuda_of(head, code) * 1000, least) << what;
      n_machine_code += head.kind == kMachineCode ? 1 : 0;
      at = code + head.bytes;
    }
  }
  EXPECT_GE(n_machine_code, cuda_kernel_files().size());
  EXPECT_NE(std::ranges::find(cuda::kFirstBranches, least / 1000, &cuda::FirstBranch::major),
            cuda::kFirstBranches.end())
      << "people are told a branch of the driver: which one has CUDA " << least / 1000 << "?";
}

}  // namespace
}  // namespace headroom
