// Sessions over the CPU backend: the plan held against what is mapped, and caches held against computing afresh.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "engine/run/loaded_fixture.h"
#include "format/dtype_table.h"
#include "model/arch_table.h"
#include "run/sampler.h"
#include "support/decode_step.h"
#include "support/resident_bytes.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

std::vector<TokenId> some_tokens(std::size_t n, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<TokenId> tokens(n);
  for (TokenId& token : tokens) token = 3 + random.next_u32() % 280;
  return tokens;
}

// Logits after `tokens` in `slot`, the prompt read in steps of `n_step`.
std::vector<float> logits_after(Session& session, std::uint32_t slot, const std::vector<TokenId>& tokens,
                                std::size_t n_step) {
  const Result<std::uint32_t> n_reused = session.begin_prompt(slot, tokens);
  CHECK(n_reused.ok(), n_reused.error().message.text().c_str());
  std::vector<float> last;
  for (std::size_t first = *n_reused; first < tokens.size(); first += n_step) {
    const std::size_t n = std::min(n_step, tokens.size() - first);
    const Status done = session.step({slot, {tokens.data() + first, n}, 1}, {});
    CHECK(done.ok(), done.error().message.text().c_str());
    last = all_logits(session, 1);
  }
  return last;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  CHECK(a.size() == b.size() && !a.empty(), "rows of one vocabulary");
  float largest = 0.0F;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]);
    largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
  }
  return largest;
}

void expect_planned_is_mapped(const Session& session, const std::string& what) {
  const MemoryReport report = session.memory_report();
  ASSERT_EQ(report.arenas.size(), session.plan().arenas.size()) << what;
  for (const ArenaReport& arena : report.arenas) {
    EXPECT_GT(arena.planned_bytes, 0U) << what;
    EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << what;
  }
  EXPECT_EQ(report.grown.n_arenas, 0U) << what;
}

// Every slot reads a prompt and decodes once: whatever a step needs, it must have by now.
void step_all_slots(Session& session) {
  std::vector<test::SlotToken> next;
  for (std::uint32_t slot = 0; slot < session.cache().n_slots(); ++slot) {
    logits_after(session, slot, some_tokens(5, slot), std::min<std::size_t>(5, session.plan().options.n_batch));
    next.push_back({slot, 7});
  }
  ASSERT_TRUE(test::decode(session, next).ok());
}

struct RowCase {
  std::string architecture;
  DType weight_type;
  std::size_t n_types_before;  // of weights, in the table
};
void PrintTo(const RowCase& row, std::ostream* out) {
  *out << row.architecture << ' ' << dtype_row(row.weight_type).name;
}

class PlannedIsMapped : public testing::TestWithParam<RowCase> {};

TEST_P(PlannedIsMapped, for_every_kv_type_slot_count_and_batch) {
  RandomModelSpec spec;
  spec.architecture = GetParam().architecture;
  spec.weight_type = GetParam().weight_type;
  spec.n_distinct_rows = 32;
  if (find_arch(spec.architecture)->window == WindowRule::kPattern) spec.window = 8;
  const TempFolder folder;
  const OpenedFile opened = open_or_die(make_random_model(spec, folder.path()));
  PlanOptions options;
  options.n_ctx = 48;
  const std::shared_ptr<const LoadedModel> loaded = load_or_die(opened, plan_or_die(*opened.info, options));
  // Weights, caches and shapes of steps do not know of each other. With one type of weights an architecture sees every
  // fourth pair of cache types, each with the next of five shapes; over all types of weights it sees every pair with
  // every shape, since at least five of them have that pair.
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kSlotsAndBatches{
      {{1, 1}, {1, 32}, {3, 1}, {3, 3}, {3, 32}}};
  static_assert(std::ranges::count_if(kDTypes, &DTypeRow::is_weight) >= 4 * std::ssize(kSlotsAndBatches));
  const std::size_t weight = GetParam().n_types_before;
  std::size_t pair = 0;
  for (const DTypeRow& k : kDTypes) {
    for (const DTypeRow& v : kDTypes) {
      if (!k.is_kv || !v.is_kv || k.is_kv_offered != v.is_kv_offered) continue;  // types for checking with themselves
      ++pair;
      if ((weight + pair) % 4 != 0) continue;
      const auto& [n_slots, n_batch] = kSlotsAndBatches[(weight / 4 + pair) % kSlotsAndBatches.size()];
      options.kv_k = k.dtype;
      options.kv_v = v.dtype;
      options.n_slots = n_slots;
      options.n_batch = n_batch;
      const std::unique_ptr<Session> session = session_or_die(loaded, plan_or_die(*opened.info, options));
      step_all_slots(*session);
      expect_planned_is_mapped(*session, fmt::format("{}/{}, {} slots, {} rows", k.label, v.label, n_slots, n_batch));
    }
  }
}

