#include "ui/chart/bytes_ticker.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace headroom::ui {
namespace {

// Its marks are for the plot alone to ask for.
class Ticker : public BytesTicker {
 public:
  using BytesTicker::getTickLabel;
  using BytesTicker::getTickStep;
};

TEST(BytesTickerTest, marks_are_round_in_the_unit_that_they_are_written_in) {
  Ticker ticker;
  const auto label = [&](double bytes) { return ticker.getTickLabel(bytes, QLocale(), QLatin1Char('f'), 0); };
  EXPECT_EQ(label(0), "0");
  EXPECT_EQ(label(512 * static_cast<double>(kMiB)), "512 MiB");
  EXPECT_EQ(label(1.5 * static_cast<double>(kGiB)), "1.5 GiB");
  EXPECT_EQ(label(2048), "2 KiB");
  EXPECT_EQ(label(1024.0 * static_cast<double>(kGiB)), "1,024 GiB");
}

TEST(BytesTickerTest, the_step_is_the_power_of_two_that_keeps_to_the_wanted_number_of_marks) {
  Ticker ticker;
  ticker.setTickCount(4);
  for (const double top : {1.0, 3e3, 8.0 * static_cast<double>(kGiB), 1e15, 1.8e19}) {
    const double step = ticker.getTickStep(QCPRange(0, top));
    EXPECT_EQ(std::exp2(std::round(std::log2(step))), step) << top;
    EXPECT_LE(top / step, 4.0 + 1e-9) << top;
    EXPECT_TRUE(top / step > 1.999 || step == 1) << top;
  }
}

}  // namespace
}  // namespace headroom::ui
