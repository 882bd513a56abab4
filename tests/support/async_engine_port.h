// An engine port that answers as the engine thread does: in its own time, one command after the other, as many answers
// at once as its plan has slots, with what was still on its way when something was stopped. What comes when, and what
// fails, is drawn from a seed.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "ui/engine_port.h"

namespace headroom::test {

class AsyncEnginePort : public ui::EnginePort {
  Q_OBJECT
 public:
  explicit AsyncEnginePort(std::mt19937& random) : m_random(random) {}

  // In percent. None: events come late and in their order, as from the engine.
  struct Faults {
    unsigned lost = 0, repeated = 0;
  };
  Faults faults;
  bool isReliable = false;                // nothing is refused any more and no load fails
  std::vector<ChatMessage> lastMessages;  // of the newest generate()

  quint64 load(const QString& path, std::shared_ptr<const MemoryPlan> plan) override {
    return post({Command::Load, 0, path, std::move(plan)});
  }
  quint64 replan(std::shared_ptr<const MemoryPlan> plan) override { return post({Command::Replan, 0, {}, plan}); }
  quint64 unload() override { return post({Command::Unload, 0, {}, nullptr}); }
  quint64 generate(const ui::ChatRequest& request) override {
    lastMessages = request.messages;
    return post({Command::Generate, 0, {}, nullptr, request.conversation});
  }
  void stop(quint64 request) override { m_stopped.insert(request); }
  quint64 count(const ui::CountRequest&) override { return 0; }
  void setWatched(bool) override {}

  // One step of the engine thread. False: it has nothing to do.
  bool work() {
    if (m_loading) return goOnLoading();
    const bool answers = !m_running.empty() || !m_waiting.empty();
    if (!m_commands.empty() && (!answers || oneIn(2))) {
      const Command command = m_commands.front();
      m_commands.pop_front();
      handle(command);
      return true;
    }
    return answers ? goOnAnswering() : false;
  }
  // The next event reaches the window. False: none is on its way.
  bool deliver() {
    if (!m_told.empty() && percent(faults.repeated)) m_told[m_random() % m_told.size()]();
    if (m_events.empty()) return false;
    const std::function<void()> event = m_events.front();
    m_events.pop_front();
    if (percent(faults.lost)) return true;
    if (faults.repeated > 0) m_told.push_back(event);
    event();
    return true;
  }
  const std::optional<QString>& loadedPath() const { return m_path; }

 private:
  static constexpr quint32 kPromptTokens = 40;

  struct Command {
    enum Kind { Load, Replan, Unload, Generate } kind;
    quint64 id;
    QString path;
    std::shared_ptr<const MemoryPlan> plan;
    quint64 conversation = 0;
  };
  struct Answer {
    quint64 id, conversation;
    unsigned nTexts;
    quint32 contextUsed = kPromptTokens;
  };

  bool oneIn(unsigned n) { return m_random() % n == 0; }
  bool fails(unsigned n) { return !isReliable && oneIn(n); }
  bool percent(unsigned share) { return share > 0 && m_random() % 100 < share; }
  quint64 post(Command command) {
    command.id = ++m_lastId;
    m_commands.push_back(command);
    return m_lastId;
  }
  void tell(std::function<void()> event) { m_events.push_back(std::move(event)); }
  void tellFailed(quint64 id, ErrorCode code, const char* message) {
    tell([this, id, error = Error{code, Message::plain(message)}] { emit failed(id, error); });
  }
  void tellText(Answer& answer) {
    const QString text = QStringLiteral("word%1 ").arg(++m_nTexts);
    const quint64 id = answer.id;
    const quint32 used = ++answer.contextUsed;
    if (oneIn(4)) tell([this, id, text, used] { emit thinkingArrived(id, text, used); });
    tell([this, id, text, used] { emit textArrived(id, text, used); });
  }
  void tellFinished(quint64 id, ui::ChatEnd end) {
    ui::ChatFigures figures;
    figures.promptTokens = kPromptTokens;
    figures.generatedTokens = 10;
    figures.contextUsed = 50;
    figures.contextLength = 512;
    figures.decodeSeconds = 1;
    tell([this, id, end, figures] { emit generationFinished(id, end, figures); });
  }
  void tellLoaded(const Command& command) {
    auto model = std::make_shared<ModelInfo>();
    model->name = m_path->toStdString();
    ui::LoadedModel loaded{*m_path, std::move(model), command.plan, {}, 0.5, {}};
    m_nSlots = command.plan->options.n_slots;
    if (fails(6)) loaded.templateProblem = Message::plain("line 3: unknown filter");
    tell([this, id = command.id, loaded] { emit modelLoaded(id, loaded); });
  }
  void tellUnloaded(quint64 id) {
    m_path.reset();
    tell([this, id] { emit modelUnloaded(id); });
  }

