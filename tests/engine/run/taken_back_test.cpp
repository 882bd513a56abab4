// Decode steps of several rows of a slot, of which some are taken back, on the CPU and on reference devices.
#include "engine/run/taken_back.h"

#include "base/cpu_features.h"
#include "engine/run/loaded_fixture.h"
#include "format/dtype_table.h"
#include "support/reference_devices.h"
#include "support/use_variable.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

class TakenBack : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kContext = 640, kBatch = 24;

  // Every second layer has a window that the prompt is longer than, and both kinds a ring of F16 rows.
  static RandomModelSpec windowed() {
    RandomModelSpec spec;
    spec.architecture = "gemma2";
    spec.n_layers = 4;
    spec.d_model = 64;
    spec.d_ff = 96;
    spec.n_ctx_trained = 1024;
    spec.window = 250;
    return spec;
  }

  static PlanOptions options_of(DType kv, std::int32_t n_gpu_layers) {
    PlanOptions options;
    options.n_ctx = kContext;
    options.n_batch = kBatch;
    options.n_slots = 2;
    options.n_draft = kDrafts;
    options.kv_k = options.kv_v = kv;
    options.n_gpu_layers = n_gpu_layers;
    options.devices = {{n_gpu_layers > 0 ? 1U : 0U}};
    return options;
  }

  static void read_prompts(Session& session) {
    std::vector<TokenId> tokens(430);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(3 + (i * 37 + i * i) % 280);
    for (const auto& [slot, n_all] : {std::pair{0U, tokens.size()}, std::pair{1U, std::size_t{50}}}) {
      for (std::size_t first = 0; first < n_all; first += kBatch) {
        const Status done =
            session.step({slot, {tokens.data() + first, std::min<std::size_t>(kBatch, n_all - first)}, 0}, {});
        ASSERT_TRUE(done.ok()) << done.error().message.text();
      }
    }
  }

  void expect_no_trace(const PlanOptions& options, std::span<const DraftStep> steps, double tolerance) {
    const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened_.info, options, kThreads);
    const auto drafting = session_or_die(load_or_die(opened_, plan), plan);
    const auto plain = session_or_die(load_or_die(opened_, plan), plan);
    read_prompts(*drafting);
    read_prompts(*plain);
    expect_drafts_leave_no_trace(*drafting, *plain, steps, tolerance);
  }

  void expect_no_trace_at_edges(const PlanOptions& options, bool has_windows, double tolerance) {
    SCOPED_TRACE(fmt::format("{}, {}", dtype_row(options.kv_k).label, has_windows ? "windows" : "no windows"));
    const OpenedFile& opened = has_windows ? edge_windowed_ : edge_;
    const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened.info, options, kThreads);
    const auto session = session_or_die(load_or_die(opened, plan), plan);
    TakenBackRows(*session, tolerance).expect_no_trace(all_draft_steps());
  }

  static constexpr std::uint32_t kThreads = 1;  // the models are small: two would wait for each other
  ReferenceDevices devices_{"64MiB,64MiB"};
  TempFolder folder_;
  const OpenedFile edge_ = open_or_die(make_random_model(edge_model(false), folder_.path(), "edge")),
                   edge_windowed_ = open_or_die(make_random_model(edge_model(true), folder_.path(), "edge_windowed"));
  OpenedFile opened_ = open_or_die(make_random_model(windowed(), folder_.path()));
};

// The device computes each row by itself: the slightest trace would be another bit.
TEST_F(TakenBack, rows_leave_no_bit_on_a_reference_device) {
  for (const DType kv : {DType::kF16, DType::kQ4_0}) {
    SCOPED_TRACE(dtype_row(kv).label);
    expect_no_trace(options_of(kv, 4), all_draft_steps(), 0);
  }
}

// Beside the CPU its layer is computed there.
TEST_F(TakenBack, rows_leave_no_trace_at_the_edges_of_any_cache_on_reference_devices) {
  for (const EdgeSplit split : kEdgeSplits) {
    for (const DTypeRow& type : kDTypes) {
      if (!type.is_kv) continue;
      const double tolerance = split == EdgeSplit::kWithCpu ? edge_tolerance_of_cpu(type.dtype) : 0;
      for (const bool has_windows : {true, false})
        expect_no_trace_at_edges(edge_options(type.dtype, split), has_windows, tolerance);
    }
  }
}

TEST_F(TakenBack, rows_leave_no_trace_at_the_edges_of_any_cache_under_every_instruction_set) {
  for (const Isa isa : kIsas) {
    if (!can_run(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    const UseVariable use("HEADROOM_ISA", std::string(isa_name(isa)));
    for (const DTypeRow& type : kDTypes) {
      if (!type.is_kv) continue;
      for (const bool has_windows : {true, false})
        expect_no_trace_at_edges(edge_options(type.dtype), has_windows, edge_tolerance_of_cpu(type.dtype));
    }
  }
}

// More than four rows go through other kernels, which add in another order and read cached codes in other words.
TEST_F(TakenBack, rows_leave_no_trace_on_the_cpu_with_any_cache) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    SCOPED_TRACE(type.label);
    const bool is_coarse = type.dtype == DType::kQ4_0 || type.dtype == DType::kF8E4M3;
    expect_no_trace(options_of(type.dtype, 0), all_draft_steps(),
                    is_coarse                    ? 8e-2
                    : type.dtype == DType::kQ8_0 ? 3e-2
                                                 : 2e-3);
  }
}

// Each instruction set has kernels of its own for few rows and for more.
TEST_F(TakenBack, rows_leave_no_trace_under_every_instruction_set) {
  for (const Isa isa : kIsas) {
    if (!can_run(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    const UseVariable use("HEADROOM_ISA", std::string(isa_name(isa)));
    for (const auto& [kv, tolerance] : {std::pair{DType::kF16, 2e-3}, {DType::kQ8_0, 3e-2}, {DType::kQ4_0, 8e-2}}) {
      SCOPED_TRACE(dtype_row(kv).label);
      expect_no_trace(options_of(kv, 0), few_draft_steps(), tolerance);
    }
  }
}

TEST_F(TakenBack, rows_leave_no_trace_on_a_model_that_is_split) {
  for (const DType kv : {DType::kF16, DType::kQ4_0})
    expect_no_trace(options_of(kv, 2), few_draft_steps(), kv == DType::kF16 ? 2e-3 : 8e-2);
}

TEST_F(TakenBack, further_than_the_drafts_a_window_may_have_overwritten_what_the_next_token_sees) {
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened_.info, options_of(DType::kF16, 0));
  const auto session = session_or_die(load_or_die(opened_, plan), plan);
  read_prompts(*session);
  EXPECT_EQ(*session->take_back(0, 430 - kDrafts), 430U - kDrafts);
  EXPECT_EQ(*session->take_back(0, 300), 0U) << "positions before 142 are gone, and the token at 300 sees 51";
  EXPECT_EQ(*session->take_back(1, 20), 20U) << "nothing was overwritten there";
  EXPECT_TRUE(session->cache().tokens(0).empty());
}

}  // namespace
}  // namespace headroom
