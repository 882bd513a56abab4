// One small model for all tests of a suite: making it is the slow part.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "app/cli/cli_process.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom::test {

class Cli : public testing::Test {
 protected:
  static RandomModelSpec smallModel() {
    RandomModelSpec spec;
    spec.n_ctx_trained = 256;
    spec.weight_type = DType::kQ8_0;
    spec.chat_template =
        "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}{% if add_generation_prompt "
        "%}<assistant>{% endif %}";
    return spec;
  }
  static void SetUpTestSuite() {
    folder = std::make_unique<TempFolder>();
    model = make_random_model(smallModel(), folder->path());
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string pathOf(const std::string& name) { return folder->path() / name; }
  static std::string write(const std::string& name, const std::string& content) {
    std::ofstream(pathOf(name), std::ios::binary) << content;
    return pathOf(name);
  }
  static std::vector<float> readFloats(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  static void expectOneErrorLine(const CliResult& result, int exitCode) {
    EXPECT_EQ(result.exitCode, exitCode) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith("headroom-cli: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  // `sentence` is the one thing that is refused, and a model is loaded and answers all the same, on the CPU.
  static void expectNoDevice(const std::string& id, const std::string& sentence) {
    const CliResult devices = runCli({"devices", "--present", "--json"});
    ASSERT_EQ(devices.exitCode, 0) << devices.err;
    EXPECT_EQ(devices.json()["refused"], nlohmann::json::array({sentence}));
    EXPECT_EQ(devices.json()["devices"].size(), 1U);
    EXPECT_EQ(devices.json()["devices"][0]["id"], "cpu");
    EXPECT_THAT(runCli({"devices", "--present"}).out, testing::HasSubstr("note: " + sentence + "\n"));
    const CliResult run = runCli({"run", model, "-p", "hello", "--ctx", "64", "-n", "2"});
    EXPECT_EQ(run.exitCode, 0) << run.err;
    const CliResult asked = runCli({"plan", model, "--device", id});
    expectOneErrorLine(asked, 2);
    EXPECT_THAT(asked.err, testing::HasSubstr(id));
  }

  inline static std::unique_ptr<TempFolder> folder;
  inline static std::string model;
};

}  // namespace headroom::test
