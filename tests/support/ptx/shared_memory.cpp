#include "support/ptx/shared_memory.h"

#include <fmt/format.h>

namespace headroom::ptx {
namespace {

constexpr std::uint16_t kThreadsOfWarp = 32;

bool are_of_one_warp(const Moment& a, const Moment& b) {
  return a.thread / kThreadsOfWarp == b.thread / kThreadsOfWarp;
}

bool are_in_order(const Moment& before, const Moment& now) {
  if (before.block_interval != now.block_interval || before.thread == now.thread) return true;
  return are_of_one_warp(before, now) && before.warp_interval != now.warp_interval;
}

}  // namespace

void check_aligned(std::uint64_t at, std::size_t bytes) {
  if (at % bytes != 0) throw Fault(fmt::format("{} bytes are at {:#x}, where they cannot be", bytes, at));
}

SharedMemory::SharedMemory(std::size_t bytes, std::size_t grain_bytes)
    : grain_bytes_(grain_bytes), bytes_(bytes), is_written_(bytes), shadows_(bytes / grain_bytes + 1) {}

void SharedMemory::clear() {
  bytes_.assign(bytes_.size(), std::byte{0xCD});
  is_written_.assign(is_written_.size(), false);
}

std::byte* SharedMemory::touch(std::uint64_t at, std::size_t bytes, Access access, Moment here) {
  check_aligned(at, bytes);
  if (at > bytes_.size() || bytes > bytes_.size() - at)
    throw Fault(fmt::format("{} bytes at {} are behind shared memory", bytes, at));
  for (std::size_t i = at; i < at + bytes; ++i) {
    if (access != Access::kWrite && !is_written_[i])
      throw Fault(fmt::format("byte {} of shared memory was not written", i));
    is_written_[i] = true;
  }
  here.is_atomic = access == Access::kAtomic;
  for (std::size_t i = at; i < at + bytes; i += grain_bytes_) note(i / grain_bytes_, access, here);
  return bytes_.data() + at;
}

void SharedMemory::note(std::size_t grain, Access access, const Moment& here) {
  Shadow& shadow = shadows_[grain];
  const auto check = [&](const Moment& before) {
    if (!are_in_order(before, here))
      throw Fault(
          fmt::format("threads {} and {} touch byte {} of shared memory with no barrier between them, and one of "
                      "them writes",
                      before.thread, here.thread, grain * grain_bytes_));
  };
  if (!(here.is_atomic && shadow.write.is_atomic)) check(shadow.write);
  if (access == Access::kRead) {
    if (shadow.read.thread != here.thread)
      (are_of_one_warp(shadow.read, here) ? shadow.same_warp : shadow.other_warp) = shadow.read;
    shadow.read = here;
    return;
  }
  for (const Moment& read : {shadow.read, shadow.other_warp, shadow.same_warp}) check(read);
  shadow.write = here;
}

}  // namespace headroom::ptx
