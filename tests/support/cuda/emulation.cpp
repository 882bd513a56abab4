#include "support/cuda/emulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/check.h"

namespace headroom::cuda {
namespace {

namespace context = boost::context;

constexpr std::uint32_t kWarp = 32, kMostThreads = 1024;
constexpr std::size_t kStackBytes = 64 * 1024;

using Site = std::pair<std::string, int>;

std::map<std::string, const EmulatedKernel*>& kernels() {
  static std::map<std::string, const EmulatedKernel*> all;
  return all;
}

// The barriers of kernels by the files that they were met in.
std::mutex sites_mutex;
std::map<const EmulatedKernel*, std::vector<Site>>& all_sites() {
  static std::map<const EmulatedKernel*, std::vector<Site>> all;
  return all;
}

std::size_t site_index(const EmulatedKernel& kernel, const char* file, int line) {
  const std::lock_guard lock(sites_mutex);
  std::vector<Site>& sites = all_sites()[&kernel];
  const Site site{file, line};
  const auto found = std::find(sites.begin(), sites.end(), site);
  if (found != sites.end()) return static_cast<std::size_t>(found - sites.begin());
  sites.push_back(site);
  return sites.size() - 1;
}

std::string place(const char* file, int line) {
  const std::string path(file);
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line);
}

// What ends a block; never leaves launch().
struct Fault {
  std::string text;
};

// When a thread touched something: intervals between barriers are counted over all blocks, so that what is left of a
// block before is older than all that the next one does. A number, since shared memory is touched a hundred million
// times in some tests, which is half of their time.
constexpr std::uint32_t kThreadBits = 10, kMostWarpIntervals = 1U << (32 - kThreadBits);
static_assert(kMostThreads == 1U << kThreadBits);
class Moment {
 public:
  Moment() = default;
  Moment(std::uint32_t block_interval, std::uint32_t warp_interval, std::uint32_t thread)
      : bits_(std::uint64_t{block_interval} << 32 | warp_interval << kThreadBits | thread) {}
  std::uint32_t block_interval() const { return static_cast<std::uint32_t>(bits_ >> 32); }  // 0: never
  std::uint32_t warp_interval() const { return static_cast<std::uint32_t>(bits_) >> kThreadBits; }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(bits_) % kMostThreads; }

 private:
  std::uint64_t bits_ = 0;
};

// Whoever touched an element last, and before that, of another warp and of the same.
struct Touches {
  Moment last, other_warp, same_warp;
  void note(const Moment& here) {
    // What was before the last barrier of the block is in nobody's way any more.
    if (last.block_interval() == here.block_interval() && last.thread() != here.thread())
      (last.thread() / kWarp == here.thread() / kWarp ? same_warp : other_warp) = last;
    last = here;
  }
};

// What is known of an element.
struct Shadow {
  Moment write;
  Touches reads;
};
static_assert(sizeof(Shadow) == 32);

struct Array {
  std::vector<std::byte> bytes;
  std::vector<Shadow> shadows;
  std::vector<Touches> atomics;  // of few arrays; empty before the first of them
};

enum class Wait : std::uint8_t { kNothing, kBarrier, kWarpBarrier, kExchange, kEnd };

struct Thread {
  context::fiber fiber;
  Wait wait = Wait::kEnd;
  const char* file = nullptr;
  int line = 0;
  std::uint32_t n_exchanges = 0;
};

// Kernels that run at once on several threads of the host name their arrays at once.
std::atomic<std::size_t>& n_shared_names() {
  static std::atomic<std::size_t> n = 0;
  return n;
}

