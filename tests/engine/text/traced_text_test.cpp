#include "text/traced_text.h"

#include <gtest/gtest.h>

#include <random>

namespace headroom {
namespace {

constexpr TextOrigin kTemplate = TextOrigin::kTemplate, kMessage = TextOrigin::kMessage;

// "ab[cd]e": what is in brackets came from a message.
std::string shown(const TracedText& text) {
  std::string all;
  for (const TextPiece& piece : text.pieces())
    all += piece.origin == kMessage ? "[" + std::string(piece.text) + "]" : std::string(piece.text);
  return all;
}

TracedText sample() {
  TracedText text = TracedText::of_template("ab");
  text.append("cd", kMessage);
  text.append("e", kTemplate);
  text.append("f", kMessage);
  return text;
}

TEST(TracedText, appended_texts_keep_their_origins_and_neighbours_join) {
  EXPECT_EQ(shown(sample()), "ab[cd]e[f]");
  TracedText text = sample();
  text.append("g", kMessage);
  text.append("", kMessage);
  text.append(TracedText::of_message("h"));
  EXPECT_EQ(shown(text), "ab[cd]e[fgh]");
  EXPECT_EQ(text.bytes(), "abcdefgh");
  EXPECT_EQ(shown({}), "");
  EXPECT_TRUE(TracedText::of_message("").pieces().empty());
  EXPECT_FALSE(TracedText::of_message("").has_message());
}

TEST(TracedText, every_part_has_the_origins_of_its_bytes) {
  const TracedText text = sample();
  const std::string_view bytes = text.bytes();
  for (std::size_t from = 0; from <= bytes.size(); ++from) {
    for (std::size_t n_bytes = 0; from + n_bytes <= bytes.size(); ++n_bytes) {
      const TracedText part = text.part(bytes.substr(from, n_bytes));
      ASSERT_EQ(part.bytes(), bytes.substr(from, n_bytes));
      for (std::size_t i = 0; i < n_bytes; ++i) EXPECT_EQ(part.origin_at(i), text.origin_at(from + i));
    }
  }
}

TEST(TracedText, a_truncated_text_is_its_beginning_and_grows_as_before) {
  for (std::size_t n_bytes = 0; n_bytes <= 7; ++n_bytes) {
    TracedText text = sample();
    text.truncate(n_bytes);
    const TracedText whole = sample();
    EXPECT_EQ(shown(text), shown(whole.part(std::string_view(whole.bytes()).substr(0, n_bytes))));
    text.append("x", kTemplate);
    EXPECT_EQ(text.origin_at(text.bytes().size() - 1), kTemplate);
  }
}

TEST(TracedText, random_operations_agree_with_one_mark_per_byte) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    TracedText text;
    std::string bytes, marks;
    for (int step = 0; step < 20; ++step) {
      const std::string more(random() % 4, static_cast<char>('a' + random() % 26));
      if (random() % 3 != 0 || bytes.empty()) {
        const bool is_message = random() % 2 == 0;
        text.append(more, is_message ? kMessage : kTemplate);
        bytes += more;
        marks += std::string(more.size(), is_message ? 'm' : 't');
      } else if (random() % 4 == 0) {
        const std::size_t n_bytes = random() % (bytes.size() + 1);
        text.truncate(n_bytes);
        bytes.resize(n_bytes);
        marks.resize(n_bytes);
      } else {
        const std::size_t from = random() % bytes.size(), n_bytes = random() % (bytes.size() - from + 1);
        const TracedText copy = text;
        text.append_part(copy, std::string_view(copy.bytes()).substr(from, n_bytes));
        bytes += bytes.substr(from, n_bytes);
        marks += marks.substr(from, n_bytes);
      }
    }
    ASSERT_EQ(text.bytes(), bytes);
    std::string found, joined;
    for (const TextPiece& piece : text.pieces()) {
      EXPECT_FALSE(piece.text.empty());
      found += std::string(piece.text.size(), piece.origin == kMessage ? 'm' : 't');
      joined += piece.text;
    }
    EXPECT_EQ(joined, bytes);
    EXPECT_EQ(found, marks);
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(text.origin_at(i), marks[i] == 'm' ? kMessage : kTemplate);
  }
}

}  // namespace
}  // namespace headroom
