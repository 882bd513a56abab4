#include "resources.h"

#include <cstdlib>
#include <system_error>

namespace headroom {
namespace {

Result<std::filesystem::path> resourceDirectory() {
  if (const char* forced = std::getenv("HEADROOM_RESOURCES"); forced != nullptr && *forced != '\0')
    return std::filesystem::path(forced);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return program.parent_path().parent_path() / "share" / "headroom";
  return Error{ErrorCode::kResource, Message::say("cannot tell where this program stands: {}", error.message())};
}

}  // namespace

Result<std::filesystem::path> findResource(std::string_view name) {
  const Result<std::filesystem::path> directory = resourceDirectory();
  if (!directory) return directory.error();
  const std::filesystem::path path = *directory / name;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  return Error{ErrorCode::kBadFile,
               Message::say("{} is not installed: expected {}, found no such file", name, path.string())};
}

std::filesystem::path findDataFolder() {
  const auto folder = [](const char* variable) -> std::filesystem::path {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
  };
  if (std::filesystem::path forced = folder("HEADROOM_DATA_DIR"); !forced.empty()) return forced;
  if (const std::filesystem::path data = folder("XDG_DATA_HOME"); data.is_absolute()) return data / "headroom";
  const std::filesystem::path home = folder("HOME");
  return home.empty() ? home : home / ".local" / "share" / "headroom";
}

}  // namespace headroom
