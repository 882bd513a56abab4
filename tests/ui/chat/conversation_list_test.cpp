#include "ui/chat/conversation_list.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "support/fake_conversation_port.h"

namespace headroom::ui {
namespace {

class ConversationListTest : public testing::Test {
 protected:
  void SetUp() override {
    m_now = QDateTime({2026, 11, 24}, {18, 5}).toMSecsSinceEpoch();
    for (const char* title : {"Bees", "Whales", "Ants"}) {
      m_now += 1000;
      m_store.saveHead({title, title, {}, m_now, m_now});
    }
    m_list.resize(190, 500);
    m_list.show();
    m_list.refresh();
    m_view = m_list.findChild<QListView*>("conversationList");
  }
  QStringList titles() const {
    QStringList all;
    for (int i = 0; i < m_view->model()->rowCount(); ++i) all.append(m_view->model()->index(i, 0).data().toString());
    return all;
  }
  QString heading(int row) const {
    return m_view->model()->index(row, 0).data(ConversationListModel::GroupRole).toString();
  }
  void select(int row) { m_view->setCurrentIndex(m_view->model()->index(row, 0)); }
  // Opens the editor of this row's title.
  QLineEdit* beginNaming(int row) {
    select(row);
    m_view->setFocus();
    QTest::keyClick(m_view, Qt::Key_F2);
    return m_view->findChild<QLineEdit*>();
  }
  QString selectedTitle() const { return m_view->currentIndex().data().toString(); }
  // Opens the menu of the row that is selected, chooses an action, and says whether it was there.
  bool choose(const QString& action) {
    QTest::keyClick(m_view, Qt::Key_Menu);
    auto* menu = m_list.findChild<QMenu*>();
    bool isThere = false;
    for (QAction* each : menu->actions()) {
      if (each->text() != action) continue;
      isThere = true;
      each->trigger();
    }
    menu->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return isThere;
  }

