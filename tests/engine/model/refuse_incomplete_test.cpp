// Files of which a part stands elsewhere are told from damaged ones.
#include "model/refuse_incomplete.h"

#include <gtest/gtest.h>

#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;

// As llama.cpp's converter writes it: embedding, norm and head come with it.
TEST(RefuseIncomplete, layers_that_predict_further_tokens_are_no_model) {
  for (const char* architecture : {"qwen35", "glm4moe", "exaone4", "llama"}) {
    GgufWriter writer;
    const std::string prefix = architecture;
    writer.set_string("general.architecture", prefix);
    writer.set_uint(prefix + ".block_count", 47);
    writer.set_uint(prefix + ".nextn_predict_layers", 1);
    for (const char* tensor : {"token_embd.weight", "output_norm.weight", "blk.46.nextn.eh_proj.weight"})
      writer.add_hole(tensor, 0, {64}, 256);
    const auto model = test::read_written(writer);
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(test::refusal(model),
              "m.gguf: holds the layers of multi-token prediction alone, not the model itself: open the main file");
  }
}

TEST(RefuseIncomplete, a_model_without_its_first_layer_is_damaged_where_nothing_predicts) {
  GgufWriter writer;
  writer.set_string("general.architecture", "qwen35");
  writer.set_uint("qwen35.block_count", 2);
  for (const char* tensor : {"token_embd.weight", "output_norm.weight", "blk.1.attn_norm.weight"})
    writer.add_hole(tensor, 0, {64}, 256);
  const auto model = test::read_written(writer);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::kBadFile);
}

// Ollama's files of Gemma 3 from 4B on have tensors for images, and not the factor of the context.
TEST(RefuseIncomplete, a_file_that_leaves_the_scaling_of_its_context_to_ollama_is_refused) {
  const auto read = [](RandomModelSpec spec, bool has_vision) {
    GgufWriter writer = test::random_gguf(spec);
    if (has_vision) writer.add_hole("v.patch_embd.weight", 0, {8}, 32);
    return test::read_written(writer);
  };
  RandomModelSpec spec = test::small("gemma3");
  EXPECT_EQ(test::refusal(read(spec, true)),
            "m.gguf: metadata 'gemma3.rope.scaling.factor' is missing beside tensors for images: Ollama's own files of "
            "this model leave it out, and without it every answer would be wrong.\nOpen a file of the same model that "
            "llama.cpp's converter has written.");
  EXPECT_EQ(read(spec, true).error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(read(spec, false).ok()) << "the small ones read text alone, and are not scaled";
  EXPECT_TRUE(read(test::small("mistral3"), true).ok());
  spec.float_keys = {{"rope.scaling.factor", 8.0F}};
  const auto scaled = read(spec, true);
  ASSERT_TRUE(scaled.ok()) << scaled.error().message.text();
  EXPECT_EQ(scaled->ropes[0].factor, 8.0);
  ASSERT_EQ(scaled->not_loaded.size(), 1U);
  EXPECT_EQ(scaled->not_loaded[0], (NotLoaded{Message::say("vision"), 1, 32}));
}

}  // namespace
}  // namespace headroom
