#include "ui/chat/conversation_row.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QListView>

#include "ui/chat/conversation_list_model.h"

namespace headroom::ui {
namespace {

class ConversationRowTest : public testing::Test {
 protected:
  using Kind = ConversationMark::Kind;

  void SetUp() override {
    m_list.setItemDelegate(new ConversationRowDelegate(m_theme, &m_list));
    m_list.setModel(&m_model);
    m_model.setConversations(
        {{{"a", "Recipes", {}, 1, 2}, {}, false}, {{"b", "Bees", {}, 1, 1}, "Headroom starter", false}});
    m_list.resize(190, 300);
    m_list.show();
  }
  // How many pixels between two columns of a row are not ground.
  int inked(int row, int from, int to) {
    const QImage picture = m_list.viewport()->grab(m_list.visualRect(m_model.index(row))).toImage();
    const QRgb ground = picture.pixel(picture.width() / 2, 1);
    int n = 0;
    for (int x = from; x < to; ++x) {
      for (int y = 0; y < picture.height(); ++y) n += picture.pixel(x, y) != ground;
    }
    return n;
  }
  int width() const { return m_list.visualRect(m_model.index(0)).width(); }

  Theme m_theme{ThemeChoice::Light};
  ConversationListModel m_model{[] { return 1'700'000'000'000; }};
  QListView m_list;
};

TEST_F(ConversationRowTest, a_mark_and_a_pin_are_painted_behind_the_title) {
  const int title = inked(1, 0, 60);
  EXPECT_GT(title, 0);
  EXPECT_EQ(inked(0, width() - 24, width()), 0);
  m_model.setMarks({{"a", {Kind::Unread, 0}}});
  const int marked = inked(0, width() - 24, width());
  EXPECT_GT(marked, 20);
  EXPECT_EQ(inked(0, width() - 42, width() - 25), 0);
  m_model.setPinned("a", true);
  EXPECT_GT(inked(0, width() - 24, width()), 20) << "the pin";
  EXPECT_GT(inked(0, width() - 42, width() - 25), 20) << "the mark stands before it";
}

TEST_F(ConversationRowTest, the_first_row_of_a_group_is_higher_by_its_heading) {
  QStyleOptionViewItem option;
  option.font = m_list.font();
  const int heading = ConversationRowDelegate::headingHeight(option, m_model.index(0));
  EXPECT_GT(heading, 0);
  EXPECT_EQ(ConversationRowDelegate::headingHeight(option, m_model.index(1)), 0);
  const auto height = [&](int row) { return m_list.visualRect(m_model.index(row)).height(); };
  EXPECT_EQ(height(0), height(1) + heading);
  m_model.setPinned("b", true);
  QCoreApplication::processEvents();
  EXPECT_EQ(height(0), height(1)) << "each is the first of its group";
}

TEST_F(ConversationRowTest, the_name_of_the_model_is_painted_below_the_title) {
  const int with = inked(1, 80, width());
  m_model.setConversations({{{"a", "Recipes", {}, 1, 2}, {}, false}, {{"b", "Bees", {}, 1, 1}, {}, false}});
  EXPECT_GT(with, inked(1, 80, width()));
}

TEST_F(ConversationRowTest, a_mark_that_changes_leaves_the_title_that_is_being_typed) {
  m_list.edit(m_model.index(0));
  auto* edit = m_list.findChild<QLineEdit*>();
  ASSERT_NE(edit, nullptr);
  edit->setText("Half a na");
  m_model.setMarks({{"a", {Kind::Writing, 0}}});
  EXPECT_EQ(edit->text(), "Half a na");
  EXPECT_FALSE(edit->geometry().intersects(m_list.visualRect(m_model.index(1))));
}

}  // namespace
}  // namespace headroom::ui
