// What one evaluation carries along: its limits, the values that change, and the arguments of a call.
#pragma once

#include <algorithm>
#include <ctime>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "text/jinja/value.h"

namespace headroom::jinja {

// Bounds on what a template may cost, far above what any real one needs.
struct Limits {
  std::uint64_t max_steps = 2'000'000;
  std::size_t max_bytes = std::size_t{128} << 20;  // of all texts and lists made on the way, together
  std::uint32_t max_depth = 700;                   // of expressions, statements and macros inside each other
};

class Runtime {
 public:
  Runtime(Limits limits, const std::tm& now, StopToken stop = {})
      : limits_(limits), now_(now), stop_(std::move(stop)) {}

  void step(std::uint64_t n_steps = 1);  // throws Failure past the limit, and when stopped
  void charge(std::size_t n_bytes);      // throws Failure past the limit
  // What going through a text costs that makes nothing: a step for 64 bytes.
  void scan(std::size_t n_bytes) { step(n_bytes / 64); }
  // Looking for a text in another: at each byte of it, up to all that is looked for may be compared.
  void search(std::size_t n_bytes, std::size_t n_sought) {
    step(n_bytes / 64 * std::max<std::size_t>(n_sought / 64, 1) + n_sought / 64);
  }
  void look_up(const Dict& dict, std::uint32_t key_weight) { step(dict.items.size() * key_weight / 8); }
  std::size_t bytes_left() const { return limits_.max_bytes - n_bytes_; }
  const Limits& limits() const { return limits_; }
  const std::tm& now() const { return now_; }

  // A new text, charged.
  Value text(TracedText value) {
    charge(value.n_bytes_held() + 32);
    return Value(std::move(value));
  }
  // A new list, charged.
  Value list(std::vector<Value> items, ListKind kind = ListKind::kList) {
    charge(items.size() * sizeof(Value) + 64);
    return Value::list(std::move(items), kind);
  }
  TracedText to_text(const Value& value);

  // What a for loop over the value goes through; throws Failure for what cannot be iterated. A generator is empty
  // afterwards.
  std::vector<Value> iterate(const Value& value);

  std::deque<Namespace> namespaces;
  std::deque<Cycler> cyclers;
  std::deque<Joiner> joiners;
  std::deque<std::optional<std::vector<Value>>> loops;  // what changed() was last asked, one per run of a loop

 private:
  Limits limits_;
  std::tm now_;
  StopToken stop_;
  std::uint64_t n_steps_ = 0;
  std::size_t n_bytes_ = 0;
};

struct CallValues {
  std::vector<Value> positional;
  std::vector<std::pair<TracedText, Value>> named;  // a name out of **mapping may come from a message
};

// The arguments of a call matched with the parameter names of a function of ours.
class Parameters {
 public:
  // Throws Failure for more arguments than names, for an unknown name and for one given twice. `values` must live on.
  Parameters(std::string_view function, const CallValues& values, std::initializer_list<std::string_view> names);

  const Value* find(std::size_t index) const { return values_[index]; }  // null when not given
  const Value& at(std::size_t index) const;                              // throws Failure when not given
  bool flag(std::size_t index, bool otherwise) const { return values_[index] ? is_true(*values_[index]) : otherwise; }
  std::int64_t integer(std::size_t index, std::int64_t otherwise) const;
  TracedText text(std::size_t index, std::string_view otherwise) const;
  std::string bytes(std::size_t index, std::string_view otherwise) const { return text(index, otherwise).bytes(); }

 private:
  std::string function_;
  std::vector<std::string_view> names_;
  std::vector<const Value*> values_;
};

// value.name and value[key], as Jinja looks them up; Undefined when there is none. Throws Failure for an undefined
// value.
Value get_attribute(Runtime& runtime, const Value& value, std::string_view name);
Value get_item(Runtime& runtime, const Value& value, const Value& key);
// "a.b.0": what filters take as `attribute`.
Value get_path(Runtime& runtime, const Value& value, const Value& path);
// value[start:stop:step]; a null pointer is what was left out.
Value get_slice(Runtime& runtime, const Value& value, const Value* start, const Value* stop, const Value* step);

// str.strip(): of what is taken away each character is looked for in the set.
std::string_view strip_text(Runtime& runtime, std::string_view text, std::string_view set, bool left, bool right);
std::int64_t length_of(const Value& value);  // throws Failure, in Python's words
bool contains(Runtime& runtime, const Value& container, const Value& item);

bool has_method(const Value& value, std::string_view name);
Value call_method(Runtime& runtime, const Value& self, std::string_view name, const CallValues& arguments);
Value apply_filter(Runtime& runtime, std::string_view name, const Value& input, const CallValues& arguments);
bool apply_test(Runtime& runtime, std::string_view name, const Value& input, const CallValues& arguments);
bool is_function(std::string_view name);
Value call_function(Runtime& runtime, std::string_view name, const CallValues& arguments);

}  // namespace headroom::jinja
