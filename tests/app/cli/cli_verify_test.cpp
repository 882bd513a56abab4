// Drives `headroom-cli verify`: the verdict, its exit code, and the report.
#include "app/cli/cli_fixture.h"
#include "support/report_bytes.h"
#include "support/use_variable.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Cli, verify_finds_that_what_was_planned_was_mapped) {
  const CliResult text = runCli({"verify", model, "--ctx", "96", "--slots", "2"});
  EXPECT_EQ(text.exitCode, 0) << text.err << text.out;
  EXPECT_THAT(text.out, HasSubstr(": as planned: "));
  EXPECT_THAT(text.out, HasSubstr("nothing allocated since load\n2 of 2 slots of 96 positions filled to the end\n"));
  const CliResult result = runCli({"verify", model, "--ctx", "200", "--kv-k", "q8_0", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err << result.out;
  const nlohmann::json json = result.json();
  EXPECT_EQ(json["as_planned"], true);
  EXPECT_EQ(json["n_full_slots"], 1);
  EXPECT_EQ(json["n_answers"], 100);
  EXPECT_EQ(json["taken_after_load"]["arenas"], 0);
  EXPECT_EQ(json["devices"][0]["planned_bytes"], json["devices"][0]["mapped_bytes"]);
  ASSERT_EQ(json["speeds"].size(), 3U);
  for (const nlohmann::json& speed : json["speeds"]) EXPECT_GT(speed["tokens_per_s"], 0.0);
  EXPECT_GT(json["prompt"]["tokens_per_s"], 0.0);
}

TEST_F(Cli, verify_refuses_what_cannot_be_loaded_or_written) {
  expectOneErrorLine(runCli({"verify", model, "--at-most", "1MiB"}), 1);
  expectOneErrorLine(runCli({"verify", pathOf("absent.gguf")}), 3);
  expectOneErrorLine(runCli({"verify", model, "--ctx", "64", "--report", pathOf("absent/report.zip")}), 4);
  expectOneErrorLine(runCli({"verify", model, "--ctx", "64", "--report", model}), 4);
  expectOneErrorLine(runCli({"verify", model, "--report", ""}), 2);
}

TEST_F(Cli, a_report_is_a_folder_or_a_zip_and_names_no_folder_of_the_user) {
  const std::string home = pathOf("home of marked-user");
  std::filesystem::create_directories(home + "/marked-models");
  const std::string own = home + "/marked-models/mine.gguf";
  std::filesystem::copy_file(model, own, std::filesystem::copy_options::overwrite_existing);
  const UseVariable use("HOME", home), data("HEADROOM_DATA_DIR", home + "/marked-data");
  for (const std::string name : {"report.zip", "report"}) {
    const std::string path = pathOf(name);
    const CliResult result = runCli({"verify", own, "--ctx", "64", "--report", path});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const ReportBytes files = name == "report" ? read_folder(path) : read_zip(path);
    for (const char* expected : {"README.txt", "report.json", "plan.txt", "verify.txt"})
      EXPECT_EQ(files.count(expected), 1U) << name << ' ' << expected;
    for (const auto& [file, bytes] : files) EXPECT_THAT(bytes, Not(HasSubstr("marked-"))) << file;
    const nlohmann::json json = nlohmann::json::parse(files.at("report.json"));
    EXPECT_EQ(json["program"], "headroom-cli");
    EXPECT_EQ(json["loaded"]["file"], "mine.gguf");
    EXPECT_EQ(json["verification"]["as_planned"], true);
    EXPECT_THAT(result.out, HasSubstr(files.at("verify.txt"))) << "the same words";
  }
}

}  // namespace
}  // namespace headroom::test
