// What `run` tells about an answer, as JSON and in a line.
#pragma once

#include "command.h"
#include "run/event.h"

namespace headroom::cli {

const char* finishName(FinishReason reason);  // "end_of_turn", "context_full"

// arenas[] (device, lifetime, planned_bytes, mapped_bytes), taken_after_load (arenas, driver_bytes, mapped_bytes,
// heap_bytes), tokens, speeds (also the one that was predicted for this answer), finish_reason, seed.
Json runReport(const ModelLoaded& loaded, const GenerationFinished& finished);
std::string runSummary(const ModelLoaded& loaded, const GenerationFinished& finished);

}  // namespace headroom::cli
