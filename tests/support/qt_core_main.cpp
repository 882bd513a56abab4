// Runs tests of states and controllers: Qt's core without a window.
#include <gtest/gtest.h>

#include <QCoreApplication>

#include "ui/language/text_language.h"

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  const headroom::ui::TextLanguage english;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
