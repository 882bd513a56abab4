#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/text/template_cases.h"
#include "text/pre_tokenizer.h"
#include "text/vocabulary.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {
namespace {

const nlohmann::json& fixture() {
  static const nlohmann::json kFixture = nlohmann::json::parse(testing_support::read_whole_file(
      std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests/engine/text/tokenizer_cases.json"));
  return kFixture;
}

std::unique_ptr<const Tokenizer> make(Vocabulary vocabulary) {
  const Status status = complete_vocabulary(vocabulary);
  EXPECT_TRUE(status) << status.error().message.text();
  auto tokenizer = make_tokenizer(std::move(vocabulary));
  EXPECT_TRUE(tokenizer) << tokenizer.error().message.text();
  return std::move(*tokenizer);
}

// The fixture's byte-level vocabulary with tokens of other kinds behind it.
Vocabulary byte_level_vocabulary(std::string_view pre,
                                 const std::vector<std::pair<std::string, TokenType>>& added = {}) {
  const auto& json = fixture().at("byte_level");
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.pre = pre;
  vocabulary.texts = json.at("tokens");
  vocabulary.merges = json.at("merges");
  vocabulary.types.assign(vocabulary.texts.size(), TokenType::kNormal);
  for (const auto& [text, type] : added) {
    vocabulary.texts.push_back(text);
    vocabulary.types.push_back(type);
  }
  return vocabulary;
}

Vocabulary spm_vocabulary(const nlohmann::json& json) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.texts = json.at("tokens");
  vocabulary.scores = json.at("scores").get<std::vector<float>>();
  for (const int type : json.at("types")) vocabulary.types.push_back(static_cast<TokenType>(type));
  vocabulary.special.unknown = 0;
  vocabulary.special.bos = 1;
  vocabulary.special.eos = 2;
  vocabulary.special.add_bos = true;
  vocabulary.special.add_space_prefix = json.at("add_space_prefix");
  return vocabulary;
}

TEST(BpeTokenizer, gives_the_ids_of_the_reference_under_every_pre_tokenizer) {
  const auto& json = fixture().at("byte_level");
  for (const auto& each : json.at("cases")) {
    const auto tokenizer = make(byte_level_vocabulary(each.at("pre").get<std::string>()));
    const auto& ids = each.at("ids");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::string text = json.at("texts")[i];
      EXPECT_EQ(tokenizer->encode(text, false, false), ids[i].get<std::vector<TokenId>>())
          << each.at("pre") << ": " << json.at("texts")[i];
    }
  }
}

TEST(SpmTokenizer, gives_the_ids_of_the_reference_with_and_without_space_prefix) {
  for (const auto& each : fixture().at("score_driven")) {
    const auto tokenizer = make(spm_vocabulary(each));
    for (std::size_t i = 0; i < each.at("texts").size(); ++i) {
      const std::string text = each.at("texts")[i];
      const auto ids = tokenizer->encode(text, false, false);
      EXPECT_EQ(ids, each.at("ids")[i].get<std::vector<TokenId>>()) << each.at("texts")[i];
      EXPECT_EQ(tokenizer->decode(ids, false), text);
    }
  }
}

std::string random_bytes(std::mt19937& random, std::size_t n_bytes) {
  static constexpr std::string_view kLikely = "abc 12\n\t'.,<|end|>\xE4\xBD\xA0\xF0\x9F\x8E\x89\xC3\xA9";
  std::string bytes;
  for (std::size_t i = 0; i < n_bytes; ++i)
    bytes += random() % 4 == 0 ? static_cast<char>(random() & 0xFF) : kLikely[random() % kLikely.size()];
  return bytes;
}

TEST(BpeTokenizer, any_bytes_come_back_under_every_pre_tokenizer) {
  std::mt19937 random(1);
  for (const PreTokenizerRow& row : pre_tokenizer_rows()) {
    const auto tokenizer = make(byte_level_vocabulary(row.names.front()));
    for (int round = 0; round < 50; ++round) {
      const std::string bytes = random_bytes(random, random() % 60);
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(bytes, false, round % 2 == 0), true), bytes) << row.names.front();
    }
  }
}

