#include "ui/theme/motion.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QPropertyAnimation>
#include <QStyle>
#include <QStyleHints>
#include <QTest>

#include "ui/theme/theme.h"

namespace headroom::ui {
namespace {

constexpr Qt::UIEffect kEffects[] = {Qt::UI_AnimateMenu, Qt::UI_FadeMenu, Qt::UI_AnimateCombo, Qt::UI_AnimateTooltip,
                                     Qt::UI_FadeTooltip};
constexpr QStyle::StyleHint kHints[] = {QStyle::SH_Widget_Animation_Duration, QStyle::SH_BlinkCursorWhenTextSelected};

TEST(MotionTest, reduced_no_effect_of_qt_is_on_and_afterwards_they_are_as_the_desktop_has_them) {
  const int blink = QGuiApplication::styleHints()->cursorFlashTime();
  ASSERT_GT(blink, 0);
  QApplication::setEffectEnabled(Qt::UI_AnimateCombo, true);
  QApplication::setEffectEnabled(Qt::UI_FadeTooltip, false);
  std::vector<bool> before;
  for (const Qt::UIEffect effect : kEffects) before.push_back(QApplication::isEffectEnabled(effect));
  {
    Theme theme(AppearanceSettings{.theme = ThemeChoice::Light, .reduceMotion = true});
    for (const Qt::UIEffect effect : kEffects) EXPECT_FALSE(QApplication::isEffectEnabled(effect)) << effect;
    for (const QStyle::StyleHint hint : kHints) EXPECT_EQ(QApplication::style()->styleHint(hint), 0) << hint;
    EXPECT_EQ(QGuiApplication::styleHints()->cursorFlashTime(), 0) << "the cursor stands";
    theme.setChoice(ThemeChoice::Dark);
    EXPECT_EQ(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration), 0) << "with another theme too";
    theme.setAppearance({.theme = ThemeChoice::Dark});
    EXPECT_GT(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration), 0);
    EXPECT_EQ(QGuiApplication::styleHints()->cursorFlashTime(), blink);
    theme.setAppearance({.theme = ThemeChoice::Dark, .reduceMotion = true});
  }
  for (std::size_t i = 0; i < std::size(kEffects); ++i)
    EXPECT_EQ(QApplication::isEffectEnabled(kEffects[i]), before[i]) << kEffects[i];
  EXPECT_EQ(QGuiApplication::styleHints()->cursorFlashTime(), blink);
}

// As Qt's own widgets begin them: in time of their own that no style sets.
TEST(MotionTest, reduced_what_a_widget_begins_to_animate_is_at_its_end_at_once) {
  for (const bool isReduced : {false, true}) {
    Motion motion;
    motion.setReduced(isReduced);
    QWidget widget;
    const auto begin = [&widget](int nLoops) {
      auto* animation = new QPropertyAnimation(&widget, "minimumWidth", &widget);
      animation->setStartValue(0);
      animation->setEndValue(100);
      animation->setDuration(100'000);
      animation->setLoopCount(nLoops);
      animation->start();
      return animation;
    };
    const auto* once = begin(1);
    QCoreApplication::sendPostedEvents();
    EXPECT_EQ(once->state() == QAbstractAnimation::Stopped, isReduced);
    EXPECT_EQ(widget.minimumWidth() == 100, isReduced);
    const auto* endless = begin(-1);
    QCoreApplication::sendPostedEvents();
    EXPECT_EQ(endless->state() == QAbstractAnimation::Stopped, isReduced);
  }
}

TEST(MotionTest, reduced_a_pane_has_its_place_as_soon_as_it_is_shown) {
  Theme theme(AppearanceSettings{.theme = ThemeChoice::Light, .reduceMotion = true});
  QMainWindow window;
  window.setCentralWidget(new QWidget);
  auto* dock = new QDockWidget(QStringLiteral("Pane"), &window);
  auto* content = new QWidget;
  content->setMinimumWidth(200);
  dock->setWidget(content);
  window.addDockWidget(Qt::LeftDockWidgetArea, dock);
  dock->hide();
  window.resize(800, 400);
  window.show();
  dock->show();
  window.resizeDocks({dock}, {300}, Qt::Horizontal);
  QCoreApplication::sendPostedEvents();
  const QRect place = dock->geometry();
  QTest::qWait(400);  // twice as long as Qt would move it
  EXPECT_EQ(dock->geometry(), place);
  EXPECT_EQ(place.width(), 300);
}

}  // namespace
}  // namespace headroom::ui
