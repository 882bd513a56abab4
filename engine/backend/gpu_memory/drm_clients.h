// What the kernel tells of the programs that use a card: each open file of a DRM driver has a text in /proc/PID/fdinfo
// (Linux, Documentation/gpu/drm-usage-stats.rst; keys of amdgpu, i915 and xe).
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

// Absent when the text is of another kind of file, or tells nothing of memory (i915 before Linux 6.8). A figure that is
// no number counts as not told.
std::optional<DrmClient> parse_drm_client(std::string_view fdinfo);

// What this process holds on a card, its clients together; absent when nothing tells. `proc` is /proc, or a test's.
std::optional<ClientUse> own_drm_clients(const std::filesystem::path& proc, const PciAddress& card);

// What other programs hold on a card, those of this user that let themselves be looked at: the least that others hold.
// Absent when none of them tells. Looks at every open file of this user's programs.
std::optional<ClientUse> other_drm_clients(const std::filesystem::path& proc, const PciAddress& card);

// The same, looked at anew when it is older than `kept`. Any thread.
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
