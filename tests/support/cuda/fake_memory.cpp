#include "support/cuda/fake_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace headroom::test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr int kNew = 0xFB;  // NaN and large indices
constexpr std::uint8_t kBehind = 0xA7;

std::uint8_t* at(std::uintptr_t address) { return reinterpret_cast<std::uint8_t*>(address); }  // NOLINT: of the API

std::string damage_behind(std::uintptr_t address, const FakeMemory::Allocation& allocation) {
  std::uint8_t* const begin = at(address) + allocation.bytes;
  std::uint8_t* const end = at(address) + allocation.mapped;
  const auto n = std::count_if(begin, end, [](std::uint8_t byte) { return byte != kBehind; });
  if (n == 0) return {};
  std::memset(begin, kBehind, static_cast<std::size_t>(end - begin));
  return fmt::format("{} bytes behind the end of {} bytes of {} memory were written", n, allocation.bytes,
                     allocation.is_host ? "page-locked" : "device");
}

}  // namespace

FakeMemory::~FakeMemory() {
  for (const auto& [address, allocation] : all_) munmap(at(address), allocation.mapped + kPage);
}

std::uintptr_t FakeMemory::allocate(std::size_t bytes, int device, bool is_host) {
  const std::size_t mapped = round_up(bytes, kPage);
  void* const made = mmap(nullptr, mapped + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return 0;
  if (mprotect(made, mapped, PROT_READ | PROT_WRITE) != 0) {
    munmap(made, mapped + kPage);
    return 0;
  }
  std::memset(made, kNew, bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(made);
  std::memset(at(address) + bytes, kBehind, mapped - bytes);
  if (!is_host) mprotect(made, mapped, PROT_NONE);
  all_[address] = {bytes, mapped, device, is_host};
  return address;
}

std::string FakeMemory::release(std::uintptr_t address) {
  const Allocation allocation = all_.at(address);
  mprotect(at(address), allocation.mapped, PROT_READ | PROT_WRITE);
  std::string wrong = damage_behind(address, allocation);
  munmap(at(address), allocation.mapped + kPage);
  all_.erase(address);
  return wrong;
}

const FakeMemory::Allocation* FakeMemory::find(std::uintptr_t address, std::size_t bytes) const {
  auto above = all_.upper_bound(address);
  if (above == all_.begin()) return nullptr;
  const auto& [begin, allocation] = *--above;
  const std::size_t before = address - begin;
  return before <= allocation.bytes && bytes <= allocation.bytes - before ? &allocation : nullptr;
}

void FakeMemory::let_devices_reach(bool can_reach) {
  for (const auto& [address, allocation] : all_) {
    if (!allocation.is_host) mprotect(at(address), allocation.mapped, can_reach ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

std::string FakeMemory::damage() {
  for (const auto& [address, allocation] : all_) {
    if (std::string wrong = damage_behind(address, allocation); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace headroom::test
