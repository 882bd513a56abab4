#include "run/request_queue.h"

#include <algorithm>

#include "base/check.h"

namespace headroom {

std::size_t RequestQueue::size() const {
  std::size_t n = 0;
  for (const Line& line : lines_) n += line.size();
  return n;
}

void RequestQueue::push(WaitingRequest request) {
  CHECK(!is_full(), "a queue that is full takes no more");
  const ConversationId conversation = request.request.conversation;
  const auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& other) {
    return conversation != 0 && other.front().request.conversation == conversation;
  });
  if (line != lines_.end()) return line->push_back(std::move(request));
  Line own;
  own.push_back(std::move(request));
  lines_.push_back(std::move(own));
}

WaitingRequest* RequestQueue::find(RequestId id) {
  for (Line& line : lines_) {
    for (WaitingRequest& waiting : line) {
      if (waiting.id == id) return &waiting;
    }
  }
  return nullptr;
}

bool RequestQueue::is_next(const Line& line, const IsBusy& is_busy) {
  const ConversationId conversation = line.front().request.conversation;
  return line.front().prompt.has_value() && (conversation == 0 || !is_busy(conversation));
}

bool RequestQueue::has_next(const IsBusy& is_busy) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) { return is_next(line, is_busy); });
}

std::optional<WaitingRequest> RequestQueue::take_next(const IsBusy& is_busy) {
  const auto found =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return is_next(line, is_busy); });
  if (found == lines_.end()) return std::nullopt;
  Line line = std::move(*found);
  lines_.erase(found);
  WaitingRequest next = std::move(line.front());
  line.pop_front();
  if (!line.empty()) lines_.push_back(std::move(line));
  return next;
}

std::vector<WaitingRequest> RequestQueue::take_if(const std::function<bool(const WaitingRequest&)>& holds) {
  std::vector<WaitingRequest> taken;
  for (Line& line : lines_) {
    for (WaitingRequest& waiting : line) {
      if (holds(waiting)) taken.push_back(std::move(waiting));
    }
    // A request that was moved from is told by its id, which stays.
    std::erase_if(line, [&](const WaitingRequest& waiting) {
      return std::any_of(taken.begin(), taken.end(), [&](const WaitingRequest& one) { return one.id == waiting.id; });
    });
  }
  std::erase_if(lines_, [](const Line& line) { return line.empty(); });
  std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return taken;
}

bool RequestQueue::has_stopped() const {
  return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
    return std::any_of(line.begin(), line.end(), [](const WaitingRequest& one) { return one.stop.stop_requested(); });
  });
}

}  // namespace headroom
