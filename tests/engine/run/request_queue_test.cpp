#include "run/request_queue.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

WaitingRequest waiting(RequestId id, ConversationId conversation, bool is_read = true) {
  WaitingRequest request;
  request.id = id;
  request.request.conversation = conversation;
  if (is_read) request.prompt = ReadPrompt{{1}};
  return request;
}

bool nobody(ConversationId) { return false; }

std::vector<RequestId> take_all(RequestQueue& queue) {
  std::vector<RequestId> ids;
  while (const auto next = queue.take_next(nobody)) ids.push_back(next->id);
  return ids;
}

TEST(RequestQueue, conversations_take_turns_in_the_order_in_which_they_came) {
  RequestQueue queue;
  const std::vector<ConversationId> conversations{7, 7, 7, 8, 0, 8, 0};
  for (RequestId id = 0; id < conversations.size(); ++id) queue.push(waiting(id, conversations[id]));
  EXPECT_EQ(queue.size(), 7U);
  EXPECT_EQ(take_all(queue), (std::vector<RequestId>{0, 3, 4, 6, 1, 5, 2}));
  EXPECT_TRUE(queue.empty());
}

TEST(RequestQueue, a_conversation_that_is_answered_and_a_prompt_that_is_not_read_let_others_pass) {
  RequestQueue queue;
  queue.push(waiting(1, 7));
  queue.push(waiting(2, 8, false));
  queue.push(waiting(3, 9));
  const auto is_7 = [](ConversationId conversation) { return conversation == 7; };
  EXPECT_EQ(queue.take_next(is_7)->id, 3U);
  EXPECT_FALSE(queue.has_next(is_7));
  queue.find(2)->prompt.emplace();
  EXPECT_TRUE(queue.has_next(is_7));
  EXPECT_EQ(take_all(queue), (std::vector<RequestId>{1, 2}));
}

TEST(RequestQueue, requests_are_taken_out_wherever_they_stand) {
  RequestQueue queue;
  for (RequestId id = 1; id <= 6; ++id) queue.push(waiting(id, 7 + id % 2));
  StopSource source;
  queue.find(4)->stop = source.token();
  EXPECT_FALSE(queue.has_stopped());
  source.request_stop();
  EXPECT_TRUE(queue.has_stopped());
  const auto taken = queue.take_if([](const WaitingRequest& one) { return one.id <= 4 && one.id != 2; });
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].id, 1U);
  EXPECT_EQ(taken[2].id, 4U);
  EXPECT_FALSE(queue.has_stopped());
  EXPECT_EQ(take_all(queue), (std::vector<RequestId>{5, 2, 6}));
}

}  // namespace
}  // namespace headroom
