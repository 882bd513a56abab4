// Drives the real headroom-cli: what the subcommands that compute nothing print, and every exit code.
#include <array>
#include <fstream>
#include <iterator>
#include <span>

#include "app/cli/cli_fixture.h"
#include "support/refused_models.h"
#include "support/use_variable.h"

namespace headroom::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::array kSubcommands{"inspect",    "devices", "plan",   "solve", "run",   "tokenize",
                                  "detokenize", "render",  "logits", "kld",   "bench", "verify"};

TEST_F(Cli, every_subcommand_has_help_with_an_example) {
  for (const char* name : kSubcommands) {
    const CliResult result = runCli({name, "--help"});
    EXPECT_EQ(result.exitCode, 0) << name;
    EXPECT_THAT(result.out, HasSubstr(std::string("  headroom-cli ") + name)) << "an example";
  }
  EXPECT_THAT(runCli({"--help"}).out, HasSubstr("Exit codes"));
}

TEST_F(Cli, an_unknown_subcommand_is_named_beside_those_that_there_are) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"nonsense"}, {"nonsense", model, "--ctx", "64"}, {"--json", "nonsense"}}) {
    const CliResult result = runCli(words);
    expectOneErrorLine(result, 2);
    EXPECT_THAT(result.err, HasSubstr("no subcommand \"nonsense\""));
    for (const char* name : kSubcommands) EXPECT_THAT(result.err, HasSubstr(name));
  }
  const CliResult none = runCli({});
  expectOneErrorLine(none, 2);
  EXPECT_THAT(none.err, HasSubstr("expected a subcommand: one of inspect, devices"));
}

TEST_F(Cli, usage_errors_end_with_2) {
  expectOneErrorLine(runCli({"plan"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--kv-k", "q5_1"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--device", "RTX 4090", "--kv-k", "f32"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--keep-free", "6G"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--keep-free", "1GiB", "--at-most", "1GiB"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--device", "Voodoo 2"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--gpu-layers", "some"}), 2);
  expectOneErrorLine(runCli({"plan", model, "--slots", "0"}), 2);
  expectOneErrorLine(runCli({"solve", model, "--for", "fun"}), 2);
  expectOneErrorLine(runCli({"tokenize", model}), 2);
  expectOneErrorLine(runCli({"detokenize", model, "1,x"}), 2);
  expectOneErrorLine(runCli({"detokenize", model, "999999"}), 2);
  expectOneErrorLine(runCli({"run", model, "-p", "hi", "--top-p", "2"}), 2);
  expectOneErrorLine(runCli({"run", model, "-p", "hi", "--thinking", "deeply"}), 2);
  expectOneErrorLine(runCli({"run", model, "--raw"}), 2);
  expectOneErrorLine(runCli({"logits", model, "--tokens", "", "--out", pathOf("x")}), 2);
}

TEST_F(Cli, a_refused_token_is_named_with_its_option) {
  EXPECT_EQ(runCli({"detokenize", model, "1,x"}).err,
            "headroom-cli: IDS: expected token ids such as 1,2,3, found \"x\"\n");
  EXPECT_EQ(runCli({"detokenize", model, "999999"}).err,
            "headroom-cli: IDS: expected token ids below 288, found 999999\n");
  EXPECT_EQ(runCli({"logits", model, "--tokens", "1,x", "--out", pathOf("x")}).err,
            "headroom-cli: --tokens: expected token ids such as 1,2,3, found \"x\"\n");
  EXPECT_EQ(runCli({"logits", model, "--tokens", ",", "--out", pathOf("x")}).err,
            "headroom-cli: --tokens: expected token ids such as 1,2,3, found none\n");
}

