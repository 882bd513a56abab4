// NVIDIA's management library, which its driver brings: what a card's memory is used for by all programs. Opened when
// the program runs, so that it starts on a machine without one; knows nothing of Vulkan or CUDA.
#pragma once

#include <memory>

#include "backend/gpu_memory/memory_readings.h"
#include "backend/gpu_memory/pci_address.h"

namespace headroom {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";
inline constexpr const char* kNvmlVariable = "HEADROOM_NVML";  // names another library, a test's

class Nvml {
 public:
  // `library`: a test's own. kResource says what is missing.
  static Result<std::unique_ptr<const Nvml>> open(const char* library = kNvmlLibrary);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  // In use is what is neither free nor reserved: documents conflict on whether NVML's own "used" counts the reserved
  // part. kResource names what was refused, or figures that cannot be. Any thread.
  Result<DeviceUse> read(const PciAddress& card) const;

  // What this process holds of a card by CUDA, its context included. Absent where it is not told: an older library, a
  // refusal, Windows' driver model, or a process whose id another namespace of the kernel knows by another number.
  // Any thread.
  std::optional<Bytes> own_bytes(const PciAddress& card) const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

// By the library of this machine, or the one that HEADROOM_NVML names, which is opened when it is first asked and like
// a driver for as long as the process lasts. Any thread.
Result<DeviceUse> read_nvml(const PciAddress& card);
std::optional<Bytes> own_nvml_bytes(const PciAddress& card);

}  // namespace headroom