std::vector<RowCase> all_rows() {
  std::vector<RowCase> rows;
  for (const ArchRow& row : arch_rows()) {
    std::size_t n_types = 0;
    for (const DTypeRow& type : kDTypes) {
      if (type.is_weight) rows.push_back({std::string(row.architecture), type.dtype, n_types++});
    }
  }
  return rows;
}
INSTANTIATE_TEST_SUITE_P(AllRows, PlannedIsMapped, testing::ValuesIn(all_rows()), [](const auto& row) {
  return architecture_label(row.param.architecture) + "_" + std::string(dtype_row(row.param.weight_type).label);
});

class CacheKinds : public testing::TestWithParam<DType> {};

PlanOptions small_options(DType kv) {
  PlanOptions options;
  options.n_ctx = 64;
  options.n_batch = 16;
  options.kv_k = options.kv_v = kv;
  return options;
}

// Which step wrote a row of the cache changes only the order of float sums, a few units in the last place of values
// near 1; but a value on the border between two codes of a quantized cache may then take the other one, which moves
// logits of these models by up to about a hundredth. Wrong positions, slots or prefixes move them by tenths.
float tolerance(DType kv) { return kv == DType::kF32 || kv == DType::kF16 ? 2e-4F : 0.03F; }

TEST_P(CacheKinds, a_reused_prefix_gives_the_logits_of_a_fresh_prompt) {
  const TempFolder folder;
  const std::unique_ptr<Session> session = open_random({}, folder, small_options(GetParam()));
  const std::vector<TokenId> tokens = some_tokens(40);
  const std::vector<float> fresh = logits_after(*session, 0, tokens, 16);
  std::vector<TokenId> other(tokens.begin(), tokens.begin() + 20);
  other.insert(other.end(), {9, 8, 7, 6, 5});
  logits_after(*session, 0, other, 16);
  EXPECT_EQ(*session->begin_prompt(0, tokens), 20U);
  EXPECT_LE(largest_difference(fresh, logits_after(*session, 0, tokens, 16)), tolerance(GetParam()));
}

TEST_P(CacheKinds, chunks_do_not_change_the_logits) {
  const TempFolder folder;
  const std::unique_ptr<Session> session = open_random({}, folder, small_options(GetParam()));
  const std::vector<TokenId> tokens = some_tokens(33);
  const std::vector<float> in_sixteens = logits_after(*session, 0, tokens, 16);
  for (const std::size_t n_step : {1U, 5U}) {
    session->clear(0);
    EXPECT_LE(largest_difference(in_sixteens, logits_after(*session, 0, tokens, n_step)), tolerance(GetParam()))
        << n_step;
  }
}

TEST_P(CacheKinds, slots_side_by_side_are_those_of_each_alone) {
  const TempFolder folder;
  PlanOptions options = small_options(GetParam());
  options.n_slots = 2;
  const std::unique_ptr<Session> session = open_random({}, folder, options);
  const std::vector<TokenId> first = some_tokens(30, 1), second = some_tokens(17, 2);
  std::vector<std::vector<float>> alone;
  for (const auto* tokens : {&first, &second}) {
    std::vector<TokenId> longer = *tokens;
    longer.push_back(11);
    alone.push_back(logits_after(*session, 0, longer, 16));
  }
  session->clear(0);
  for (std::size_t i = 0; i < 30; ++i) {  // tokens of one slot between those of the other
    ASSERT_TRUE(session->step({0, {&first[i], 1}, 1}, {}).ok());
    if (i >= second.size()) continue;
    ASSERT_TRUE(session->step({1, {&second[i], 1}, 1}, {}).ok());
  }
  const std::vector<test::SlotToken> next{{0, 11}, {1, 11}};
  ASSERT_TRUE(test::decode(*session, next).ok());
  const std::vector<float> logits = all_logits(*session, 2);
  const auto second_row = logits.begin() + static_cast<std::ptrdiff_t>(logits.size() / 2);
  EXPECT_LE(largest_difference(alone[0], {logits.begin(), second_row}), tolerance(GetParam()));
  EXPECT_LE(largest_difference(alone[1], {second_row, logits.end()}), tolerance(GetParam()));
}

