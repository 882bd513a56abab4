// Whole models on a GPU against the reference device: every weight type, pair of KV types, head size,
// architecture and shape of batch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

#include "backend/gpu/gpu_faults.h"
#include "format/dtype_table.h"
#include "gpu_contract/gpu_model.h"
#include "model/arch_table.h"
#include "model/gpu_panel.h"
#include "plan/gpu_rules.h"

namespace headroom {
namespace {

using test::cache_tolerance;
using test::GpuModel;
using test::kExactTolerance;
using test::options_for;
using test::RandomModelSpec;
using test::small_model;

// Where kernels are compiled at their first use, which takes longer than all that they do here, each type meets every
// other arithmetic, and experts of it (below) the rest.
TEST_F(GpuModel, every_weight_type_gives_the_reference_logits) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    SCOPED_TRACE(row.name);
    const auto check = [&](double most) {
      expect_like_reference(small_model(row.dtype), options_for(DType::kF32, DType::kF32), 13, 2, most);
    };
    if (test::kCompilesAtFirstUse) {
      test::with_some_arithmetics(row.dtype, static_cast<std::size_t>(row.dtype) + 1, check);
    } else {
      test::with_every_arithmetic(row.dtype, check);
    }
  }
}

TEST_F(GpuModel, every_pair_of_cache_types_gives_the_reference_logits) {
  std::vector<DType> types;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) types.push_back(row.dtype);
  }
  for (std::size_t k = 0; k < types.size(); ++k) {
    for (std::size_t v = 0; v < types.size(); ++v) {
      // Each with itself and with the next.
      if (!test::is_full_run() && v != k && v != (k + 1) % types.size()) continue;
      SCOPED_TRACE(fmt::format("{} keys, {} values", dtype_row(types[k]).name, dtype_row(types[v]).name));
      expect_like_reference(small_model(DType::kF32), options_for(types[k], types[v]), 21, 2,
                            cache_tolerance(types[k], types[v]));
    }
  }
}

TEST_F(GpuModel, a_plain_cache_gives_the_reference_logits) {
  for (const DType kv : {DType::kQ8_0, DType::kQ4_0, DType::kF8E4M3}) {
    PlanOptions options = options_for(kv, kv);
    options.kv_scheme = KvScheme::kPlain;
    SCOPED_TRACE(dtype_row(kv).name);
    expect_like_reference(small_model(DType::kF32), options, 21, 2, cache_tolerance(kv, kv));
  }
}

TEST_F(GpuModel, every_head_size_gives_the_reference_logits) {
  constexpr std::array kHeads{18U, 80U, 96U, 256U};
  constexpr std::array kTypes{DType::kF16, DType::kQ8_0, DType::kQ4_0, DType::kF8E4M3};
  for (std::size_t i = 0; i < kHeads.size(); ++i) {
    for (std::size_t k = 0; k < kTypes.size(); ++k) {
      if (!test::is_checked({i, k})) continue;
      const std::uint32_t head_dim = kHeads[i];
      const DType kv = kTypes[k];
      RandomModelSpec spec = small_model(DType::kF32);
      spec.n_layers = 1;
      spec.d_model = 72;
      spec.d_ff = 101;  // odd
      spec.n_heads = 3;
      spec.n_kv_heads = head_dim == 80 ? 3 : 1;
      spec.head_dim = head_dim;
      SCOPED_TRACE(std::to_string(head_dim) + " " + std::string(dtype_row(kv).name));
      expect_like_reference(spec, options_for(kv, kv), 19, 1, cache_tolerance(kv, kv));
    }
  }
}

TEST_F(GpuModel, every_batch_size_gives_the_reference_logits) {
  for (const std::uint32_t n : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 130U}) {
    test::with_some_arithmetics(DType::kQ6_K, n, [&](double most) {
      SCOPED_TRACE(n);
      PlanOptions options = options_for(DType::kF32, DType::kF32);
      options.n_ctx = 160;
      options.n_batch = 130;
      expect_like_reference(small_model(DType::kQ6_K), options, n, 1, most);
    });
  }
}

TEST_F(GpuModel, prompts_in_many_submissions_give_the_reference_logits) {
  PlanOptions options = options_for(DType::kF32, DType::kF32);
  options.n_ctx = 160;
  options.n_batch = 130;
  gpu_faults().most_products = 1;
  for (const std::uint32_t n : {32U, 33U, 130U})
    expect_like_reference(small_model(DType::kF32), options, n, 1, kExactTolerance);
  gpu_faults().most_products = 0;
}

