#include "ui/library/models_to_start.h"

#include <gtest/gtest.h>

#include <QFile>

#include "ui/library/hub_reference.h"

namespace headroom::ui {
namespace {

TEST(ModelsToStart, the_list_that_comes_with_the_program_can_be_read) {
  QFile file(QStringLiteral(HEADROOM_SOURCE_DIR "/resources/models_to_start.json"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const auto models = parseModelsToStart(file.readAll());
  ASSERT_TRUE(models.ok()) << models.error().message;
  EXPECT_GE(models->size(), 6U);
  EXPECT_LT(models->front().n_bytes, Bytes{1} << 30);
  EXPECT_GT(models->back().n_bytes, Bytes{10} << 30);
  for (const ModelToStart& model : *models) EXPECT_TRUE(lookFor(model).endsWith(QLatin1String(":Q4_K_M")));
}

TEST(ModelsToStart, a_damaged_list_is_refused) {
  for (const char* json : {"", "{}", R"({"models":[]})", R"({"models":[{"name":"x"}]})",
                           R"({"models":[{"name":"x","repository":"y","file":"z.gguf","bytes":1,"words":"w"}]})"})
    EXPECT_FALSE(parseModelsToStart(json).ok()) << json;
}

}  // namespace
}  // namespace headroom::ui
