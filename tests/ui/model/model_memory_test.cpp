#include "ui/model/model_memory.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(ModelMemoryTest, the_newest_file_stands_first_once_and_the_oldest_goes) {
  QStringList files;
  for (int i = 0; i < kMaxRecentFiles + 3; ++i) files = withRecentFile(files, QString::number(i));
  EXPECT_EQ(files.size(), kMaxRecentFiles);
  EXPECT_EQ(files.first(), QString::number(kMaxRecentFiles + 2));
  const QString old = files.last();
  files = withRecentFile(files, old);
  EXPECT_EQ(files.first(), old);
  EXPECT_EQ(files.count(old), 1);
  EXPECT_EQ(files.size(), kMaxRecentFiles);
}

TEST(ModelMemoryTest, a_model_is_planned_as_it_was_left_last_until_it_is_forgotten) {
  ModelMemory memory;
  PlanOptions longer;
  longer.n_ctx = 9000;
  rememberPlanned(memory, {"/a", {}, {}});
  rememberPlanned(memory, {"/b", {}, {}});
  rememberPlanned(memory, {"/a", longer, {}});
  ASSERT_EQ(memory.planned.size(), 2U);
  EXPECT_EQ(memory.planned.front().path, QStringLiteral("/a"));
  ASSERT_NE(findPlanned(memory, "/a"), nullptr);
  EXPECT_EQ(findPlanned(memory, "/a")->asked.n_ctx, 9000U);
  forgetPlanned(memory, "/a");
  EXPECT_EQ(findPlanned(memory, "/a"), nullptr);
  EXPECT_NE(findPlanned(memory, "/b"), nullptr);
}

TEST(ModelMemoryTest, of_many_models_the_one_that_nobody_planned_for_longest_goes) {
  ModelMemory memory;
  for (std::size_t i = 0; i < kMaxPlannedModels + 2; ++i) rememberPlanned(memory, {QString::number(i), {}, {}});
  EXPECT_EQ(memory.planned.size(), kMaxPlannedModels);
  EXPECT_EQ(findPlanned(memory, "1"), nullptr);
  EXPECT_NE(findPlanned(memory, "2"), nullptr);
}

}  // namespace
}  // namespace headroom::ui
