// Drives the real headroom-cli: run, logits, kld and bench.
#include <cmath>

#include "app/cli/cli_fixture.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;

TEST_F(Cli, texts_that_end_an_answer_may_stand_before_the_model) {
  const CliResult result =
      runCli({"run", "--stop", "END", "--stop", "STOP", model, "-p", "hi", "-n", "2", "--ctx", "64"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
}

TEST_F(Cli, run_answers_and_reports_what_was_mapped) {
  const CliResult result =
      runCli({"run", model, "-p", "hi", "-n", "8", "--seed", "3", "--report", pathOf("report.json")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  std::ifstream stream(pathOf("report.json"));
  const nlohmann::json json = nlohmann::json::parse(stream);
  ASSERT_EQ(json["arenas"].size(), 2U);
  for (const auto& arena : json["arenas"]) {
    EXPECT_EQ(arena["device"], "cpu");
    EXPECT_GT(arena["planned_bytes"], 0);
    EXPECT_EQ(arena["planned_bytes"], arena["mapped_bytes"]);
  }
  for (const char* what : {"arenas", "driver_bytes", "mapped_bytes"}) EXPECT_EQ(json["taken_after_load"][what], 0);
  EXPECT_LT(json["taken_after_load"]["heap_bytes"], 288 * kKiB) << "the answer's text, and what tells of it";
  EXPECT_LE(json["generated_tokens"], 8);
  EXPECT_GT(json["prompt_tokens_per_s"], 0.0);
  EXPECT_EQ(json["seed"], 3);
}

TEST_F(Cli, run_reads_no_control_token_out_of_a_message_unless_asked_to) {
  const auto nPromptTokens = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", model, "-n", "1", "--temp", "0", "--json"});
    const CliResult result = runCli(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json()["prompt_tokens"].get<int>();
  };
  const char* kOption = "--parse-control-tokens-in-messages";
  const int nEmpty = nPromptTokens({"-p", ""});
  EXPECT_EQ(nPromptTokens({"-p", "</s>"}), nEmpty + 4);
  EXPECT_EQ(nPromptTokens({"-p", "</s>", kOption}), nEmpty + 2);  // and the space that begins the text after it
  EXPECT_EQ(nPromptTokens({"-p", "", "--system", "</s>"}) - nPromptTokens({"-p", "", "--system", "</s>", kOption}), 2);
}

// The template opens a thought, and random weights never close it.
TEST_F(Cli, run_keeps_what_is_thought_out_of_the_answer_and_passes_a_choice_on) {
  RandomModelSpec spec = smallModel();
  spec.chat_template =
      "{{ messages[0].content }}<think>{{ '</think>' if enable_thinking is defined and not enable_thinking }}";
  const std::string path = make_random_model(spec, folder->path(), "thinking");
  const auto answer = [&](const std::string& choice) {
    const CliResult result =
        runCli({"run", path, "-p", "hi", "-n", "8", "--seed", "3", "--json", "--thinking", choice});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err.find("takes no --thinking low (it takes off, on)") != std::string::npos, choice == "low")
        << result.err;
    return result.json();
  };
  const auto thought = answer("default");
  EXPECT_EQ(thought["text"], "");
  EXPECT_NE(thought["thinking"], "");
  EXPECT_EQ(answer("low")["thinking"], thought["thinking"]) << "this template takes a switch";
  const auto said = answer("off");
  EXPECT_NE(said["text"], "");
  EXPECT_FALSE(said.contains("thinking"));
  EXPECT_EQ(runCli({"run", path, "-p", "hi", "-n", "8", "--seed", "3"}).out, "\n") << "a pipe gets the answer alone";
}

TEST_F(Cli, run_warns_of_a_tokenizer_without_its_rule_for_words) {
  RandomModelSpec spec;
  spec.architecture = "qwen2";
  spec.names_pre_tokenizer = false;
  const std::string path = make_random_model(spec, folder->path(), "warned");
  const CliResult result = runCli({"run", path, "-p", "hi", "-n", "1", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.err, testing::StartsWith("headroom-cli: warning: The file does not say how its tokenizer splits"));
  EXPECT_THAT(runCli({"run", model, "-p", "hi", "-n", "1", "--json"}).err, testing::Not(testing::HasSubstr("warning")));
}

TEST_F(Cli, run_says_the_same_for_a_seed_whatever_the_threads) {
  std::vector<std::string> texts;
  for (const char* threads : {"1", "2"}) {
    const CliResult result =
        runCli({"run", model, "-p", "hi", "-n", "30", "--seed", "3", "--temp", "1", "--threads", threads, "--json"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    texts.push_back(result.json()["text"]);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(Cli, run_ends_at_the_borders_of_the_context) {
  const auto run = [&](std::size_t nCharacters) {
    return runCli({"run", model, "--raw", "-p", std::string(nCharacters, 'x'), "--ctx", "32", "--temp", "0", "--json"});
  };
  const std::size_t nTokensOfOne = runCli({"tokenize", model, "x", "--add-special", "--json"}).json()["n_tokens"];
  const std::size_t nExtra = nTokensOfOne - 1;  // the beginning token and the space
  const CliResult fits = run(31 - nExtra);
  ASSERT_EQ(fits.exitCode, 0) << fits.err;
  EXPECT_EQ(fits.json()["prompt_tokens"], 31);
  EXPECT_LE(fits.json()["generated_tokens"], 1);
  for (const std::size_t nTokens : {32U, 33U}) {
    const CliResult tooLong = run(nTokens - nExtra);
    EXPECT_EQ(tooLong.exitCode, 1);
    EXPECT_THAT(tooLong.err, HasSubstr("the prompt has " + std::to_string(nTokens) + " tokens, the context holds 32"));
  }
}

TEST_F(Cli, run_without_a_prompt_is_a_chat_until_exit) {
  const CliResult result =
      runCli({"run", model, "-n", "4", "--ctx", "128"}, "hi\n\nthere\n/clear\nagain\n/exit\nnever read\n");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_GE(std::count(result.out.begin(), result.out.end(), '\n'), 3) << "three answers: " << result.out;
}

TEST_F(Cli, a_model_without_a_usable_template_asks_or_says_so) {
  const std::string bare = make_random_model({}, folder->path(), "bare");
  const CliResult result = runCli({"run", bare, "-p", "hi", "-n", "2"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no chat template"));
  RandomModelSpec spec;
  spec.chat_template = "{% for broken";
  const std::string broken = make_random_model(spec, folder->path(), "broken");
  expectOneErrorLine(runCli({"run", broken, "-p", "hi", "-n", "2"}), 3);
  EXPECT_EQ(runCli({"run", broken, "-p", "hi", "-n", "2", "--plain"}).exitCode, 0);
}

TEST_F(Cli, logits_have_one_row_per_token_for_any_batch_and_slots) {
  const std::string out = pathOf("logits.f32");
  // F32 weights: of quantized ones a long prompt rounds its activations by other groups than a short one, which is not
  // what is asked here.
  RandomModelSpec floats;
  floats.weight_type = DType::kF32;
  const std::string exact = make_random_model(floats, folder->path(), "floats");
  const auto logits = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"logits", exact, "--tokens", "5,6,7,8,9", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const CliResult result = runCli(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return readFloats(out);
  };
  const std::vector<float> whole = logits({});
  ASSERT_EQ(whole.size(), 5U * 288U);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--batch", "2"},
                                               {"--slots", "3"},
                                               {"--slots", "3", "--batch", "1"},
                                               {"--threads", "1"}}) {
    const std::vector<float> other = logits(more);
    ASSERT_EQ(other.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], other[i], 2e-4) << more[0] << " at " << i;
  }
  expectOneErrorLine(runCli({"logits", model, "--tokens", "5,6,7", "--ctx", "2", "--out", out}), 1);
  expectOneErrorLine(runCli({"logits", model, "--tokens", "288", "--out", out}), 2);
}

TEST_F(Cli, kld_of_f16_against_itself_is_zero_and_grows_with_fewer_bits) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "some words of text " + std::to_string(i) + ". ";
  const std::string path = write("words.txt", text);
  const auto kld = [&](const std::string& type) {
    const CliResult result = runCli(
        {"kld", model, "--file", path, "--kv-k", type, "--kv-v", type, "--ctx", "128", "--chunks", "2", "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json();
  };
  const nlohmann::json f16 = kld("f16"), q8 = kld("q8_0"), q4 = kld("q4_0");
  EXPECT_EQ(f16["n_positions"], 2 * 127);
  EXPECT_NEAR(f16["kld_mean"], 0.0, 1e-12);
  EXPECT_EQ(f16["perplexity"], f16["perplexity_f16"]);
  EXPECT_GT(q8["kld_mean"], 0.0);
  EXPECT_GT(q4["kld_mean"], q8["kld_mean"]);
  EXPECT_GE(q4["kld_p999"], q4["kld_median"]);
}

TEST_F(Cli, the_plain_scheme_is_for_measurements_alone) {
  const CliResult bench =
      runCli({"bench", model, "-p", "8", "-n", "2", "--repeat", "1", "--kv-k", "q4_0", "--plain-kv", "--json"});
  ASSERT_EQ(bench.exitCode, 0) << bench.err;
  EXPECT_EQ(bench.json()["kv_scheme"], "plain");
  for (const char* subcommand : {"run", "plan", "logits", "solve"})
    expectOneErrorLine(runCli({subcommand, model, "--plain-kv"}), 2);
}

TEST_F(Cli, every_window_of_kld_begins_with_the_beginning_token) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "word " + std::to_string(i * i) + ", ";
  const std::string path = write("windows.txt", text);
  const std::vector<std::uint32_t> tokens =
      runCli({"tokenize", model, "--file", path, "--add-special", "--json"}).json()["tokens"];
  constexpr std::size_t kWindow = 32;
  ASSERT_GT(tokens.size(), 2 * kWindow);
  double loss = 0;
  std::size_t nPositions = 0;
  for (std::size_t first = 0; first + 1 < tokens.size(); first += kWindow) {
    std::vector<std::uint32_t> window(tokens.begin() + first,
                                      tokens.begin() + std::min(first + kWindow, tokens.size()));
    window[0] = 1;  // the beginning token of these vocabularies
    std::string ids;
    for (const std::uint32_t id : window) ids += std::to_string(id) + ",";
    const CliResult result = runCli({"logits", model, "--tokens", ids, "--ctx", "32", "--kv-k", "f16", "--kv-v", "f16",
                                     "--out", pathOf("window.f32")});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const std::vector<float> logits = readFloats(pathOf("window.f32"));
    const std::size_t nVocab = logits.size() / window.size();
    for (std::size_t i = 0; i + 1 < window.size(); ++i, ++nPositions) {
      double sum = 0;
      for (std::size_t id = 0; id < nVocab; ++id) sum += std::exp(logits[i * nVocab + id]);
      loss += std::log(sum) - logits[i * nVocab + window[i + 1]];
    }
  }
  const nlohmann::json json = runCli({"kld", model, "--file", path, "--ctx", "32", "--json"}).json();
  EXPECT_EQ(json["n_positions"], nPositions);
  const double perplexity = std::exp(loss / static_cast<double>(nPositions));
  EXPECT_NEAR(json["perplexity_f16"], perplexity, 1e-4 * perplexity) << "only the order of sums differs";
}

TEST_F(Cli, every_subcommand_that_loads_takes_an_f32_cache_for_checking) {
  const std::vector<std::string> f32{"--kv-k", "f32", "--kv-v", "f32", "--ctx", "64"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), f32.begin(), f32.end());
    const CliResult result = runCli(words);
    EXPECT_EQ(result.exitCode, 0) << words[0] << ": " << result.err;
    return result;
  };
  EXPECT_THAT(run({"plan", model}).out, HasSubstr("f32"));
  run({"run", model, "-p", "hi", "-n", "2"});
  run({"logits", model, "--tokens", "5,6,7", "--out", pathOf("f32-logits")});
  run({"bench", model, "-p", "8", "-n", "2", "--repeat", "1", "--threads", "1"});
  EXPECT_GT(run({"kld", model, "--file", write("f32.txt", "words to compare"), "--json"}).json()["kld_mean"], 0.0)
      << "F16 rounds, F32 does not";
}

TEST_F(Cli, bench_measures_speed_and_limits) {
  const CliResult result =
      runCli({"bench", model, "-p", "32", "-n", "8", "--depth", "16", "--repeat", "1", "--threads", "1", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const char* field :
       {"load_seconds", "load_bytes_per_s", "prefill_tokens_per_s", "decode_tokens_per_s", "decode_bytes_per_s",
        "decode_share", "prefill_ops_per_s", "prefill_share", "prefill_outside_matrices", "decode_outside_matrices"}) {
    EXPECT_GT(result.json()[field], 0.0) << field;
  }
  ASSERT_EQ(result.json()["devices"].size(), 1U);
  const nlohmann::json cpu = result.json()["devices"][0];
  EXPECT_EQ(cpu["device"], "cpu");
  EXPECT_GT(cpu["read_bandwidth_bytes_per_s"], 0.0);
  EXPECT_GT(cpu["int8_peak_ops_per_s"], 0.0);
  EXPECT_GE(cpu["tile_peak_ops_per_s"], 0.0) << "0: no tile registers here";
  for (const char* share : {"prefill_outside_matrices", "decode_outside_matrices"})
    EXPECT_LT(result.json()[share], 1.0) << share;
}

}  // namespace
}  // namespace headroom::test
