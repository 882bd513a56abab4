// Arithmetic as Python has it, over 64-bit integers.
#include "text/jinja/operators.h"

#include <fmt/format.h>

#include <cmath>

#include "text/jinja/error.h"
#include "text/jinja/format.h"

namespace headroom::jinja {

namespace {

[[noreturn]] void fail_too_large() { fail("an integer larger than 64 bits"); }

[[noreturn]] void fail_unsupported(std::string_view op, const Value& a, const Value& b) {
  if (a.undefined()) fail(a.undefined()->message);
  if (b.undefined()) fail(b.undefined()->message);
  if (op == "+" && (a.text() || a.list()))
    fail(fmt::format("can only concatenate {0} (not \"{1}\") to {0}", type_name(a), type_name(b)));
  fail(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", op == "**" ? "** or pow()" : op, type_name(a),
                   type_name(b)));
}

Value power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) fail("0.0 cannot be raised to a negative power");
    return Value(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  std::int64_t result = 1;
  while (exponent > 0) {  // by squaring: at most 63 rounds
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) fail_too_large();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) fail_too_large();
  }
  return Value(result);
}

// Division that rounds down and a remainder with the divisor's sign.
Value floor_divide(std::int64_t a, std::int64_t b, bool remainder) {
  if (b == 0) fail(remainder ? "integer modulo by zero" : "integer division or modulo by zero");
  if (b == -1) {
    if (remainder) return Value(std::int64_t{0});
    if (a == INT64_MIN) fail_too_large();
    return Value(-a);
  }
  const std::int64_t quotient = a / b, rest = a % b;
  const bool rounds_up = rest != 0 && (rest < 0) != (b < 0);
  return Value(remainder ? (rounds_up ? rest + b : rest) : (rounds_up ? quotient - 1 : quotient));
}

Value integers(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+"   ? __builtin_add_overflow(a, b, &result)
      : op == "-" ? __builtin_sub_overflow(a, b, &result)
                  : op == "*" && __builtin_mul_overflow(a, b, &result))
    fail_too_large();
  if (op == "+" || op == "-" || op == "*") return Value(result);
  if (op == "//" || op == "%") return floor_divide(a, b, op == "%");
  if (op == "**") return power(a, b);
  if (b == 0) fail("division by zero");
  return Value(static_cast<double>(a) / static_cast<double>(b));
}

Value floats(std::string_view op, double a, double b) {
  if (op == "+") return Value(a + b);
  if (op == "-") return Value(a - b);
  if (op == "*") return Value(a * b);
  if (op == "**") return Value(std::pow(a, b));
  if (b == 0) fail(op == "/" ? "float division by zero" : op == "//" ? "float floor division by zero" : "float modulo");
  if (op == "/") return Value(a / b);
  if (op == "//") return Value(std::floor(a / b));
  const double rest = std::fmod(a, b);
  return Value(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

// "ab" * 3, [x] * 3: charged before it is made.
Value repeated(Runtime& runtime, const Value& value, std::int64_t count) {
  const std::uint64_t times = count > 0 ? static_cast<std::uint64_t>(count) : 0;
  const std::size_t unit = value.text() ? value.text()->n_bytes_held() : value.list()->items.size() * sizeof(Value);
  if (unit != 0 && times > runtime.bytes_left() / unit) runtime.charge(runtime.bytes_left() + 1);
  if (const TracedText* text = value.text()) {
    TracedText out;
    for (std::uint64_t i = 0; unit != 0 && i < times; ++i) out.append(*text);
    return runtime.text(std::move(out));
  }
  std::vector<Value> items;
  for (std::uint64_t i = 0; unit != 0 && i < times; ++i)
    items.insert(items.end(), value.list()->items.begin(), value.list()->items.end());
  return runtime.list(std::move(items), value.list()->kind);
}

bool is_sequence(const Value& value) {
  return value.text() || (value.list() && value.list()->kind <= ListKind::kTuple);
}

}  // namespace

Value binary(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  std::int64_t left = 0, right = 0;
  if (op == "%" && a.text()) return format_percent(runtime, *a.text(), b);
  if (as_integer(a, left) && as_integer(b, right)) return integers(op, left, right);
  if (a.is_number() && b.is_number()) return floats(op, as_double(a), as_double(b));
  if (op == "+" && a.text() && b.text()) {
    TracedText both = *a.text();
    both.append(*b.text());
    return runtime.text(std::move(both));
  }
  if (op == "+" && is_sequence(a) && a.list() && b.list() && a.list()->kind == b.list()->kind) {
    std::vector<Value> items = a.list()->items;
    items.insert(items.end(), b.list()->items.begin(), b.list()->items.end());
    runtime.step(items.size() / 8);
    return runtime.list(std::move(items), a.list()->kind);
  }
  if (op == "*" && is_sequence(a) && as_integer(b, right)) return repeated(runtime, a, right);
  if (op == "*" && is_sequence(b) && as_integer(a, left)) return repeated(runtime, b, left);
  fail_unsupported(op, a, b);
}

Value negative(const Value& value) {
  std::int64_t number = 0;
  if (as_integer(value, number)) {
    if (number == INT64_MIN) fail_too_large();
    return Value(-number);
  }
  if (value.floating()) return Value(-*value.floating());
  fail(value.undefined() ? value.undefined()->message
                         : fmt::format("bad operand type for unary -: '{}'", type_name(value)));
}

Value positive(const Value& value) {
  std::int64_t number = 0;
  if (as_integer(value, number)) return Value(number);
  if (value.floating()) return value;
  fail(value.undefined() ? value.undefined()->message
                         : fmt::format("bad operand type for unary +: '{}'", type_name(value)));
}

bool compare_by(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  if (op == "in") return contains(runtime, b, a);
  if (op == "not in") return !contains(runtime, b, a);
  runtime.step(std::min(a.weight(), b.weight()) / 4);
  if (op == "==") return equals(a, b);
  if (op == "!=") return !equals(a, b);
  const bool has_nan = (a.floating() && std::isnan(*a.floating())) || (b.floating() && std::isnan(*b.floating()));
  const int order = compare(a, b, op);
  if (has_nan) return false;
  return op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0;
}

}  // namespace headroom::jinja
