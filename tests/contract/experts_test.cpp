// The ops of a layer with experts, each alone on the CPU and on the reference device with the same inputs: which
// experts a row goes through must not hang on the last digits of what came before.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "contract/isa_test.h"
#include "contract/loaded_cpu.h"
#include "format/dtype_table.h"
#include "run/kv_rings.h"
#include "support/combinations.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using Values = std::vector<float>;
using Ids = std::vector<std::uint32_t>;

// As in cpu_model_test, of one or two products: with weights and activations in 16-bit words at worst, and with int8
// activations. What goes down is the product of two about normal numbers, whose largest of 256 is near 10 times their
// deviation: steps of a 127th of it are off by 2.3 %.
constexpr double kExactWeights = 1e-3, kInt8Weights = 4e-2;

constexpr std::uint32_t kMaxRows = 64;

// One backend bound to the plan of a model, whose ops are run one at a time.
struct Bound {
  Backend& backend;
  const ModelInfo& model;
  const MemoryPlan& plan;

  const Op& op(OpKind kind) const {
    return *std::find_if(plan.program.ops.begin(), plan.program.ops.end(),
                         [&](const Op& each) { return each.kind == kind; });
  }
  template <class T>
  void write(BufferId buffer, const std::vector<T>& values) const {
    ASSERT_TRUE(backend.write(buffer, std::as_bytes(std::span(values))).ok());
  }
  template <class T>
  std::vector<T> read(BufferId buffer, std::size_t n_rows) const {
    std::vector<T> values(n_rows * plan.program.buffers[buffer].row_elems);
    EXPECT_TRUE(backend.read(buffer, 0, std::as_writable_bytes(std::span(values))).ok());
    return values;
  }
  void run(OpKind kind, std::size_t n_rows) const {
    const auto index = static_cast<std::uint32_t>(&op(kind) - plan.program.ops.data());
    std::vector<StepRow> rows(n_rows);
    for (std::uint32_t i = 0; i < n_rows; ++i) rows[i].position = i;
    const KvRings rings(model, plan.options);
    const DeviceSubgraph subgraph{op(kind).device, index, index + 1, {}};
    ASSERT_TRUE(backend.submit(subgraph, {rows, {}, rings.exact_from()}, {}).ok());
    ASSERT_TRUE(backend.wait({}).ok());
  }

  struct Routing {
    Ids ids;
    Values weights;
  };
  Routing route(const Values& residual, std::size_t n_rows) const {
    const Op& op = this->op(OpKind::kMoeRoute);
    write(op.inputs[0], residual);
    run(OpKind::kMoeRoute, n_rows);
    return {read<std::uint32_t>(op.outputs[0], n_rows), read<float>(op.outputs[1], n_rows)};
  }
  Values up(const Values& residual, const Ids& ids, std::size_t n_rows) const {
    const Op& op = this->op(OpKind::kMoeUp);
    write(op.inputs[0], residual);
    write(op.inputs[1], ids);
    run(OpKind::kMoeUp, n_rows);
    return read<float>(op.outputs[0], n_rows);
  }
  // What the shared expert makes before its last matrix, and its gates.
  std::pair<Values, Values> shared_up(const Values& residual, std::size_t n_rows) const {
    const Op& op = this->op(OpKind::kSharedUp);
    write(op.inputs[0], residual);
    run(OpKind::kSharedUp, n_rows);
    return {read<float>(op.outputs[0], n_rows), read<float>(op.outputs[1], n_rows)};
  }
  // What is added to a residual.
  Values shared_down(const Values& shared, const Values& gates, const Values& residual, std::size_t n_rows) const {
    const Op& op = this->op(OpKind::kSharedDown);
    write(op.inputs[0], shared);
    write(op.inputs[1], gates);
    write(op.inputs[2], residual);
    run(OpKind::kSharedDown, n_rows);
    Values sum = read<float>(op.outputs[0], n_rows);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= residual[i];
    return sum;
  }
  Values down(const Values& hidden, const Routing& routing, const Values& residual, std::size_t n_rows) const {
    const Op& op = this->op(OpKind::kMoeDown);
    write(op.inputs[0], hidden);
    write(op.inputs[1], routing.ids);
    write(op.inputs[2], routing.weights);
    write(op.inputs[3], residual);
    run(OpKind::kMoeDown, n_rows);
    Values sum = read<float>(op.outputs[0], n_rows);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= residual[i];
    return sum;
  }
};

Values some_values(std::size_t n, std::uint32_t seed) {
  Values values(n);
  std::uint32_t state = seed * 2654435761U + 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = (static_cast<float>(state >> 8) / (1U << 24) - 0.5F) * 3.4F;  // deviation near 1
  }
  return values;
}

PlanOptions expert_options() {
  PlanOptions made;
  made.n_ctx = kMaxRows;
  made.n_batch = kMaxRows;
  return made;
}

