// The public vocabularies: every listed text gives exactly the listed ids. They lie beside the repository, not in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/heap.h"
#include "text/tokenizer.h"

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
  ASSERT_TRUE(file) << file.error().message;
  const auto tokenizer = read_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
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
  ASSERT_TRUE(file) << file.error().message;
  const HeapMeter meter;
  const auto tokenizer = read_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const auto measured = static_cast<double>(meter.taken());
  // Sanitizers count what was asked for, without the allocator's own share.
  EXPECT_NEAR(static_cast<double>(estimate_tokenizer_bytes(*file)) / measured, 1.0, 0.2) << measured;
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
