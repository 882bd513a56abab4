// The filters that go through a sequence.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/jinja/error.h"
#include "text/jinja/filter_table.h"
#include "text/jinja/print.h"
#include "text/jinja/text.h"

namespace headroom::jinja {

namespace {

// What a filter compares items by: an attribute of them, and without case unless asked otherwise.
struct KeyOf {
  Runtime& runtime;
  const Value* attribute = nullptr;
  bool case_sensitive = false;

  Value operator()(const Value& item) const {
    const bool has_path = attribute && !attribute->is_none();
    Value key = has_path ? get_path(runtime, item, *attribute) : item;
    if (!case_sensitive && key.text()) return runtime.text(to_lower(*key.text()));
    return key;
  }
};

// Puts items in a stable order by their keys. A merge sort of our own: values have no strict weak order (a NaN), which
// std::stable_sort requires.
void sort_by_key(Runtime& runtime, std::vector<std::pair<Value, Value>>& keyed, bool reverse) {
  const auto before = [&](const auto& a, const auto& b) {
    runtime.step(std::min(a.first.weight(), b.first.weight()));
    const int order = compare(a.first, b.first, "<");
    return reverse ? order > 0 : order < 0;
  };
  std::vector<std::pair<Value, Value>> merged(keyed.size());
  for (std::size_t width = 1; width < keyed.size(); width *= 2) {
    for (std::size_t from = 0; from < keyed.size(); from += 2 * width) {
      const std::size_t middle = std::min(from + width, keyed.size()), to = std::min(from + 2 * width, keyed.size());
      std::size_t left = from, right = middle;
      for (std::size_t at = from; at < to; ++at) {
        const bool takes_right = right < to && (left == middle || before(keyed[right], keyed[left]));
        merged[at] = std::move(keyed[takes_right ? right++ : left++]);
      }
    }
    keyed.swap(merged);
  }
}

std::vector<std::pair<Value, Value>> keyed_items(Runtime& runtime, const Value& input, const KeyOf& key_of) {
  std::vector<std::pair<Value, Value>> keyed;
  for (Value& item : runtime.iterate(input)) {
    Value key = key_of(item);
    keyed.emplace_back(std::move(key), std::move(item));
  }
  return keyed;
}

Value filter_first(Runtime& runtime, const Value& input, const CallValues&) {
  if (input.text() && !input.text()->empty()) return get_item(runtime, input, Value(std::int64_t{0}));
  const std::vector<Value> items = runtime.iterate(input);
  return items.empty() ? Value(Undefined{"No first item, sequence was empty."}) : items.front();
}
Value filter_last(Runtime& runtime, const Value& input, const CallValues&) {
  const std::vector<Value> items = runtime.iterate(input);
  return items.empty() ? Value(Undefined{"No last item, sequence was empty."}) : items.back();
}

Value filter_list(Runtime& runtime, const Value& input, const CallValues&) {
  return runtime.list(runtime.iterate(input));
}

Value filter_join(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("join", arguments, {"d", "attribute"});
  const TracedText separator = parameters.find(0) ? runtime.to_text(*parameters.find(0)) : TracedText();
  const Value* attribute = parameters.find(1);
  TracedText out;
  bool is_first = true;
  for (const Value& item : runtime.iterate(input)) {
    if (!is_first) {
      runtime.charge(separator.n_bytes_held());
      out.append(separator);
    }
    out.append(runtime.to_text(attribute && !attribute->is_none() ? get_path(runtime, item, *attribute) : item));
    is_first = false;
  }
  return runtime.text(std::move(out));
}

Value filter_reverse(Runtime& runtime, const Value& input, const CallValues&) {
  if (input.text()) {
    const Value step(std::int64_t{-1});
    return get_slice(runtime, input, nullptr, nullptr, &step);
  }
  std::vector<Value> items = runtime.iterate(input);
  std::reverse(items.begin(), items.end());
  return runtime.list(std::move(items), ListKind::kGenerator);
}

Value filter_sort(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  auto keyed = keyed_items(runtime, input, KeyOf{runtime, parameters.find(2), parameters.flag(1, false)});
  sort_by_key(runtime, keyed, parameters.flag(0, false));
  std::vector<Value> items;
  for (auto& [key, item] : keyed) items.push_back(std::move(item));
  return runtime.list(std::move(items));
}

Value filter_dictsort(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  if (!input.dict())
    fail(input.undefined() ? input.undefined()->message
                           : fmt::format("'{} object' has no attribute 'items'", type_name(input)));
  const std::string by = parameters.bytes(1, "key");
  if (by != "key" && by != "value") fail("You can only sort by either \"key\" or \"value\"");
  const KeyOf key_of{runtime, nullptr, parameters.flag(0, false)};
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, value] : input.dict()->items)
    keyed.emplace_back(key_of(by == "key" ? key : value), runtime.list({key, value}, ListKind::kTuple));
  sort_by_key(runtime, keyed, parameters.flag(2, false));
  std::vector<Value> items;
  for (auto& [key, item] : keyed) items.push_back(std::move(item));
  return runtime.list(std::move(items));
}