RandomModelSpec model_of(DType weight) {
  RandomModelSpec spec;
  spec.architecture = "qwen3moe";
  spec.n_layers = 1;
  spec.d_model = 256;
  spec.d_ff = 256;
  spec.n_experts = 19;  // two panels of the router, the second not full
  spec.n_experts_used = 3;
  spec.weight_type = weight;
  spec.role_types[TensorRole::kRouter] = DType::kF32;  // as in real files; others may choose another expert
  return spec;
}

class Experts : public test::IsaTest {
 protected:
  void TearDown() override { unsetenv("HEADROOM_ISA"); }

  void open(const RandomModelSpec& spec) {
    const auto path = test::make_random_model(spec, folder_.path());
    cpu_ = test::load_cpu(path, GetParam(), 2, expert_options());
    reference_ = test::take(test::ReferenceModel::open(path, cpu_->plan.options));
  }
  Bound cpu() const { return {*cpu_->loaded->backends[0], cpu_->model, cpu_->plan}; }
  Bound reference() const { return {reference_->backend(1), reference_->info(), reference_->plan()}; }

  // Routing, gate and up, and down of so many rows, each of what the reference device made before.
  void expect_like_reference(std::size_t n_rows, double most) {
    SCOPED_TRACE(std::to_string(n_rows) + " rows");
    const std::size_t d_model = cpu_->model.d_model;
    const Values residual = some_values(n_rows * d_model, static_cast<std::uint32_t>(n_rows));
    const Bound::Routing expected = reference().route(residual, n_rows), found = cpu().route(residual, n_rows);
    EXPECT_EQ(found.ids, expected.ids);
    EXPECT_LT(test::relative_error(found.weights, expected.weights), 1e-5);
    const Values hidden = reference().up(residual, expected.ids, n_rows);
    EXPECT_LT(test::relative_error(cpu().up(residual, expected.ids, n_rows), hidden), most);
    EXPECT_LT(test::relative_error(cpu().down(hidden, expected, residual, n_rows),
                                   reference().down(hidden, expected, residual, n_rows)),
              most);
  }

  test::TempFolder folder_;
  std::unique_ptr<test::LoadedCpu> cpu_;
  std::unique_ptr<test::ReferenceModel> reference_;
};

double tolerance(DType weight) { return dtype_row(weight).block_elems > 1 ? kInt8Weights : kExactWeights; }

TEST_P(Experts, of_every_weight_type_are_those_of_the_reference_for_few_rows_and_many) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    SCOPED_TRACE(row.name);
    open(model_of(row.dtype));
    const std::size_t place = static_cast<std::size_t>(row.dtype) + static_cast<std::size_t>(GetParam());
    for (const std::size_t n_rows : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 33U, 64U}) {
      if (test::is_checked({place, n_rows})) expect_like_reference(n_rows, tolerance(row.dtype));
    }
  }
}

TEST_P(Experts, of_mixed_types_are_those_of_the_reference) {
  RandomModelSpec spec = model_of(DType::kQ4_K);
  spec.role_types[TensorRole::kExpertUp] = DType::kF16;
  spec.role_types[TensorRole::kExpertDown] = DType::kQ6_K;
  open(spec);
  for (const std::size_t n_rows : {1U, 4U, 33U}) expect_like_reference(n_rows, kInt8Weights);
}

TEST_P(Experts, of_odd_sizes_are_those_of_the_reference) {
  RandomModelSpec spec = model_of(DType::kF32);
  spec.d_model = 72;
  spec.n_heads = 2, spec.n_kv_heads = 1, spec.head_dim = 16;
  spec.d_ff = 41;  // three panels, the last one of nine rows
  for (const auto& [n_experts, n_used] : {std::pair{1U, 1U}, std::pair{5U, 5U}, std::pair{40U, 2U}}) {
    SCOPED_TRACE(std::to_string(n_used) + " of " + std::to_string(n_experts));
    spec.n_experts = n_experts;
    spec.n_experts_used = n_used;
    open(spec);
    for (const std::size_t n_rows : {1U, 3U, 64U}) expect_like_reference(n_rows, kExactWeights);
  }
}

TEST_P(Experts, with_biases_are_those_of_the_reference) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kQ8_0, DType::kMXFP4}) {
    SCOPED_TRACE(dtype_row(dtype).name);
    RandomModelSpec spec = model_of(dtype);
    spec.architecture = "gpt-oss";
    open(spec);
    for (const std::size_t n_rows : {1U, 4U, 5U, 33U, 64U}) expect_like_reference(n_rows, tolerance(dtype));
  }
}

// By sigmoids and by a softmax over all, with biases for the choice alone, and a scale on weights.
TEST_P(Experts, of_every_router_are_those_of_the_reference) {
  for (const std::uint32_t function : {1U, 2U}) {
    SCOPED_TRACE("function " + std::to_string(function));
    RandomModelSpec spec = model_of(DType::kF32);
    spec.architecture = "glm4moe";
    spec.uint_keys = {{"expert_gating_func", function}};
    spec.float_keys = {{"expert_weights_scale", 2.5F}};
    open(spec);
    for (const std::size_t n_rows : {1U, 5U, 64U}) expect_like_reference(n_rows, kExactWeights);
  }
}

