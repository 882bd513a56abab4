#include "ui/library/model_name.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(ModelNameTest, the_quantization_is_the_last_that_a_name_tells) {
  const std::pair<const char*, const char*> kRows[] = {
      {"Qwen3-4B-Q4_K_M.gguf", "Q4_K_M"},
      {"a/b/model.q8_0.gguf", "Q8_0"},
      {"model-UD-IQ2_XXS-00001-of-00002.gguf", "UD-IQ2_XXS"},
      {"gpt-oss-20b-mxfp4.gguf", "MXFP4"},
      {"x-MXFP4_MOE.gguf", "MXFP4_MOE"},
      {"x-NVFP4.gguf", "NVFP4"},
      {"x_F16.gguf", "F16"},
      {"x-fp16.gguf", "FP16"},
      {"F16-to-Q4_0.gguf", "Q4_0"},
      {"Q4_0/model.gguf", ""},
      {"plain.gguf", ""},
      {"x-IQ3_XXS.gguf", "IQ3_XXS"},
      {"x-bf16.gguf", "BF16"},
      {"x-f16-00001-of-00002.gguf", "F16"},
      {"x-7b.gguf", ""},
      {"notQ4_0.gguf", ""},
  };
  for (const auto& [name, expected] : kRows) EXPECT_EQ(quantizationInName(name), expected) << name;
}

TEST(ModelNameTest, a_checksum_has_64_small_digits_and_nothing_else) {
  EXPECT_TRUE(isSha256(QString(32, 'a') + QString(32, '9')));
  for (const QString& other : {QString(), QString(63, 'a'), QString(65, 'a'), QString(64, 'A'), QString(64, 'g'),
                               QString(64, 'a') + '\n', QStringLiteral("../") + QString(61, 'a')})
    EXPECT_FALSE(isSha256(other)) << other.toStdString();
}

}  // namespace
}  // namespace headroom::ui
