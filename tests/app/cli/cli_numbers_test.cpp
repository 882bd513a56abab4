// Every option that takes a number, as --help names them: a new one is tested at once.
#include <regex>
#include <sstream>

#include "app/cli/cli_fixture.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;

struct NumberOption {
  std::string subcommand, name, described;
  std::string short_name() const { return name.substr(0, name.find(',')); }
};

std::vector<NumberOption> options_of(const std::string& subcommand) {
  static const std::regex kOption(R"(^ +(-[^ ]+) NUMBER(=[^ ]*)? *(.*)$)"), kOther(R"(^ +-.*$)");
  std::vector<NumberOption> options;
  bool is_going_on = false;
  std::istringstream lines(runCli({subcommand, "--help"}).out);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, kOption)) {
      options.push_back({subcommand, match[1], match[3]});
      is_going_on = true;
    } else if (line.empty() || std::regex_match(line, kOther)) {
      is_going_on = false;
    } else if (is_going_on) {
      options.back().described += line;
    }
  }
  return options;
}

std::vector<NumberOption> all_options() {
  std::vector<NumberOption> options;
  for (const char* subcommand : {"plan", "solve", "run", "logits", "kld", "bench", "verify", "tour", "devices",
                                 "inspect", "tokenize", "detokenize", "render"}) {
    for (NumberOption& option : options_of(subcommand)) options.push_back(std::move(option));
  }
  return options;
}

TEST_F(Cli, help_names_the_options_that_take_a_number) {
  const std::vector<NumberOption> options = all_options();
  EXPECT_EQ(options.size(), 8 * 3 + 1 + 9 + 1 + 4U) << "three of every plan; solve, run, kld, bench";
}

TEST_F(Cli, what_is_no_number_is_refused_with_the_option_and_what_was_expected_and_found) {
  for (const NumberOption& option : all_options()) {
    for (const std::string value : {"", "x", "1x", "0x10", " 1", "1 ", "1,5", "nan", "-nan", "-1e30", "1e99999",
                                    "99999999999999999999999", "18446744073709551616", "--"}) {
      const CliResult result = runCli({option.subcommand, model, option.short_name(), value});
      expectOneErrorLine(result, 2);
      if (value == "--") continue;  // ends the options: the parser says that the number is missing
      EXPECT_THAT(result.err,
                  testing::AllOf(HasSubstr(option.name + ": expected a "), HasSubstr("found \"" + value + "\"")))
          << option.subcommand;
    }
  }
}

TEST_F(Cli, a_negative_number_is_refused_where_it_means_nothing) {
  for (const NumberOption& option : all_options()) {
    if (option.name == "--presence-penalty") continue;
    const CliResult result = runCli({option.subcommand, model, option.short_name(), "-1"});
    expectOneErrorLine(result, 2);
    EXPECT_THAT(result.err, HasSubstr(option.name + ": expected a ")) << option.subcommand;
  }
}

TEST_F(Cli, zero_is_refused_or_help_says_what_it_means) {
  std::size_t n_refused = 0;
  for (const NumberOption& option : all_options()) {
    // The impossible device ends those that take 0 before they compute.
    const CliResult result = runCli({option.subcommand, model, option.short_name(), "0", "--device", "Voodoo 2"});
    const bool is_refused = result.err.find(option.name + ": expected a ") != std::string::npos;
    n_refused += is_refused ? 1 : 0;
    EXPECT_NE(is_refused, option.described.find("0: ") != std::string::npos)
        << option.subcommand << " " << option.name << ": " << option.described << "\n"
        << result.err;
  }
  EXPECT_GT(n_refused, 24U);
}

