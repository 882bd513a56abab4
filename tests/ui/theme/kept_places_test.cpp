#include "ui/theme/kept_places.h"

#include <gtest/gtest.h>

#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <memory>

namespace headroom::ui {
namespace {

// As it is built each time: a long page, three tabs, two buttons.
std::unique_ptr<QWidget> makeContents() {
  auto contents = std::make_unique<QWidget>();
  auto* column = new QVBoxLayout(contents.get());
  auto* area = new QScrollArea(contents.get());
  area->setObjectName("page");
  area->setWidgetResizable(true);
  auto* page = new QWidget;
  page->setMinimumHeight(2000);
  area->setWidget(page);
  column->addWidget(area);
  auto* tabs = new QTabWidget(contents.get());
  tabs->setObjectName("tabs");
  for (const char* name : {"a", "b", "c"}) tabs->addTab(new QWidget, name);
  column->addWidget(tabs);
  for (const char* name : {"stays", "springs"}) {
    auto* button = new QToolButton(contents.get());
    button->setObjectName(name);
    button->setCheckable(name == std::string_view("stays"));
    column->addWidget(button);
  }
  contents->resize(300, 400);
  return contents;
}

QScrollBar& barOf(const QWidget& contents) { return *contents.findChild<QScrollArea*>("page")->verticalScrollBar(); }

TEST(KeptPlaces, come_back_in_widgets_that_are_not_laid_out_yet) {
  const auto before = makeContents();
  before->show();
  barOf(*before).setValue(700);
  before->findChild<QTabWidget*>("tabs")->setCurrentIndex(2);
  before->findChild<QToolButton*>("stays")->setChecked(true);
  ASSERT_EQ(barOf(*before).value(), 700);
  const KeptPlaces places(*before);
  const auto after = makeContents();
  places.restoreIn(*after);
  EXPECT_EQ(after->findChild<QTabWidget*>("tabs")->currentIndex(), 2);
  EXPECT_TRUE(after->findChild<QToolButton*>("stays")->isChecked());
  EXPECT_FALSE(after->findChild<QToolButton*>("springs")->isChecked());
  after->show();
  EXPECT_TRUE(QTest::qWaitFor([&] { return barOf(*after).value() == 700; }, 60'000));
}

TEST(KeptPlaces, who_scrolls_before_there_is_room_stays_where_he_is) {
  const auto contents = makeContents();
  contents->show();
  QScrollBar& bar = barOf(*contents);
  scrollOnceThereIsRoom(bar, 5000);
  EXPECT_EQ(bar.value(), bar.maximum());
  bar.setValue(0);  // as an area does that follows the keyboard
  contents->findChild<QScrollArea*>("page")->widget()->setMinimumHeight(9000);
  ASSERT_TRUE(QTest::qWaitFor([&] { return bar.maximum() > 5000; }, 60'000));
  EXPECT_EQ(bar.value(), 0);
}

}  // namespace
}  // namespace headroom::ui
