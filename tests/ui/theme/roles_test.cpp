#include "ui/theme/roles.h"

#include <gtest/gtest.h>

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QSet>

#include "ui/theme/style_sheet.h"

namespace headroom::ui {
namespace {

TEST(Roles, tones_have_names_of_their_own) {
  QSet<QString> names;
  for (const Tone tone : {Tone::Neutral, Tone::Good, Tone::Warning, Tone::Bad}) names.insert(toneName(tone));
  EXPECT_EQ(names, (QSet<QString>{"neutral", "good", "warning", "bad"}));
}

TEST(Roles, a_change_of_tone_is_seen_in_the_widget_and_in_what_is_on_it) {
  Theme theme(ThemeChoice::Light);
  QFrame banner;
  banner.setStyleSheet(styleSheetOf(theme.tokens()));
  setRole(&banner, "banner");
  auto* row = new QHBoxLayout(&banner);
  auto* label = new QLabel("sentence", &banner);
  setRole(label, "sentence");
  row->addWidget(label);
  banner.resize(200, 60);
  const auto surface = [&] { return banner.grab().toImage().pixelColor(100, 4); };
  const auto words = [&] { return label->palette().color(QPalette::WindowText); };
  setTone(&banner, Tone::Good);
  EXPECT_EQ(surface(), theme.tokens().good.surface);
  EXPECT_EQ(words(), theme.tokens().good.text);
  setTone(&banner, Tone::Bad);
  EXPECT_EQ(surface(), theme.tokens().bad.surface);
  EXPECT_EQ(words(), theme.tokens().bad.text);
}

TEST(Roles, a_state_is_seen_and_ends) {
  Theme theme(ThemeChoice::Light);
  QFrame frame;
  frame.setStyleSheet(styleSheetOf(theme.tokens()));
  setRole(&frame, "composer");
  frame.resize(200, 60);
  const auto border = [&] { return frame.grab().toImage().pixelColor(100, 0); };
  const QColor before = border();
  setState(&frame, "focused", true);
  EXPECT_EQ(border(), theme.tokens().accent);
  setState(&frame, "focused", false);
  EXPECT_EQ(border(), before);
}

}  // namespace
}  // namespace headroom::ui
