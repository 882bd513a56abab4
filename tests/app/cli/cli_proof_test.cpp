// A card is checked before it is used, in a process of its own; the driver is the one of tests/support/cuda, which does
// what a test names wrong.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "app/cli/cli_fixture.h"
#include "support/cuda/fake_cuda.h"
#include "support/use_variable.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;

class CliProof : public Cli {
 protected:
  nlohmann::json deviceNow() {
    const nlohmann::json devices = runCli({"devices", "--present", "--json"}).json()["devices"];
    return devices.size() == 2 ? devices[1] : nlohmann::json();
  }
  std::string verdictFile() const { return m_data.path() / "device-verdicts.json"; }
  std::string verdicts() const {
    std::ifstream stream(verdictFile());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  CliResult runModel(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", model, "-p", "hi", "-n", "2", "--ctx", "64"};
    words.insert(words.end(), more.begin(), more.end());
    return runCli(words);
  }

  TempFolder m_data;
  UseVariable m_folder{"HEADROOM_DATA_DIR", m_data.path().string()}, m_unasked{"HEADROOM_CUDA", ""},
      m_driver{"HEADROOM_CUDA_DRIVER", HEADROOM_FAKE_CUDA}, m_noOthers{"HEADROOM_VULKAN_DEVICES", "none"},
      m_cards{kFakeCudaDevices, "sm_90:2GiB"}, m_brief{"HEADROOM_PROOF", "brief"};
};

TEST_F(CliProof, a_sound_card_is_checked_once_before_its_first_use_and_is_used_from_then_on) {
  EXPECT_EQ(deviceNow()["proof"], "missing");
  EXPECT_THAT(runCli({"devices", "--present"}).out, HasSubstr("not checked yet: headroom-cli prove cuda:0"));
  const CliResult first = runModel();
  ASSERT_EQ(first.exitCode, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("cuda:0: checking Fake GPU 0 once, before it is used\n"));
  EXPECT_THAT(first.err, HasSubstr("cuda:0: Fake GPU 0: checked in "));
  EXPECT_EQ(deviceNow()["proof"], "passed");
  const CliResult second = runModel();
  ASSERT_EQ(second.exitCode, 0) << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("check")));
  // The same card with another driver is another one, and so it is for a check that looks at more.
  {
    const UseVariable other(kFakeNvmlVersion, "999.2"), nvml("HEADROOM_NVML", HEADROOM_FAKE_CUDA);
    EXPECT_EQ(deviceNow()["proof"], "missing");
  }
  std::string changed = verdicts();
  const std::size_t number = changed.find("\": {", changed.find("cuda|")) - 1;
  changed[number] = '0';
  std::ofstream(verdictFile()) << changed;
  EXPECT_EQ(deviceNow()["proof"], "missing");
}

struct Fault {
  const char* name;
  const char* setting;
  const char* words;  // of what is said
};
class CliProofFaults : public CliProof, public testing::WithParamInterface<Fault> {};

TEST_P(CliProofFaults, is_found_and_the_card_is_used_by_name_alone) {
  {
    const UseVariable fault(kFakeCudaFault, GetParam().setting);
    const CliResult proof = runCli({"prove", "cuda:0"});
    EXPECT_EQ(proof.exitCode, 1) << proof.out << proof.err;
    EXPECT_THAT(proof.out, testing::StartsWith("cuda:0: Fake GPU 0 failed: "));
    EXPECT_THAT(proof.out, testing::ContainsRegex(GetParam().words));
  }
  const nlohmann::json device = deviceNow();
  EXPECT_EQ(device["proof"], "failed");
  EXPECT_THAT(device["proof_note"].get<std::string>(), testing::ContainsRegex(GetParam().words));
  EXPECT_THAT(device["proof_note"].get<std::string>(), Not(AnyOf(HasSubstr("cuda:0"), HasSubstr("given up"))));
  const CliResult unasked = runModel({"--report", pathOf("proof.json")});
  EXPECT_EQ(unasked.exitCode, 0) << unasked.err;
  std::ifstream stream(pathOf("proof.json"));
  EXPECT_THAT(nlohmann::json::parse(stream)["arenas"].dump(), Not(HasSubstr("cuda:0")));
  const CliResult named = runModel({"--device", "cuda:0"});
  EXPECT_EQ(named.exitCode, 0) << named.err;
  EXPECT_THAT(named.err, HasSubstr("cuda:0 failed its check: "));
}

