#include "chat.h"

#include <fmt/format.h>

#include <chrono>

#include "backend/registry.h"
#include "command.h"

namespace headroom::cli {
namespace {

constexpr auto kInterruptInterval = std::chrono::milliseconds(50);

}  // namespace

Chat::Chat(PlannedModel planned)
    : m_planned(std::move(planned)), m_engine([this](Event event) { m_events.push(std::move(event)); }, make_backend) {}

std::optional<Error> Chat::load() {
  const InterruptGuard guard;
  const RequestId id = m_engine.load({m_planned.file.path(), m_planned.plan});
  while (true) {
    if (InterruptGuard::wasInterrupted()) m_engine.stop(id);
    std::optional<Event> event = m_events.pop(kInterruptInterval);
    if (!event || event->request != id) continue;
    if (auto* failed = std::get_if<Failed>(&event->body)) return failed->error;
    if (auto* loaded = std::get_if<ModelLoaded>(&event->body)) {
      m_loaded = std::move(*loaded);
      return std::nullopt;
    }
  }
}

Answer Chat::answer(GenerateRequest request, bool stream) {
  const InterruptGuard guard;
  const RequestId id = m_engine.generate(std::move(request));
  Answer answer;
  while (true) {
    if (InterruptGuard::wasInterrupted()) m_engine.stop(id);
    std::optional<Event> event = m_events.pop(kInterruptInterval);
    if (!event || event->request != id) continue;
    if (const auto* delta = std::get_if<TextDelta>(&event->body)) {
      answer.text += delta->text;
      if (stream) print(delta->text);
    } else if (const auto* failed = std::get_if<Failed>(&event->body)) {
      answer.error = failed->error;
      return answer;
    } else if (const auto* tooLong = std::get_if<PromptTooLong>(&event->body)) {
      answer.error = Error{ErrorCode::kDoesNotFit,
                           fmt::format("the prompt has {} tokens, the context holds {}: no room for an answer (--ctx)",
                                       tooLong->prompt_tokens, tooLong->n_ctx)};
      return answer;
    } else if (const auto* finished = std::get_if<GenerationFinished>(&event->body)) {
      answer.finished = *finished;
      return answer;
    }
  }
}

}  // namespace headroom::cli
