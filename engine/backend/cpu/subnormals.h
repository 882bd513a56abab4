// Numbers too small for a float's full precision take some processors a hundred cycles each.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace headroom {

// While it lives, the f32 arithmetic of this thread reads and writes subnormal numbers as zero. Conversions from and to
// F16 stay exact.
class SubnormalsAsZero {
 public:
  SubnormalsAsZero() : before_(control()) { set_control(before_ | kFlush); }
  ~SubnormalsAsZero() { set_control(before_); }
  SubnormalsAsZero(const SubnormalsAsZero&) = delete;
  SubnormalsAsZero& operator=(const SubnormalsAsZero&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr std::uint64_t kFlush = 0x8040;  // of results, of operands
  static std::uint64_t control() { return _mm_getcsr(); }
  static void set_control(std::uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlush = 1U << 24;
  static std::uint64_t control() {
    std::uint64_t bits = 0;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
  }
  static void set_control(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
  static constexpr std::uint64_t kFlush = 0;
  static std::uint64_t control() { return 0; }
  static void set_control(std::uint64_t) {}
#endif

  std::uint64_t before_;
};

}  // namespace headroom
