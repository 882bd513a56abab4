// What may follow "is".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/jinja/error.h"
#include "text/jinja/runtime.h"
#include "text/jinja/text.h"

namespace headroom::jinja {

namespace {

using Test = bool (*)(Runtime&, const Value&, const CallValues&);
struct TestRow {
  std::string_view name;
  Test call;
};

std::int64_t integer_of(const Value& value) {
  if (value.undefined()) fail(value.undefined()->message);
  std::int64_t number = 0;
  if (const double* floating = value.floating()) {
    number = *floating >= -9e18 && *floating <= 9e18 &&
                     *floating == static_cast<double>(static_cast<std::int64_t>(*floating))
                 ? static_cast<std::int64_t>(*floating)
                 : 1;
  } else if (!as_integer(value, number)) {
    fail(fmt::format("unsupported operand type(s) for %: '{}' and 'int'", type_name(value)));
  }
  return number;
}

const Value& only_argument(std::string_view name, const CallValues& arguments) {
  if (arguments.positional.size() != 1 || !arguments.named.empty())
    fail(fmt::format("the test '{}' takes one argument", name));
  return arguments.positional.front();
}

bool is_divisible(Runtime&, const Value& value, const CallValues& arguments) {
  const std::int64_t by = integer_of(only_argument("divisibleby", arguments));
  if (by == 0) fail("integer modulo by zero");
  return by == -1 || integer_of(value) % by == 0;
}

template <int from, int to>
bool compares(Runtime& runtime, const Value& value, const CallValues& arguments) {
  constexpr std::string_view kOp = from < 0 ? (to < 0 ? "<" : "<=") : (from > 0 ? ">" : ">=");
  runtime.step(value.weight() / 4);
  const int order = compare(value, only_argument(kOp, arguments), kOp);
  const int sign = order < 0 ? -1 : order > 0 ? 1 : 0;
  return sign >= from && sign <= to;
}

bool is_equal(Runtime& runtime, const Value& value, const CallValues& arguments) {
  runtime.step(value.weight() / 4);
  return equals(value, only_argument("equalto", arguments));
}
bool is_unequal(Runtime& runtime, const Value& value, const CallValues& arguments) {
  return !is_equal(runtime, value, arguments);
}
bool is_in(Runtime& runtime, const Value& value, const CallValues& arguments) {
  return contains(runtime, only_argument("in", arguments), value);
}
bool is_same(Runtime& runtime, const Value& value, const CallValues& arguments) {
  runtime.step(value.weight() / 4);
  const Value& other = only_argument("sameas", arguments);
  return type_name(value) == type_name(other) && equals(value, other);
}
bool is_iterable(Runtime&, const Value& value, const CallValues&) {
  return value.text() || value.list() || value.dict() || value.undefined();
}
bool is_sequence(Runtime&, const Value& value, const CallValues&) {
  return value.text() || value.dict() || value.undefined() || (value.list() && value.list()->kind <= ListKind::kTuple);
}

constexpr std::array kTests = {
    TestRow{"defined", [](Runtime&, const Value& value, const CallValues&) { return !value.undefined(); }},
    TestRow{"undefined", [](Runtime&, const Value& value, const CallValues&) { return value.undefined() != nullptr; }},
    TestRow{"none", [](Runtime&, const Value& value, const CallValues&) { return value.is_none(); }},
    TestRow{"string", [](Runtime&, const Value& value, const CallValues&) { return value.text() != nullptr; }},
    TestRow{"mapping", [](Runtime&, const Value& value, const CallValues&) { return value.dict() != nullptr; }},
    TestRow{"number", [](Runtime&, const Value& value, const CallValues&) { return value.is_number(); }},
    TestRow{"integer", [](Runtime&, const Value& value, const CallValues&) { return value.integer() != nullptr; }},
    TestRow{"float", [](Runtime&, const Value& value, const CallValues&) { return value.floating() != nullptr; }},
    TestRow{"boolean", [](Runtime&, const Value& value, const CallValues&) { return value.boolean() != nullptr; }},
    TestRow{"true",
            [](Runtime&, const Value& value, const CallValues&) { return value.boolean() && *value.boolean(); }},
    TestRow{"false",
            [](Runtime&, const Value& value, const CallValues&) { return value.boolean() && !*value.boolean(); }},
    TestRow{"callable", [](Runtime&, const Value& value,
                           const CallValues&) { return value.is_callable() || value.undefined() != nullptr; }},
    TestRow{"iterable", is_iterable},
    TestRow{"sequence", is_sequence},
    TestRow{"odd", [](Runtime&, const Value& value, const CallValues&) { return integer_of(value) % 2 != 0; }},
    TestRow{"even", [](Runtime&, const Value& value, const CallValues&) { return integer_of(value) % 2 == 0; }},
    TestRow{"lower", [](Runtime& runtime, const Value& value,
                        const CallValues&) { return is_lower(runtime.to_text(value).bytes()); }},
    TestRow{"upper", [](Runtime& runtime, const Value& value,
                        const CallValues&) { return is_upper(runtime.to_text(value).bytes()); }},
    TestRow{"escaped", [](Runtime&, const Value&, const CallValues&) { return false; }},
    TestRow{"divisibleby", is_divisible},
    TestRow{"equalto", is_equal},
    TestRow{"eq", is_equal},
    TestRow{"==", is_equal},
    TestRow{"ne", is_unequal},
    TestRow{"!=", is_unequal},
    TestRow{"lt", compares<-1, -1>},
    TestRow{"lessthan", compares<-1, -1>},
    TestRow{"<", compares<-1, -1>},
    TestRow{"le", compares<-1, 0>},
    TestRow{"<=", compares<-1, 0>},
    TestRow{"gt", compares<1, 1>},
    TestRow{"greaterthan", compares<1, 1>},
    TestRow{">", compares<1, 1>},
    TestRow{"ge", compares<0, 1>},
    TestRow{">=", compares<0, 1>},
    TestRow{"in", is_in},
    TestRow{"sameas", is_same},
};

}  // namespace

bool apply_test(Runtime& runtime, std::string_view name, const Value& input, const CallValues& arguments) {
  runtime.step();
  const auto row = std::find_if(kTests.begin(), kTests.end(), [&](const TestRow& each) { return each.name == name; });
  if (row == kTests.end()) fail(fmt::format("No test named '{}'.", name));
  return row->call(runtime, input, arguments);
}

}  // namespace headroom::jinja
