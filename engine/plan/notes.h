// What the user should know about a plan beside its numbers.
#pragma once

#include <vector>

#include "plan/layout.h"

namespace headroom {

std::vector<Note> make_notes(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                             const ArenaLayout& layout);

}  // namespace headroom
