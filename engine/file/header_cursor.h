// Walks through the header of a file, a chunk at a time, and remembers the first thing that went wrong.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "file/input_file.h"

namespace headroom {

// After a failure every read gives zero or nothing, so that a reader checks once per field group. One thread.
class HeaderCursor {
 public:
  // Nothing at or behind byte `limit` of the file is read.
  HeaderCursor(const InputFile& file, Bytes limit);

  Bytes position() const { return position_; }
  Bytes remaining() const { return limit_ - position_; }
  bool failed() const { return error_.has_value(); }
  Error take_error() { return *std::move(error_); }

  // What is being read, for messages: "metadata 3 of 20".
  void set_context(Message context) { context_ = std::move(context); }
  // Keeps the first failure only.
  void fail(ErrorCode code, const Message& message);

  template <class T>
  T read_number(const Message& what) {
    static_assert(std::is_arithmetic_v<T>);
    std::byte bytes[sizeof(T)] = {};
    copy(bytes, what);
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  std::string read_string(const Message& what);

 private:
  void copy(std::span<std::byte> out, const Message& what);
  bool refill();

  const InputFile& file_;
  const Bytes limit_;
  Bytes position_ = 0;
  std::vector<std::byte> chunk_;
  std::size_t chunk_used_ = 0, chunk_filled_ = 0;
  Message context_;
  std::optional<Error> error_;
};

}  // namespace headroom
