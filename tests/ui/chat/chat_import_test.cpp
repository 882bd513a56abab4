#include "ui/chat/chat_import.h"

#include <gtest/gtest.h>

#include <QSet>

#include "ui/chat/chat_export.h"

namespace headroom::ui {
namespace {

ChatTree sampleTree() {
  ChatTree tree;
  const QString question = tree.append({}, Role::User, "q\n\"1\"", 1'700'000'000'000);
  const QString first = tree.append(question, Role::Assistant, "a1", 1'700'000'001'000);
  tree.append(first, Role::User, "q2", 1'700'000'002'000);
  const QString second = tree.append(question, Role::Assistant, "a2", 1'700'000'003'000);
  tree.choose(first);
  tree.find(question)->attachments = {{"a.txt", "one\ntwo"}};
  Turn& answer = *tree.find(second);
  answer.thinking = "hm";
  answer.thinkingMs = 1500;
  answer.state = TurnState::LimitHit;
  answer.modelName = "tiny";
  answer.generatedTokens = 12;
  answer.decodeSeconds = 0.5;
  answer.seed = 0xffff'ffff'ffff'ffffULL;
  tree.find(first)->state = TurnState::Writing;
  return tree;
}

ConversationHead sampleHead() {
  ConversationHead head{"id-1", "A title", "Be brief.", 1'700'000'000'000, 1'700'000'009'000};
  head.options = AnswerOptions{};
  head.options->whenFull = WhenFull::DropOldest;
  return head;
}

TEST(ChatImport, what_was_exported_is_read_again_with_ids_of_its_own) {
  const ChatTree tree = sampleTree();
  const Result<Conversation> read = conversationFromJson(conversationAsJson(sampleHead(), tree));
  ASSERT_TRUE(read.ok()) << read.error().message.text();
  ConversationHead expected = sampleHead();
  EXPECT_NE(read->head.id, expected.id);
  expected.id = read->head.id;
  EXPECT_EQ(read->head, expected);
  ASSERT_EQ(read->turns.size(), tree.turns().size());
  ChatTree again;
  again.reset(read->turns);
  QStringList texts;
  for (const QString& id : again.path()) texts << again.find(id)->text;
  EXPECT_EQ(texts, (QStringList{"q\n\"1\"", "a1", "q2"}));
  QSet<QString> ids;
  for (std::size_t i = 0; i < read->turns.size(); ++i) {
    const Turn &is = read->turns[i], &was = tree.turns()[i];
    ids << is.id << was.id;
    EXPECT_EQ(is.text, was.text);
    EXPECT_EQ(is.active, was.active);
    EXPECT_EQ(is.createdMs, was.createdMs);
    EXPECT_EQ(is.attachments, was.attachments);
    EXPECT_EQ(is.thinking, was.thinking);
    EXPECT_EQ(is.thinkingMs, was.thinkingMs);
    EXPECT_EQ(is.modelName, was.modelName);
    EXPECT_EQ(is.generatedTokens, was.generatedTokens);
    EXPECT_EQ(is.decodeSeconds, was.decodeSeconds);
    EXPECT_EQ(is.seed, was.seed);
  }
  EXPECT_EQ(ids.size(), 8) << "none is that of another";
  EXPECT_EQ(read->turns[1].state, TurnState::Interrupted) << "nobody writes it any more";
  EXPECT_EQ(read->turns[3].state, TurnState::LimitHit);
}

TEST(ChatImport, what_is_no_conversation_is_refused_by_what_it_is) {
  const std::pair<const char*, const char*> kRows[] = {
      {"# A title\n", "It is no JSON"},
      {"{\"a\":1}", "no conversation that Headroom exported"},
      {"[]", "no conversation that Headroom exported"},
      {R"({"format":"headroom-conversation","version":2})", "version 2"},
      {R"({"format":"headroom-conversation","version":1,"turns":[]})", "no message"},
      {R"({"format":"headroom-conversation","version":1,"turns":[{"role":"user"}]})",
       "Message 1 of the file has no id"},
      {R"({"format":"headroom-conversation","version":1,"turns":[{"id":"a","role":"system"}]})", "“system”"},
      {R"({"format":"headroom-conversation","version":1,"turns":[{"id":"a","role":"user","parent":"z"}]})",
       "Message 1 of the file answers one that does not stand before it"},
      {R"({"format":"headroom-conversation","version":1,"turns":[{"id":"a","role":"user"},{"id":"a","role":"user"}]})",
       "Message 2 of the file has no id of its own"},
  };
  for (const auto& [json, said] : kRows) {
    const Result<Conversation> read = conversationFromJson(json);
    ASSERT_FALSE(read.ok()) << json;
    EXPECT_EQ(read.error().code, ErrorCode::kBadFile);
    EXPECT_NE(read.error().message.text().find(said), std::string::npos) << read.error().message.text();
  }
}

TEST(ChatImport, numbers_that_make_no_sense_are_none) {
  const Result<Conversation> read = conversationFromJson(
      R"({"format":"headroom-conversation","version":1,"created":"yesterday","turns":[{"id":"a","role":"assistant",
          "generated_tokens":-5,"decode_seconds":-1,"thinking_seconds":1e300,"seed":"x","state":"odd","created":7}]})");
  ASSERT_TRUE(read.ok());
  const Turn& turn = read->turns[0];
  EXPECT_EQ(turn.generatedTokens, 0U);
  EXPECT_EQ(turn.decodeSeconds, 0);
  EXPECT_EQ(turn.thinkingMs, 0);
  EXPECT_EQ(turn.seed, 0U);
  EXPECT_EQ(turn.state, TurnState::Done);
  EXPECT_GT(turn.createdMs, 0);
}

}  // namespace
}  // namespace headroom::ui
