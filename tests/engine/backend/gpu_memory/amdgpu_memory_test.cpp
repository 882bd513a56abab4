#include "backend/gpu_memory/amdgpu_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/backend/gpu_memory/fake_machine.h"

namespace headroom {
namespace {

class AmdgpuMemory : public ::testing::Test {
 protected:
  AmdgpuMemory() {
    for (const auto& [pool, total, used] :
         {std::tuple("vram", 8 * kGiB, 2 * kGiB), std::tuple("gtt", 16 * kGiB, kGiB)}) {
      machine_.set(test::kCard, std::string("mem_info_") + pool + "_total", total);
      machine_.set(test::kCard, std::string("mem_info_") + pool + "_used", used);
    }
  }
  auto read(bool with_host) const { return read_amdgpu_memory(machine_.sys(), test::kCard, with_host); }
  test::FakeMachine machine_;
};

TEST_F(AmdgpuMemory, of_a_card_is_its_own_and_of_an_apu_carve_out_and_mapped_memory_are_one_pool) {
  const auto card = read(false), apu = read(true);
  ASSERT_TRUE(card && *card && apu && *apu);
  EXPECT_EQ((*card)->total, 8 * kGiB);
  EXPECT_EQ((*card)->used, 2 * kGiB);
  EXPECT_EQ((*apu)->total, 24 * kGiB);
  EXPECT_EQ((*apu)->used, 3 * kGiB);
}

TEST_F(AmdgpuMemory, of_another_drivers_card_nothing_is_expected) {
  EXPECT_FALSE(read_amdgpu_memory(machine_.sys(), test::kOtherCard, false));
}

TEST_F(AmdgpuMemory, a_missing_file_and_garbage_are_errors_that_name_the_file) {
  machine_.set(test::kCard, "mem_info_vram_used", "-5");
  const auto garbage = read(false);
  ASSERT_TRUE(garbage && !garbage->ok());
  EXPECT_THAT(garbage->error().message.text(), ::testing::HasSubstr("mem_info_vram_used: expected a number of bytes"));
  machine_.set(test::kCard, "mem_info_vram_used", kGiB);
  std::filesystem::remove(pci_folder(machine_.sys(), test::kCard) / "mem_info_gtt_used");
  EXPECT_TRUE(read(false)->ok());
  ASSERT_FALSE(read(true)->ok());
  EXPECT_THAT(read(true)->error().message.text(), ::testing::HasSubstr("mem_info_gtt_used"));
  machine_.set(test::kCard, "mem_info_gtt_used", ~Bytes{0});
  EXPECT_FALSE(read(true)->ok()) << "a sum beyond 64 bits";
}

}  // namespace
}  // namespace headroom
