#include "text/vocabulary.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

using Metadata = std::map<std::string, MetaValue, std::less<>>;

Metadata byte_level_file() {
  return {{"tokenizer.ggml.model", std::string("gpt2")},
          {"tokenizer.ggml.pre", std::string("qwen2")},
          {"tokenizer.ggml.tokens", std::vector<std::string>{"a", "</s>", "<|im_end|>", "<begin>", "<end>"}},
          {"tokenizer.ggml.merges", std::vector<std::string>{}},
          {"tokenizer.ggml.bos_token_id", std::uint64_t{3}},
          {"tokenizer.ggml.eos_token_id", std::uint64_t{4}}};
}

std::vector<TokenId> special_ids(const Vocabulary& vocabulary) {
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < vocabulary.n_vocab(); ++id)
    if (vocabulary.is_special(id)) ids.push_back(id);
  return ids;
}

TEST(Vocabulary, only_the_types_of_the_file_make_a_token_special) {
  Metadata metadata = byte_level_file();
  metadata["tokenizer.ggml.token_type"] = std::vector<std::int64_t>{1, 1, 3, 1, 4};
  const auto vocabulary = read_vocabulary(ModelFile({}, metadata, {}));
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(special_ids(*vocabulary), (std::vector<TokenId>{2}));
  EXPECT_EQ(vocabulary->special.end_of_generation, (std::vector<TokenId>{2, 4}));
  EXPECT_FALSE(vocabulary->is_guarded(1));
  EXPECT_TRUE(vocabulary->is_guarded(4));  // user-defined, and the file's end: no message may give it
}

TEST(Vocabulary, a_file_without_types_has_those_that_its_keys_and_texts_tell) {
  const auto vocabulary = read_vocabulary(ModelFile({}, byte_level_file(), {}));
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(special_ids(*vocabulary), (std::vector<TokenId>{2, 3, 4}));
  EXPECT_EQ(vocabulary->special.end_of_generation, (std::vector<TokenId>{2, 4}));
}

}  // namespace
}  // namespace headroom