TEST_F(Cli, a_seed_keeps_all_of_its_64_bits) {
  const CliResult result = runCli({"run", model, "-p", "hi", "-n", "1", "--seed", "18446744073709551615", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json()["seed"].get<std::uint64_t>(), 18446744073709551615U);
}

TEST_F(Cli, an_option_of_the_plan_is_named_as_it_is_written) {
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"plan", model};
    words.insert(words.end(), more.begin(), more.end());
    const CliResult result = runCli(words);
    expectOneErrorLine(result, 2);
    return result.err;
  };
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--gpu-layers", "99"}), HasSubstr("--gpu-layers: expected 0 to 2"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--gpu-layers", "-1"}), HasSubstr("--gpu-layers must be a number"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--kv-k", "f32"}), HasSubstr("--kv-k: expected a KV type"));
  EXPECT_THAT(refusal({"--device", "Voodoo 2"}), HasSubstr("--device: expected a device"));
  EXPECT_THAT(refusal({"--device", ""}), HasSubstr("--device: expected a device"));
  EXPECT_THAT(refusal({"--keep-free", ""}), HasSubstr("--keep-free: expected a text"));
  EXPECT_THAT(refusal({"--at-most", ""}), HasSubstr("--at-most: expected a text"));
  EXPECT_THAT(refusal({"--at-most", "-1GiB"}), HasSubstr("--at-most must be a size"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--cpu-ffn", "3"}), HasSubstr("--cpu-ffn: expected 0 to 2"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--cpu-ffn", "few"}), HasSubstr("--cpu-ffn must be a number"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--gpu-layers", "1", "--cpu-ffn", "2"}),
              HasSubstr("--cpu-ffn: expected 0 to 1 (the layers on GPUs) or auto, found 2"));
  EXPECT_THAT(refusal({"--cpu-ffn", "1"}), HasSubstr("--cpu-ffn: expected 0 or auto on the device cpu"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--device", "RTX 4090"}),
              HasSubstr("--device: expected each device once, found RTX 4090 twice"));
  EXPECT_THAT(refusal({"--device", "RTX 4090", "--keep-free", "RTX 3090=1GiB"}),
              HasSubstr("--keep-free: expected a device that --device names (RTX 4090) or cpu, found RTX 3090"));
  EXPECT_THAT(refusal({"--keep-free", "Voodoo 2=1GiB"}), HasSubstr("--keep-free: expected a device of this machine"));
  EXPECT_THAT(refusal({"--keep-free", "cpu=much"}), HasSubstr("--keep-free must be a size"));
  EXPECT_THAT(refusal({"--keep-free", "1GiB", "--at-most", "cpu=1GiB"}),
              HasSubstr("--at-most: expected one of --keep-free and --at-most for cpu, found a second"));
}

TEST_F(Cli, kld_asks_for_windows_in_which_a_token_follows_another) {
  const std::string text = write("two.txt", "some words");
  const CliResult narrow = runCli({"kld", model, "--file", text, "--ctx", "1"});
  expectOneErrorLine(narrow, 2);
  EXPECT_THAT(narrow.err, HasSubstr("--ctx: expected at least 2"));
  expectOneErrorLine(runCli({"kld", model, "--file", text, "--slots", "2"}), 2);
}

TEST_F(Cli, a_usage_error_is_json_too_where_json_was_asked_for) {
  const CliResult result = runCli({"plan", model, "--ctx", "-1", "--json"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.json()["error"]["code"], "usage");
}

TEST_F(Cli, an_empty_text_has_no_tokens) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"tokenize", model, "--file", write("nothing.txt", ""), "--json"},
        {"tokenize", model, "", "--json"}}) {
    const CliResult result = runCli(words);
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.json()["n_tokens"], 0);
    EXPECT_EQ(result.json()["tokens"].size(), 0U);
  }
  EXPECT_EQ(runCli({"tokenize", model, "--file", pathOf("nothing.txt")}).out, "\n");
  expectOneErrorLine(runCli({"tokenize", model, "--file", folder->path()}), 3);
  expectOneErrorLine(runCli({"tokenize", model, "--file", pathOf("absent.txt")}), 3);
}

}  // namespace
}  // namespace headroom::test
