#include "ui/chat/conversation_titles.h"

#include <gtest/gtest.h>

#include "ui/chat/conversation.h"

namespace headroom::ui {
namespace {

QString ofMessage(const QString& text, const QStringList& files = {}) {
  Turn turn;
  turn.text = text;
  for (const QString& name : files) turn.attachments.append({name, "content"});
  return titleFromMessage(turn);
}

TEST(ConversationTitles, a_message_gives_its_first_words_or_the_name_of_its_first_file) {
  EXPECT_EQ(ofMessage(" What is\n a cache? "), "What is a cache?");
  EXPECT_EQ(ofMessage("Why is the sky blue and not violet, if violet is scattered more?"),
            "Why is the sky blue and not violet, if violet is…");
  EXPECT_EQ(ofMessage(QString(60, 'x')), QString(48, 'x') + "…") << "no space is near";
  EXPECT_EQ(ofMessage("  ", {"notes.txt", "more.txt"}), "notes.txt");
  EXPECT_EQ(ofMessage("read", {"notes.txt"}), "read");
}

TEST(ConversationTitles, a_character_of_two_units_is_not_cut_in_half) {
  const QString cat = QString::fromUtf8("\xF0\x9F\x90\x88");
  EXPECT_EQ(ofMessage(QString(47, 'x') + cat + "y"), QString(47, 'x') + "…");
}

TEST(ConversationTitles, what_a_model_writes_around_a_title_is_left_out) {
  EXPECT_EQ(titleFromModel("Memory of caches"), "Memory of caches");
  EXPECT_EQ(titleFromModel("\n\"Memory of caches.\"\nBecause you asked"), "Memory of caches");
  EXPECT_EQ(titleFromModel("**Title: Memory of caches**"), "Memory of caches");
  EXPECT_EQ(titleFromModel("Titel : „Speicher“"), "Speicher");
  EXPECT_EQ(titleFromModel("# C++ and C#"), "C++ and C#") << "what is within stays";
  EXPECT_EQ(titleFromModel("Titles of books"), "Titles of books");
  EXPECT_EQ(titleFromModel("Is it so?"), "Is it so?");
  EXPECT_EQ(titleFromModel(QString(64, 'x')), QString(64, 'x'));
  EXPECT_EQ(titleFromModel(QString(65, 'x')), "") << "a model that goes on talking has not named anything";
  for (const char* nothing : {"", " \n ", "\"\"", "**", "Title:", "..."}) EXPECT_EQ(titleFromModel(nothing), "");
}

}  // namespace
}  // namespace headroom::ui
