#include "backend/host/host_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace headroom {
namespace {

constexpr Bytes kClearedAtOnce = 4 * kMiB;  // between two looks at the stop token; whole huge pages

class HostArena final : public Arena {
 public:
  HostArena(std::byte* base, Bytes mapped) : base_(base), mapped_(mapped) {}
  ~HostArena() override {
    if (mapped_ > 0) munmap(base_, mapped_);
  }
  std::byte* host_address() const override { return base_; }
  Bytes mapped_bytes() const override { return mapped_; }

 private:
  std::byte* base_;
  Bytes mapped_;
};

}  // namespace

Result<std::unique_ptr<Arena>> map_host_arena(const ArenaPlan& plan, std::atomic<std::uint64_t>& n_allocations) {
  if (plan.size == 0) return std::unique_ptr<Arena>(std::make_unique<HostArena>(nullptr, 0));
  // Reserved without MAP_POPULATE: the first touch is by the thread that fills the pages, and a load can be cancelled
  // between chunks.
  void* base = mmap(nullptr, plan.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    return Error{ErrorCode::kResource, Message::say("host memory: asked for {} ({} bytes), refused by the system: {}",
                                                    amount(plan.size), plan.size, std::string(std::strerror(errno)))};
  }
  madvise(base, plan.size, MADV_HUGEPAGE);  // fewer TLB misses where the system has huge pages; harmless where not
  ++n_allocations;
  return std::unique_ptr<Arena>(std::make_unique<HostArena>(static_cast<std::byte*>(base), plan.size));
}

Status clear_host_arena(Arena& arena, ThreadPool& pool, const StopToken& stop,
                        const std::function<void(Bytes)>& advance) {
  const Bytes n_bytes = arena.mapped_bytes();
  std::atomic<Bytes> next = 0, n_done = 0;
  Bytes n_told = 0;  // by thread 0
  pool.run([&](std::uint32_t thread) {
    for (;;) {
      const Bytes first = next.fetch_add(kClearedAtOnce, std::memory_order_relaxed);
      if (first >= n_bytes || stop.stop_requested()) return;
      const Bytes size = std::min(kClearedAtOnce, n_bytes - first);
      std::memset(arena.host_address() + first, 0, size);
      const Bytes done = n_done.fetch_add(size, std::memory_order_relaxed) + size;
      if (thread != 0) continue;
      advance(done - n_told);
      n_told = done;
    }
  });
  if (n_done.load() < n_bytes) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
  advance(n_bytes - n_told);
  return ok_status();
}

}  // namespace headroom
