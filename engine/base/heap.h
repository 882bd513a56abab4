// What the process holds on its heap, beside the arenas of plans: tokenizers, templates, tables.
#pragma once

#include "base/bytes.h"

namespace headroom {

// Bytes that all threads hold now, as the allocator counts them; 0 where it does not tell (not glibc). Any thread;
// takes a fraction of a millisecond, in which whoever allocates may have to wait.
Bytes heap_bytes_in_use();

struct OwnMemory {
  Bytes heap = 0;    // as heap_bytes_in_use()
  Bytes mapped = 0;  // private memory that can be written, beside what the allocator has of the system: mappings,
                     // stacks of threads; 0 where nobody tells (not Linux, not glibc, under sanitizers)
};
// What this process holds now. As heap_bytes_in_use().
OwnMemory read_own_memory();

// Gives back to the system what lies free between what is in use: after much was read and dropped.
void return_free_heap();

// What stays on the heap of the work between its start and taken(): other threads' share is in it, so it is a
// measurement and no count.
class HeapMeter {
 public:
  Bytes taken() const {
    const Bytes now = heap_bytes_in_use();
    return now > at_start_ ? now - at_start_ : 0;
  }

 private:
  Bytes at_start_ = heap_bytes_in_use();
};

}  // namespace headroom
