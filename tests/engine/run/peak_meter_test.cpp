#include "run/peak_meter.h"

#include <gtest/gtest.h>

#include "support/fake_backend.h"

namespace headroom {
namespace {

TEST(PeakMeter, keeps_the_most_that_was_held_and_the_least_that_was_free) {
  fake::Machine machine;
  machine.mapped_now = 100;
  machine.held_by_driver = 7;
  const Backends backends{nullptr, std::make_shared<fake::FakeBackend>(DeviceInfo{}, machine)};
  PeakMeter meter(backends);
  machine.mapped_now = 300;
  machine.held_by_driver = 9;
  meter.sample();
  machine.mapped_now = 200;
  machine.held_by_driver = 8;
  meter.sample();
  EXPECT_EQ(meter.of(1).ours, 300U);
  EXPECT_EQ(meter.of(1).driver, 9U);
  EXPECT_EQ(meter.of(1).least_free, machine.total - 300);
  EXPECT_FALSE(meter.of(0).least_free.has_value()) << "there is no backend";
}

TEST(PeakMeter, asks_no_more_often_than_is_of_use) {
  fake::Machine machine;
  const Backends backends{std::make_shared<fake::FakeBackend>(DeviceInfo{}, machine)};
  PeakMeter meter(backends);
  machine.mapped_now = 100;
  meter.sample_when_due();
  const Bytes at_once = meter.of(0).ours;
  machine.mapped_now = 200;
  meter.sample();
  EXPECT_EQ(meter.of(0).ours, 200U);
  EXPECT_LE(at_once, 100U);
}

}  // namespace
}  // namespace headroom
