#include "support/ptx/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
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

// The sum of a product, rounded down: exact in f64 but for the last addition.
float fma_down(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, sum = product + c;
  const double lost = (std::abs(product) > std::abs(c)) ? (c - (sum - product)) : (product - (sum - c));
  auto rounded = static_cast<float>(sum);
  if (static_cast<double>(rounded) > sum || (static_cast<double>(rounded) == sum && lost < 0))
    rounded = std::nextafter(rounded, -std::numeric_limits<float>::infinity());
  return rounded;
}

Function float_function(const Instruction& code) {
  const std::string& name = code.parts[0];
  const bool flushes = code.has("ftz");
  const auto of_one = [flushes](auto f) -> Function {
    return [=](const In& in) {
      const float x = flushes ? flushed(f32(in[0])) : f32(in[0]);
      const float result = f(x);
      return bits_of(flushes ? flushed(result) : result);
    };
  };
  const auto of_two = [](auto f) -> Function {
    return [=](const In& in) { return bits_of(f(f32(in[0]), f32(in[1]))); };
  };
  if (name == "add") return of_two([](float a, float b) { return a + b; });
  if (name == "sub") return of_two([](float a, float b) { return a - b; });
  if (name == "mul") return of_two([](float a, float b) { return a * b; });
  if (name == "div" && code.has("rn")) return of_two([](float a, float b) { return a / b; });
  if (name == "min") return of_two([](float a, float b) { return std::fmin(a, b); });
  if (name == "max") return of_two([](float a, float b) { return std::fmax(a, b); });
  if (name == "copysign") return of_two([](float sign, float size) { return std::copysign(size, sign); });
  if (name == "abs") return of_one([](float x) { return std::fabs(x); });
  if (name == "neg") return of_one([](float x) { return -x; });
  if (name == "rcp") return of_one([](float x) { return 1 / x; });
  if (name == "sqrt" && code.has("rn")) return of_one([](float x) { return std::sqrt(x); });
  if (name == "ex2") return of_one([](float x) { return std::exp2(x); });
  if (name == "fma" && code.has("rn"))
    return [](const In& in) { return bits_of(std::fma(f32(in[0]), f32(in[1]), f32(in[2]))); };
  if (name == "fma" && code.has("rm"))
    return [](const In& in) { return bits_of(fma_down(f32(in[0]), f32(in[1]), f32(in[2]))); };
  return {};
}