Value filter_unique(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("unique", arguments, {"case_sensitive", "attribute"});
  std::vector<Value> seen, items;
  for (auto& [key, item] : keyed_items(runtime, input, KeyOf{runtime, parameters.find(1), parameters.flag(0, false)})) {
    runtime.step(seen.size() * key.weight());
    if (std::any_of(seen.begin(), seen.end(), [&each = key](const Value& other) { return equals(other, each); }))
      continue;
    seen.push_back(key);
    items.push_back(std::move(item));
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}

Value extreme(Runtime& runtime, const Value& input, const CallValues& arguments, bool largest) {
  const Parameters parameters(largest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  const auto keyed = keyed_items(runtime, input, KeyOf{runtime, parameters.find(1), parameters.flag(0, false)});
  if (keyed.empty()) return Value(Undefined{"No aggregated item, sequence was empty."});
  const std::pair<Value, Value>* best = &keyed.front();
  for (const auto& each : keyed) {
    runtime.step(each.first.weight() / 4);
    const int order = compare(each.first, best->first, largest ? ">" : "<");
    if (largest ? order > 0 : order < 0) best = &each;
  }
  return best->second;
}
Value filter_min(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return extreme(runtime, input, arguments, false);
}
Value filter_max(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return extreme(runtime, input, arguments, true);
}

Value filter_sum(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("sum", arguments, {"attribute", "start"});
  const Value* attribute = parameters.find(0);
  Value sum = parameters.find(1) ? *parameters.find(1) : Value(std::int64_t{0});
  for (const Value& item : runtime.iterate(input)) {
    const Value term = attribute && !attribute->is_none() ? get_path(runtime, item, *attribute) : item;
    std::int64_t a = 0, b = 0, total = 0;
    if (as_integer(sum, a) && as_integer(term, b)) {
      if (__builtin_add_overflow(a, b, &total)) fail("an integer larger than 64 bits");
      sum = Value(total);
    } else if (sum.is_number() && term.is_number()) {
      sum = Value(as_double(sum) + as_double(term));
    } else {
      fail(term.undefined()
               ? term.undefined()->message
               : fmt::format("unsupported operand type(s) for +: '{}' and '{}'", type_name(sum), type_name(term)));
    }
  }
  return sum;
}

// The rest of the arguments, for the filter or test that the first one names.
CallValues without_first(const CallValues& arguments, std::size_t n_left_out) {
  CallValues rest;
  rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_left_out),
                         arguments.positional.end());
  rest.named = arguments.named;
  return rest;
}

std::string name_at(const CallValues& arguments, std::size_t index, std::string_view filter) {
  if (index >= arguments.positional.size() || !arguments.positional[index].text())
    fail(fmt::format("{}() needs a name as argument {}", filter, index + 1));
  return *arguments.positional[index].bytes();
}

