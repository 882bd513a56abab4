#include "backend/gpu_memory/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdlib>

#include "engine/backend/gpu_memory/fake_machine.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

class NvmlTest : public ::testing::Test {
 protected:
  ~NvmlTest() override {
    unsetenv("FAKE_NVML");
    unsetenv("FAKE_NVML_PROCESSES");
  }
  static std::optional<Bytes> own_bytes(const char* processes, const PciAddress& card = test::kCard) {
    setenv("FAKE_NVML", "8192 256 5000", 1);
    setenv("FAKE_NVML_PROCESSES", processes, 1);
    const auto nvml = Nvml::open(HEADROOM_FAKE_NVML);
    EXPECT_TRUE(nvml);
    return nvml ? (*nvml)->own_bytes(card) : std::nullopt;
  }
  static Result<DeviceUse> read(const char* answer, const PciAddress& card = test::kCard) {
    setenv("FAKE_NVML", answer, 1);
    const auto nvml = Nvml::open(HEADROOM_FAKE_NVML);
    if (!nvml) return nvml.error();
    return (*nvml)->read(card);
  }
};

TEST_F(NvmlTest, in_use_is_what_is_neither_free_nor_reserved) {
  const auto use = read("8192 256 5000");
  ASSERT_TRUE(use) << use.error().message.text();
  EXPECT_EQ(use->total, 7936 * kMiB);
  EXPECT_EQ(use->used, 2936 * kMiB);
  EXPECT_EQ(use->source, "NVML");
}

TEST_F(NvmlTest, a_library_that_is_not_there_or_lacks_a_function_is_an_error_that_names_it) {
  const auto absent = Nvml::open("libheadroom-no-such-library.so");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message.text(), "NVML: libheadroom-no-such-library.so is not on this machine");
  const auto other = Nvml::open("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message.text(), ::testing::HasSubstr("libc.so.6 is older than the functions"));
}

TEST_F(NvmlTest, a_call_that_is_refused_is_an_error) {
  EXPECT_THAT(read("init").error().message.text(), ::testing::HasSubstr("could not be opened (error 9)"));
  EXPECT_THAT(read("device").error().message.text(), ::testing::HasSubstr("nothing of 0000:03:00.0 (error 999)"));
  EXPECT_THAT(read("memory").error().message.text(), ::testing::HasSubstr("(error 999)"));
  EXPECT_THAT(read("8192 256 5000", test::kOtherCard).error().message.text(), ::testing::HasSubstr("(error 6)"));
}

TEST_F(NvmlTest, figures_that_cannot_be_are_an_error_and_no_huge_number) {
  for (const char* lie : {"8192 256 8000", "8192 9000 0", "0 1 0", "100 0 101"}) {
    const auto use = read(lie);
    ASSERT_FALSE(use) << lie;
    EXPECT_THAT(use.error().message.text(), ::testing::HasSubstr("expected reserved and free memory within the total"))
        << lie;
  }
}

TEST_F(NvmlTest, of_a_card_that_is_divided_is_not_taken_for_that_of_an_instance) {
  const auto use = read("8192 256 5000 MIG");
  ASSERT_FALSE(use);
  EXPECT_THAT(use.error().message.text(), ::testing::HasSubstr("0000:03:00.0 is divided into instances (MIG)"));
}

TEST_F(NvmlTest, of_this_process_is_what_is_listed_with_its_id_however_many_there_are) {
  EXPECT_EQ(own_bytes("0 100"), 100 * kMiB);
  EXPECT_EQ(own_bytes("31 100"), 100 * kMiB);
  EXPECT_EQ(own_bytes("1000 100"), 100 * kMiB);
  EXPECT_EQ(own_bytes("3 100 50"), 150 * kMiB) << "on each instance of the card";
}

TEST_F(NvmlTest, of_this_process_is_absent_where_it_is_not_told) {
  EXPECT_EQ(own_bytes("3"), std::nullopt) << "not listed";
  EXPECT_EQ(own_bytes("3 -1"), std::nullopt) << "listed without its bytes";
  EXPECT_EQ(own_bytes("3 100 -1"), std::nullopt);
  EXPECT_EQ(own_bytes("x"), std::nullopt) << "refused";
  EXPECT_EQ(own_bytes("200000 100"), std::nullopt) << "more than a machine has";
  EXPECT_EQ(own_bytes("3 100", test::kOtherCard), std::nullopt);
}

// Docker's containers, and what systemd or bwrap starts with ids of its own.
TEST(NvmlIds, are_the_machines_only_outside_of_a_namespace_of_ids) {
  const test::TempFolder folder;
  const std::filesystem::path link = folder.path() / "ns" / "pid";
  EXPECT_FALSE(has_id_of_machine(folder.path())) << "nobody tells";
  std::filesystem::create_directory(link.parent_path());
  std::filesystem::create_symlink("pid:[4026532581]", link);
  EXPECT_FALSE(has_id_of_machine(folder.path()));
  std::filesystem::remove(link);
  std::filesystem::create_symlink("pid:[4026531836]", link);
  EXPECT_TRUE(has_id_of_machine(folder.path()));
}

TEST_F(NvmlTest, is_closed_as_often_as_it_was_opened) {
  setenv("FAKE_NVML", "8192 256 5000", 1);
  void* library = dlopen(HEADROOM_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const auto n_open = reinterpret_cast<int (*)()>(dlsym(library, "fakeNvmlOpen"));
  {
    const auto nvml = Nvml::open(HEADROOM_FAKE_NVML);
    ASSERT_TRUE(nvml);
    EXPECT_EQ(n_open(), 1);
  }
  setenv("FAKE_NVML", "init", 1);
  EXPECT_FALSE(Nvml::open(HEADROOM_FAKE_NVML));
  EXPECT_EQ(n_open(), 0);
  dlclose(library);
}

}  // namespace
}  // namespace headroom