TEST(SpmTokenizer, any_bytes_come_back) {
  std::mt19937 random(2);
  for (const auto& each : fixture().at("score_driven")) {
    const auto tokenizer = make(spm_vocabulary(each));
    for (int round = 0; round < 300; ++round) {
      std::string bytes = random_bytes(random, random() % 60);
      if (bytes.find("<tag>") != std::string::npos)
        continue;  // a prefix follows it, which decoding cannot tell from the text's own space
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(bytes, false, false), true), bytes);
    }
  }
}

TEST(BpeTokenizer, pre_tokenizers_cut_without_losing_a_byte) {
  std::mt19937 random(3);
  for (const PreTokenizerRow& row : pre_tokenizer_rows()) {
    const auto pre_tokenizer = PreTokenizer::create(row);
    ASSERT_TRUE(pre_tokenizer) << pre_tokenizer.error().message.text();
    for (int round = 0; round < 50; ++round) {
      const std::string bytes = random_bytes(random, random() % 200);
      std::string joined;
      std::size_t n_words = 0;
      pre_tokenizer->split(bytes, [&](std::string_view word) {
        EXPECT_FALSE(word.empty());
        joined += word;
        ++n_words;
        return true;
      });
      EXPECT_EQ(joined, bytes) << row.names.front();
      std::size_t n_taken = 0;
      pre_tokenizer->split(bytes, [&](std::string_view) { return ++n_taken < 3; });
      EXPECT_EQ(n_taken, std::min<std::size_t>(n_words, 3));
    }
  }
}

TEST(Tokenizer, control_tokens_count_only_when_asked_for_and_user_defined_ones_always) {
  Vocabulary vocabulary = byte_level_vocabulary("gpt-2", {{"<|im_start|>", TokenType::kControl},
                                                          {"<|im_end|>", TokenType::kControl},
                                                          {"<think>", TokenType::kUserDefined},
                                                          {"<think>ing", TokenType::kUserDefined}});
  const TokenId first = vocabulary.n_vocab() - 4;
  const auto tokenizer = make(std::move(vocabulary));
  const auto parsed = tokenizer->encode("<|im_start|>a<|im_end|>", false, true);
  ASSERT_EQ(parsed.size(), 3U);
  EXPECT_EQ(parsed.front(), first);
  EXPECT_EQ(parsed.back(), first + 1);
  const auto plain = tokenizer->encode("<|im_start|>a", false, false);
  EXPECT_EQ(std::count(plain.begin(), plain.end(), first), 0);
  EXPECT_EQ(tokenizer->decode(plain, false), "<|im_start|>a");
  EXPECT_EQ(tokenizer->encode("<think><think>ing", false, false), (std::vector<TokenId>{first + 2, first + 3}));
  EXPECT_EQ(tokenizer->decode(parsed, false), "a");
  EXPECT_EQ(tokenizer->decode(parsed, true), "<|im_start|>a<|im_end|>");
  EXPECT_TRUE(tokenizer->is_control(first));
  EXPECT_FALSE(tokenizer->is_control(first + 2));
}

// As llama.cpp's table has them.
TEST(Tokenizer, models_of_one_pattern_have_one_row) {
  const std::pair<const char*, std::vector<const char*>> kRows[] = {
      {"llama3", {"midm-2.0"}},
      {"gpt-2", {"a.x-4.0", "mellum", "gigachat"}},
      {"qwen2", {"kormo", "f2llmv2", "solar-open"}},
      {"starcoder", {"mellum2"}},
      {"gpt-4o", {"kanana2"}},
  };
  for (const auto& [first, others] : kRows) {
    const PreTokenizerRow* const row = find_pre_tokenizer_row(first);
    ASSERT_NE(row, nullptr) << first;
    for (const char* const name : others) EXPECT_EQ(find_pre_tokenizer_row(name), row) << name;
  }
  EXPECT_TRUE(find_pre_tokenizer_row("midm-2.0")->adds_bos);
  EXPECT_EQ(find_pre_tokenizer_row("no-such-model"), nullptr);
}

