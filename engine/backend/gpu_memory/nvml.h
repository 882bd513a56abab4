// NVIDIA's management library, a part of its driver: how much of a card's memory all programs use. It is opened when
// the program runs, so that the program starts on machines without it.
#pragma once

#include <filesystem>
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

  // The use is computed as total - free - reserved, because documents conflict on whether NVML's own "used" includes
  // the reserved part. kResource names a refused call, impossible figures, or a card that is divided into instances
  // (MIG): these figures would be of all of them, and a program has one. Any thread.
  Result<DeviceUse> read(const PciAddress& card) const;

  // What the process with our id holds on a card through CUDA, its context included. Absent where NVML does not tell:
  // older libraries, a refusal, Windows' driver model. Any thread.
  std::optional<Bytes> own_bytes(const PciAddress& card) const;

  // "580.65.06"; empty where it does not tell.
  std::string driver_version() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

// Whether our id is the one that the machine knows us by. In a container with ids of its own ours is the machine's id
// of another program or of none. `process`: the kernel's folder about this one. False where it does not tell.
bool has_id_of_machine(const std::filesystem::path& process = "/proc/self");

// The same with this machine's library, or the one that HEADROOM_NVML names. It is opened at the first call and stays
// open until the process ends. own_nvml_bytes() is absent without has_id_of_machine() too. Any thread.
Result<DeviceUse> read_nvml(const PciAddress& card);
std::optional<Bytes> own_nvml_bytes(const PciAddress& card);
std::string nvml_driver_version();

}  // namespace headroom
