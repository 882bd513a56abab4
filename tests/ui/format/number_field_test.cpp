#include "ui/format/number_field.h"

#include <gtest/gtest.h>

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QLocale>
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

class FieldIn : public testing::TestWithParam<QLocale> {
 protected:
  void SetUp() override { QLocale::setDefault(GetParam()); }
  void TearDown() override { QLocale::setDefault(m_before); }
  static void type(QAbstractSpinBox& field, const QString& text) {
    field.selectAll();
    field.findChild<QLineEdit*>()->insert(text);
    QTest::keyClick(&field, Qt::Key_Return);
  }
  const QLocale m_before;
};

TEST_P(FieldIn, a_count_is_written_in_one_form_and_read_in_all) {
  const std::unique_ptr<QSpinBox> field(makeNumberField(1, 1'000'000, nullptr));
  field->show();
  field->setValue(4096);
  EXPECT_EQ(field->text(), "4,096");
  for (const char* text : {"8,192", "8.192", "8 192", "8192"}) {
    field->setValue(1);
    type(*field, text);
    EXPECT_EQ(field->value(), 8192) << text;
    EXPECT_EQ(field->text(), "8,192");
  }
  type(*field, "8.19");
  EXPECT_EQ(field->value(), 8192) << "no number: the one before";
  type(*field, "2000000");
  EXPECT_LE(field->value(), 1'000'000);
}

TEST_P(FieldIn, a_decimal_is_written_in_one_form_and_read_in_all) {
  const std::unique_ptr<QDoubleSpinBox> field(makeDecimalField(-2, 5, nullptr));
  field->show();
  field->setValue(0.8);
  EXPECT_EQ(field->text(), "0.80");
  for (const char* text : {"1,25", "1.25", "1.250"}) {
    field->setValue(0);
    type(*field, text);
    EXPECT_DOUBLE_EQ(field->value(), 1.25) << text;
    EXPECT_EQ(field->text(), "1.25");
  }
  type(*field, "-0,5");
  EXPECT_DOUBLE_EQ(field->value(), -0.5);
}

TEST_P(FieldIn, a_word_for_zero_stays_a_word) {
  const std::unique_ptr<QSpinBox> field(makeNumberField(0, 100, nullptr));
  field->setSpecialValueText("off");
  field->setValue(0);
  EXPECT_EQ(field->text(), "off");
  field->setValue(7);
  type(*field, "off");
  EXPECT_EQ(field->value(), 0);
}

INSTANTIATE_TEST_SUITE_P(Locales, FieldIn,
                         testing::Values(QLocale(QLocale::English), QLocale(QLocale::German), QLocale(QLocale::French)),
                         [](const auto& tested) {
                           return QLocale::languageToString(tested.param.language()).toStdString();
                         });

}  // namespace
}  // namespace headroom::ui
