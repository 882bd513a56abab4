// What goes wrong in a chat, and the ways out: of a context that is full, of a template that cannot be used, of a
// device that is lost.
#include <algorithm>
#include <utility>

#include "ui/chat/chat_request.h"
#include "ui/chat/chat_session.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {

namespace {

constexpr quint32 kSummaryTokens = 300;

}  // namespace

void ChatSession::setTrouble(Trouble trouble) {
  if (trouble.kind == Trouble::Kind::None && m_trouble.kind == Trouble::Kind::None) return;
  m_trouble = std::move(trouble);
  emit troubleChanged();
}

void ChatSession::dismissTrouble() { setTrouble({}); }

void ChatSession::tellTooLong(const chat_effect::TellTooLong& told) {
  const auto words = [told] {
    const QString length = formatCount(told.contextLength);
    if (told.wasSummary) {
      return tr("The oldest turns are themselves too long to be summarised in %1 tokens. Drop them, or plan a larger "
                "context.")
          .arg(length);
    }
    return (told.isAtLeast ? tr("This conversation needs at least %1 tokens and the context holds %2.")
                           : tr("This conversation needs %1 tokens and the context holds %2."))
        .arg(formatCount(told.promptTokens), length);
  };
  if (!told.wasSummary) {
    m_meter.tooLong(told.promptTokens, told.isAtLeast);
    emit contextChanged();
  }
  setTrouble({.kind = Trouble::Kind::PromptTooLong,
              .sentence = words,
              .neededTokens = told.promptTokens + told.promptTokens / 2,
              .resumeId = told.resumeId});
  if (!told.wasSummary) settleFull();
}

// As it was chosen before; where that does not help, the user is asked all the same. Each time fewer turns are sent, so
// this ends with the newest one alone.
void ChatSession::settleFull() {
  switch (options().whenFull) {
    case WhenFull::Ask: return;
    case WhenFull::DropOldest: return dropOldest();
    case WhenFull::Summarise: return summarise();
  }
}

// That of the loaded model which an error of the engine begins with, "vulkan:0: ..."; absent: none.
std::optional<DeviceInfo> ChatSession::deviceOf(const Error& error) const {
  if (!m_shared.model || !m_shared.model->plan) return std::nullopt;
  const std::string text = error.message.text();
  for (const DeviceInfo& device : m_shared.model->plan->devices) {
    if (text.starts_with(device.id + ":")) return device;
  }
  return std::nullopt;
}

// "llvmpipe (vulkan:0): ..." of "vulkan:0: ...", which is a name that the window writes nowhere else.
QString ChatSession::withDeviceName(const DeviceInfo& device, const QString& sentence) {
  const QString id = QString::fromStdString(device.id), label = deviceLabel(device);
  if (!sentence.startsWith(id)) return sentence;
  // Where two have one name, or it has none, the id is in the label.
  //: A device and its id: "llvmpipe (vulkan:0)"
  return (label.contains(id) ? label : tr("%1 (%2)").arg(label, id)) + sentence.mid(id.size());
}

// Who sent without having agreed to the plain template is asked again: the bare error would leave no way on.
void ChatSession::tellFailed(const chat_effect::TellFailed& told) {
  const Error& error = told.error;
  const std::optional<DeviceInfo> device = deviceOf(error);
  const auto sentence = [message = error.message, device] {
    return device ? withDeviceName(*device, wordsOf(message)) : wordsOf(message);
  };
  Trouble trouble{.kind = Trouble::Kind::Failed, .sentence = sentence};
  if (device && device->kind != DeviceKind::kCpu) trouble.deviceId = QString::fromStdString(device->id);
  if (error.code == ErrorCode::kDeviceLost) {
    trouble.kind = Trouble::Kind::DeviceLost;
    trouble.sentence = [sentence] {
      return tr("%1. That happens when a driver is reset or the machine sleeps; the conversation is kept.")
          .arg(sentence());
    };
    setTrouble(trouble);
  } else if (offerPlainTemplate()) {
    return;
  } else if (error.code == ErrorCode::kDoesNotFit && !device) {
    // More text than a template may make, or than memory is planned for. Nobody counted its tokens: taken for as many
    // as the context holds, half of what was sent is kept.
    m_meter.learn({context().length, told.sentChars, true});
    trouble.kind = Trouble::Kind::PromptTooLong;
    trouble.neededTokens = context().length * 2;
    trouble.resumeId = told.resumeId;
    setTrouble(trouble);
    if (!told.wasSummary) settleFull();
  } else {
    setTrouble(trouble);
  }
}

