// Models of any shape on a GPU beside the reference device.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>

#include "format/dtype_table.h"
#include "gpu_contract/gpu_fixture.h"

namespace headroom::test {

inline PlanOptions options_for(DType kv_k, DType kv_v) {
  PlanOptions options;
  options.n_ctx = 96;
  options.n_batch = 64;
  options.kv_k = kv_k;
  options.kv_v = kv_v;
  return options;
}

class GpuModel : public testing::Test {
 protected:
  void expect_like_reference(const RandomModelSpec& spec, const PlanOptions& options, std::uint32_t n_prompt,
                             std::uint32_t n_decode, double most) {
    const TempFolder folder;
    const auto path = make_random_model(spec, folder.path());
    const auto loaded = load_on_gpu(path, options);
    const auto reference = take(ReferenceModel::open(path, options));
    const auto prompt = rows_of(0, 0, n_prompt, spec.n_vocab);
    const std::vector<std::uint32_t> last{n_prompt - 1}, only{0};
    EXPECT_LT(relative_error(loaded->step(prompt, last), take(reference->step(prompt, last))), most)
        << "prompt of " << n_prompt;
    for (std::uint32_t i = 0; i < n_decode; ++i) {
      const auto row = rows_of(0, n_prompt + i, 1, spec.n_vocab);
      EXPECT_LT(relative_error(loaded->step(row, only), take(reference->step(row, only))), most)
          << "token at " << n_prompt + i;
    }
  }

  // With all matrices of this type, in steps of so many rows. `looser`: how many times as much as in other models what
  // is rounded may show.
  void expect_of_weights(RandomModelSpec spec, DType weight, std::initializer_list<std::uint32_t> rows,
                         double looser = 1) {
    spec.weight_type = weight;
    SCOPED_TRACE(dtype_row(weight).name);
    with_every_arithmetic(weight, [&](double most) {
      for (const std::uint32_t n : rows) {
        if (tells_more(n)) expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 1, looser * most);
      }
    });
  }

  // With weights that are exact, so that what the caches lose is all that may differ.
  void expect_of_quantized_caches(RandomModelSpec spec) {
    spec.weight_type = DType::kF32;
    expect_like_reference(spec, options_for(DType::kQ8_0, DType::kQ8_0), 21, 1,
                          cache_tolerance(DType::kQ8_0, DType::kQ8_0));
  }
};

inline RandomModelSpec small_model(DType weight) {
  RandomModelSpec spec;
  spec.weight_type = weight;
  spec.n_layers = 2;
  spec.d_model = 256;
  spec.n_heads = 8;
  spec.n_kv_heads = 2;
  spec.head_dim = 32;
  spec.d_ff = 512;
  spec.n_vocab = 333;  // 11 panels, the last of them not full
  return spec;
}

}  // namespace headroom::test