TEST_P(Experts, beside_a_shared_one_leave_it_as_on_the_reference) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kQ8_0, DType::kQ4_K}) {
    SCOPED_TRACE(dtype_row(dtype).name);
    RandomModelSpec spec = model_of(dtype);
    spec.architecture = "qwen35moe";
    spec.attention_period = 1;  // attention alone
    spec.shared_d_ff = dtype == DType::kF32 ? 41 : 512;
    open(spec);
    for (const std::size_t n_rows : {1U, 4U, 5U, 33U}) {
      SCOPED_TRACE(n_rows);
      expect_like_reference(n_rows, tolerance(dtype));
      const Values residual = some_values(n_rows * spec.d_model, 4);
      const auto [shared, gates] = reference().shared_up(residual, n_rows);
      const auto [found, found_gates] = cpu().shared_up(residual, n_rows);
      EXPECT_EQ(gates.size(), n_rows);
      EXPECT_LT(test::relative_error(found, shared), tolerance(dtype));
      EXPECT_LT(test::relative_error(found_gates, gates), 1e-5);
      EXPECT_LT(test::relative_error(cpu().shared_down(shared, gates, residual, n_rows),
                                     reference().shared_down(shared, gates, residual, n_rows)),
                tolerance(dtype));
      // The gates, of rows that add the same otherwise.
      const Values half = cpu().shared_down(shared, Values(n_rows, 0.5F), residual, n_rows);
      Values whole = cpu().shared_down(shared, Values(n_rows, 1.0F), residual, n_rows);
      for (float& x : whole) x /= 2;
      EXPECT_LT(test::relative_error(half, whole), 1e-5);
    }
  }
}

// With all experts chosen, a router of any type chooses the same ones: only their order and weights are left.
TEST_P(Experts, of_a_router_of_every_type_have_the_weights_of_the_reference) {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    SCOPED_TRACE(row.name);
    RandomModelSpec spec = model_of(DType::kF32);
    spec.role_types[TensorRole::kRouter] = row.dtype;
    spec.n_experts_used = spec.n_experts;
    open(spec);
    for (const std::size_t n_rows : {1U, 33U}) {
      const Values residual = some_values(n_rows * spec.d_model, 3);
      const auto by_expert = [&](const Bound::Routing& routing) {
        Values weights(routing.ids.size(), -1);
        for (std::size_t i = 0; i < routing.ids.size(); ++i)
          weights[i / spec.n_experts * spec.n_experts + routing.ids[i]] = routing.weights[i];
        return weights;
      };
      EXPECT_LT(test::relative_error(by_expert(cpu().route(residual, n_rows)),
                                     by_expert(reference().route(residual, n_rows))),
                tolerance(row.dtype));
    }
  }
}

TEST_P(Experts, of_equal_logits_are_those_with_the_lowest_indices) {
  open(model_of(DType::kF32));
  for (const std::size_t n_rows : {1U, 9U}) {
    const Values zeros(n_rows * 256);  // whose norm is 0, and so are all logits
    Ids expected;
    for (std::size_t row = 0; row < n_rows; ++row) expected.insert(expected.end(), {0, 1, 2});
    for (const Bound& bound : {cpu(), reference()}) {
      const Bound::Routing routing = bound.route(zeros, n_rows);
      EXPECT_EQ(routing.ids, expected);
      for (const float weight : routing.weights) EXPECT_FLOAT_EQ(weight, 1.0F / 3);
    }
  }
}

TEST_P(Experts, of_rows_that_are_no_numbers_are_chosen_and_computed_without_harm) {
  for (const DType weight : {DType::kF32, DType::kQ4_K}) {
    open(model_of(weight));
    for (const std::size_t n_rows : {1U, 9U}) {
      Values residual = some_values(n_rows * 256, 5);
      residual[(n_rows - 1) * 256 + 7] = std::numeric_limits<float>::quiet_NaN();  // of the last row
      const Bound::Routing expected = reference().route(residual, n_rows), found = cpu().route(residual, n_rows);
      EXPECT_EQ(found.ids, expected.ids);
      EXPECT_EQ(Ids(found.ids.end() - 3, found.ids.end()), (Ids{0, 1, 2}));
      for (const Bound& bound : {cpu(), reference()}) {
        const Values hidden = bound.up(residual, expected.ids, n_rows);
        const Values added = bound.down(hidden, expected, residual, n_rows);
        // Int8 has no such thing: there the last row is garbage of any kind.
        for (std::size_t i = 0; i < added.size(); ++i) {
          const bool is_last = i / 256 + 1 == n_rows;
          if (is_last ? weight == DType::kF32 : true) {
            EXPECT_EQ(std::isnan(added[i]), is_last) << "element " << i;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Experts, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
