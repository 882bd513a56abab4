// Whole models on the CPU backend against the reference device: every instruction set, weight type, KV type pair,
// head size and batch shape.
#include <gtest/gtest.h>

#include "contract/isa_test.h"
#include "contract/loaded_cpu.h"
#include "format/dtype_table.h"
#include "model/arch_table.h"
#include "support/combinations.h"

namespace headroom {
namespace {

using test::LoadedCpu;
using test::RandomModelSpec;

// Float weights meet f32 activations: only the order of sums differs, and F16 K and V may round to the other neighbour.
// In a prompt F16 and BF16 weights and their activations are rounded to 4095 and 8191 steps, which is 0.02 % of an
// element in the mean square, seven times in a row.
constexpr double kFloatTolerance = 2e-3;
// Int8 activations are off by at most max / 254, about uniformly: with max near 3.5 sigma that is 0.8 % of an element,
// independent between elements, so each product is off by about 0.8 % in the mean square; seven products in a row of
// two layers, partly passed by on the residual, stay below 3 %.
constexpr double kInt8Tolerance = 3e-2;
// Q8_0 and Q4_0 keys meet int8 queries, and a score that is off by e moves its weight by e; a coarse cache also rounds
// to another code where an activation differs a little: half a step of Q4_0 is 7 % of the block's maximum.
constexpr double kCoarseCacheTolerance = 8e-2;

double tolerance(DType weight, DType kv_k, DType kv_v) {
  const auto coarse = [](DType dtype) { return dtype == DType::kQ4_0 || dtype == DType::kF8E4M3; };
  if (coarse(kv_k) || coarse(kv_v)) return kCoarseCacheTolerance;
  const bool any_int8 = dtype_row(weight).block_elems > 1 || kv_k == DType::kQ8_0 || kv_v == DType::kQ8_0;
  return any_int8 ? kInt8Tolerance : kFloatTolerance;
}

class CpuModel : public test::IsaTest {
 protected:
  void TearDown() override { unsetenv("HEADROOM_ISA"); }

  // A prompt of `n_prompt` in one step, then `n_decode` single tokens; all logits of both, against the reference.
  void expect_like_reference(const RandomModelSpec& spec, const PlanOptions& options, std::uint32_t n_prompt,
                             std::uint32_t n_decode, double most) {
    const test::TempFolder folder;
    const auto path = test::make_random_model(spec, folder.path());
    const auto loaded = test::load_cpu(path, GetParam(), 2, options);
    const auto reference = test::take(test::ReferenceModel::open(path, loaded->plan.options));
    const auto prompt = test::rows_of(0, 0, n_prompt, spec.n_vocab);
    const std::vector<std::uint32_t> last{n_prompt - 1}, only{0};
    EXPECT_LT(test::relative_error(loaded->step(prompt, last), test::take(reference->step(prompt, last))), most)
        << "prompt of " << n_prompt;
    for (std::uint32_t i = 0; i < n_decode; ++i) {
      const auto row = test::rows_of(0, n_prompt + i, 1, spec.n_vocab);
      EXPECT_LT(test::relative_error(loaded->step(row, only), test::take(reference->step(row, only))), most)
          << "token at " << n_prompt + i;
    }
  }
};

RandomModelSpec small_model(DType weight) {
  RandomModelSpec spec;
  spec.weight_type = weight;
  spec.n_layers = 2;
  spec.d_model = 256;
  spec.n_heads = 8;
  spec.n_kv_heads = 2;
  spec.head_dim = 32;
  spec.d_ff = 512;
  spec.n_vocab = 301;  // not a multiple of 16
  return spec;
}

PlanOptions options_for(DType kv_k, DType kv_v) {
  PlanOptions options;
  options.n_ctx = 96;
  options.n_batch = 64;
  options.kv_k = kv_k;
  options.kv_v = kv_v;
  return options;
}

TEST_P(CpuModel, every_weight_type_gives_the_reference_logits) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    SCOPED_TRACE(row.name);
    expect_like_reference(small_model(row.dtype), options_for(DType::kF16, DType::kF16), 13, 2,
                          tolerance(row.dtype, DType::kF16, DType::kF16));
  }
}

TEST_P(CpuModel, every_pair_of_cache_types_gives_the_reference_logits) {
  for (const DTypeRow& k : kDTypes) {
    for (const DTypeRow& v : kDTypes) {
      if (!k.is_kv || !v.is_kv) continue;
      SCOPED_TRACE(std::string(k.name) + " keys, " + std::string(v.name) + " values");
      expect_like_reference(small_model(DType::kF32), options_for(k.dtype, v.dtype), 21, 2,
                            tolerance(DType::kF32, k.dtype, v.dtype));
    }
  }
}

