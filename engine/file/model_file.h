// A model on disk as its header describes it: metadata and a tensor table. No weight is touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "file/input_file.h"
#include "format/dtype.h"

namespace headroom {

// A metadata value, widened: every integer type is kept as 64 bits, every float type as double. Arrays are flat and of
// one kind.
using MetaValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, std::vector<std::uint64_t>,
                               std::vector<std::int64_t>, std::vector<double>, std::vector<std::uint8_t> /* bools */,
                               std::vector<std::string>>;

// "an array of strings": what a value is, for messages.
Message type_words(const MetaValue& value);

struct TensorInfo {
  std::string name;
  std::uint32_t file_type = 0;       // the number in the file
  std::string type_name;             // "Q4_K"; a type that we cannot compute with still has its name
  std::optional<DType> dtype;        // absent: a type that this build cannot compute with
  std::vector<std::uint64_t> shape;  // (row length, rows, ...): shape[0] is contiguous; 1 to 4 entries
  Bytes n_bytes = 0;                 // exact, as in the file
  std::uint32_t part = 0;            // which file of a split model
  Bytes offset = 0;                  // absolute, in that file

  std::uint64_t n_elems() const;
};

// Immutable after opening; safe to read from any thread.
class ModelFile {
 public:
  ModelFile(std::vector<InputFile> parts, std::map<std::string, MetaValue, std::less<>> metadata,
            std::vector<TensorInfo> tensors);

  const std::filesystem::path& path() const { return parts_.front().path(); }
  std::uint32_t n_parts() const { return static_cast<std::uint32_t>(parts_.size()); }
  Bytes n_bytes() const;  // of all parts together
  const std::map<std::string, MetaValue, std::less<>>& metadata() const { return metadata_; }
  std::span<const TensorInfo> tensors() const { return tensors_; }
  const TensorInfo* find_tensor(std::string_view name) const;  // null when absent

  // Typed look-ups. Absent key: nullopt. A key of another type: kBadFile that names key, expected and found type.
  Result<std::optional<std::uint64_t>> find_uint(std::string_view key) const;
  Result<std::optional<double>> find_float(std::string_view key) const;
  Result<std::optional<bool>> find_bool(std::string_view key) const;
  Result<std::optional<std::string>> find_string(std::string_view key) const;
  const MetaValue* find(std::string_view key) const;

  // Reads bytes [from, from + out.size()) of a tensor. kBadFile when the file has shrunk since it was opened. Any
  // thread.
  Status read_tensor(const TensorInfo& tensor, Bytes from, std::span<std::byte> out) const;

 private:
  std::vector<InputFile> parts_;
  std::map<std::string, MetaValue, std::less<>> metadata_;
  std::vector<TensorInfo> tensors_;  // in file order
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
};

// `error` with the file's path in front: for errors of code that checks values and does not know their file.
Error in_file(const ModelFile& file, const Error& error);

// Opens a GGUF file (v2, v3), or all parts of a split one from any part. kBadFile names what is wrong with which field;
// reads the headers only.
Result<ModelFile> open_model_file(const std::filesystem::path& path);

}  // namespace headroom
