#include "chat.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "command.h"
#include "device_speeds.h"

namespace headroom::cli {
namespace {

constexpr auto kInterruptInterval = std::chrono::milliseconds(50);

}  // namespace

Chat::Chat(PlannedModel planned, const Interrupts& interrupts, BackendFactory makeBackend)
    : m_planned(std::move(planned)),
      m_interrupts(interrupts),
      m_engine([this](Event event) { m_events.push(std::move(event)); }, std::move(makeBackend)) {}

bool Chat::mustStop() const { return m_interrupts.isAsked() || outputIsLost(); }

// The next event of a request, which is asked to stop as soon as it must.
Event Chat::nextEvent(RequestId id) {
  while (true) {
    if (mustStop()) m_engine.stop(id);
    std::optional<Event> event = m_events.pop(kInterruptInterval);
    if (event && event->request == id) return std::move(*event);
  }
}

std::optional<Error> Chat::load() {
  if (mustStop()) return Error{ErrorCode::kCancelled, Message::plain("interrupted before the load began")};
  const RequestId id = m_engine.load({m_planned.file.path(), m_planned.plan});
  while (true) {
    Event event = nextEvent(id);
    if (auto* failed = std::get_if<Failed>(&event.body)) return failed->error;
    if (auto* loaded = std::get_if<ModelLoaded>(&event.body)) {
      m_loaded = std::move(*loaded);
      // A stop that the engine was asked for too late counts all the same.
      if (mustStop()) return Error{ErrorCode::kCancelled, Message::plain("interrupted when the model was just loaded")};
      return std::nullopt;
    }
  }
}

Answer Chat::answer(GenerateRequest request, bool stream) {
  Answer answer;
  if (mustStop()) {
    answer.error = Error{ErrorCode::kCancelled, Message::plain("interrupted before the answer began")};
    return answer;
  }
  const RequestId id = m_engine.generate(std::move(request));
  bool thoughtIsShown = false;
  while (true) {
    const Event event = nextEvent(id);
    if (const auto* delta = std::get_if<TextDelta>(&event.body)) {
      answer.thinking += delta->thinking;
      if (stream && !delta->thinking.empty()) thoughtIsShown |= printFaint(delta->thinking);
      answer.text += delta->text;
      if (!stream || delta->text.empty()) continue;
      if (std::exchange(thoughtIsShown, false)) print("\n\n");
      print(delta->text);
    } else if (const auto* failed = std::get_if<Failed>(&event.body)) {
      answer.error = failed->error;
      return answer;
    } else if (const auto* tooLong = std::get_if<PromptTooLong>(&event.body)) {
      const std::string length =
          tooLong->text_bytes > 0
              ? fmt::format("at least {} tokens ({} bytes of text, a context of {} tokens holds at most {})",
                            tooLong->prompt_tokens, tooLong->text_bytes, tooLong->n_ctx, tooLong->most_bytes)
              : fmt::format("{} tokens", tooLong->prompt_tokens);
      answer.error =
          Error{ErrorCode::kDoesNotFit,
                Message::plain(fmt::format("the prompt has {}, the context holds {}: no room for an answer (--ctx)",
                                           length, tooLong->n_ctx))};
      return answer;
    } else if (const auto* finished = std::get_if<GenerationFinished>(&event.body)) {
      answer.finished = *finished;
      learnSpeeds(*m_loaded, *finished);
      return answer;
    }
  }
}

Result<Verification> Chat::verify(const std::function<void(const VerifyProgress&)>& onProgress) {
  if (mustStop()) return Error{ErrorCode::kCancelled, Message::plain("interrupted before it began")};
  const RequestId id = m_engine.verify();
  while (true) {
    const Event event = nextEvent(id);
    if (const auto* progress = std::get_if<VerifyProgress>(&event.body)) {
      onProgress(*progress);
    } else if (const auto* failed = std::get_if<Failed>(&event.body)) {
      return failed->error;
    } else if (const auto* verified = std::get_if<Verified>(&event.body)) {
      return verified->found;
    }
  }
}

}  // namespace headroom::cli
