// What the window asks of an engine and hears from it. The window links no engine: app/engine_bridge implements this
// over engine/run, tests over a fake.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/memory_growth.h"
#include "base/result.h"
#include "model/model_info.h"
#include "plan/memory_plan.h"
#include "text/chat_message.h"
#include "text/sampler_settings.h"
#include "text/thinking.h"

namespace headroom::ui {

struct ArenaFigures {  // one arena after a load: what was planned, what was mapped
  QString device;
  bool ofSession = false;
  Bytes plannedBytes = 0, mappedBytes = 0;
};

struct LoadedModel {
  QString path;
  std::shared_ptr<const ModelInfo> model;
  std::shared_ptr<const MemoryPlan> plan;
  std::vector<ArenaFigures> arenas;
  double seconds = 0;
  Message templateProblem;               // not empty: why the file's own chat template cannot be used
  ThinkingChoices thinkingChoices = {};  // what that template takes
};

struct MemoryReading {  // one device at one moment
  qint64 timeMs = 0;    // since the epoch
  QString device;       // DeviceInfo::id
  Bytes total = 0, free = 0, ours = 0;
  quint32 kvTokensUsed = 0;
  MemoryGrowth grown = {};  // since the load
  MemoryAccount account = {};
};

struct ChatRequest {
  quint64 conversation = 0;  // answers of one conversation come in their order, and it finds its cache again; 0: none
  std::vector<ChatMessage> messages;
  bool continueLast = false;
  bool allowPlainTemplate = false;
  quint32 maxTokens = 0;  // 0: until the context is full
  SamplerSettings sampler;
  ThinkingChoice thinking = ThinkingChoice::kDefault;
};

enum class ChatEnd { EndOfTurn, MaxTokens, StopString, Stopped, ContextFull };

struct ChatFigures {
  quint32 promptTokens = 0, reusedTokens = 0, generatedTokens = 0, contextUsed = 0, contextLength = 0;
  // Of the cache that it was given, before: tokens that it held, with how many of them the prompt begins, and whether
  // they were of another conversation.
  quint32 heldTokens = 0, sharedTokens = 0;
  bool heldOther = false;
  double prefillSeconds = 0, decodeSeconds = 0;
  quint64 seed = 0;
};

// What is to be counted with the tokenizer of the loaded model.
struct CountRequest {
  ChatRequest prompt;              // as generate() would be given it; without messages: none
  std::vector<std::string> texts;  // each by itself, as a part of a message
};

struct TokenCounts {
  quint32 promptTokens = 0, contextLength = 0;  // 0 tokens: not counted, or the template refuses the messages
  bool isAtLeast = false;                       // a prompt so long was not counted to its end
  std::vector<quint32> texts;
};

// Lives on the GUI thread; no method waits; signals come on the GUI thread. Every answer carries the id that its
// request returned; ids grow. Requests about the model end in their order, each once: by modelLoaded, modelUnloaded (of
// an unload) or failed; a load or replan may tell modelUnloaded on its way. Each generate ends once, by
// generationFinished, promptTooLong or failed; those of a model that goes end before its end is told, those asked later
// are answered by the model that is there then. Who hears drops what it no longer waits for.
class EnginePort : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  virtual quint64 load(const QString& path, std::shared_ptr<const MemoryPlan> plan) = 0;
  virtual quint64 replan(std::shared_ptr<const MemoryPlan> plan) = 0;
  virtual quint64 unload() = 0;
  virtual quint64 generate(const ChatRequest& request) = 0;
  virtual void stop(quint64 request) = 0;
  // Beside all answers, on a thread of its own, in the order of the questions. Its ids are of their own kind and grow;
  // tokensCounted() follows, unless another model comes before. 0: no model is loaded, nothing follows.
  virtual quint64 count(const CountRequest& request) = 0;
  // Whether somebody looks at the memory (at first: yes); while nobody does an idle engine reads none.
  virtual void setWatched(bool isWatched) = 0;

 signals:
  void loadProgressed(quint64 request, quint64 bytesDone, quint64 bytesTotal);
  void modelLoaded(quint64 request, const headroom::ui::LoadedModel& loaded);
  void modelUnloaded(quint64 request);
  void failed(quint64 request, const headroom::Error& error);  // kCancelled: the user's own doing
  // The first one of a request tells that it has a slot: until then it waits for one.
  void prefillProgressed(quint64 request, quint32 tokensDone, quint32 tokensTotal);
  // At most about 30 times a second each: of the answer, and of what the model thinks before it. `contextUsed` is how
  // many positions prompt and answer have by then; 0: nobody counted.
  void textArrived(quint64 request, const QString& text, quint32 contextUsed = 0);
  void thinkingArrived(quint64 request, const QString& text, quint32 contextUsed = 0);
  void generationFinished(quint64 request, headroom::ui::ChatEnd end, const headroom::ui::ChatFigures& figures);
  // `isAtLeast`: a text so long was not counted to its end.
  void promptTooLong(quint64 request, quint32 promptTokens, quint32 contextLength, bool isAtLeast = false);
  void tokensCounted(quint64 request, const headroom::ui::TokenCounts& counts);
  void memoryRead(const headroom::ui::MemoryReading& reading);  // about 5 times a second, once while idle and watched
};

}  // namespace headroom::ui
