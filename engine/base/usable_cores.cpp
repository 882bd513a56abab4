#include "base/usable_cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

namespace headroom {
namespace {

constexpr std::size_t kMostCpus = std::size_t{1} << 20;  // far above what Linux can be built for

// Two hardware threads of one core share its vector units and caches: the kernels gain nothing from the second.
std::string siblings_of(std::uint32_t cpu, const HostPaths& paths) {
  std::ifstream file(paths.cpus / fmt::format("cpu{}/topology/thread_siblings_list", cpu));
  std::string list;
  if (!std::getline(file, list)) list = fmt::format("alone {}", cpu);
  return list;
}

// Version 2 has both numbers in one file, "150000 100000" or "max 100000"; version 1 has -1 for no limit.
std::optional<double> quota_of(const ControlGroup& group) {
  double quota = 0, period = 0;
  if (group.is_v2) {
    std::ifstream file(group.folder / "cpu.max");
    if (!(file >> quota >> period)) return std::nullopt;
  } else {
    std::ifstream quota_file(group.folder / "cpu.cfs_quota_us"), period_file(group.folder / "cpu.cfs_period_us");
    if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
  }
  if (!(quota > 0 && period > 0)) return std::nullopt;
  return quota / period;
}

}  // namespace

std::optional<double> cpu_quota(const HostPaths& paths) {
  std::optional<double> tightest;
  for (const ControlGroup& group : control_groups(paths, "cpu")) {
    const std::optional<double> quota = quota_of(group);
    if (quota) tightest = std::min(*quota, tightest.value_or(*quota));
  }
  return tightest;
}

std::vector<std::uint32_t> allowed_cpus(GetAffinity get_affinity) {
  // EINVAL: the kernel knows more processors than the set has bits.
  for (std::size_t n_cpus = CPU_SETSIZE; n_cpus <= kMostCpus; n_cpus *= 2) {
    std::vector<cpu_set_t> set(n_cpus / CPU_SETSIZE);
    const std::size_t n_bytes = set.size() * sizeof(cpu_set_t);
    if (get_affinity(n_bytes, set.data()) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    std::vector<std::uint32_t> cpus;
    for (std::size_t cpu = 0; cpu < n_cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, n_bytes, set.data())) cpus.push_back(static_cast<std::uint32_t>(cpu));
    }
    return cpus;
  }
  return {};
}

std::uint32_t usable_cores(const std::vector<std::uint32_t>& cpus, const HostPaths& paths) {
  std::set<std::string> cores;
  for (const std::uint32_t cpu : cpus) cores.insert(siblings_of(cpu, paths));
  auto n = static_cast<std::uint32_t>(std::max<std::size_t>(1, cores.size()));
  // Rounded up: with one and a half, two threads that are stopped a quarter of the time do more than one that never is.
  if (const std::optional<double> quota = cpu_quota(paths); quota && *quota < n)
    n = static_cast<std::uint32_t>(std::ceil(*quota));
  return n;
}

std::uint32_t usable_cores() {
  return usable_cores(
      allowed_cpus([](std::size_t n_bytes, cpu_set_t* cpus) { return sched_getaffinity(0, n_bytes, cpus); }), {});
}

}  // namespace headroom