  void handle(const Command& command) {
    const bool isStopped = m_stopped.contains(command.id);
    switch (command.kind) {
      case Command::Generate:
        if (m_path) return m_waiting.push_back({command.id, command.conversation, 0});
        return tellFailed(command.id, ErrorCode::kUsage, "no model is loaded");
      case Command::Unload: endAnswers(); return tellUnloaded(command.id);
      case Command::Load:
        if (isStopped) return tellFailed(command.id, ErrorCode::kCancelled, "cancelled before it began");
        if (fails(10)) return tellFailed(command.id, ErrorCode::kBadFile, "not a GGUF file");
        endAnswers();
        if (m_path && oneIn(2)) tellUnloaded(command.id);
        m_loading = {command, m_random() % 4};
        return;
      case Command::Replan:
        if (isStopped) return tellFailed(command.id, ErrorCode::kCancelled, "cancelled before it began");
        if (!m_path || fails(8)) return tellFailed(command.id, ErrorCode::kResource, "does not fit");
        endAnswers();
        if (!fails(8)) return tellLoaded(command);
        tellFailed(command.id, ErrorCode::kResource, "the memory is gone");
        if (oneIn(2)) tellUnloaded(command.id);
    }
  }

  bool goOnLoading() {
    const auto [command, nLeft] = *m_loading;
    if (nLeft > 0 && !m_stopped.contains(command.id)) {
      --m_loading->second;
      tell([this, id = command.id, nLeft = nLeft] { emit loadProgressed(id, 100 - nLeft * 20, 100); });
      return true;
    }
    m_loading.reset();
    if (m_stopped.contains(command.id)) {
      tellFailed(command.id, ErrorCode::kCancelled, "cancelled");
    } else if (fails(8)) {
      tellFailed(command.id, ErrorCode::kResource, "the file has shrunk");
    } else {
      m_path = command.path;
      tellLoaded(command);
    }
    return true;
  }

  // The first that waits and whose conversation has no answer, as in the engine's queue.
  std::deque<Answer>::iterator next() {
    return std::find_if(m_waiting.begin(), m_waiting.end(), [this](const Answer& waiting) {
      return std::none_of(m_running.begin(), m_running.end(),
                          [&](const Answer& one) { return one.conversation == waiting.conversation; });
    });
  }
  bool goOnAnswering() {
    for (auto waiting = m_waiting.begin(); waiting != m_waiting.end(); ++waiting) {
      if (!m_stopped.contains(waiting->id)) continue;
      tellFinished(waiting->id, ui::ChatEnd::Stopped);
      m_waiting.erase(waiting);
      return true;
    }
    if (const auto waiting = next();
        waiting != m_waiting.end() && m_running.size() < m_nSlots && (m_running.empty() || oneIn(2))) {
      const Answer answer = *waiting;
      m_waiting.erase(waiting);
      start(answer);
      return true;
    }
    const auto at = m_running.begin() + static_cast<std::ptrdiff_t>(m_random() % m_running.size());
    if (m_stopped.contains(at->id)) {
      end(at, ui::ChatEnd::Stopped);
    } else if (at->nTexts > 0) {
      --at->nTexts;
      tellText(*at);
    } else {
      end(at, isReliable ? ui::ChatEnd::EndOfTurn : static_cast<ui::ChatEnd>(m_random() % 5));
    }
    return true;
  }
  void start(Answer answer) {
    const quint64 id = answer.id;
    if (fails(6)) return tell([this, id] { emit promptTooLong(id, 700, 512); });
    if (fails(10)) return tellFailed(id, ErrorCode::kResource, "a kernel failed");
    tell([this, id] { emit prefillProgressed(id, 30, kPromptTokens); });
    answer.nTexts = isReliable ? 3 : static_cast<unsigned>(m_random() % 6);
    m_running.push_back(answer);
  }
  void end(std::vector<Answer>::iterator at, ui::ChatEnd end) {
    if (oneIn(2)) tellText(*at);  // what was not told yet is flushed
    tellFinished(at->id, end);
    m_running.erase(at);
  }
  void endAnswers() {
    for (const Answer& answer : std::exchange(m_waiting, {})) tellFinished(answer.id, ui::ChatEnd::Stopped);
    while (!m_running.empty()) end(m_running.begin(), ui::ChatEnd::Stopped);
  }

  std::mt19937& m_random;
  quint64 m_lastId = 0;
  unsigned m_nTexts = 0;
  std::optional<QString> m_path;  // of the loaded model
  std::deque<Command> m_commands;
  std::set<quint64> m_stopped;
  std::optional<std::pair<Command, unsigned>> m_loading;  // and how many steps it still takes
  std::deque<Answer> m_waiting;
  std::vector<Answer> m_running;
  std::size_t m_nSlots = 1;
  std::deque<std::function<void()>> m_events;
  std::vector<std::function<void()>> m_told;
};

}  // namespace headroom::test