// What one of them reads as int8 another may need as f32.
TEST_F(GpuModel, matrices_of_different_types_give_the_reference_logits) {
  for (const bool has_experts : {false, true}) {
    for (const auto& plain : has_experts
                                 ? std::vector{TensorRole::kExpertDown, TensorRole::kExpertUp, TensorRole::kRouter}
                                 : std::vector{TensorRole::kV, TensorRole::kAttnOut, TensorRole::kDown, TensorRole::kUp,
                                               TensorRole::kTokenEmbedding}) {
      RandomModelSpec spec = small_model(DType::kQ4_K);
      spec.n_layers = 1;
      if (has_experts) {
        spec.architecture = "qwen3moe";
        spec.d_ff = 256;
      }
      spec.role_types[plain] = DType::kF16;
      spec.role_types[has_experts ? TensorRole::kExpertGate : TensorRole::kGate] = DType::kQ6_K;
      SCOPED_TRACE(role_name(plain));
      test::with_every_arithmetic(DType::kQ4_K, [&](double most) {
        for (const std::uint32_t n : {1U, 5U, 21U}) {
          if (test::tells_more(n)) expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 1, most);
        }
      });
    }
  }
}

// Rows of 9 and 11 groups: kernels read several groups ahead, and what eight groups share stands there in part.
TEST_F(GpuModel, rows_that_end_within_a_block_of_groups_give_the_reference_logits) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight || row.block_elems != kGpuGroup) continue;
    RandomModelSpec spec = small_model(row.dtype);
    spec.n_layers = 1;
    spec.d_model = 9 * kGpuGroup;
    spec.n_heads = 9;
    spec.n_kv_heads = 3;
    spec.d_ff = 11 * kGpuGroup;
    SCOPED_TRACE(row.name);
    test::with_every_arithmetic(row.dtype, [&](double most) {
      for (const std::uint32_t n : {1U, 13U}) {
        if (test::tells_more(n)) expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 0, most);
      }
    });
  }
}

// The product of an FFN's gate and up reads both in one kernel, which has to be ready for either type.
TEST_F(GpuModel, gates_of_one_type_and_ups_of_another_give_the_reference_logits) {
  constexpr std::array kPairs{std::pair{DType::kQ4_K, DType::kMXFP4}, std::pair{DType::kIQ4_NL, DType::kQ5_1},
                              std::pair{DType::kMXFP4, DType::kIQ4_XS}, std::pair{DType::kQ2_K, DType::kQ3_K},
                              std::pair{DType::kIQ3_S, DType::kIQ1_M}};
  for (const auto& [gate, up] : kPairs) {
    SCOPED_TRACE(fmt::format("{} and {}", dtype_row(gate).name, dtype_row(up).name));
    RandomModelSpec spec = small_model(DType::kF16);
    spec.n_layers = 1;
    for (const TensorRole role : {TensorRole::kUp, TensorRole::kDown}) spec.role_types[role] = up;
    spec.role_types[TensorRole::kGate] = gate;
    test::with_every_arithmetic(gate, [&](double most) {
      for (const std::uint32_t n : {1U, 21U}) {
        if (test::tells_more(n)) expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 0, most);
      }
    });
  }
}

// Long sums, which a driver that leaves loops early would cut short.
TEST_F(GpuModel, wide_matrices_give_the_reference_logits) {
  for (const DType weight : {DType::kF32, DType::kQ8_0}) {
    RandomModelSpec spec = small_model(weight);
    spec.n_layers = 1;
    spec.d_model = 64;
    spec.d_ff = 24576;
    test::with_every_arithmetic(weight, [&](double most) {
      for (const std::uint32_t n : {1U, 2U, 9U})
        expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 0, most);
    });
  }
}

TEST_F(GpuModel, any_number_of_rows_may_ask_for_logits) {
  test::with_every_arithmetic(DType::kQ8_0, [&](double most) {
    PlanOptions options = options_for(DType::kF32, DType::kF32);
    options.n_logit_rows = 64;
    const RandomModelSpec spec = small_model(DType::kQ8_0);
    const test::TempFolder folder;
    const auto path = test::make_random_model(spec, folder.path());
    const auto loaded = test::load_on_gpu(path, options);
    const auto reference = test::take(test::ReferenceModel::open(path, options));
    const auto prompt = test::rows_of(0, 0, 64, spec.n_vocab);
    for (const std::uint32_t step : {1U, 3U, 9U, 60U}) {
      std::vector<std::uint32_t> asked;
      for (std::uint32_t row = step == 1 ? 0 : step - 1; row < 64; row += step) asked.push_back(row);
      SCOPED_TRACE(fmt::format("{} rows with logits", asked.size()));
      EXPECT_LT(test::relative_error(loaded->step(prompt, asked), test::take(reference->step(prompt, asked))), most);
    }
  });
}

