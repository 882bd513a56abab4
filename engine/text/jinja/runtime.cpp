#include "text/jinja/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "text/jinja/error.h"
#include "text/jinja/print.h"
#include "text/jinja/text.h"
#include "text/utf8.h"

namespace headroom::jinja {

void Runtime::step(std::uint64_t n_steps) {
  n_steps_ += n_steps;
  if (stop_.stop_requested()) throw Failure{.message = "stopped", .is_stopped = true};
  if (n_steps_ > limits_.max_steps) fail_too_much(fmt::format("more than {} steps", limits_.max_steps));
}

void Runtime::charge(std::size_t n_bytes) {
  if (n_bytes > limits_.max_bytes - n_bytes_)
    fail_too_much(fmt::format("more than {} bytes of text and lists", limits_.max_bytes));
  n_bytes_ += n_bytes;
}

TracedText Runtime::to_text(const Value& value) {
  TracedText text = jinja::to_text(value, bytes_left());
  charge(text.n_bytes_held());
  return text;
}

std::vector<Value> Runtime::iterate(const Value& value) {
  std::vector<Value> items;
  if (const List* list = value.list()) {
    if (!(list->kind == ListKind::kGenerator && list->consumed)) items = list->items;
    list->consumed = true;
  } else if (const Dict* dict = value.dict()) {
    for (const auto& item : dict->items) items.push_back(item.first);
  } else if (const TracedText* text = value.text()) {
    charge(text->bytes().size() * (sizeof(Value) + sizeof(TracedText) + 64));
    for (const std::string_view character : characters(text->bytes())) items.emplace_back(text->part(character));
  } else if (!value.undefined()) {
    fail(fmt::format("'{}' object is not iterable", type_name(value)));
  }
  step(items.size());
  charge(items.size() * sizeof(Value));
  return items;
}

Parameters::Parameters(std::string_view function, const CallValues& values,
                       std::initializer_list<std::string_view> names)
    : function_(function), names_(names), values_(names.size(), nullptr) {
  if (values.positional.size() > names_.size())
    fail(fmt::format("{}() takes at most {} arguments, {} given", function_, names_.size(), values.positional.size()));
  for (std::size_t i = 0; i < values.positional.size(); ++i) values_[i] = &values.positional[i];
  for (const auto& [name, value] : values.named) {
    const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name.bytes()) - names_.begin());
    if (at == names_.size()) fail(fmt::format("{}() got an unexpected keyword argument '{}'", function_, name.bytes()));
    if (values_[at]) fail(fmt::format("{}() got multiple values for argument '{}'", function_, name.bytes()));
    values_[at] = &value;
  }
}

const Value& Parameters::at(std::size_t index) const {
  if (!values_[index]) fail(fmt::format("{}() missing the argument '{}'", function_, names_[index]));
  return *values_[index];
}

std::int64_t Parameters::integer(std::size_t index, std::int64_t otherwise) const {
  if (!values_[index]) return otherwise;
  std::int64_t number = 0;
  if (!as_integer(*values_[index], number))
    fail(fmt::format("{}(): '{}' is to be an integer, not {}", function_, names_[index], type_name(*values_[index])));
  return number;
}

TracedText Parameters::text(std::size_t index, std::string_view otherwise) const {
  if (!values_[index] || values_[index]->is_none()) return TracedText::of_template(std::string(otherwise));
  if (!values_[index]->text())
    fail(fmt::format("{}(): '{}' is to be a string, not {}", function_, names_[index], type_name(*values_[index])));
  return *values_[index]->text();
}