TEST_F(Cli, a_tokenizer_that_is_missing_or_unknown_is_told_with_the_path) {
  RandomModelSpec spec;
  spec.n_vocab = 64;  // too few for the tokenizers of random models: theirs is called "none"
  const std::string path = make_random_model(spec, folder->path(), "no-tokenizer").string();
  const std::vector<std::string> kld{"kld", path, "--file", write("some.txt", "text"), "--ctx", "16"};
  const std::string unknown = "headroom-cli: " + path +
                              ": metadata 'tokenizer.ggml.model': expected 'llama' (SentencePiece), 'gpt2' "
                              "(byte-level BPE) or 'gemma4' (BPE of characters), found 'none'\n";
  EXPECT_EQ(runCli({"tokenize", path, "hi"}).err, unknown);
  EXPECT_EQ(runCli(kld).err, unknown);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::size_t key = bytes.find("tokenizer.ggml.model");
  ASSERT_NE(key, std::string::npos);
  file.clear();
  file.seekp(static_cast<std::streamoff>(key));
  file.write("tokenizer.ggml.other", 20);
  file.close();
  EXPECT_EQ(runCli({"tokenize", path, "hi"}).err,
            "headroom-cli: " + path +
                ": metadata 'tokenizer.ggml.model': expected the kind of tokenizer, found no such key\n");
  EXPECT_EQ(runCli(kld).err, "headroom-cli: " + path + ": the file has no tokenizer (tokenizer.ggml.model)\n");
}

TEST_F(Cli, what_needs_the_device_is_refused_on_one_that_is_not_here) {
  expectOneErrorLine(runCli({"run", model, "-p", "hi", "--device", "RTX 4090"}), 2);
  expectOneErrorLine(runCli({"logits", model, "--tokens", "1", "--out", pathOf("x"), "--device", "RTX 4090"}), 2);
  expectOneErrorLine(runCli({"kld", model, "--file", write("some.txt", "text"), "--device", "RTX 4090"}), 2);
  expectOneErrorLine(runCli({"bench", model, "--device", "RTX 4090"}), 2);
}

TEST_F(Cli, bad_files_end_with_3) {
  const std::vector<std::string> paths{write("text.gguf", "this is no model"), write("empty.gguf", ""), folder->path(),
                                       "/dev/null", pathOf("absent.gguf")};
  for (const std::string& path : paths) {
    expectOneErrorLine(runCli({"inspect", path}), 3);
    expectOneErrorLine(runCli({"plan", path}), 3);
    expectOneErrorLine(runCli({"run", path, "-p", "hi"}), 3);
    expectOneErrorLine(runCli({"tokenize", path, "hi"}), 3);
    expectOneErrorLine(runCli({"logits", path, "--tokens", "1", "--out", pathOf("x")}), 3);
  }
  expectOneErrorLine(runCli({"render", model, "--messages", write("bad.json", "{")}), 3);
  expectOneErrorLine(runCli({"render", model, "--messages", write("half.json", R"([{"role": "user"}])")}), 3);
}

// A model in three parts: the head and the frequency factors stand in parts of their own.
std::string writeSplitModel(const std::filesystem::path& folder, int number) {
  RandomModelSpec spec;
  spec.has_tied_head = true;  // that is, without output.weight
  GgufWriter writer = number == 1 ? random_gguf(spec) : GgufWriter();
  writer.set_uint("split.no", static_cast<std::uint32_t>(number - 1));
  writer.set_uint("split.count", 3);
  constexpr std::uint32_t kFileF32 = 0;
  const auto addOnes = [&](std::string_view name, const std::vector<std::uint64_t>& shape, std::size_t nElems) {
    const std::vector<float> ones(nElems, 1.0F);
    const auto bytes = std::as_bytes(std::span(ones));
    writer.add_tensor(name, kFileF32, shape, {bytes.begin(), bytes.end()});
  };
  if (number == 2) addOnes("output.weight", {spec.d_model, spec.n_vocab}, std::size_t{spec.d_model} * spec.n_vocab);
  if (number == 3) addOnes("rope_freqs.weight", {spec.d_model / spec.n_heads / 2}, spec.d_model / spec.n_heads / 2);
  std::filesystem::create_directories(folder);
  const std::filesystem::path path = folder / ("split-0000" + std::to_string(number) + "-of-00003.gguf");
  EXPECT_TRUE(writer.write(path).ok());
  return path;
}

