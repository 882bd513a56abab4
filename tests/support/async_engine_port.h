// An engine port that answers as the engine thread does: in its own time, one command after the other, with what was
// still on its way when something was stopped. What comes when, and what fails, is drawn from a seed.
#pragma once

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
    return post({Command::Generate, 0, {}, nullptr});
  }
  void stop(quint64 request) override { m_stopped.insert(request); }

  // One step of the engine thread. False: it has nothing to do.
  bool work() {
    if (m_loading) return goOnLoading();
    const bool answers = m_running || !m_waiting.empty();
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
  struct Command {
    enum Kind { Load, Replan, Unload, Generate } kind;
    quint64 id;
    QString path;
    std::shared_ptr<const MemoryPlan> plan;
  };
  struct Answer {
    quint64 id;
    unsigned nTexts;
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
    tell([this, id, error = Error{code, message}] { emit failed(id, error); });
  }
  void tellText(quint64 id) {
    const QString text = QStringLiteral("word%1 ").arg(++m_nTexts);
    if (oneIn(4)) tell([this, id, text] { emit thinkingArrived(id, text); });
    tell([this, id, text] { emit textArrived(id, text); });
  }
  void tellFinished(quint64 id, ui::ChatEnd end) {
    ui::ChatFigures figures;
    figures.promptTokens = 40;
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
    if (fails(6)) loaded.templateProblem = QStringLiteral("line 3: unknown filter");
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
        if (m_path) return m_waiting.push_back({command.id, 0});
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

  bool goOnAnswering() {
    if (!m_running) {
      const Answer next = m_waiting.front();
      m_waiting.pop_front();
      start(next.id);
    } else if (m_stopped.contains(m_running->id)) {
      endRunning(ui::ChatEnd::Stopped);
    } else if (m_running->nTexts > 0) {
      --m_running->nTexts;
      tellText(m_running->id);
    } else {
      endRunning(isReliable ? ui::ChatEnd::EndOfTurn : static_cast<ui::ChatEnd>(m_random() % 5));
    }
    return true;
  }
  void start(quint64 id) {
    if (m_stopped.contains(id)) return tellFinished(id, ui::ChatEnd::Stopped);
    if (fails(6)) return tell([this, id] { emit promptTooLong(id, 700, 512); });
    if (fails(10)) return tellFailed(id, ErrorCode::kResource, "a kernel failed");
    tell([this, id] { emit prefillProgressed(id, 30, 40); });
    m_running = Answer{id, isReliable ? 3 : static_cast<unsigned>(m_random() % 6)};
  }
  void endRunning(ui::ChatEnd end) {
    if (oneIn(2)) tellText(m_running->id);  // what was not told yet is flushed
    tellFinished(m_running->id, end);
    m_running.reset();
  }
  void endAnswers() {
    for (const Answer& answer : std::exchange(m_waiting, {})) tellFinished(answer.id, ui::ChatEnd::Stopped);
    if (m_running) endRunning(ui::ChatEnd::Stopped);
  }

  std::mt19937& m_random;
  quint64 m_lastId = 0;
  unsigned m_nTexts = 0;
  std::optional<QString> m_path;  // of the loaded model
  std::deque<Command> m_commands;
  std::set<quint64> m_stopped;
  std::optional<std::pair<Command, unsigned>> m_loading;  // and how many steps it still takes
  std::deque<Answer> m_waiting;
  std::optional<Answer> m_running;
  std::deque<std::function<void()>> m_events;
  std::vector<std::function<void()>> m_told;
};

}  // namespace headroom::test
