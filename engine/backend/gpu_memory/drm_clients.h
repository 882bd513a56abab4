// The memory that programs hold on a card, from the kernel: each open file of a DRM driver has a text with counters in
// /proc/PID/fdinfo (Linux, Documentation/gpu/drm-usage-stats.rst; keys of amdgpu, i915 and xe).
#pragma once

#include <chrono>
#include <map>
#include <mutex>

#include "backend/gpu_memory/memory_readings.h"
#include "backend/gpu_memory/pci_address.h"

namespace headroom {

// One opening of a card; a file that was duplicated or passed on is the same client.
struct DrmClient {
  PciAddress card;
  std::uint64_t id = 0;
  ClientUse use;
};

// Absent when the text is that of another kind of file, or has no counters of memory (i915 before Linux 6.8). A counter
// that is not a number is taken for absent.
std::optional<DrmClient> parse_drm_client(std::string_view fdinfo);

// The sum over this process's clients of a card; absent when no text tells. `proc` is /proc, or a test's folder.
std::optional<ClientUse> own_drm_clients(const std::filesystem::path& proc, const PciAddress& card);

// The sum over the clients of other programs whose texts this user may read: others hold at least this much. Absent
// when no text tells. Looks at every open file of this user's programs.
std::optional<ClientUse> other_drm_clients(const std::filesystem::path& proc, const PciAddress& card);

// The same, read again only when the last result is older than `kept`. Any thread.
class OtherDrmClients {
 public:
  explicit OtherDrmClients(std::chrono::milliseconds kept, std::filesystem::path proc = "/proc")
      : kept_(kept), proc_(std::move(proc)) {}
  std::optional<ClientUse> on(const PciAddress& card);

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    Clock::time_point at;
    std::optional<ClientUse> use;
  };

  const std::chrono::milliseconds kept_;
  const std::filesystem::path proc_;
  std::mutex mutex_;
  std::map<PciAddress, Seen> seen_;
};

}  // namespace headroom
