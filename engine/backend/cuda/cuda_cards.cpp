#include "backend/cuda/cuda_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "backend/cuda/cuda_kernels.h"
#include "backend/gpu/device_choice.h"
#include "backend/gpu_memory/drm_clients.h"
#include "backend/gpu_memory/nvml.h"
#include "devices/device_catalogue.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

constexpr int kLeastMajor = 7, kLeastMinor = 5;  // Turing: int8 products of whole tiles

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// Reads a card, or says why it cannot be used.
Result<CudaCard> read_card(const cuda::Driver& driver, int ordinal) {
  CudaCard card;
  card.ordinal = ordinal;
  cuda::CUdevice device = 0;
  if (const cuda::CUresult found = driver.cuDeviceGet(&device, ordinal); found != cuda::CUDA_SUCCESS)
    return cuda::driver_error("CUDA", fmt::format("asking for device {}", ordinal), found);
  std::array<char, 256> name{};
  driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  card.info.name = name.data();
  const auto refused = [&](const Message& why) {
    return Error{ErrorCode::kUnsupported, Message::say("CUDA: {}: {}", card.info.name, why)};
  };
  cuda::CUresult asked = cuda::CUDA_SUCCESS;
  const auto attribute = [&](int which) {
    int value = 0;
    const cuda::CUresult told = driver.cuDeviceGetAttribute(&value, which, device);
    if (told != cuda::CUDA_SUCCESS) asked = told;
    return value;
  };
  card.major = attribute(cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  card.minor = attribute(cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  card.n_multiprocessors = static_cast<std::uint32_t>(attribute(cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  const int compute_mode = attribute(cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  if (asked != cuda::CUDA_SUCCESS)
    return refused(Message::say("the driver does not tell what it can do: {}", cuda::result_name(asked)));
  if (card.major * 10 + card.minor < kLeastMajor * 10 + kLeastMinor) {
    return refused(Message::say("expected compute capability {}.{} or newer, found {}.{}", kLeastMajor, kLeastMinor,
                                card.major, card.minor));
  }
  const cuda::LeastDriver& least = cuda::least_driver(card.major);
  int version = 0;
  if (driver.cuDriverGetVersion(&version) == cuda::CUDA_SUCCESS && version < least.version)
    return refused(cuda::too_old_words(version, least));
  if (compute_mode == cuda::CU_COMPUTEMODE_PROHIBITED)
    return refused(Message::say("its compute mode forbids programs to use it"));
  std::size_t bytes = 0;
  if (const cuda::CUresult told = driver.cuDeviceTotalMem_v2(&bytes, device); told != cuda::CUDA_SUCCESS || bytes == 0)
    return refused(Message::say("the driver does not tell its memory: {}", cuda::result_name(told)));
  card.total_bytes = bytes;
  int cache_bytes = 0;
  if (driver.cuDeviceGetAttribute(&cache_bytes, cuda::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device) == cuda::CUDA_SUCCESS)
    card.cache_bytes = static_cast<Bytes>(std::max(cache_bytes, 0));
  std::array<char, 64> bus{};
  if (driver.cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) == cuda::CUDA_SUCCESS)
    card.pci = parse_pci_address(bus.data());
  return card;
}

// Of a card that does not tell its own, its name.
std::string uuid_text(const cuda::Driver& driver, const CudaCard& card) {
  cuda::CUdevice device = 0;
  cuda::CUuuid uuid{};
  if (driver.cuDeviceGet(&device, card.ordinal) != cuda::CUDA_SUCCESS ||
      driver.cuDeviceGetUuid_v2(&uuid, device) != cuda::CUDA_SUCCESS)
    return card.info.name;
  std::string text;
  for (const char byte : uuid.bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

void describe(const cuda::Driver& driver, CudaCard& card) {
  DeviceInfo& info = card.info;
  info.kind = DeviceKind::kCuda;
  info.traits = kCudaTraits;
  info.alignment = 256;
  info.granularity = 2 * kMiB;
  info.driver_bytes = kAssumedCudaDriverBytes;
  int version = 0;
  driver.cuDriverGetVersion(&version);
  info.driver = fmt::format("CUDA {}", version_text(version));
  info.kernels = fmt::format("CUDA, compute capability {}.{}", card.major, card.minor);
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) info.kv_types.push_back(row.dtype);
  }
  if (card.pci) info.heap = pci_text(*card.pci);
  const std::string version_of_all = nvml_driver_version();
  if (!version_of_all.empty()) info.driver += fmt::format(", driver {}", version_of_all);
  info.proof = Proof::kMissing;
  info.proof_key = fmt::format("{}|{}.{}|{}|{:016x}", uuid_text(driver, card), card.major, card.minor, info.driver,
                               cuda_kernels_fingerprint());
  const MemorySample memory = sample_card(card);
  info.total_bytes = memory.total;
  info.free_bytes = memory.free;
  info.account = memory.account;
}

}  // namespace

CudaCards cuda_cards() {
  CudaCards found;
  const char* setting = std::getenv(kCudaDevicesVariable);
  if (setting != nullptr && std::string_view(setting) == "none") return found;
  const Result<const cuda::Driver*> opened = cuda::driver();
  if (!opened) {
    found.refused.push_back(opened.error().message);
    return found;
  }
  const cuda::Driver& driver = **opened;
  int n = 0;
  if (const cuda::CUresult counted = driver.cuDeviceGetCount(&n); counted != cuda::CUDA_SUCCESS)
    found.refused.push_back(cuda::driver_error("CUDA", "counting devices", counted).message);
  for (int ordinal = 0; ordinal < n; ++ordinal) {
    Result<CudaCard> card = read_card(driver, ordinal);
    if (!card) {
      found.refused.push_back(card.error().message);
      continue;
    }
    describe(driver, *card);
    found.cards.push_back(std::move(*card));
  }
  if (n == 0 && found.refused.empty()) found.refused.push_back(Message::say("CUDA: the driver finds no device"));
  if (setting != nullptr && *setting != '\0') {
    const Result<std::vector<std::size_t>> chosen =
        parse_device_choice(kCudaDevicesVariable, setting, found.cards.size());
    if (chosen) {
      std::vector<CudaCard> cards;
      for (const std::size_t index : *chosen) cards.push_back(found.cards[index]);
      found.cards = std::move(cards);
    } else {
      found.refused.push_back(chosen.error().message);
    }
  }
  for (std::size_t i = 0; i < found.cards.size(); ++i) found.cards[i].info.id = fmt::format("cuda:{}", i);
  return found;
}

namespace {

// Whether NVML tells of more than the driver offers, by more than what drivers keep for themselves.
bool is_part_of(Bytes total_bytes, const DeviceUse& use) { return total_bytes < use.total - use.total / 8; }

}  // namespace

GpuUse& use_of_card(const CudaCard& card) {
  static std::mutex mutex;
  static std::map<int, GpuUse> uses;
  const std::lock_guard lock(mutex);
  return uses[card.ordinal];
}

MemoryReadings read_card_memory(const CudaCard& card) {
  MemoryReadings readings;
  readings.heap_bytes = card.total_bytes;
  const GpuUse& use = use_of_card(card);
  readings.device_arena_bytes = use.device_arena_bytes;
  readings.host_arena_bytes = use.host_arena_bytes;
  readings.driver_bytes = use.driver_bytes;
  if (!card.pci) return readings;
  readings.device = read_nvml(*card.pci);
  if (*readings.device && is_part_of(card.total_bytes, **readings.device)) {
    readings.device =
        Error{ErrorCode::kResource,
              Message::say("NVML tells of a card with {}, its driver of one with {}: an instance of a card "
                           "that is divided (MIG), whose own figures nobody tells",
                           amount((*readings.device)->total), amount(card.total_bytes))};
  }
  const std::optional<Bytes> own = own_nvml_bytes(*card.pci);
  if (!own) return readings;
  readings.own_clients = ClientUse{.device = *own};
  // Another thread may have taken memory in between.
  if (*readings.device && *own > (*readings.device)->used) readings.device = read_nvml(*card.pci);
  return readings;
}

MemorySample sample_card(const CudaCard& card) { return sample_own_memory(read_card_memory(card)); }

}  // namespace headroom
