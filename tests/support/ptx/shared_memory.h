// Shared memory of a block of PTX, as strict as it may be: what nobody wrote is not read, and where two threads touch
// the same bytes, one of them writing, a barrier is between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace headroom::ptx {

// Ends the launch; never leaves run().
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check_aligned(std::uint64_t at, std::size_t bytes);

enum class Access : std::uint8_t { kRead, kWrite, kAtomic };

// When a thread touches something: how many barriers of the block there have been, and of its warp. No block is in an
// interval of another.
struct Moment {
  std::uint32_t block_interval = 0;  // 0: never
  std::uint16_t warp_interval = 0, thread = 0;
  bool is_atomic = false;
};

class SharedMemory {
 public:
  // No access is smaller than a grain.
  SharedMemory(std::size_t bytes, std::size_t grain_bytes);

  void clear();  // for the next block
  std::byte* touch(std::uint64_t at, std::size_t bytes, Access access, Moment here);

  // Of cp.async: between the two nobody touches the bytes.
  void begin_copy(std::uint64_t at, std::size_t bytes, const Moment& here);
  void finish_copy(std::uint64_t at, std::span<const std::byte> bytes, const Moment& here);

 private:
  enum class State : std::uint8_t { kUnwritten, kWritten, kOnItsWay };
  // Who wrote a grain last, and who read it last, of another warp, and of the same.
  struct Shadow {
    Moment write, read, other_warp, same_warp;
  };
  void expect_within(std::uint64_t at, std::size_t bytes) const;
  void expect_not_on_its_way(std::size_t byte) const;
  void note(std::uint64_t at, std::size_t bytes, Access access, const Moment& here);
  void note_grain(std::size_t grain, Access access, const Moment& here);

  std::size_t grain_bytes_;
  std::vector<std::byte> bytes_;
  std::vector<State> states_;    // by bytes
  std::vector<Shadow> shadows_;  // by grains
};

}  // namespace headroom::ptx
