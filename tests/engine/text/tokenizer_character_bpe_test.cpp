#include "text/tokenizer_character_bpe.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "base/heap.h"
#include "engine/text/template_cases.h"
#include "text/space_marks.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

using FileKeys = std::map<std::string, MetaValue, std::less<>>;

const nlohmann::json& character_cases() {
  static const nlohmann::json kFixture = nlohmann::json::parse(testing_support::read_whole_file(
      std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests/engine/text/tokenizer_cases.json"));
  return kFixture.at("character_bpe");
}

std::vector<std::string> case_tokens() { return character_cases().at("tokens"); }

TokenId id_of(std::string_view text) {
  const std::vector<std::string> all = case_tokens();
  const auto found = std::find(all.begin(), all.end(), text);
  EXPECT_NE(found, all.end()) << text;
  return static_cast<TokenId>(found - all.begin());
}

// What a converted file has, as far as its tokenizer goes.
FileKeys file_of(const nlohmann::json& each) {
  return {{"tokenizer.ggml.model", std::string("gemma4")},
          {"tokenizer.ggml.tokens", case_tokens()},
          {"tokenizer.ggml.scores", std::vector<double>(case_tokens().size(), -1000.0)},
          {"tokenizer.ggml.token_type", character_cases().at("types").get<std::vector<std::int64_t>>()},
          {"tokenizer.ggml.merges", each.at("merges").get<std::vector<std::string>>()},
          {"tokenizer.ggml.bos_token_id", std::uint64_t{id_of("<bos>")}},
          {"tokenizer.ggml.eos_token_id", std::uint64_t{id_of("<eos>")}},
          {"tokenizer.ggml.unknown_token_id", std::uint64_t{id_of("<unk>")}},
          {"tokenizer.ggml.padding_token_id", std::uint64_t{id_of("<pad>")}},
          {"tokenizer.ggml.add_space_prefix", false},
          {"tokenizer.ggml.add_bos_token", true}};
}

std::unique_ptr<const Tokenizer> tokenizer_of(const FileKeys& metadata) {
  auto tokenizer = read_tokenizer(ModelFile({}, metadata, {}));
  EXPECT_TRUE(tokenizer) << tokenizer.error().message.text();
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

std::unique_ptr<const Tokenizer> trained_tokenizer() { return tokenizer_of(file_of(character_cases().at("cases")[0])); }

std::string with_spaces(std::string text) {
  for (std::size_t at = text.find(kSpaceMark); at != std::string::npos; at = text.find(kSpaceMark, at))
    text.replace(at, kSpaceMark.size(), " ");
  return text;
}

// The reference's own decoding is held against the texts where the fixture is made.
TEST(CharacterBpeTokenizer, gives_the_ids_of_the_reference_and_the_text_back) {
  const std::vector<std::string> texts = character_cases().at("texts");
  ASSERT_GT(texts.size(), 300U);
  for (const auto& each : character_cases().at("cases")) {
    const auto tokenizer = tokenizer_of(file_of(each));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto ids = tokenizer->encode(texts[i], false, true);
      EXPECT_EQ(ids, each.at("ids")[i].get<std::vector<TokenId>>()) << each.at("name") << ": " << texts[i];
      EXPECT_EQ(tokenizer->decode(ids, true), with_spaces(texts[i]));
      EXPECT_LE(tokenizer->fewest_tokens(texts[i]), ids.size()) << texts[i];
    }
  }
}

// The reference takes no such texts.
TEST(CharacterBpeTokenizer, bytes_that_are_no_text_come_back) {
  constexpr std::string_view kLikely = "abc 12\n\t'.,<|turn>\xE4\xBD\xA0\xF0\x9F\x8E\x89\xC3\xA9\xE2";
  std::mt19937 random(6);
  const auto tokenizer = trained_tokenizer();
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (std::uint32_t left = random() % 60; left > 0; --left)
      bytes += random() % 4 == 0 ? static_cast<char>(random() & 0xFF) : kLikely[random() % kLikely.size()];
    if (bytes.find(kSpaceMark) != std::string::npos) continue;  // comes back as a space
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(bytes, false, round % 2 == 0), true), bytes);
  }
  const auto cut_short = tokenizer->encode("\xF0\x9F\x8E", false, false);
  EXPECT_EQ(cut_short, (std::vector<TokenId>{id_of("<0xF0>"), id_of("<0x9F>"), id_of("<0x8E>")}));
}

TEST(CharacterBpeTokenizer, a_message_gives_user_defined_tokens_and_never_control_ones) {
  const auto tokenizer = trained_tokenizer();
  EXPECT_EQ(tokenizer->encode("<|\"|><|channel>", false, false),
            (std::vector<TokenId>{id_of("<|\"|>"), id_of("<|channel>")}));
  EXPECT_EQ(tokenizer->decode({id_of("<|\"|>"), id_of("<turn|>")}, false), "<|\"|>");
  for (const std::string_view text : {"<turn|>", "<|turn>", "<bos>", "<eos>", "<unk>"}) {
    EXPECT_EQ(tokenizer->encode(text, false, true), (std::vector<TokenId>{id_of(text)}));
    for (const TokenId id : tokenizer->encode(text, false, false)) EXPECT_FALSE(tokenizer->is_control(id)) << text;
  }
}

