// The methods of dicts, lists and what stands beside them that templates may call; those of strings are in
// text_methods.cpp. Those that would change a list or dict do not exist here, as in Jinja's immutable sandbox.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/jinja/error.h"
#include "text/jinja/method_table.h"
#include "text/jinja/print.h"
#include "text/jinja/runtime.h"

namespace headroom::jinja {

namespace {

// ---- dict ----

Value dict_items(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("items", arguments, {});
  std::vector<Value> items;
  for (const auto& [key, value] : self.dict()->items) items.push_back(runtime.list({key, value}, ListKind::kTuple));
  runtime.step(items.size());
  return runtime.list(std::move(items), ListKind::kItems);
}
Value dict_keys(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("keys", arguments, {});
  std::vector<Value> items;
  for (const auto& item : self.dict()->items) items.push_back(item.first);
  runtime.step(items.size());
  return runtime.list(std::move(items), ListKind::kKeys);
}
Value dict_values(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("values", arguments, {});
  std::vector<Value> items;
  for (const auto& item : self.dict()->items) items.push_back(item.second);
  runtime.step(items.size());
  return runtime.list(std::move(items), ListKind::kValues);
}
Value dict_get(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("get", arguments, {"key", "default"});
  runtime.look_up(*self.dict(), parameters.at(0).weight());
  if (const Value* found = self.dict()->find(parameters.at(0))) return *found;
  return parameters.find(1) ? *parameters.find(1) : Value(None{});
}
Value dict_copy(Runtime&, const Value& self, const CallValues& arguments) {
  const Parameters parameters("copy", arguments, {});
  return self;  // it never changes, so it may as well be the same one
}
constexpr std::array kDictMethods = {MethodRow{"items", dict_items}, MethodRow{"keys", dict_keys},
                                     MethodRow{"values", dict_values}, MethodRow{"get", dict_get},
                                     MethodRow{"copy", dict_copy}};

// ---- list and tuple ----

Value list_count(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("count", arguments, {"value"});
  runtime.step(self.weight());
  const auto& items = self.list()->items;
  return Value(static_cast<std::int64_t>(
      std::count_if(items.begin(), items.end(), [&](const Value& item) { return equals(item, parameters.at(0)); })));
}
Value list_index(Runtime& runtime, const Value& self, const CallValues& arguments) {
  const Parameters parameters("index", arguments, {"value"});
  runtime.step(self.weight());
  const auto& items = self.list()->items;
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Value& item) { return equals(item, parameters.at(0)); });
  if (found == items.end())
    fail(fmt::format("{} is not in list", to_repr(parameters.at(0), runtime.bytes_left()).bytes()));
  return Value(static_cast<std::int64_t>(found - items.begin()));
}
Value list_copy(Runtime&, const Value& self, const CallValues& arguments) {
  const Parameters parameters("copy", arguments, {});
  return self;
}
constexpr std::array kListMethods = {MethodRow{"count", list_count}, MethodRow{"index", list_index},
                                     MethodRow{"copy", list_copy}};

// ---- cycler ----

Value cycler_next(Runtime&, const Value& self, const CallValues&) {
  Cycler& cycler = *self.cycler();
  const std::size_t at = cycler.next;
  cycler.next = (at + 1) % cycler.items.size();
  return cycler.items[at];
}
Value cycler_reset(Runtime&, const Value& self, const CallValues&) {
  self.cycler()->next = 0;
  return Value(None{});
}
constexpr std::array kCyclerMethods = {MethodRow{"next", cycler_next}, MethodRow{"reset", cycler_reset}};

// ---- loop ----

Value loop_cycle(Runtime&, const Value& self, const CallValues& arguments) {
  if (arguments.positional.empty()) fail("no items for cycling given");
  return arguments.positional[self.loop()->index0 % arguments.positional.size()];
}
// Whether the values are others than when it was last asked in this loop.
Value loop_changed(Runtime& runtime, const Value& self, const CallValues& arguments) {
  std::optional<std::vector<Value>>& last = *self.loop()->last_asked;
  runtime.charge(arguments.positional.size() * sizeof(Value));
  const bool is_same = last && last->size() == arguments.positional.size() &&
                       std::equal(last->begin(), last->end(), arguments.positional.begin(), equals);
  for (const Value& value : arguments.positional) runtime.step(value.weight());
  last = arguments.positional;
  return Value(!is_same);
}
constexpr std::array kLoopMethods = {MethodRow{"cycle", loop_cycle}, MethodRow{"changed", loop_changed}};

MethodCall find_method(const Value& value, std::string_view name) {
  const auto find = [&](const auto& rows) -> MethodCall {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const MethodRow& each) { return each.name == name; });
    return row == rows.end() ? nullptr : row->call;
  };
  if (value.text()) return find(text_methods());
  if (value.dict()) return find(kDictMethods);
  if (value.list()) return value.list()->kind <= ListKind::kTuple ? find(kListMethods) : nullptr;
  if (value.cycler()) return find(kCyclerMethods);
  if (value.loop()) return find(kLoopMethods);
  return nullptr;
}

}  // namespace

bool has_method(const Value& value, std::string_view name) { return find_method(value, name) != nullptr; }

Value call_method(Runtime& runtime, const Value& self, std::string_view name, const CallValues& arguments) {
  const MethodCall handler = find_method(self, name);
  if (!handler) fail(fmt::format("'{} object' has no attribute '{}'", type_name(self), name));
  return handler(runtime, self, arguments);
}

}  // namespace headroom::jinja
