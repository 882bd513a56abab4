#include "model/key_reader.h"

#include <algorithm>
#include <cmath>

namespace headroom {

void KeyReader::fail(ErrorCode code, const Message& message) {
  if (!error_) error_ = Error{code, message.said_of(file_.path().string())};
}

void KeyReader::fail(const Error& named) {
  if (!error_) error_ = named;
}

std::string KeyReader::reading(std::string_view key) {
  read_.emplace(key);
  return full_key(key);
}

const MetaValue* KeyReader::find(std::string_view key) { return file_.find(reading(key)); }

void KeyReader::missing(std::string_view key) {
  fail(ErrorCode::kBadFile, Message::say("metadata '{}' is missing", full_key(key)));
}

std::uint32_t KeyReader::bounded(std::string_view key, std::uint64_t value, std::uint32_t min, std::uint32_t max) {
  if (value >= min && value <= max) return static_cast<std::uint32_t>(value);
  fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected {} to {}", full_key(key), value, min, max));
  return 0;
}

std::uint32_t KeyReader::count(std::string_view key, std::uint32_t max, std::uint32_t fallback) {
  if (failed()) return 0;
  const auto found = file_.find_uint(reading(key));
  if (!found) {
    fail(found.error());
    return 0;
  }
  return bounded(key, found->value_or(fallback), 0, max);
}

std::uint32_t KeyReader::positive(std::string_view key, std::uint32_t max, std::optional<std::uint32_t> fallback) {
  if (failed()) return 0;
  const auto found = file_.find_uint(reading(key));
  if (!found) {
    fail(found.error());
    return 0;
  }
  if (found->has_value()) return bounded(key, **found, 1, max);
  if (!fallback) missing(key);
  return fallback.value_or(0);
}

std::vector<std::uint32_t> KeyReader::per_layer(std::string_view key, std::uint32_t n_layers, std::uint32_t max,
                                                const std::vector<std::uint32_t>& fallback, std::uint32_t min) {
  if (failed()) return {};
  const MetaValue* value = find(key);
  if (value == nullptr && !fallback.empty()) return fallback;
  std::vector<std::uint32_t> values;
  const auto take_array = [&](const auto& array) {
    check_n_entries(key, array.size(), n_layers);
    if (failed()) return;
    // A negative entry becomes a number that is out of range.
    for (const auto entry : array) values.push_back(bounded(key, static_cast<std::uint64_t>(entry), min, max));
  };
  if (value != nullptr) {
    if (const auto* array = std::get_if<std::vector<std::uint64_t>>(value)) {
      take_array(*array);
      return values;
    }
    if (const auto* array = std::get_if<std::vector<std::int64_t>>(value)) {
      take_array(*array);
      return values;
    }
  }
  values.assign(n_layers, positive(key, max));
  return values;
}

void KeyReader::check_n_entries(std::string_view key, std::size_t n_entries, std::uint32_t n_layers) {
  if (n_entries == n_layers) return;
  fail(ErrorCode::kBadFile, Message::say("metadata '{}' has {} entries, expected one for each of {} layers",
                                         full_key(key), n_entries, n_layers));
}

std::optional<std::vector<bool>> KeyReader::flags(std::string_view key, std::uint32_t n_layers, std::uint32_t least) {
  const MetaValue* value = failed() ? nullptr : find(key);
  const auto* array = value == nullptr ? nullptr : std::get_if<std::vector<std::uint8_t>>(value);
  if (array == nullptr) return std::nullopt;
  const bool is_short = least > 0 && array->size() == least;
  if (!is_short) check_n_entries(key, array->size(), n_layers);
  std::vector<bool> flags(array->begin(), array->end());
  if (is_short) flags.resize(n_layers, false);
  return flags;
}

std::optional<std::vector<std::uint64_t>> KeyReader::counts(std::string_view key) {
  const MetaValue* value = failed() ? nullptr : find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* array = std::get_if<std::vector<std::uint64_t>>(value)) return *array;
  const auto* array = std::get_if<std::vector<std::int64_t>>(value);
  if (array == nullptr || std::ranges::any_of(*array, [](std::int64_t entry) { return entry < 0; }))
    return std::nullopt;
  return std::vector<std::uint64_t>(array->begin(), array->end());
}

double KeyReader::number(std::string_view key, std::optional<double> fallback) {
  if (failed()) return 0;
  const auto found = file_.find_float(reading(key));
  if (!found) {
    fail(found.error());
    return 0;
  }
  if (!found->has_value() && !fallback) missing(key);
  const double value = found->value_or(fallback.value_or(0));
  if (!std::isfinite(value))
    fail(ErrorCode::kBadFile, Message::say("metadata '{}' is not a finite number", full_key(key)));
  return value;
}

bool KeyReader::flag(std::string_view key, bool fallback) {
  const MetaValue* value = failed() ? nullptr : find(key);
  if (value == nullptr) return fallback;
  if (const bool* held = std::get_if<bool>(value)) return *held;
  fail(ErrorCode::kBadFile, Message::say("metadata '{}' is no flag, expected true or false", full_key(key)));
  return fallback;
}

std::string KeyReader::text(std::string_view key, std::string_view fallback) {
  if (failed()) return {};
  const auto found = file_.find_string(reading(key));
  if (!found) {
    fail(found.error());
    return {};
  }
  return found->value_or(std::string(fallback));
}

}  // namespace headroom
