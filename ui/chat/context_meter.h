// How much of the context a conversation uses, and how fast its answers come: counted where the engine told, estimated
// before. No Qt object.
#pragma once

#include <QElapsedTimer>
#include <memory>
#include <optional>
#include <vector>

#include "ui/chat/chat_stage.h"

namespace headroom::ui {

struct ContextFigures {
  quint32 used = 0, length = 0;
  bool isEstimate = false;              // nothing of this conversation was counted yet
  bool isAtLeast = false;               // it is longer than the context, and was not counted to its end
  double tokensPerSecond = 0;           // of the running or the last answer; 0: unknown
  double predictedTokensPerSecond = 0;  // for the last answer, once it is there; 0: unknown
};

class ContextMeter {
 public:
  const ContextFigures& figures() const { return m_figures; }
  double tokensPerChar() const { return m_tokensPerChar; }

  void setLength(quint32 length) { m_figures.length = length; }
  void estimate(qsizetype sentChars);
  void learn(const chat_effect::Count& count);  // how many tokens a character is
  void tooLong(quint32 promptTokens, bool isAtLeast);

  // A speed belongs to an answer of this conversation by the model that is loaded.
  void forgetSpeed() { m_figures.tokensPerSecond = m_figures.predictedTokensPerSecond = 0; }
  void start();                    // an answer
  void grow(quint32 contextUsed);  // by the running one
  void finish(const ChatFigures& figures, double predictedTokensPerSecond);

 private:
  ContextFigures m_figures;
  double m_tokensPerChar = 0.3;  // typical for English until it is measured
  QElapsedTimer m_clock;         // since the first text of the running answer
  quint32 m_firstUsed = 0;       // with that text
};

// For an answer of these figures by this plan, for what its tokens saw in the mean; 0: unknown. `known` has the speeds
// that were measured since the plan was made.
double predictedTokensPerSecond(const ModelInfo& model, const MemoryPlan& plan, const std::vector<DeviceInfo>& known,
                                const ChatFigures& figures);

}  // namespace headroom::ui
