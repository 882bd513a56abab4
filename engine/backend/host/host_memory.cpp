#include "backend/host/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/number_file.h"

namespace headroom {
namespace {

// "Key:   123 kB" in a file of such lines.
std::optional<Bytes> find_kib(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    Bytes kib = 0;
    if (rest >> kib) return kib * kKiB;
  }
  return std::nullopt;
}

// Page cache of a group, which the system gives back when asked; it counts as used there.
Bytes reclaimable(const std::filesystem::path& stat, std::string_view key) {
  std::ifstream file(stat);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    Bytes bytes = 0;
    if (fields >> name >> bytes && name == key) return bytes;
  }
  return 0;
}

// `limit` bounds the group at `used` bytes of which `cache` can be had back. A group that is nearly full leaves little
// to those in it also where its limit is above theirs, so every group counts.
void apply_limit(MemorySample& sample, std::optional<Bytes> limit, std::optional<Bytes> used, Bytes cache) {
  if (!limit) return;
  const Bytes held = used.value_or(0) - std::min(used.value_or(0), cache);
  sample.free = std::min(sample.free, *limit - std::min(*limit, held));
  sample.total = std::min(sample.total, *limit);
}

void apply_cgroup_limits(MemorySample& sample, const HostPaths& paths) {
  for (const auto& [at, is_v2] : control_groups(paths, "memory")) {
    if (is_v2) {
      const std::optional<Bytes> used = read_number_file(at / "memory.current");
      const Bytes cache = reclaimable(at / "memory.stat", "inactive_file");
      // Beyond memory.high the system slows the group down and takes its pages away: for us as good as an end.
      for (const char* limit : {"memory.max", "memory.high"})
        apply_limit(sample, read_number_file(at / limit), used, cache);
    } else {
      apply_limit(sample, read_number_file(at / "memory.limit_in_bytes"),
                  read_number_file(at / "memory.usage_in_bytes"),
                  reclaimable(at / "memory.stat", "total_inactive_file"));
    }
  }
}

}  // namespace

Result<MemorySample> sample_host_memory(const HostPaths& paths) {
  const std::filesystem::path meminfo = paths.proc / "meminfo";
  const std::optional<Bytes> total = find_kib(meminfo, "MemTotal:"), available = find_kib(meminfo, "MemAvailable:");
  if (!total || !available) {
    return Error{ErrorCode::kResource,
                 fmt::format("{}: expected MemTotal and MemAvailable, found neither or one", meminfo.string())};
  }
  MemorySample sample{.total = *total, .free = std::min(*total, *available), .ours = 0};
  apply_cgroup_limits(sample, paths);
  // Pages of files (libraries, a mapped model) are page cache, which counts as free.
  const std::filesystem::path status = paths.proc / "self/status";
  if (const std::optional<Bytes> anonymous = find_kib(status, "RssAnon:")) {
    sample.ours = *anonymous + find_kib(status, "RssShmem:").value_or(0);
  } else {
    sample.ours = find_kib(status, "VmRSS:").value_or(0);
  }
  sample.account.others = saturating_sub(sample.total - sample.free, sample.ours);
  return sample;
}

std::string host_cpu_name(const HostPaths& paths) {
  std::ifstream file(paths.proc / "cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace headroom