// Conversions of other vocabularies merge whatever makes a token, control tokens among them.
TEST(CharacterBpeTokenizer, merges_give_no_control_token) {
  FileKeys metadata = file_of(character_cases().at("cases")[0]);
  auto texts = case_tokens();
  auto types = character_cases().at("types").get<std::vector<std::int64_t>>();
  for (const auto& [text, type] : {std::pair{"<z", 1}, {"<z>", 3}, {"<z>z", 1}, {"z", 1}, {"<", 1}, {">", 1}}) {
    texts.emplace_back(text);
    types.push_back(type);
  }
  metadata["tokenizer.ggml.tokens"] = texts;
  metadata["tokenizer.ggml.token_type"] = types;
  metadata["tokenizer.ggml.merges"] = std::vector<std::string>{"< z", "<z >", "<z> z"};
  const auto tokenizer = tokenizer_of(metadata);
  const auto ids = tokenizer->encode("<z>z", false, false);
  EXPECT_EQ(ids.front(), case_tokens().size()) << "'<z' is an ordinary token";
  for (const TokenId id : ids) EXPECT_FALSE(tokenizer->is_control(id));
  EXPECT_EQ(tokenizer->decode(ids, true), "<z>z");
}

TEST(CharacterBpeTokenizer, begins_every_text_with_bos_and_no_space_whatever_a_file_says) {
  FileKeys metadata = file_of(character_cases().at("cases")[0]);
  const auto expected = tokenizer_of(metadata)->encode("plan", true, false);
  EXPECT_EQ(expected.front(), id_of("<bos>"));
  metadata["tokenizer.ggml.add_bos_token"] = false;
  metadata["tokenizer.ggml.add_space_prefix"] = true;
  const auto tokenizer = tokenizer_of(metadata);
  EXPECT_EQ(tokenizer->encode("plan", true, false), expected);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode(" plan", true, false), false), " plan");
  metadata.erase("tokenizer.ggml.bos_token_id");
  EXPECT_EQ(tokenizer_of(metadata)->encode("plan", true, false),
            (std::vector<TokenId>{expected.begin() + 1, expected.end()}));
}

TEST(CharacterBpeTokenizer, its_models_texts_for_the_end_of_a_turn_end_an_answer) {
  FileKeys metadata = file_of(character_cases().at("cases")[0]);
  auto texts = case_tokens();
  auto types = character_cases().at("types").get<std::vector<std::int64_t>>();
  const auto response = static_cast<TokenId>(texts.size());
  texts.insert(texts.end(), {"<|tool_response>", "</s>"});
  types.insert(types.end(), {4, 1});
  metadata["tokenizer.ggml.tokens"] = texts;
  metadata["tokenizer.ggml.token_type"] = types;
  const auto tokenizer = tokenizer_of(metadata);
  EXPECT_EQ(tokenizer->special().end_of_turn, id_of("<turn|>"));
  EXPECT_EQ(tokenizer->special().end_of_generation, (std::vector<TokenId>{id_of("<eos>"), id_of("<turn|>"), response}));
  EXPECT_EQ(tokenizer->encode("<|tool_response>", false, true), (std::vector<TokenId>{response}));
  const auto ids = tokenizer->encode("<|tool_response>", false, false);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), response), 0) << "a message must not hand over to a tool";
}

// No token has a line end beside another character, so the lines of a text have the same tokens alone.
TEST(CharacterBpeTokenizer, a_text_of_many_slices_has_the_tokens_of_its_lines) {
  const auto tokenizer = trained_tokenizer();
  std::string text;
  std::vector<TokenId> expected;
  for (int i = 0; text.size() < 5 * kSliceBytes; ++i) {
    const std::string line = fmt::format("The cache grows with every token, {} naïve cafés  🎉 你好 世界\n", i);
    const auto ids = tokenizer->encode(line, false, false);
    expected.insert(expected.end(), ids.begin(), ids.end());
    text += line;
  }
  EXPECT_EQ(tokenizer->encode(text, false, false), expected);
}

// Quadratic merging of a word of 1 MiB would take hours, and ctest ends a test after minutes.
TEST(CharacterBpeTokenizer, one_giant_word_comes_back_and_can_be_stopped) {
  const auto tokenizer = trained_tokenizer();
  for (const char c : {'e', ' ', '\n', '\xFF'}) {
    const std::string word(1 << 20, c);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(word, false, false), true), word);
  }
  StopSource source;
  source.request_stop();
  TokenSink stopped(100, source.token());
  const std::string word(1 << 20, 'e');
  const TextPiece piece{word, TextOrigin::kMessage};
  tokenizer->encode_to(stopped, {&piece, 1}, false);
  EXPECT_LE(stopped.n_tokens(), kSliceBytes);
}

