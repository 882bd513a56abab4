#include "ui/chat/context_meter.h"

#include <algorithm>

#include "plan/speed.h"

namespace headroom::ui {

void ContextMeter::estimate(qsizetype sentChars) {
  m_figures.used = static_cast<quint32>(m_tokensPerChar * static_cast<double>(sentChars));
  m_figures.isEstimate = m_figures.used > 0;
  m_figures.isAtLeast = false;
}

void ContextMeter::learn(const chat_effect::Count& count) {
  if (count.tokens == 0 || count.chars == 0) return;
  const double ratio = static_cast<double>(count.tokens) / static_cast<double>(count.chars);
  m_tokensPerChar = count.isAtLeast ? std::max(m_tokensPerChar, ratio) : ratio;
}

void ContextMeter::tooLong(quint32 promptTokens, bool isAtLeast) {
  m_figures.used = promptTokens;  // counted by the engine, where the estimate was ours
  m_figures.isEstimate = false;
  m_figures.isAtLeast = isAtLeast;
}

void ContextMeter::start() {
  forgetSpeed();
  m_firstUsed = 0;
}

void ContextMeter::grow(quint32 contextUsed) {
  if (contextUsed == 0) return;
  if (m_firstUsed == 0) {
    m_firstUsed = contextUsed;
    m_clock.start();
  } else if (contextUsed > m_firstUsed && m_clock.elapsed() > 0) {
    m_figures.tokensPerSecond = 1000.0 * (contextUsed - m_firstUsed) / static_cast<double>(m_clock.elapsed());
  }
  m_figures.used = contextUsed;
  m_figures.isEstimate = m_figures.isAtLeast = false;
}

void ContextMeter::finish(const ChatFigures& figures, double predictedTokensPerSecond) {
  // The last token of a full context is shown and has no place in it.
  m_figures.used = std::min(figures.contextUsed, figures.contextLength);
  m_figures.isAtLeast = m_figures.isEstimate = false;
  m_figures.length = figures.contextLength;
  m_figures.tokensPerSecond = figures.decodeSeconds > 0 ? figures.generatedTokens / figures.decodeSeconds : 0;
  m_figures.predictedTokensPerSecond = m_figures.tokensPerSecond > 0 ? predictedTokensPerSecond : 0;
}

double predictedTokensPerSecond(const ModelInfo& model, const MemoryPlan& plan, const std::vector<DeviceInfo>& known,
                                const ChatFigures& figures) {
  if (plan.placement.layers.empty()) return 0;
  std::vector<DeviceInfo> devices = plan.devices;
  for (DeviceInfo& device : devices) {
    for (const DeviceInfo& one : known) {
      if (one.id == device.id) device.speed = one.speed;
    }
  }
  const quint32 nPositions = figures.contextUsed - std::min(figures.contextUsed, figures.generatedTokens / 2);
  return estimate_tokens_per_s(model, devices, plan.placement, plan.options, nPositions).value_or(0);
}

}  // namespace headroom::ui
