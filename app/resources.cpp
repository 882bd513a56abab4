#include "resources.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace headroom {
namespace {

std::vector<std::filesystem::path> resourceDirectories() {
  std::vector<std::filesystem::path> directories;
  if (const char* forced = std::getenv("HEADROOM_RESOURCES"); forced != nullptr && *forced != '\0') {
    directories.emplace_back(forced);
    return directories;
  }
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) directories.push_back(program.parent_path().parent_path() / "share" / "headroom");
  directories.emplace_back(HEADROOM_SOURCE_RESOURCES);
  return directories;
}

}  // namespace

Result<std::filesystem::path> findResource(std::string_view name) {
  std::string looked;
  for (const std::filesystem::path& directory : resourceDirectories()) {
    const std::filesystem::path path = directory / name;
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path;
    looked += (looked.empty() ? "" : ", ") + path.string();
  }
  return Error{ErrorCode::kBadFile, fmt::format("{} is not installed: looked for {}", name, looked)};
}

}  // namespace headroom
