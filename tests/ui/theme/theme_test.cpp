#include "ui/theme/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "ui/theme/style_sheet.h"

namespace headroom::ui {
namespace {

// Relative luminance and contrast as WCAG 2.1 defines them.
double luminance(const QColor& color) {
  const auto channel = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

class Tokens : public testing::TestWithParam<bool> {
 protected:
  ThemeTokens t = GetParam() ? darkTokens() : lightTokens();
};

TEST_P(Tokens, text_stands_out_from_whatever_it_is_written_on) {
  constexpr double kReadable = 4.5;
  for (const QColor& background : {t.window, t.surface, t.sunken}) {
    EXPECT_GE(contrast(t.text, background), kReadable) << background.name().toStdString();
    EXPECT_GE(contrast(t.muted, background), kReadable) << background.name().toStdString();
  }
  EXPECT_GE(contrast(t.onAccent, t.accent), kReadable);
  EXPECT_GE(contrast(t.text, t.found), kReadable);
  EXPECT_GE(contrast(t.onFoundNow, t.foundNow), kReadable);
  EXPECT_GE(contrast(t.found, t.foundNow), 2) << "the current hit stands out from the others";
  EXPECT_GE(contrast(t.text, t.accentSurface), kReadable);
  for (const Tone tone : {Tone::Neutral, Tone::Good, Tone::Warning, Tone::Bad}) {
    EXPECT_GE(contrast(t.tone(tone).text, t.tone(tone).surface), kReadable) << static_cast<int>(tone);
    EXPECT_GE(contrast(t.muted, t.tone(tone).surface), kReadable) << static_cast<int>(tone);
  }
}

TEST_P(Tokens, neighbouring_segments_differ_in_lightness_or_hue) {
  // Distance in a simple opponent space; neighbours below it were told apart by nobody in greyscale and with red-green
  // blindness.
  constexpr int kDistinct = 40;
  for (std::size_t i = 0; i + 1 < kSegments.size(); ++i) {
    const QColor a = t.segments[i], b = t.segments[i + 1];
    const int distance = std::abs(qGray(a.rgb()) - qGray(b.rgb())) + std::abs(a.blue() - b.blue());
    EXPECT_GE(distance, kDistinct) << segmentKey(kSegments[i]) << " and " << segmentKey(kSegments[i + 1]);
  }
}

TEST_P(Tokens, headroom_is_hatched_where_its_colour_alone_would_not_do) {
  EXPECT_EQ(t.segmentBrush(Segment::Headroom).style(), Qt::BDiagPattern);
  EXPECT_EQ(t.segmentBrush(Segment::Free).style(), Qt::SolidPattern);
}

TEST_P(Tokens, no_token_is_left_unset_in_the_style_sheet) {
  EXPECT_FALSE(styleSheetOf(t).contains(QLatin1Char('$')))
      << styleSheetOf(t).section(QLatin1Char('$'), 1, 1).left(30).toStdString();
}

TEST_P(Tokens, with_high_contrast_text_and_borders_stand_out_by_seven) {
  constexpr double kHigh = 7;
  const ThemeTokens high = highContrast(t);
  EXPECT_EQ(high.isDark, t.isDark);
  for (const QColor& background : {high.window, high.surface, high.sunken, high.accentSurface}) {
    for (const QColor& ink : {high.text, high.muted, high.border, high.accent, high.link})
      EXPECT_GE(contrast(ink, background), kHigh) << ink.name().toStdString() << background.name().toStdString();
  }
  EXPECT_GE(contrast(high.onAccent, high.accent), kHigh);
  EXPECT_GE(contrast(high.text, high.found), kHigh);
  EXPECT_GE(contrast(high.onFoundNow, high.foundNow), kHigh);
  for (const Tone tone : {Tone::Neutral, Tone::Good, Tone::Warning, Tone::Bad}) {
    EXPECT_GE(contrast(high.tone(tone).text, high.tone(tone).surface), kHigh) << static_cast<int>(tone);
    EXPECT_GE(contrast(high.tone(tone).border, high.tone(tone).surface), kHigh) << static_cast<int>(tone);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Tokens, testing::Values(false, true),
                         [](const auto& row) { return row.param ? "dark" : "light"; });

TEST(Theme, a_choice_is_told_once) {
  Theme theme(ThemeChoice::Light);
  QSignalSpy changed(&theme, &Theme::changed);
  theme.setChoice(ThemeChoice::Dark);
  theme.setChoice(ThemeChoice::Dark);
  EXPECT_EQ(changed.count(), 1);
  EXPECT_TRUE(theme.tokens().isDark);
}

TEST(Theme, as_system_it_follows_the_desktop_while_it_runs) {
  bool systemIsDark = false;
  Theme theme(AppearanceSettings{}, [&] { return systemIsDark; });
  QSignalSpy changed(&theme, &Theme::changed);
  const auto tellChange = [](QEvent::Type type, QObject* to) {
    QEvent event(type);
    QCoreApplication::sendEvent(to, &event);
    QTest::qWait(1);
  };
  QWidget window;
  tellChange(QEvent::ThemeChange, &window);
  EXPECT_EQ(changed.count(), 0) << "the desktop is as light as before";
  systemIsDark = true;
  tellChange(QEvent::ThemeChange, &window);
  EXPECT_EQ(changed.count(), 1);
  EXPECT_TRUE(theme.tokens().isDark);
  systemIsDark = false;
  tellChange(QEvent::ApplicationPaletteChange, qApp);
  EXPECT_EQ(changed.count(), 2);
  theme.setChoice(ThemeChoice::Light);
  systemIsDark = true;
  tellChange(QEvent::ThemeChange, &window);
  EXPECT_FALSE(theme.tokens().isDark) << "a choice is kept";
  theme.setChoice(ThemeChoice::System);
  EXPECT_TRUE(theme.tokens().isDark);
}

TEST(Theme, its_own_colours_are_not_taken_for_the_desktops) {
  Theme theme(ThemeChoice::Light);
  const bool systemIsDark = systemPaletteIsDark();
  for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
    theme.setChoice(choice);
    QTest::qWait(1);
    const QColor window = QGuiApplication::palette().color(QPalette::Window);
    EXPECT_EQ(systemPaletteIsDark(), systemIsDark);
    EXPECT_EQ(QGuiApplication::palette().color(QPalette::Window), window) << "asking changes nothing";
  }
}

TEST(Theme, every_tone_has_its_own_icon) {
  const Theme theme(ThemeChoice::Light);
  QStringList names;
  for (const Tone tone : {Tone::Neutral, Tone::Good, Tone::Warning, Tone::Bad}) {
    names << Theme::toneIconName(tone);
    const QImage image = theme.icon(names.last()).pixmap(32).toImage();
    bool isDrawn = false;
    for (int y = 0; y < image.height() && !isDrawn; ++y) {
      for (int x = 0; x < image.width() && !isDrawn; ++x) isDrawn = image.pixelColor(x, y).alpha() > 0;
    }
    EXPECT_TRUE(isDrawn) << names.last().toStdString();
  }
  EXPECT_EQ(names.removeDuplicates(), 0);
}

TEST(Theme, the_size_of_text_is_that_of_the_desktop_times_what_was_chosen_and_goes_with_the_theme) {
  const double usual = QApplication::font().pointSizeF();
  {
    Theme theme(AppearanceSettings{.theme = ThemeChoice::Light, .textPercent = 150});
    EXPECT_NEAR(QApplication::font().pointSizeF(), usual * 1.5, 0.01);
    EXPECT_TRUE(qApp->styleSheet().contains("font-size: 23px")) << "of figures, 15 before";
    theme.setChoice(ThemeChoice::Dark);
    EXPECT_NEAR(QApplication::font().pointSizeF(), usual * 1.5, 0.01) << "not once more, and not as it was";
    QSignalSpy changed(&theme, &Theme::changed);
    theme.setAppearance({.theme = ThemeChoice::Dark, .textPercent = 80});
    EXPECT_EQ(changed.count(), 1);
    EXPECT_NEAR(QApplication::font().pointSizeF(), usual * 0.8, 0.01);
  }
  EXPECT_NEAR(QApplication::font().pointSizeF(), usual, 0.01);
}

}  // namespace
}  // namespace headroom::ui
