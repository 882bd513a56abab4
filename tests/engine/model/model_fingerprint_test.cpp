#include "model/model_fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support/model_specs.h"

namespace headroom {
namespace {

TEST(ModelFingerprint, every_fact_that_a_plan_depends_on_changes_it) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B);
  const std::vector<std::function<void(ModelInfo&)>> changes{
      [](ModelInfo& m) { m.architecture += "2"; },
      [](ModelInfo& m) { ++m.n_vocab; },
      [](ModelInfo& m) { ++m.d_model; },
      [](ModelInfo& m) { ++m.n_ctx_trained; },
      [](ModelInfo& m) { m.norm_epsilon *= 2; },
      [](ModelInfo& m) { m.post_norm_epsilon = 1e-8F; },
      [](ModelInfo& m) { m.norms_embedding = true; },
      [](ModelInfo& m) { m.embedding_scale *= 2; },
      [](ModelInfo& m) { m.logit_softcap += 1; },
      [](ModelInfo& m) { m.ropes[0].theta += 1; },
      [](ModelInfo& m) { m.ropes[0].scaling = RopeScaling::kYarn; },
      [](ModelInfo& m) { m.ropes[0].freq_factors.push_back(1); },
      [](ModelInfo& m) { m.ropes[0].long_factors.push_back(1); },
      [](ModelInfo& m) { m.ropes[0].growth = 0.5; },
      [](ModelInfo& m) { m.ropes[0].has_whole_ramp = false; },
      [](ModelInfo& m) { m.layers[1].query_rope = 1; },
      [](ModelInfo& m) { m.layers.pop_back(); },
      [](ModelInfo& m) { ++m.layers[1].window; },
      [](ModelInfo& m) { m.layers[1].attention = AttentionKind::kWindow; },
      [](ModelInfo& m) { std::swap(m.layers[1].n_heads, m.layers[1].head_dim); },
      [](ModelInfo& m) { m.layers[1].has_post_norms = true; },
      [](ModelInfo& m) { ++m.layers[1].n_experts_used; },
      [](ModelInfo& m) { m.layers[1].router = RouterKind::kSigmoid; },
      [](ModelInfo& m) { m.layers[1].expert_weight_scale = 2.5F; },
      [](ModelInfo& m) { m.layers[1].norms_heads_together = true; },
      [](ModelInfo& m) { m.layers[1].norms_turned_heads = true; },
      [](ModelInfo& m) { m.layers[1].has_shared_gate = true; },
      [](ModelInfo& m) { m.weights.pop_back(); },
      [](ModelInfo& m) { std::swap(m.weights[1], m.weights[2]); },
      [](ModelInfo& m) { m.weights[1].name += "x"; },
      [](ModelInfo& m) { m.weights[1].dtype = DType::kBF16; },
      [](ModelInfo& m) { ++m.weights[1].n_rows; },
      [](ModelInfo& m) { ++m.weights[1].file_tensor; },
      [](ModelInfo& m) { m.weights[1].factor = 0.5F; },
      [](ModelInfo& m) { m.weights[1].role = TensorRole::kVBias; },
  };
  std::set<std::uint64_t> seen{model_fingerprint(model)};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ModelInfo changed = model;
    changes[i](changed);
    EXPECT_TRUE(seen.insert(model_fingerprint(changed)).second) << "change " << i;
  }
}

TEST(ModelFingerprint, what_only_readers_or_a_load_tell_does_not) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  ModelInfo told = model;
  told.name = "another name";
  told.heap_bytes = 5;
  told.heap_is_measured = true;
  told.longest_token_bytes = 7;
  told.not_loaded = {{Message::plain("multi-token prediction"), 15, 4096}};
  told.warnings = {Message::plain("a warning")};
  EXPECT_EQ(model_fingerprint(told), model_fingerprint(model));
}

TEST(ModelFingerprint, random_models_have_different_ones) {
  std::set<std::uint64_t> seen;
  for (std::uint32_t seed = 0; seed < 500; ++seed) seen.insert(model_fingerprint(test::random_model(seed)));
  EXPECT_EQ(seen.size(), 500U);
}

}  // namespace
}  // namespace headroom