namespace {

// How error messages name a value's type.
std::string object_name(const Value& value) {
  return value.is_none() ? "None" : fmt::format("{} object", type_name(value));
}

Value missing_attribute(const Value& value, std::string_view name) {
  return Value(Undefined{fmt::format("'{}' has no attribute '{}'", object_name(value), name)});
}

void require_defined(const Value& value) {
  if (value.undefined()) fail(value.undefined()->message);
}

Value loop_attribute(const Value& value, std::string_view name) {
  const Loop& loop = *value.loop();
  const auto length = static_cast<std::int64_t>(loop.items->size()), index0 = static_cast<std::int64_t>(loop.index0);
  if (name == "index") return Value(index0 + 1);
  if (name == "index0") return Value(index0);
  if (name == "first") return Value(index0 == 0);
  if (name == "last") return Value(index0 + 1 == length);
  if (name == "length") return Value(length);
  if (name == "revindex") return Value(length - index0);
  if (name == "revindex0") return Value(length - index0 - 1);
  if (name == "depth") return Value(std::int64_t{loop.depth});
  if (name == "depth0") return Value(std::int64_t{loop.depth} - 1);
  if (name == "previtem")
    return index0 > 0 ? (*loop.items)[loop.index0 - 1] : Value(Undefined{"there is no previous item"});
  if (name == "nextitem")
    return index0 + 1 < length ? (*loop.items)[loop.index0 + 1] : Value(Undefined{"there is no next item"});
  return missing_attribute(value, name);
}

bool is_indexable(const List& list) { return list.kind == ListKind::kList || list.kind == ListKind::kTuple; }

struct SliceRange {
  std::int64_t from, to, step;  // half open, in the direction of step
};

SliceRange slice_range(std::int64_t length, const Value* start, const Value* stop, const Value* step) {
  const auto read = [](const Value* value, std::int64_t otherwise) {
    std::int64_t number = otherwise;
    if (value && !value->is_none() && !as_integer(*value, number)) fail("slice indices must be integers or None");
    return number;
  };
  const std::int64_t by = read(step, 1);
  if (by == 0) fail("slice step cannot be zero");
  if (by == INT64_MIN) fail("slice step out of range");
  const std::int64_t lowest = by > 0 ? 0 : -1, highest = by > 0 ? length : length - 1;
  const auto bound = [&](const Value* value, std::int64_t otherwise) {
    if (!value || value->is_none()) return otherwise;
    std::int64_t number = read(value, 0);
    if (number < 0) number = number < -length ? lowest : number + length;
    return std::clamp(number, lowest, highest);
  };
  return {bound(start, by > 0 ? lowest : highest), bound(stop, by > 0 ? highest : lowest), by};
}

template <class Visit>
void for_each_index(const SliceRange& range, std::int64_t length, Visit visit) {
  // Steps beyond the length reach at most one element, so clamping them keeps the sum far from overflow.
  const std::int64_t step = std::clamp(range.step, -length - 1, length + 1);
  for (std::int64_t i = range.from; step > 0 ? i < range.to : i > range.to; i += step)
    visit(static_cast<std::size_t>(i));
}

}  // namespace

Value get_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  require_defined(value);
  if (Namespace* names = value.names()) {
    const Value* member = names->find(name);
    return member ? *member : missing_attribute(value, name);
  }
  if (has_method(value, name)) return Value(Method{std::make_shared<const Value>(value), std::string(name)});
  if (const Dict* dict = value.dict()) {
    runtime.look_up(*dict, text_weight(name));
    if (const Value* item = dict->find(name)) return *item;
  }
  if (value.loop()) return loop_attribute(value, name);
  if (const Cycler* cycler = value.cycler(); cycler && name == "current") return cycler->items[cycler->next];
  return missing_attribute(value, name);
}

Value get_item(Runtime& runtime, const Value& value, const Value& key) {
  require_defined(value);
  std::int64_t index = 0;
  const bool is_index = as_integer(key, index);
  if (const Dict* dict = value.dict()) {
    runtime.look_up(*dict, key.weight());
    if (const Value* item = dict->find(key)) return *item;
  } else if (const List* list = value.list(); list && is_index && is_indexable(*list)) {
    const auto length = static_cast<std::int64_t>(list->items.size());
    if (index < 0) index += length;
    if (index >= 0 && index < length) return list->items[static_cast<std::size_t>(index)];
  } else if (const TracedText* text = value.text(); text && is_index) {
    runtime.scan(text->bytes().size());
    const std::string_view bytes = text->bytes();
    const auto length = static_cast<std::int64_t>(count_characters(bytes));
    if (index < 0) index += length;
    if (index >= 0 && index < length) {
      const std::string_view rest = bytes.substr(bytes_of_characters(bytes, static_cast<std::size_t>(index)));
      return runtime.text(text->part(rest.substr(0, bytes_of_characters(rest, 1))));
    }
  }
  if (const std::string* name = key.bytes()) {
    if (value.dict() && !has_method(value, *name)) return missing_attribute(value, *name);
    return get_attribute(runtime, value, *name);
  }
  return Value(
      Undefined{fmt::format("{} has no element {}", object_name(value), to_repr(key, runtime.bytes_left()).bytes())});
}

