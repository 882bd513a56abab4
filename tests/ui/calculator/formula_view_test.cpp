#include "ui/calculator/formula_view.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

class FormulaViewTest : public testing::Test {
 protected:
  void open(const std::string& name) {
    DeviceInfo host = test::cpu_with(32 * kGiB);
    host.name = name;
    m_calculator.setPresentDevices({host});
    m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
  }
  Theme m_theme{ThemeChoice::Light};
  CalculatorState m_calculator{{}};
  FormulaView m_view{m_theme, m_calculator};
};

TEST_F(FormulaViewTest, it_is_written_when_it_is_seen_and_follows_the_plan) {
  open("Host");
  EXPECT_TRUE(m_view.toPlainText().isEmpty()) << "nobody sees it";
  m_view.show();
  const QString text = m_view.toPlainText();
  EXPECT_TRUE(text.startsWith("Host"));
  EXPECT_TRUE(text.contains("KV cache")) << text.toStdString();
  m_calculator.setContext(8192);
  m_calculator.planNow();
  EXPECT_NE(m_view.toPlainText(), text);
  m_calculator.setModel(nullptr);
  m_calculator.planNow();
  EXPECT_TRUE(m_view.toPlainText().isEmpty());
}

TEST_F(FormulaViewTest, a_name_from_outside_is_text_and_no_markup) {
  open("<img src='x'> & <b>Co</b>");
  m_view.show();
  EXPECT_TRUE(m_view.toPlainText().startsWith("<img src='x'> & <b>Co</b>")) << m_view.toPlainText().toStdString();
}

TEST_F(FormulaViewTest, its_colours_follow_the_theme) {
  open("Host");
  m_view.show();
  const QString light = m_theme.tokens().muted.name();
  EXPECT_TRUE(m_view.toHtml().contains(light));
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_TRUE(m_view.toHtml().contains(m_theme.tokens().muted.name()));
  EXPECT_FALSE(m_view.toHtml().contains(light));
}

}  // namespace
}  // namespace headroom::ui
