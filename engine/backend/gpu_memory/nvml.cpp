#include "backend/gpu_memory/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

namespace headroom {
namespace {

using NvmlDevice = struct NvmlDeviceHandle*;

// nvmlMemory_v2_t of NVIDIA's API reference; who asks sets the version.
struct NvmlMemory {
  unsigned version = 0;
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};
static_assert(sizeof(NvmlMemory) == 40);
constexpr unsigned kMemoryVersion = sizeof(NvmlMemory) | 2U << 24;

// nvmlProcessInfo_t, of version 3 of the call that lists them.
struct NvmlProcess {
  unsigned pid = 0;
  unsigned long long bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};
static_assert(sizeof(NvmlProcess) == 24);
constexpr unsigned long long kNotAvailable = ~0ULL;
constexpr std::size_t kUsualProcesses = 32, kMostProcesses = 65536;

constexpr int kSuccess = 0, kInsufficientSize = 7;

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  bool is_initialized = false;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_pci)(const char*, NvmlDevice*) = nullptr;
  int (*memory_info)(NvmlDevice, NvmlMemory*) = nullptr;
  // Null: an older library.
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*processes)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned* current, unsigned* pending) = nullptr;

  // Whether the card is divided into instances, of which a program has one (MIG). Cards without that answer with an
  // error.
  bool is_divided(NvmlDevice device) const {
    unsigned current = 0, pending = 0;
    return mig_mode != nullptr && mig_mode(device, &current, &pending) == kSuccess && current != 0;
  }

  // False when the library is older than the function.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() {
  if (functions_->is_initialized) functions_->shutdown();
  if (functions_->library != nullptr) dlclose(functions_->library);
}

Result<std::unique_ptr<const Nvml>> Nvml::open(const char* library) {
  const auto refused = [](const Message& why) { return Error{ErrorCode::kResource, why.said_of("NVML")}; };
  std::unique_ptr<Nvml> nvml(new Nvml(std::make_unique<Functions>()));  // NOLINT: the constructor is private
  Functions& functions = *nvml->functions_;
  functions.library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (functions.library == nullptr)
    return refused(Message::say("{} is not on this machine", std::string_view(library)));
  const bool is_whole = functions.find("nvmlInit_v2", functions.init) &&
                        functions.find("nvmlShutdown", functions.shutdown) &&
                        functions.find("nvmlDeviceGetHandleByPciBusId_v2", functions.device_by_pci) &&
                        functions.find("nvmlDeviceGetMemoryInfo_v2", functions.memory_info);
  if (!is_whole)
    return refused(Message::say("{} is older than the functions that are asked for", std::string_view(library)));
  if (const int result = functions.init(); result != kSuccess)
    return refused(Message::say("it could not be opened (error {})", result));
  functions.is_initialized = true;
  functions.find("nvmlDeviceGetComputeRunningProcesses_v3", functions.processes);
  functions.find("nvmlSystemGetDriverVersion", functions.driver_version);
  functions.find("nvmlDeviceGetMigMode", functions.mig_mode);
  return std::unique_ptr<const Nvml>(std::move(nvml));
}

Result<DeviceUse> Nvml::read(const PciAddress& card) const {
  const auto refused = [&](int result) {
    return Error{ErrorCode::kResource, Message::say("NVML tells nothing of {} (error {})", pci_text(card), result)};
  };
  NvmlDevice device = nullptr;
  if (const int result = functions_->device_by_pci(pci_text(card).c_str(), &device); result != kSuccess)
    return refused(result);
  if (functions_->is_divided(device)) {
    return Error{ErrorCode::kResource,
                 Message::say("NVML: {} is divided into instances (MIG), and what is in use is told of all together",
                              pci_text(card))};
  }
  NvmlMemory memory;
  memory.version = kMemoryVersion;
  if (const int result = functions_->memory_info(device, &memory); result != kSuccess) return refused(result);
  if (memory.reserved > memory.total || memory.free > memory.total - memory.reserved) {
    return Error{ErrorCode::kResource,
                 Message::say("NVML: expected reserved and free memory within the total of {}, found {} and {}",
                              amount(memory.total), amount(memory.reserved), amount(memory.free))};
  }
  const Bytes total = memory.total - memory.reserved;
  return DeviceUse{total, total - memory.free, "NVML"};
}

std::string Nvml::driver_version() const {
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  if (functions_->driver_version == nullptr) return {};
  const int result = functions_->driver_version(text.data(), static_cast<unsigned>(text.size()) - 1);
  return result == kSuccess ? text.data() : std::string();
}

std::optional<Bytes> Nvml::own_bytes(const PciAddress& card) const {
  NvmlDevice device = nullptr;
  if (functions_->processes == nullptr || functions_->device_by_pci(pci_text(card).c_str(), &device) != kSuccess)
    return std::nullopt;
  std::vector<NvmlProcess> all(kUsualProcesses);
  unsigned n = 0;
  int result = kInsufficientSize;
  // Programs may begin between two calls.
  while (result == kInsufficientSize && all.size() <= kMostProcesses) {
    n = static_cast<unsigned>(all.size());
    result = functions_->processes(device, &n, all.data());
    if (result == kInsufficientSize) all.resize(all.size() * 2);
  }
  if (result != kSuccess || n > all.size()) return std::nullopt;
  all.resize(n);
  std::optional<Bytes> own;
  for (const NvmlProcess& process : all) {
    if (process.pid != static_cast<unsigned>(getpid())) continue;
    if (process.bytes == kNotAvailable) return std::nullopt;
    own = own.value_or(0) + process.bytes;  // of each instance that the card is divided into
  }
  return own;
}

// The link names the namespace of our id: "pid:[4026531836]" is the machine's own (PROC_PID_INIT_INO of
// include/linux/proc_ns.h, the same in every kernel since 3.8). NSpid in the process's status does not tell: where a
// container mounts /proc itself, as they do, it has one number there as well.
bool has_id_of_machine(const std::filesystem::path& process) {
  constexpr std::string_view kMachine = "pid:[4026531836]";
  std::error_code failed;
  return std::filesystem::read_symlink(process / "ns" / "pid", failed) == kMachine && !failed;
}

namespace {

// Empty: the machine's library.
std::string_view other_library() {
  const char* other = std::getenv(kNvmlVariable);
  return other != nullptr ? other : "";
}

const Result<std::unique_ptr<const Nvml>>& nvml_of_machine() {
  static const Result<std::unique_ptr<const Nvml>> nvml =
      Nvml::open(other_library().empty() ? kNvmlLibrary : other_library().data());
  return nvml;
}

// A test's library tells of ids as this process has them.
bool knows_us() {
  static const bool knows = !other_library().empty() || has_id_of_machine();
  return knows;
}

}  // namespace

Result<DeviceUse> read_nvml(const PciAddress& card) {
  const auto& nvml = nvml_of_machine();
  if (!nvml) return nvml.error();
  return (*nvml)->read(card);
}

std::optional<Bytes> own_nvml_bytes(const PciAddress& card) {
  const auto& nvml = nvml_of_machine();
  return nvml && knows_us() ? (*nvml)->own_bytes(card) : std::nullopt;
}

std::string nvml_driver_version() {
  const auto& nvml = nvml_of_machine();
  return nvml ? (*nvml)->driver_version() : std::string();
}

}  // namespace headroom
