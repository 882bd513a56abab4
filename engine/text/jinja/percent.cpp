#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/jinja/error.h"
#include "text/jinja/field_text.h"
#include "text/jinja/format.h"
#include "text/jinja/text.h"

namespace headroom::jinja {

namespace {

class PercentFormat {
 public:
  PercentFormat(Runtime& runtime, const TracedText& format, const Value& values)
      : runtime_(runtime), traced_(format), format_(format.bytes()), values_(values) {
    if (values.list() && values.list()->kind == ListKind::kTuple) tuple_ = values.list();
  }

  TracedText run() {
    while (pos_ < format_.size()) {
      const std::size_t percent = std::min(format_.find('%', pos_), format_.size());
      add(traced_.part(format_.substr(pos_, percent - pos_)));
      pos_ = percent;
      if (pos_ < format_.size()) add(read_conversion());
    }
    const bool is_mapping = !tuple_ && (values_.dict() || values_.list());
    if (!is_mapping && n_used_ < (tuple_ ? tuple_->items.size() : 1))
      fail("not all arguments converted during string formatting");
    return std::move(out_);
  }

 private:
  void add(const TracedText& text) {
    runtime_.charge(text.n_bytes_held());
    out_.append(text);
  }

  char peek() const {
    if (pos_ >= format_.size()) fail("incomplete format");
    return format_[pos_];
  }

  const Value& next_value() {
    if (key_value_) return *key_value_;
    if (n_used_ >= (tuple_ ? tuple_->items.size() : 1)) fail("not enough arguments for format string");
    ++n_used_;
    return tuple_ ? tuple_->items[n_used_ - 1] : values_;
  }

  // "(name)" takes the value out of a dict.
  void read_key() {
    key_value_ = nullptr;
    if (peek() != '(') return;
    const std::size_t end = format_.find(')', pos_);
    if (end == std::string_view::npos) fail("incomplete format key");
    if (!values_.dict()) fail("format requires a mapping");
    const std::string_view key = format_.substr(pos_ + 1, end - pos_ - 1);
    key_value_ = values_.dict()->find(key);
    if (!key_value_) fail(fmt::format("'{}'", key));
    n_used_ = 1;
    pos_ = end + 1;
  }

  void read_flags(Spec& spec) {
    bool is_left = false, is_zero = false;
    for (;; ++pos_) {
      const char flag = peek();
      if (flag == '-') {
        is_left = true;
      } else if (flag == '0') {
        is_zero = true;
      } else if (flag == '#') {
        spec.alternate = true;
      } else if (flag == '+' || (flag == ' ' && spec.sign != '+')) {
        spec.sign = flag;
      } else if (flag != ' ') {
        break;
      }
    }
    if (is_left) {
      spec.align = '<';
    } else if (is_zero) {
      spec.align = '=';
      spec.fill = "0";
    }
  }

  // Digits, or "*" for the next value; nothing is `otherwise`.
  int read_number(Spec& spec, int otherwise) {
    if (peek() == '*') {
      ++pos_;
      std::int64_t number = 0;
      if (!as_integer(next_value(), number)) fail("* wants int");
      if (number < 0 && otherwise == 0) spec.align = '<';  // a negative width: to the left
      const std::uint64_t magnitude = number < 0 ? (otherwise == 0 ? ~static_cast<std::uint64_t>(number) + 1 : 0)
                                                 : static_cast<std::uint64_t>(number);
      return bounded_number(fmt::format("{}", magnitude));
    }
    const std::size_t from = pos_;
    while (peek() >= '0' && peek() <= '9') ++pos_;
    return from == pos_ ? otherwise : bounded_number(format_.substr(from, pos_ - from));
  }

  TracedText read_conversion() {
    origin_ = traced_.origin_at(pos_++);
    Spec spec;
    read_key();
    read_flags(spec);
    spec.width = static_cast<std::size_t>(read_number(spec, 0));
    if (peek() == '.') {
      ++pos_;
      spec.precision = std::max(read_number(spec, -1), 0);
    }
    if (peek() == 'h' || peek() == 'l' || peek() == 'L') ++pos_;
    const char kind = peek();
    ++pos_;
    if (kind == '%') return {"%", origin_};
    return convert(next_value(), spec, kind);
  }

  TracedText convert(const Value& value, Spec& spec, char kind) {
    switch (kind) {
      case 's':
      case 'r':
      case 'a': return as_text(first_characters(converted(runtime_, value, kind), spec.precision), spec);
      case 'c': return as_text(character_of(value), spec);
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        NumberText number = integer_text(integer_of(value, kind), spec, kind);
        if (spec.precision > 0 && number.digits.size() < static_cast<std::size_t>(spec.precision))
          number.digits.insert(0, static_cast<std::size_t>(spec.precision) - number.digits.size(), '0');
        return padded_number(std::move(number), spec, origin_);
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        if (!value.is_number()) fail(fmt::format("must be real number, not {}", type_name(value)));
        return padded_number(float_text(as_double(value), spec, kind), spec, origin_);
      default:
        fail(fmt::format("unsupported format character '{}' (0x{:x}) at index {}", kind,
                         static_cast<std::uint32_t>(static_cast<unsigned char>(kind)), pos_ - 1));
    }
  }

  // The flag 0 means nothing for texts.
  TracedText as_text(const TracedText& text, Spec& spec) const {
    spec.fill = " ";
    if (spec.align == '=') spec.align = '>';
    return padded(text, spec, '>', origin_);
  }

  TracedText character_of(const Value& value) const {
    std::int64_t number = 0;
    if (as_integer(value, number)) return code_point_text(number, origin_);
    if (!value.text() || count_characters(*value.bytes()) != 1) fail("%c requires int or char");
    return *value.text();
  }

  static std::int64_t integer_of(const Value& value, char kind) {
    std::int64_t number = 0;
    if (as_integer(value, number)) return number;
    const double* floating = value.floating();
    const bool takes_floats = kind == 'd' || kind == 'i' || kind == 'u';
    if (!floating || !takes_floats)
      fail(fmt::format("%{} format: {} is required, not {}", kind, takes_floats ? "a real number" : "an integer",
                       type_name(value)));
    if (!(std::fabs(*floating) < 9223372036854775808.0)) fail("an integer larger than 64 bits");
    return static_cast<std::int64_t>(*floating);
  }

  Runtime& runtime_;
  const TracedText& traced_;
  std::string_view format_;
  const Value& values_;
  const List* tuple_ = nullptr;
  const Value* key_value_ = nullptr;
  std::size_t pos_ = 0, n_used_ = 0;
  TextOrigin origin_ = TextOrigin::kTemplate;
  TracedText out_;
};

}  // namespace

Value format_percent(Runtime& runtime, const TracedText& format, const Value& values) {
  return runtime.text(PercentFormat(runtime, format, values).run());
}

}  // namespace headroom::jinja
