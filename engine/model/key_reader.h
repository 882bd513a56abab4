// Reads metadata keys of one architecture as typed and bounded numbers, and keeps the first failure and the names of
// all keys that it was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "file/model_file.h"

namespace headroom {

// A file that states more positions is damaged. The planner's own bound is lower (plan/plan_options.h).
inline constexpr std::uint32_t kMaxPositions = 1U << 30;

// After a failure every look-up returns zero, so that callers check failed() once for several keys. One thread.
class KeyReader {
 public:
  KeyReader(const ModelFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  bool failed() const { return error_.has_value(); }
  Error take_error() { return *std::move(error_); }
  // Keeps the first failure only; the message gets the file's path.
  void fail(ErrorCode code, const Message& message);
  // The same for an error of the file's own look-ups, whose message names the path already.
  void fail(const Error& named);

  // Integers from 1 to `max`. Without a fallback the key must be there.
  std::uint32_t positive(std::string_view key, std::uint32_t max, std::optional<std::uint32_t> fallback = std::nullopt);
  // Integers from 0 to `max`.
  std::uint32_t count(std::string_view key, std::uint32_t max, std::uint32_t fallback);
  // One number for all layers, which is positive, or an array of one per layer, each from `min` on; (n_layers).
  std::vector<std::uint32_t> per_layer(std::string_view key, std::uint32_t n_layers, std::uint32_t max,
                                       const std::vector<std::uint32_t>& fallback = {}, std::uint32_t min = 1);
  // An array of one flag per layer; absent where the key is not there or is no such array. It may have `least` entries,
  // where that is not 0: what it does not have is false.
  std::optional<std::vector<bool>> flags(std::string_view key, std::uint32_t n_layers, std::uint32_t least = 0);
  // An array of integers that are not negative; absent likewise.
  std::optional<std::vector<std::uint64_t>> counts(std::string_view key);
  // Finite. Without a fallback the key must be there.
  double number(std::string_view key, std::optional<double> fallback = std::nullopt);
  bool flag(std::string_view key, bool fallback);
  std::string text(std::string_view key, std::string_view fallback);

  // "llama.context_length"
  std::string full_key(std::string_view key) const { return prefix_ + "." + std::string(key); }
  // The value as it stands.
  const MetaValue* find(std::string_view key);
  // Whether the file has the key, which does not count as reading it.
  bool has(std::string_view key) const { return file_.find(full_key(key)) != nullptr; }
  bool was_read(std::string_view key) const { return read_.contains(key); }

 private:
  void missing(std::string_view key);
  void check_n_entries(std::string_view key, std::size_t n_entries, std::uint32_t n_layers);
  // full_key(), of a key that is being read.
  std::string reading(std::string_view key);
  std::uint32_t bounded(std::string_view key, std::uint64_t value, std::uint32_t min, std::uint32_t max);

  const ModelFile& file_;
  const std::string prefix_;
  std::set<std::string, std::less<>> read_;  // without prefix
  std::optional<Error> error_;
};

}  // namespace headroom
