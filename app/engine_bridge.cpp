#include "app/engine_bridge.h"

#include <QDateTime>
#include <QThread>
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "app/native_path.h"
#include "base/check.h"
#include "base/overloaded.h"
#include "run/prompt.h"
#include "ui/background/background.h"
#include "ui/format/message_words.h"

namespace headroom::app {

namespace {

ui::ChatEnd endOf(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEndOfTurn: return ui::ChatEnd::EndOfTurn;
    case FinishReason::kMaxTokens: return ui::ChatEnd::MaxTokens;
    case FinishReason::kStopString: return ui::ChatEnd::StopString;
    case FinishReason::kStopped: return ui::ChatEnd::Stopped;
    case FinishReason::kContextFull: return ui::ChatEnd::ContextFull;
  }
  return ui::ChatEnd::Stopped;
}

ui::ChatFigures figuresOf(const GenerationStats& stats) {
  ui::ChatFigures figures;
  figures.promptTokens = stats.prompt_tokens;
  figures.reusedTokens = stats.reused_tokens;
  figures.heldTokens = stats.before.held_tokens;
  figures.sharedTokens = stats.before.shared_tokens;
  figures.heldOther = stats.before.was_others;
  figures.generatedTokens = stats.generated_tokens;
  figures.contextUsed = stats.context_used;
  figures.contextLength = stats.n_ctx;
  figures.prefillSeconds = stats.prefill_seconds;
  figures.decodeSeconds = stats.decode_seconds;
  figures.seed = stats.seed;
  return figures;
}

// Absent: it was stopped.
std::optional<ui::TokenCounts> countTokens(const PromptParts& parts, const PromptText& prompt,
                                           const std::vector<std::string>& texts, const StopToken& stop) {
  ui::TokenCounts counts;
  counts.contextLength = parts.options.n_ctx;
  for (const std::string& text : texts) {
    TokenSink sink(0, stop);
    const TextPiece piece{text, TextOrigin::kMessage};
    parts.text.tokenizer->encode_to(sink, {&piece, 1}, false);
    counts.texts.push_back(static_cast<quint32>(std::min<std::size_t>(sink.n_tokens(), UINT32_MAX)));
  }
  if (!prompt.messages.empty()) {
    const PromptOutcome outcome = read_prompt(parts.text, prompt, parts.options, stop);
    if (const auto* read = std::get_if<ReadPrompt>(&outcome)) {
      counts.promptTokens = static_cast<quint32>(read->tokens.size());
    } else if (const auto* tooLong = std::get_if<PromptTooLong>(&outcome)) {
      counts.promptTokens = tooLong->prompt_tokens;
      counts.isAtLeast = tooLong->text_bytes > 0;
    }
  }
  if (stop.stop_requested()) return std::nullopt;
  return counts;
}

PromptText promptOf(const ui::ChatRequest& request) {
  PromptText prompt;
  prompt.messages = request.messages;
  prompt.allow_plain_template = request.allowPlainTemplate;
  prompt.continue_last = request.continueLast;
  prompt.thinking = request.thinking;
  return prompt;
}

}  // namespace

EngineBridge::EngineBridge(BackendFactory makeBackend, QObject* parent) : ui::EnginePort(parent) {
  // The engine bounds how often it tells of text, progress and memory; here each event only changes threads.
  const auto forward = [this](Event event) {
    QMetaObject::invokeMethod(
        this, [this, event = std::move(event)] { receive(event); }, Qt::QueuedConnection);
  };
  m_engine = std::make_unique<EngineThread>(forward, std::move(makeBackend));
  m_counting.setMaxThreadCount(1);
}

// The engine thread ends before anything that its events touch. A count looks at its token after every word.
EngineBridge::~EngineBridge() {
  m_countStop.request_stop();
  m_engine.reset();
}

quint64 EngineBridge::load(const QString& path, std::shared_ptr<const MemoryPlan> plan) {
  const RequestId request = m_engine->load({toNativePath(path), std::move(plan)});
  m_paths.insert(request, path);
  return request;
}

quint64 EngineBridge::replan(std::shared_ptr<const MemoryPlan> plan) { return m_engine->replan(std::move(plan)); }

quint64 EngineBridge::verify() { return m_engine->verify(); }

quint64 EngineBridge::unload() { return m_engine->unload(); }

quint64 EngineBridge::generate(const ui::ChatRequest& request) {
  GenerateRequest generate;
  generate.prompt = promptOf(request);
  generate.conversation = request.conversation;
  generate.max_tokens = request.maxTokens;
  generate.sampler = request.sampler;
  return m_engine->generate(std::move(generate));
}