Function integer_function(const Instruction& code, Type type) {
  const std::string& name = code.parts[0];
  const auto of_two = [type](auto f) -> Function {
    return [=](const In& in) { return low_bits(f(widened(in[0], type), widened(in[1], type)), type.bits); };
  };
  const bool is_signed = type.kind == 's';
  const auto less = [is_signed](std::uint64_t a, std::uint64_t b) {
    return is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  };
  using U = std::uint64_t;
  if (name == "add") return of_two([](U a, U b) { return a + b; });
  if (name == "sub") return of_two([](U a, U b) { return a - b; });
  if (name == "min") return of_two([less](U a, U b) { return less(a, b) ? a : b; });
  if (name == "max") return of_two([less](U a, U b) { return less(a, b) ? b : a; });
  if (name == "and") return of_two([](U a, U b) { return a & b; });
  if (name == "or") return of_two([](U a, U b) { return a | b; });
  if (name == "xor") return of_two([](U a, U b) { return a ^ b; });
  if (name == "mul" && code.has("lo")) return of_two([](U a, U b) { return a * b; });
  if (name == "mul" && code.has("wide"))
    return [type](const In& in) {
      return low_bits(widened(in[0], type) * widened(in[1], type), 2 * std::size_t{type.bits});
    };
  if (name == "mul" && code.has("hi") && type.bits == 32)
    return [type](const In& in) { return low_bits((widened(in[0], type) * widened(in[1], type)) >> 32, 32); };
  if (name == "mad" && code.has("lo"))
    return [type](const In& in) { return low_bits(in[0] * in[1] + in[2], type.bits); };
  if ((name == "div" || name == "rem") && !is_signed) {
    const bool is_rest = name == "rem";
    return of_two([is_rest](U a, U b) { return b == 0 ? ~U{0} : is_rest ? a % b : a / b; });
  }
  if (name == "neg") return [type](const In& in) { return low_bits(U{0} - in[0], type.bits); };
  if (name == "not" && type.kind == 'p') return [](const In& in) { return in[0] == 0 ? U{1} : U{0}; };
  if (name == "not") return [type](const In& in) { return low_bits(~in[0], type.bits); };
  // Shifts of all bits or more leave none of them, or signs.
  if (name == "shl")
    return [type](const In& in) {
      const U by = low_bits(in[1], 32);
      return by >= type.bits ? U{0} : low_bits(in[0] << by, type.bits);
    };
  if (name == "shr")
    return [type, is_signed](const In& in) {
      const U by = std::min<U>(low_bits(in[1], 32), is_signed ? 63 : type.bits), x = widened(in[0], type);
      if (is_signed) return low_bits(static_cast<U>(static_cast<std::int64_t>(x) >> by), type.bits);
      return by >= type.bits ? U{0} : x >> by;
    };
  if (name == "bfi")
    return [type](const In& in) {
      const U at = in[2] & 255U, n = in[3] & 255U;
      if (at >= type.bits || n == 0) return low_bits(in[1], type.bits);
      const U mask = low_bits(low_bits(~U{0}, n) << at, type.bits);
      return (low_bits(in[1], type.bits) & ~mask) | ((in[0] << at) & mask);
    };
  if (name == "prmt" && code.parts.size() == 2)
    return [](const In& in) {
      const U bytes = low_bits(in[0], 32) | in[1] << 32;
      U made = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const U selector = in[2] >> (4 * i) & 15U;
        U byte = bytes >> (8 * (selector & 7U)) & 255U;
        if ((selector & 8U) != 0) byte = (byte & 128U) != 0 ? 255U : 0U;
        made |= byte << (8 * i);
      }
      return made;
    };
  return {};
}

template <class T>
bool holds(const std::string& relation, T a, T b) {
  if (relation == "eq") return a == b;
  if (relation == "ne") return a != b;
  if (relation == "lt") return a < b;
  if (relation == "le") return a <= b;
  if (relation == "gt") return a > b;
  if (relation == "ge") return a >= b;
  throw std::runtime_error("a comparison that is not known: " + relation);
}