TEST(Tokenizer, well_known_ends_of_a_turn_end_generation_whatever_their_type_which_stays) {
  for (const TokenType type : {TokenType::kControl, TokenType::kUserDefined, TokenType::kNormal}) {
    Vocabulary vocabulary =
        byte_level_vocabulary("qwen2", {{"<|im_end|>", type}, {"<|endoftext|>", TokenType::kControl}});
    const TokenId end = vocabulary.n_vocab() - 2;
    const auto tokenizer = make(std::move(vocabulary));
    EXPECT_EQ(tokenizer->special().end_of_turn, end);
    EXPECT_EQ(tokenizer->special().end_of_generation, (std::vector<TokenId>{end, end + 1}));
    EXPECT_TRUE(tokenizer->ends_generation(end));
    EXPECT_EQ(tokenizer->is_control(end), type == TokenType::kControl);
    EXPECT_FALSE(tokenizer->ends_generation(0));
    const auto ids = tokenizer->encode("a<|im_end|>", false, false);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), end), 0) << static_cast<int>(type);  // a message ends no turn
  }
}

// Qwen2 has "</s>" from HTML, and "<s>" beside it.
TEST(Tokenizer, an_ordinary_token_that_looks_like_an_end_is_an_ordinary_token) {
  Vocabulary vocabulary = byte_level_vocabulary("qwen2", {{"</", TokenType::kNormal},
                                                          {"</s", TokenType::kNormal},
                                                          {"</s>", TokenType::kNormal},
                                                          {"<|im_end|>", TokenType::kControl}});
  const TokenId end = vocabulary.n_vocab() - 2;
  for (const char* merge : {"< /", "</ s", "</s >"}) vocabulary.merges.emplace_back(merge);
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_FALSE(tokenizer->is_control(end));
  EXPECT_FALSE(tokenizer->ends_generation(end));
  EXPECT_EQ(tokenizer->special().end_of_generation, (std::vector<TokenId>{end + 1}));
  EXPECT_EQ(tokenizer->token_bytes(end, false), "</s>");
  for (const bool parse_special : {false, true}) {  // one pre-token "</", then "s", then ">": no whole token
    const auto ids = tokenizer->encode("x</s>y", false, parse_special);
    EXPECT_EQ(tokenizer->decode(ids, false), "x</s>y");
  }
}

// Neither by what a file names as its end, if the file says that it is ordinary.
TEST(Tokenizer, an_ordinary_token_that_a_key_names_as_the_end_ends_an_answer_and_stays_ordinary) {
  Vocabulary vocabulary = byte_level_vocabulary("qwen2", {{"</s>", TokenType::kNormal}});
  const TokenId end = vocabulary.n_vocab() - 1;
  vocabulary.special.eos = end;
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_TRUE(tokenizer->ends_generation(end));
  EXPECT_FALSE(tokenizer->is_control(end));
}

TEST(Tokenizer, adds_begin_and_end_of_sequence_as_the_vocabulary_says) {
  Vocabulary vocabulary = spm_vocabulary(fixture().at("score_driven")[0]);
  vocabulary.special.add_eos = true;
  const auto tokenizer = make(std::move(vocabulary));
  const auto ids = tokenizer->encode("a", true, false);
  EXPECT_EQ(ids.front(), 1U);
  EXPECT_EQ(ids.back(), 2U);
  EXPECT_EQ(tokenizer->encode("", true, false), (std::vector<TokenId>{1, 2}));
  EXPECT_TRUE(tokenizer->encode("", false, false).empty());
}

