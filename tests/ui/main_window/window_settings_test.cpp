#include "ui/main_window/window_settings.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(WindowSettingsTest, the_newest_file_stands_first_once_and_the_oldest_goes) {
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

}  // namespace
}  // namespace headroom::ui