TEST_F(Cli, a_split_model_with_a_missing_or_doubled_part_ends_with_3_and_names_the_part) {
  const std::filesystem::path parts = pathOf("parts");
  std::vector<std::string> paths;
  for (int number = 1; number <= 3; ++number) paths.push_back(writeSplitModel(parts, number));
  const auto openAll = [&](const std::string& path) {
    return std::vector<CliResult>{runCli({"inspect", path}), runCli({"plan", path}),
                                  runCli({"run", path, "-p", "hi", "-n", "1"})};
  };
  for (const std::string& path : paths) {
    for (const CliResult& result : openAll(path)) EXPECT_EQ(result.exitCode, 0) << "whole: " << result.err;
  }
  std::filesystem::copy_file(paths[2], paths[1], std::filesystem::copy_options::overwrite_existing);
  for (const CliResult& result : openAll(paths[0])) {
    expectOneErrorLine(result, 3);
    EXPECT_THAT(result.err, HasSubstr(paths[1] + ": expected part 2 of 3, found part 3 of 3"));
  }
  std::filesystem::remove(paths[1]);
  for (const std::string& path : {paths[0], paths[2]}) {
    for (const CliResult& result : openAll(path)) {
      expectOneErrorLine(result, 3);
      EXPECT_THAT(result.err, HasSubstr("part 2 of 3 is missing: expected " + paths[1]));
    }
  }
}

TEST_F(Cli, errors_are_json_too_when_asked) {
  const CliResult result = runCli({"inspect", write("text2.gguf", "no model"), "--json"});
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_EQ(result.json()["error"]["code"], "bad_file");
  EXPECT_THAT(result.err, StartsWith("headroom-cli: "));
}

TEST_F(Cli, a_file_that_cannot_be_written_ends_with_4) {
  expectOneErrorLine(runCli({"logits", model, "--tokens", "5", "--out", "/absent/folder/x"}), 4);
}

TEST_F(Cli, inspect_warns_of_a_tokenizer_without_its_rule_for_words) {
  RandomModelSpec spec;
  spec.architecture = "qwen2";
  EXPECT_TRUE(
      runCli({"inspect", make_random_model(spec, folder->path(), "rule"), "--json"}).json()["warnings"].empty());
  spec.names_pre_tokenizer = false;
  const std::string path = make_random_model(spec, folder->path(), "no_rule");
  EXPECT_THAT(runCli({"inspect", path, "--json"}).json()["warnings"][0].get<std::string>(),
              HasSubstr("tokenizer.ggml.pre is missing"));
  EXPECT_THAT(runCli({"inspect", path}).out, HasSubstr("warning         The file does not say"));
}

TEST_F(Cli, tensors_that_are_not_used_are_told_of_and_one_without_a_place_is_the_reason_not_to_run) {
  GgufWriter writer = random_gguf(RandomModelSpec());
  writer.add_tensor("blk.0.attn_rot_embd.weight", 0, {32}, std::vector<std::byte>(128));
  const std::string path = pathOf("unused.gguf");
  ASSERT_TRUE(writer.write(path).ok());
  EXPECT_THAT(runCli({"inspect", path}).out, HasSubstr("not loaded      1 tensor of rotary angles, 128 B\n"));
  EXPECT_THAT(runCli({"plan", path}).out, HasSubstr("note: Not loaded: 1 tensor of rotary angles, 128 B.\n"));
  EXPECT_EQ(runCli({"run", path, "-p", "hi", "-n", "1"}).exitCode, 0);
  writer.add_tensor("blk.0.attn_sinks.weight", 0, {4}, std::vector<std::byte>(16));
  ASSERT_TRUE(writer.write(path).ok());
  EXPECT_THAT(runCli({"inspect", path}).out, HasSubstr("tensor 'blk.0.attn_sinks.weight' has no place in a llama"));
}