class Block {
 public:
  std::string run(const EmulatedLaunch& launch) {
    launch_ = &launch;
    const EmulatedKernel& kernel = *launch.kernel;
    if (launch.n_threads == 0 || launch.n_threads > kernel.n_threads || launch.n_threads % kWarp != 0) {
      return fmt::format("{}: expected a multiple of 32 threads, at most {}, found {}", kernel.name, kernel.n_threads,
                         launch.n_threads);
    }
    std::vector<std::uint32_t> blocks(std::size_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]);
    std::iota(blocks.begin(), blocks.end(), 0U);
    random_.seed(launch.seed);
    if (launch.order == LaneOrder::kDescending) std::reverse(blocks.begin(), blocks.end());
    if (launch.order == LaneOrder::kShuffled) std::shuffle(blocks.begin(), blocks.end(), random_);
    for (const std::uint32_t block : blocks) {
      block_[0] = block % launch.grid[0];
      block_[1] = block / launch.grid[0] % launch.grid[1];
      block_[2] = block / launch.grid[0] / launch.grid[1];
      if (std::string wrong = run_block(); !wrong.empty())
        return fmt::format("{}, block ({}, {}, {}): {}", kernel.name, block_[0], block_[1], block_[2], wrong);
    }
    return {};
  }

  std::uint32_t thread() const { return now_; }
  std::uint32_t block(int dimension) const { return block_[dimension]; }
  std::uint32_t grid(int dimension) const { return launch_->grid[dimension]; }

  void wait(Wait what, const char* file, int line) {
    Thread& thread = threads_[now_];
    // All threads come to each barrier: one of them is enough to know it by.
    if (what == Wait::kBarrier && (now_ == 0 || launch_->skipped_barrier >= 0)) {
      const std::size_t site = site_index(*launch_->kernel, file, line);
      if (launch_->skipped_barrier >= 0 && site == static_cast<std::size_t>(launch_->skipped_barrier)) return;
    }
    thread.wait = what;
    thread.file = file;
    thread.line = line;
    scheduler_ = std::move(scheduler_).resume();
  }

  const std::uint64_t* exchange(std::uint64_t word, const char* file, int line) {
    Thread& thread = threads_[now_];
    const std::uint32_t parity = thread.n_exchanges++ % 2;
    words_[parity][now_] = word;
    wait(Wait::kExchange, file, line);
    return words_[parity] + now_ / kWarp * kWarp;
  }

  // What nearly every access is, with nothing to say: a read of what an earlier interval of the block wrote, or a write
  // of what nobody touched in this one. Everything else is for touch_and_check(), which would do the same with these.
  // Kept short: half of the time of many tests is here.
  std::byte* touch(const char* name, std::size_t index, std::size_t n, std::size_t elem_bytes, std::size_t i,
                   emulated::Access access) {
    if (index < n_arrays_) {
      Array& array = arrays_[index];
      if (i < array.shadows.size() && array.atomics.empty()) {
        Shadow& shadow = array.shadows[i];
        const std::uint32_t written = shadow.write.block_interval();
        if (access == emulated::Access::kRead && written >= first_interval_ && written < block_interval_) {
          shadow.reads.note(here_);
          return array.bytes.data() + i * elem_bytes;
        }
        if (access == emulated::Access::kWrite && written < block_interval_ &&
            shadow.reads.last.block_interval() < block_interval_) {
          shadow.write = here_;
          return array.bytes.data() + i * elem_bytes;
        }
      }
    }
    return touch_and_check(name, index, n, elem_bytes, i, access);
  }

 private:
  struct Element {
    const char* name;
    std::size_t i;
  };

  [[gnu::noinline]] std::byte* touch_and_check(const char* name, std::size_t index, std::size_t n,
                                               std::size_t elem_bytes, std::size_t i, emulated::Access access) {
    if (arrays_.size() <= index) arrays_.resize(n_shared_names());
    n_arrays_ = arrays_.size();
    Array& array = arrays_[index];
    if (array.bytes.empty()) {
      array.bytes.resize(n * elem_bytes);
      array.shadows.resize(n);
    }
    if (i >= n) throw Fault{fmt::format("thread {}: {}[{}] is behind its end, {}", now_, name, i, n)};
    Shadow& shadow = array.shadows[i];
    if (access != emulated::Access::kWrite && shadow.write.block_interval() < first_interval_)
      throw Fault{fmt::format("thread {}: {}[{}] is read before anything was written there", now_, name, i)};
    const Element element{name, i};
    check_order(shadow.write, here_, element, access == emulated::Access::kRead ? " (the former)" : "");
    if (access == emulated::Access::kAtomic) {
      if (array.atomics.empty()) array.atomics.resize(n);
    } else if (!array.atomics.empty()) {
      check_order(array.atomics[i], here_, element, access == emulated::Access::kRead ? " (the former)" : "");
    }
    if (access != emulated::Access::kRead) check_order(shadow.reads, here_, element, "");
    switch (access) {
      case emulated::Access::kRead: shadow.reads.note(here_); break;
      case emulated::Access::kWrite: shadow.write = here_; break;
      case emulated::Access::kAtomic: array.atomics[i].note(here_); break;
    }
    return array.bytes.data() + i * elem_bytes;
  }

  static void check_order(const Moment& before, const Moment& now, const Element& element, const char* who_writes) {
    if (before.thread() == now.thread() || before.block_interval() != now.block_interval()) return;
    if (before.thread() / kWarp == now.thread() / kWarp && before.warp_interval() != now.warp_interval()) return;
    throw Fault{fmt::format("threads {} and {} touch {}[{}] with no barrier between them, and one of them writes{}",
                            before.thread(), now.thread(), element.name, element.i, who_writes)};
  }
  static void check_order(const Touches& before, const Moment& now, const Element& element, const char* who_writes) {
    if (before.last.block_interval() != now.block_interval()) return;  // nor are those before it
    for (const Moment& each : {before.last, before.other_warp, before.same_warp})
      check_order(each, now, element, who_writes);
  }

  std::string run_block() {
    first_interval_ = count_interval();
    warp_intervals_.assign(kMostThreads / kWarp, 0);
    if (threads_.size() < launch_->n_threads) threads_.resize(launch_->n_threads);
    const std::uint32_t n = launch_->n_threads;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!threads_[i].fiber) threads_[i].fiber = make_fiber();
      threads_[i].wait = Wait::kNothing;
      threads_[i].n_exchanges = 0;
    }
    wrong_.clear();
    n_ended_ = 0;
    while (wrong_.empty() && n_ended_ < n) {
      // All numbers below n, from anywhere on in steps that have no factor with it.
      std::uint32_t at = 0, stride = 1;
      if (launch_->order == LaneOrder::kDescending) at = n - 1, stride = n - 1;
      if (launch_->order == LaneOrder::kShuffled) at = random_() % n, stride = coprime(random_() % n, n);
      bool has_run = false;
      for (std::uint32_t count = 0; count < n; ++count, at = (at + stride) % n) {
        const std::uint32_t i = at;
        if (threads_[i].wait != Wait::kNothing) continue;
        has_run = true;
        now_ = i;
        here_ = {block_interval_, warp_intervals_[i / kWarp], i};
        threads_[i].fiber = std::move(threads_[i].fiber).resume();
        if (!wrong_.empty()) break;
      }
      if (wrong_.empty() && !release() && !has_run) wrong_ = stuck_text();
    }
    // Lanes that did not end are unwound.
    if (!wrong_.empty()) threads_.clear();
    return wrong_;
  }

  static std::uint32_t coprime(std::uint32_t from, std::uint32_t n) {
    while (std::gcd(from, n) != 1) ++from;
    return from;
  }

  context::fiber make_fiber() {
    return {std::allocator_arg, context::fixedsize_stack(kStackBytes), [this](context::fiber&& scheduler) {
              scheduler_ = std::move(scheduler);
              for (;;) {
                const std::uint32_t me = now_;
                try {
                  launch_->kernel->run(launch_->params);
                } catch (const Fault& fault) {
                  wrong_ = fault.text;
                }
                threads_[me].wait = Wait::kEnd;
                ++n_ended_;
                scheduler_ = std::move(scheduler_).resume();
              }
              return std::move(scheduler_);
            }};
  }

  // Lets go on who waited for those that have come now.
  bool release() {
    const std::uint32_t n = launch_->n_threads;
    bool any = false;
    for (std::uint32_t first = 0; first < n; first += kWarp) {
      const Thread& lead = threads_[first];
      if (lead.wait != Wait::kExchange && lead.wait != Wait::kWarpBarrier) continue;
      const auto begin = threads_.begin() + first, end = begin + kWarp;
      const bool is_whole = std::all_of(begin, end, [&](const Thread& each) {
        return each.wait == lead.wait && each.line == lead.line && each.file == lead.file;
      });
      if (!is_whole) continue;
      for (auto each = begin; each != end; ++each) each->wait = Wait::kNothing;
      CHECK(++warp_intervals_[first / kWarp] < kMostWarpIntervals, "a block has more warp barriers than are counted");
      any = true;
    }
    if (any) return true;
    const Thread& lead = threads_[0];
    const auto begin = threads_.begin(), end = begin + n;
    const bool is_whole = lead.wait == Wait::kBarrier && std::all_of(begin, end, [&](const Thread& each) {
                            return each.wait == Wait::kBarrier && each.line == lead.line && each.file == lead.file;
                          });
    if (!is_whole) return false;
    for (auto each = begin; each != end; ++each) each->wait = Wait::kNothing;
    count_interval();
    return true;
  }

  std::uint32_t count_interval() {
    CHECK(++block_interval_ != 0, "more barriers than are counted");
    return block_interval_;
  }

  std::string stuck_text() const {
    std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> places;  // how many, and the first of them
    for (std::uint32_t i = 0; i < launch_->n_threads; ++i) {
      const Thread& each = threads_[i];
      std::string at = "have ended";
      if (each.wait == Wait::kExchange) at = fmt::format("exchange words at {}", place(each.file, each.line));
      if (each.wait == Wait::kBarrier) at = fmt::format("wait at the barrier {}", place(each.file, each.line));
      if (each.wait == Wait::kWarpBarrier)
        at = fmt::format("wait at the warp's barrier {}", place(each.file, each.line));
      const auto [found, is_new] = places.try_emplace(at, 0, i);
      ++found->second.first;
    }
    std::string text = "its threads wait for each other:";
    for (const auto& [at, who] : places) text += fmt::format(" {} {} (thread {} first);", who.first, at, who.second);
    return text;
  }

  const EmulatedLaunch* launch_ = nullptr;
  std::uint32_t block_[3] = {0, 0, 0};
  std::mt19937 random_;
  std::vector<Thread> threads_;
  context::fiber scheduler_;
  std::uint32_t now_ = 0, n_ended_ = 0;
  Moment here_;  // until the thread that runs waits
  std::string wrong_;
  std::uint32_t block_interval_ = 0, first_interval_ = 0;  // the latter: of the block that runs
  std::vector<std::uint32_t> warp_intervals_;
  std::uint64_t words_[2][kMostThreads] = {};
  std::vector<Array> arrays_;  // by SharedName
  std::size_t n_arrays_ = 0;
};