TEST_P(CpuModel, every_head_size_gives_the_reference_logits) {
  for (const std::uint32_t head_dim : {8U, 16U, 20U, 32U, 64U, 80U, 96U, 128U}) {
    for (const DType kv : {DType::kF32, DType::kF16, DType::kQ8_0, DType::kF8E4M3}) {
      RandomModelSpec spec = small_model(DType::kF32);
      spec.n_layers = 1;
      spec.d_model = 72;  // no multiple of 16
      spec.d_ff = 100;
      spec.n_heads = 3;
      spec.n_kv_heads = head_dim == 16 ? 3 : 1;
      spec.head_dim = head_dim;
      SCOPED_TRACE(std::to_string(head_dim) + " " + std::string(dtype_row(kv).name));
      expect_like_reference(spec, options_for(kv, kv), 19, 1, tolerance(DType::kF32, kv, kv));
    }
  }
}

TEST_P(CpuModel, every_batch_size_gives_the_reference_logits) {
  for (const DType weight : {DType::kQ8_0, DType::kQ6_K, DType::kF16}) {
    for (const std::uint32_t n : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 17U, 64U}) {
      RandomModelSpec spec = small_model(weight);
      spec.n_layers = 1;
      SCOPED_TRACE(std::string(dtype_row(weight).name) + " x " + std::to_string(n));
      expect_like_reference(spec, options_for(DType::kF16, DType::kF16), n, 1,
                            tolerance(weight, DType::kF16, DType::kF16));
    }
  }
}

// With all that a row may have: windows that are left behind, caps within reach of scores and logits.
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

TEST_P(CpuModel, every_architecture_gives_the_reference_logits) {
  for (const ArchRow& row : arch_rows()) {
    SCOPED_TRACE(row.architecture);
    expect_like_reference(model_of(row), options_for(DType::kF16, DType::kF16), 17, 2, kFloatTolerance);
  }
}

// Seven layers round where two did for the tolerances above: twice as much in the mean square.
TEST_P(CpuModel, a_pattern_of_windows_gives_the_reference_logits_with_every_cache_type) {
  std::size_t place = static_cast<std::size_t>(GetParam());
  for (const ArchRow& row : arch_rows()) {
    if (row.window != WindowRule::kPattern) continue;
    ++place;
    for (const DTypeRow& kv : kDTypes) {
      if (!kv.is_kv || !test::is_checked({place, static_cast<std::size_t>(kv.dtype)}, 3)) continue;
      SCOPED_TRACE(std::string(row.architecture) + " " + std::string(kv.name));
      expect_like_reference(model_of(row), options_for(kv.dtype, kv.dtype), 33, 3,
                            2 * tolerance(DType::kF32, kv.dtype, kv.dtype));
    }
  }
}

TEST_P(CpuModel, heads_normed_behind_their_rotation_give_the_reference_logits_with_every_cache_type) {
  for (const DTypeRow& kv : kDTypes) {
    if (!kv.is_kv) continue;
    SCOPED_TRACE(kv.name);
    expect_like_reference(model_of(*find_arch("hunyuan-dense")), options_for(kv.dtype, kv.dtype), 33, 3,
                          tolerance(DType::kF32, kv.dtype, kv.dtype));
  }
}

// With weights of other types rows near a tie go through other experts: experts_test.cpp has these op by op.
TEST_P(CpuModel, experts_give_the_reference_logits_with_every_batch_size) {
  RandomModelSpec spec = small_model(DType::kF32);
  spec.architecture = "qwen3moe";
  spec.d_ff = 100;
  spec.n_experts = 9;
  spec.n_experts_used = 3;
  for (const std::uint32_t n : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 17U, 64U}) {
    SCOPED_TRACE(n);
    expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 1, kFloatTolerance);
  }
}

TEST_P(CpuModel, a_long_context_is_read_in_parts_and_merged) {
  RandomModelSpec spec = small_model(DType::kF32);
  spec.n_layers = 1;
  spec.n_ctx_trained = 1200;
  PlanOptions options = options_for(DType::kF16, DType::kF16);
  options.n_ctx = 1100;
  options.n_batch = 1050;
  expect_like_reference(spec, options, 1050, 2, kFloatTolerance);
}

INSTANTIATE_TEST_SUITE_P(Isas, CpuModel, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
