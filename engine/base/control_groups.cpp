#include "base/control_groups.h"

#include <fstream>
#include <string>

namespace headroom {
namespace {

// Whether `controller` is in a list such as "cpu,cpuacct".
bool lists(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    const std::size_t end = controllers.find(',');
    if (controllers.substr(0, end) == controller) return true;
    controllers = end == std::string_view::npos ? std::string_view() : controllers.substr(end + 1);
  }
  return false;
}

void add_with_parents(std::vector<ControlGroup>& groups, const std::filesystem::path& mount,
                      std::filesystem::path group, bool is_v2) {
  // A group outside of the part of the tree that this process sees is written with "..".
  if (!group.empty() && *group.begin() == "..") group.clear();
  for (;; group = group.parent_path()) {
    groups.push_back({mount / group, is_v2});
    if (group.empty()) return;
  }
}

}  // namespace

std::vector<ControlGroup> control_groups(const HostPaths& paths, std::string_view controller) {
  std::vector<ControlGroup> groups;
  std::ifstream file(paths.proc / "self/cgroup");
  // "0::/path" in version 2, "N:controllers:/path" in version 1.
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    if (controllers.empty()) {
      add_with_parents(groups, paths.cgroup, group, true);
      add_with_parents(groups, paths.cgroup / "unified", group, true);  // beside version 1
    } else if (lists(controllers, controller)) {
      add_with_parents(groups, paths.cgroup / controller, group, false);
      if (controllers != controller) add_with_parents(groups, paths.cgroup / controllers, group, false);
    }
  }
  return groups;
}

}  // namespace headroom
