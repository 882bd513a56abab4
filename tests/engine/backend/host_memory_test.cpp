#include "backend/cpu/host_memory.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace headroom {
namespace {

class HostMemory : public ::testing::Test {
 protected:
  HostMemory() : paths_{folder_.path() / "proc", folder_.path() / "cgroup"} {
    test::write_file(paths_.proc / "meminfo",
                     "MemTotal:       8388608 kB\nMemFree:  1 kB\nMemAvailable:   6291456 kB\n");
    test::write_file(paths_.proc / "self/status", "Name:\tx\nVmRSS:\t    2048 kB\n");
    test::write_file(paths_.proc / "self/cgroup", "0::/user/job\n");
  }
  test::TempFolder folder_;
  HostPaths paths_;
};

TEST_F(HostMemory, without_a_limit_is_what_the_machine_has) {
  const auto sample = sample_host_memory(paths_);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->total, 8 * kGiB);
  EXPECT_EQ(sample->free, 6 * kGiB);
  EXPECT_EQ(sample->ours, 2 * kMiB);
}

TEST_F(HostMemory, is_what_the_control_group_leaves) {
  test::write_file(paths_.cgroup / "user/job/memory.max", "max\n");
  test::write_file(paths_.cgroup / "user/memory.max", std::to_string(2 * kGiB));
  test::write_file(paths_.cgroup / "user/memory.current", std::to_string(kGiB));
  test::write_file(paths_.cgroup / "user/memory.stat", "anon 5\ninactive_file " + std::to_string(kGiB / 2) + "\n");
  const auto sample = sample_host_memory(paths_);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->total, 2 * kGiB);
  EXPECT_EQ(sample->free, 3 * kGiB / 2);  // page cache can be had back
}

TEST_F(HostMemory, reads_version_1_groups_too) {
  test::write_file(paths_.proc / "self/cgroup", "7:cpu:/\n5:memory:/job\n");
  test::write_file(paths_.cgroup / "memory/job/memory.limit_in_bytes", std::to_string(kGiB));
  test::write_file(paths_.cgroup / "memory/job/memory.usage_in_bytes", std::to_string(kGiB));
  const auto sample = sample_host_memory(paths_);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->total, kGiB);
  EXPECT_EQ(sample->free, 0U);
}

TEST_F(HostMemory, a_system_that_does_not_tell_is_an_error_that_names_the_file) {
  test::write_file(paths_.proc / "meminfo", "nothing\n");
  const auto sample = sample_host_memory(paths_);
  ASSERT_FALSE(sample.ok());
  EXPECT_NE(sample.error().message.find("meminfo"), std::string::npos);
}

TEST_F(HostMemory, names_the_processor) {
  EXPECT_EQ(host_cpu_name(paths_), "CPU");
  test::write_file(paths_.proc / "cpuinfo", "vendor\t: x\nmodel name\t: A Fine CPU @ 3 GHz\n");
  EXPECT_EQ(host_cpu_name(paths_), "A Fine CPU @ 3 GHz");
}

}  // namespace
}  // namespace headroom
