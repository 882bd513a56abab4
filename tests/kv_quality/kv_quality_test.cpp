// The gate of KV quality: what a quantized cache costs in KL divergence, on the stand-in (stand_in.py) and 32,768 tokens of text that it was not
// trained on. "Plain" is the same type as other programs keep it: no rotation, no balance, no scale search, no exact ends.
#include <gtest/gtest.h>

#include "app/cli/cli_process.h"

namespace headroom::test {
namespace {

const std::string kFolder = HEADROOM_SOURCE_DIR "/tests/kv_quality/";
const std::string kModel = kFolder + "stand-in.gguf";

struct Divergence {
  double perplexityOfF16 = 0, perplexity = 0, median = 0, p999 = 0;
};

Divergence measure(const std::string& type, bool isPlain = false) {
  std::vector<std::string> arguments{"kld", kModel,  "--file", kFolder + "text.txt", "--kv-k", type,    "--kv-v",
                                     type,  "--ctx", "4096",   "--chunks",           "8",      "--json"};
  if (isPlain) arguments.emplace_back("--plain-kv");
  const CliResult result = runCli(arguments);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  const nlohmann::json read = result.json();
  if (!read.is_object()) return {};
  EXPECT_GE(read["n_positions"], 8 * 4095);
  return {read["perplexity_f16"], read["perplexity"], read["kld_median"], read["kld_p999"]};
}

TEST(KvQuality, q4_0_costs_no_more_than_plain_q8_0) {
  const Divergence ours = measure("q4_0"), plain = measure("q8_0", true);
  EXPECT_GT(ours.median, 0.0);
  EXPECT_LE(ours.median, 1.15 * plain.median);
  EXPECT_LE(ours.p999, 1.1 * plain.p999);
}

TEST(KvQuality, q8_0_and_fp8_read_as_f16) {
  for (const char* type : {"q8_0", "fp8"}) {
    const Divergence ours = measure(type);
    EXPECT_NEAR(ours.perplexity / ours.perplexityOfF16, 1.0, 1e-3) << type;
    EXPECT_LE(ours.p999, 1e-2) << type;
  }
}

TEST(KvQuality, q4_0_takes_at_most_31_percent_of_f16_at_32k) {
  const auto kvBytes = [](const std::string& type) {
    const CliResult result = runCli({"plan", kModel, "--ctx", "32768", "--kv-k", type, "--kv-v", type, "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json()["devices"][0]["by_kind"]["kv"].get<double>();
  };
  const double share = kvBytes("q4_0") / kvBytes("f16");
  EXPECT_LE(share, 0.31);
  EXPECT_GT(share, 0.28);
}

}  // namespace
}  // namespace headroom::test
