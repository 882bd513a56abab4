#include "ui/library/library_row.h"

#include <gtest/gtest.h>

#include <QListView>

#include "ui/library/library_model.h"

namespace headroom::ui {
namespace {

class LibraryRowTest : public testing::TestWithParam<ThemeChoice> {
 protected:
  void SetUp() override {
    m_theme.setChoice(GetParam());
    m_list.setItemDelegate(new LibraryRowDelegate(m_theme, &m_list));
    m_list.setModel(&m_model);
    m_entry.found.name = "Model";
    m_entry.found.path = "/m/Model.gguf";
    m_entry.state = LibraryEntry::State::Ready;
    m_entry.fit.kind = ModelFit::Kind::Whole;
    m_model.setEntries({m_entry});
    m_list.resize(500, 200);
    m_list.show();
  }
  QImage picture() { return m_list.viewport()->grab(m_list.visualRect(m_model.index(0))).toImage(); }
  // How many pixels of a colour are between two columns.
  static int count(const QImage& picture, const QColor& color, int from, int to) {
    int n = 0;
    for (int x = from; x < to; ++x) {
      for (int y = 0; y < picture.height(); ++y) n += picture.pixelColor(x, y).rgb() == color.rgb();
    }
    return n;
  }

  Theme m_theme{ThemeChoice::Light};
  LibraryModel m_model;
  QListView m_list;
  LibraryEntry m_entry;
};

TEST_P(LibraryRowTest, the_badge_stands_at_the_right_in_the_tone_of_the_verdict) {
  const ThemeTokens& tokens = m_theme.tokens();
  QImage image = picture();
  EXPECT_GT(count(image, tokens.good.surface, image.width() - 60, image.width()), 100);
  EXPECT_EQ(count(image, tokens.good.surface, 0, 100), 0);
  ModelFit large;
  large.kind = ModelFit::Kind::TooLarge;
  large.missing = 3 * kGiB;
  m_model.setFit("/m/Model.gguf", large);
  image = picture();
  EXPECT_GT(count(image, tokens.bad.surface, image.width() - 60, image.width()), 100);
}

TEST_P(LibraryRowTest, the_loaded_model_has_a_mark_before_its_badge) {
  const QColor accent = m_theme.tokens().accent;
  EXPECT_EQ(count(picture(), accent, 200, 490), 0);
  m_model.setLoadedPath("/m/Model.gguf");
  EXPECT_GT(count(picture(), accent, 200, 490), 20);
}

TEST_P(LibraryRowTest, a_model_that_is_offline_is_grey) {
  const QColor text = m_theme.tokens().text;
  EXPECT_GT(count(picture(), text, 0, 80), 5);
  m_entry.isOffline = true;
  m_model.setEntries({m_entry});
  EXPECT_EQ(count(picture(), text, 0, 80), 0);
}

TEST_P(LibraryRowTest, a_long_badge_leaves_the_name_its_third) {
  ModelFit fit;
  fit.kind = ModelFit::Kind::Partly;
  fit.nLayers = 36;
  fit.nInRam = 12;
  fit.tokensPerSecond = 9;
  m_model.setFit("/m/Model.gguf", fit);
  m_list.resize(200, 200);
  QCoreApplication::processEvents();
  const QImage image = picture();
  EXPECT_EQ(count(image, m_theme.tokens().good.surface, 0, image.width() / 3), 0);
}

INSTANTIATE_TEST_SUITE_P(Themes, LibraryRowTest, testing::Values(ThemeChoice::Light, ThemeChoice::Dark),
                         [](const auto& row) { return row.param == ThemeChoice::Dark ? "dark" : "light"; });

}  // namespace
}  // namespace headroom::ui
