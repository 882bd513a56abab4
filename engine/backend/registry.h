// The devices of this machine, and the backend of each.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "plan/device_info.h"

namespace headroom {

// What this build has a backend for and finds here: the CPU always and first, then with HEADROOM_CUDA=1 NVIDIA's cards
// (see cuda_cards()), the devices that Vulkan's loader shows (see vulkan_cards() for the variables that choose among
// them), and the reference devices that the environment asks for (HEADROOM_REFERENCE_DEVICE=512MiB, or two:
// 512MiB,256MiB). Free memory is as of now. `n_threads` of the CPU; 0: one per usable core. Creates no context on any
// device. Drivers that compute on the CPU are among them only `with_software`, for those who may name one. The first
// call in a process checks the CPU's kernels: errors as choose_isa() and reference_devices().
inline constexpr const char* kCudaVariable = "HEADROOM_CUDA";
Result<std::vector<DeviceInfo>> probe_devices(std::uint32_t n_threads = 0, bool with_software = false);

// What probe_devices() looks for and cannot use, and why, a sentence each: "Vulkan: this machine has no loader ...".
std::vector<std::string> refused_devices(bool with_software = false);

// The backend of a device as probe_devices() gave it (its n_threads included). kUnsupported when the device is not
// present.
Result<std::unique_ptr<Backend>> make_backend(const DeviceInfo& device);

// make_backend() of a program that will start again: what drivers make of our kernels is kept in `kernel_folder`, which
// may not exist yet; empty: nowhere.
BackendFactory keeping_kernels_in(std::filesystem::path kernel_folder);

}  // namespace headroom
