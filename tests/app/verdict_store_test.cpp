#include "prove/verdict_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "prove/prove_device.h"
#include "prove/prove_in_child.h"
#include "support/model_specs.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

DeviceInfo card(const char* key) {
  DeviceInfo device = test::gpu_with(8 * kGiB);
  device.proof = Proof::kMissing;
  device.proof_key = key;
  return device;
}

class VerdictStoreTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "verdicts.json"; }
  Proof proof_of(const char* key) {
    std::vector<DeviceInfo> devices{card(key)};
    VerdictStore::read(file()).fill(devices);
    return devices.front().proof;
  }
  void put(const char* key, Verdict::Kind kind, const char* what = "") {
    VerdictStore store = VerdictStore::read(file());
    store.put(card(key), {.kind = kind, .device = {}, .what_failed = what, .process = {}});
    ASSERT_TRUE(store.write().ok());
  }
  test::TempFolder folder_;
};

TEST_F(VerdictStoreTest, a_verdict_is_of_a_card_a_driver_and_kernels_and_the_next_one_of_the_card_takes_its_place) {
  EXPECT_EQ(proof_of("a|9.0|1|k"), Proof::kMissing);
  put("a|9.0|1|k", Verdict::Kind::kPassed);
  put("b|9.0|1|k", Verdict::Kind::kFailed, "it was wrong");
  EXPECT_EQ(proof_of("a|9.0|1|k"), Proof::kPassed);
  EXPECT_EQ(proof_of("b|9.0|1|k"), Proof::kFailed);
  EXPECT_EQ(proof_of("a|9.0|2|k"), Proof::kMissing) << "another driver";
  EXPECT_EQ(proof_of("a|9.0|1|l"), Proof::kMissing) << "other kernels";
  put("a|9.0|2|k", Verdict::Kind::kPassed);
  EXPECT_EQ(proof_of("a|9.0|2|k"), Proof::kPassed);
  EXPECT_EQ(proof_of("a|9.0|1|k"), Proof::kMissing);
  EXPECT_EQ(proof_of("b|9.0|1|k"), Proof::kFailed) << "of the other card";
}

TEST_F(VerdictStoreTest, what_a_check_that_looked_at_less_found_counts_for_nothing) {
  put("a|9.0|1|k", Verdict::Kind::kPassed);
  std::string text;
  std::getline(std::ifstream(file()), text, '\0');
  const std::string now = fmt::format("|k|{}\"", kProofNumber);
  text.replace(text.find(now), now.size(), fmt::format("|k|{}\"", kProofNumber - 1));
  std::ofstream(file()) << text;
  EXPECT_EQ(proof_of("a|9.0|1|k"), Proof::kMissing);
}

TEST_F(VerdictStoreTest, a_check_runs_as_long_as_its_process_does) {
  VerdictStore store = VerdictStore::read(file());
  store.put_running(card("a|k"));
  ASSERT_TRUE(store.write().ok());
  EXPECT_EQ(proof_of("a|k"), Proof::kRunning);
  EXPECT_NE(process_mark(::getpid()), "");
  EXPECT_NE(process_mark(::getpid()), process_mark(::getppid()));
  EXPECT_EQ(process_mark(999'999'999), "");
  // The same id, of a process that began at another time.
  std::string text;
  std::getline(std::ifstream(file()), text, '\0');
  const std::string mark = process_mark(::getpid());
  text.replace(text.find(mark), mark.size(), std::to_string(::getpid()) + " of 1");
  std::ofstream(file()) << text;
  EXPECT_EQ(proof_of("a|k"), Proof::kFailed);
}

TEST_F(VerdictStoreTest, a_check_that_did_not_end_is_a_failure_that_is_told_once) {
  put("a|k", Verdict::Kind::kRunning);
  put("b|k", Verdict::Kind::kFailed, "why");
  VerdictStore store = VerdictStore::read(file());
  store.put_running(card("c|k"));
  const std::vector<DeviceInfo> devices{card("a|k"), card("b|k"), card("c|k"), card("d|k")};
  const std::vector<DeviceInfo> ended = store.end_interrupted(devices);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].proof_key, "a|k");
  EXPECT_EQ(store.find(devices[0])->kind, Verdict::Kind::kFailed);
  EXPECT_THAT(store.find(devices[0])->what_failed, testing::HasSubstr("did not end"));
  EXPECT_TRUE(store.end_interrupted(devices).empty());
}

TEST_F(VerdictStoreTest, a_repeated_check_without_a_judgement_leaves_what_was_known) {
  struct Known {
    Verdict::Kind kind;
    Proof proof;
  };
  for (const Known& known :
       {Known{Verdict::Kind::kPassed, Proof::kPassed}, Known{Verdict::Kind::kFailed, Proof::kFailed}}) {
    put("a|k", known.kind, "why");
    VerdictStore store = VerdictStore::read(file());
    for (int begun = 0; begun < 2; ++begun) store.put_running(card("a|k"));
    ASSERT_TRUE(store.write().ok());
    EXPECT_EQ(proof_of("a|k"), Proof::kRunning);
    store.take_back_running(card("a|k"));
    ASSERT_TRUE(store.write().ok());
    EXPECT_EQ(proof_of("a|k"), known.proof);
    EXPECT_EQ(VerdictStore::read(file()).find(card("a|k"))->what_failed, "why");
  }
  VerdictStore store = VerdictStore::read(file());
  store.put_running(card("b|k"));
  store.take_back_running(card("b|k"));
  ASSERT_TRUE(store.write().ok());
  EXPECT_EQ(proof_of("b|k"), Proof::kMissing) << "nothing was known";
}

