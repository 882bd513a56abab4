// The threads that compute. One job at a time; inside it, barriers that spin a little and then sleep, so that a shared
// machine is not starved.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace headroom {

// Owned and used by one thread, which takes part in every job as thread 0.
class ThreadPool {
 public:
  // Has fewer threads than asked for when the system refuses them: compare n_threads().
  explicit ThreadPool(std::uint32_t n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::uint32_t n_threads() const { return n_threads_; }

  // Calls job(thread) on every thread and waits for all. Allocates nothing. Only thread 0 may throw, in a job without
  // barriers: the others come to their end first.
  template <class Job>
  void run(Job&& job) {
    run_erased(
        [](void* erased, std::uint32_t thread) { (*static_cast<std::remove_reference_t<Job>*>(erased))(thread); },
        &job);
  }

  // Inside a job: waits until every thread is here. All threads must call it equally often.
  void barrier();

  // Inside a job: waits until `count` has reached n, as a barrier waits. Other threads only add to it, by add().
  static void wait_for(const std::atomic<std::uint32_t>& count, std::uint32_t n);
  // What was written before is seen by those who wait_for() it.
  static void add(std::atomic<std::uint32_t>& count, std::uint32_t n) {
    count.fetch_add(n, std::memory_order_acq_rel);
    count.notify_all();
  }

 private:
  using ErasedJob = void (*)(void*, std::uint32_t);
  void run_erased(ErasedJob job, void* context);
  void work(std::uint32_t thread);

  std::uint32_t n_threads_;
  ErasedJob job_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> n_jobs_ = 0;  // grows when a job starts
  alignas(64) std::atomic<std::uint32_t> n_arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> n_passed_ = 0;  // grows when a barrier opens
  std::atomic<bool> leaves_ = false;
  std::vector<std::thread> workers_;
};

// The part of n items that belongs to a thread: contiguous, sizes differ by at most one.
struct Share {
  std::uint32_t first = 0, last = 0;
};
inline Share share_of(std::uint32_t n, std::uint32_t thread, std::uint32_t n_threads) {
  return {static_cast<std::uint32_t>(std::uint64_t{n} * thread / n_threads),
          static_cast<std::uint32_t>(std::uint64_t{n} * (thread + 1) / n_threads)};
}

}  // namespace headroom
