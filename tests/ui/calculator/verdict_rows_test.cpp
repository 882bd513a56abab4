#include "ui/calculator/verdict_rows.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QLabel>
#include <QPixmap>

namespace headroom::ui {
namespace {

const DeviceVerdict kFits{"RTX 3060", 6 * kGiB, 8 * kGiB, kGiB, 0};
const DeviceVerdict kTooMuch{"RTX 3060", 10 * kGiB, 8 * kGiB, kGiB, 3 * kGiB};

// How many pixels of the middle line have this colour.
int pixelsOf(const QImage& image, const QColor& colour) {
  int n = 0;
  for (int x = 0; x < image.width(); ++x) n += image.pixelColor(x, image.height() / 2) == colour ? 1 : 0;
  return n;
}

class VerdictRowsTest : public testing::Test {
 protected:
  Theme m_theme{ThemeChoice::Light};
};

TEST_F(VerdictRowsTest, the_bar_shows_the_shares_of_the_figures) {
  VerdictBar bar(m_theme, nullptr);
  bar.resize(400, 8);
  bar.setDevice(kFits);
  const QImage fits = bar.grab().toImage().convertToFormat(QImage::Format_RGB32);
  EXPECT_NEAR(pixelsOf(fits, m_theme.tokens().good.text), 300, 6) << "6 of 8 GiB";
  bar.setDevice(kTooMuch);
  const QImage tooMuch = bar.grab().toImage().convertToFormat(QImage::Format_RGB32);
  EXPECT_EQ(pixelsOf(tooMuch, m_theme.tokens().good.text), 0);
  EXPECT_NEAR(pixelsOf(tooMuch, m_theme.tokens().bad.text), 364, 12) << "10 of 11 GiB, but for the mark at 8";
}

TEST_F(VerdictRowsTest, each_device_has_a_row_and_rows_stay_while_figures_change) {
  VerdictRows rows(m_theme, nullptr);
  rows.show();
  rows.setDevices({kFits, {"Host", kGiB, 16 * kGiB, 0, 0}});
  const auto figures = rows.findChildren<QLabel*>("deviceFigures");
  ASSERT_EQ(figures.size(), 2);
  EXPECT_EQ(figures[0]->text(), QStringLiteral("6.00 of 8.00 GiB"));
  const auto left = rows.findChildren<QLabel*>("deviceLeft");
  EXPECT_EQ(left[0]->text(), QStringLiteral("1.00 GiB kept free, 1.00 GiB to spare"));
  EXPECT_EQ(left[1]->text(), QStringLiteral("15.0 GiB to spare"));
  rows.setDevices({kTooMuch});
  EXPECT_EQ(rows.findChildren<QLabel*>("deviceFigures").size(), 2);
  EXPECT_EQ(left[0]->text(), QStringLiteral("3.00 GiB too much, with 1.00 GiB to keep free"));
  EXPECT_FALSE(figures[1]->isVisible());
  EXPECT_EQ(figures[0]->parentWidget()->accessibleName(),
            QStringLiteral("RTX 3060: 10.00 of 8.00 GiB, 3.00 GiB too much, with 1.00 GiB to keep free"));
}

}  // namespace
}  // namespace headroom::ui
