// One loaded model that answers, for the subcommands that talk to it.
#pragma once

#include <optional>
#include <string>

#include "event_queue.h"
#include "plan_arguments.h"
#include "run/engine_thread.h"

namespace headroom::cli {

// How an answer ended: finished, or an error.
struct Answer {
  std::string text;
  std::optional<GenerationFinished> finished;
  std::optional<Error> error;
};

// Owns the engine thread and waits for its events; Ctrl-C cancels a load and stops an answer.
class Chat {
 public:
  explicit Chat(PlannedModel planned);

  std::optional<Error> load();
  Answer answer(GenerateRequest request, bool stream);
  const ModelLoaded& loaded() const { return *m_loaded; }

 private:
  PlannedModel m_planned;
  EventQueue m_events;  // outlives the engine, which pushes to it
  EngineThread m_engine;
  std::optional<ModelLoaded> m_loaded;
};

}  // namespace headroom::cli
