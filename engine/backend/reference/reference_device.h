// A made-up device: host memory of a given size that only its backends can reach. It stands for a GPU where there is
// none, in tests and in the window.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace headroom {

// Faults that tests seed, from any thread at any time. A count n lets the n-th call from now fail, once; 0: none.
struct ReferenceFaults {
  std::atomic<std::uint32_t> map_arena = 0, submit = 0, read = 0, write = 0;
  std::atomic<std::uint32_t> lose_at_submit = 0;  // the device is lost there: see ReferenceDevice::n_losses()
  std::atomic<std::uint32_t> hang_at_submit = 0;  // from there on the device never answers, until `hangs` is taken back
  std::atomic<bool> hangs = false;
  std::atomic<Bytes> taken = 0;  // what another program holds of its memory
};

// The state that all backends of one device share: its memory and its faults. Any thread.
class ReferenceDevice {
 public:
  ReferenceDevice(std::string id, Bytes total) : id_(std::move(id)), total_(total) {}

  const std::string& id() const { return id_; }
  ReferenceFaults& faults() { return faults_; }

  // kResource names bytes asked and bytes free.
  Status reserve(Bytes bytes);
  void release(Bytes bytes);
  MemorySample sample() const;
  void resize(Bytes total);

  // A backend that was made before the last loss has lost its device for good; one that is made later works, as after a
  // driver has reset a card.
  void lose() { ++n_losses_; }
  std::uint32_t n_losses() const { return n_losses_; }

 private:
  MemorySample sample_locked() const;

  const std::string id_;
  mutable std::mutex mutex_;
  Bytes total_, used_ = 0;
  ReferenceFaults faults_;
  std::atomic<std::uint32_t> n_losses_ = 0;
};

inline constexpr const char* kReferenceVariable = "HEADROOM_REFERENCE_DEVICE";

// The devices that a setting asks for, "512MiB" or "512MiB,256MiB": reference:0, reference:1, ... with all of their
// memory free. Pure. kUsage names the variable, what it expects and what it holds.
Result<std::vector<DeviceInfo>> reference_devices(std::string_view setting);

// The one device of this id in this process, made at the first call; its size becomes `total`. It lasts as long as the
// process, as a card does.
std::shared_ptr<ReferenceDevice> shared_reference_device(const std::string& id, Bytes total);

}  // namespace headroom
