#include "backend/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace headroom::cuda {
namespace {

constexpr const LeastDriver& kLeast = kLeastDrivers.front();  // whatever the card

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }
// "CUDA 12.0 (525 or newer)"
Message least_words(const LeastDriver& least) {
  return Message::say("CUDA {} ({} or newer)", version_text(least.version), least.branch);
}

class Opening {
 public:
  Result<const Driver*> open() {
    const char* other = std::getenv(kDriverVariable);
    library_name_ = other != nullptr && *other != '\0' ? other : kDriverLibrary;
    // Stays open: drivers do not take well to being opened and closed again.
    library_ = dlopen(library_name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return refused(Message::say("this machine has no NVIDIA driver ({})", library_name_));
    find_all();
    // An old driver may lack functions too; people know it by its version.
    if (driver_.cuDriverGetVersion != nullptr) {
      int version = 0;
      if (const CUresult told = driver_.cuDriverGetVersion(&version); told != CUDA_SUCCESS)
        return refused(Message::say("the driver does not tell its version (error {})", told));
      if (version < kLeast.version) return refused(too_old_words(version, kLeast));
    }
    if (!missing_.empty())
      return refused(Message::say("expected a driver for {}, found one without {}", least_words(kLeast), missing_));
    if (const CUresult begun = driver_.cuInit(0); begun != CUDA_SUCCESS) {
      const char* name = nullptr;
      driver_.cuGetErrorName(begun, &name);
      return refused(Message::say("the driver cannot be started: {}",
                                  name != nullptr ? Message::plain(name) : Message::say("unknown error")));
    }
    return &driver_;
  }

 private:
  static Error refused(const Message& why) { return {ErrorCode::kUnsupported, why.said_of("CUDA")}; }

  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }

  void find_all() {
#define HEADROOM_CUDA_FUNCTION(name, ...) find(#name, driver_.name);
#include "backend/cuda/driver_functions.inl"
#undef HEADROOM_CUDA_FUNCTION
  }

  std::string library_name_;
  void* library_ = nullptr;
  Driver driver_{};
  std::string missing_;  // the first function that the library does not have
};

}  // namespace

const LeastDriver& least_driver(int major) {
  return *std::ranges::find_if(kLeastDrivers.rbegin(), kLeastDrivers.rend(),
                               [major](const LeastDriver& each) { return major >= each.first_major; });
}

Message too_old_words(int version, const LeastDriver& least) {
  return Message::say("NVIDIA's driver is for CUDA {}, the kernels here need one for {}", version_text(version),
                      least_words(least));
}

Result<const Driver*> driver() {
  static Opening opening;
  static const Result<const Driver*> opened = opening.open();
  return opened;
}

std::string result_name(CUresult result) {
  const Result<const Driver*> opened = driver();
  const char* name = nullptr;
  if (opened && (*opened)->cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return fmt::format("error {}", result);
}

// Those after which every call in the context fails, by their numbers in the API reference.
bool is_device_lost(CUresult result) {
  switch (result) {
    case 4:    // DEINITIALIZED
    case 46:   // DEVICE_UNAVAILABLE
    case 201:  // INVALID_CONTEXT
    case 214:  // ECC_UNCORRECTABLE
    case 220:  // NVLINK_UNCORRECTABLE
    case 226:  // CONTAINED
    case 700:  // ILLEGAL_ADDRESS
    case 702:  // LAUNCH_TIMEOUT
    case 709:  // CONTEXT_IS_DESTROYED
    case 710:
    case 714:
    case 715:
    case 716:
    case 717:
    case 718:               // ASSERT, HARDWARE_STACK_ERROR, ILLEGAL_INSTRUCTION, ...
    case 719:               // LAUNCH_FAILED
    case 721:               // TENSOR_MEMORY_LEAK
    case 999: return true;  // UNKNOWN
    default: return false;
  }
}

namespace {

// What this card or driver never does, by the same numbers; else it may work another time.
bool is_unsupported(CUresult result) {
  switch (result) {
    case 200:  // INVALID_IMAGE
    case 209:  // NO_BINARY_FOR_GPU
    case 218:  // INVALID_PTX
    case 222:  // UNSUPPORTED_PTX_VERSION
    case 500:  // NOT_FOUND
    case 801:  // NOT_SUPPORTED
      return true;
    default: return false;
  }
}

}  // namespace

Error driver_error(const std::string& id, const std::string& what, CUresult result) {
  const ErrorCode code = is_device_lost(result)   ? ErrorCode::kDeviceLost
                         : is_unsupported(result) ? ErrorCode::kUnsupported
                                                  : ErrorCode::kResource;
  return {code, Message::say("{}: {} failed: {}", id, what, result_name(result))};
}

}  // namespace headroom::cuda
