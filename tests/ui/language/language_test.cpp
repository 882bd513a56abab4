#include "ui/language/language.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(Language, of_the_systems_languages_the_first_that_the_window_speaks_counts) {
  const auto chosen = [](const QStringList& system) { return chosenLanguage(LanguageChoice::System, system); };
  EXPECT_EQ(chosen({"de-DE", "de", "en-US"}), Language::German);
  EXPECT_EQ(chosen({"de"}), Language::German);
  EXPECT_EQ(chosen({"de-Latn-AT", "en"}), Language::German);
  EXPECT_EQ(chosen({"en-GB", "de"}), Language::English);
  EXPECT_EQ(chosen({"fr-CH", "fr", "de-CH", "en"}), Language::German) << "French is none of the window's";
  EXPECT_EQ(chosen({"den", "deu"}), Language::English) << "languages whose names begin alike";
  EXPECT_EQ(chosen({"C"}), Language::English);
  EXPECT_EQ(chosen({}), Language::English);
}

TEST(Language, what_the_user_chose_counts_more_than_the_system) {
  EXPECT_EQ(chosenLanguage(LanguageChoice::English, {"de-DE"}), Language::English);
  EXPECT_EQ(chosenLanguage(LanguageChoice::German, {"en-US"}), Language::German);
}

}  // namespace
}  // namespace headroom::ui
