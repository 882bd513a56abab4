// One loaded model that answers, for the subcommands that talk to it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "event_queue.h"
#include "interrupts.h"
#include "kept_kernels.h"
#include "plan_arguments.h"
#include "run/engine_thread.h"

namespace headroom::cli {

// How an answer ended: finished, or an error.
struct Answer {
  std::string text, thinking;
  std::optional<GenerationFinished> finished;
  std::optional<Error> error;
};

// Owns the engine thread and waits for its events. An interrupt, or a stdout that was lost, cancels a load and stops an
// answer: the load is then an error (kCancelled), however far it had come, and the answer is what there was of it.
class Chat {
 public:
  Chat(PlannedModel planned, const Interrupts& interrupts, BackendFactory makeBackend = backendFactory());

  std::optional<Error> load();
  Answer answer(GenerateRequest request, bool stream);
  // Errors as of EngineThread::verify().
  Result<Verification> verify(const std::function<void(const VerifyProgress&)>& onProgress);
  const ModelLoaded& loaded() const { return *m_loaded; }

 private:
  bool mustStop() const;
  Event nextEvent(RequestId id);

  PlannedModel m_planned;
  const Interrupts& m_interrupts;
  EventQueue m_events;  // outlives the engine, which pushes to it
  EngineThread m_engine;
  std::optional<ModelLoaded> m_loaded;
};

}  // namespace headroom::cli
