// What a template computes with: Python's values as far as templates use them. Lists and dicts never change once made,
// so values share them freely and no cycle can arise; the one thing that changes, a namespace, belongs to the
// evaluation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "text/traced_text.h"

namespace headroom::jinja {

class Value;
struct Expr;
struct Stmt;
struct Frame;

struct None {};

// The result of looking up what is not there. Printing it gives nothing; using it otherwise fails with this message.
struct Undefined {
  std::string message;  // "'name' is undefined"
};

enum class ListKind : std::uint8_t { kList, kTuple, kGenerator, kKeys, kValues, kItems };

struct List {
  ListKind kind = ListKind::kList;
  std::uint32_t depth = 1;  // of nested lists and dicts
  std::uint32_t weight =
      1;  // of it and all that it holds, each counted as often as it is reached: what walking through it costs
  std::vector<Value> items;
  mutable bool consumed = false;  // a generator gives its items once
};

struct Dict {
  std::uint32_t depth = 1, weight = 1;
  std::vector<std::pair<Value, Value>> items;  // in order of insertion, no key twice
  const Value* find(const Value& key) const;   // null when absent
  const Value* find(std::string_view key) const;
};

// Set by {% set ns.name = ... %}; owned by the evaluation.
struct Namespace {
  std::vector<std::pair<TracedText, Value>> members;
  Value* find(std::string_view name);
};

// A macro, with the variables that it was defined among. They are gone when the block that held them has ended.
struct Macro {
  const Stmt* definition = nullptr;
  std::weak_ptr<Frame> scope;
};

// A function of ours by name, or a method with what it belongs to.
struct Builtin {
  std::string name;
};
struct Method {
  std::shared_ptr<const Value> self;
  std::string name;
};

// cycler() and joiner(): owned by the evaluation, because they change.
struct Cycler {
  std::vector<Value> items;
  std::size_t next = 0;
};
struct Joiner {
  TracedText separator;
  bool used = false;
};

// `loop` in one round of a for loop. A recursive one can be called: its statement and the variables around it.
struct Loop {
  std::shared_ptr<const std::vector<Value>> items;
  std::size_t index0 = 0;
  std::uint32_t depth = 1;
  const Stmt* recursive = nullptr;
  std::optional<std::vector<Value>>* last_asked = nullptr;  // of changed(); owned by the evaluation
  std::weak_ptr<Frame> scope;
};

class Value {
 public:
  using ListPtr = std::shared_ptr<const List>;
  using DictPtr = std::shared_ptr<const Dict>;
  using Text = std::shared_ptr<const TracedText>;

  Value() : state_(None{}) {}
  explicit Value(None) : state_(None{}) {}
  explicit Value(Undefined undefined) : state_(std::make_shared<const Undefined>(std::move(undefined))) {}
  explicit Value(bool value) : state_(value) {}
  explicit Value(std::int64_t value) : state_(value) {}
  explicit Value(double value) : state_(value) {}
  explicit Value(TracedText text) : state_(std::make_shared<const TracedText>(std::move(text))) {}
  explicit Value(const char* text) : Value(TracedText::of_template(text)) {}  // a literal of this program
  explicit Value(Namespace* names) : state_(names) {}
  explicit Value(Cycler* cycler) : state_(cycler) {}
  explicit Value(Joiner* joiner) : state_(joiner) {}
  explicit Value(Macro macro) : state_(std::make_shared<const Macro>(std::move(macro))) {}
  explicit Value(Loop loop) : state_(std::make_shared<const Loop>(std::move(loop))) {}
  explicit Value(Builtin builtin) : state_(std::make_shared<const Builtin>(std::move(builtin))) {}
  explicit Value(Method method) : state_(std::make_shared<const Method>(std::move(method))) {}
  // Throw Failure when nested more than kMaxValueDepth deep, or when walking through it would take more than
  // kMaxValueWeight steps.
  static Value list(std::vector<Value> items, ListKind kind = ListKind::kList);
  static Value dict(std::vector<std::pair<Value, Value>> items);  // a key that comes again replaces its value

  bool is_none() const { return std::holds_alternative<None>(state_); }
  const Undefined* undefined() const { return pointee<Undefined>(); }
  const bool* boolean() const { return std::get_if<bool>(&state_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&state_); }
  const double* floating() const { return std::get_if<double>(&state_); }
  const TracedText* text() const { return pointee<TracedText>(); }
  // The bytes of a text, for looking at: a new text is made from text(), which says where they came from.
  const std::string* bytes() const { return text() ? &text()->bytes() : nullptr; }
  const List* list() const { return pointee<List>(); }
  const Dict* dict() const { return pointee<Dict>(); }
  Namespace* names() const { return plain<Namespace>(); }
  Cycler* cycler() const { return plain<Cycler>(); }
  Joiner* joiner() const { return plain<Joiner>(); }
  const Macro* macro() const { return pointee<Macro>(); }
  const Loop* loop() const { return pointee<Loop>(); }
  const Builtin* builtin() const { return pointee<Builtin>(); }
  const Method* method() const { return pointee<Method>(); }
  bool is_callable() const { return macro() || builtin() || method() || joiner() || loop(); }
  bool is_number() const { return boolean() || integer() || floating(); }

  std::uint32_t depth() const;  // 0 for what holds nothing
  // What going through it costs: 1 for what holds nothing, and for a text as many as it has KiB beyond that.
  std::uint32_t weight() const;

 private:
  template <class T>
  const T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<const T>>(&state_);
    return pointer ? pointer->get() : nullptr;
  }
  template <class T>
  T* plain() const {
    const auto* pointer = std::get_if<T*>(&state_);
    return pointer ? *pointer : nullptr;
  }

  std::variant<None, std::shared_ptr<const Undefined>, bool, std::int64_t, double, Text, ListPtr, DictPtr, Namespace*,
               Cycler*, Joiner*, std::shared_ptr<const Macro>, std::shared_ptr<const Loop>,
               std::shared_ptr<const Builtin>, std::shared_ptr<const Method>>
      state_;
};

inline constexpr std::uint32_t kMaxValueDepth = 100;
inline constexpr std::uint32_t kMaxValueWeight = 2'000'000;

// Of a text as a value, which may be compared with another.
inline std::uint32_t text_weight(std::string_view text) {
  return 1 + static_cast<std::uint32_t>(std::min<std::size_t>(text.size() / 1024, kMaxValueWeight));
}

std::string_view type_name(const Value& value);  // as Python says it: "str", "int", "NoneType"
bool is_true(const Value& value);
bool equals(const Value& a, const Value& b);  // 1 == 1.0 == true, as in Python

// Below zero, zero, above; throws Failure for values that have no order, in Python's words. `op` is what the template
// wrote.
int compare(const Value& a, const Value& b, std::string_view op);

// A number as double; bools count. The value is_number().
double as_double(const Value& value);
// An integer or a bool; false when it is neither.
bool as_integer(const Value& value, std::int64_t& number);

}  // namespace headroom::jinja
