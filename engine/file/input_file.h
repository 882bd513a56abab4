// A regular file that is read at positions. Positional reads, not a mapping: a file that shrinks under us is then an
// error value instead of a SIGBUS, and each weight is copied into its panel exactly once either way.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace headroom {

// Owns a descriptor, or the bytes of a file that was never written; movable. All methods may be called from any thread
// at once.
class InputFile {
 public:
  // kBadFile when `path` is absent, unreadable, a directory, a device or a pipe.
  static Result<InputFile> open(const std::filesystem::path& path);
  // A file that stands in memory alone: a model that the program made itself. `name` stands where messages name a path.
  static InputFile in_memory(std::string_view name, std::vector<std::byte> bytes);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  const std::filesystem::path& path() const { return path_; }
  Bytes n_bytes() const { return n_bytes_; }  // when opened

  // Fills `out` from `offset`; kBadFile when the file ends before, kResource on an I/O error.
  Status read_at(Bytes offset, std::span<std::byte> out) const;

 private:
  InputFile(std::filesystem::path path, int descriptor, Bytes n_bytes);
  std::filesystem::path path_;
  int descriptor_ = -1;
  Bytes n_bytes_ = 0;
  std::vector<std::byte> bytes_;  // where there is no descriptor
};

}  // namespace headroom
