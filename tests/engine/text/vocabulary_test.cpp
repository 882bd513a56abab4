#include "text/vocabulary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "file/gguf_writer.h"
#include "support/temp_folder.h"
#include "text/tokenizer.h"

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
  ASSERT_TRUE(vocabulary) << vocabulary.error().message.text();
  EXPECT_EQ(special_ids(*vocabulary), (std::vector<TokenId>{2}));
  EXPECT_EQ(vocabulary->special.end_of_generation, (std::vector<TokenId>{2, 4}));
  EXPECT_FALSE(vocabulary->is_guarded(1));
  EXPECT_TRUE(vocabulary->is_guarded(4));  // user-defined, and the file's end: no message may give it
}

TEST(Vocabulary, a_file_without_types_has_those_that_its_keys_and_texts_tell) {
  const auto vocabulary = read_vocabulary(ModelFile({}, byte_level_file(), {}));
  ASSERT_TRUE(vocabulary) << vocabulary.error().message.text();
  EXPECT_EQ(special_ids(*vocabulary), (std::vector<TokenId>{2, 3, 4}));
  EXPECT_EQ(vocabulary->special.end_of_generation, (std::vector<TokenId>{2, 4}));
}

// Gemma 3 has the tags of HTML as user-defined tokens; Llama 2 ends its answers with the same text.
TEST(Vocabulary, a_tag_of_html_ends_an_answer_only_as_a_control_token_or_by_the_files_word) {
  Metadata metadata = byte_level_file();
  const auto ends_with = [&](std::int64_t type) {
    metadata["tokenizer.ggml.token_type"] = std::vector<std::int64_t>{1, type, 3, 1, 3};
    const auto vocabulary = read_vocabulary(ModelFile({}, metadata, {}));
    EXPECT_TRUE(vocabulary) << vocabulary.error().message.text();
    return vocabulary->special.end_of_generation;
  };
  EXPECT_EQ(ends_with(4), (std::vector<TokenId>{2, 4}));
  EXPECT_EQ(ends_with(1), (std::vector<TokenId>{2, 4}));
  EXPECT_EQ(ends_with(3), (std::vector<TokenId>{1, 2, 4}));
  metadata["tokenizer.ggml.eos_token_id"] = std::uint64_t{1};
  EXPECT_EQ(ends_with(4), (std::vector<TokenId>{1, 2})) << "this file's key names it";
}

TEST(Vocabulary, the_end_of_a_message_that_a_file_names_ends_an_answer) {
  Metadata metadata = byte_level_file();
  metadata["tokenizer.ggml.tokens"] =
      std::vector<std::string>{"a", "b", "<|endoftext|>", "<|user|>", "<|observation|>"};
  metadata["tokenizer.ggml.token_type"] = std::vector<std::int64_t>{1, 1, 3, 3, 3};
  metadata["tokenizer.ggml.eos_token_id"] = std::uint64_t{2};
  metadata["tokenizer.ggml.eot_token_id"] = std::uint64_t{3};
  metadata["tokenizer.ggml.eom_token_id"] = std::uint64_t{4};
  auto vocabulary = read_vocabulary(ModelFile({}, metadata, {}));
  ASSERT_TRUE(vocabulary) << vocabulary.error().message.text();
  EXPECT_EQ(vocabulary->special.end_of_generation, (std::vector<TokenId>{2, 3, 4}));
  EXPECT_EQ(vocabulary->special.end_of_turn, 3U);
}

TEST(Vocabulary, ends_of_newer_templates_count_unless_they_are_ordinary) {
  for (const std::int64_t type : {1, 3, 4}) {
    Metadata metadata = byte_level_file();
    metadata["tokenizer.ggml.tokens"] =
        std::vector<std::string>{"a", "[e~[", "<|flush|>", "<|calls|>", "<|end|>", "<end>"};
    metadata["tokenizer.ggml.token_type"] = std::vector<std::int64_t>{1, type, type, type, type, 3};
    metadata["tokenizer.ggml.bos_token_id"] = std::uint64_t{0};
    metadata["tokenizer.ggml.eos_token_id"] = std::uint64_t{5};
    const auto vocabulary = read_vocabulary(ModelFile({}, metadata, {}));
    ASSERT_TRUE(vocabulary) << vocabulary.error().message.text();
    EXPECT_EQ(vocabulary->special.end_of_generation,
              type == 3 || type == 4 ? (std::vector<TokenId>{1, 2, 3, 5}) : (std::vector<TokenId>{4, 5}))
        << "<|end|> stands between the messages of one answer";
  }
}