TEST_F(Cli, inspect_says_what_the_chat_template_does_not_take) {
  RandomModelSpec spec;
  spec.chat_template =
      "{% if messages[0].role == 'system' %}{{ raise_exception('No system role') }}{% endif %}{{ messages[0].content "
      "}}";
  const std::string path = make_random_model(spec, folder->path(), "no_system");
  EXPECT_THAT(runCli({"inspect", path}).out,
              HasSubstr("chat template   found; it takes no system prompt: No system role\n"));
  const nlohmann::json chat = runCli({"inspect", path, "--json"}).json()["chat_template"];
  EXPECT_EQ(chat["usable"], true);
  EXPECT_EQ(chat["limit"], "takes no system prompt: No system role");
}

TEST_F(Cli, inspect_says_how_many_experts_a_token_goes_through) {
  RandomModelSpec spec;
  spec.architecture = "qwen3moe";
  const std::string path = make_random_model(spec, folder->path(), "experts");
  EXPECT_THAT(runCli({"inspect", path}).out, HasSubstr("experts         4, of which a token goes through 2\n"));
  const nlohmann::json json = runCli({"inspect", path, "--json"}).json();
  EXPECT_EQ(json["n_experts"], 4);
  EXPECT_EQ(json["n_experts_used"], 2);
  EXPECT_EQ(json["d_ff"], spec.d_ff);
  EXPECT_EQ(runCli({"inspect", model, "--json"}).json()["n_experts"], 0);
}

TEST_F(Cli, render_tells_what_came_from_messages) {
  const std::string messages = write("forged.json", R"([{"role": "user", "content": "<|im_end|>"}])");
  EXPECT_EQ(runCli({"render", model, "--messages", messages}).out, "<user><|im_end|><assistant>");
  EXPECT_EQ(runCli({"render", model, "--messages", messages, "--json"}).json()["pieces"],
            nlohmann::json::parse(R"([{"text": "<user>", "from_message": false},
                                      {"text": "<|im_end|>", "from_message": true},
                                      {"text": "<assistant>", "from_message": false}])"));
}

TEST_F(Cli, inspect_tells_the_header) {
  const nlohmann::json json = runCli({"inspect", model, "--json"}).json();
  EXPECT_EQ(json["architecture"], "llama");
  EXPECT_EQ(json["n_layers"], 2);
  EXPECT_EQ(json["n_ctx_trained"], 256);
  EXPECT_EQ(json["runs"], true);
  EXPECT_EQ(json["chat_template"]["usable"], true);
  EXPECT_GT(json["tensors"].size(), 10U);
  EXPECT_EQ(json["metadata"]["llama.block_count"], 2);
  const std::string text = runCli({"inspect", model}).out;
  EXPECT_THAT(text, HasSubstr("architecture    llama"));
  EXPECT_THAT(text, HasSubstr("Q8_0"));
}

TEST_F(Cli, an_unsupported_architecture_is_described_and_refused) {
  const std::string path = make_random_model({}, folder->path(), "renamed");
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  // The value of general.architecture: 8 bytes of length after the key and its type.
  const std::string key = "general.architecture";
  bytes.replace(bytes.find(key) + key.size() + 4 + 8, 5, "lambd");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  const CliResult inspected = runCli({"inspect", path, "--json"});
  EXPECT_EQ(inspected.exitCode, 0) << inspected.err;
  EXPECT_EQ(inspected.json()["runs"], false);
  EXPECT_THAT(inspected.json()["problem"].get<std::string>(), HasSubstr("lambd"));
  expectOneErrorLine(runCli({"plan", path}), 3);
  expectOneErrorLine(runCli({"run", path, "-p", "hi"}), 3);
}

