#include "text/jinja/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "text/jinja/error.h"

namespace headroom::jinja {

namespace {

// Beyond this many keys a literal dict looks its keys up in a map while it is made, so that making it stays n log n.
struct KeyLess {
  bool operator()(const std::string* a, const std::string* b) const { return *a < *b; }
};

std::uint32_t bounded_depth(std::uint32_t depth) {
  if (depth > kMaxValueDepth) fail(fmt::format("a value of more than {} levels", kMaxValueDepth));
  return depth;
}

std::uint32_t bounded_weight(std::uint32_t weight) {
  if (weight > kMaxValueWeight) fail_too_much(fmt::format("a value of more than {} elements", kMaxValueWeight));
  return weight;
}

int order(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

int compare_lists(const List& a, const List& b, std::string_view op) {
  const std::size_t n_common = std::min(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < n_common; ++i)
    if (!equals(a.items[i], b.items[i])) return compare(a.items[i], b.items[i], op);
  return order(static_cast<double>(a.items.size()), static_cast<double>(b.items.size()));
}

bool equal_lists(const List& a, const List& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), equals);
}

bool equal_dicts(const Dict& a, const Dict& b) {
  if (a.items.size() != b.items.size()) return false;
  return std::all_of(a.items.begin(), a.items.end(), [&](const auto& item) {
    const Value* other = b.find(item.first);
    return other && equals(item.second, *other);
  });
}

}  // namespace

const Value* Dict::find(const Value& key) const {
  if (const std::string* text = key.bytes()) return find(*text);
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return equals(item.first, key); });
  return found == items.end() ? nullptr : &found->second;
}

const Value* Dict::find(std::string_view key) const {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const auto& item) { return item.first.bytes() && *item.first.bytes() == key; });
  return found == items.end() ? nullptr : &found->second;
}

Value* Namespace::find(std::string_view name) {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.first.bytes() == name; });
  return found == members.end() ? nullptr : &found->second;
}

Value Value::list(std::vector<Value> items, ListKind kind) {
  auto made = std::make_shared<List>();
  made->kind = kind;
  for (const Value& item : items) {
    made->depth = std::max(made->depth, bounded_depth(item.depth() + 1));
    made->weight = bounded_weight(made->weight + item.weight());
  }
  made->items = std::move(items);
  Value value;
  value.state_ = ListPtr(std::move(made));
  return value;
}

Value Value::dict(std::vector<std::pair<Value, Value>> items) {
  auto made = std::make_shared<Dict>();
  std::map<const std::string*, std::size_t, KeyLess> by_text;
  for (auto& [key, item] : items) {
    made->depth = std::max(made->depth, bounded_depth(std::max(item.depth(), key.depth()) + 1));
    made->weight = bounded_weight(made->weight + item.weight() + key.weight());
    if (const std::string* text = key.bytes()) {
      const auto [at, is_new] = by_text.emplace(text, made->items.size());
      if (!is_new) {
        made->items[at->second].second = std::move(item);
        continue;
      }
    } else if (const Value* before = made->find(key)) {
      *const_cast<Value*>(before) = std::move(item);  // ours: `made` is not shared yet
      continue;
    }
    made->items.emplace_back(std::move(key), std::move(item));
  }
  Value value;
  value.state_ = DictPtr(std::move(made));
  return value;
}

std::uint32_t Value::depth() const {
  if (const List* items = list()) return items->depth;
  if (const Dict* items = dict()) return items->depth;
  return 0;
}

std::uint32_t Value::weight() const {
  if (const List* items = list()) return items->weight;
  if (const Dict* items = dict()) return items->weight;
  return text() ? text_weight(text()->bytes()) : 1;
}

std::string_view type_name(const Value& value) {
  static constexpr std::string_view kListNames[] = {"list",      "tuple",       "generator",
                                                    "dict_keys", "dict_values", "dict_items"};
  if (value.is_none()) return "NoneType";
  if (value.undefined()) return "Undefined";
  if (value.boolean()) return "bool";
  if (value.integer()) return "int";
  if (value.floating()) return "float";
  if (value.text()) return "str";
  if (const List* list = value.list()) return kListNames[static_cast<std::size_t>(list->kind)];
  if (value.dict()) return "dict";
  if (value.names()) return "Namespace";
  if (value.macro()) return "Macro";
  if (value.cycler()) return "Cycler";
  if (value.joiner()) return "Joiner";
  if (value.loop()) return "LoopContext";
  return "function";
}

bool is_true(const Value& value) {
  if (value.is_none() || value.undefined()) return false;
  if (const bool* boolean = value.boolean()) return *boolean;
  if (const std::int64_t* integer = value.integer()) return *integer != 0;
  if (const double* number = value.floating()) return *number != 0;
  if (const TracedText* text = value.text()) return !text->empty();
  if (const List* list = value.list()) return list->kind == ListKind::kGenerator || !list->items.empty();
  if (const Dict* dict = value.dict()) return !dict->items.empty();
  return true;
}

double as_double(const Value& value) {
  if (const bool* boolean = value.boolean()) return *boolean ? 1 : 0;
  if (const std::int64_t* integer = value.integer()) return static_cast<double>(*integer);
  return *value.floating();
}

bool as_integer(const Value& value, std::int64_t& number) {
  if (const bool* boolean = value.boolean()) {
    number = *boolean ? 1 : 0;
  } else if (const std::int64_t* integer = value.integer()) {
    number = *integer;
  } else {
    return false;
  }
  return true;
}

bool equals(const Value& a, const Value& b) {
  std::int64_t left = 0, right = 0;
  if (as_integer(a, left) && as_integer(b, right)) return left == right;
  if (a.is_number() && b.is_number()) return as_double(a) == as_double(b);
  if (a.text() && b.text()) return *a.bytes() == *b.bytes();
  if (a.list() && b.list()) return a.list() == b.list() || equal_lists(*a.list(), *b.list());
  if (a.dict() && b.dict()) return a.dict() == b.dict() || equal_dicts(*a.dict(), *b.dict());
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.undefined() || b.undefined()) return a.undefined() && b.undefined();
  if (a.names() || b.names()) return a.names() == b.names();
  if (a.macro() || b.macro()) return a.macro() == b.macro();
  return false;
}

int compare(const Value& a, const Value& b, std::string_view op) {
  std::int64_t left = 0, right = 0;
  if (as_integer(a, left) && as_integer(b, right)) return left < right ? -1 : left > right ? 1 : 0;
  if (a.is_number() && b.is_number()) return order(as_double(a), as_double(b));
  if (a.text() && b.text()) return a.bytes()->compare(*b.bytes());  // bytes of UTF-8 sort like code points
  if (a.list() && b.list() && a.list()->kind == b.list()->kind) return compare_lists(*a.list(), *b.list(), op);
  if (a.undefined()) fail(a.undefined()->message);
  if (b.undefined()) fail(b.undefined()->message);
  fail(fmt::format("'{}' not supported between instances of '{}' and '{}'", op, type_name(a), type_name(b)));
}

}  // namespace headroom::jinja