// As gpt-oss has them: a thought and what follows it are messages of one answer.
TEST(Vocabulary, what_ends_a_message_of_an_answer_of_several_does_not_end_the_answer) {
  for (const bool is_call_there : {true, false}) {
    Metadata metadata = byte_level_file();
    metadata["tokenizer.ggml.tokens"] =
        std::vector<std::string>{"a", "<|end|>", "<|return|>", is_call_there ? "<|call|>" : "<call>", "b"};
    metadata["tokenizer.ggml.token_type"] = std::vector<std::int64_t>{1, 3, 3, 3, 1};
    metadata["tokenizer.ggml.bos_token_id"] = std::uint64_t{0};
    metadata["tokenizer.ggml.eos_token_id"] = std::uint64_t{2};
    const auto vocabulary = read_vocabulary(ModelFile({}, metadata, {}));
    ASSERT_TRUE(vocabulary) << vocabulary.error().message.text();
    EXPECT_EQ(vocabulary->special.end_of_generation,
              is_call_there ? (std::vector<TokenId>{2, 3}) : (std::vector<TokenId>{1, 2}));
    EXPECT_EQ(vocabulary->special.end_of_turn.has_value(), !is_call_there);
  }
}

// What a tokenizer's file is refused with, without the folder.
std::string refusal(const std::function<void(GgufWriter&)>& fill) {
  const test::TempFolder folder;
  GgufWriter writer;
  fill(writer);
  const auto path = folder.path() / "m.gguf";
  EXPECT_TRUE(writer.write(path).ok());
  const auto file = open_model_file(path);
  if (!file) return "cannot be opened: " + file.error().message.text();
  const auto tokenizer = read_tokenizer(*file);
  if (tokenizer) return "no error";
  const std::string& message = tokenizer.error().message.text();
  const std::size_t name = message.find("m.gguf");
  return name == std::string::npos ? message : message.substr(name);
}

constexpr const char* kModelKey = "tokenizer.ggml.model";
constexpr const char* kTokensKey = "tokenizer.ggml.tokens";

void byte_level(GgufWriter& writer) {
  writer.set_string(kModelKey, "gpt2");
  writer.set_strings(kTokensKey, {"a", "b"});
}
void sentence_piece(GgufWriter& writer) {
  writer.set_string(kModelKey, "llama");
  writer.set_strings(kTokensKey, {"a", "b"});
}

