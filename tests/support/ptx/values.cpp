#include "support/ptx/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "format/decode.h"

namespace headroom::ptx {
namespace {

using In = std::array<std::uint64_t, 4>;

float f32(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

// As a signed or unsigned number of its type, in 64 bits.
std::uint64_t widened(std::uint64_t value, Type type) {
  return type.kind == 's' ? sign_extended(value, type.bits) : low_bits(value, type.bits);
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

// sum + lost, where an addition in f64 has lost that, as the nearest f32 that does not lie beyond it, seen from
// `towards`.
float rounded(double sum, double lost, float towards) {
  const auto nearest = static_cast<float>(sum);
  const double beyond = (static_cast<double>(nearest) - sum) - lost;
  const bool is_above = towards < nearest;
  return (is_above && beyond > 0) || (towards > nearest && beyond < 0) ? std::nextafter(nearest, towards) : nearest;
}

// Exact in f64 but for the last addition.
float fma_down(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, sum = product + c;
  const double lost = (std::abs(product) > std::abs(c)) ? (c - (sum - product)) : (product - (sum - c));
  return rounded(sum, lost, -std::numeric_limits<float>::infinity());
}
float add_towards_zero(float a, float b) {
  const double larger = std::abs(a) > std::abs(b) ? a : b, smaller = std::abs(a) > std::abs(b) ? b : a,
               sum = larger + smaller;
  return rounded(sum, smaller - (sum - larger), 0);
}

Function float_function(const std::string& form) {
  const auto of_one = [](auto f) { return Function{1, [=](const In& in) { return bits_of(f(f32(in[0]))); }}; };
  const auto of_one_flushed = [](auto f) {
    return Function{1, [=](const In& in) { return bits_of(flushed(f(flushed(f32(in[0]))))); }};
  };
  const auto of_two = [](auto f) {
    return Function{2, [=](const In& in) { return bits_of(f(f32(in[0]), f32(in[1]))); }};
  };
  const auto of_three = [](auto f) {
    return Function{3, [=](const In& in) { return bits_of(f(f32(in[0]), f32(in[1]), f32(in[2]))); }};
  };
  if (form == "add") return of_two([](float a, float b) { return a + b; });
  if (form == "add.rz") return of_two(add_towards_zero);
  if (form == "sub") return of_two([](float a, float b) { return a - b; });
  if (form == "mul") return of_two([](float a, float b) { return a * b; });
  if (form == "div.rn") return of_two([](float a, float b) { return a / b; });
  if (form == "min") return of_two([](float a, float b) { return std::fmin(a, b); });
  if (form == "max") return of_two([](float a, float b) { return std::fmax(a, b); });
  if (form == "copysign") return of_two([](float sign, float size) { return std::copysign(size, sign); });
  if (form == "abs") return of_one([](float x) { return std::fabs(x); });
  if (form == "neg") return of_one([](float x) { return -x; });
  if (form == "rcp.rn") return of_one([](float x) { return 1 / x; });
  if (form == "rcp.approx.ftz") return of_one_flushed([](float x) { return 1 / x; });
  if (form == "sqrt.rn") return of_one([](float x) { return std::sqrt(x); });
  if (form == "ex2.approx.ftz") return of_one_flushed([](float x) { return std::exp2(x); });
  if (form == "fma.rn") return of_three([](float a, float b, float c) { return std::fma(a, b, c); });
  if (form == "fma.rm") return of_three(fma_down);
  return {};
}

Function shift(Type type, bool is_left) {
  // Shifts of all bits or more leave none of them, or signs.
  if (is_left)
    return {2, [type](const In& in) {
              const std::uint64_t by = low_bits(in[1], 32);
              return by >= type.bits ? 0 : low_bits(in[0] << by, type.bits);
            }};
  return {2, [type](const In& in) {
            const std::uint64_t by = low_bits(in[1], 32), x = widened(in[0], type);
            if (type.kind != 's') return by >= type.bits ? 0 : x >> by;
            const std::uint64_t most = type.bits - 1;
            return low_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> std::min(by, most)), type.bits);
          }};
}

// The lowest in[3] bits of in[0] at bit in[2] of in[1].
Function bits_inserted(Type type) {
  return {4, [type](const In& in) {
            const std::uint64_t at = in[2] & 255U, n = in[3] & 255U;
            if (at >= type.bits || n == 0) return low_bits(in[1], type.bits);
            const std::uint64_t mask = low_bits(low_bits(~std::uint64_t{0}, n) << at, type.bits);
            return (low_bits(in[1], type.bits) & ~mask) | ((in[0] << at) & mask);
          }};
}

Function bytes_chosen() {
  return {3, [](const In& in) {
            const std::uint64_t bytes = low_bits(in[0], 32) | in[1] << 32;
            std::uint64_t made = 0;
            for (unsigned i = 0; i < 4; ++i) {
              const std::uint64_t selector = in[2] >> (4 * i) & 15U;
              std::uint64_t byte = bytes >> (8 * (selector & 7U)) & 255U;
              if ((selector & 8U) != 0) byte = (byte & 128U) != 0 ? 255U : 0U;
              made |= byte << (8 * i);
            }
            return made;
          }};
}

Function integer_function(const std::string& form, Type type) {
  using U = std::uint64_t;
  const auto of_two = [type](auto f) {
    return Function{2,
                    [=](const In& in) { return low_bits(f(widened(in[0], type), widened(in[1], type)), type.bits); }};
  };
  const bool is_signed = type.kind == 's';
  const auto less = [is_signed](U a, U b) {
    return is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  };
  if (form == "add") return of_two([](U a, U b) { return a + b; });
  if (form == "sub") return of_two([](U a, U b) { return a - b; });
  if (form == "min") return of_two([less](U a, U b) { return less(a, b) ? a : b; });
  if (form == "max") return of_two([less](U a, U b) { return less(a, b) ? b : a; });
  if (form == "and") return of_two([](U a, U b) { return a & b; });
  if (form == "or") return of_two([](U a, U b) { return a | b; });
  if (form == "xor") return of_two([](U a, U b) { return a ^ b; });
  if (form == "mul.lo") return of_two([](U a, U b) { return a * b; });
  if (form == "mul.hi" && type.bits == 32) return of_two([](U a, U b) { return (a * b) >> 32; });
  if (form == "mul.wide" && type.bits < 64)
    return {2, [type](const In& in) {
              return low_bits(widened(in[0], type) * widened(in[1], type), 2 * std::size_t{type.bits});
            }};
  if (form == "mad.lo") return {3, [type](const In& in) { return low_bits(in[0] * in[1] + in[2], type.bits); }};
  if (form == "div" && !is_signed) return of_two([](U a, U b) { return b == 0 ? ~U{0} : a / b; });
  if (form == "rem" && !is_signed) return of_two([](U a, U b) { return b == 0 ? ~U{0} : a % b; });
  if (form == "neg") return {1, [type](const In& in) { return low_bits(U{0} - in[0], type.bits); }};
  if (form == "not") return {1, [type](const In& in) { return low_bits(~in[0], type.bits); }};
  if (form == "shl") return shift(type, true);
  if (form == "shr") return shift(type, false);
  if (form == "bfi") return bits_inserted(type);
  if (form == "prmt" && type.bits == 32) return bytes_chosen();
  return {};
}

// How two numbers can stand to each other, as bits: a comparison is true for some of them.
constexpr unsigned kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;

template <class T>
unsigned order_of(T a, T b) {
  return a < b ? kLess : a > b ? kGreater : a == b ? kEqual : kUnordered;
}

// 0: not known. "ltu" is "lt", or one of them is no number.
unsigned relation_of(const std::string& name, bool is_float) {
  static const std::map<std::string, unsigned> kRelations = {{"eq", kEqual},   {"ne", kLess | kGreater},
                                                             {"lt", kLess},    {"le", kLess | kEqual},
                                                             {"gt", kGreater}, {"ge", kGreater | kEqual}};
  if (is_float && name == "num") return kLess | kEqual | kGreater;
  if (is_float && name == "nan") return kUnordered;
  const bool is_unordered = is_float && name.size() == 3 && name.back() == 'u';
  const auto found = kRelations.find(is_unordered ? name.substr(0, 2) : name);
  if (found == kRelations.end()) return 0;
  return found->second | (is_unordered ? kUnordered : 0);
}

Function comparison(const Instruction& code, Type type) {
  const unsigned relation = code.parts.size() == 3 ? relation_of(code.parts[1], type.kind == 'f') : 0;
  if (relation == 0 || (type.kind == 'f' && type.bits != 32) || type.kind == 'p')
    throw std::runtime_error("a comparison that is not known");
  return {2, [relation, type](const In& in) {
            if (type.kind == 'f') return std::uint64_t{(order_of(f32(in[0]), f32(in[1])) & relation) != 0 ? 1U : 0U};
            const std::uint64_t a = widened(in[0], type), b = widened(in[1], type);
            const unsigned order = type.kind == 's'
                                       ? order_of(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                                       : order_of(a, b);
            return std::uint64_t{(order & relation) != 0 ? 1U : 0U};
          }};
}

using Rounding = float (*)(float);

// To a whole number; none: not known.
Rounding rounding_of(const std::string& form) {
  if (form == "cvt.rni") return [](float x) { return std::nearbyint(x); };
  if (form == "cvt.rzi") return [](float x) { return std::trunc(x); };
  if (form == "cvt.rmi") return [](float x) { return std::floor(x); };
  if (form == "cvt.rpi") return [](float x) { return std::ceil(x); };
  return nullptr;
}

// Beyond its range a number becomes the nearest one within, and what is none becomes 0.
std::uint64_t whole_number(double x, Type to) {
  const double most = std::ldexp(1.0, static_cast<int>(to.bits) - (to.kind == 's' ? 1 : 0)) - 1,
               least = to.kind == 's' ? -most - 1 : 0;
  if (std::isnan(x)) return 0;
  const double within = std::clamp(x, least, most);
  return low_bits(to.kind == 's' ? static_cast<std::uint64_t>(static_cast<std::int64_t>(within))
                                 : static_cast<std::uint64_t>(within),
                  to.bits);
}

Function conversion(const Instruction& code) {
  const Type to = type_of(code.parts[code.parts.size() - 2]), from = type_of(code.parts.back());
  const std::string form = code.form(2);
  const Rounding rounding = rounding_of(form);
  const auto is_float = [](Type type, unsigned bits) { return type.kind == 'f' && type.bits == bits; };
  const auto is_whole = [](Type type) { return type.kind == 'u' || type.kind == 's'; };
  if (is_float(to, 32) && is_float(from, 16) && form == "cvt")
    return {1, [](const In& in) { return bits_of(f16_to_f32(static_cast<std::uint16_t>(in[0]))); }};
  if (is_float(to, 16) && is_float(from, 32) && form == "cvt.rn")
    return {1, [](const In& in) { return std::uint64_t{f32_to_f16(f32(in[0]))}; }};
  if (is_float(to, 32) && is_float(from, 32) && form == "cvt.sat")
    return {1, [](const In& in) {
              const float x = f32(in[0]);
              return bits_of(x > 0 ? std::min(x, 1.0F) : 0.0F);
            }};
  if (is_float(to, 32) && is_float(from, 32) && rounding != nullptr)
    return {1, [rounding](const In& in) { return bits_of(rounding(f32(in[0]))); }};
  if (is_float(to, 32) && is_whole(from) && form == "cvt.rn")
    return {
        1, [from](const In& in) {
          const std::uint64_t x = widened(in[0], from);
          return bits_of(from.kind == 's' ? static_cast<float>(static_cast<std::int64_t>(x)) : static_cast<float>(x));
        }};
  if (is_whole(to) && to.bits <= 32 && is_float(from, 32) && rounding != nullptr)
    return {1, [rounding, to](const In& in) { return whole_number(rounding(f32(in[0])), to); }};
  if (is_whole(to) && is_whole(from) && form == "cvt")
    return {1, [to, from](const In& in) { return low_bits(widened(in[0], from), to.bits); }};
  return {};
}

}  // namespace

Type type_of(const std::string& part) {
  if (part == "pred") return {'p', 1};
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    for (const char kind : {'u', 's', 'f', 'b'}) {
      if ((kind != 'f' || bits > 8) && part == kind + std::to_string(bits)) return {kind, bits};
    }
  }
  throw std::runtime_error("a type that is not known: " + part);
}

Function function_of(const Instruction& code) {
  const std::string& name = code.parts[0];
  const std::string form = code.form();
  for (const char* space : {"global", "shared"}) {
    // An address is the same everywhere: of shared memory it is small, and no other memory is there.
    if ((form == std::string("cvta.") + space || form == std::string("cvta.to.") + space) && code.parts.back() == "u64")
      return {1, [](const In& in) { return in[0]; }};
  }
  if (code.form(0) == "cvt.rn.f16x2.f32") {  // the first is the upper half
    return {2, [](const In& in) { return std::uint64_t{f32_to_f16(f32(in[0]))} << 16 | f32_to_f16(f32(in[1])); }};
  }
  if (name == "cvt" && code.parts.size() > 2) return conversion(code);
  const Type type = type_of(code.parts.back());
  if (name == "setp") return comparison(code, type);
  if (form == "selp") return {3, [](const In& in) { return in[2] != 0 ? in[0] : in[1]; }};
  if (form == "dp4a.s32" && type.kind == 's')
    return {3, [](const In& in) {
              auto sum = static_cast<std::uint32_t>(in[2]);
              for (unsigned i = 0; i < 4; ++i) {
                const int product =
                    int{static_cast<std::int8_t>(in[0] >> (8 * i))} * static_cast<std::int8_t>(in[1] >> (8 * i));
                sum += static_cast<std::uint32_t>(product);
              }
              return std::uint64_t{sum};
            }};
  if (type.kind == 'f') return type.bits == 32 ? float_function(form) : Function{};
  return integer_function(form, type);
}

}  // namespace headroom::ptx
