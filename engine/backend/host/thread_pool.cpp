#include "backend/host/thread_pool.h"

#include <chrono>
#include <exception>

namespace headroom {
namespace {

// Longer than a barrier takes when every thread has a core, shorter than a time slice when one has not.
constexpr std::chrono::microseconds kSpin{50};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Done>
void wait_until(const std::atomic<std::uint32_t>& value, Done done) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done(value.load(std::memory_order_acquire))) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  for (std::uint32_t now = value.load(std::memory_order_acquire); !done(now);
       now = value.load(std::memory_order_acquire)) {
    value.wait(now, std::memory_order_acquire);
  }
}

void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  wait_until(value, [old](std::uint32_t now) { return now != old; });
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t n_threads) : n_threads_(n_threads == 0 ? 1 : n_threads) {
  const std::uint32_t n_asked = n_threads_;
  workers_.reserve(n_asked - 1);
  try {
    for (std::uint32_t thread = 1; thread < n_asked; ++thread) workers_.emplace_back([this, thread] { work(thread); });
  } catch (const std::exception&) {
    n_threads_ = static_cast<std::uint32_t>(workers_.size()) + 1;  // no job has begun, so nobody has read it yet
  }
}

ThreadPool::~ThreadPool() {
  leaves_.store(true, std::memory_order_relaxed);
  n_jobs_.fetch_add(1, std::memory_order_release);
  n_jobs_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(ErasedJob job, void* context) {
  job_ = job;
  context_ = context;
  if (n_threads_ > 1) {
    n_jobs_.fetch_add(1, std::memory_order_release);
    n_jobs_.notify_all();
  }
  // Also when the job throws here, the others still use what it refers to. A job with barriers of its own must not
  // throw.
  struct Join {
    ThreadPool& pool;
    ~Join() { pool.barrier(); }
  } const join{*this};
  job(context, 0);
}

void ThreadPool::work(std::uint32_t thread) {
  for (std::uint32_t n_seen = 0;; ++n_seen) {
    wait_for_change(n_jobs_, n_seen);
    if (leaves_.load(std::memory_order_relaxed)) return;
    job_(context_, thread);
    barrier();
  }
}

void ThreadPool::wait_for(const std::atomic<std::uint32_t>& count, std::uint32_t n) {
  if (count.load(std::memory_order_acquire) >= n) return;
  wait_until(count, [n](std::uint32_t now) { return now >= n; });
}

void ThreadPool::barrier() {
  if (n_threads_ == 1) return;
  const std::uint32_t passed = n_passed_.load(std::memory_order_relaxed);
  if (n_arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_threads_) {
    n_arrived_.store(0, std::memory_order_relaxed);
    n_passed_.fetch_add(1, std::memory_order_release);
    n_passed_.notify_all();
  } else {
    wait_for_change(n_passed_, passed);
  }
}

}  // namespace headroom