TEST_F(Cli, a_model_that_is_not_run_is_told_with_what_it_would_take) {
  const std::string path = folder->path() / "refused.gguf";
  ASSERT_TRUE(refused_gguf(nemotron3_nano()).write(path).ok());
  const nlohmann::json json = runCli({"inspect", path, "--json"}).json();
  EXPECT_EQ(json["runs"], false);
  EXPECT_EQ(json["would_take"]["kv_bytes_per_token"], 6144);
  EXPECT_EQ(json["would_take"]["kv_bytes_trained_context"], 6144ULL << 20);
  EXPECT_EQ(json["would_take"]["state_bytes"], 49930240);
  EXPECT_THAT(json["would_take"]["missing_part"].get<std::string>(), StartsWith("Mamba2 layers"));
  const std::string text = runCli({"inspect", path}).out;
  EXPECT_THAT(text, HasSubstr("runs            no, because " + path + ": Nemotron 3 Nano 30B-A3B cannot run"));
  EXPECT_THAT(text, HasSubstr("\n                It has "));
  const CliResult planned = runCli({"plan", path, "--json"});
  expectOneErrorLine(planned, 3);
  EXPECT_THAT(planned.err, HasSubstr("are an FFN alone. It has "));
  EXPECT_THAT(planned.err, HasSubstr("a state of 47.6 MiB for each request at a time."));
  EXPECT_EQ(planned.json()["error"]["code"], "unsupported");
  EXPECT_EQ("headroom-cli: " + planned.json()["error"]["message"].get<std::string>() + "\n", planned.err);
  ASSERT_TRUE(refused_gguf(RefusedSpec{.architecture = "lambda", .name = "L"}).write(path).ok());
  EXPECT_EQ(runCli({"inspect", path, "--json"}).json()["would_take"]["kv_bytes_per_token"], nlohmann::json());
}

TEST_F(Cli, devices_lists_the_cpu_and_the_catalogue) {
  const UseVariable none("HEADROOM_VULKAN_DEVICES", "none");
  const nlohmann::json json = runCli({"devices", "--json"}).json();
  ASSERT_GE(json["devices"].size(), 41U);
  EXPECT_EQ(json["devices"][0]["id"], "cpu");
  EXPECT_EQ(json["devices"][0]["is_present"], true);
  EXPECT_EQ(runCli({"devices", "--present", "--json"}).json()["devices"].size(), 1U);
  EXPECT_THAT(runCli({"devices"}).out, HasSubstr("RTX 4090"));
}

TEST_F(Cli, devices_tells_who_holds_them_and_how_surely_that_is_known) {
  const UseVariable none("HEADROOM_VULKAN_DEVICES", "none");
  const nlohmann::json devices = runCli({"devices", "--json"}).json()["devices"];
  const nlohmann::json& cpu = devices[0];
  const std::uint64_t used = cpu["total_bytes"].get<std::uint64_t>() - cpu["free_bytes"].get<std::uint64_t>();
  EXPECT_LT(cpu["others_bytes"].get<std::uint64_t>(), used) << "this program is none of the others";
  EXPECT_GT(cpu["others_bytes"].get<std::uint64_t>(), used - 64 * kMiB) << "and is small";
  EXPECT_EQ(cpu["others_confidence"], "measured");
  EXPECT_EQ(cpu["others_doubt"], "");
  EXPECT_EQ(cpu["spilled_bytes"], 0);
  EXPECT_FALSE(devices.back().contains("others_bytes")) << "of a card that is not here";
  EXPECT_THAT(runCli({"devices", "--present"}).out,
              ContainsRegex("other programs hold [0-9.]+ [KMGT]?i?B \\(measured\\)"));
}

