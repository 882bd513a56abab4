#include "run/prompt_reader.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/heap.h"
#include "plan/prompt_memory.h"

namespace headroom {

PromptReader::PromptReader(OnRead on_read) : on_read_(std::move(on_read)), thread_([this] { run(); }) {}

PromptReader::~PromptReader() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    for (Job& job : jobs_) job.stop.request_stop();
  }
  changed_.notify_one();
  thread_.join();
}

Status PromptReader::read(RequestId id, TextParts parts, PromptText prompt, const PlanOptions& options) {
  const Bytes most = prompt_memory(parts.tokenizer->longest_token_bytes(), options).waiting;
  {
    const std::lock_guard lock(mutex_);
    Bytes waiting = 0;
    for (const Job& job : jobs_) waiting += text_bytes(job.prompt);
    if (waiting + text_bytes(prompt) > most) {
      return Error{ErrorCode::kResource,
                   Message::say("{} prompts of {} bytes wait to be read; with this one they would be more than {}",
                                jobs_.size(), waiting, most)};
    }
    jobs_.push_back({id, std::move(parts), std::move(prompt), options, StopSource()});
  }
  changed_.notify_one();
  return ok_status();
}

// The one that is being read ends itself.
void PromptReader::drop(RequestId id) {
  const std::lock_guard lock(mutex_);
  const auto job = std::ranges::find_if(jobs_, [id](const Job& one) { return one.id == id; });
  if (job == jobs_.end()) return;
  job->stop.request_stop();
  if (job != jobs_.begin()) jobs_.erase(job);
}

void PromptReader::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
    if (is_ending_) return;
    const Job& job = jobs_.front();  // stays where it is: only this thread takes the first one out
    const RequestId id = job.id;
    const bool is_long = text_bytes(job.prompt) > kMiB;
    lock.unlock();
    PromptOutcome outcome = read(job);
    lock.lock();
    const bool is_dropped = jobs_.front().stop.token().stop_requested();
    jobs_.pop_front();
    lock.unlock();
    if (is_long) return_free_heap();  // an allocator keeps what a long text took
    if (!is_dropped) on_read_(id, std::move(outcome));
    lock.lock();
  }
}

PromptOutcome PromptReader::read(const Job& job) {
  try {
    return read_prompt(job.parts, job.prompt, job.options, job.stop.token());
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kResource, Message::say("the system refused memory for reading this prompt")};
  }
}

}  // namespace headroom
