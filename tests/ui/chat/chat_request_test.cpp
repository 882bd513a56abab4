#include "ui/chat/chat_request.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

// Question and answer in turns, each of 100 characters.
ChatTree turnsOf(int pairs) {
  ChatTree tree;
  QString parent;
  for (int i = 0; i < pairs; ++i) {
    parent = tree.append(parent, Role::User, QString(100, 'q'), 2 * i);
    parent = tree.append(parent, Role::Assistant, QString(100, 'a'), 2 * i + 1);
  }
  return tree;
}

TEST(ChatRequest, the_system_prompt_comes_first_and_the_last_turn_ends_it) {
  const ChatTree tree = turnsOf(2);
  const auto messages = requestMessages(tree, "be brief", tree.path()[2]);
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0], (ChatMessage{"system", "be brief"}));
  EXPECT_EQ(messages[3].role, "user");
  EXPECT_EQ(requestMessages(tree, {}, tree.lastId()).front().role, "user");
}

TEST(ChatRequest, two_turns_of_one_side_are_one_message) {
  ChatTree tree = turnsOf(2);
  tree.removeAlone(tree.path()[2]);
  EXPECT_EQ(tree.path().size(), 4) << "a question goes with its answer";
  tree.removeAlone(tree.path()[1]);
  const auto messages = requestMessages(tree, {}, tree.lastId());
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].content, std::string(100, 'q') + "\n\n" + std::string(100, 'q'));
  EXPECT_EQ(messages[1].content, std::string(100, 'a'));
}

TEST(ChatRequest, an_attached_file_cannot_close_its_own_fence) {
  Turn turn;
  turn.text = "read";
  turn.attachments = {{"a.md", "````\ncode\n````"}};
  EXPECT_EQ(sentText(turn), "read\n\nFile a.md:\n`````\n````\ncode\n````\n`````");
}

TEST(ChatRequest, a_cut_leaves_out_what_was_before_and_its_summary_goes_in) {
  ChatTree tree = turnsOf(3);
  Turn& kept = *tree.find(tree.path()[4]);
  kept.cutBefore = true;
  kept.summary = "they greeted";
  const auto messages = requestMessages(tree, "be brief", tree.lastId());
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_NE(messages[0].content.find("be brief"), std::string::npos);
  EXPECT_NE(messages[0].content.find("they greeted"), std::string::npos);
}

TEST(ChatRequest, the_cut_keeps_whole_turns_within_the_target) {
  const ChatTree tree = turnsOf(10);
  EXPECT_EQ(cutPoint(tree, 1.0, 450), tree.path()[16]);  // two pairs of 200
  EXPECT_EQ(cutPoint(tree, 1.0, 0), tree.path()[18]);    // the newest question always stays
}

TEST(ChatRequest, a_question_that_stands_alone_cannot_be_cut) {
  ChatTree tree;
  tree.append({}, Role::User, QString(1000, 'q'), 0);
  EXPECT_EQ(cutPoint(tree, 1.0, 10), QString());
}

TEST(ChatRequest, a_summary_is_asked_of_the_turns_before_the_cut) {
  const ChatTree tree = turnsOf(3);
  const auto messages = summaryMessages(tree, tree.path()[4]);
  ASSERT_EQ(messages.size(), 6U);  // system, four turns, the wish
  EXPECT_EQ(messages.back().role, "user");
  EXPECT_NE(messages.back().content.find("Summarise"), std::string::npos);
}

}  // namespace
}  // namespace headroom::ui
