#include "ui/library/model_fit.h"

#include <gtest/gtest.h>

#include "plan/speed.h"
#include "support/model_specs.h"
#include "ui/calculator/calculator_state.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

class ModelFitTest : public testing::Test {
 protected:
  using Kind = ModelFit::Kind;

  void setDevices(Bytes host, Bytes gpu) {
    std::vector<DeviceInfo> present{test::cpu_with(host)};
    present[0].speed.read_bytes_per_s = 40e9;
    if (gpu > 0) {
      present.push_back(test::gpu_with(gpu));
      present[1].speed.read_bytes_per_s = 400e9;
    }
    m_calculator.setPresentDevices(present);
  }
  // Held against the calculator with the same model and devices.
  ModelFit fitHeldAgainstTheCalculator(const test::ModelShape& shape) {
    const auto model = std::make_shared<const ModelInfo>(test::make_model(shape));
    const ModelFit fit = findFit(model, m_calculator.startingDevices());
    m_calculator.setModel(model);
    const Verdict verdict = m_calculator.verdict();
    EXPECT_EQ(fitTone(fit), verdict.tone);
    EXPECT_EQ(fit.fits(), m_calculator.plan()->fits());
    if (fit.fits()) {
      EXPECT_EQ(fit.tokensPerSecond, estimate_tokens_per_s(*model, *m_calculator.plan()));
      EXPECT_TRUE(fitText(fit).endsWith(verdict.speed));
    } else {
      EXPECT_TRUE(verdict.heading.endsWith(formatBytes(fit.missing))) << verdict.heading.toStdString();
    }
    return fit;
  }

  CalculatorState m_calculator{{}};
};

TEST_F(ModelFitTest, a_model_that_fits_on_the_gpu_says_so_with_its_speed) {
  setDevices(32 * kGiB, 12 * kGiB);
  const ModelFit fit = fitHeldAgainstTheCalculator(test::kLlama3_8B);
  EXPECT_EQ(fit.kind, Kind::Whole);
  EXPECT_TRUE(fitText(fit).startsWith(QStringLiteral("Fits · about "))) << fitText(fit).toStdString();
}

TEST_F(ModelFitTest, layers_that_stay_in_ram_are_counted) {
  setDevices(32 * kGiB, 4 * kGiB);
  const ModelFit fit = fitHeldAgainstTheCalculator(test::kLlama3_8B);
  EXPECT_EQ(fit.kind, Kind::Partly);
  EXPECT_EQ(fit.nLayers, 32U);
  EXPECT_GT(fit.nInRam + fit.nFfnInRam, 0U);
  EXPECT_TRUE(fitText(fit).contains(QStringLiteral(" of 32 layers "))) << fitText(fit).toStdString();
  EXPECT_TRUE(fitText(fit).contains(QStringLiteral(" in RAM · about "))) << fitText(fit).toStdString();
}

TEST_F(ModelFitTest, a_machine_without_a_gpu_has_it_in_ram) {
  setDevices(32 * kGiB, 0);
  const ModelFit fit = fitHeldAgainstTheCalculator(test::kLlama3_8B);
  EXPECT_EQ(fit.kind, Kind::Host);
  EXPECT_TRUE(fitText(fit).startsWith(QStringLiteral("Fits in RAM · about ")));
}

TEST_F(ModelFitTest, what_is_too_large_says_by_how_much) {
  setDevices(8 * kGiB, 4 * kGiB);
  const ModelFit fit = fitHeldAgainstTheCalculator(test::kLlama3_70B);
  EXPECT_EQ(fit.kind, Kind::TooLarge);
  EXPECT_GT(fit.missing, 20 * kGiB);
  EXPECT_FALSE(fit.tokensPerSecond);
  EXPECT_EQ(fitText(fit), QStringLiteral("Too large by %1").arg(formatBytes(fit.missing)));
}

TEST_F(ModelFitTest, before_a_host_is_known_nothing_is_said) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kTinyLlama));
  const ModelFit fit = findFit(model, m_calculator.startingDevices());
  EXPECT_EQ(fit, ModelFit{});
  EXPECT_TRUE(fitText(fit).isEmpty());
  EXPECT_EQ(fitTone(fit), Tone::Neutral);
}

TEST_F(ModelFitTest, the_words_of_each_kind) {
  ModelFit fit;
  fit.nLayers = 36;
  fit.tokensPerSecond = 9;
  const auto text = [&](Kind kind) {
    fit.kind = kind;
    return fitText(fit);
  };
  EXPECT_EQ(text(Kind::Whole), QStringLiteral("Fits · about 9.0 tokens/s"));
  fit.nInRam = 12;
  EXPECT_EQ(text(Kind::Partly), QStringLiteral("Fits with 12 of 36 layers in RAM · about 9.0 tokens/s"));
  fit.nFfnInRam = 4;
  EXPECT_EQ(text(Kind::Partly), QStringLiteral("Fits with 16 of 36 layers partly in RAM · about 9.0 tokens/s"));
  fit.tokensPerSecond.reset();
  EXPECT_EQ(text(Kind::Whole), QStringLiteral("Fits"));
  EXPECT_EQ(text(Kind::NoPlan), QStringLiteral("No plan"));
  EXPECT_EQ(fitTone(fit), Tone::Warning);
}

TEST_F(ModelFitTest, the_best_stands_first) {
  ModelFit fast, slow, large, larger, unknown;
  fast.kind = Kind::Whole;
  fast.tokensPerSecond = 40;
  slow.kind = Kind::Host;
  slow.tokensPerSecond = 4;
  large.kind = larger.kind = Kind::TooLarge;
  large.missing = kGiB;
  larger.missing = 2 * kGiB;
  const std::vector<ModelFit> order{fast, slow, large, larger, unknown};
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_TRUE(fitsBetter(order[i - 1], order[i])) << i;
    EXPECT_FALSE(fitsBetter(order[i], order[i - 1])) << i;
  }
}

}  // namespace
}  // namespace headroom::ui
