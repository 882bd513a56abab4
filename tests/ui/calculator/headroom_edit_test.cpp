#include "ui/calculator/headroom_edit.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QGridLayout>
#include <QSignalSpy>
#include <QSlider>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

class HeadroomEditTest : public testing::Test {
 protected:
  void SetUp() override {
    QObject::connect(&m_edit, &HeadroomEdit::ruleChosen, &m_edit,
                     [this](const HeadroomRule& rule) { m_rules.push_back(rule); });
  }
  QSlider* slider() { return m_page.findChild<QSlider*>("headroomSlider"); }
  QWidget m_page;
  QGridLayout m_grid{&m_page};
  HeadroomEdit& m_edit = *new HeadroomEdit(m_grid, 0, &m_page);
  std::vector<HeadroomRule> m_rules;
};

TEST_F(HeadroomEditTest, showing_a_rule_asks_for_none) {
  m_edit.show(test::gpu_with(8 * kGiB), KeepFree{2 * kGiB});
  m_edit.show(test::gpu_with(4 * kGiB), AtMost{kGiB});
  EXPECT_TRUE(m_rules.empty());
  EXPECT_EQ(m_page.findChild<QComboBox*>("headroomRule")->currentIndex(), 1);
}

TEST_F(HeadroomEditTest, a_small_device_has_steps_too) {
  m_edit.show(test::gpu_with(256 * kMiB), KeepFree{32 * kMiB});
  EXPECT_GE(slider()->maximum(), 64);
  slider()->setValue(slider()->maximum() / 2);
  ASSERT_EQ(m_rules.size(), 1U);
  EXPECT_EQ(m_rules[0], HeadroomRule(KeepFree{128 * kMiB}));
}

TEST_F(HeadroomEditTest, the_other_meaning_is_the_same_limit) {
  m_edit.show(test::gpu_with(8 * kGiB), KeepFree{kGiB});
  auto* meaning = m_page.findChild<QComboBox*>("headroomRule");
  meaning->setCurrentIndex(1);
  emit meaning->activated(1);
  ASSERT_EQ(m_rules.size(), 1U);
  EXPECT_EQ(m_rules[0], HeadroomRule(AtMost{7 * kGiB}));
  emit meaning->activated(1);
  EXPECT_EQ(m_rules.size(), 2U) << "until it is shown anew, it is still the old rule's";
  m_edit.show(test::gpu_with(8 * kGiB), m_rules[0]);
  emit meaning->activated(1);
  EXPECT_EQ(m_rules.size(), 2U) << "nothing was changed";
}

}  // namespace
}  // namespace headroom::ui