INSTANTIATE_TEST_SUITE_P(
    Seeded, CliProofFaults,
    testing::Values(Fault{"fragment", "fragment", "a prompt of 2 tokens differs from the CPU's by"},
                    Fault{"barrier", "barrier:rms_norm:0", "the device was lost while|differs|other numbers"},
                    Fault{"graph", "stale", "differs from the CPU's by|gives other numbers"},
                    Fault{"behind", "behind@60", "behind the arena of [a-z]+ was written"},
                    Fault{"scale", "scale", "differs from the CPU's by"},
                    Fault{"hang", "hang@30", "has not answered for 1[0-9]? s|no answer"},
                    Fault{"crash", "crash@30", "the driver crashed \\(Segmentation fault\\)"},
                    Fault{"lost", "lost@30", "the device was lost while"}),
    [](const auto& each) { return each.param.name; });

TEST_F(CliProof, one_that_never_came_to_its_end_counts_as_failed) {
  ASSERT_EQ(runCli({"prove", "cuda:0"}).exitCode, 0);
  std::string text = verdicts();
  const std::string passed = "\"verdict\": \"passed\"";
  // As a program leaves it that ended in the middle, and whose id is of nobody.
  text.replace(text.find(passed), passed.size(), R"("process": "999999999 of 7", "verdict": "running")");
  std::ofstream(verdictFile()) << text;
  const nlohmann::json device = deviceNow();
  EXPECT_EQ(device["proof"], "failed");
  EXPECT_THAT(device["proof_note"].get<std::string>(), HasSubstr("began and did not end"));
  EXPECT_EQ(runCli({"prove", "cuda:0", "--json"}).json()["passed"], true);
  EXPECT_EQ(deviceNow()["proof"], "passed");
}

// The check hangs until the interrupt, which the file says has not come too early.
TEST_F(CliProof, an_interrupt_during_the_first_check_is_no_failure_of_the_card) {
  const UseVariable fault(kFakeCudaFault, "hang@30");
  struct Interrupted {
    const char* command;
    int signal;
  };
  for (const Interrupted& each : {Interrupted{"plan", SIGINT}, Interrupted{"run", SIGTERM},
                                  Interrupted{"verify", SIGTERM}, Interrupted{"tour", SIGINT}}) {
    CliProcess process({each.command, model, "--ctx", "64"}, {});
    const auto isRunning = [this] { return verdicts().find("running") != std::string::npos; };
    for (int i = 0; i < 6000 && !isRunning(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.interrupt(each.signal);
    const CliResult result = process.wait();
    EXPECT_EQ(result.exitCode, 4) << each.command << result.err;
    EXPECT_THAT(result.err, HasSubstr("cuda:0: Fake GPU 0 could not be checked: the check was stopped"));
    EXPECT_EQ(deviceNow()["proof"], "missing") << each.command;
  }
}

TEST_F(CliProof, who_answers_for_a_card_needs_no_check_and_who_wants_none_sees_none) {
  {
    const UseVariable forced("HEADROOM_CUDA", "1");
    EXPECT_EQ(deviceNow()["proof"], "not needed");
  }
  const UseVariable none("HEADROOM_CUDA", "0");
  EXPECT_EQ(runCli({"devices", "--present", "--json"}).json()["devices"].size(), 1U);
}

TEST_F(CliProof, what_is_no_gpu_or_has_no_room_is_no_failure) {
  const CliResult cpu = runCli({"prove", "cpu"});
  expectOneErrorLine(cpu, 2);
  EXPECT_THAT(cpu.err, HasSubstr("DEVICE: expected a GPU of this machine (cuda:0), found \"cpu\""));
  const UseVariable small(kFakeCudaDevices, "sm_90:80MiB");
  const CliResult full = runCli({"prove", "cuda:0"});
  expectOneErrorLine(full, 4);
  EXPECT_EQ(deviceNow()["proof"], "missing") << "its memory is taken: that says nothing of it";
}

}  // namespace
}  // namespace headroom::test
