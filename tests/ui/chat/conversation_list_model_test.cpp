#include "ui/chat/conversation_list_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QSignalSpy>

namespace headroom::ui {
namespace {

qint64 at(int year, int month, int day, int hour, int minute) {
  return QDateTime({year, month, day}, {hour, minute}).toMSecsSinceEpoch();
}

class ConversationListModelTest : public testing::Test {
 protected:
  using Kind = ConversationMark::Kind;
  using Model = ConversationListModel;

  static ListedConversation listed(const char* id, qint64 updatedMs, bool isPinned = false) {
    return {{id, id, {}, 1, updatedMs}, {}, isPinned};
  }
  QVariant of(const QString& id, int role) const { return m_model.indexOf(id).data(role); }
  QString spoken(const QString& id) const { return of(id, Qt::AccessibleTextRole).toString(); }
  // "Today: a b; Older: c"
  QString shown() const {
    QString all;
    for (int i = 0; i < m_model.rowCount(); ++i) {
      const QModelIndex row = m_model.index(i);
      const QString group = row.data(Model::GroupRole).toString();
      if (!group.isEmpty()) all += (all.isEmpty() ? "" : "; ") + group + ":";
      all += " " + row.data().toString();
    }
    return all;
  }

  qint64 m_now = at(2026, 11, 24, 18, 5);
  Model m_model{[this] { return m_now; }};
  QAbstractItemModelTester m_tester{&m_model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(ConversationListModelTest, groups_are_days_and_pinned_ones_stand_before_them) {
  EXPECT_EQ(m_model.rowCount(), 0);
  m_model.setConversations({listed("future", at(2026, 11, 26, 1, 0)), listed("now", m_now),
                            listed("morning", at(2026, 11, 24, 0, 0)), listed("evening", at(2026, 11, 23, 23, 59)),
                            listed("p", at(2026, 11, 22, 12, 0), true), listed("2", at(2026, 11, 22, 12, 0)),
                            listed("7", at(2026, 11, 17, 0, 0)), listed("8", at(2026, 11, 16, 23, 59)),
                            listed("q", at(2024, 1, 1, 0, 0), true), listed("old", at(2024, 1, 1, 0, 0))});
  EXPECT_EQ(shown(), "Pinned: p q; Today: future now morning; Yesterday: evening; Last 7 days: 2 7; Older: 8 old");
}

TEST_F(ConversationListModelTest, a_row_says_when_it_was_used_and_who_answered) {
  m_model.setConversations({{{"a", "Recipes", {}, 1, at(2026, 11, 24, 9, 30)}, "Headroom starter", false},
                            {{"b", "", {}, 1, at(2025, 11, 24, 9, 30)}, "", false}});
  EXPECT_EQ(of("a", Model::WhenRole), "09:30");
  EXPECT_EQ(of("a", Model::ModelNameRole), "Headroom starter");
  EXPECT_EQ(of("a", Model::UpdatedRole).toLongLong(), at(2026, 11, 24, 9, 30));
  EXPECT_EQ(of("a", Qt::ToolTipRole), "Recipes\nLast used 24 Nov 2026, 09:30\nAnswered by Headroom starter");
  EXPECT_EQ(of("b", Model::WhenRole), "24 Nov 2025");
  EXPECT_EQ(of("b", Qt::ToolTipRole), "Untitled\nLast used 24 Nov 2025, 09:30");
  EXPECT_EQ(of("b", Qt::DisplayRole), "Untitled");
}

TEST_F(ConversationListModelTest, a_mark_and_a_pin_are_read_and_heard) {
  m_model.setConversations({listed("Recipes", 1)});
  EXPECT_FALSE(of("Recipes", Model::MarkRole).isValid());
  EXPECT_EQ(spoken("Recipes"), "Recipes");
  for (const auto& [mark, words] : {std::pair(ConversationMark{Kind::Writing, 0}, "Answering"),
                                    std::pair(ConversationMark{Kind::Waiting, 2}, "Waiting: 2 before it"),
                                    std::pair(ConversationMark{Kind::Unread, 0}, "Answered; not read yet"),
                                    std::pair(ConversationMark{Kind::Trouble, 0}, "Needs your attention")}) {
    QSignalSpy changed(&m_model, &QAbstractItemModel::dataChanged);
    m_model.setMarks({{"Recipes", mark}, {"elsewhere", mark}});
    EXPECT_EQ(changed.count(), 1);
    m_model.setMarks({{"Recipes", mark}});
    EXPECT_EQ(changed.count(), 1) << "nothing of a row has changed";
    EXPECT_EQ(of("Recipes", Model::MarkRole).value<ConversationMark>(), mark);
    EXPECT_EQ(spoken("Recipes"), QStringLiteral("Recipes, ") + words);
    EXPECT_TRUE(of("Recipes", Qt::ToolTipRole).toString().endsWith(words));
  }
  m_model.setPinned("Recipes", true);
  EXPECT_EQ(spoken("Recipes"), "Recipes, Pinned, Needs your attention");
  m_model.setMarks({});
  EXPECT_EQ(spoken("Recipes"), "Recipes, Pinned");
}

TEST_F(ConversationListModelTest, what_is_used_or_pinned_moves_to_its_place) {
  const qint64 old = at(2026, 11, 10, 8, 0);
  m_model.setConversations({listed("a", m_now - 1), listed("b", old + 2), listed("c", old + 1), listed("d", old)});
  QSignalSpy reset(&m_model, &QAbstractItemModel::modelReset);
  EXPECT_TRUE(m_model.setHead({"c", "c", {}, 1, m_now}));
  EXPECT_EQ(shown(), "Today: c a; Older: b d");
  EXPECT_TRUE(m_model.setHead({"b", "B", {}, 1, old + 2}));
  EXPECT_EQ(shown(), "Today: c a; Older: B d") << "another title is no use";
  EXPECT_FALSE(m_model.setHead({"x", "x", {}, 1, m_now}));
  m_model.setPinned("d", true);
  EXPECT_EQ(shown(), "Pinned: d; Today: c a; Older: B");
  m_model.setPinned("c", true);
  EXPECT_EQ(shown(), "Pinned: c d; Today: a; Older: B");
  EXPECT_TRUE(m_model.setHead({"a", "a", {}, 1, m_now + 1}));
  EXPECT_EQ(shown(), "Pinned: c d; Today: a; Older: B") << "the newest one stays below those that are pinned";
  m_model.setPinned("c", false);
  m_model.setPinned("d", false);
  EXPECT_EQ(shown(), "Today: a c; Older: B d");
  EXPECT_EQ(reset.count(), 0) << "rows move: who types a title goes on";
}

TEST_F(ConversationListModelTest, after_midnight_the_groups_are_those_of_the_new_day) {
  m_model.setConversations(
      {listed("a", m_now), listed("b", at(2026, 11, 23, 12, 0)), listed("c", at(2026, 11, 17, 12, 0))});
  QSignalSpy changed(&m_model, &QAbstractItemModel::dataChanged);
  EXPECT_EQ(shown(), "Today: a; Yesterday: b; Last 7 days: c");
  m_now = at(2026, 11, 24, 23, 59);
  m_model.followClock();
  EXPECT_EQ(changed.count(), 0);
  m_now = at(2026, 11, 25, 0, 0);
  m_model.followClock();
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(shown(), "Yesterday: a; Last 7 days: b; Older: c");
  EXPECT_EQ(of("a", Model::WhenRole), "Yesterday");
}

TEST_F(ConversationListModelTest, the_same_conversations_in_another_order_move) {
  m_model.setConversations({listed("a", 3), listed("b", 2), listed("c", 1)});
  const QPersistentModelIndex a = m_model.indexOf("a"), c = m_model.indexOf("c");
  QSignalSpy reset(&m_model, &QAbstractItemModel::modelReset);
  ListedConversation answered = listed("c", 4);
  answered.modelName = "tiny";
  m_model.setConversations({answered, listed("a", 3), listed("b", 2)});
  EXPECT_EQ(reset.count(), 0);
  EXPECT_EQ(c.row(), 0);
  EXPECT_EQ(a.row(), 1);
  EXPECT_EQ(a.data(), "a");
  EXPECT_EQ(c.data(Model::ModelNameRole), "tiny");
  m_model.setConversations({answered, listed("b", 2)});
  EXPECT_EQ(reset.count(), 1);
  EXPECT_FALSE(a.isValid());
}

TEST_F(ConversationListModelTest, a_title_that_is_typed_is_told_once_and_an_empty_or_equal_one_never) {
  m_model.setConversations({listed("a", 1)});
  QSignalSpy renamed(&m_model, &Model::renamed);
  EXPECT_FALSE(m_model.setData(m_model.index(0), "  ", Qt::EditRole));
  EXPECT_FALSE(m_model.setData(m_model.index(0), " a ", Qt::EditRole));
  EXPECT_TRUE(m_model.setData(m_model.index(0), "  A  name\n", Qt::EditRole));
  ASSERT_EQ(renamed.count(), 1);
  EXPECT_EQ(renamed[0], (QVariantList{"a", "A name"}));
  EXPECT_EQ(of("a", Qt::DisplayRole), "A name");
}

}  // namespace
}  // namespace headroom::ui
