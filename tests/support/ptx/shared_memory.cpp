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
    : grain_bytes_(grain_bytes), bytes_(bytes), states_(bytes), shadows_(bytes / grain_bytes + 1) {}

void SharedMemory::clear() {
  bytes_.assign(bytes_.size(), std::byte{0xCD});
  states_.assign(states_.size(), State::kUnwritten);
}

std::byte* SharedMemory::touch(std::uint64_t at, std::size_t bytes, Access access, Moment here) {
  expect_within(at, bytes);
  for (std::size_t i = at; i < at + bytes; ++i) {
    expect_not_on_its_way(i);
    if (access != Access::kWrite && states_[i] == State::kUnwritten)
      throw Fault(fmt::format("byte {} of shared memory was not written", i));
    states_[i] = State::kWritten;
  }
  here.is_atomic = access == Access::kAtomic;
  note(at, bytes, access, here);
  return bytes_.data() + at;
}

void SharedMemory::begin_copy(std::uint64_t at, std::size_t bytes, const Moment& here) {
  expect_within(at, bytes);
  for (std::size_t i = at; i < at + bytes; ++i) {
    expect_not_on_its_way(i);
    states_[i] = State::kOnItsWay;
  }
  note(at, bytes, Access::kWrite, here);
}

void SharedMemory::finish_copy(std::uint64_t at, std::span<const std::byte> bytes, const Moment& here) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes_[at + i] = bytes[i];
    states_[at + i] = State::kWritten;
  }
  note(at, bytes.size(), Access::kWrite, here);
}

void SharedMemory::expect_within(std::uint64_t at, std::size_t bytes) const {
  check_aligned(at, bytes);
  if (at > bytes_.size() || bytes > bytes_.size() - at)
    throw Fault(fmt::format("{} bytes at {} are behind shared memory", bytes, at));
}

void SharedMemory::expect_not_on_its_way(std::size_t byte) const {
  if (states_[byte] == State::kOnItsWay) throw Fault(fmt::format("byte {} of shared memory is still on its way", byte));
}

void SharedMemory::note(std::uint64_t at, std::size_t bytes, Access access, const Moment& here) {
  for (std::size_t i = at; i < at + bytes; i += grain_bytes_) note_grain(i / grain_bytes_, access, here);
}

void SharedMemory::note_grain(std::size_t grain, Access access, const Moment& here) {
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