TEST_P(CacheKinds, a_shared_prompt_gives_the_logits_of_its_own) {
  const TempFolder folder;
  PlanOptions options = small_options(GetParam());
  options.n_slots = 2;
  const std::unique_ptr<Session> session = open_random({}, folder, options);
  std::vector<TokenId> prompt = some_tokens(40);
  logits_after(*session, 0, prompt, 16);
  prompt.push_back(11);
  ASSERT_EQ(*session->begin_prompt(1, prompt), 40U);
  const std::vector<test::SlotToken> next{{0, 11}, {1, 11}};
  ASSERT_TRUE(test::decode(*session, next).ok());
  const std::vector<float> logits = all_logits(*session, 2);
  const std::size_t n_vocab = logits.size() / 2;
  for (std::size_t i = 0; i < n_vocab; ++i) ASSERT_EQ(logits[i], logits[n_vocab + i]) << i;
}

INSTANTIATE_TEST_SUITE_P(AllKvTypes, CacheKinds,
                         testing::Values(DType::kF32, DType::kF16, DType::kF8E4M3, DType::kQ8_0, DType::kQ4_0),
                         [](const auto& row) { return std::string(dtype_row(row.param).label); });

TEST(RealSession, threads_do_not_change_a_bit) {
  const TempFolder folder;
  RandomModelSpec spec;
  spec.weight_type = DType::kQ4_K;
  std::vector<std::vector<float>> per_threads;
  for (const std::uint32_t n_threads : {1U, 2U, 3U}) {
    const std::unique_ptr<Session> session = open_random(spec, folder, small_options(DType::kQ8_0), n_threads);
    std::vector<float> all = logits_after(*session, 0, some_tokens(37), 16);
    const std::vector<test::SlotToken> next{{0, 11}};
    ASSERT_TRUE(test::decode(*session, next).ok());
    const std::vector<float> decoded = all_logits(*session, 1);
    all.insert(all.end(), decoded.begin(), decoded.end());
    per_threads.push_back(std::move(all));
  }
  EXPECT_EQ(per_threads[0], per_threads[1]);
  EXPECT_EQ(per_threads[0], per_threads[2]);
}

// Resident memory of this process, from the kernel.
TEST(RealSession, all_of_it_is_resident_once_it_is_open) {
  const TempFolder folder;
  const OpenedFile opened = open_or_die(make_random_model({}, folder.path()));
  PlanOptions options = small_options(DType::kF16);
  options.n_ctx = 32768;
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened.info, options);
  const std::shared_ptr<const LoadedModel> loaded = load_or_die(opened, plan);
  const Bytes before = resident_bytes();
  const std::unique_ptr<Session> session = session_or_die(loaded, plan);
  EXPECT_GE(resident_bytes(), before + plan->bytes_of(RegionGroup::kKv))
      << "the cache is memory already, and not only promised";
}

TEST(RealSession, the_last_position_of_the_context_can_be_computed) {
  const TempFolder folder;
  const std::unique_ptr<Session> session = open_random({}, folder, small_options(DType::kF16));
  EXPECT_EQ(logits_after(*session, 0, some_tokens(64), 16).size(), 288U);
  EXPECT_EQ(session->begin_prompt(0, some_tokens(65)).error().code, ErrorCode::kDoesNotFit);
  EXPECT_EQ(session->cache().tokens(0).size(), 64U);
}

TEST(RealSession, a_window_longer_than_its_rows_is_computed_afresh) {
  const TempFolder folder;
  RandomModelSpec spec;
  spec.window = 16;
  PlanOptions options = small_options(DType::kF16);
  options.n_ctx = 256;
  const std::unique_ptr<Session> session = open_random(spec, folder, options);
  const std::vector<TokenId> tokens = some_tokens(150);
  const std::vector<TokenId> start(tokens.begin(), tokens.begin() + 30);
  const std::vector<float> fresh = logits_after(*session, 0, start, 16);
  logits_after(*session, 0, tokens, 16);
  EXPECT_LE(largest_difference(fresh, logits_after(*session, 0, start, 16)), tolerance(DType::kF16));
}

