#include "backend/host/host_memory.h"

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

TEST_F(HostMemory, this_process_is_none_of_the_other_programs_and_pages_of_files_are_nobodys) {
  EXPECT_EQ(sample_host_memory(paths_)->account.others, 2 * kGiB - 2 * kMiB);
  test::write_file(paths_.proc / "self/status",
                   "VmRSS:\t 307200 kB\nRssAnon:\t 102400 kB\nRssFile:\t 184320 kB\nRssShmem:\t 20480 kB\n");
  EXPECT_EQ(sample_host_memory(paths_)->ours, 120 * kMiB);
  EXPECT_EQ(sample_host_memory(paths_)->account.others, 2 * kGiB - 120 * kMiB);
  test::write_file(paths_.proc / "self/status", "RssAnon:\t 99999999 kB\n");
  EXPECT_EQ(sample_host_memory(paths_)->account.others, Bytes{0}) << "never less than nothing";
}

TEST_F(HostMemory, a_key_that_begins_another_is_not_taken_for_it) {
  test::write_file(paths_.cgroup / "user/job/memory.max", std::to_string(2 * kGiB));
  test::write_file(paths_.cgroup / "user/job/memory.current", std::to_string(kGiB));
  test::write_file(paths_.cgroup / "user/job/memory.stat", "inactive_file_pages 7\ninactive_file 4096\n");
  EXPECT_EQ(sample_host_memory(paths_)->free, kGiB + 4096);
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

// Of a machine of 64 GiB; the groups are the last of their paths.
class NestedGroups : public HostMemory {
 protected:
  NestedGroups() { test::write_file(paths_.proc / "meminfo", "MemTotal: 67108864 kB\nMemAvailable: 62914560 kB\n"); }
  void limit(const std::string& group, const std::string& file, Bytes limit, Bytes used) {
    test::write_file(paths_.cgroup / group / file, std::to_string(limit));
    test::write_file(paths_.cgroup / group / "memory.current", std::to_string(used));
  }
  MemorySample sample() {
    const auto found = sample_host_memory(paths_);
    CHECK(found.ok(), found.error().message.text().c_str());
    return *found;
  }
};

TEST_F(NestedGroups, a_parent_with_a_higher_limit_may_leave_less) {
  limit("user/job", "memory.max", 8 * kGiB, kGiB / 10);
  limit("user", "memory.max", 10 * kGiB, 19 * kGiB / 2);
  EXPECT_EQ(sample().free, kGiB / 2);
  EXPECT_EQ(sample().total, 8 * kGiB);
}

TEST_F(NestedGroups, a_parent_that_is_beyond_its_limit_leaves_nothing) {
  limit("user/job", "memory.max", 8 * kGiB, 0);
  limit("user", "memory.max", 10 * kGiB, 11 * kGiB);
  EXPECT_EQ(sample().free, 0U);
}

TEST_F(NestedGroups, what_is_throttled_beyond_a_high_mark_is_a_limit_too) {
  limit("user/job", "memory.max", 8 * kGiB, kGiB);
  limit("user/job", "memory.high", 4 * kGiB, kGiB);
  limit("user", "memory.high", 6 * kGiB, 4 * kGiB);
  EXPECT_EQ(sample().free, 2 * kGiB);
  EXPECT_EQ(sample().total, 4 * kGiB);
}

TEST_F(NestedGroups, a_limit_beyond_the_machine_is_none) {
  limit("user/job", "memory.max", 128 * kGiB, kGiB);
  EXPECT_EQ(sample().free, 60 * kGiB);
  EXPECT_EQ(sample().total, 64 * kGiB);
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
  EXPECT_NE(sample.error().message.text().find("meminfo"), std::string::npos);
}

TEST_F(HostMemory, names_the_processor) {
  EXPECT_EQ(host_cpu_name(paths_), "CPU");
  test::write_file(paths_.proc / "cpuinfo", "vendor\t: x\nmodel name\t: A Fine CPU @ 3 GHz\n");
  EXPECT_EQ(host_cpu_name(paths_), "A Fine CPU @ 3 GHz");
}

}  // namespace
}  // namespace headroom
