#include "bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchedDevice cpuPart() {
  BenchedDevice device{.info = make_cpu_device("a CPU", kGiB, kGiB, 4), .nLayers = 4};
  device.decodeBytes = 2e9;
  device.prefillOps = 200e9;
  device.limits = {.read_bytes_per_s = 20e9, .int8_ops_per_s = 400e9};
  return device;
}

BenchedDevice cardPart() {
  BenchedDevice device;
  device.info.id = "vulkan:0";
  device.info.name = "a card";
  device.info.kind = DeviceKind::kVulkan;
  device.info.kernels = "Vulkan, tier 2 (int8)";
  device.nLayers = 12;
  device.decodeBytes = 6e9;
  device.prefillOps = 600e9;
  device.limits = {.read_bytes_per_s = 600e9, .f32_ops_per_s = 10e12, .int8_ops_per_s = 40e12};
  return device;
}

BenchFigures figuresOf(std::vector<BenchedDevice> devices) {
  BenchFigures figures;
  figures.model = "a model";
  figures.nPrompt = 100;
  figures.nDecode = 10;
  figures.nThreads = 4;
  figures.loadSeconds = 2;
  figures.loadBytesPerS = 4e9;
  figures.devices = std::move(devices);
  return figures;
}

TEST(BenchReport, on_one_device_shares_are_of_its_limits) {
  BenchFigures figures = figuresOf({cpuPart()});
  figures.decodeTokensPerS = 9;
  figures.prefillTokensPerS = 150;  // the prompt in 2/3 s
  figures.decodeOutside = 0.042;
  EXPECT_DOUBLE_EQ(decodeBytesPerS(figures), 18e9);
  EXPECT_DOUBLE_EQ(decodeShare(figures).value(), 0.9);
  EXPECT_DOUBLE_EQ(prefillOpsPerS(figures), 300e9);
  EXPECT_DOUBLE_EQ(prefillShare(figures).value(), 0.75);
  const std::string text = benchText(figures);
  EXPECT_THAT(text, HasSubstr("a model, 4 threads, depth 0\n"));
  EXPECT_THAT(text, HasSubstr("300.0 Gop/s, 75 % of the int8 peak of 400.0\n"));
  EXPECT_THAT(text, HasSubstr("18.0 GB/s, 90 % of the read bandwidth of 20.0; 4.2 % of the time outside matrices\n"));
}

TEST(BenchReport, of_several_peaks_each_is_told_and_the_highest_is_the_limit) {
  BenchFigures figures = figuresOf({cardPart()});
  figures.decodeTokensPerS = 50;
  figures.prefillTokensPerS = 1000;  // 6 Top/s
  EXPECT_DOUBLE_EQ(prefillShare(figures).value(), 0.15);
  const std::string text = benchText(figures);
  EXPECT_THAT(text, HasSubstr("a model, on vulkan:0 (a card, Vulkan, tier 2 (int8)), 4 threads, depth 0\n"));
  EXPECT_THAT(text, HasSubstr("6000.0 Gop/s, 15 % of the int8 peak of 40000.0 and 60 % of the f32 peak of 10000.0\n"));
  EXPECT_THAT(text, Not(HasSubstr("outside matrices")));
  const Json json = benchJson(figures);
  EXPECT_TRUE(json["decode_outside_matrices"].is_null());
  EXPECT_TRUE(json["predicted_tokens_per_s"].is_null());
  EXPECT_EQ(json["devices"].size(), 1U);
  EXPECT_EQ(json["devices"][0]["f32_peak_ops_per_s"], 10e12);
  EXPECT_EQ(json["devices"][0]["n_layers"], 12);
}

TEST(BenchReport, of_several_devices_the_time_that_they_take_at_least_one_after_the_other_counts) {
  BenchFigures figures = figuresOf({cardPart(), cpuPart()});
  figures.decodeTokensPerS = 5;  // of at most 1 / (0.01 + 0.1)
  figures.prefillTokensPerS = 100;
  EXPECT_DOUBLE_EQ(decodeShare(figures).value(), 0.55);
  EXPECT_DOUBLE_EQ(prefillShare(figures).value(), 0.015 + 0.5);
  const std::string text = benchText(figures);
  EXPECT_THAT(text, HasSubstr("a model, 12 layers on vulkan:0, 4 on cpu, 4 threads, depth 0\n"));
  EXPECT_THAT(text, HasSubstr("55 % of what the read bandwidths of the devices allow\n"));
  EXPECT_THAT(text, HasSubstr("vulkan:0   reads 6.000 GB a token, at most 600.0 GB/s; int8 peak 40000.0 Gop/s; f32 "));
  EXPECT_THAT(text, HasSubstr("cpu        reads 2.000 GB a token, at most 20.0 GB/s; int8 peak 400.0 Gop/s\n"));
}

TEST(BenchReport, without_a_limit_of_every_device_or_a_measurement_no_share_is_told) {
  BenchFigures figures = figuresOf({cardPart(), cpuPart()});
  EXPECT_EQ(decodeShare(figures), std::nullopt) << "nothing was decoded";
  EXPECT_EQ(prefillShare(figures), std::nullopt);
  figures.decodeTokensPerS = 5;
  figures.prefillTokensPerS = 100;
  figures.devices[0].limits = {.read_bytes_per_s = 600e9};  // as a reference device
  EXPECT_NE(decodeShare(figures), std::nullopt);
  EXPECT_EQ(prefillShare(figures), std::nullopt);
  EXPECT_TRUE(benchJson(figures)["prefill_share"].is_null());
  EXPECT_THAT(benchText(figures), Not(HasSubstr("peaks of the devices")));
}

}  // namespace
}  // namespace headroom::cli
