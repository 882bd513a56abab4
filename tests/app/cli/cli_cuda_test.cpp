// The command line with CUDA, whose driver is the one of tests/support/cuda: what it shows, plans, runs and measures,
// and what it says where a driver or card cannot be used or fails.
#include <array>
#include <set>
#include <utility>

#include "app/cli/cli_fixture.h"
#include "support/cuda/fake_cuda.h"
#include "support/use_variable.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;

class CliOnCuda : public Cli {
 protected:
  UseVariable m_asked{"HEADROOM_CUDA", "1"}, m_driver{"HEADROOM_CUDA_DRIVER", HEADROOM_FAKE_CUDA},
      m_noOthers{"HEADROOM_VULKAN_DEVICES", "none"}, m_cards{kFakeCudaDevices, "sm_90:2GiB,sm_75:1GiB"};
};

TEST_F(CliOnCuda, cards_are_listed_with_what_is_known_of_them) {
  const CliResult result = runCli({"devices", "--present", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json()["refused"], nlohmann::json::array());
  const nlohmann::json devices = result.json()["devices"];
  ASSERT_EQ(devices.size(), 3U);
  const std::array expected{std::pair("9.0", 2 * kGiB), std::pair("7.5", kGiB)};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const nlohmann::json card = devices[i + 1];
    EXPECT_EQ(card["id"], "cuda:" + std::to_string(i));
    EXPECT_EQ(card["name"], "Fake GPU " + std::to_string(i));
    EXPECT_EQ(card["kind"], "cuda");
    EXPECT_EQ(card["kernels"], std::string("CUDA, compute capability ") + expected[i].first);
    EXPECT_THAT(card["driver"].get<std::string>(), testing::StartsWith("CUDA 1"));
    EXPECT_EQ(card["total_bytes"], expected[i].second);
    EXPECT_FALSE(card["is_software"].get<bool>());
    EXPECT_FALSE(card["has_unified_memory"].get<bool>());
  }
  const std::string text = runCli({"devices", "--present"}).out;
  for (const char* part : {"cuda:0 ", "cuda:1 ", "Fake GPU 0", "2.00 GiB", "kernels CUDA, compute capability 9.0\n"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(CliOnCuda, a_machine_without_a_driver_says_so_and_uses_the_cpu) {
  const UseVariable driver("HEADROOM_CUDA_DRIVER", "no-such-library.so");
  expectNoDevice("cuda:0", "CUDA: this machine has no NVIDIA driver (no-such-library.so)");
}

TEST_F(CliOnCuda, a_driver_that_is_too_old_says_so_and_the_cpu_is_used) {
  const UseVariable version(kFakeCudaVersion, "11040");
  expectNoDevice("cuda:0",
                 "CUDA: NVIDIA's driver is for CUDA 11.4, the kernels here need one for CUDA 12.0 (525 or newer)");
}

TEST_F(CliOnCuda, a_driver_that_is_too_old_for_one_card_has_the_other_one) {
  const UseVariable version(kFakeCudaVersion, "12060"), both(kFakeCudaDevices, "sm_120:2GiB,sm_90:1GiB");
  const CliResult devices = runCli({"devices", "--present", "--json"});
  EXPECT_EQ(devices.json()["refused"],
            nlohmann::json::array({"CUDA: Fake GPU 0: NVIDIA's driver is for CUDA 12.6, the kernels here need one for "
                                   "CUDA 12.8 (570 or newer)"}));
  ASSERT_EQ(devices.json()["devices"].size(), 2U);
  EXPECT_EQ(devices.json()["devices"][1]["name"], "Fake GPU 1");
}

TEST_F(CliOnCuda, a_driver_that_does_not_start_says_so_and_the_cpu_is_used) {
  const UseVariable failure(kFakeCudaFail, "cuInit=100");
  expectNoDevice("cuda:0", "CUDA: the driver cannot be started: CUDA_ERROR_NO_DEVICE");
}

TEST_F(CliOnCuda, a_card_that_is_too_old_is_named_and_the_other_one_is_the_first) {
  const std::string sentence = "CUDA: Fake GPU 0: expected compute capability 7.5 or newer, found 6.1";
  {
    const UseVariable old(kFakeCudaDevices, "sm_61:2GiB");
    expectNoDevice("cuda:0", sentence);
  }
  const UseVariable both(kFakeCudaDevices, "sm_61:2GiB,sm_90:1GiB");
  const CliResult devices = runCli({"devices", "--present", "--json"});
  EXPECT_EQ(devices.json()["refused"], nlohmann::json::array({sentence}));
  ASSERT_EQ(devices.json()["devices"].size(), 2U);
  EXPECT_EQ(devices.json()["devices"][1]["id"], "cuda:0");
  EXPECT_EQ(devices.json()["devices"][1]["name"], "Fake GPU 1");
}

TEST_F(CliOnCuda, a_plan_fills_the_card_and_one_that_does_not_fit_ends_with_1) {
  const CliResult plan = runCli({"plan", model, "--device", "cuda:0", "--ctx", "64", "--json"});
  ASSERT_EQ(plan.exitCode, 0) << plan.err;
  const nlohmann::json json = plan.json();
  EXPECT_EQ(json["options"]["n_gpu_layers"], 2);
  Bytes onCard = 0;
  for (const auto& arena : json["arenas"])
    if (arena["device"] == "cuda:0") onCard += arena["size"].get<Bytes>();
  EXPECT_GT(onCard, 0U);
  const CliResult tooLittle =
      runCli({"plan", model, "--device", "cuda:0", "--gpu-layers", "2", "--at-most", "cuda:0=1MiB", "--ctx", "64"});
  EXPECT_EQ(tooLittle.exitCode, 1) << tooLittle.err;
  EXPECT_THAT(tooLittle.out, HasSubstr("Does not fit by "));
  EXPECT_THAT(tooLittle.out, HasSubstr("Fake GPU 0 is asked for "));
  expectOneErrorLine(runCli({"plan", model, "--device", "cuda:7"}), 2);
}

TEST_F(CliOnCuda, a_model_split_between_cpu_and_card_answers_in_what_was_planned) {
  const CliResult result = runCli({"run", model, "-p", "hi", "-n", "4", "--ctx", "64", "--device", "cuda:0",
                                   "--gpu-layers", "1", "--report", pathOf("cuda.json")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  std::ifstream stream(pathOf("cuda.json"));
  const nlohmann::json json = nlohmann::json::parse(stream);
  std::set<std::string> devices;
  for (const auto& arena : json["arenas"]) {
    EXPECT_EQ(arena["planned_bytes"], arena["mapped_bytes"]);
    if (arena["mapped_bytes"] > 0) devices.insert(arena["device"]);
  }
  EXPECT_EQ(devices, (std::set<std::string>{"cpu", "cuda:0"}));
  EXPECT_EQ(json["taken_after_load"]["arenas"], 0);
  EXPECT_EQ(json["taken_after_load"]["driver_bytes"], 0);
}

TEST_F(CliOnCuda, a_bench_measures_the_card) {
  const CliResult result = runCli({"bench", model, "-p", "8", "-n", "2", "--repeat", "1", "--device", "cuda:0",
                                   "--gpu-layers", "2", "--cpu-ffn", "0", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_GT(result.json()["prefill_tokens_per_s"], 0.0);
  EXPECT_GT(result.json()["decode_tokens_per_s"], 0.0);
  ASSERT_EQ(result.json()["devices"].size(), 1U);
  const nlohmann::json card = result.json()["devices"][0];
  EXPECT_EQ(card["device"], "cuda:0");
  EXPECT_GT(card["read_bandwidth_bytes_per_s"], 0.0);
}

// Memory that the driver does not give, a launch that fails, and a card that is gone: each ends with 4, and a line that
// names the device and what the driver says.
TEST_F(CliOnCuda, a_driver_that_fails_while_a_model_is_loaded_or_runs_ends_with_4) {
  // The driver fails once. A card whose speed is due is measured first, which goes on without the figures that failed;
  // so the speed is measured here, and not due again before ten minutes are over.
  const CliResult measured = runCli({"plan", model, "--device", "cuda:0"});
  ASSERT_EQ(measured.exitCode, 0) << measured.err;
  for (const auto& [failure, name] :
       {std::pair("cuMemAlloc_v2=2", "CUDA_ERROR_OUT_OF_MEMORY"), std::pair("cuLaunchKernelEx=701", "error 701"),
        std::pair("cuGraphLaunch=719", "CUDA_ERROR_LAUNCH_FAILED")}) {
    const UseVariable seeded(kFakeCudaFail, failure);
    const CliResult result = runCli({"run", model, "-p", "hi", "-n", "4", "--ctx", "64", "--device", "cuda:0"});
    expectOneErrorLine(result, 4);
    EXPECT_THAT(result.err, HasSubstr("cuda:0: ")) << failure;
    EXPECT_THAT(result.err, HasSubstr(name)) << failure;
  }
}

}  // namespace
}  // namespace headroom::test
