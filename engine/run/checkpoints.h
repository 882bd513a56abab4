// Copies of what a slot cannot go back to by itself: its states, and the caches that windows overwrite. Where they are
// taken and what they are good for is the slot cache's to know (run/slot_cache.h).
#pragma once

#include <vector>

#include "run/backends.h"

namespace headroom {

// Used from the engine thread. Nothing is allocated after the constructor.
class Checkpoints {
 public:
  // `backends` as of the plan's devices, `arenas` as of its arenas, all mapped; all of them outlive this.
  Checkpoints(const ModelInfo& model, const MemoryPlan& plan, const Backends& backends, std::span<Arena* const> arenas);

  // Copies what a slot has now to its checkpoint of this index, below n_checkpoints. kDeviceLost or kResource as the
  // backend says that names its device: the checkpoint is then undefined. No stop breaks it off: it takes as long as a
  // token or less, and half of one would be good for nothing.
  Status make(std::uint32_t slot, std::uint32_t index);
  // Copies a checkpoint back, to its own slot or to another one. Errors as of make(): what `to_slot` has is then
  // undefined.
  Status take_up(std::uint32_t slot, std::uint32_t index, std::uint32_t to_slot);

 private:
  // One part of one layer.
  struct Part {
    Arena* live = nullptr;
    Bytes live_offset = 0;
    Arena* kept = nullptr;
    Bytes kept_offset = 0;
    Bytes of_slot = 0;
  };
  struct OfDevice {
    Backend* backend = nullptr;
    std::vector<Part> parts;
    std::vector<ArenaCopy> copies;  // room for those of all parts
  };
  template <class Copy>
  Status copy_all(Copy copy_of);

  std::uint32_t n_checkpoints_;
  std::vector<OfDevice> devices_;
};

}  // namespace headroom
