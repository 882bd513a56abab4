#include "backend/host/host_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/number_file.h"

namespace headroom {
namespace {

// The number behind each key in a file whose lines are a key, blanks and a number: "MemTotal:  123 kB" or
// "inactive_file 4096". Absent where there is no such line. In one pass and without a stream for each line:
// the idle program asks twice a second.
template <std::size_t n>
std::array<std::optional<std::uint64_t>, n> find_numbers(const std::filesystem::path& path,
                                                         const std::array<std::string_view, n>& keys) {
  std::array<std::optional<std::uint64_t>, n> found{};
  std::size_t n_found = 0;
  std::ifstream file(path);
  for (std::string text; n_found < n && std::getline(file, text);) {
    const std::string_view line = text;
    for (std::size_t i = 0; i < n; ++i) {
      if (found[i] || !line.starts_with(keys[i])) continue;
      const std::size_t start = line.find_first_not_of(" \t", keys[i].size());
      if (start == keys[i].size() || start == std::string_view::npos) continue;  // a longer key, or no number
      std::uint64_t number = 0;
      if (std::from_chars(line.data() + start, line.data() + line.size(), number).ec != std::errc()) continue;
      found[i] = number;
      ++n_found;
    }
  }
  return found;
}

// Page cache of a group, which the system gives back when asked; it counts as used there.
Bytes reclaimable(const std::filesystem::path& stat, std::string_view key) {
  return find_numbers<1>(stat, {key})[0].value_or(0);
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
  const auto [total, available] = find_numbers<2>(meminfo, {"MemTotal:", "MemAvailable:"});
  if (!total || !available) {
    return Error{ErrorCode::kResource,
                 Message::say("{}: expected MemTotal and MemAvailable, found neither or one", meminfo.string())};
  }
  MemorySample sample{.total = *total * kKiB, .free = std::min(*total, *available) * kKiB, .ours = 0};
  apply_cgroup_limits(sample, paths);
  // Pages of files (libraries, a mapped model) are page cache, which counts as free.
  const auto [whole, anonymous, shared] =
      find_numbers<3>(paths.proc / "self/status", {"VmRSS:", "RssAnon:", "RssShmem:"});
  sample.ours = (anonymous ? *anonymous + shared.value_or(0) : whole.value_or(0)) * kKiB;
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
