// What a change of options costs once a model is loaded. Decided here alone: the window says it before anybody presses
// a button, and the engine does it.
#pragma once

#include "plan/memory_plan.h"

namespace headroom {

enum class ReloadNeed : std::uint8_t {
  kNothing,  // both plans are one
  kSession,  // caches and buffers are mapped anew, under the weights that are there
  kModel     // weights are read from the file
};

// What must be loaded again to go from a plan that is loaded to another one. A step may stream or not, have more rows
// or other caches under the same weights; layers, devices, threads and another model need them read. Two files of one
// shape have one fingerprint: whoever loads compares the files.
ReloadNeed what_to_load_again(const MemoryPlan& loaded, const MemoryPlan& wanted);

}  // namespace headroom
