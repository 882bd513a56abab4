#include "ui/theme/wheel_guard.h"

#include <gtest/gtest.h>

#include <QtTest/qtestspontaneevent.h>
#include <QApplication>
#include <QComboBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

namespace headroom::ui {
namespace {

void turnWheel(QWidget& widget, int delta) {
  const QPointF at = QRectF(widget.rect()).center();
  QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
  QSpontaneKeyEvent::setSpontaneous(&event);  // as from the desktop: it goes on to parents, and may bring the keyboard
  qApp->notify(&widget, &event);
}

// A page that is higher than its area, with fields on it.
class WheelGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    auto* page = new QWidget;
    page->setMinimumHeight(3000);
    auto* layout = new QVBoxLayout(page);
    m_spin = new QSpinBox;
    m_combo = new QComboBox;
    m_combo->addItems({"a", "b", "c"});
    m_slider = new QSlider(Qt::Horizontal);
    m_spin->setValue(50);
    m_combo->setCurrentIndex(1);
    m_slider->setValue(50);
    for (QWidget* field :
         {static_cast<QWidget*>(m_spin), static_cast<QWidget*>(m_combo), static_cast<QWidget*>(m_slider)})
      layout->addWidget(field);
    m_area.setWidget(page);
    m_area.resize(300, 200);
    m_area.show();
    m_area.activateWindow();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_area.isActiveWindow(); }, 60'000));
  }
  WheelGuard m_guard;
  QScrollArea m_area;
  QSpinBox* m_spin = nullptr;
  QComboBox* m_combo = nullptr;
  QSlider* m_slider = nullptr;
};

TEST_F(WheelGuardTest, over_a_field_without_the_keyboard_the_wheel_scrolls_the_page) {
  m_area.setFocus();
  for (QWidget* field :
       {static_cast<QWidget*>(m_spin), static_cast<QWidget*>(m_combo), static_cast<QWidget*>(m_slider)}) {
    const int before = m_area.verticalScrollBar()->value();
    turnWheel(*field, -120);
    EXPECT_GT(m_area.verticalScrollBar()->value(), before) << field->metaObject()->className();
    EXPECT_EQ(field->focusPolicy(), Qt::StrongFocus)
        << "the wheel brings no keyboard: " << field->metaObject()->className();
  }
  EXPECT_EQ(m_spin->value(), 50);
  EXPECT_EQ(m_combo->currentIndex(), 1);
  EXPECT_EQ(m_slider->value(), 50);
}

TEST_F(WheelGuardTest, the_field_that_has_the_keyboard_is_changed_as_ever) {
  m_spin->setFocus();
  turnWheel(*m_spin, 120);
  EXPECT_EQ(m_spin->value(), 51);
  m_combo->setFocus();
  turnWheel(*m_combo, 120);
  EXPECT_EQ(m_combo->currentIndex(), 0);
}

}  // namespace
}  // namespace headroom::ui
