#include "ui/calculator/layer_count_edit.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QGridLayout>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolTip>

#include "plan/memory_plan.h"

namespace headroom::ui {
namespace {

class LayerCountEditTest : public testing::Test {
 protected:
  void SetUp() override {
    m_page.resize(400, 60);
    m_page.show();
  }
  template <class W>
  W* find(const char* name) {
    W* widget = m_page.findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  QWidget m_page;
  QGridLayout m_grid{&m_page};
  LayerCountEdit& m_edit =
      *new LayerCountEdit({"x", "&X", "What x is.", "x", "x, exact", "Auto", "tip", "auto x"}, m_grid, 0, &m_page);
  QSignalSpy m_chosen{&m_edit, &LayerCountEdit::chosen};
};

TEST_F(LayerCountEditTest, showing_asks_for_nothing_and_each_part_asks_for_its_number) {
  m_edit.show(5, 16, true);
  EXPECT_TRUE(m_chosen.isEmpty());
  EXPECT_TRUE(find<QCheckBox>("xAuto")->isChecked());
  find<QSlider>("xSlider")->setValue(7);
  find<QSpinBox>("xSpin")->setValue(9);
  find<QCheckBox>("xAuto")->setChecked(false);
  ASSERT_EQ(m_chosen.count(), 3);
  EXPECT_EQ(m_chosen[0][0].toInt(), 7);
  EXPECT_EQ(m_chosen[1][0].toInt(), 9);
  EXPECT_EQ(m_chosen[2][0].toInt(), 9) << "what the field shows";
  find<QCheckBox>("xAuto")->setChecked(true);
  EXPECT_EQ(m_chosen[3][0].toInt(), kAutoLayers);
}

TEST_F(LayerCountEditTest, every_position_says_what_it_means) {
  m_edit.setMeanings({"none", "one: about 4.1 tokens/s", "two: does not fit"});
  m_edit.show(1, 2, false);
  auto* slider = find<QSlider>("xSlider");
  EXPECT_EQ(slider->accessibleDescription(), "one: about 4.1 tokens/s");
  const auto tipAt = [&](int x) {
    const QPoint at(x, slider->height() / 2);
    QHelpEvent help(QEvent::ToolTip, at, slider->mapToGlobal(at));
    QCoreApplication::sendEvent(slider, &help);
    return QToolTip::text();
  };
  EXPECT_EQ(tipAt(2), "none");
  EXPECT_EQ(tipAt(slider->width() / 2), "one: about 4.1 tokens/s");
  EXPECT_EQ(tipAt(slider->width() - 2), "two: does not fit");
  EXPECT_EQ(slider->value(), 1) << "asked, not chosen";
}

}  // namespace
}  // namespace headroom::ui