Value get_path(Runtime& runtime, const Value& value, const Value& path) {
  const TracedText* text = path.text();
  if (!text) return get_item(runtime, value, path);
  Value at = value;
  runtime.scan(text->bytes().size());
  split_at(text->bytes(), ".", -1, false, [&](std::string_view part) {
    runtime.step();
    std::int64_t index = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index =
        !part.empty() && read.ec == std::errc() && read.ptr == part.data() + part.size() && part[0] != '-';
    at = get_item(runtime, at, is_index ? Value(index) : Value(text->part(part)));
  });
  return at;
}

Value get_slice(Runtime& runtime, const Value& value, const Value* start, const Value* stop, const Value* step) {
  require_defined(value);
  if (const TracedText* text = value.text()) {
    const std::string_view bytes = text->bytes();
    runtime.scan(bytes.size());
    const auto n_characters = static_cast<std::int64_t>(count_characters(bytes));
    const SliceRange range = slice_range(n_characters, start, stop, step);
    TracedText out;
    if (range.step == 1 && range.to > range.from) {
      const std::string_view rest = bytes.substr(bytes_of_characters(bytes, static_cast<std::size_t>(range.from)));
      const auto n_kept = static_cast<std::size_t>(range.to - range.from);
      out = text->part(rest.substr(0, bytes_of_characters(rest, n_kept)));
    } else if (range.step != 1) {
      runtime.charge(static_cast<std::size_t>(n_characters) * sizeof(std::string_view));
      const Characters each = characters(bytes);
      std::vector<std::string_view> all;
      all.reserve(static_cast<std::size_t>(n_characters));
      all.assign(each.begin(), each.end());
      for_each_index(range, n_characters, [&](std::size_t i) { out.append_part(*text, all[i]); });
    }
    return runtime.text(std::move(out));
  }
  const List* list = value.list();
  if (!list || !is_indexable(*list))
    return Value(Undefined{fmt::format("{} has no element slice", object_name(value))});
  const auto length = static_cast<std::int64_t>(list->items.size());
  std::vector<Value> items;
  for_each_index(slice_range(length, start, stop, step), length,
                 [&](std::size_t i) { items.push_back(list->items[i]); });
  runtime.step(items.size() / 8);
  return runtime.list(std::move(items), list->kind);
}

std::string_view strip_text(Runtime& runtime, std::string_view text, std::string_view set, bool left, bool right) {
  if (set.size() > 64) runtime.step(text.size() / 64 * set.size());
  const std::string_view rest = stripped(text, set, left, right);
  runtime.scan(text.size() - rest.size());
  return rest;
}

std::int64_t length_of(const Value& value) {
  if (const std::string* text = value.bytes()) return static_cast<std::int64_t>(count_characters(*text));
  if (const List* list = value.list(); list && list->kind != ListKind::kGenerator)
    return static_cast<std::int64_t>(list->items.size());
  if (const Dict* dict = value.dict()) return static_cast<std::int64_t>(dict->items.size());
  if (value.undefined()) return 0;
  fail(fmt::format("object of type '{}' has no len()", type_name(value)));
}

bool contains(Runtime& runtime, const Value& container, const Value& item) {
  if (const std::string* text = container.bytes()) {
    if (!item.text()) fail(fmt::format("'in <string>' requires string as left operand, not {}", type_name(item)));
    runtime.search(text->size(), item.bytes()->size());
    return text->find(*item.bytes()) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) {
    runtime.step(dict->weight / 4);
    runtime.look_up(*dict, item.weight());
    return dict->find(item) != nullptr;
  }
  if (!container.list() && !container.undefined())
    fail(fmt::format("argument of type '{}' is not iterable", type_name(container)));
  runtime.step(container.weight() / 4);
  const std::vector<Value> items = runtime.iterate(container);
  return std::any_of(items.begin(), items.end(), [&](const Value& each) { return equals(each, item); });
}

}  // namespace headroom::jinja