RandomModelSpec model_of(const ArchRow& row) {
  RandomModelSpec spec = small_model(DType::kF32);
  spec.architecture = row.architecture;
  spec.has_tied_head = true;
  spec.has_optional_parts = true;
  if (row.window == WindowRule::kPattern) {
    spec.window = 9;
    spec.n_layers = row.window_period + 1;
  }
  if (row.has_window_heads) spec.window_head_dim = spec.head_dim / 2;
  if (row.may_share_caches) spec.n_shared_caches = 1;
  if (row.may_mix_dense) spec.n_dense_layers = 1, spec.dense_d_ff = 96;
  if (row.may_have_inputs) spec.input_dim = 32;
  if (row.attention_softcap) spec.float_keys["attn_logit_softcapping"] = 0.7F;
  if (row.logit_softcap) spec.float_keys["final_logit_softcapping"] = 5.0F;
  return spec;
}

TEST_F(GpuModel, every_architecture_gives_the_reference_logits) {
  for (const ArchRow& row : arch_rows()) {
    SCOPED_TRACE(row.architecture);
    expect_like_reference(model_of(row), options_for(DType::kF32, DType::kF32), 17, 2, 2 * kExactTolerance);
  }
}

// Experts beside an FFN, norms of both, values that are keys, heads of two sizes, with what quantized products read and
// write, and with caches that are rotated and balanced by layers of two widths.
TEST_F(GpuModel, quantized_branches_give_the_reference_logits) {
  RandomModelSpec spec = model_of(*find_arch("gemma4"));
  spec.window_period = 2;
  spec.n_layers = 2;
  spec.n_experts = 5;
  spec.n_shared_caches = 0;  // no layer before the last sees as much
  for (const DType weight : {DType::kQ8_0, DType::kF16}) expect_of_weights(spec, weight, {1, 21});
  expect_of_quantized_caches(spec);
}

// Heads that are normed behind their rotation; a normed embedding, and output gates in a tensor of their own; norms
// over all heads where nothing is normed before the products. Where norms make what layers add as large as a normed
// embedding, roundings of small sums show twice as much, and a little more where lavapipe has a processor with f16
// arithmetic (0.0061 with F16, where 0.003 is allowed elsewhere).
TEST_F(GpuModel, quantized_norms_in_other_places_give_the_reference_logits) {
  for (const char* architecture : {"hunyuan-dense", "muse-glimmer", "olmo2"}) {
    SCOPED_TRACE(architecture);
    const ArchRow& row = *find_arch(architecture);
    RandomModelSpec spec = model_of(row);
    spec.n_layers = 2;
    for (const DType weight : {DType::kQ8_0, DType::kF16})
      expect_of_weights(spec, weight, {1, 21}, row.norms_embedding ? 2.5 : 1);
    expect_of_quantized_caches(spec);
  }
}

// Layers that read caches of others, and inputs of layers, likewise.
TEST_F(GpuModel, quantized_layer_inputs_give_the_reference_logits) {
  RandomModelSpec spec = model_of(*find_arch("gemma4"));
  spec.window_period = 2;
  spec.n_layers = 4;
  spec.n_experts = 0;
  spec.n_shared_caches = 2;
  for (const DType weight : {DType::kQ8_0, DType::kF16}) expect_of_weights(spec, weight, {1, 21});
  expect_of_quantized_caches(spec);
}

// All experts, so that none is chosen in place of another.
TEST_F(GpuModel, quantized_experts_with_biases_give_the_reference_logits) {
  RandomModelSpec spec = model_of(*find_arch("gpt-oss"));
  spec.n_layers = 2;
  spec.n_experts = spec.n_experts_used = 3;
  for (const DType weight : {DType::kMXFP4, DType::kF16}) expect_of_weights(spec, weight, {1, 5, 21});
}

TEST_F(GpuModel, experts_of_every_weight_type_give_the_reference_logits) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    RandomModelSpec spec = small_model(row.dtype);
    spec.architecture = "qwen3moe";
    spec.n_layers = 1;
    spec.d_ff = 256;
    spec.n_experts = 9;
    spec.n_experts_used = 3;
    SCOPED_TRACE(row.name);
    test::with_some_arithmetics(row.dtype, static_cast<std::size_t>(row.dtype), [&](double most) {
      for (const std::uint32_t n : {1U, 9U}) {
        // Behind many rows there is a step of one, too.
        if (n == 1 && !test::is_full_run()) continue;
        expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 1, most);
      }
    });
  }
}

RandomModelSpec expert_model(DType weight, std::uint32_t n_experts, std::uint32_t n_experts_used) {
  RandomModelSpec spec = small_model(weight);
  spec.architecture = "qwen3moe";
  spec.n_layers = 1;
  spec.d_ff = 96;  // three panels: tiles of two have one that is empty
  spec.n_experts = n_experts;
  spec.n_experts_used = n_experts_used;
  return spec;
}

