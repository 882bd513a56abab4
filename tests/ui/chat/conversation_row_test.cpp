#include "ui/chat/conversation_row.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QListWidget>

namespace headroom::ui {
namespace {

class ConversationRowTest : public testing::Test {
 protected:
  using Kind = ConversationMark::Kind;

  void SetUp() override {
    m_list.setItemDelegate(new ConversationRowDelegate(&m_list));
    m_item = new QListWidgetItem(&m_list);
    m_item->setFlags(m_item->flags() | Qt::ItemIsEditable);
    showHead(*m_item, {"a", "Recipes", {}, 1, 1});
    m_list.resize(190, 100);
    m_list.show();
  }
  QString spoken() const { return m_item->data(Qt::AccessibleTextRole).toString(); }

  Theme m_theme{ThemeChoice::Light};
  QListWidget m_list;
  QListWidgetItem* m_item = nullptr;
};

TEST_F(ConversationRowTest, a_mark_is_seen_read_and_heard) {
  for (const auto& [mark, words] : {std::pair(ConversationMark{Kind::Writing, 0}, "Answering"),
                                    std::pair(ConversationMark{Kind::Waiting, 2}, "Waiting: 2 before it"),
                                    std::pair(ConversationMark{Kind::Unread, 0}, "Answered; not read yet"),
                                    std::pair(ConversationMark{Kind::Trouble, 0}, "Needs your attention")}) {
    showMark(*m_item, &mark, m_theme);
    EXPECT_FALSE(m_item->icon().isNull()) << words;
    EXPECT_EQ(spoken(), QStringLiteral("Recipes, ") + QLatin1StringView(words));
    EXPECT_TRUE(m_item->toolTip().endsWith(QLatin1StringView(words))) << m_item->toolTip().toStdString();
    EXPECT_EQ(m_item->text(), "Recipes");
  }
  showMark(*m_item, nullptr, m_theme);
  EXPECT_TRUE(m_item->icon().isNull());
  EXPECT_EQ(spoken(), "Recipes");
}

TEST_F(ConversationRowTest, a_conversation_without_a_title_has_a_name_too) {
  showHead(*m_item, {"a", {}, {}, 1, 1});
  EXPECT_EQ(m_item->text(), "Untitled");
}

TEST_F(ConversationRowTest, a_mark_is_painted_behind_the_title) {
  const auto inked = [&](int from, int to) {
    const QImage picture = m_list.viewport()->grab(m_list.visualItemRect(m_item)).toImage();
    const QRgb ground = picture.pixel(picture.width() / 2, 1);
    int n = 0;
    for (int x = from; x < to; ++x) {
      for (int y = 0; y < picture.height(); ++y) n += picture.pixel(x, y) != ground;
    }
    return n;
  };
  const int width = m_list.visualItemRect(m_item).width();
  const int title = inked(0, width / 2);
  const ConversationMark mark{Kind::Unread, 0};
  EXPECT_EQ(inked(width - 24, width), 0);
  showMark(*m_item, &mark, m_theme);
  EXPECT_GT(inked(width - 24, width), 20);
  EXPECT_EQ(inked(0, width / 2), title) << "the title stays where it was";
}

TEST_F(ConversationRowTest, a_mark_that_changes_leaves_the_title_that_is_being_typed) {
  m_list.editItem(m_item);
  auto* edit = m_list.findChild<QLineEdit*>();
  ASSERT_NE(edit, nullptr);
  edit->setText("Half a na");
  const ConversationMark mark{Kind::Writing, 0};
  showMark(*m_item, &mark, m_theme);
  EXPECT_EQ(edit->text(), "Half a na");
}

}  // namespace
}  // namespace headroom::ui
