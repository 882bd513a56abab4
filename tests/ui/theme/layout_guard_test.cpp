#include "ui/theme/layout_guard.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QLabel>
#include <QVBoxLayout>

namespace headroom::ui {
namespace {

class LayoutGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    m_text->setWordWrap(true);
    m_text->setText(QStringLiteral("Now: 4.00 of 16.00 GiB in use"));
    auto* column = new QVBoxLayout(&m_host);
    column->addWidget(m_guard);
    column->addStretch(1);
    m_host.resize(300, 400);
    m_host.show();
    settle();
    m_host.installEventFilter(&m_counter);
  }
  static void settle() {
    for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
  }
  // How often the host was laid out anew.
  int requestsAfter(const QString& text) {
    m_counter.n = 0;
    m_text->setText(text);
    settle();
    return m_counter.n;
  }
  struct Counter : QObject {
    int n = 0;
    bool eventFilter(QObject*, QEvent* event) override {
      n += event->type() == QEvent::LayoutRequest;
      return false;
    }
  };
  Counter m_counter;
  QWidget m_host;
  QLabel* m_text = new QLabel;
  LayoutGuard* m_guard = new LayoutGuard(m_text, &m_host);
};

TEST_F(LayoutGuardTest, a_text_of_the_same_height_lays_out_nothing) {
  EXPECT_EQ(requestsAfter(QStringLiteral("Now: 4.11 of 16.00 GiB in use")), 0);
  EXPECT_EQ(m_text->text(), QStringLiteral("Now: 4.11 of 16.00 GiB in use"));
}

TEST_F(LayoutGuardTest, a_text_that_needs_another_height_gets_it) {
  const int before = m_text->height();
  const QString longer =
      QStringLiteral("Now: 4.11 of 16.00 GiB in use, and what other programs hold is not known here");
  EXPECT_GT(requestsAfter(longer), 0);
  EXPECT_GT(m_text->height(), before);
  EXPECT_EQ(m_text->height(), m_text->heightForWidth(m_text->width()));
  EXPECT_GT(requestsAfter(QStringLiteral("Now")), 0);
  EXPECT_EQ(m_text->height(), before);
}

TEST_F(LayoutGuardTest, a_text_that_changed_while_nothing_was_shown_has_its_height_when_it_is) {
  m_host.hide();
  m_text->setText(QString("word ").repeated(60));
  m_host.show();
  settle();
  EXPECT_EQ(m_text->height(), m_text->heightForWidth(m_text->width()));
}

TEST_F(LayoutGuardTest, it_takes_no_room_while_what_it_holds_is_hidden) {
  m_text->hide();
  EXPECT_TRUE(m_guard->isHidden());
  m_text->show();
  EXPECT_TRUE(m_text->isVisible());
}

TEST(LayoutGuardOfALineTest, a_line_is_as_wide_as_it_needs_and_keeps_what_a_digit_took) {
  QWidget host;
  auto* row = new QHBoxLayout(&host);
  auto* text = new QLabel(QStringLiteral("888 KiB"));
  auto* guard = new LayoutGuard(text, &host);
  row->addStretch(1);
  row->addWidget(guard);
  host.resize(600, 40);
  host.show();
  const auto widthAfter = [&](const char* words) {
    text->setText(QLatin1String(words));
    for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
    return guard->width();
  };
  const int first = widthAfter("888 KiB");
  EXPECT_EQ(widthAfter("111 KiB"), first);
  EXPECT_GT(widthAfter("888,888 KiB of what there is"), first);
  EXPECT_GE(guard->width(), text->sizeHint().width());
  EXPECT_LT(widthAfter(""), first);
}

}  // namespace
}  // namespace headroom::ui
