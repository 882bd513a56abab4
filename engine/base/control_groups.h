// Where Linux tells what a process may have of its machine: memory and processor time are limited by control groups.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace headroom {

// Where the system tells; other roots are for tests.
struct HostPaths {
  std::filesystem::path proc = "/proc", cgroup = "/sys/fs/cgroup", cpus = "/sys/devices/system/cpu";
};

// A group's folder with its limits, whose files have other names in version 2 than in version 1.
struct ControlGroup {
  std::filesystem::path folder;
  bool is_v2 = false;
};

// The groups whose limits hold for this process: for `controller` ("cpu", "memory") its own and all above it. A folder
// may be absent: in a container the path is often that of the host, and only the last of each line is there.
std::vector<ControlGroup> control_groups(const HostPaths& paths, std::string_view controller);

}  // namespace headroom
