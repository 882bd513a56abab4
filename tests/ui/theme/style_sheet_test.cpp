#include "ui/theme/style_sheet.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QRegularExpression>

namespace headroom::ui {
namespace {

TEST(StyleSheet, the_palette_takes_every_colour_of_text_from_the_tokens) {
  for (const ThemeTokens& tokens : {lightTokens(), darkTokens()}) {
    const QPalette palette = paletteOf(tokens);
    EXPECT_EQ(palette.color(QPalette::WindowText), tokens.text);
    EXPECT_EQ(palette.color(QPalette::Text), tokens.text);
    EXPECT_EQ(palette.color(QPalette::Window), tokens.window);
    EXPECT_NE(palette.color(QPalette::Disabled, QPalette::Text), tokens.text) << "what is disabled looks so";
  }
}

TEST(StyleSheet, both_themes_have_the_same_rules_in_other_colours) {
  QString light = styleSheetOf(lightTokens()), dark = styleSheetOf(darkTokens());
  EXPECT_NE(light, dark);
  const QRegularExpression colour(QStringLiteral("#[0-9a-fA-F]{6,8}\\b|rgba?\\([^)]*\\)"));
  EXPECT_EQ(light.replace(colour, "C"), dark.replace(colour, "C"));
}

TEST(StyleSheet, braces_close_and_no_placeholder_is_left) {
  const QString sheet = styleSheetOf(lightTokens());
  EXPECT_EQ(sheet.count('{'), sheet.count('}'));
  EXPECT_FALSE(sheet.contains('$'));
}

}  // namespace
}  // namespace headroom::ui