TEST(Tokenizer, white_space_after_a_token_that_swallows_it_is_no_token) {
  Vocabulary vocabulary = spm_vocabulary(fixture().at("score_driven")[0]);
  const auto end = static_cast<TokenId>(std::find(vocabulary.texts.begin(), vocabulary.texts.end(), "<|end|>") -
                                        vocabulary.texts.begin());
  vocabulary.swallow_space_after = {end};
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_EQ(tokenizer->encode("<|end|> \n\tthe", false, true), tokenizer->encode("<|end|>the", false, true));
}

std::vector<TokenId> encode_all(const Tokenizer& tokenizer, const std::vector<TextPiece>& pieces) {
  return tokenizer.encode_pieces(pieces, false);
}

TEST(Tokenizer, a_control_token_counts_only_wholly_inside_the_text_of_the_template) {
  Vocabulary vocabulary =
      byte_level_vocabulary("qwen2", {{"<|im_start|>", TokenType::kControl}, {"<|im_end|>", TokenType::kControl}});
  const TokenId start = vocabulary.n_vocab() - 2, end = start + 1;
  const auto tokenizer = make(std::move(vocabulary));
  const auto of_template = [](std::string_view text) { return TextPiece{text, TextOrigin::kTemplate}; };
  const auto of_message = [](std::string_view text) { return TextPiece{text, TextOrigin::kMessage}; };
  const auto plain_end = tokenizer->encode("<|im_end|>", false, false);
  EXPECT_EQ(std::count(plain_end.begin(), plain_end.end(), end), 0);
  EXPECT_EQ(encode_all(*tokenizer, {of_template("<|im_end|>")}), (std::vector<TokenId>{end}));
  EXPECT_EQ(encode_all(*tokenizer, {of_template("<|im_"), of_template("end|>")}), (std::vector<TokenId>{end}));
  EXPECT_EQ(encode_all(*tokenizer, {of_message("<|im_end|>")}), plain_end);
  EXPECT_EQ(encode_all(*tokenizer, {of_message("<|im_"), of_message("end|>")}), plain_end);
  EXPECT_EQ(encode_all(*tokenizer, {of_template("<|im_"), of_message("end|>")}), plain_end);
  EXPECT_EQ(encode_all(*tokenizer, {of_message("<|im_"), of_template("end|>")}), plain_end);
  EXPECT_EQ(encode_all(*tokenizer, {of_template("<|im_"), of_message("e"), of_template("nd|>")}), plain_end);
  EXPECT_EQ(encode_all(*tokenizer, {of_template("<|im_start|>"), of_message("<|im_end|>"), of_template("<|im_end|>")}),
            [&] {
              std::vector<TokenId> ids = {start};
              ids.insert(ids.end(), plain_end.begin(), plain_end.end());
              ids.push_back(end);
              return ids;
            }());
  EXPECT_TRUE(encode_all(*tokenizer, {}).empty());
  EXPECT_TRUE(encode_all(*tokenizer, {of_message(""), of_template("")}).empty());
}

// A longer token of which the message has the end must not hide the shorter one that the template wrote.
TEST(Tokenizer, the_longest_control_token_that_the_template_wrote_wins) {
  Vocabulary vocabulary =
      byte_level_vocabulary("qwen2", {{"<end>", TokenType::kControl}, {"<end>x", TokenType::kControl}});
  const TokenId shorter = vocabulary.n_vocab() - 2, longer = shorter + 1;
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_EQ(encode_all(*tokenizer, {{"<end>x", TextOrigin::kTemplate}}), (std::vector<TokenId>{longer}));
  const auto ids = encode_all(*tokenizer, {{"<end>", TextOrigin::kTemplate}, {"x", TextOrigin::kMessage}});
  EXPECT_EQ(ids.front(), shorter);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), longer), 0);
}

