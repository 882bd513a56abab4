#include "text/thinking_splitter.h"

#include <gtest/gtest.h>

#include <random>

namespace headroom {
namespace {

// A piece of an answer: the text of a control token that marks are made of, or other text, which may come in any
// pieces.
struct Part {
  std::string text;
  bool is_mark = false;
};
using Parts = std::vector<Part>;

Part mark(const char* text) { return {text, true}; }
Part text(const std::string& text) { return {text, false}; }

ThinkingMarks tags(const char* open, const char* close, const char* answer_open = "", const char* answer_close = "") {
  ThinkingMarks marks;
  marks.kind = ThinkingMarks::Kind::kTags;
  marks.open = open;
  marks.close = close;
  marks.answer_open = answer_open;
  marks.answer_close = answer_close;
  return marks;
}
const ThinkingMarks kThink = tags("<think>", "</think>");
const ThinkingMarks kGemma = tags("<|channel>thought", "<channel|>");
const ThinkingMarks kMistral = tags("[THINK]", "[/THINK]");
const ThinkingMarks kResponse = tags("<think>", "</think>", "<response>", "</response>");

ThinkingMarks channels() {
  ThinkingMarks marks;
  marks.kind = ThinkingMarks::Kind::kChannels;
  return marks;
}
const ThinkingMarks kChannels = channels();

// "?thought" and "answer" behind each other, neighbours of one kind as one.
class Said {
 public:
  void add(const std::vector<TextSpan>& spans) {
    for (const TextSpan& span : spans) {
      EXPECT_FALSE(span.text.empty());
      if (all_.empty() || all_.back().kind != span.kind) all_.push_back({span.kind, {}});
      all_.back().text += span.text;
    }
  }
  std::string words() const {
    std::string words;
    for (const auto& [kind, text] : all_) words += (kind == TextKind::kThinking ? "?" : "!") + text;
    return words;
  }

