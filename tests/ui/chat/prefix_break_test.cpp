#include "ui/chat/prefix_break.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

using Kind = PrefixBreak::Kind;

ChatMessage said(const char* role, const char* text, const char* thinking = "") { return {role, text, thinking}; }

SentPrompt sent(const std::vector<ChatMessage>& messages, quint32 promptTokens = 0, quint32 contextUsed = 0) {
  ChatRequest request;
  request.messages = messages;
  SentPrompt prompt = sentPrompt(request);
  prompt.promptTokens = promptTokens;
  prompt.contextUsed = contextUsed;
  return prompt;
}

ChatFigures figures(quint32 prompt, quint32 held, quint32 shared, quint32 reused, bool heldOther = false) {
  ChatFigures f;
  f.promptTokens = prompt;
  f.heldTokens = held;
  f.sharedTokens = shared;
  f.reusedTokens = reused;
  f.heldOther = heldOther;
  return f;
}

const std::vector<ChatMessage> kFirst{said("system", "Be brief."), said("user", "a"), said("assistant", "b", "hm"),
                                      said("user", "c")};

std::vector<ChatMessage> withNext(std::vector<ChatMessage> messages, const char* thinking = "") {
  messages.push_back(said("assistant", "d", thinking));
  messages.push_back(said("user", "e"));
  return messages;
}

TEST(PrefixBreak, a_few_tokens_at_the_end_of_the_cache_are_no_loss) {
  const SentPrompt before = sent(kFirst, 900, 1000), now = sent(withNext(kFirst));
  EXPECT_EQ(findPrefixBreak(figures(1050, 1000, 1000, 1000), before, now), PrefixBreak());
  EXPECT_EQ(findPrefixBreak(figures(1050, 1000, 968, 968), before, now), PrefixBreak());
  EXPECT_EQ(findPrefixBreak(figures(900, 1000, 899, 899), before, before), PrefixBreak()) << "asked for again";
  EXPECT_EQ(findPrefixBreak(figures(900, 0, 0, 0), SentPrompt(), before), PrefixBreak()) << "the first of all";
  EXPECT_NE(findPrefixBreak(figures(1050, 1000, 967, 967), before, now), PrefixBreak());
}

TEST(PrefixBreak, the_first_message_that_differs_is_named) {
  const SentPrompt before = sent(withNext(kFirst), 1000, 1100);
  const ChatFigures f = figures(1000, 1100, 300, 300);
  std::vector<ChatMessage> edited = withNext(kFirst);
  edited[3].content = "other";
  EXPECT_EQ(findPrefixBreak(f, before, sent(edited)), (PrefixBreak{Kind::Message, 3}));
  edited = withNext(kFirst);
  edited[0].content = "Be long.";
  EXPECT_EQ(findPrefixBreak(f, before, sent(edited)), (PrefixBreak{Kind::SystemPrompt, 0}));
  edited.erase(edited.begin());
  EXPECT_EQ(findPrefixBreak(f, before, sent(edited)).kind, Kind::SystemPrompt) << "there is none any more";
  const SentPrompt without = sent(edited, 1000, 1100);
  edited[2].content = "other";
  EXPECT_EQ(findPrefixBreak(f, without, sent(edited)), (PrefixBreak{Kind::Message, 3})) << "counted alike";
}

TEST(PrefixBreak, an_answer_that_is_sent_otherwise_than_it_was_written_is_named) {
  const SentPrompt before = sent(kFirst, 900, 1500);
  const ChatFigures f = figures(1000, 1500, 901, 901);
  EXPECT_EQ(findPrefixBreak(f, before, sent(withNext(kFirst, "hm"))), (PrefixBreak{Kind::Thinking, 4}));
  EXPECT_EQ(findPrefixBreak(f, before, sent(withNext(kFirst))), (PrefixBreak{Kind::Message, 4}))
      << "it was changed by hand";
  EXPECT_EQ(findPrefixBreak(figures(1600, 1500, 1200, 1200), before, sent(withNext(kFirst, "hm"))),
            (PrefixBreak{Kind::Message, 4}))
      << "the thinking was sent, and the text behind it differs";
}

TEST(PrefixBreak, an_answer_that_was_continued_is_compared_as_the_answer_it_became) {
  ChatRequest request;
  request.messages = {said("user", "a"), said("assistant", "half")};
  request.continueLast = true;
  SentPrompt before = sentPrompt(request);
  before.promptTokens = 400;
  before.contextUsed = 800;
  const SentPrompt now = sent({said("user", "a"), said("assistant", "half and half", "hm"), said("user", "b")});
  EXPECT_EQ(findPrefixBreak(figures(700, 800, 390, 390), before, now), (PrefixBreak{Kind::Thinking, 2}));
}

TEST(PrefixBreak, what_the_messages_do_not_explain_is_told_in_tokens) {
  const SentPrompt before = sent(kFirst, 900, 1000), now = sent(withNext(kFirst, "hm"));
  EXPECT_EQ(findPrefixBreak(figures(1050, 1000, 12, 12), before, now), (PrefixBreak{Kind::Unknown, 12}))
      << "the template writes the time";
  EXPECT_EQ(findPrefixBreak(figures(1050, 1000, 12, 12), SentPrompt(), now), (PrefixBreak{Kind::Unknown, 12}))
      << "the conversation was opened again";
}

TEST(PrefixBreak, a_cache_that_can_be_taken_up_only_earlier_is_told) {
  const SentPrompt before = sent(kFirst, 900, 1000), now = sent(withNext(kFirst));
  EXPECT_EQ(findPrefixBreak(figures(1050, 1000, 990, 200), before, now), (PrefixBreak{Kind::Checkpoint, 990}));
  std::vector<ChatMessage> edited = kFirst;
  edited[3].content = "other";
  EXPECT_EQ(findPrefixBreak(figures(900, 1000, 600, 0), before, sent(edited)), (PrefixBreak{Kind::Checkpoint, 600}))
      << "more was lost than the message that was changed";
}

TEST(PrefixBreak, another_conversation_is_told_only_where_there_was_something_to_lose) {
  const SentPrompt before = sent(kFirst, 900, 1000), now = sent(withNext(kFirst));
  EXPECT_EQ(findPrefixBreak(figures(1050, 4000, 20, 20, true), before, now).kind, Kind::OtherConversation);
  EXPECT_EQ(findPrefixBreak(figures(1050, 4000, 20, 20, true), SentPrompt(), now), PrefixBreak());
  EXPECT_EQ(findPrefixBreak(figures(1050, 4000, 20, 1000, true), before, now), PrefixBreak()) << "it was copied";
}

TEST(PrefixBreak, each_kind_has_its_words) {
  QStringList texts;
  for (const Kind kind :
       {Kind::OtherConversation, Kind::SystemPrompt, Kind::Message, Kind::Thinking, Kind::Unknown, Kind::Checkpoint})
    texts.append(prefixBreakText({kind, 12650}));
  EXPECT_EQ(texts.count(QString()), 0);
  EXPECT_EQ(texts.removeDuplicates(), 0);
  EXPECT_EQ(texts.filter("12,650").size(), 4);
  EXPECT_EQ(prefixBreakText({}), QString());
}

}  // namespace
}  // namespace headroom::ui
