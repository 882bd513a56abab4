#include "backend/cpu/cpu_limits.h"

#include <gtest/gtest.h>

#include "backend/cpu/kernel_table.h"
#include "backend/host/thread_pool.h"
#include "base/cpu_features.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

TEST(CpuLimits, are_measured_and_within_what_any_machine_can_do) {
  const Result<DeviceLimits> limits = measure_cpu_limits(2);
  ASSERT_TRUE(limits.ok()) << limits.error().message.text();
  EXPECT_GT(limits->read_bytes_per_s, 1e8);
  EXPECT_LT(limits->read_bytes_per_s, 1e13);
  EXPECT_GT(limits->int8_ops_per_s, 1e7);
  EXPECT_LT(limits->int8_ops_per_s, 1e14);
  EXPECT_EQ(limits->f32_ops_per_s, 0.0) << "nobody measures it";
  EXPECT_EQ(limits->tile_ops_per_s > 0, selected_isa().value() == Isa::kAmx) << limits->tile_ops_per_s;
  RecordProperty("read_gb_per_s", std::to_string(limits->read_bytes_per_s * 1e-9));
  RecordProperty("int8_gops_per_s", std::to_string(limits->int8_ops_per_s * 1e-9));
}

TEST(CpuLimits, are_asked_again_and_again_by_a_meter_that_keeps_its_memory) {
  ThreadPool pool(2);
  const Result<std::unique_ptr<ReadMeter>> meter = open_cpu_read_meter(pool, make_kernel_table(selected_isa().value()));
  ASSERT_TRUE(meter.ok()) << meter.error().message.text();
  for (int pass = 0; pass < 3; ++pass) {
    const double bytes_per_s = static_cast<double>((*meter)->size()) / (*meter)->read();
    EXPECT_GT(bytes_per_s, 1e8);
    EXPECT_LT(bytes_per_s, 1e13);
  }
}

class CpuSpeed : public testing::Test {
 protected:
  DeviceSpeed measure(Bytes most_bytes) {
    ThreadPool pool(2);
    const Result<DeviceSpeed> speed = measure_cpu_speed(pool, make_kernel_table(selected_isa().value()), most_bytes);
    EXPECT_TRUE(speed.ok()) << (speed.ok() ? "" : speed.error().message.text());
    return speed.ok() ? *speed : DeviceSpeed{};
  }
};

TEST_F(CpuSpeed, has_a_figure_of_every_format_for_what_its_kernels_do) {
  const DeviceSpeed speed = measure(kMostMeasureBytes);
  for (const DTypeRow& row : kDTypes) {
    const FormatSpeed& format = speed.formats[static_cast<std::size_t>(row.dtype)];
    EXPECT_EQ(format.decode_bytes_per_s > 1e7, row.is_weight) << row.name;
    EXPECT_EQ(format.prompt_products_per_s > 1e7, row.is_weight) << row.name;
    EXPECT_EQ(format.cache_bytes_per_s > 1e7, row.is_kv) << row.name;
    EXPECT_EQ(format.attend_products_per_s > 1e7, row.is_kv) << row.name;
    for (const double rate : {format.decode_bytes_per_s, format.cache_bytes_per_s}) EXPECT_LT(rate, 1e13) << row.name;
  }
  EXPECT_GT(speed.read_bytes_per_s, 1e8);
  EXPECT_GT(speed.op_seconds, 0);
  EXPECT_LT(speed.op_seconds, 1e-2);
  EXPECT_GT(speed.products_per_s, 1e7);
  EXPECT_GT(speed.copy_bytes_per_s, 1e6);
}

TEST_F(CpuSpeed, in_memory_that_a_cache_holds_says_nothing_of_reading) {
  const DeviceSpeed speed = measure(0);  // kLeastMeasureBytes are taken
  EXPECT_EQ(speed.read_bytes_per_s, 0);
  for (const DTypeRow& row : kDTypes) {
    const FormatSpeed& format = speed.formats[static_cast<std::size_t>(row.dtype)];
    EXPECT_EQ(format.decode_bytes_per_s, 0) << row.name;
    EXPECT_EQ(format.cache_bytes_per_s, 0) << row.name;
    EXPECT_EQ(format.prompt_products_per_s > 1e7, row.is_weight) << row.name;
  }
  EXPECT_GT(speed.products_per_s, 1e7);
}

}  // namespace
}  // namespace headroom
