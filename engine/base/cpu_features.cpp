#include "base/cpu_features.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

namespace headroom {
namespace {

constexpr std::array kAllIsas{Isa::kScalar, Isa::kAvx2, Isa::kAvx512};

// Two hardware threads of one core share its vector units and caches: the kernels gain nothing from the second.
std::string siblings_of(int cpu) {
  std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  std::string list;
  if (!std::getline(file, list)) list = fmt::format("alone {}", cpu);
  return list;
}

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kScalar: return "scalar";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
  }
  return "unknown";
}

Isa detected_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
  if (avx512) return Isa::kAvx512;
  if (avx2) return Isa::kAvx2;
#endif
  return Isa::kScalar;
}

Result<Isa> selected_isa() {
  const Isa best = detected_isa();
  const char* forced = std::getenv("HEADROOM_ISA");
  if (forced == nullptr || *forced == '\0') return best;
  for (const Isa isa : kAllIsas) {
    if (isa_name(isa) != forced) continue;
    if (isa > best) return Error{ErrorCode::kUsage, fmt::format("HEADROOM_ISA={}: this machine runs at most {}", forced, isa_name(best))};
    return isa;
  }
  return Error{ErrorCode::kUsage, fmt::format("HEADROOM_ISA={}: expected scalar, avx2 or avx512", forced)};
}

std::uint32_t usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cores.insert(siblings_of(cpu));
  }
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, cores.size()));
}

}  // namespace headroom
