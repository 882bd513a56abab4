// Reads prompts on a thread of its own, so that answers go on while a long text is tokenized.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "base/stop.h"
#include "run/prompt.h"

namespace headroom {

// One prompt after the other, in the order in which they came. Methods may be called from any thread; none of them
// waits for a prompt.
class PromptReader {
 public:
  // Called on the reader's thread, once for each prompt that was not dropped. One that is dropped meanwhile may still
  // be told of.
  using OnRead = std::function<void(RequestId, PromptOutcome)>;

  explicit PromptReader(OnRead on_read);
  ~PromptReader();  // drops all prompts, joins
  PromptReader(const PromptReader&) = delete;
  PromptReader& operator=(const PromptReader&) = delete;

  // kResource where the texts that wait and this one are more than there is memory for (plan/prompt_memory.h).
  Status read(RequestId id, TextParts parts, PromptText prompt, const PlanOptions& options);
  // Nobody waits for it any more: it is given up at the next word, unknown ids are ignored.
  void drop(RequestId id);

 private:
  struct Job {
    RequestId id = 0;
    TextParts parts;
    PromptText prompt;
    PlanOptions options;
    StopSource stop;
  };
  void run();
  static PromptOutcome read(const Job& job);

  const OnRead on_read_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<Job> jobs_;  // the first is being read, or is next
  bool is_ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace headroom