// Where pieces meet is no border for merges, for the space before the first word, or for user-defined tokens.
TEST(Tokenizer, ordinary_text_has_the_same_ids_however_it_is_cut_into_pieces) {
  std::mt19937 random(5);
  std::vector<std::unique_ptr<const Tokenizer>> tokenizers;
  for (const PreTokenizerRow& row : pre_tokenizer_rows())
    tokenizers.push_back(make(byte_level_vocabulary(row.names.front(), {{"<think>", TokenType::kUserDefined}})));
  for (const auto& each : fixture().at("score_driven")) tokenizers.push_back(make(spm_vocabulary(each)));
  for (const auto& tokenizer : tokenizers) {
    for (int round = 0; round < 60; ++round) {
      const std::string text = "The plan <think> knows  " + random_bytes(random, random() % 40) + "<think>memory";
      std::vector<TextPiece> pieces;
      for (std::size_t from = 0; from < text.size();) {
        const std::size_t n_bytes = std::min<std::size_t>(1 + random() % 12, text.size() - from);
        pieces.push_back({std::string_view(text).substr(from, n_bytes),
                          random() % 2 == 0 ? TextOrigin::kTemplate : TextOrigin::kMessage});
        from += n_bytes;
      }
      if (text.find("<|end|>") != std::string::npos) continue;  // a control token of one of the vocabularies
      EXPECT_EQ(encode_all(*tokenizer, pieces), tokenizer->encode(text, false, true)) << text;
    }
  }
}

TEST(Tokenizer, contradictory_vocabularies_are_refused_by_the_name_of_the_key) {
  const auto refused = [](auto change, std::string_view key) {
    Vocabulary vocabulary = spm_vocabulary(fixture().at("score_driven")[0]);
    change(vocabulary);
    const Status status = complete_vocabulary(vocabulary);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
    EXPECT_NE(status.error().message.text().find(key), std::string::npos) << status.error().message.text();
  };
  refused([](Vocabulary& v) { v.texts.clear(); }, "tokenizer.ggml.tokens");
  refused([](Vocabulary& v) { v.scores.pop_back(); }, "tokenizer.ggml.scores");
  refused([](Vocabulary& v) { v.scores[3] = std::nanf(""); }, "tokenizer.ggml.scores");
  refused([](Vocabulary& v) { v.types.pop_back(); }, "tokenizer.ggml.token_type");
  refused([](Vocabulary& v) { v.special.eos = 1U << 30; }, "tokenizer.ggml.eos_token_id");
  refused([](Vocabulary& v) { v.special.bos.reset(); }, "tokenizer.ggml.bos_token_id");
}

TEST(Tokenizer, an_unknown_pre_tokenizer_is_refused_by_name) {
  Vocabulary vocabulary = byte_level_vocabulary("somebody-elses");
  ASSERT_TRUE(complete_vocabulary(vocabulary));
  const auto tokenizer = make_tokenizer(std::move(vocabulary));
  ASSERT_FALSE(tokenizer);
  EXPECT_EQ(tokenizer.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(tokenizer.error().message.text().find("'somebody-elses'"), std::string::npos);
}

// Quadratic merging of a word of 1 MiB would take hours, and ctest ends a test after minutes.
TEST(Tokenizer, one_giant_word_is_encoded_and_decoded) {
  const std::string word(1 << 20, 'e'), spaces = std::string(1 << 20, ' ') + "x";
  for (const std::string_view pre : {"llama-bpe", "deepseek-llm", "falcon"}) {
    const auto tokenizer = make(byte_level_vocabulary(pre));
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(word, false, false), true), word);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(spaces, false, false), true), spaces);
  }
  const auto spm = make(spm_vocabulary(fixture().at("score_driven")[0]));
  EXPECT_EQ(spm->decode(spm->encode(word, false, false), true), word);
}

}  // namespace
}  // namespace headroom
