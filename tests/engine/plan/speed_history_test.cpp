#include "plan/speed_history.h"

#include <gtest/gtest.h>

#include <set>

namespace headroom {
namespace {

constexpr UtcSeconds kStart = 1'700'000'000, kMinutes = 60;

DeviceSpeed real_speed() {
  DeviceSpeed speed{20e9, 5e9, 3e-6, 1e12};
  for (FormatSpeed& format : speed.formats) format = {18e9, 15e9, 4e11, 2e11};
  return speed;
}

// Every figure so many times too slow, or too fast where that is below 1.
DeviceSpeed slower(double times) {
  DeviceSpeed speed = real_speed();
  for_each_figure(speed, [&](std::size_t, const std::string&, double& value, bool is_seconds) {
    value = is_seconds ? value * times : value / times;
  });
  return speed;
}

// The most that a figure is away from the real one, either way.
double farthest(const DeviceSpeed& speed) {
  std::array<double, kNSpeedFigures> real{};
  const DeviceSpeed is = real_speed();
  for_each_figure(is, [&](std::size_t i, const std::string&, double value, bool) { real[i] = value; });
  double most = 1;
  for_each_figure(speed, [&](std::size_t i, const std::string&, double value, bool) {
    most = std::max({most, value / real[i], real[i] / value});
  });
  return most;
}

TEST(SpeedFigures, are_all_visited_and_have_names_of_their_own) {
  std::set<std::string> names;
  std::size_t next = 0;
  const DeviceSpeed speed = real_speed();
  for_each_figure(speed, [&](std::size_t index, const std::string& name, double value, bool) {
    EXPECT_EQ(index, next++);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_GT(value, 0) << name;
  });
  EXPECT_EQ(next, kNSpeedFigures);
  EXPECT_EQ(sizeof(DeviceSpeed), kNSpeedFigures * sizeof(double)) << "a figure that no age belongs to";
}

// What measurements found, as how many times too slow; and how far off the worst figure may be at the end.
struct Course {
  const char* name;
  std::vector<double> measured;
  double most_off;
};
const Course kCourses[] = {
    {"quiet", {1, 1, 1}, 1.0},
    {"busy at first", {6, 1}, 1.0},
    {"very busy at first", {2000, 1}, 1.0},
    {"busy but once", {18, 6, 1, 6, 18}, 1.0},
    {"busy for long, then quiet", {6, 6, 6, 6, 6, 6, 6, 6, 1}, 1.0},
    {"ops and copies alike, late", {18, 18, 18, 18, 2000, 18, 1}, 1.0},
    {"busy now and then", {1, 6, 1, 18, 1, 2000}, 1.0},
    {"a little slower each time", {1, 1.1, 1.2, 1.1, 1.2}, 1.0},
    {"too fast once", {0.1, 1, 1, 1, 1, 1}, 1.0},
    {"far too fast once", {0.01, 1.2, 1, 1.1, 1, 1}, 1.0},
};

TEST(SpeedHistory, keeps_no_figure_that_later_measurements_contradict) {
  for (const Course& course : kCourses) {
    SpeedHistory history;
    UtcSeconds now = kStart;
    for (const double times : course.measured) history.take_measurement(slower(times), now += 10 * kMinutes);
    EXPECT_LE(farthest(history.speed), course.most_off * 1.0001) << course.name;
    for (const FigureAge& age : history.ages) {
      EXPECT_EQ(age.measured_at, now) << course.name;
      EXPECT_EQ(age.n_measurements, course.measured.size()) << course.name;
    }
  }
}

TEST(SpeedHistory, is_due_until_it_was_measured_three_times_and_then_after_a_month) {
  SpeedHistory history;
  UtcSeconds now = kStart;
  EXPECT_TRUE(history.is_due(now));
  for (int measured = 1; measured <= 3; ++measured) {
    history.take_measurement(real_speed(), now);
    EXPECT_FALSE(history.is_due(now + 9 * kMinutes)) << measured;
    EXPECT_EQ(history.is_due(now + 10 * kMinutes), measured < 3) << measured;
    now += 10 * kMinutes;
  }
  EXPECT_FALSE(history.is_due(now + 29 * 24 * 60 * kMinutes));
  EXPECT_TRUE(history.is_due(now + 30 * 24 * 60 * kMinutes));
  EXPECT_TRUE(history.is_due(kStart - 60 * kMinutes)) << "a clock that was put back";
}

TEST(SpeedHistory, is_due_after_an_answer_that_was_far_off_either_way) {
  for (const double slowdown : {0.49, 0.51, 1.0, 1.99, 2.01}) {
    SpeedHistory history;
    for (int i = 0; i < 3; ++i) history.take_measurement(real_speed(), kStart);
    history.take_answer({history.speed, slowdown});
    const bool is_far = slowdown < 0.5 || slowdown > 2;
    EXPECT_EQ(history.is_due(kStart + 10 * kMinutes), is_far) << slowdown;
    EXPECT_FALSE(history.is_due(kStart + 9 * kMinutes)) << slowdown << ": other programs need time to end";
    history.take_measurement(real_speed(), kStart + 10 * kMinutes);
    EXPECT_FALSE(history.is_due(kStart + 20 * kMinutes)) << slowdown << ": measured since";
  }
}

TEST(SpeedHistory, leaves_what_answers_showed_unless_a_measurement_is_clearly_better) {
  SpeedHistory history;
  for (int i = 0; i < 3; ++i) history.take_measurement(real_speed(), kStart);
  history.take_answer({slower(1.2), 1.2});
  history.take_measurement(real_speed(), kStart + 1);
  EXPECT_NEAR(farthest(history.speed), 1.2, 1e-6) << "what a model gets of it";
  history.take_answer({slower(2000), 2000});
  history.take_measurement(real_speed(), kStart + 2);
  EXPECT_NEAR(farthest(history.speed), 1, 1e-6) << "another program was computing";
}

TEST(SpeedHistory, of_another_driver_starts_from_the_old_figures) {
  SpeedHistory history;
  for (int i = 0; i < 5; ++i) history.take_measurement(real_speed(), kStart);
  history.forget_ages();
  EXPECT_EQ(history.speed, real_speed());
  EXPECT_TRUE(history.is_due(kStart));
  history.take_measurement(slower(4), kStart);
  EXPECT_NEAR(farthest(history.speed), 2, 1e-6) << "half of the way: the driver may be slower, or the machine busy";
  history.take_measurement(real_speed(), kStart + 10 * kMinutes);
  EXPECT_NEAR(farthest(history.speed), 1, 1e-6);
}

TEST(SpeedHistory, of_a_measurement_without_memory_for_all_figures_is_due_again_but_not_at_once) {
  SpeedHistory history;
  for (int i = 0; i < 3; ++i) history.take_measurement(real_speed(), kStart);
  history.take_answer({real_speed(), 3});
  DeviceSpeed part = real_speed();
  part.read_bytes_per_s = 0;
  history.take_measurement(part, kStart + 10 * kMinutes);
  EXPECT_EQ(history.speed, real_speed());
  EXPECT_EQ(history.ages[0].n_measurements, 3U);
  EXPECT_EQ(history.ages[1].n_measurements, 4U);
  EXPECT_FALSE(history.is_due(kStart + 19 * kMinutes)) << "it was measured a moment ago";
  EXPECT_TRUE(history.is_due(kStart + 20 * kMinutes)) << "what the answer doubted was not";
  history.take_measurement(real_speed(), kStart + 20 * kMinutes);
  EXPECT_FALSE(history.is_due(kStart + 30 * kMinutes));
}

}  // namespace
}  // namespace headroom
