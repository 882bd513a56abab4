// Requests that wait for a slot, in fair order.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "base/stop.h"
#include "plan/prompt_memory.h"
#include "run/event.h"
#include "run/generate_request.h"
#include "run/read_prompt.h"

namespace headroom {

struct WaitingRequest {
  RequestId id = 0;
  GenerateRequest request;  // without the text of its prompt
  StopToken stop;
  std::uint64_t since_step = 0;      // how many steps were done when it came
  std::optional<ReadPrompt> prompt;  // once it was read
};

// Conversations stand in line; a request without one is a line of its own. The request at the head of a line is next;
// what is behind it waits until the conversation has been through the queue once more. Example: conversation 7 asks
// three times, then conversation 8 asks: 7, 8, 7, 7. A head whose prompt is not read yet lets others pass and keeps its
// place.
class RequestQueue {
 public:
  bool empty() const { return lines_.empty(); }
  std::size_t size() const;
  bool is_full() const { return size() >= kMostWaitingRequests; }  // whoever asks then is told
  void push(WaitingRequest request);
  WaitingRequest* find(RequestId id);

  // Whether a request could be taken now; and the first that can, taken out. `is_busy` says of which conversations an
  // answer is under way: the next one waits for it.
  using IsBusy = std::function<bool(ConversationId)>;
  bool has_next(const IsBusy& is_busy) const;
  std::optional<WaitingRequest> take_next(const IsBusy& is_busy);

  // Takes out all of which this holds, in the order in which they came.
  std::vector<WaitingRequest> take_if(const std::function<bool(const WaitingRequest&)>& holds);
  bool has_stopped() const;

 private:
  using Line = std::deque<WaitingRequest>;  // never empty
  static bool is_next(const Line& line, const IsBusy& is_busy);
  std::deque<Line> lines_;
};

}  // namespace headroom