bool ChatSession::offerPlainTemplate() {
  if (!m_shared.model || m_shared.model->templateProblem.empty() || m_shared.model->isPlainTemplateAgreed) return false;
  const auto words = [problem = m_shared.model->templateProblem] {
    return tr("This file's chat template cannot be used: %1 The plain form (\"role: text\" lines) can be used instead; "
              "answers may be less good.")
        .arg(wordsOf(problem));
  };
  setTrouble({.kind = Trouble::Kind::Template, .sentence = words});
  return true;
}

QString ChatSession::whereToCut() {
  const QString cut = cutPoint(m_tree, m_meter.tokensPerChar(), 0.5 * context().length);
  if (cut.isEmpty()) {
    const auto words = [] {
      return tr(
          "Nothing older is left to drop: the newest message alone fills the context. Shorten it, or plan a "
          "larger context.");
    };
    setTrouble({.kind = Trouble::Kind::AloneTooLong,
                .sentence = words,
                .neededTokens = context().length * 2,
                .resumeId = m_trouble.resumeId});
  }
  return cut;
}

void ChatSession::dropOldest() {
  if (!canStart()) return;
  const QString cut = whereToCut();
  if (cut.isEmpty()) return;
  const QString resumeId = m_trouble.resumeId;
  cutAt(cut, m_tree.find(sentPath(m_tree).first())->summary);
  setTrouble({});
  resume(resumeId);
}

void ChatSession::summarise() {
  if (!canStart()) return;
  const QString cut = whereToCut();
  if (cut.isEmpty()) return;
  ChatRequest request = requestFor(summaryMessages(m_tree, cut), kSummaryTokens);
  request.thinking = m_shared.model->thinkingChoices.least();
  const Trouble trouble = m_trouble;
  setTrouble({});
  m_shared.answered.erase(m_head.id);  // the cache will have the prompt of the summary
  handleEvent(chat_event::SummaryStarted{m_shared.engine.generate(request), cut, trouble, charsOf(request.messages)});
}

void ChatSession::cutAt(const QString& turnId, const QString& summary) {
  Turn& turn = *m_tree.find(turnId);
  turn.cutBefore = true;
  turn.summary = summary;
  saveTurn(turnId);
  estimateContext();
  emit pathChanged();
}

// Goes on with what the full context had stopped.
void ChatSession::resume(const QString& turnId) {
  const Turn* turn = m_tree.find(turnId);
  if (turn == nullptr) return;
  // A question may have an answer by then: the version before the one that was too long to be written.
  const Turn* last = m_tree.find(m_tree.lastId());
  const bool isAnswered = last != nullptr && turn->role == Role::User && last->parentId == turnId;
  if (m_tree.lastId() != turnId && !isAnswered) return;
  if (turn->role == Role::User) {
    answer(turnId);
  } else {
    continueAnswer(turnId);
  }
}

void ChatSession::agreeToPlainTemplate() {
  if (!m_shared.model) return;
  m_shared.model->isPlainTemplateAgreed = true;
  setTrouble({});
  emit plainTemplateAgreed();
  const Turn* last = m_tree.find(m_tree.lastId());
  if (last != nullptr && last->role == Role::User) answer(last->id);
}

}  // namespace headroom::ui