TEST(CharacterBpeTokenizer, its_longest_token_is_known_before_it_is_built) {
  for (const auto& each : character_cases().at("cases")) {
    const FileKeys metadata = file_of(each);
    EXPECT_EQ(longest_token_bytes(ModelFile({}, metadata, {})), tokenizer_of(metadata)->longest_token_bytes());
  }
}

// As large as it takes for the tables to outweigh what a tokenizer holds beside them.
TEST(CharacterBpeTokenizer, takes_as_much_of_the_heap_as_was_said_before) {
  FileKeys metadata = file_of(character_cases().at("cases")[0]);
  auto texts = case_tokens();
  auto types = character_cases().at("types").get<std::vector<std::int64_t>>();
  auto merges = character_cases().at("cases")[0].at("merges").get<std::vector<std::string>>();
  std::vector<std::string> characters;
  for (char32_t c = 0x4E00; c < 0x4E00 + 8000; ++c) append_code_point(characters.emplace_back(), c);
  texts.insert(texts.end(), characters.begin(), characters.end());
  for (std::size_t i = 0; i < 40000; ++i) {
    const std::string &left = characters[i % 8000], &right = characters[i / 8000];
    texts.push_back(left + right);
    merges.push_back(left + " " + right);
  }
  types.resize(texts.size(), 1);
  metadata["tokenizer.ggml.scores"] = std::vector<double>(texts.size(), -1000.0);
  metadata["tokenizer.ggml.tokens"] = std::move(texts);
  metadata["tokenizer.ggml.token_type"] = std::move(types);
  metadata["tokenizer.ggml.merges"] = std::move(merges);
  const ModelFile file({}, metadata, {});
  const HeapMeter meter;
  const auto tokenizer = read_tokenizer(file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message.text();
  const auto measured = static_cast<double>(meter.taken());
  EXPECT_NEAR(static_cast<double>(estimate_tokenizer_bytes(file)) / measured, 1.0, 0.2) << measured;
}

// The error of a tokenizer that is made without a file, so that no path stands in it.
std::string refusal_of_change(const std::function<void(Vocabulary&)>& change) {
  auto vocabulary = read_vocabulary(ModelFile({}, file_of(character_cases().at("cases")[0]), {}));
  EXPECT_TRUE(vocabulary) << vocabulary.error().message.text();
  change(*vocabulary);
  const auto tokenizer = make_tokenizer(std::move(*vocabulary));
  return tokenizer ? "no error" : tokenizer.error().message.text();
}

TEST(CharacterBpeTokenizer, merges_that_make_no_token_of_tokens_are_refused) {
  const std::vector<std::string> all = case_tokens();
  ASSERT_EQ(std::count(all.begin(), all.end(), "H") + std::count(all.begin(), all.end(), "e"), 2);
  ASSERT_EQ(std::count(all.begin(), all.end(), "eH"), 0);
  for (const std::string merge : {"e H", "e nowhere", "nowhere e", "", " ", "e", "e ", " e", "e  e"}) {
    EXPECT_EQ(
        refusal_of_change([&](Vocabulary& vocabulary) { vocabulary.merges.push_back(merge); }),
        fmt::format("metadata 'tokenizer.ggml.merges': expected two tokens that make a token, found '{}'", merge));
  }
}

TEST(CharacterBpeTokenizer, a_merge_with_a_space_in_a_half_never_happens_and_may_name_no_token) {
  EXPECT_EQ(
      refusal_of_change([](Vocabulary& vocabulary) { vocabulary.merges.insert(vocabulary.merges.begin(), "Ġ e"); }),
      "no error");
}

TEST(CharacterBpeTokenizer, a_byte_without_a_token_is_refused) {
  EXPECT_EQ(refusal_of_change([](Vocabulary& vocabulary) { vocabulary.types[id_of("<0xE3>")] = TokenType::kNormal; }),
            "metadata 'tokenizer.ggml.tokens': expected a byte token for each of the 256 bytes, found none for "
            "<0xE3>");
}

TEST(CharacterBpeTokenizer, cuts_no_words_and_refuses_rules_for_them_by_name) {
  for (const char* name : {"gemma4", "default"})
    EXPECT_EQ(refusal_of_change([&](Vocabulary& vocabulary) { vocabulary.pre = name; }), "no error");
  EXPECT_EQ(refusal_of_change([](Vocabulary& vocabulary) { vocabulary.pre = "qwen2"; }),
            "metadata 'tokenizer.ggml.pre': expected one of gemma4, default, found 'qwen2'");
}

}  // namespace
}  // namespace headroom
