// Memory of one arena on a GPU, as what GPU backends share sees it.
#pragma once

#include "backend/backend.h"

namespace headroom {

class GpuArena : public Arena {
 public:
  // Where this process reaches it; null: only the device does. Unlike host_address() also of a device's own memory that
  // the host shares, which is the backend's alone.
  virtual std::byte* mapped() const = 0;
};

// Some bytes of an arena; no arena: not on this device.
struct GpuSlice {
  const GpuArena* arena = nullptr;
  Bytes offset = 0, size = 0;

  explicit operator bool() const { return arena != nullptr; }
  GpuSlice part(Bytes from, Bytes bytes) const { return {arena, offset + from, bytes}; }
  std::byte* mapped() const { return arena->mapped() == nullptr ? nullptr : arena->mapped() + offset; }
};

}  // namespace headroom