Value filter_map(Runtime& runtime, const Value& input, const CallValues& arguments) {
  if (!is_true(input)) return runtime.list({}, ListKind::kGenerator);  // as Jinja: nothing, whatever it is
  std::vector<Value> items;
  if (arguments.positional.empty()) {
    const Parameters parameters("map", arguments, {"attribute", "default"});
    for (const Value& item : runtime.iterate(input)) {
      Value found = get_path(runtime, item, parameters.at(0));
      items.push_back(found.undefined() && parameters.find(1) ? *parameters.find(1) : std::move(found));
    }
  } else {
    const std::string filter = name_at(arguments, 0, "map");
    const CallValues rest = without_first(arguments, 1);
    for (const Value& item : runtime.iterate(input)) items.push_back(apply_filter(runtime, filter, item, rest));
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}

// select, reject, selectattr, rejectattr: `n_names` arguments before the test's own.
Value selected(Runtime& runtime, const Value& input, const CallValues& arguments, std::string_view name,
               bool by_attribute, bool keeps) {
  if (!is_true(input)) return runtime.list({}, ListKind::kGenerator);  // as Jinja: nothing, whatever it is
  const std::size_t test_at = by_attribute ? 1 : 0;
  if (by_attribute && arguments.positional.empty())
    fail(fmt::format("Missing parameter for attribute name in {}()", name));
  const bool has_test = arguments.positional.size() > test_at;
  const std::string test = has_test ? name_at(arguments, test_at, name) : "";
  const CallValues rest = has_test ? without_first(arguments, test_at + 1) : CallValues{};
  std::vector<Value> items;
  for (Value& item : runtime.iterate(input)) {
    const Value subject = by_attribute ? get_path(runtime, item, arguments.positional[0]) : item;
    if ((has_test ? apply_test(runtime, test, subject, rest) : is_true(subject)) == keeps)
      items.push_back(std::move(item));
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}
Value filter_select(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return selected(runtime, input, arguments, "select", false, true);
}
Value filter_reject(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return selected(runtime, input, arguments, "reject", false, false);
}
Value filter_selectattr(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return selected(runtime, input, arguments, "selectattr", true, true);
}
Value filter_rejectattr(Runtime& runtime, const Value& input, const CallValues& arguments) {
  return selected(runtime, input, arguments, "rejectattr", true, false);
}

Value filter_items(Runtime& runtime, const Value& input, const CallValues&) {
  if (input.undefined()) return runtime.list({}, ListKind::kGenerator);
  if (!input.dict()) fail("Can only get item pairs from a mapping.");
  return runtime.list(runtime.iterate(call_method(runtime, input, "items", {})), ListKind::kGenerator);
}

Value filter_batch(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("batch", arguments, {"linecount", "fill_with"});
  parameters.at(0);
  const std::int64_t n_in_batch = parameters.integer(0, 1);
  if (n_in_batch < 1) fail("batch(): 'linecount' is to be at least 1");
  std::vector<Value> batches, batch;
  for (Value& item : runtime.iterate(input)) {
    if (static_cast<std::int64_t>(batch.size()) == n_in_batch)
      batches.push_back(runtime.list(std::exchange(batch, {})));
    batch.push_back(std::move(item));
  }
  if (!batch.empty()) {
    const Value* fill = parameters.find(1);
    while (fill && !fill->is_none() && static_cast<std::int64_t>(batch.size()) < n_in_batch) {
      runtime.charge(sizeof(Value));
      runtime.step();
      batch.push_back(*fill);
    }
    batches.push_back(runtime.list(std::move(batch)));
  }
  return runtime.list(std::move(batches), ListKind::kGenerator);
}

// Columns: the items dealt out to a number of lists of nearly the same length.
Value filter_slice(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("slice", arguments, {"slices", "fill_with"});
  parameters.at(0);
  const std::vector<Value> items = runtime.iterate(input);
  const std::int64_t n_slices = parameters.integer(0, 1);
  if (n_slices < 1) fail("slice(): 'slices' is to be at least 1");
  if (static_cast<std::uint64_t>(n_slices) > runtime.limits().max_steps) runtime.step(runtime.limits().max_steps + 1);
  const auto n = static_cast<std::size_t>(n_slices), n_each = items.size() / n, n_longer = items.size() % n;
  const Value* fill = parameters.find(1);
  std::vector<Value> slices;
  auto from = items.begin();
  for (std::size_t i = 0; i < n; ++i) {
    runtime.step();
    const auto to = from + static_cast<std::ptrdiff_t>(n_each + (i < n_longer ? 1 : 0));
    std::vector<Value> slice(from, to);
    if (fill && !fill->is_none() && i >= n_longer) slice.push_back(*fill);
    slices.push_back(runtime.list(std::move(slice)));
    from = to;
  }
  return runtime.list(std::move(slices), ListKind::kGenerator);
}

Value filter_groupby(Runtime& runtime, const Value& input, const CallValues& arguments) {
  const Parameters parameters("groupby", arguments, {"attribute", "default", "case_sensitive"});
  parameters.at(0);
  auto keyed = keyed_items(runtime, input, KeyOf{runtime, parameters.find(0), parameters.flag(2, false)});
  for (auto& [key, item] : keyed)
    if (key.undefined() && parameters.find(1)) key = *parameters.find(1);
  sort_by_key(runtime, keyed, false);
  std::vector<Value> groups;
  for (std::size_t from = 0; from < keyed.size();) {
    std::vector<Value> members;
    const Value first = get_path(runtime, keyed[from].second, parameters.at(0));
    std::size_t to = from;
    for (; to < keyed.size() && equals(keyed[to].first, keyed[from].first); ++to) members.push_back(keyed[to].second);
    groups.push_back(runtime.list({first.undefined() ? keyed[from].first : first, runtime.list(std::move(members))},
                                  ListKind::kTuple));
    from = to;
  }
  return runtime.list(std::move(groups));
}

constexpr std::array kSequenceFilters = {
    FilterRow{"first", filter_first},
    FilterRow{"last", filter_last},
    FilterRow{"list", filter_list},
    FilterRow{"join", filter_join},
    FilterRow{"reverse", filter_reverse},
    FilterRow{"sort", filter_sort},
    FilterRow{"dictsort", filter_dictsort},
    FilterRow{"unique", filter_unique},
    FilterRow{"min", filter_min},
    FilterRow{"max", filter_max},
    FilterRow{"sum", filter_sum},
    FilterRow{"map", filter_map},
    FilterRow{"select", filter_select},
    FilterRow{"reject", filter_reject},
    FilterRow{"selectattr", filter_selectattr},
    FilterRow{"rejectattr", filter_rejectattr},
    FilterRow{"items", filter_items},
    FilterRow{"batch", filter_batch},
    FilterRow{"slice", filter_slice},
    FilterRow{"groupby", filter_groupby},
};

}  // namespace

std::span<const FilterRow> sequence_filters() { return kSequenceFilters; }

}  // namespace headroom::jinja