// What another slot holds goes beyond what is shared, and rings of windows have let go of some of it.
TEST_P(CacheKinds, a_prompt_shared_in_part_gives_the_logits_of_one_read_afresh) {
  for (const std::uint32_t window : {0U, 40U}) {
    const TempFolder folder;
    RandomModelSpec spec;
    spec.window = window;
    PlanOptions options = small_options(GetParam());
    options.n_ctx = 256;
    options.n_slots = 2;
    const std::unique_ptr<Session> session = open_random(spec, folder, options);
    const std::vector<TokenId> held = some_tokens(150);
    for (const std::uint32_t n_shared : {50U, 120U, 145U, 150U}) {
      std::vector<TokenId> prompt(held.begin(), held.begin() + n_shared);
      prompt.insert(prompt.end(), {9, 8, 7, 6, 5});
      session->clear(0);
      session->clear(1);
      const std::vector<float> fresh = logits_after(*session, 1, prompt, 16);
      session->clear(1);
      logits_after(*session, 0, held, 16);
      const std::uint32_t n_reused = *session->begin_prompt(1, prompt);
      if (window == 0 || n_shared == 150) {
        EXPECT_EQ(n_reused, n_shared) << window;
      }
      const std::vector<float> copied = logits_after(*session, 1, prompt, 16);
      session->clear(1);  // slot 0 goes back by itself: nothing else holds the prompt
      EXPECT_EQ(copied, logits_after(*session, 0, prompt, 16)) << "window " << window << ", " << n_shared << " shared";
      // Rows that were among the exact newest ones of a fresh prompt of 50 tokens are quantized after 150.
      const bool is_quantized = GetParam() != DType::kF32 && GetParam() != DType::kF16;
      EXPECT_LE(largest_difference(fresh, copied), is_quantized ? 0.15F : tolerance(GetParam()))
          << "window " << window << ", " << n_shared << " shared, " << n_reused << " reused";
    }
  }
}

TEST(LoadModel, progress_grows_to_the_weights_and_a_stop_cancels) {
  const TempFolder folder;
  RandomModelSpec spec;
  spec.d_model = 512;
  spec.d_ff = 2048;
  const OpenedFile opened = open_or_die(make_random_model(spec, folder.path()));
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened.info, small_options(DType::kF16));
  Bytes done = 0;
  const Advance add = [&](Bytes bytes) { done += bytes; };
  const auto loaded = load_model(opened.file, {opened.info, plan, make_backend}, {}, add);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(done, bytes_to_load(*opened.info, *plan));
  EXPECT_GT(done, 10U * kMiB);
  ASSERT_TRUE(Session::open(*loaded, plan, {}, add).ok());
  EXPECT_EQ(done, bytes_to_load(*opened.info, *plan) + bytes_to_open(*plan));

  StopSource source;
  const Advance stop_at_once = [&](Bytes) { source.request_stop(); };
  const auto cancelled = load_model(opened.file, {opened.info, plan, make_backend}, source.token(), stop_at_once);
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  const auto unopened = Session::open(*loaded, plan, source.token());
  ASSERT_FALSE(unopened.ok());
  EXPECT_EQ(unopened.error().code, ErrorCode::kCancelled);
}

TEST(LoadModel, norms_of_sixteen_bits_are_loaded_as_floats) {
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const TempFolder folder;
    RandomModelSpec spec;
    spec.vector_type = type;
    const auto session = open_random(spec, folder, small_options(DType::kF16));
    const std::vector<float> logits = logits_after(*session, 0, some_tokens(9), 9);
    EXPECT_TRUE(std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); }));
  }
}

TEST(LoadModel, a_plan_of_another_model_is_refused) {
  const TempFolder folder;
  const OpenedFile opened = open_or_die(make_random_model({}, folder.path(), "one"));
  RandomModelSpec spec;
  spec.n_layers = 3;
  const OpenedFile other = open_or_die(make_random_model(spec, folder.path(), "two"));
  const auto loaded =
      load_model(opened.file, {opened.info, plan_or_die(*other.info, {}), make_backend}, {}, [](Bytes) {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kUsage);
}

TEST(LoadModel, a_cap_below_the_plan_is_a_typed_error) {
  const TempFolder folder;
  const OpenedFile opened = open_or_die(make_random_model({}, folder.path()));
  PlanOptions options = small_options(DType::kF16);
  options.devices = {{0, AtMost{kMiB}}};
  const auto loaded =
      load_model(opened.file, {opened.info, plan_or_die(*opened.info, options), make_backend}, {}, [](Bytes) {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kDoesNotFit);
  EXPECT_NE(loaded.error().message.text().find("1.00 MiB may be used"), std::string::npos)
      << loaded.error().message.text();
}

}  // namespace
}  // namespace headroom