TEST_F(VerdictStoreTest, a_verdict_of_another_that_came_meanwhile_stays) {
  put("a|k", Verdict::Kind::kPassed);
  VerdictStore running = VerdictStore::read(file());
  running.put_running(card("a|k"));
  ASSERT_TRUE(running.write().ok());
  put("a|k", Verdict::Kind::kFailed);
  VerdictStore now = VerdictStore::read(file());
  now.take_back_running(card("a|k"));
  ASSERT_TRUE(now.write().ok());
  EXPECT_EQ(proof_of("a|k"), Proof::kFailed);
}

TEST_F(VerdictStoreTest, a_repeated_check_whose_program_ended_leaves_what_was_known) {
  put("a|k", Verdict::Kind::kPassed);
  VerdictStore running = VerdictStore::read(file());
  running.put_running(card("a|k"));
  ASSERT_TRUE(running.write().ok());
  std::string text;
  std::getline(std::ifstream(file()), text, '\0');
  const std::string mark = process_mark(::getpid());
  text.replace(text.find(mark), mark.size(), "999999999 of 7");
  std::ofstream(file()) << text;
  EXPECT_EQ(proof_of("a|k"), Proof::kPassed);
  VerdictStore store = VerdictStore::read(file());
  EXPECT_TRUE(store.end_interrupted(std::vector<DeviceInfo>{card("a|k")}).empty()) << "no failure to be told";
  ASSERT_TRUE(store.write().ok());
  std::getline(std::ifstream(file()), text, '\0');
  EXPECT_EQ(text.find("running"), std::string::npos);
  EXPECT_EQ(proof_of("a|k"), Proof::kPassed);
}

TEST_F(VerdictStoreTest, a_check_that_is_stopped_keeps_the_pass_from_before) {
  put("a|k", Verdict::Kind::kPassed);
  StopSource stop;
  stop.request_stop();
  const ProofOfChild proof =
      prove_and_keep(file(), card("a|k"), {"/bin/sleep", "60"}, stop.token(), [](const ProofProgress&) {});
  EXPECT_EQ(proof.kind, ProofOfChild::Kind::kNoJudgement);
  EXPECT_EQ(proof_of("a|k"), Proof::kPassed);
}

TEST_F(VerdictStoreTest, what_is_kept_of_a_failure_does_not_begin_with_the_device) {
  const DeviceInfo device = card("a|k");
  put("a|k", Verdict::Kind::kFailed, (device.id + ": it was lost").c_str());
  EXPECT_EQ(VerdictStore::read(file()).find(device)->what_failed, "it was lost");
}

TEST_F(VerdictStoreTest, what_needs_no_proof_is_left_alone_and_a_damaged_file_says_nothing) {
  put("a|k", Verdict::Kind::kFailed, "why");
  std::vector<DeviceInfo> devices{card("a|k"), card("a|k")};
  devices[0].proof = Proof::kNotNeeded;
  VerdictStore::read(file()).fill(devices);
  EXPECT_EQ(devices[0].proof, Proof::kNotNeeded);
  EXPECT_EQ(devices[1].proof_note, "why");
  const std::string damaged =
      fmt::format(R"({{"version":1,"devices":{{"cuda|a|k|{}":{{"verdict":7}}}}}})", kProofNumber);
  for (const char* text : {"", "[]", "{\"version\":2}", damaged.c_str()}) {
    std::ofstream(file()) << text;
    EXPECT_EQ(proof_of("a|k"), Proof::kMissing) << text;
  }
}

TEST_F(VerdictStoreTest, what_others_wrote_since_stays_and_what_is_forgotten_goes) {
  put("a|k", Verdict::Kind::kPassed);
  VerdictStore store = VerdictStore::read(file());
  put("b|k", Verdict::Kind::kPassed);
  store.forget(card("a|k"));
  ASSERT_TRUE(store.write().ok());
  EXPECT_EQ(proof_of("a|k"), Proof::kMissing);
  EXPECT_EQ(proof_of("b|k"), Proof::kPassed);
}

TEST_F(VerdictStoreTest, a_card_that_nobody_looked_at_is_due_and_a_driver_of_the_cpu_is_not) {
  std::vector<DeviceInfo> devices{card("a"), card("b"), card("c"), card("d")};
  devices[0].proof = Proof::kPassed;
  devices[1].proof = Proof::kFailed;
  devices[2].is_software = true;
  const std::vector<DeviceInfo> due = devices_to_prove(devices);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due.front().proof_key, "d");
}

}  // namespace
}  // namespace headroom
