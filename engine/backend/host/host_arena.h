// Host memory of one arena: anonymous pages, all present before the first token.
#pragma once

#include <atomic>
#include <memory>

#include "backend/backend.h"
#include "backend/host/thread_pool.h"

namespace headroom {

// kResource names bytes asked and the system's reason. Counts itself in `n_allocations`.
Result<std::unique_ptr<Arena>> map_host_arena(const ArenaPlan& plan, std::atomic<std::uint64_t>& n_allocations);

// As Backend::clear_arena, on all threads of the pool.
Status clear_host_arena(Arena& arena, ThreadPool& pool, const StopToken& stop,
                        const std::function<void(Bytes)>& advance);

}  // namespace headroom
