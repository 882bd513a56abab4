// Writes GGUF files, version 3: for tests, fixtures and tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "file/gguf_types.h"
#include "format/dtype.h"

namespace headroom {

// Collects metadata and tensors, then writes them in the order they were added. Whatever it is given is written, also
// what no reader accepts.
class GgufWriter {
 public:
  void set_uint(std::string_view key, std::uint32_t value);
  void set_uint64(std::string_view key, std::uint64_t value);
  void set_float(std::string_view key, float value);
  void set_bool(std::string_view key, bool value);
  void set_string(std::string_view key, std::string_view value);
  void set_uints(std::string_view key, const std::vector<std::uint32_t>& values);
  void set_ints(std::string_view key, const std::vector<std::int32_t>& values);
  void set_floats(std::string_view key, const std::vector<float>& values);
  void set_strings(std::string_view key, const std::vector<std::string>& values);
  // Any value type: `value` is written as it stands behind key and type.
  void set_raw(std::string_view key, GgufType type, std::string_view value);

  // shape as in the file: (row length, rows, ...).
  void add_tensor(std::string_view name, std::uint32_t file_type, const std::vector<std::uint64_t>& shape,
                  std::vector<std::byte> bytes);
  // A tensor of zeros that takes no room on disk and none in memory.
  void add_hole(std::string_view name, std::uint32_t file_type, const std::vector<std::uint64_t>& shape, Bytes n_bytes);

  // Offsets are multiples of it; must be a power of two. Writes general.alignment unless it is the default.
  void set_alignment(std::uint32_t alignment) { alignment_ = alignment; }
  void set_version(std::uint32_t version) { version_ = version; }

  // Header and padding, up to where the data begins.
  std::string header_bytes() const;
  // kResource names the path and the system's reason.
  Status write(const std::filesystem::path& path) const;

 private:
  struct Tensor {
    std::string name;
    std::uint32_t file_type = 0;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> bytes;  // empty: a hole
    Bytes n_bytes = 0;
  };
  std::string metadata_;  // entries as they stand in the file
  std::uint64_t n_metadata_ = 0;
  std::vector<Tensor> tensors_;
  std::uint32_t alignment_ = kGgufDefaultAlignment;
  std::uint32_t version_ = kGgufNewestVersion;
};

}  // namespace headroom
