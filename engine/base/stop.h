// A request to stop, shared between the thread that asks and the thread that works.
#pragma once

#include <atomic>
#include <memory>

namespace headroom {

// Read side: cheap enough for every token, slice and file chunk. A default token never stops.
class StopToken {
 public:
  StopToken() = default;
  bool stop_requested() const { return flag_ && flag_->load(std::memory_order_relaxed); }

 private:
  friend class StopSource;
  explicit StopToken(std::shared_ptr<const std::atomic<bool>> flag) : flag_(std::move(flag)) {}
  std::shared_ptr<const std::atomic<bool>> flag_;
};

// Write side: may be called from any thread, any number of times.
class StopSource {
 public:
  StopToken token() const { return StopToken(flag_); }
  void request_stop() { flag_->store(true, std::memory_order_relaxed); }
  void withdraw() { flag_->store(false, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace headroom
