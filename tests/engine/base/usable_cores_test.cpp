#include "base/usable_cores.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <numeric>

#include "support/temp_folder.h"

namespace headroom {
namespace {

// A machine as files: 8 cores of two hardware threads each, where i and i + 8 are one core.
class UsableCores : public ::testing::Test {
 protected:
  UsableCores() : paths_{folder_.path() / "proc", folder_.path() / "cgroup", folder_.path() / "cpus"}, all_(16) {
    std::iota(all_.begin(), all_.end(), 0U);
    for (const std::uint32_t cpu : all_) {
      test::write_file(paths_.cpus / ("cpu" + std::to_string(cpu)) / "topology/thread_siblings_list",
                       std::to_string(cpu % 8) + "," + std::to_string(cpu % 8 + 8) + "\n");
    }
  }
  std::uint32_t cores() const { return usable_cores(all_, paths_); }

  test::TempFolder folder_;
  HostPaths paths_;
  std::vector<std::uint32_t> all_;
};

TEST_F(UsableCores, two_hardware_threads_of_one_core_count_once) {
  EXPECT_EQ(cores(), 8U);
  EXPECT_EQ(usable_cores({1, 2, 9}, paths_), 2U);
}

TEST_F(UsableCores, a_hardware_thread_of_which_nothing_is_told_is_a_core) {
  EXPECT_EQ(usable_cores({0, 100, 101}, paths_), 3U);
}

TEST_F(UsableCores, there_is_always_one) { EXPECT_EQ(usable_cores({}, paths_), 1U); }

TEST_F(UsableCores, a_group_without_a_limit_changes_nothing) {
  test::write_file(paths_.proc / "self/cgroup", "0::/user/job\n");
  test::write_file(paths_.cgroup / "user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(paths_), std::nullopt);
  EXPECT_EQ(cores(), 8U);
}

TEST_F(UsableCores, are_no_more_than_the_groups_time_is_worth) {
  test::write_file(paths_.proc / "self/cgroup", "0::/user/job\n");
  test::write_file(paths_.cgroup / "user/job/cpu.max", "300000 100000\n");
  EXPECT_EQ(cores(), 3U);
}

TEST_F(UsableCores, part_of_a_processor_is_worth_a_thread) {
  test::write_file(paths_.proc / "self/cgroup", "0::/job\n");
  test::write_file(paths_.cgroup / "job/cpu.max", "150000 100000\n");
  EXPECT_EQ(cores(), 2U);
  test::write_file(paths_.cgroup / "job/cpu.max", "1000 100000\n");
  EXPECT_EQ(cores(), 1U);
}

TEST_F(UsableCores, the_tightest_group_above_the_process_counts) {
  test::write_file(paths_.proc / "self/cgroup", "0::/user/job\n");
  test::write_file(paths_.cgroup / "user/job/cpu.max", "600000 100000\n");
  test::write_file(paths_.cgroup / "user/cpu.max", "200000 50000\n");
  test::write_file(paths_.cgroup / "cpu.max", "max 100000\n");
  test::write_file(paths_.cgroup / "other/cpu.max", "100000 100000\n");
  EXPECT_EQ(cores(), 4U);
}

TEST_F(UsableCores, a_quota_above_the_cores_adds_none) {
  test::write_file(paths_.proc / "self/cgroup", "0::/\n");
  test::write_file(paths_.cgroup / "cpu.max", "6400000 100000\n");
  EXPECT_EQ(cores(), 8U);
}

// The path is that of the host, and what is mounted is this container's own group.
TEST_F(UsableCores, in_a_container_the_limit_stands_at_the_top) {
  for (const char* const group : {"0::/docker/0123abcd\n", "0::/../../other\n"}) {
    test::write_file(paths_.proc / "self/cgroup", group);
    test::write_file(paths_.cgroup / "cpu.max", "200000 100000\n");
    EXPECT_EQ(cores(), 2U) << group;
  }
}

TEST_F(UsableCores, version_1_has_two_files_and_no_limit_is_minus_one) {
  for (const char* const mount : {"cpu", "cpu,cpuacct"}) {
    test::write_file(paths_.proc / "self/cgroup",
                     "5:cpuset:/\n4:cpuacct,cpu:/else\n3:cpu,cpuacct:/user/job\n1:name=systemd:/\n");
    test::write_file(paths_.cgroup / mount / "user/job/cpu.cfs_quota_us", "-1\n");
    test::write_file(paths_.cgroup / mount / "user/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cores(), 8U) << mount;
    test::write_file(paths_.cgroup / mount / "user/cpu.cfs_quota_us", "250000\n");
    test::write_file(paths_.cgroup / mount / "user/cpu.cfs_period_us", "50000\n");
    EXPECT_EQ(cores(), 5U) << mount;
    std::filesystem::remove_all(paths_.cgroup / mount);
  }
}

TEST_F(UsableCores, beside_version_1_version_2_stands_in_a_folder_of_its_own) {
  test::write_file(paths_.proc / "self/cgroup", "3:memory:/\n0::/job\n");
  test::write_file(paths_.cgroup / "unified/job/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores(), 2U);
}

TEST_F(UsableCores, broken_files_limit_nothing) {
  test::write_file(paths_.proc / "self/cgroup", "\nnonsense\n0:\n0::/job\n");
  for (const char* const text : {"", "100000", "0 100000", "-5 100000", "100000 0", "many 100000"}) {
    test::write_file(paths_.cgroup / "job/cpu.max", text);
    EXPECT_EQ(cores(), 8U) << text;
  }
}

// A kernel for 8,192 processors that lets this process run on two above the first 1,024.
TEST(AllowedCpus, are_found_beyond_1024_processors) {
  const std::vector<std::uint32_t> cpus = allowed_cpus([](std::size_t n_bytes, cpu_set_t* set) {
    if (n_bytes * 8 < 8192) {
      errno = EINVAL;
      return -1;
    }
    CPU_SET_S(1500, n_bytes, set);
    CPU_SET_S(8191, n_bytes, set);
    return 0;
  });
  EXPECT_EQ(cpus, (std::vector<std::uint32_t>{1500, 8191}));
}

TEST(AllowedCpus, are_none_when_the_system_does_not_tell) {
  EXPECT_TRUE(allowed_cpus([](std::size_t, cpu_set_t*) {
                errno = EPERM;
                return -1;
              }).empty());
  EXPECT_TRUE(allowed_cpus([](std::size_t, cpu_set_t*) {
                errno = EINVAL;
                return -1;
              }).empty());
}

TEST(AllowedCpus, of_this_process_are_at_least_one) { EXPECT_GE(usable_cores(), 1U); }

}  // namespace
}  // namespace headroom
