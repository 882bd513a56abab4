#include "ui/chat/chat_tree.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(ChatTree, the_path_follows_the_active_versions) {
  ChatTree tree;
  const QString question = tree.append({}, Role::User, "q", 1);
  const QString first = tree.append(question, Role::Assistant, "a1", 2);
  const QString next = tree.append(first, Role::User, "q2", 3);
  const QString second = tree.append(question, Role::Assistant, "a2", 4);
  EXPECT_EQ(tree.path(), (QStringList{question, second}));
  tree.choose(first);
  EXPECT_EQ(tree.path(), (QStringList{question, first, next}));
  EXPECT_EQ(tree.versions(second), (QStringList{first, second}));
}

TEST(ChatTree, taking_back_a_version_makes_the_one_before_active) {
  ChatTree tree;
  const QString question = tree.append({}, Role::User, "q", 1);
  const QString first = tree.append(question, Role::Assistant, "a1", 2);
  tree.append(question, Role::Assistant, "a2", 3);
  tree.removeLast();
  EXPECT_EQ(tree.path(), (QStringList{question, first}));
  tree.removeLast();
  EXPECT_EQ(tree.path(), QStringList{question});
}

TEST(ChatTree, taking_back_a_version_returns_to_the_one_that_was_active_and_not_to_the_newest) {
  ChatTree tree;
  const QString question = tree.append({}, Role::User, "q", 1);
  const QString first = tree.append(question, Role::Assistant, "a1", 2);
  const QString second = tree.append(question, Role::Assistant, "a2", 3);
  tree.choose(first);
  tree.append(question, Role::Assistant, "a3", 4);
  tree.removeLast();
  EXPECT_EQ(tree.path(), (QStringList{question, first}));
  tree.append(question, Role::Assistant, "a3", 5);
  tree.choose(second);
  tree.removeLast();
  EXPECT_EQ(tree.path(), (QStringList{question, second})) << "it was chosen meanwhile";
}

TEST(ChatTree, a_turn_goes_with_all_below_it_and_another_version_takes_its_place) {
  ChatTree tree;
  const QString question = tree.append({}, Role::User, "q", 1);
  const QString first = tree.append(question, Role::Assistant, "a1", 2);
  const QString next = tree.append(first, Role::User, "q2", 3);
  const QString last = tree.append(next, Role::Assistant, "a3", 4);
  const QString second = tree.append(question, Role::Assistant, "a2", 5);
  tree.choose(first);
  EXPECT_EQ(tree.below(first), (QStringList{next, last}));
  EXPECT_FALSE(tree.canRemoveAlone(first)) << "it has another version";
  EXPECT_FALSE(tree.canRemoveAlone(question)) << "the conversation begins with it";
  EXPECT_FALSE(tree.canRemoveAlone(last)) << "nothing follows";
  tree.remove(first);
  EXPECT_EQ(tree.path(), (QStringList{question, second}));
  EXPECT_EQ(tree.turns().size(), 2U);
  tree.remove(question);
  EXPECT_TRUE(tree.isEmpty());
  tree.remove(question);
}

TEST(ChatTree, a_turn_that_goes_alone_leaves_what_follows_in_its_place_with_all_versions) {
  ChatTree tree;
  const QString question = tree.append({}, Role::User, "q", 1);
  const QString answer = tree.append(question, Role::Assistant, "a", 2);
  const QString one = tree.append(answer, Role::User, "q2", 3), two = tree.append(answer, Role::User, "q2'", 4);
  tree.choose(one);
  ASSERT_TRUE(tree.canRemoveAlone(answer));
  tree.removeAlone(answer);
  EXPECT_EQ(tree.path(), (QStringList{question, one}));
  EXPECT_EQ(tree.versions(one), (QStringList{one, two}));
  tree.find(one)->cutBefore = true;
  EXPECT_FALSE(tree.canRemoveAlone(one));
}

TEST(ChatTree, a_stored_turn_without_its_parent_is_left_out) {
  Turn root, lost;
  root.id = "a";
  lost.id = "b";
  lost.parentId = "nowhere";
  ChatTree tree;
  tree.reset({root, lost, root});
  EXPECT_EQ(tree.path(), QStringList{"a"});
  EXPECT_EQ(tree.turns().size(), 1U);
}

}  // namespace
}  // namespace headroom::ui
