#include "backend/device_wait.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

using std::chrono::milliseconds;

std::string told_after(milliseconds waited) { return no_answer("cuda:0", "computing a step", waited).message.text(); }

TEST(DeviceWait, says_how_long_it_has_waited) {
  const struct {
    milliseconds waited;
    const char* told;
  } rows[] = {{kDeviceWaitLimit, "60"},   {milliseconds(10'000), "10"}, {milliseconds(9'900), "9.9"},
              {milliseconds(300), "0.3"}, {milliseconds(100), "0.1"},   {milliseconds(49), "0.049"},
              {milliseconds(1), "0.001"}};
  for (const auto& row : rows) {
    EXPECT_EQ(
        told_after(row.waited),
        "cuda:0: no answer within " + std::string(row.told) +
            " s while computing a step: the device is given up, and what it holds stays taken until it answers or "
            "the program ends");
  }
}

TEST(DeviceWait, a_device_that_is_given_up_is_lost) {
  EXPECT_EQ(no_answer("cuda:0", "copying weights", kDeviceWaitLimit).code, ErrorCode::kDeviceLost);
  EXPECT_EQ(is_given_up("cuda:0").code, ErrorCode::kDeviceLost);
  EXPECT_EQ(is_given_up("cuda:0").message.text(), "cuda:0: the device was given up, since it did not answer");
}

}  // namespace
}  // namespace headroom
