#include "ui/calculator/model_card.h"

#include <gtest/gtest.h>

#include <QLabel>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

QStringList textsOf(const ModelCard& card) {
  QStringList texts;
  for (const QLabel* label : card.findChildren<QLabel*>()) {
    if (!label->isHidden()) texts.append(label->text());
  }
  return texts;
}

TEST(ModelCardTest, it_tells_name_shape_and_weight_types) {
  ModelCard card;
  card.setModel(test::make_model(test::kLlama3_8B), "/models/x.gguf", false);
  const QString all = textsOf(card).join('\n');
  for (const char* fact : {"llama", "8.03 B parameters", "32 layers", "context 8k", "Weights: ", "Q4_K"})
    EXPECT_TRUE(all.contains(fact)) << fact << " in " << all.toStdString();
  EXPECT_FALSE(all.contains("built-in guide"));
  EXPECT_EQ(card.toolTip(), "/models/x.gguf");
  EXPECT_TRUE(card.accessibleName().startsWith("Model "));
}

TEST(ModelCardTest, the_starter_says_what_it_is) {
  ModelCard card;
  card.setModel(test::make_model(test::kTinyLlama), "/starter.gguf", true);
  EXPECT_TRUE(textsOf(card).last().startsWith("The built-in guide"));
}

TEST(ModelCardTest, names_of_the_file_are_text_and_wrap) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  model.name = "<b>bold</b> " + std::string(400, 'x') + " end";
  model.n_ctx_trained = 0;
  ModelCard card;
  card.setModel(model, "/x.gguf", false);
  EXPECT_TRUE(textsOf(card).join('\n').contains("context not stated"));
  for (const QLabel* label : card.findChildren<QLabel*>()) {
    EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().left(20).toStdString();
    EXPECT_TRUE(label->wordWrap()) << label->text().left(20).toStdString();
  }
}

}  // namespace
}  // namespace headroom::ui
