// The whole of what people read of a file that is refused for what it needs.
#include "model/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/message_parts.h"
#include "read_written.h"
#include "support/refused_models.h"

namespace headroom {
namespace {

using test::RefusedSpec;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string message_of(const GgufWriter& writer) {
  const Result<ModelInfo> model = test::read_written(writer);
  EXPECT_TRUE(!model.ok() && model.error().code == ErrorCode::kUnsupported);
  return test::refusal(model);
}

std::string message_of(const RefusedSpec& spec) { return message_of(test::refused_gguf(spec)); }

TEST(Refusal, latent_attention_is_told_with_its_row_and_its_bytes) {
  EXPECT_EQ(message_of(test::glm47_flash()),
            "m.gguf: GLM 4.7 Flash cannot run in this version: the architecture 'deepseek2' (DeepSeek V2, V3 and R1, "
            "Kimi K2, GLM 4.7 Flash, GigaChat 3) needs latent attention (MLA), one cached row of 576 values for K and "
            "V that all heads share.\n"
            "It has 75 thousand parameters in 104 KiB of weights. Its KV cache would take 52.9 KiB a token as F16: "
            "1.65 GiB for 32768 tokens and 10.2 GiB for the 202752 tokens that it was trained with.");
}

TEST(Refusal, states_stand_beside_the_cache) {
  const std::string message = message_of(test::nemotron3_nano());
  EXPECT_THAT(message, HasSubstr("'nemotron_h_moe' (Nemotron 3 Nano and Super) needs Mamba2 layers, which keep a state "
                                 "of fixed size in the place of a KV cache, and layers that are an FFN alone.\n"));
  EXPECT_THAT(message,
              EndsWith("Its KV cache would take 6.00 KiB a token as F16: 192 MiB for 32768 tokens and 6.00 "
                       "GiB for the 1048576 tokens that it was trained with. Its layers without a cache would keep a "
                       "state of 47.6 MiB for each request at a time."));
}

TEST(Refusal, layers_that_keep_the_newest_positions_are_told_apart) {
  EXPECT_THAT(message_of(test::scout()),
              HasSubstr("Its KV cache would take 48.0 KiB a token as F16, beside 144 KiB a token in layers that keep "
                        "the newest 8192 alone: 2.62 GiB for 32768 tokens and 481 GiB for the 10485760"));
}

TEST(Refusal, a_layout_of_another_program_is_told_with_what_opens) {
  EXPECT_THAT(
      message_of(test::gpt_oss_of_ollama()),
      HasSubstr("m.gguf: gpt-oss 20B cannot run in this version: the architecture 'gptoss' (gpt-oss, in Ollama's "
                "own files) needs a reader of the layout that Ollama alone writes: of the same models, GGUF "
                "files of the architecture 'gpt-oss' open.\n"));
}

TEST(Refusal, a_short_context_is_told_once) {
  RefusedSpec spec = test::glm47_flash();
  spec.uints["context_length"] = 4096;
  EXPECT_THAT(message_of(spec), EndsWith("a token as F16: 212 MiB for the 4096 tokens that it was trained with."));
}

TEST(Refusal, what_is_missing_is_named_in_the_place_of_its_figure) {
  RefusedSpec spec = test::nemotron3_nano();
  spec.uints.erase("context_length");
  spec.uints.erase("ssm.inner_size");
  EXPECT_THAT(message_of(spec),
              HasSubstr("192 MiB for 32768 tokens (metadata 'nemotron_h_moe.context_length' is missing). What its "
                        "layers without a cache keep cannot be told: metadata 'nemotron_h_moe.ssm.inner_size' is "
                        "missing."));
  spec = test::deepseek_v3();
  spec.uints.erase("attention.kv_lora_rank");
  const std::string message = message_of(spec);
  EXPECT_THAT(message, HasSubstr("one cached row for K and V that all heads share.\n"));
  EXPECT_THAT(message, EndsWith("What its KV cache takes cannot be told: metadata 'deepseek2.attention.kv_lora_rank' "
                                "is missing."));
}

TEST(Refusal, each_is_a_sentence_with_details) {
  for (const RefusedSpec& spec : test::refused_specs()) {
    const std::string message = message_of(spec);
    const auto [sentence, details] = message_parts(message);
    EXPECT_THAT(std::string(sentence), StartsWith("m.gguf: " + spec.name + " cannot run in this version"));
    EXPECT_THAT(std::string(details), StartsWith("It has "));
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << message;
    EXPECT_LT(message.size(), 700U) << message;
  }
}

TEST(Refusal, an_unknown_architecture_is_told_with_its_size) {
  RefusedSpec spec = test::scout();
  spec.architecture = "mamba";
  EXPECT_THAT(message_of(spec), EndsWith(" do not.\nIt has 69 thousand parameters in 80.0 KiB of weights."));
}

TEST(Refusal, a_type_without_kernels_is_told_with_what_it_is_and_its_bytes) {
  RefusedSpec spec = test::glm47_flash();
  GgufWriter writer = test::refused_gguf(spec);
  writer.add_hole("output.weight", 40, {64, 1024}, 64 * 1024 / 64 * 36);
  EXPECT_THAT(message_of(writer),
              HasSubstr("of weights. 1 of 146 tensors (36.0 KiB of 140 KiB) is NVFP4, 4-bit floats with an 8-bit scale "
                        "for every 16 of them and one for the tensor: this version cannot compute with these either. "
                        "Its KV cache"));
}

TEST(Refusal, a_projector_is_told_from_a_model) {
  GgufWriter writer;
  writer.set_string("general.architecture", "clip");
  writer.add_hole("v.patch_embd.weight", 1, {64, 16000}, 64 * 16000 * 2);
  const std::string images =
      "m.gguf: holds the part of a model that reads images (a projector), not the model itself.\n"
      "Open the model's own file instead: with text it works without this one, and this version reads no images. This "
      "file has 1 million parameters in 1.95 MiB of weights.";
  EXPECT_EQ(message_of(writer), images);
  writer.set_string("general.type", "mmproj");
  EXPECT_EQ(message_of(writer), images);
  writer.set_bool("clip.has_audio_encoder", true);
  EXPECT_THAT(message_of(writer), HasSubstr("that reads sound (a projector)"));
  writer.set_bool("clip.has_vision_encoder", true);
  EXPECT_THAT(message_of(writer), HasSubstr("this version reads no images or sound."));
  for (const char* type : {"mmproj", "projector"}) {
    GgufWriter by_type;
    by_type.set_string("general.type", type);
    EXPECT_THAT(message_of(by_type), HasSubstr("that reads images (a projector)")) << type;
  }
}

// What a hybrid model's converter calls by the name of a dense one still opens.
TEST(Refusal, sizes_of_mamba_layers_that_a_model_does_not_have_refuse_nothing) {
  auto spec = test::small("granite");
  spec.uint_keys = {{"ssm.inner_size", 8192}, {"ssm.state_size", 128}, {"ssm.conv_kernel", 4}};
  EXPECT_TRUE(test::read_written(spec).ok());
  EXPECT_TRUE(test::read_written(test::small("mistral3")).ok());
}

}  // namespace
}  // namespace headroom
