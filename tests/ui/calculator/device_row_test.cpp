#include "ui/calculator/device_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QToolButton>

#include "support/model_specs.h"
#include "ui/calculator/device_picker.h"

namespace headroom::ui {
namespace {

TEST(DeviceRowTest, a_further_card_of_one_name_stands_in_the_place_of_the_first) {
  DeviceInfo card = test::gpu_with(12 * kGiB);
  card.id = card.name = "RTX 3060";
  card.is_present = false;
  DeviceChoices choices({card});
  choices.setPresent({test::cpu_with(32 * kGiB)});
  choices.add("RTX 3060");
  choices.add("RTX 3060");
  DeviceRow row(nullptr);
  row.showRow(choices, 1);
  EXPECT_TRUE(row.picker()->currentText().startsWith("RTX 3060 #2")) << row.picker()->currentText().toStdString();
  EXPECT_EQ(row.picker()->findData("RTX 3060"), -1);
  row.showPlanPreview({{"RTX 3060", {true, true, 42.0}}});
  const int at = row.picker()->findData("RTX 3060 #2");
  ASSERT_GE(at, 0);
  EXPECT_TRUE(row.picker()->itemData(at, Qt::AccessibleTextRole).toString().endsWith("about 42 tokens/s"));
}

TEST(DeviceRowTest, the_label_leads_to_the_picker_and_buttons_take_the_keyboard) {
  DeviceRow row(nullptr);
  EXPECT_EQ(row.label()->buddy(), row.picker());
  EXPECT_EQ(row.addButton("removeDevice")->focusPolicy(), Qt::StrongFocus);
}

}  // namespace
}  // namespace headroom::ui
