#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/model_specs.h"
#include "support/plans.h"
#include "support/use_variable.h"
#include "support/verified.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

ReportInputs inputs() {
  const DeviceInfo cpu = make_cpu_device("a CPU", 64 * kGiB, 60 * kGiB, 8);
  ReportInputs inputs{.program = "headroom-cli", .version = "1.2.3"};
  inputs.devices = {cpu};
  inputs.devices[0].proof_note = "/users/somebody/secret/libcuda.so: could not be opened";
  inputs.refused_devices = {Message::plain("CUDA: /users/somebody/lib/libcuda.so: no such file")};
  auto model = std::make_shared<ModelInfo>(test::make_model(test::kLlama32_1B));
  Result<MemoryPlan> plan = plan_memory(*model, {&cpu, 1}, {});
  CHECK(plan.ok(), "the plan is made");
  inputs.load = ReportedLoad{.model = model,
                             .plan = std::make_shared<const MemoryPlan>(std::move(*plan)),
                             .path = "/mnt/models of somebody/llama.gguf",
                             .arenas = {{"cpu", Lifetime::kModel, 4096, 4096}},
                             .seconds = 1.5};
  inputs.verification = test::verified_as_planned();
  inputs.chart = {{"chart.csv", "time_ms,weights\n"}};
  inputs.hidden_folders = {"/data/of/headroom"};
  return inputs;
}

std::string bytesOf(const std::vector<ReportFile>& files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &ReportFile::name);
  return found != files.end() ? found->bytes : "there is no such file";
}

TEST(Report, has_the_machine_the_plan_what_was_mapped_and_what_was_found) {
  const std::vector<ReportFile> files = makeReport(inputs());
  const nlohmann::json json = nlohmann::json::parse(bytesOf(files, "report.json"));
  EXPECT_EQ(json["program"], "headroom-cli");
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["devices"][0]["name"], "a CPU");
  EXPECT_EQ(json["devices"][0]["proof"], "not_needed");
  EXPECT_FALSE(json["system"]["release"].get<std::string>().empty());
  EXPECT_FALSE(json["system"]["instruction_sets"].empty());
  EXPECT_EQ(json["loaded"]["file"], "llama.gguf");
  EXPECT_EQ(json["loaded"]["arenas"][0]["mapped_bytes"], 4096);
  EXPECT_EQ(json["loaded"]["plan"]["fits"], true);
  EXPECT_EQ(json["verification"]["as_planned"], true);
  EXPECT_THAT(bytesOf(files, "plan.txt"), HasSubstr("Fits"));
  EXPECT_THAT(bytesOf(files, "verify.txt"), HasSubstr("as planned"));
  EXPECT_EQ(bytesOf(files, "chart.csv"), "time_ms,weights\n");
  for (const ReportFile& file : files) {
    EXPECT_THAT(std::string("README.txt ") + bytesOf(files, "README.txt"), HasSubstr(file.name.substr(0, 6)));
  }
}

TEST(Report, without_a_model_or_a_verification_says_so) {
  const std::vector<ReportFile> files = makeReport({.program = "headroom", .version = "1"});
  EXPECT_EQ(files.size(), 2U);
  const nlohmann::json json = nlohmann::json::parse(bytesOf(files, "report.json"));
  EXPECT_EQ(json["loaded"], nullptr);
  EXPECT_EQ(json["verification"], nullptr);
}

TEST(Report, names_no_folder_of_the_user_wherever_it_comes_from) {
  const test::UseVariable home("HOME", "/users/somebody/");
  ReportInputs given = inputs();
  given.refused_devices.push_back(Message::plain("/data/of/headroom/kernels: cannot be read"));
  given.chart.push_back({"chart.svg", "<svg>/users/somebody</svg>"});
  given.load->arenas.push_back({"/mnt/models of somebody/device", Lifetime::kSession, 1, 1});
  for (const ReportFile& file : makeReport(given)) {
    for (const char* hidden : {"/users/somebody", "/mnt/models", "/data/of/headroom"})
      EXPECT_THAT(file.bytes, Not(HasSubstr(hidden))) << file.name;
  }
  EXPECT_THAT(bytesOf(makeReport(given), "report.json"), HasSubstr("CUDA: ~/lib/libcuda.so: no such file"));
}

TEST(Report, a_home_at_the_root_of_the_system_hides_nothing_else) {
  const test::UseVariable home("HOME", "/");
  EXPECT_THAT(bytesOf(makeReport(inputs()), "report.json"), HasSubstr("/users/somebody"));
}

}  // namespace
}  // namespace headroom
