#include "ui/library/library_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

class LibraryModelTest : public testing::Test {
 protected:
  static LibraryEntry entry(const char* name, Bytes bytes = kGiB) {
    LibraryEntry made;
    made.folder = {FolderKind::User, "/m"};
    made.found.name = QLatin1String(name);
    made.found.path = made.found.canonical = "/m/" + made.found.name;
    made.found.bytes = bytes;
    return made;
  }
  QStringList shown() const {
    QStringList names;
    for (int i = 0; i < m_filter.rowCount(); ++i) names << m_filter.index(i, 0).data().toString();
    return names;
  }

  LibraryModel m_model;
  LibraryFilter m_filter{m_model};
  QAbstractItemModelTester m_tester{&m_model, QAbstractItemModelTester::FailureReportingMode::Fatal};
  QAbstractItemModelTester m_filterTester{&m_filter, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(LibraryModelTest, rows_that_stay_keep_their_place) {
  m_model.setEntries({entry("b"), entry("a"), entry("c")});
  const QPersistentModelIndex a = m_model.index(m_model.rowOf("/m/a"));
  EXPECT_EQ(shown(), (QStringList{"a", "b", "c"}));
  m_model.setEntries({entry("d"), entry("a", 7), entry("e")});
  EXPECT_EQ(shown(), (QStringList{"a", "d", "e"}));
  EXPECT_TRUE(a.isValid());
  EXPECT_EQ(m_model.entry(a.row()).found.bytes, 7U);
  EXPECT_EQ(m_model.rowOf("/m/b"), -1);
  m_model.setEntries({});
  EXPECT_EQ(m_model.rowCount(), 0);
}

TEST_F(LibraryModelTest, facts_and_fits_change_one_row) {
  m_model.setEntries({entry("a"), entry("b")});
  QSignalSpy changed(&m_model, &QAbstractItemModel::dataChanged);
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kTinyLlama));
  m_model.setFacts("/m/b", LibraryEntry::State::Ready, {model, {}, {}});
  ModelFit fit;
  fit.kind = ModelFit::Kind::Host;
  m_model.setFit("/m/b", fit);
  m_model.setFit("/m/b", fit);
  m_model.setFit("/m/nowhere", fit);
  EXPECT_EQ(changed.count(), 2) << "what is the same is not told again";
  const QModelIndex b = m_model.index(m_model.rowOf("/m/b"));
  EXPECT_EQ(b.data(LibraryModel::BadgeRole), "Fits in RAM");
  EXPECT_EQ(b.data(LibraryModel::ToneRole).toInt(), static_cast<int>(Tone::Good));
  EXPECT_TRUE(b.data(LibraryModel::CanLoadRole).toBool());
  EXPECT_EQ(b.data(Qt::AccessibleTextRole), "b, Fits in RAM");
  EXPECT_TRUE(b.data(Qt::AccessibleDescriptionRole).toString().contains("llama"));
  EXPECT_TRUE(b.data(Qt::ToolTipRole).toString().startsWith("/m/b\n"));
}

TEST_F(LibraryModelTest, the_loaded_model_is_marked_by_either_of_its_paths) {
  LibraryEntry linked = entry("a");
  linked.found.canonical = "/blobs/a";
  m_model.setEntries({linked, entry("b")});
  m_model.setLoadedPath("/blobs/a");
  EXPECT_TRUE(m_model.index(0).data(LibraryModel::LoadedRole).toBool());
  EXPECT_FALSE(m_model.index(0).data(LibraryModel::RemovableRole).toBool());
  EXPECT_TRUE(m_model.index(0).data(Qt::AccessibleTextRole).toString().contains("Loaded"));
  m_model.setEntries({linked, entry("b")});
  EXPECT_TRUE(m_model.index(0).data(LibraryModel::LoadedRole).toBool()) << "also after another look";
  m_model.setLoadedPath("/m/b");
  EXPECT_FALSE(m_model.index(0).data(LibraryModel::LoadedRole).toBool());
  EXPECT_TRUE(m_model.index(1).data(LibraryModel::LoadedRole).toBool());
}

TEST_F(LibraryModelTest, a_search_leaves_rows_out_and_an_order_moves_them) {
  m_model.setEntries({entry("alpha", 1), entry("beta", 3), entry("gamma", 2)});
  m_filter.setSearch(" A ");
  EXPECT_EQ(shown().size(), 3);
  m_filter.setSearch("MM");
  EXPECT_EQ(shown(), QStringList("gamma"));
  m_filter.setSearch({});
  m_filter.setOrder(LibraryOrder::Size);
  EXPECT_EQ(shown(), (QStringList{"beta", "gamma", "alpha"}));
  m_filter.setOrder(LibraryOrder::Fit);
  EXPECT_EQ(shown(), (QStringList{"alpha", "beta", "gamma"}));
  ModelFit fit;
  fit.kind = ModelFit::Kind::Whole;
  m_model.setFit("/m/gamma", fit);
  EXPECT_EQ(shown(), (QStringList{"gamma", "alpha", "beta"}));
  EXPECT_EQ(m_filter.entry(m_filter.index(0, 0)).found.name, "gamma");
}

}  // namespace
}  // namespace headroom::ui