TEST(Vocabulary, a_refusal_names_the_file_and_the_key_once_each) {
  EXPECT_EQ(refusal([](GgufWriter&) {}),
            "m.gguf: metadata 'tokenizer.ggml.model': expected the kind of tokenizer, found no such key");
  EXPECT_EQ(refusal([](GgufWriter& file) { file.set_uint(kModelKey, 1); }),
            "m.gguf: metadata 'tokenizer.ggml.model': expected a string, found an unsigned integer");
  EXPECT_EQ(
      refusal([](GgufWriter& file) { file.set_string(kModelKey, "bert"); }),
      "m.gguf: metadata 'tokenizer.ggml.model': expected 'llama' (SentencePiece), 'gpt2' (byte-level BPE) or 'gemma4' "
      "(BPE of characters), found 'bert'");
  EXPECT_EQ(refusal([](GgufWriter& file) { file.set_string(kModelKey, "gpt2"); }),
            "m.gguf: metadata 'tokenizer.ggml.tokens': expected an array of strings, found no such key");
  EXPECT_EQ(
      refusal([](GgufWriter& file) {
        file.set_string(kModelKey, "gpt2");
        file.set_uints(kTokensKey, {1, 2});
      }),
      "m.gguf: metadata 'tokenizer.ggml.tokens': expected an array of strings, found an array of unsigned integers");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              sentence_piece(file);
              file.set_floats("tokenizer.ggml.scores", {1.0F});
            }),
            "m.gguf: metadata 'tokenizer.ggml.scores': expected 2 entries, one per token, found 1");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              sentence_piece(file);
              file.set_string("tokenizer.ggml.scores", "none");
            }),
            "m.gguf: metadata 'tokenizer.ggml.scores': expected an array of numbers, found a string");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              byte_level(file);
              file.set_strings("tokenizer.ggml.token_type", {"normal"});
            }),
            "m.gguf: metadata 'tokenizer.ggml.token_type': expected an array of integers, found an array of strings");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              byte_level(file);
              file.set_strings("tokenizer.ggml.merges", {});
              file.set_uint("tokenizer.ggml.eot_token_id", 2);
            }),
            "m.gguf: metadata 'tokenizer.ggml.eot_token_id': expected a token id below 2, found 2");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              byte_level(file);
              file.set_strings("tokenizer.ggml.merges", {});
              file.set_bool("tokenizer.ggml.add_bos_token", true);
            }),
            "m.gguf: metadata 'tokenizer.ggml.bos_token_id': expected an id, because tokenizer.ggml.add_bos_token is "
            "true, found no such key");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              file.set_string(kModelKey, "gemma4");
              file.set_strings(kTokensKey, {"a", "b"});
            }),
            "m.gguf: metadata 'tokenizer.ggml.merges': expected an array of strings, found no such key");
  EXPECT_EQ(refusal([](GgufWriter& file) {
              file.set_string(kModelKey, "gemma4");
              file.set_strings(kTokensKey, {"a", "b"});
              file.set_strings("tokenizer.ggml.merges", {});
            }),
            "m.gguf: metadata 'tokenizer.ggml.tokens': expected a byte token for each of the 256 bytes, found none for "
            "<0x00>");
  const std::string unknown_pre = refusal([](GgufWriter& file) {
    byte_level(file);
    file.set_strings("tokenizer.ggml.merges", {});
    file.set_string("tokenizer.ggml.pre", "odd\n");
  });
  EXPECT_TRUE(unknown_pre.starts_with("m.gguf: metadata 'tokenizer.ggml.pre': expected one of ")) << unknown_pre;
  EXPECT_TRUE(unknown_pre.ends_with(", found 'odd\\x0a'")) << unknown_pre;
}

TEST(Vocabulary, suppressed_tokens_are_read_in_order_and_once) {
  Metadata metadata = byte_level_file();
  metadata["tokenizer.ggml.suppress_tokens"] = std::vector<std::int64_t>{4, 0, 4};
  const auto tokenizer = read_tokenizer(ModelFile({}, metadata, {}));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
  EXPECT_EQ((*tokenizer)->special().suppressed, (std::vector<TokenId>{0, 4}));
  metadata.erase("tokenizer.ggml.suppress_tokens");
  const auto without = read_tokenizer(ModelFile({}, metadata, {}));
  ASSERT_TRUE(without) << without.error().message.text();
  EXPECT_TRUE((*without)->special().suppressed.empty());
}

TEST(Vocabulary, suppressed_tokens_that_are_no_ids_are_refused) {
  for (const auto& [ids, found] :
       {std::pair{std::vector<std::int32_t>{0, 2}, "2"}, {std::vector<std::int32_t>{-1}, "-1"}}) {
    EXPECT_EQ(
        refusal([&, &ids = ids](GgufWriter& file) {
          byte_level(file);
          file.set_strings("tokenizer.ggml.merges", {});
          file.set_ints("tokenizer.ggml.suppress_tokens", ids);
        }),
        fmt::format("m.gguf: metadata 'tokenizer.ggml.suppress_tokens': expected token ids below 2, found {}", found));
  }
  EXPECT_EQ(refusal([](GgufWriter& file) {
              byte_level(file);
              file.set_strings("tokenizer.ggml.merges", {});
              file.set_string("tokenizer.ggml.suppress_tokens", "none");
            }),
            "m.gguf: metadata 'tokenizer.ggml.suppress_tokens': expected an array of integers, found a string");
}

// A vocabulary that no file stands behind: the message names the key of the field.
TEST(Vocabulary, an_id_beyond_the_tokens_is_named_by_its_key) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.texts = {"a"};
  vocabulary.types = {TokenType::kNormal};
  vocabulary.special.padding = 5;
  const Status status = complete_vocabulary(vocabulary);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message.text(),
            "metadata 'tokenizer.ggml.padding_token_id': expected a token id below 1, found 5");
}

}  // namespace
}  // namespace headroom