void EngineBridge::stop(quint64 request) { m_engine->stop(request); }

// Not by the engine's reader of prompts, behind which answers wait. It takes what reading one prompt more does of the
// heap, for as long as it runs.
quint64 EngineBridge::count(const ui::CountRequest& request) {
  std::optional<PromptParts> parts = m_engine->prompt_parts();
  if (!parts || parts->text.tokenizer == nullptr) return 0;
  const quint64 id = ++m_lastCount;
  ui::runInBackground(
      m_counting, this,
      [parts = std::move(*parts), prompt = promptOf(request.prompt), texts = request.texts,
       stop = m_countStop.token()]() -> std::optional<ui::TokenCounts> {
        ui::yieldToOthers();  // whoever computes an answer meanwhile
        try {
          return countTokens(parts, prompt, texts, stop);
        } catch (const std::bad_alloc&) {  // then nobody knows
          return ui::TokenCounts();
        }
      },
      [this, id](const std::optional<ui::TokenCounts>& counts) {
        if (counts) emit tokensCounted(id, *counts);
      });
  return id;
}

// Nobody waits any more for what was counted of the model before.
void EngineBridge::stopCounting() {
  m_countStop.request_stop();
  m_countStop = {};
}

void EngineBridge::receive(const Event& event) {
  CHECK(QThread::currentThread() == thread(), "engine events are handled on the GUI thread");
  if (const auto* reading = std::get_if<headroom::MemoryReading>(&event.body)) return tellReading(*reading);
  const RequestId id = event.request;
  std::visit(
      Overloaded{
          [&](const LoadProgress& progress) { emit loadProgressed(id, progress.bytes_done, progress.bytes_total); },
          [&](const ModelLoaded& loaded) { tellLoaded(id, loaded); },
          [&](const ModelUnloaded&) {
            stopCounting();
            emit modelUnloaded(id);
          },
          [&](const Failed& problem) {
            m_paths.remove(id);
            emit failed(id, problem.error);
          },
          [&](const PrefillProgress& progress) {
            emit prefillProgressed(id, progress.tokens_done, progress.tokens_total);
          },
          [&](const TextDelta& delta) {
            if (!delta.thinking.empty())
              emit thinkingArrived(id, QString::fromStdString(delta.thinking), delta.context_used);
            if (!delta.text.empty()) emit textArrived(id, QString::fromStdString(delta.text), delta.context_used);
          },
          [&](const GenerationFinished& finished) {
            emit answerTimed(finished.decode_times, prompt_times(finished.stats));
            emit generationFinished(id, endOf(finished.reason), figuresOf(finished.stats));
          },
          [&](const PromptTooLong& prompt) {
            emit promptTooLong(id, prompt.prompt_tokens, prompt.n_ctx, prompt.text_bytes > 0);
          },
          [](const headroom::MemoryReading&) {},
          [&](const DevicesMeasured& measured) { emit devicesMeasured(measured); },
          [&](const VerifyProgress& progress) { emit verifyProgressed(id, progress); },
          [&](const Verified& verified) { emit planVerified(id, verified.found); },
      },
      event.body);
}

void EngineBridge::tellLoaded(RequestId request, const ModelLoaded& loaded) {
  // A new plan for what is loaded brings no path of its own.
  if (m_paths.contains(request)) m_path = m_paths.take(request);
  ui::LoadedModel model;
  model.path = m_path;
  model.model = loaded.model;
  model.plan = loaded.plan;
  model.seconds = loaded.seconds;
  model.templateProblem = loaded.template_problem;
  model.thinkingChoices = loaded.thinking_choices;
  for (const ArenaReport& arena : loaded.memory.arenas) {
    model.arenas.push_back({QString::fromStdString(arena.device), arena.lifetime == Lifetime::kSession,
                            arena.planned_bytes, arena.mapped_bytes});
  }
  stopCounting();
  emit modelLoaded(request, model);
}

void EngineBridge::tellReading(const headroom::MemoryReading& reading) {
  for (const auto& [device, sample] : reading.devices) {
    ui::MemoryReading told;
    told.timeMs = QDateTime::currentMSecsSinceEpoch();
    told.device = QString::fromStdString(device);
    told.total = sample.total;
    told.free = sample.free;
    told.ours = sample.ours;
    told.account = sample.account;
    told.kvTokensUsed = reading.kv_tokens_used;
    told.grown = reading.grown;
    emit memoryRead(told);
  }
}

}  // namespace headroom::app
