// The devices of this machine, and the backend of each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "devices/device_info.h"

namespace headroom {

// The devices of this machine for which this build has a backend: first the CPU, always; then NVIDIA's cards
// (cuda_cards()), unless HEADROOM_CUDA is 0; then the devices that Vulkan's loader shows (vulkan_cards() names the
// variables that choose among them), NVIDIA's among them once more; then the reference devices that the environment
// sets up (HEADROOM_REFERENCE_DEVICE=512MiB, or two: 512MiB,256MiB). GPUs have no proof yet (DeviceInfo::proof): who
// keeps verdicts says which do. With HEADROOM_CUDA=1 CUDA's need none. Free memory is that of the moment. n_threads: of
// the CPU; 0: one per usable core. with_software: also Vulkan drivers that compute on the CPU, which are for people who
// may name one. Opens no device. The first call in a process checks the CPU's kernels: errors as choose_isa() and
// reference_devices().
inline constexpr const char* kCudaVariable = "HEADROOM_CUDA";
Result<std::vector<DeviceInfo>> probe_devices(std::uint32_t n_threads = 0, bool with_software = false);

// The devices and drivers that probe_devices() found and cannot use, each with the reason in a sentence: "Vulkan: this
// machine has no loader ...". Those of CUDA end in "; Vulkan is used" where it has no card and Vulkan one of NVIDIA's.
std::vector<Message> refused_devices(bool with_software = false);

// The other ways in which a device's backend can do the same work: see BackendVariant (prove/prove_device.h).
std::vector<std::pair<std::string, BackendFactory>> backend_variants(const DeviceInfo& device);

// The backend of a device as probe_devices() gave it (its n_threads included). kUnsupported when the device is not
// present.
Result<std::unique_ptr<Backend>> make_backend(const DeviceInfo& device);

// make_backend() that keeps the kernels which drivers compile in `kernel_folder` for the next start of the program. The
// folder need not exist; empty: nothing is kept.
BackendFactory keeping_kernels_in(std::filesystem::path kernel_folder);

}  // namespace headroom