// What this thread of the host runs. Asked for at each access: found without a call.
[[gnu::tls_model("initial-exec")]] thread_local Block* running = nullptr;

}  // namespace

EmulatedKernel::EmulatedKernel(const char* kernel_name, const char* kernel_file, std::uint32_t most_threads,
                               std::size_t bytes, void (*body)(const void*))
    : name(kernel_name), file(kernel_file), n_threads(most_threads), param_bytes(bytes), run(body) {
  kernels()[name] = this;
}

const EmulatedKernel* find_emulated_kernel(const std::string& name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : found->second;
}

std::string launch(const EmulatedLaunch& launch) {
  static thread_local const auto block = std::make_unique<Block>();
  running = block.get();
  return block->run(launch);
}

std::size_t barrier_sites(const EmulatedKernel& kernel) {
  const std::lock_guard lock(sites_mutex);
  return all_sites()[&kernel].size();
}

namespace emulated {

std::uint32_t thread() { return running->thread(); }
std::uint32_t block(int dimension) { return running->block(dimension); }
std::uint32_t grid(int dimension) { return running->grid(dimension); }
void barrier(const char* file, int line) { running->wait(Wait::kBarrier, file, line); }
std::uint32_t& fragment_fault() {
  static std::uint32_t fault = 0;
  return fault;
}
void warp_barrier(const char* file, int line) { running->wait(Wait::kWarpBarrier, file, line); }
const std::uint64_t* exchange(std::uint64_t word, const char* file, int line) {
  return running->exchange(word, file, line);
}

SharedName::SharedName(const char* name, std::size_t n, std::size_t elem_bytes)
    : name_(name), n_(n), elem_bytes_(elem_bytes), index_(n_shared_names()++) {}

std::byte* SharedName::touch(std::size_t i, Access access) const {
  return running->touch(name_, index_, n_, elem_bytes_, i, access);
}

}  // namespace emulated
}  // namespace headroom::cuda
