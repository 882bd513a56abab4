// The functions that every template may call.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/c_locale.h"
#include "text/jinja/error.h"
#include "text/jinja/runtime.h"

namespace headroom::jinja {

namespace {

struct FunctionRow {
  std::string_view name;
  Value (*call)(Runtime&, const CallValues&);
};

Value function_range(Runtime& runtime, const CallValues& arguments) {
  const Parameters parameters("range", arguments, {"start", "stop", "step"});
  parameters.at(0);
  const bool has_start = parameters.find(1) != nullptr;
  const std::int64_t from = has_start ? parameters.integer(0, 0) : 0;
  const std::int64_t to = parameters.integer(has_start ? 1 : 0, 0), step = parameters.integer(2, 1);
  if (step == 0) fail("range() arg 3 must not be zero");
  std::vector<Value> items;
  for (std::int64_t i = from; step > 0 ? i < to : i > to;) {
    runtime.step();
    runtime.charge(sizeof(Value));
    items.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return runtime.list(std::move(items));
}

Value function_namespace(Runtime& runtime, const CallValues& arguments) {
  runtime.charge(sizeof(Namespace));
  Namespace& names = runtime.namespaces.emplace_back();
  for (const Value& value : arguments.positional) {
    if (!value.dict()) fail("namespace() takes a dict or named values");
    for (const auto& [key, item] : value.dict()->items)
      if (key.text()) names.members.emplace_back(*key.text(), item);
  }
  for (const auto& [name, value] : arguments.named) {
    if (Value* member = names.find(name.bytes())) {
      *member = value;
    } else {
      names.members.emplace_back(name, value);
    }
  }
  return Value(&names);
}

Value function_dict(Runtime& runtime, const CallValues& arguments) {
  std::vector<std::pair<Value, Value>> items;
  for (const Value& value : arguments.positional) {
    if (value.dict()) {
      items.insert(items.end(), value.dict()->items.begin(), value.dict()->items.end());
      continue;
    }
    for (const Value& pair : runtime.iterate(value)) {
      const std::vector<Value> both = runtime.iterate(pair);
      if (both.size() != 2) fail(fmt::format("dict(): an entry of {} values; 2 is required", both.size()));
      items.emplace_back(both[0], both[1]);
    }
  }
  for (const auto& [name, value] : arguments.named) items.emplace_back(Value(name), value);
  runtime.charge(items.size() * 2 * sizeof(Value));
  runtime.step(items.size());
  return Value::dict(std::move(items));
}

Value function_raise(Runtime& runtime, const CallValues& arguments) {
  const Parameters parameters("raise_exception", arguments, {"message"});
  throw Failure{runtime.to_text(parameters.at(0)).bytes(), 0, true};
}

Value function_strftime_now(Runtime& runtime, const CallValues& arguments) {
  const Parameters parameters("strftime_now", arguments, {"format"});
  parameters.at(0);
  const TracedText traced = parameters.text(0, "");
  const std::string& format = traced.bytes();
  if (format.empty()) return Value("");
  if (format.size() > 1000) fail("strftime_now(): a format of more than 1000 bytes");
  std::array<char, 16384> buffer{};
  const std::tm now = runtime.now();
  const std::string closed = format + "|";  // never an empty result, so that 0 means only that it did not fit
  const std::size_t n_bytes = c_strftime(buffer.data(), buffer.size(), closed.c_str(), now);
  if (n_bytes == 0) fail("strftime_now(): the result is too long");
  return runtime.text(TracedText(std::string(buffer.data(), n_bytes - 1), traced.strictest_origin()));
}

Value function_cycler(Runtime& runtime, const CallValues& arguments) {
  if (arguments.positional.empty()) fail("at least one item has to be provided");
  runtime.charge(sizeof(Cycler) + arguments.positional.size() * sizeof(Value));
  return Value(&runtime.cyclers.emplace_back(Cycler{arguments.positional, 0}));
}

Value function_joiner(Runtime& runtime, const CallValues& arguments) {
  const Parameters parameters("joiner", arguments, {"sep"});
  runtime.charge(sizeof(Joiner));
  return Value(&runtime.joiners.emplace_back(Joiner{parameters.text(0, ", "), false}));
}

constexpr std::array kFunctions = {
    FunctionRow{"range", function_range},
    FunctionRow{"namespace", function_namespace},
    FunctionRow{"dict", function_dict},
    FunctionRow{"raise_exception", function_raise},
    FunctionRow{"strftime_now", function_strftime_now},
    FunctionRow{"cycler", function_cycler},
    FunctionRow{"joiner", function_joiner},
};

const FunctionRow* find_function(std::string_view name) {
  const auto* row =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const FunctionRow& each) { return each.name == name; });
  return row == kFunctions.end() ? nullptr : row;
}

}  // namespace

bool is_function(std::string_view name) { return find_function(name) != nullptr; }

Value call_function(Runtime& runtime, std::string_view name, const CallValues& arguments) {
  const FunctionRow* row = find_function(name);
  if (!row) fail(fmt::format("'{}' is undefined", name));
  return row->call(runtime, arguments);
}

}  // namespace headroom::jinja
