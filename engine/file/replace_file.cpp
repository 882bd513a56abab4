#include "file/replace_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace headroom {

Status replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  const std::filesystem::path fresh = path.string() + fmt::format(".{}", getpid());
  std::ofstream stream(fresh, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (stream) std::filesystem::rename(fresh, path, problem);
  if (stream && !problem) return ok_status();
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  return Error{ErrorCode::kResource, Message::say("{}: cannot be written", path.string())};
}

}  // namespace headroom
