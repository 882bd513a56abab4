#include "file/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace headroom {
namespace {

Message kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return Message::say("a directory");
  if (S_ISCHR(mode) || S_ISBLK(mode)) return Message::say("a device");
  if (S_ISFIFO(mode)) return Message::say("a pipe");
  if (S_ISSOCK(mode)) return Message::say("a socket");
  return Message::say("not a regular file");
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait; it does nothing to a regular file.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) {
    const int reason = errno;
    const ErrorCode code =
        reason == EMFILE || reason == ENFILE || reason == ENOMEM ? ErrorCode::kResource : ErrorCode::kBadFile;
    return Error{code, Message::say("{}: cannot be opened: {}", path.string(), std::string(std::strerror(reason)))};
  }
  InputFile file(path, descriptor, 0);
  struct stat info {};
  if (fstat(descriptor, &info) != 0)
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: cannot be examined: {}", path.string(), std::string(std::strerror(errno)))};
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: expected a file, found {}", path.string(), kind_of(info.st_mode))};
  if (info.st_size <= 0) return Error{ErrorCode::kBadFile, Message::say("{}: the file is empty", path.string())};
  file.n_bytes_ = static_cast<Bytes>(info.st_size);
  return file;
}

InputFile::InputFile(std::filesystem::path path, int descriptor, Bytes n_bytes)
    : path_(std::move(path)), descriptor_(descriptor), n_bytes_(n_bytes) {}

InputFile InputFile::in_memory(std::string_view name, std::vector<std::byte> bytes) {
  InputFile file(name, -1, bytes.size());
  file.bytes_ = std::move(bytes);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      n_bytes_(other.n_bytes_),
      bytes_(std::move(other.bytes_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(n_bytes_, other.n_bytes_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status InputFile::read_at(Bytes offset, std::span<std::byte> out) const {
  const std::optional<Bytes> end = checked_add(offset, out.size());
  if (!end || *end > static_cast<Bytes>(std::numeric_limits<off_t>::max())) {
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: {} bytes at {} are beyond any file", path_.string(), out.size(), offset)};
  }
  if (descriptor_ < 0) {
    if (*end > bytes_.size()) {
      return Error{ErrorCode::kBadFile, Message::say("{}: {} bytes at {} are beyond its {} bytes", path_.string(),
                                                     out.size(), offset, bytes_.size())};
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return ok_status();
  }
  while (!out.empty()) {
    const ssize_t n_read = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (n_read < 0 && errno == EINTR) continue;
    if (n_read < 0)
      return Error{ErrorCode::kResource, Message::say("{}: reading at byte {}: {}", path_.string(), offset,
                                                      std::string(std::strerror(errno)))};
    if (n_read == 0) {
      return Error{ErrorCode::kBadFile,
                   Message::say("{}: ends at byte {}, {} more bytes expected (it had {} bytes when opened)",
                                path_.string(), offset, out.size(), n_bytes_)};
    }
    out = out.subspan(static_cast<std::size_t>(n_read));
    offset += static_cast<Bytes>(n_read);
  }
  return ok_status();
}

}  // namespace headroom
