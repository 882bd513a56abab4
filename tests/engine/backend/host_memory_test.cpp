#include "backend/cpu/host_memory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_folder.h"

namespace headroom {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class HostMemory : public ::testing::Test {
 protected:
  HostMemory() : paths_{folder_.path() / "proc", folder_.path() / "cgroup"} {
    write(paths_.proc / "meminfo", "MemTotal:       8388608 kB\nMemFree:  1 kB\nMemAvailable:   6291456 kB\n");
    write(paths_.proc / "self/status", "Name:\tx\nVmRSS:\t    2048 kB\n");
    write(paths_.proc / "self/cgroup", "0::/user/job\n");
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
  write(paths_.cgroup / "user/job/memory.max", "max\n");
  write(paths_.cgroup / "user/memory.max", std::to_string(2 * kGiB));
  write(paths_.cgroup / "user/memory.current", std::to_string(kGiB));
  write(paths_.cgroup / "user/memory.stat", "anon 5\ninactive_file " + std::to_string(kGiB / 2) + "\n");
  const auto sample = sample_host_memory(paths_);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->total, 2 * kGiB);
  EXPECT_EQ(sample->free, 3 * kGiB / 2);  // page cache can be had back
}

TEST_F(HostMemory, reads_version_1_groups_too) {
  write(paths_.proc / "self/cgroup", "7:cpu:/\n5:memory:/job\n");
  write(paths_.cgroup / "memory/job/memory.limit_in_bytes", std::to_string(kGiB));
  write(paths_.cgroup / "memory/job/memory.usage_in_bytes", std::to_string(kGiB));
  const auto sample = sample_host_memory(paths_);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->total, kGiB);
  EXPECT_EQ(sample->free, 0U);
}

TEST_F(HostMemory, a_system_that_does_not_tell_is_an_error_that_names_the_file) {
  write(paths_.proc / "meminfo", "nothing\n");
  const auto sample = sample_host_memory(paths_);
  ASSERT_FALSE(sample.ok());
  EXPECT_NE(sample.error().message.find("meminfo"), std::string::npos);
}

TEST_F(HostMemory, names_the_processor) {
  EXPECT_EQ(host_cpu_name(paths_), "CPU");
  write(paths_.proc / "cpuinfo", "vendor\t: x\nmodel name\t: A Fine CPU @ 3 GHz\n");
  EXPECT_EQ(host_cpu_name(paths_), "A Fine CPU @ 3 GHz");
}

}  // namespace
}  // namespace headroom