Function comparison(const Instruction& code, Type type) {
  const std::string relation = code.parts[1];
  if (code.parts.size() != 3) throw std::runtime_error("a comparison that is not known");
  if (type.kind != 'f')
    return [=](const In& in) {
      const std::uint64_t a = widened(in[0], type), b = widened(in[1], type);
      const bool is_true = type.kind == 's'
                               ? holds(relation, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                               : holds(relation, a, b);
      return std::uint64_t{is_true ? 1U : 0U};
    };
  return [relation](const In& in) {
    const float a = f32(in[0]), b = f32(in[1]);
    const bool are_numbers = !std::isnan(a) && !std::isnan(b);
    if (relation == "num") return std::uint64_t{are_numbers ? 1U : 0U};
    if (relation == "nan") return std::uint64_t{are_numbers ? 0U : 1U};
    // "ltu": or one of them is no number.
    if (relation.size() == 3) return std::uint64_t{!are_numbers || holds(relation.substr(0, 2), a, b) ? 1U : 0U};
    return std::uint64_t{are_numbers && holds(relation, a, b) ? 1U : 0U};
  };
}

// The float of a whole number, which is then exact or rounded to nearest.
float rounded_whole(const std::string& mode, float x) {
  if (mode == "rni") return std::nearbyint(x);
  if (mode == "rzi") return std::trunc(x);
  if (mode == "rmi") return std::floor(x);
  if (mode == "rpi") return std::ceil(x);
  throw std::runtime_error("a rounding that is not known: " + mode);
}

Function conversion(const Instruction& code) {
  const Type to = type_of(code.parts[code.parts.size() - 2]), from = type_of(code.parts.back());
  const std::string mode = code.parts.size() > 3 ? code.parts[1] : "";
  if (to.kind == 'f' && to.bits == 32 && from.kind == 'f' && from.bits == 16)
    return [](const In& in) { return bits_of(f16_to_f32(static_cast<std::uint16_t>(in[0]))); };
  if (to.kind == 'f' && to.bits == 16 && from.kind == 'f' && from.bits == 32 && mode == "rn")
    return [](const In& in) { return std::uint64_t{f32_to_f16(f32(in[0]))}; };
  if (to.kind == 'f' && from.kind == 'f' && to.bits == 32 && from.bits == 32) {
    if (mode == "sat")
      return [](const In& in) {
        const float x = f32(in[0]);
        return bits_of(x > 0 ? std::min(x, 1.0F) : 0.0F);
      };
    return [mode](const In& in) { return bits_of(rounded_whole(mode, f32(in[0]))); };
  }
  if (to.kind == 'f' && to.bits == 32 && mode == "rn")
    return [from](const In& in) {
      const std::uint64_t x = widened(in[0], from);
      return bits_of(from.kind == 's' ? static_cast<float>(static_cast<std::int64_t>(x)) : static_cast<float>(x));
    };
  if (from.kind == 'f' && from.bits == 32 && to.kind != 'f')
    return [mode, to](const In& in) {
      // Beyond its range a number becomes the nearest one within, and what is none becomes 0.
      const double x = rounded_whole(mode, f32(in[0]));
      const double most = std::ldexp(1.0, static_cast<int>(to.bits) - (to.kind == 's' ? 1 : 0)) - 1,
                   least = to.kind == 's' ? -most - 1 : 0;
      if (std::isnan(x)) return std::uint64_t{0};
      const double within = std::clamp(x, least, most);
      return low_bits(to.kind == 's' ? static_cast<std::uint64_t>(static_cast<std::int64_t>(within))
                                     : static_cast<std::uint64_t>(within),
                      to.bits);
    };
  if (to.kind != 'f' && from.kind != 'f' && mode.empty())
    return [to, from](const In& in) { return low_bits(widened(in[0], from), to.bits); };
  return {};
}

}  // namespace

Type type_of(const std::string& part) {
  if (part == "pred") return {'p', 1};
  if (part.size() < 2 || std::string("usfb").find(part.front()) == std::string::npos)
    throw std::runtime_error("a type that is not known: " + part);
  return {part.front(), static_cast<unsigned>(std::stoi(part.substr(1)))};
}

Function function_of(const Instruction& code) {
  const std::string& name = code.parts[0];
  if (name == "cvta") return [](const In& in) { return in[0]; };
  if (name == "cvt") return conversion(code);
  const Type type = type_of(code.parts.back());
  if (name == "setp") return comparison(code, type);
  if (name == "selp") return [](const In& in) { return in[2] != 0 ? in[0] : in[1]; };
  if (name == "dp4a" && code.has("s32") && code.parts.size() == 3)
    return [](const In& in) {
      auto sum = static_cast<std::uint32_t>(in[2]);
      for (unsigned i = 0; i < 4; ++i) {
        const int product =
            int{static_cast<std::int8_t>(in[0] >> (8 * i))} * static_cast<std::int8_t>(in[1] >> (8 * i));
        sum += static_cast<std::uint32_t>(product);
      }
      return std::uint64_t{sum};
    };
  if (type.kind == 'f') return type.bits == 32 ? float_function(code) : Function{};
  return integer_function(code, type);
}

}  // namespace headroom::ptx
