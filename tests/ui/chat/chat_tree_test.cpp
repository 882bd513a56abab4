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
