// What a fake driver has allocated. New memory is full of nonsense; that of devices can be reached while they run, and
// at no other time. Behind each allocation is a page that nobody can reach; what is left of the page before it holds
// bytes that are looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace headroom::test {

// On one thread at a time.
class FakeMemory {
 public:
  struct Allocation {
    std::size_t bytes = 0, mapped = 0;
    int device = 0;
    bool is_host = false;  // page-locked memory, which the host can reach at any time
  };

  FakeMemory() = default;
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;
  ~FakeMemory();

  // Its address; 0 where the system has none left.
  std::uintptr_t allocate(std::size_t bytes, int device, bool is_host);
  // Of an allocation's first byte. Says what damage() would.
  std::string release(std::uintptr_t address);

  // The allocation that holds all of [address, address + bytes), or none.
  const Allocation* find(std::uintptr_t address, std::size_t bytes) const;
  const std::map<std::uintptr_t, Allocation>& all() const { return all_; }

  void let_devices_reach(bool can_reach);
  // What was written behind an allocation since this was asked last; empty: nothing. While devices reach their memory.
  std::string damage();

 private:
  std::map<std::uintptr_t, Allocation> all_;
};

}  // namespace headroom::test
