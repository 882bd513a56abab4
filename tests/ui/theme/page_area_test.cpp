#include "ui/theme/page_area.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QScrollBar>

namespace headroom::ui {
namespace {

TEST(PageAreaTest, it_is_never_narrower_than_its_page_and_hears_when_that_grows) {
  QWidget host;
  auto* layout = new QHBoxLayout(&host);
  auto* page = new QWidget;
  auto* column = new QHBoxLayout(page);
  auto* field = new QWidget(page);
  field->setMinimumSize(120, 900);
  column->addWidget(field);
  auto* area = new PageArea(page);
  layout->addWidget(area);
  host.resize(300, 200);
  host.show();
  const int before = area->minimumSizeHint().width();
  EXPECT_GT(before, 120);
  field->setMinimumWidth(260);
  for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
  EXPECT_GE(area->minimumSizeHint().width(), before + 140);
  EXPECT_GE(host.minimumSizeHint().width(), area->minimumSizeHint().width()) << "and so does who holds it";
  EXPECT_GT(area->verticalScrollBar()->maximum(), 0) << "what is too tall is scrolled";
  EXPECT_EQ(area->horizontalScrollBarPolicy(), Qt::ScrollBarAlwaysOff);
}

TEST(PageAreaTest, a_page_that_needs_no_other_width_lays_out_nothing_around_it) {
  struct Counter : QObject {
    int n = 0;
    bool eventFilter(QObject*, QEvent* event) override {
      n += event->type() == QEvent::LayoutRequest;
      return false;
    }
  } requests;
  QWidget host;
  auto* layout = new QHBoxLayout(&host);
  auto* page = new QWidget;
  auto* column = new QHBoxLayout(page);
  auto* field = new QWidget(page);
  field->setMinimumSize(120, 300);
  column->addWidget(field);
  auto* area = new PageArea(page);
  layout->addWidget(area);
  host.resize(300, 200);
  host.show();
  const auto settle = [] {
    for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
  };
  settle();
  field->setMinimumHeight(400);  // the first request that the area hears tells it the width
  settle();
  host.installEventFilter(&requests);
  field->setMinimumHeight(900);
  settle();
  EXPECT_EQ(requests.n, 0);
  EXPECT_GE(page->height(), 900);
  field->setMinimumWidth(150);
  settle();
  EXPECT_GT(requests.n, 0);
}

}  // namespace
}  // namespace headroom::ui