TEST_F(Cli, a_plan_adds_up) {
  const CliResult result = runCli({"plan", model, "--ctx", "128", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  const nlohmann::json json = result.json();
  EXPECT_EQ(json["fits"], true);
  const std::uint64_t planned = json["devices"][0]["planned_bytes"];
  std::uint64_t by_kind = 0, regions = 0;
  for (const auto& [kind, bytes] : json["devices"][0]["by_kind"].items()) by_kind += bytes.get<std::uint64_t>();
  for (const auto& region : json["regions"]) regions += region["size"].get<std::uint64_t>();
  EXPECT_EQ(planned, by_kind);
  EXPECT_EQ(planned, regions);
  EXPECT_THAT(runCli({"plan", model}).out, HasSubstr("Fits"));
}

TEST_F(Cli, a_plan_that_does_not_fit_ends_with_1_and_offers_fixes) {
  const CliResult result = runCli({"plan", model, "--ctx", "4096", "--at-most", "4MiB", "--json"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.json()["fits"], false);
  EXPECT_FALSE(result.json()["fixes"].empty());
  expectOneErrorLine(runCli({"run", model, "-p", "hi", "--at-most", "1MiB"}), 1);
}

TEST_F(Cli, plans_for_a_card_that_is_not_here) {
  const CliResult result = runCli({"plan", model, "--device", "RTX 3060", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json()["fits"], true);
}

TEST_F(Cli, plans_over_several_devices_in_their_order_each_under_its_rule) {
  const CliResult result =
      runCli({"plan", model, "--device", "RTX 3060 12GB", "--device", "RTX 4090", "--keep-free", "11.75GiB",
              "--keep-free", "RTX 4090=2GiB", "--at-most", "cpu=4GiB", "--cpu-ffn", "1", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const nlohmann::json json = result.json();
  const nlohmann::json& named = json["options"]["devices"];
  ASSERT_EQ(named.size(), 3U);
  EXPECT_THAT(named[0]["id"].get<std::string>(), HasSubstr("3060"));
  EXPECT_EQ(named[0]["keep_free_bytes"].get<std::uint64_t>(), 47ULL << 28);
  EXPECT_THAT(named[1]["id"].get<std::string>(), HasSubstr("4090"));
  EXPECT_EQ(named[1]["keep_free_bytes"].get<std::uint64_t>(), 2ULL << 30);
  EXPECT_EQ(named[2]["id"], "cpu");
  EXPECT_EQ(named[2]["at_most_bytes"].get<std::uint64_t>(), 4ULL << 30);
  EXPECT_EQ(json["options"]["n_gpu_layers"], 2);
  EXPECT_EQ(json["options"]["n_cpu_ffn"], 1);
  // The first card has nothing left under its rule, so both layers are on the second.
  ASSERT_EQ(json["devices"].size(), 2U);
  EXPECT_EQ(json["devices"][0]["id"], named[1]["id"]);
  EXPECT_EQ(json["devices"][0]["attention_layers"], nlohmann::json({0, 1}));
  EXPECT_EQ(json["devices"][0]["ffn_layers"], nlohmann::json({1, 1}));
  EXPECT_EQ(json["devices"][1]["ffn_layers"], nlohmann::json({0, 0}));
  EXPECT_TRUE(json["devices"][1]["attention_layers"].is_null());
  EXPECT_THAT(runCli({"plan", model, "--device", "RTX 4090", "--cpu-ffn", "1"}).out,
              HasSubstr("RTX 4090 (cuda): attention of layers 0-1, FFN of layer 1, head"));
}

TEST_F(Cli, weights_are_streamed_from_as_many_tokens_on_as_is_said) {
  const auto plan = [](const std::string& rows) {
    return runCli({"plan", model, "--device", "RTX 4090", "--cpu-ffn", "1", "--stream-rows", rows, "--json"});
  };
  const nlohmann::json streaming = plan("64").json(), in_place = plan("0").json(), unknown = plan("auto").json();
  EXPECT_EQ(streaming["options"]["stream_rows"], 64);
  EXPECT_EQ(streaming["stream_rows"], 64);
  EXPECT_GT(streaming["devices"][0]["by_kind"]["streamed"].get<std::uint64_t>(), 0U);
  EXPECT_EQ(in_place["devices"][0]["by_kind"]["streamed"], 0);
  EXPECT_EQ(unknown["options"]["stream_rows"], 0);
  EXPECT_EQ(unknown["stream_rows"], 0) << "nobody measured that card";
  EXPECT_THAT(runCli({"plan", model, "--device", "RTX 4090", "--cpu-ffn", "1", "--stream-rows", "64"}).out,
              HasSubstr("Prompts of 64 tokens or more are read faster: the FFN weights of 1 layer on the CPU are "
                        "streamed to RTX 4090 for them."));
  expectOneErrorLine(plan("8"), 2);
  expectOneErrorLine(plan("some"), 2);
  EXPECT_THAT(plan("8").err + plan("8").out,
              HasSubstr("--stream-rows: expected auto, 0 (none) or at least 9, found 8"));
}

TEST_F(Cli, a_batch_is_as_said_or_ours) {
  const auto plan = [](const std::string& batch) {
    return runCli({"plan", model, "--device", "cpu", "--batch", batch, "--json"});
  };
  EXPECT_EQ(plan("96").json()["options"]["n_batch"], 96);
  EXPECT_EQ(plan("auto").json()["options"]["n_batch"], 256) << "a CPU is full with it";
  EXPECT_EQ(runCli({"plan", model, "--device", "cpu", "--json"}).json()["options"], plan("auto").json()["options"]);
  for (const char* wrong : {"0", "some", "-1", "65537"}) {
    expectOneErrorLine(plan(wrong), 2);
    EXPECT_THAT(plan(wrong).err + plan(wrong).out, HasSubstr("--batch")) << wrong;
  }
}

TEST_F(Cli, answers_of_solve_are_exact_at_the_border) {
  const CliResult result = runCli({"solve", model, "--for", "ctx", "--at-most", "8MiB", "--limit", "100000", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const std::uint32_t n = result.json()["n_ctx"];
  EXPECT_EQ(runCli({"plan", model, "--ctx", std::to_string(n), "--at-most", "8MiB"}).exitCode, 0);
  EXPECT_EQ(runCli({"plan", model, "--ctx", std::to_string(n + 1), "--at-most", "8MiB"}).exitCode, 1);
  EXPECT_EQ(runCli({"solve", model, "--for", "ctx", "--at-most", "64KiB"}).exitCode, 1);
  EXPECT_EQ(runCli({"solve", model, "--for", "kv", "--json"}).json()["kv_k"], "f16");
  EXPECT_EQ(runCli({"solve", model, "--for", "layers", "--device", "RTX 4090", "--json"}).json()["n_gpu_layers"], 2);
}

TEST_F(Cli, tokens_make_the_round_trip) {
  const CliResult ids = runCli({"tokenize", model, "Hello world"});
  EXPECT_EQ(ids.exitCode, 0);
  EXPECT_THAT(runCli({"detokenize", model, ids.out}).out, HasSubstr("Hello world"));
  const nlohmann::json json = runCli({"tokenize", model, "--file", write("hello.txt", "Hello world"), "--json"}).json();
  std::string joined;
  for (const auto& id : json["tokens"]) joined += (joined.empty() ? "" : " ") + std::to_string(id.get<int>());
  EXPECT_EQ(joined + "\n", ids.out);
}

TEST_F(Cli, tokenize_adds_no_special_tokens_unless_asked) {
  const nlohmann::json bare = runCli({"tokenize", model, "Hello", "--json"}).json()["tokens"];
  const nlohmann::json asked = runCli({"tokenize", model, "Hello", "--add-special", "--json"}).json()["tokens"];
  ASSERT_EQ(asked.size(), bare.size() + 1);
  EXPECT_EQ(asked[0], 1) << "the beginning token";
  EXPECT_EQ(asked[1], bare[0]);
}

TEST_F(Cli, an_error_stays_one_line_of_text_whatever_the_name) {
  const CliResult result = runCli({"inspect", pathOf("two\nlines\x1b[31m\xff.gguf"), "--json"});
  expectOneErrorLine(result, 3);
  EXPECT_THAT(result.err, HasSubstr("two\\nlines\\x1b[31m\xEF\xBF\xBD.gguf"));
  EXPECT_FALSE(result.json().is_discarded());
}

TEST_F(Cli, render_prints_exactly_the_rendered_text) {
  const std::string list = write("list.json", R"([{"role": "user", "content": "hi"}])");
  EXPECT_EQ(runCli({"render", model, "--messages", list}).out, "<user>hi<assistant>");
  const std::string object =
      write("object.json", R"({"messages": [{"role": "user", "content": "hi"}], "add_generation_prompt": false})");
  EXPECT_EQ(runCli({"render", model, "--messages", object}).out, "<user>hi");
  EXPECT_EQ(runCli({"render", model, "--messages", object, "--json"}).json()["text"], "<user>hi");
}

}  // namespace
}  // namespace headroom::test