// Several tiles of an expert, some of one row, and experts that nobody chose.
TEST_F(GpuModel, experts_of_many_rows_give_the_reference_logits) {
  for (const auto& [n_experts, n_used] : {std::pair{3U, 2U}, std::pair{40U, 2U}, std::pair{5U, 5U}}) {
    SCOPED_TRACE(fmt::format("{} of {}", n_used, n_experts));
    PlanOptions options = options_for(DType::kF32, DType::kF32);
    options.n_ctx = 160;
    options.n_batch = 130;
    test::with_every_arithmetic(DType::kQ8_0, [&](double most) {
      expect_like_reference(expert_model(DType::kQ8_0, n_experts, n_used), options, 130, 1, most);
    });
  }
}

TEST_F(GpuModel, more_experts_than_are_grouped_give_the_reference_logits) {
  RandomModelSpec spec = expert_model(DType::kQ8_0, kGpuMostExperts + 1, 2);
  spec.d_model = 64;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  spec.d_ff = 32;
  test::with_every_arithmetic(DType::kQ8_0, [&](double most) {
    expect_like_reference(spec, options_for(DType::kF32, DType::kF32), 12, 1, most);
  });
  // By probabilities, which a softmax has of all of them.
  spec.architecture = "ernie4_5-moe";
  spec.weight_type = DType::kF32;
  expect_like_reference(spec, options_for(DType::kF32, DType::kF32), 12, 1, kExactTolerance);
}

// Past the exact ends, and past the ring of a window.
TEST_F(GpuModel, long_contexts_give_the_reference_logits_with_every_cache_type) {
  for (const DTypeRow& kv : kDTypes) {
    if (!kv.is_kv) continue;
    for (const std::uint32_t window : {0U, 300U}) {
      if (!test::is_checked({static_cast<std::size_t>(kv.dtype), window > 0 ? 1U : 0U})) continue;
      RandomModelSpec spec = small_model(DType::kF32);
      spec.n_layers = 1;
      spec.d_model = 64;
      spec.n_heads = 2;
      spec.n_kv_heads = 1;
      spec.n_ctx_trained = 1200;
      spec.window = window;
      SCOPED_TRACE(std::string(kv.name) + (window > 0 ? " window" : ""));
      PlanOptions options = options_for(kv.dtype, kv.dtype);
      options.n_ctx = 1100;
      options.n_batch = 32;
      const test::TempFolder folder;
      const auto path = test::make_random_model(spec, folder.path());
      const auto loaded = test::load_on_gpu(path, options);
      const auto reference = test::take(test::ReferenceModel::open(path, options));
      for (std::uint32_t at = 0; at < 700; at += 32) {
        const auto rows = test::rows_of(0, at, 32, spec.n_vocab);
        EXPECT_LT(test::relative_error(loaded->step(rows, {31}), test::take(reference->step(rows, std::vector{31U}))),
                  cache_tolerance(kv.dtype, kv.dtype))
            << at;
      }
    }
  }
}

// A step that is longer than the ring of the exact ends: of rows that have one place in it the newest has to be there,
// in whichever order they are written.
TEST_F(GpuModel, a_prompt_longer_than_the_ring_leaves_its_newest_positions_there) {
  RandomModelSpec spec = small_model(DType::kF32);
  spec.n_layers = 1;
  spec.d_model = 64;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  spec.d_ff = 64;
  for (const DType kv : {DType::kQ8_0, DType::kQ4_0}) {
    SCOPED_TRACE(dtype_row(kv).name);
    PlanOptions options = options_for(kv, kv);
    options.n_ctx = 512;
    options.n_batch = 200;
    const KvF16Rows ends = LayerSpec{}.kv_f16_rows(options.n_ctx, options.n_batch);
    ASSERT_GT(ends.n_ring, 0U);
    ASSERT_LT(ends.n_ring, options.n_batch);
    expect_like_reference(spec, options, options.n_batch, 2, cache_tolerance(kv, kv));
    // A few wrong rows among hundreds are within what rounding explains; but they are others each time.
    const test::TempFolder folder;
    const auto path = test::make_random_model(spec, folder.path());
    const auto prompt = test::rows_of(0, 0, options.n_batch, spec.n_vocab);
    std::vector<float> first;
    for (int i = 0; i < 6; ++i) {
      const std::vector<float> found = test::load_on_gpu(path, options)->step(prompt, {options.n_batch - 1});
      if (i == 0) first = found;
      EXPECT_EQ(found, first) << "time " << i;
    }
  }
}

}  // namespace
}  // namespace headroom