 private:
  std::vector<TextSpan> all_;
};

std::string whole(const ThinkingMarks& marks, AnswerStart start, const Parts& parts) {
  ThinkingSplitter splitter(marks, start);
  Said said;
  for (const Part& part : parts) said.add(splitter.push(part.text, part.is_mark));
  said.add(splitter.finish());
  return said.words();
}

std::string in_pieces(const ThinkingMarks& marks, AnswerStart start, const Parts& parts, std::size_t first,
                      std::size_t second) {
  ThinkingSplitter splitter(marks, start);
  Said said;
  std::size_t at = 0;
  for (const Part& part : parts) {
    if (part.is_mark) {
      said.add(splitter.push(part.text, true));
      continue;
    }
    std::string piece;
    for (const char c : part.text) {
      if (at == first || at == second) {
        said.add(splitter.push(piece, false));
        piece.clear();
      }
      piece += c;
      ++at;
    }
    said.add(splitter.push(piece, false));
  }
  said.add(splitter.finish());
  return said.words();
}

struct SplitRow {
  const char* name;
  const ThinkingMarks& marks;
  AnswerStart start;
  Parts parts;
  std::string said;
};

std::vector<SplitRow> rows() {
  using enum AnswerStart;
  const Part channel = mark("<|channel|>"), message = mark("<|message|>"), end = mark("<|end|>"),
             start = mark("<|start|>");
  return {
      {"a thought and an answer", kThink, kNew, {text("<think>\nhm, so\n</think>\n\nYes.")}, "?hm, so!Yes."},
      {"without white space", kThink, kNew, {text("<think>hm</think>Yes")}, "?hm!Yes"},
      {"no thought", kThink, kNew, {text(" Yes, <think> is a tag </think>.")}, "! Yes, <think> is a tag </think>."},
      {"an empty thought", kThink, kNew, {text("<think>\n\n</think>\n\nYes")}, "!Yes"},
      {"opened by the prompt", kThink, kThinking, {text("\nhm\n</think>\n\nYes")}, "?hm!Yes"},
      {"opened twice", kThink, kThinking, {text("<think>\nhm\n</think>\n\nYes")}, "?hm!Yes"},
      {"never closed", kThink, kNew, {text("<think>\nhm, </thin")}, "?hm, </thin"},
      {"stopped behind a blank", kThink, kNew, {text("<think>\nhm\n\n")}, "?hm"},
      {"closed without being opened", kThink, kNew, {text("</think>\n\nYes")}, "!Yes"},
      {"closed twice", kThink, kThinking, {text("hm</think>\n</think>\n\nYes")}, "?hm!Yes"},
      {"quoted in code",
       kThink,
       kNew,
       {text("<think>a</think>\n\n```\n<think>b</think>\n```")},
       "?a!```\n<think>b</think>\n```"},
      {"a tag that is another", kThink, kNew, {text("<thinking>hm</thinking>")}, "!<thinking>hm</thinking>"},
      {"nothing but a beginning", kThink, kNew, {text(" <thi")}, "! <thi"},
      {"blanks alone", kThink, kNew, {text("  \n")}, "!  \n"},
      {"a thought that goes on", kThink, kGoesOnThinking, {text(" more\n</think>\n\nYes")}, "? more!Yes"},
      {"an answer that goes on", kThink, kGoesOnAnswering, {text(" <think>x</think>")}, "! <think>x</think>"},
      {"a text without turns", kThink, kUnmarked, {text("<think>x</think>y")}, "!<think>x</think>y"},
      {"an answer in tags",
       kResponse,
       kNew,
       {text("<think>\nhm\n</think>\n<response>\nYes\n</response>\n")},
       "?hm!Yes"},
      {"an answer in tags without a thought", kResponse, kNew, {text("<response>Yes</response>")}, "!Yes"},
      {"an answer without its tags", kResponse, kNew, {text("<think>a</think>Yes <b> </b>")}, "?a!Yes <b> </b>"},
      {"tags of an answer that is cut", kResponse, kThinking, {text("a</think><response>Yes </resp")}, "?a!Yes </resp"},
      {"Gemma's",
       kGemma,
       kNew,
       {mark("<|channel>"), text("thought\nhm\n"), mark("<channel|>"), text("Yes")},
       "?hm!Yes"},
      {"Gemma's, twice",
       kGemma,
       kNew,
       {mark("<|channel>"), text("thought\na"), mark("<channel|>"), text("One."), mark("<|channel>"),
        text("thought\nb"), mark("<channel|>"), text("Two.")},
       "?a!One.?\n\nb!\n\nTwo."},
      {"Gemma's, quoted",
       kGemma,
       kNew,
       {text("Write <|channel>thought\nx<channel|>.")},
       "!Write <|channel>thought\nx<channel|>."},
      {"Mistral's", kMistral, kNew, {mark("[THINK]"), text("hm"), mark("[/THINK]"), text("Yes")}, "?hm!Yes"},
      {"channels",
       kChannels,
       kNew,
       {channel, text("analysis"), message, text("hm"), end, start, text("assistant"), channel, text("final"), message,
        text("Yes")},
       "?hm!Yes"},
      {"a channel for what is said between, and one for a function",
       kChannels,
       kNew,
       {channel,
        text("analysis"),
        message,
        text("a"),
        end,
        start,
        text("assistant"),
        channel,
        text("commentary"),
        message,
        text("I look."),
        end,
        start,
        text("assistant"),
        channel,
        text("analysis"),
        message,
        text("b"),
        end,
        start,
        text("assistant"),
        channel,
        text("commentary to=functions.f "),
        message,
        text("{}")},
       "?a!I look.?\n\nb\n\n{}"},
      {"a function named in front of the channel",
       kChannels,
       kNew,
       {text(" to=functions.f"), channel, text("commentary"), message, text("{}")},
       "?{}"},
      {"a channel that is quoted",
       kChannels,
       kNew,
       {channel, text("final"), message, text("`<|channel|>analysis<|message|>x`")},
       "!`<|channel|>analysis<|message|>x`"},
      {"stopped in a thought", kChannels, kNew, {channel, text("analysis"), message, text("hm, ")}, "?hm, "},
      {"stopped in a header",
       kChannels,
       kNew,
       {channel, text("analysis"), message, text("hm"), end, start, text("assis")},
       "?hm"},
      {"stopped in the first header", kChannels, kNew, {channel, text("anal")}, ""},
      {"no channels at all", kChannels, kNew, {text("Yes, two\nlines.")}, "!Yes, two\nlines."},
      {"a short answer without channels", kChannels, kNew, {text("Yes")}, "!Yes"},
      {"a long line without channels", kChannels, kNew, {text(std::string(300, 'x'))}, "!" + std::string(300, 'x')},
      {"a thought that goes on in its channel",
       kChannels,
       kGoesOnThinking,
       {text(" more"), end, start, text("assistant"), channel, text("final"), message, text("Yes")},
       "? more!Yes"},
      {"an answer that goes on in its channel", kChannels, kGoesOnAnswering, {text(" more")}, "! more"},
  };
}

TEST(ThinkingSplitter, every_row_is_taken_apart) {
  for (const SplitRow& row : rows()) EXPECT_EQ(whole(row.marks, row.start, row.parts), row.said) << row.name;
}

TEST(ThinkingSplitter, any_cut_into_pieces_gives_the_same) {
  for (const SplitRow& row : rows()) {
    std::size_t n_chars = 0;
    for (const Part& part : row.parts) n_chars += part.is_mark ? 0 : part.text.size();
    for (std::size_t first = 0; first < n_chars; ++first) {
      for (std::size_t second = first; second < n_chars; ++second)
        ASSERT_EQ(in_pieces(row.marks, row.start, row.parts, first, second), row.said)
            << row.name << ", cut at " << first << " and " << second;
    }
    Parts letters;
    for (const Part& part : row.parts) {
      if (part.is_mark) letters.push_back(part);
      for (std::size_t i = 0; i < part.text.size() && !part.is_mark; ++i)
        letters.push_back(text(part.text.substr(i, 1)));
    }
    EXPECT_EQ(whole(row.marks, row.start, letters), row.said) << row.name << ", letter by letter";
  }
}

// Nothing is lost but marks and white space beside them, whatever comes.
TEST(ThinkingSplitter, garbage_is_told_whole_and_the_same_in_any_pieces) {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"<think>", "</think>", "<",          "think",       ">",
                                          "/",       "\n",       " ",          "a",           "[",
                                          "\x80",    "THINK]",   "<response>", "</response>", "<|chan",
                                          "nel|>",   "</",       "final",      "\xff",        "<|channel>thought"};
  const std::vector<std::string> tokens = {"<|start|>", "<|channel|>", "<|message|>", "<|end|>"};
  const auto letters_in = [](const std::string& said) { return std::count(said.begin(), said.end(), 'a'); };
  for (int i = 0; i < 3000; ++i) {
    const bool has_channels = i % 3 == 0;
    const ThinkingMarks& marks = has_channels ? kChannels : i % 3 == 1 ? kThink : kResponse;
    const auto start = static_cast<AnswerStart>(random() % 5);
    Parts parts, letters;
    std::ptrdiff_t n_letters = 0;
    for (int n = static_cast<int>(random() % 20); n > 0; --n) {
      const bool is_token = has_channels && random() % 3 == 0;
      parts.push_back({is_token ? tokens[random() % 4] : words[random() % words.size()], is_token});
      if (is_token) {
        letters.push_back(parts.back());
        continue;
      }
      n_letters += letters_in(parts.back().text);
      for (const char c : parts.back().text) letters.push_back(text(std::string(1, c)));
    }
    const std::string said = whole(marks, start, parts);
    ASSERT_EQ(whole(marks, start, letters), said) << i;
    if (!has_channels) {
      ASSERT_EQ(letters_in(said), n_letters) << i << ": " << said;
    }
  }
}

}  // namespace
}  // namespace headroom
