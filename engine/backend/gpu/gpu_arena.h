// Memory of one arena on a GPU, and parts of it.
#pragma once

#include "backend/backend.h"

namespace headroom {

class GpuArena : public Arena {
 public:
  // Where this process reads and writes it; null where only the device can. On a GPU that shares the host's memory this
  // is an address although host_address() is null: only the backend may use it.
  virtual std::byte* mapped() const = 0;
};

// Some bytes of an arena. Without an arena: the thing stands on another device, or nowhere.
struct GpuSlice {
  const GpuArena* arena = nullptr;
  Bytes offset = 0, size = 0;

  bool operator==(const GpuSlice&) const = default;
  explicit operator bool() const { return arena != nullptr; }
  GpuSlice part(Bytes from, Bytes bytes) const { return {arena, offset + from, bytes}; }
  std::byte* mapped() const { return arena->mapped() == nullptr ? nullptr : arena->mapped() + offset; }
};

}  // namespace headroom
