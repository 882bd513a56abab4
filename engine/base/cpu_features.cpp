#include "base/cpu_features.h"

#include <fmt/format.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headroom {
namespace {

// Also absent on machines with AVX-512, which came first.
bool has_avx_vnni() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avxvnni");
#else
  return false;
#endif
}

bool is_amd() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

#if defined(__x86_64__)
// Linux keeps the 8 KiB of tile registers from processes that have not asked for them (arch_prctl's
// ARCH_REQ_XCOMP_PERM, once for all threads), and may refuse.
bool has_amx() {
  static const bool kGranted = [] {
    constexpr long kRequestPermission = 0x1023, kTileData = 18;
    return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8") &&
           syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return kGranted;
}
#endif

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kScalar: return "scalar";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvxVnni: return "avxvnni";
    case Isa::kAvx512: return "avx512";
    case Isa::kAvx512Vbmi: return "avx512vbmi";
    case Isa::kAmx: return "amx";
    case Isa::kNeon: return "neon";
  }
  return "unknown";
}

Isa detected_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vnni");
  if (avx512 && __builtin_cpu_supports("avx512vbmi")) return has_amx() ? Isa::kAmx : Isa::kAvx512Vbmi;
  if (avx512) return Isa::kAvx512;
  if (avx2 && has_avx_vnni()) return Isa::kAvxVnni;
  if (avx2) return Isa::kAvx2;
#elif defined(__aarch64__)
  // SDOT, and what the compiler may take from Armv8.1-A and 8.2-A besides.
  constexpr unsigned long kNeeded = HWCAP_ASIMD | HWCAP_ASIMDDP | HWCAP_ASIMDRDM | HWCAP_ATOMICS | HWCAP_CRC32;
  if ((getauxval(AT_HWCAP) & kNeeded) == kNeeded) return Isa::kNeon;
#endif
  return Isa::kScalar;
}

bool needs_read_ahead() { return !is_amd(); }
LabelLookUp fastest_label_look_up() {
  if (is_amd()) return LabelLookUp::kTwoRegisters;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512fp16")) return LabelLookUp::kMemory;
#endif
  return LabelLookUp::kRegister;
}

bool can_run(Isa isa) {
  if (isa == Isa::kAvxVnni && !has_avx_vnni()) return false;
  return std::find(kIsas.begin(), kIsas.end(), isa) != kIsas.end() && isa <= detected_isa();
}

Result<Isa> selected_isa() {
  const Isa best = detected_isa();
  const char* variable = std::getenv("HEADROOM_ISA");
  const std::string_view forced = variable == nullptr ? "" : variable;
  if (forced.empty()) return best;
  std::string names;
  for (const Isa isa : kIsas) {
    if (isa_name(isa) == forced) {
      if (can_run(isa)) return isa;
      return Error{ErrorCode::kUsage,
                   Message::say("HEADROOM_ISA={}: this machine cannot run it; its best is {}", forced, isa_name(best))};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", isa_name(isa));
  }
  return Error{ErrorCode::kUsage, Message::say("HEADROOM_ISA={}: expected one of {}", forced, names)};
}

}  // namespace headroom
