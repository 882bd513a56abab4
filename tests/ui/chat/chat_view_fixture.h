// A view of one conversation, which a test writes.
#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTest>

#include "ui/chat/chat_view.h"
#include "ui/chat/sample_pairs.h"

namespace headroom::ui {

class ChatViewFixture : public testing::Test {
 protected:
  void show() {
    m_view.resize(600, 500);
    m_view.show();
    m_view.showPath();
    settle();
  }
  void settle() {
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_view.isLaidOut(); }, 60'000));
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
  }

  Theme m_theme{ThemeChoice::Light};
  ChatTree m_tree;
  QString m_last;
  ChatView m_view{m_tree, m_theme};
};

}  // namespace headroom::ui
