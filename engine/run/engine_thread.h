// The one thread that loads and computes: commands in, events out.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "run/event.h"
#include "run/generate_request.h"
#include "run/load_model.h"

namespace headroom {

struct LoadRequest {
  std::filesystem::path path;
  std::shared_ptr<const MemoryPlan> plan;  // exactly what will be mapped; refused with kDoesNotFit, naming bytes asked
                                           // and free, when it no longer fits
};

struct PromptParts {
  TextParts text;
  PlanOptions options;  // of the open session
};

// How long the end of an EngineThread waits for what runs: longer than a step or a chunk of a load takes to stop, and
// short enough for somebody who has closed the window.
inline constexpr std::chrono::milliseconds kEndLimit{10'000};

// Events come on the engine thread, in order. Methods may be called from any thread; none of them waits.
// Requests about the model are taken in order; answers run side by side, as many as the plan has slots, and others wait
// in a queue (request_queue.h). A load, replan or unload ends the answers that run (kStopped) once its own inputs were
// accepted.
class EngineThread {
 public:
  EngineThread(std::function<void(Event)> on_event,
               BackendFactory make_backend,  // the registry's make_backend, or a test's
               std::chrono::milliseconds end_limit = kEndLimit);
  // Stops what runs and joins the thread. One that has not ended within the limit, because a driver does not come back
  // from a call, is left behind with all that it uses, and tells nothing more.
  ~EngineThread();
  // Threads that were left behind and have not ended since: a program that has some ends by std::_Exit(), since they
  // may still use what the usual end destroys.
  static std::size_t n_left_behind();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  // Replaces what is loaded, once the new header and plan were accepted. Where both models fit at once the old one goes
  // only when the new one is ready, so a cancelled or failed load changes nothing; else the old one goes first, which a
  // ModelUnloaded of this request tells.
  RequestId load(LoadRequest request);
  // New session arenas under the weights that are loaded (plan/reload_need.h): answered by ModelLoaded. The caches
  // start empty. If it is stopped, or mapping fails although the bytes were free, the old arenas are mapped again
  // (Failed); if even that fails the model is given up (Failed, then ModelUnloaded).
  RequestId replan(std::shared_ptr<const MemoryPlan> plan);
  RequestId unload();
  // How fast devices are, one after the other, between answers: answered by DevicesMeasured. Beside a loaded model a
  // measurement takes no more than the rules of its plan leave; a device with less than kLeastMeasureBytes is left out.
  RequestId measure(std::vector<DeviceInfo> devices);
  // Fills every slot of the loaded plan to its end and writes short answers (run/verify_plan.h): answered by Verified,
  // or Failed; kUsage while answers are written or wait. Requests that come meanwhile wait. Conversations lose their
  // caches: the next answer of each reads its prompt again.
  RequestId verify();
  RequestId generate(GenerateRequest request);
  // Also one that still waits in the queue: it ends as soon as the step that runs is done. Unknown ids are ignored. A
  // load or replan that was stopped before the new took the place of the old fails with kCancelled; a stop after that
  // is ignored.
  void stop(RequestId request);

  // Whether somebody looks at the memory (at first: yes). While nobody does and nothing is asked of it, the thread
  // sleeps and reads none; once somebody does, a reading follows unless the last one is of a moment before.
  void set_watched(bool is_watched);

  // What reads prompts of the model that is loaded now, for who counts tokens beside the answers: const, any thread.
  // While somebody keeps it, an unload leaves the tokenizer on the heap. Absent: no model is loaded.
  std::optional<PromptParts> prompt_parts() const;

 private:
  struct Impl;
  std::chrono::milliseconds end_limit_;
  std::shared_ptr<Impl> impl_;  // the thread has a share: it may be left behind
};

}  // namespace headroom
