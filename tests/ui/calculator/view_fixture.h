// A view of a calculator that has one small model and one device.
#pragma once

#include <gtest/gtest.h>

#include <QTest>
#include <QWidget>
#include <memory>

#include "support/model_specs.h"
#include "ui/calculator/calculator_state.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

class CalculatorViewTest : public testing::Test {
 protected:
  virtual QWidget& view() = 0;

  void open(DeviceInfo host) {
    m_calculator.setPresentDevices({std::move(host)});
    m_calculator.setModel(m_model);
    m_calculator.planNow();
  }
  bool advised() {
    return QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000);
  }
  template <class W>
  W* find(const char* name) {
    W* widget = view().findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }

  std::shared_ptr<const ModelInfo> m_model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  Theme m_theme{ThemeChoice::Light};
  CalculatorState m_calculator{{}};
};

}  // namespace headroom::ui
