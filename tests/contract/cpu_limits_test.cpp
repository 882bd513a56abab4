#include "backend/cpu/cpu_limits.h"

#include <gtest/gtest.h>

#include "base/cpu_features.h"

namespace headroom {
namespace {

TEST(CpuLimits, are_measured_and_within_what_any_machine_can_do) {
  const Result<DeviceLimits> limits = measure_cpu_limits(2);
  ASSERT_TRUE(limits.ok()) << limits.error().message;
  EXPECT_GT(limits->read_bytes_per_s, 1e8);
  EXPECT_LT(limits->read_bytes_per_s, 1e13);
  EXPECT_GT(limits->int8_ops_per_s, 1e7);
  EXPECT_LT(limits->int8_ops_per_s, 1e14);
  EXPECT_EQ(limits->f32_ops_per_s, 0.0) << "nobody measures it";
  EXPECT_EQ(limits->tile_ops_per_s > 0, selected_isa().value() == Isa::kAmx) << limits->tile_ops_per_s;
  RecordProperty("read_gb_per_s", std::to_string(limits->read_bytes_per_s * 1e-9));
  RecordProperty("int8_gops_per_s", std::to_string(limits->int8_ops_per_s * 1e-9));
}

}  // namespace
}  // namespace headroom
