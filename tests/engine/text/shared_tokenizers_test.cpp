// The public vocabularies: every listed text gives exactly the listed ids. They lie beside the repository, not in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/heap.h"
#include "text/slices.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(HEADROOM_SHARED_DATA) / "tokenizers";

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Cases are separated by a line of their own; the line end before it belongs to the separator.
std::vector<std::string> read_cases(const std::filesystem::path& path) {
  const std::string separator = "\n__ggml_vocab_test__\n";
  const std::string text = read_text(path);
  std::vector<std::string> cases;
  std::size_t from = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
    cases.push_back(text.substr(from, at - from));
    from = at + separator.size();
  }
  if (from < text.size()) cases.push_back(text.substr(from));
  return cases;
}

std::vector<std::vector<TokenId>> read_ids(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::vector<TokenId>> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    std::vector<TokenId> ids;
    for (TokenId id = 0; numbers >> id;) ids.push_back(id);
    all.push_back(ids);
  }
  return all;
}

class SharedTokenizers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(kFolder))
      GTEST_SKIP() << "no public tokenizer cases at " << kFolder << " (HEADROOM_SHARED_DATA)";
  }
};

TEST_P(SharedTokenizers, give_the_listed_ids_and_the_text_back) {
  const auto file = open_model_file(kFolder / (std::string(GetParam()) + ".gguf"));
  ASSERT_TRUE(file) << file.error().message.text();
  const auto tokenizer = read_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
  const auto texts = read_cases(kFolder / (std::string(GetParam()) + ".inp"));
  const auto ids = read_ids(kFolder / (std::string(GetParam()) + ".out"));
  ASSERT_EQ(texts.size(), ids.size());
  ASSERT_GT(texts.size(), 40U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ((*tokenizer)->encode(texts[i], false, false), ids[i]) << texts[i];
    EXPECT_EQ((*tokenizer)->decode(ids[i], true), texts[i]);
  }
}

TEST_P(SharedTokenizers, take_as_much_of_the_heap_as_was_said_before) {
  const auto file = open_model_file(kFolder / (std::string(GetParam()) + ".gguf"));
  ASSERT_TRUE(file) << file.error().message.text();
  const HeapMeter meter;
  const auto tokenizer = read_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
  const auto measured = static_cast<double>(meter.taken());
  // Sanitizers count what was asked for, without the allocator's own share.
  EXPECT_NEAR(static_cast<double>(estimate_tokenizer_bytes(*file)) / measured, 1.0, 0.2) << measured;
}

// A text that is refused by its bytes has more tokens than there is room for, whatever it is made of.
TEST_P(SharedTokenizers, no_text_has_fewer_tokens_than_the_fewest) {
  const auto file = open_model_file(kFolder / (std::string(GetParam()) + ".gguf"));
  ASSERT_TRUE(file) << file.error().message.text();
  const auto read = read_tokenizer(*file);
  ASSERT_TRUE(read) << read.error().message.text();
  const Tokenizer& tokenizer = **read;
  EXPECT_EQ(longest_token_bytes(*file), tokenizer.longest_token_bytes());
  const auto expect_no_fewer = [&](const std::string& text) {
    for (const bool of_template : {false, true}) {
      const std::size_t n = tokenizer.encode(text, false, of_template).size();
      ASSERT_LE(tokenizer.fewest_tokens(text), n) << text.substr(0, 80);
    }
  };
  const std::string all = read_text(kFolder / (std::string(GetParam()) + ".inp"));
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const std::size_t from = random() % all.size();
    expect_no_fewer(all.substr(from, random() % 200));
  }
  bool is_tight = false;
  for (TokenId id = 0; id < tokenizer.n_vocab(); ++id) {
    const std::string token = tokenizer.token_bytes(id, true);
    if (token.size() + 8 < tokenizer.longest_token_bytes() && id % 97 != 0) continue;
    std::string many;
    for (int i = 0; i < 5; ++i) many += token;
    expect_no_fewer(many);
    expect_no_fewer(many + std::string(500, ' ') + many);
    is_tight |= !token.empty() && tokenizer.fewest_tokens(many) + 1 >= tokenizer.encode(many, false, true).size();
  }
  EXPECT_TRUE(is_tight) << "a text of the longest tokens has as many as were counted, and one for a space before it";
  for (const char c : {' ', '\n', 'a', '-', '=', '\xE2', '\0'}) expect_no_fewer(std::string(3000, c));
}

// Where a long text is cut for merging depends on how much stands before it; its tokens do not.
TEST_P(SharedTokenizers, the_tokens_of_a_long_text_do_not_depend_on_where_it_is_cut) {
  const auto file = open_model_file(kFolder / (std::string(GetParam()) + ".gguf"));
  ASSERT_TRUE(file) << file.error().message.text();
  const auto tokenizer = read_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
  std::string text;
  const std::string cases = read_text(kFolder / (std::string(GetParam()) + ".inp"));
  while (text.size() < 5 * kSliceBytes) text += cases + "and so on ";
  const std::vector<TokenId> expected = (*tokenizer)->encode(text, false, false);
  for (const std::size_t n_before : {1U, 700U, 3001U}) {
    std::string before;
    for (std::size_t i = 0; i < n_before; ++i) before += "go ";
    const std::vector<TokenId> found = (*tokenizer)->encode(before + text, false, false);
    ASSERT_GT(found.size(), expected.size());
    const auto n_compared = static_cast<std::ptrdiff_t>(expected.size() - 20);
    EXPECT_TRUE(std::equal(expected.end() - n_compared, expected.end(), found.end() - n_compared)) << n_before;
  }
}

TEST_P(SharedTokenizers, a_sink_keeps_what_it_may_counts_all_and_ends_when_stopped) {
  const auto file = open_model_file(kFolder / (std::string(GetParam()) + ".gguf"));
  ASSERT_TRUE(file) << file.error().message.text();
  const auto tokenizer = read_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
  const std::string text(1 << 20, 'a');
  const TextPiece piece{text, TextOrigin::kMessage};
  TokenSink all, few(100);
  (*tokenizer)->encode_to(all, {&piece, 1}, false);
  (*tokenizer)->encode_to(few, {&piece, 1}, false);
  EXPECT_EQ(few.n_tokens(), all.n_tokens());
  EXPECT_EQ(few.take().size(), 100U);
  StopSource source;
  source.request_stop();
  TokenSink stopped(100, source.token());
  (*tokenizer)->encode_to(stopped, {&piece, 1}, false);
  EXPECT_TRUE(stopped.is_stopped());
  EXPECT_LE(stopped.n_tokens(), kSliceBytes) << "one slice at most";
}

INSTANTIATE_TEST_SUITE_P(All, SharedTokenizers,
                         testing::Values("llama-spm", "phi-3", "gpt-2", "falcon", "deepseek-llm"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headroom
