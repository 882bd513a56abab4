#include "ui/library/models_to_start.h"

#include <gtest/gtest.h>

#include <QFile>

#include "ui/language/text_language.h"
#include "ui/library/hub_reference.h"

namespace headroom::ui {
namespace {

TEST(ModelsToStart, the_list_that_comes_with_the_program_can_be_read) {
  QFile file(QStringLiteral(HEADROOM_SOURCE_DIR "/resources/models_to_start.json"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const auto models = parseModelsToStart(file.readAll());
  ASSERT_TRUE(models.ok()) << models.error().message.text();
  EXPECT_GE(models->size(), 6U);
  EXPECT_LT(models->front().n_bytes, Bytes{1} << 30);
  EXPECT_GT(models->back().n_bytes, Bytes{10} << 30);
  for (const ModelToStart& model : *models) EXPECT_TRUE(lookFor(model).endsWith(QLatin1String(":Q4_K_M")));
  for (const ModelToStart& model : *models)
    EXPECT_EQ(model.words.keys(), QStringList({"de", "en"})) << model.name.toStdString();
  const QString english = wordsOf(models->front());
  EXPECT_TRUE(english.startsWith(QLatin1String("Tiny:")));
  const TextLanguage german(Language::German);
  EXPECT_TRUE(wordsOf(models->front()).startsWith(QLatin1String("Winzig:")));
}

TEST(ModelsToStart, words_in_another_language_are_not_needed) {
  const auto models = parseModelsToStart(
      R"({"models":[{"name":"x","repository":"a/y","file":"z.gguf","bytes":1,"words":{"en":"w"}}]})");
  ASSERT_TRUE(models.ok()) << models.error().message;
  const TextLanguage german(Language::German);
  EXPECT_EQ(wordsOf(models->front()), "w");
}

TEST(ModelsToStart, a_damaged_list_is_refused) {
  for (const char* json :
       {"", "{}", R"({"models":[]})", R"({"models":[{"name":"x"}]})",
        R"({"models":[{"name":"x","repository":"y","file":"z.gguf","bytes":1,"words":"w"}]})",
        R"({"models":[{"name":"x","repository":"y","file":"z.gguf","bytes":1,"words":{"de":"w"}}]})"})
    EXPECT_FALSE(parseModelsToStart(json).ok()) << json;
}

}  // namespace
}  // namespace headroom::ui
