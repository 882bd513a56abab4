#include "ui/calculator/number_field.h"

#include <gtest/gtest.h>

#include <QSpinBox>
#include <QTest>
#include <memory>

namespace headroom::ui {
namespace {

TEST(NumberField, what_is_being_typed_stays_until_it_is_entered) {
  const std::unique_ptr<QSpinBox> field(makeNumberField(0, 100, nullptr));
  field->show();
  field->activateWindow();
  field->setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return field->hasFocus(); }, 60'000));
  field->selectAll();
  QTest::keyClick(field.get(), Qt::Key_7);
  showNumber(*field, 33);
  EXPECT_EQ(field->text(), "7");
  QTest::keyClick(field.get(), Qt::Key_Return);
  showNumber(*field, 33);
  EXPECT_EQ(field->text(), "33");
}

}  // namespace
}  // namespace headroom::ui
