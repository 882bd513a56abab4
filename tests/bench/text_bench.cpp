// Encoding and rendering, in bytes per second of the text that goes in.
#include <benchmark/benchmark.h>

#include <string>

#include "engine/text/template_cases.h"
#include "text/vocabulary.h"
#include "text/vocabulary_tokenizer.h"

namespace {

using namespace headroom;

const std::filesystem::path kFolder = std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests/engine/text";

std::unique_ptr<const Tokenizer> make_fixture_tokenizer(bool byte_level) {
  const auto json = nlohmann::json::parse(testing_support::read_whole_file(kFolder / "tokenizer_cases.json"));
  const auto& source = byte_level ? json.at("byte_level") : json.at("score_driven")[0];
  Vocabulary vocabulary;
  vocabulary.model = byte_level ? "gpt2" : "llama";
  vocabulary.pre = byte_level ? "llama-bpe" : "";
  vocabulary.texts = source.at("tokens");
  vocabulary.types.assign(vocabulary.texts.size(), TokenType::kNormal);
  if (byte_level) {
    vocabulary.merges = source.at("merges");
  } else {
    vocabulary.scores = source.at("scores").get<std::vector<float>>();
    vocabulary.special.unknown = 0;
  }
  CHECK(complete_vocabulary(vocabulary).ok(), "the fixture is sound");
  auto tokenizer = make_tokenizer(std::move(vocabulary));
  CHECK(tokenizer.ok(), "the fixture is sound");
  return std::move(*tokenizer);
}

std::string sample_text(std::size_t n_bytes) {
  const std::string sentence =
      "The plan knows what the cache takes: 12 GiB of keys and values, don't you see?\n  It's ünïcode, 你好, and "
      "3.14159.\n\n";
  std::string text;
  while (text.size() < n_bytes) text += sentence;
  return text;
}

void encode(benchmark::State& state, bool byte_level) {
  const auto tokenizer = make_fixture_tokenizer(byte_level);
  const std::string text = sample_text(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer->encode(text, true, true));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * static_cast<std::int64_t>(state.iterations()));
}

void render(benchmark::State& state) {
  const auto parsed = ChatTemplate::parse(testing_support::read_whole_file(kFolder / "templates/thinking.jinja"));
  CHECK(parsed.ok(), "the fixture is sound");
  ChatTemplateInputs inputs;
  std::size_t n_bytes = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    inputs.messages.push_back({i % 2 == 0 ? "user" : "assistant", sample_text(500)});
    n_bytes += inputs.messages.back().content.size();
  }
  for (auto _ : state) benchmark::DoNotOptimize(parsed->render(inputs));
  state.SetBytesProcessed(static_cast<std::int64_t>(n_bytes) * static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK_CAPTURE(encode, byte_level, true)->Arg(1 << 12)->Arg(1 << 20);
BENCHMARK_CAPTURE(encode, score_driven, false)->Arg(1 << 12)->Arg(1 << 20);
BENCHMARK(render)->Arg(2)->Arg(100);

}  // namespace