  qint64 m_now = 0;
  Theme m_theme{ThemeChoice::Light};
  test::FakeConversationPort m_store;
  ConversationList m_list{m_theme, m_store, nullptr, [this] { return m_now; }};
  QListView* m_view = nullptr;
};

TEST_F(ConversationListTest, a_conversation_is_pinned_and_unpinned_in_its_menu) {
  EXPECT_EQ(titles(), (QStringList{"Ants", "Whales", "Bees"}));
  select(2);
  EXPECT_FALSE(choose("Unpin"));
  EXPECT_TRUE(choose("Pin"));
  EXPECT_EQ(m_store.pinned, QSet<QString>{"Bees"});
  EXPECT_EQ(titles(), (QStringList{"Bees", "Ants", "Whales"}));
  EXPECT_EQ(heading(0), "Pinned");
  EXPECT_EQ(heading(1), "Today");
  EXPECT_EQ(selectedTitle(), "Bees") << "the keyboard stays on it";
  m_list.refresh();
  EXPECT_EQ(titles(), (QStringList{"Bees", "Ants", "Whales"})) << "as the store has it";
  EXPECT_TRUE(choose("Unpin"));
  EXPECT_TRUE(m_store.pinned.isEmpty());
  EXPECT_EQ(titles(), (QStringList{"Ants", "Whales", "Bees"}));
}

TEST_F(ConversationListTest, the_open_one_is_marked_wherever_the_user_is) {
  const auto openOnes = [this] {
    QStringList all;
    for (int i = 0; i < m_view->model()->rowCount(); ++i) {
      const QModelIndex row = m_view->model()->index(i, 0);
      if (row.data(ConversationListModel::OpenRole).toBool()) all.append(row.data(Qt::AccessibleTextRole).toString());
    }
    return all;
  };
  EXPECT_EQ(openOnes(), QStringList());
  m_list.setCurrent({"Bees", "Bees", {}, m_now, m_now});
  select(1);
  EXPECT_EQ(openOnes(), QStringList{"Bees, open"});
  m_list.setCurrent({"Ants", "Ants", {}, m_now, m_now});
  EXPECT_EQ(openOnes(), QStringList{"Ants, open"});
}

TEST_F(ConversationListTest, a_search_shows_pinned_ones_first) {
  m_store.setPinned("Bees", true);
  m_list.findChild<QLineEdit*>("conversationSearch")->setText("e");
  ASSERT_TRUE(QTest::qWaitFor([&] { return titles() == QStringList{"Bees", "Whales"}; }, 60'000));
}

TEST_F(ConversationListTest, groups_follow_the_clock_while_the_window_is_open) {
  EXPECT_EQ(heading(0), "Today");
  m_now = QDateTime({2026, 11, 25}, {0, 0}).toMSecsSinceEpoch();
  m_list.findChild<QTimer*>("dayTimer")->start(1);
  ASSERT_TRUE(QTest::qWaitFor([&] { return heading(0) == "Yesterday"; }, 60'000));
}

TEST_F(ConversationListTest, a_click_on_a_heading_chooses_nothing) {
  QSignalSpy opened(&m_list, &ConversationList::openChosen);
  const QRect first = m_view->visualRect(m_view->model()->index(0, 0));
  QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, first.topLeft() + QPoint(20, 4));
  EXPECT_EQ(opened.count(), 0);
  EXPECT_FALSE(m_view->currentIndex().isValid());
  QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, first.bottomLeft() + QPoint(20, -6));
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0], "Ants");
}

TEST_F(ConversationListTest, the_keyboard_walks_over_headings_opens_renames_and_deletes) {
  m_store.setPinned("Bees", true);
  m_list.refresh();
  QSignalSpy opened(&m_list, &ConversationList::openChosen), renamed(&m_list, &ConversationList::renamed);
  select(0);
  QTest::keyClick(m_view, Qt::Key_Down);
  EXPECT_EQ(selectedTitle(), "Ants");
  QTest::keyClick(m_view, Qt::Key_Return);
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0], "Ants");
  m_view->setFocus();
  QTest::keyClick(m_view, Qt::Key_F2);
  auto* edit = m_view->findChild<QLineEdit*>();
  ASSERT_NE(edit, nullptr);
  edit->setText("Termites");
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(QTest::qWaitFor([&] { return renamed.count() == 1; }, 60'000));
  EXPECT_EQ(renamed[0], (QVariantList{"Ants", "Termites"}));
  QTest::keyClick(m_view, Qt::Key_Delete);
  EXPECT_EQ(m_store.removed, QSet<QString>{"Ants"});
  EXPECT_EQ(titles(), (QStringList{"Bees", "Whales"}));
}

TEST_F(ConversationListTest, an_answer_that_ends_elsewhere_leaves_the_title_that_is_being_typed) {
  m_list.setMarks({{"Bees", {ConversationMark::Kind::Writing, 0}}});
  QLineEdit* const edit = beginNaming(1);
  ASSERT_NE(edit, nullptr);
  edit->setText("Half a na");
  m_store.saveHead({"Bees", "Bees", {}, m_now, m_now + 1});
  m_list.setMarks({});
  EXPECT_EQ(titles(), (QStringList{"Bees", "Ants", "Whales"}));
  QCoreApplication::processEvents();
  ASSERT_EQ(m_view->findChild<QLineEdit*>(), edit);
  EXPECT_TRUE(edit->isVisible());
  EXPECT_EQ(edit->text(), "Half a na");
  EXPECT_TRUE(m_view->visualRect(m_view->model()->index(2, 0)).contains(edit->geometry().center()));
}

// "Bees" is open and was used: its time is another one, as after an answer.
struct OpenIsUsed : ConversationListTest {
  void open() { m_list.setCurrent({"Bees", "Bees", {}, m_now, m_now - 2000}); }
  void use() { m_list.setCurrent({"Bees", "Bees", {}, m_now, ++m_now}); }
  void SetUp() override {
    ConversationListTest::SetUp();
    open();
    EXPECT_EQ(selectedTitle(), "Bees");
  }
};

TEST_F(OpenIsUsed, and_the_keyboard_stays_on_the_row_where_the_user_is) {
  select(1);
  use();
  EXPECT_EQ(titles(), (QStringList{"Bees", "Ants", "Whales"}));
  EXPECT_EQ(selectedTitle(), "Whales");
  QTest::keyClick(m_view, Qt::Key_Delete);
  EXPECT_EQ(m_store.removed, QSet<QString>{"Whales"});
}

TEST_F(OpenIsUsed, and_a_menu_acts_on_the_conversation_that_it_was_opened_for) {
  for (const char* action : {"Rename", "Delete"}) {
    select(titles().indexOf("Whales"));
    QTest::keyClick(m_view, Qt::Key_Menu);
    auto* menu = m_list.findChild<QMenu*>();
    ASSERT_NE(menu, nullptr);
    use();
    select(titles().indexOf("Bees"));
    for (QAction* each : menu->actions()) {
      if (each->text() == action) each->trigger();
    }
    menu->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    if (QString(action) == "Delete") break;
    EXPECT_EQ(selectedTitle(), "Whales");
    auto* edit = m_view->findChild<QLineEdit*>();
    ASSERT_NE(edit, nullptr);
    EXPECT_EQ(edit->text(), "Whales");
    QTest::keyClick(edit, Qt::Key_Escape);
  }
  EXPECT_EQ(m_store.removed, QSet<QString>{"Whales"});
}

TEST_F(OpenIsUsed, and_half_a_title_is_still_being_typed_also_when_another_one_opens) {
  QSignalSpy renamed(&m_list, &ConversationList::renamed);
  QLineEdit* const edit = beginNaming(1);
  ASSERT_NE(edit, nullptr);
  edit->setText("Half a na");
  use();
  m_list.setCurrent({"Ants", "Ants", {}, m_now, m_now});
  QCoreApplication::processEvents();
  EXPECT_EQ(renamed.count(), 0);
  ASSERT_EQ(m_view->findChild<QLineEdit*>(), edit);
  EXPECT_EQ(edit->text(), "Half a na");
  EXPECT_EQ(selectedTitle(), "Whales");
}

TEST_F(OpenIsUsed, and_after_a_deletion_the_neighbour_is_selected) {
  QObject::connect(&m_list, &ConversationList::removed, &m_list, [this](const QString& id) {
    if (id == "Bees") m_list.setCurrent({"new", {}, {}, m_now, m_now});
  });
  EXPECT_EQ(titles(), (QStringList{"Ants", "Whales", "Bees"}));
  select(0);
  QTest::keyClick(m_view, Qt::Key_Delete);
  EXPECT_EQ(selectedTitle(), "Whales");
  select(1);
  QTest::keyClick(m_view, Qt::Key_Delete);  // the open one, the last in the list
  EXPECT_EQ(m_store.removed, (QSet<QString>{"Ants", "Bees"}));
  EXPECT_EQ(selectedTitle(), "Whales");
}

TEST_F(OpenIsUsed, and_what_was_deleted_is_no_neighbour_while_the_store_has_not_answered) {
  m_store.isHoldingLists = true;
  select(1);
  for (int i = 0; i < 4; ++i) QTest::keyClick(m_view, Qt::Key_Delete);
  EXPECT_EQ(m_store.removed, (QSet<QString>{"Ants", "Whales", "Bees"}));
}

TEST_F(ConversationListTest, when_an_answer_ends_its_model_is_named) {
  const auto model = [&] { return m_view->model()->index(1, 0).data(ConversationListModel::ModelNameRole).toString(); };
  m_list.setMarks({{"Whales", {ConversationMark::Kind::Writing, 0}}});
  Turn answer;
  answer.id = "t";
  answer.modelName = "Headroom starter";
  m_store.saveTurn("Whales", answer);
  EXPECT_EQ(model(), "");
  m_list.setMarks({{"Whales", {ConversationMark::Kind::Unread, 0}}});
  EXPECT_EQ(model(), "Headroom starter");
}

}  // namespace
}  // namespace headroom::ui
