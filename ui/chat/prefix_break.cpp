#include "ui/chat/prefix_break.h"

#include <QObject>
#include <algorithm>
#include <functional>

#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

using Kind = PrefixBreak::Kind;

constexpr quint32 kFewTokens = 32;  // a header of a turn, or the end of an answer that was written and not computed

bool isClearlyLess(quint32 tokens, quint32 than) { return tokens + kFewTokens < than; }

PrefixBreak breakAtMessage(const SentPrompt& before, const SentPrompt& now, std::size_t at) {
  const bool hasSystem = now.messages.front().isSystem;
  if (at == 0 && (hasSystem || before.messages.front().isSystem)) return {Kind::SystemPrompt};
  return {Kind::Message, static_cast<quint32>(at + (hasSystem ? 0 : 1))};
}

}  // namespace

SentPrompt sentPrompt(const ChatRequest& request) {
  SentPrompt sent;
  for (const ChatMessage& message : request.messages) {
    sent.messages.push_back({message.role == "system", !message.thinking.empty(),
                             std::hash<std::string>()(message.role + '\n' + message.content)});
  }
  if (request.continueLast && !sent.messages.empty()) sent.messages.pop_back();
  return sent;
}

PrefixBreak findPrefixBreak(const ChatFigures& figures, const SentPrompt& before, const SentPrompt& now) {
  const quint32 held =
      figures.heldOther ? before.contextUsed : figures.heldTokens - std::min(figures.heldTokens, before.asideTokens);
  const quint32 most = std::min(held, figures.promptTokens);
  if (!isClearlyLess(figures.reusedTokens, most)) return {};
  if (figures.heldOther) return {Kind::OtherConversation};
  // Whatever the texts are, what is the same was lost because it could not be taken up there.
  if (isClearlyLess(figures.reusedTokens, figures.sharedTokens)) return {Kind::Checkpoint, figures.sharedTokens};
  const PrefixBreak unknown{Kind::Unknown, figures.sharedTokens};
  if (before.messages.empty() || now.messages.empty()) return unknown;
  const auto isSame = [](const SentPrompt::Message& a, const SentPrompt::Message& b) { return a.hash == b.hash; };
  const auto found = std::ranges::mismatch(before.messages, now.messages, isSame);
  const auto at = static_cast<std::size_t>(found.in2 - now.messages.begin());
  if (found.in2 == now.messages.end()) return unknown;
  if (found.in1 != before.messages.end()) return breakAtMessage(before, now, at);
  // All that was sent before is sent again, and behind it the answer. Where the texts differ earlier all the same, the
  // template has written something else: the time of day, say.
  if (isClearlyLess(figures.sharedTokens, before.promptTokens)) return unknown;
  PrefixBreak inAnswer = breakAtMessage(before, now, at);
  const bool isAtItsBeginning = !isClearlyLess(before.promptTokens, figures.sharedTokens);
  if (found.in2->hasThinking && isAtItsBeginning) inAnswer.kind = Kind::Thinking;
  return inAnswer;
}

QString prefixBreakText(const PrefixBreak& found) {
  switch (found.kind) {
    case Kind::None: return {};
    case Kind::OtherConversation: return QObject::tr("another conversation took its place in the cache");
    case Kind::SystemPrompt: return QObject::tr("the system prompt is another one");
    case Kind::Message:
      return QObject::tr("the prompt differs from the cache from message %1 on").arg(formatCount(found.number));
    case Kind::Thinking:
      return QObject::tr("the prompt differs from the cache from message %1 on (its thinking is left out)")
          .arg(formatCount(found.number));
    case Kind::Unknown:
      return QObject::tr("the prompt differs from the cache after %1 tokens").arg(formatCount(found.number));
    case Kind::Checkpoint:
      return QObject::tr("%1 tokens are the same, but this model's cache can only go on from an earlier checkpoint")
          .arg(formatCount(found.number));
  }
  return {};
}

}  // namespace headroom::ui
