#include "plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "plan/formulas.h"
#include "plan/improvements.h"
#include "plan/plan_json.h"
#include "plan/speed.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using test::cpu_and_gpu;
using testing::HasSubstr;

// Evaluates what plan_formulas writes: numbers, "x", "+" and parentheses; words are skipped.
class Evaluator {
 public:
  explicit Evaluator(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '(' || c == ')' || c == '+') {
        tokens_.emplace_back(1, c);
        ++at;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at;
      } else {
        std::size_t end = at;
        while (end < text.size() && text[end] != ' ' && text[end] != '(' && text[end] != ')') ++end;
        const std::string word(text.substr(at, end - at));
        if (word == "x" || std::isdigit(static_cast<unsigned char>(word[0])) != 0) tokens_.push_back(word);
        at = end;
      }
    }
  }
  Bytes value() {
    const Bytes result = sum();
    EXPECT_EQ(next_, tokens_.size()) << "the expression goes on after its end";
    return result;
  }

 private:
  bool take(std::string_view token) {
    if (next_ >= tokens_.size() || tokens_[next_] != token) return false;
    ++next_;
    return true;
  }
  Bytes sum() {
    Bytes total = product();
    while (take("+")) total += product();
    return total;
  }
  Bytes product() {
    Bytes total = factor();
    while (take("x")) total *= factor();
    return total;
  }
  Bytes factor() {
    if (take("(")) {
      const Bytes inner = sum();
      EXPECT_TRUE(take(")"));
      return inner;
    }
    if (next_ >= tokens_.size()) {
      ADD_FAILURE() << "a number is missing";
      return 0;
    }
    return std::stoull(tokens_[next_++]);
  }
  std::vector<std::string> tokens_;
  std::size_t next_ = 0;
};

// In whole granules of the GPU.
Bytes largest_region(const MemoryPlan& plan) {
  Bytes largest = 0;
  for (const ArenaPlan& arena : plan.arenas) {
    for (const Region& region : arena.regions) largest = std::max(largest, region.size);
  }
  return round_up(largest, plan.devices[1].granularity);
}

TEST(Formulas, evaluate_to_the_exact_bytes_and_add_up_to_the_plan) {
  constexpr DType kKvTypes[] = {DType::kF16, DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0};
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const ModelInfo model = test::random_model(seed);
    std::vector<DeviceInfo> devices = cpu_and_gpu(24 * kGiB);
    PlanOptions options{.n_ctx = 1 + seed * 53, .n_slots = 1 + seed % 3, .n_batch = 31 + seed, .devices = {{seed % 2}}};
    options.kv_k = kKvTypes[seed % 4];
    options.kv_v = kKvTypes[(seed / 4) % 4];
    if (options.main_device() == 1) options.n_gpu_layers = static_cast<std::int32_t>(seed % (model.n_layers() + 1));
    // A third of them in as many arenas as can be.
    if (seed % 3 == 0) devices[1].max_arena_bytes = largest_region(*plan_memory(model, devices, options));
    const MemoryPlan plan = *plan_memory(model, devices, options);
    std::map<std::pair<DeviceIndex, RegionGroup>, Bytes> by_group;
    for (const Formula& formula : plan_formulas(model, plan)) {
      EXPECT_EQ(Evaluator(formula.expression.text()).value(), formula.bytes)
          << formula.label << ": " << formula.expression << " seed " << seed;
      if (formula.lifetime != Lifetime::kLoad) by_group[{formula.device, region_group(formula.kind)}] += formula.bytes;
    }
    for (const auto& [key, bytes] : by_group)
      EXPECT_EQ(bytes, plan.bytes_of(key.second, key.first)) << region_group_name(key.second);
    for (const DeviceBudget& budget : plan.budgets) {
      Bytes sum = 0;
      for (const auto& [key, bytes] : by_group) sum += key.first == budget.device ? bytes : 0;
      EXPECT_EQ(sum, budget.planned);
    }
  }
}

TEST(Formulas, of_the_cache_read_as_layers_heads_and_elements) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan = *plan_memory(model, std::vector<DeviceInfo>{test::cpu_with(64 * kGiB)}, {.n_ctx = 4096});
  EXPECT_THAT(
      formulas_text(model, plan),
      HasSubstr("KV cache, keys, F16: 32 layers x 1 slots x 4096 positions x 8 KV heads x 128 elements x 2 bytes = "
                "268435456 bytes (256 MiB)"));
}

// A CPU device with a budget of our own making, so that the sentence has known numbers.
MemoryPlan plan_of(Bytes planned, Bytes free_bytes, HeadroomRule rule, Bytes limit) {
  MemoryPlan plan;
  plan.devices = {test::cpu_with(free_bytes)};
  plan.options.devices = {{0, rule}};
  plan.budgets = {{.device = 0, .planned = planned, .driver = 0, .limit = limit, .held_by_others = 0}};
  return plan;
}

TEST(Verdict, is_one_sentence_whose_numbers_add_up) {
  EXPECT_EQ(verdict_words(plan_of(6775000000, 8 * kGiB, KeepFree{kGiB}, 7 * kGiB)).text(),
            "Fits: 6.31 of 8.00 GiB, 1.00 kept free, 0.69 to spare");
  EXPECT_EQ(verdict_words(plan_of(6775000000, 8 * kGiB, KeepFree{}, 8 * kGiB)).text(),
            "Fits: 6.31 of 8.00 GiB, 1.69 to spare");
  EXPECT_EQ(verdict_words(plan_of(6775000000, 8 * kGiB, AtMost{7 * kGiB}, 7 * kGiB)).text(),
            "Fits: 6.31 of at most 7.00 GiB, 0.69 to spare");
  EXPECT_EQ(verdict_words(plan_of(20 * kMiB, 64 * kGiB, KeepFree{}, 64 * kGiB)).text(),
            "Fits: 20.0 MiB of 64.00 GiB, 63.98 to spare");
}

TEST(Verdict, names_the_device_and_what_is_asked_and_free) {
  EXPECT_EQ(verdict_words(plan_of(9 * kGiB, 8 * kGiB, KeepFree{kGiB}, 7 * kGiB)).text(),
            "Does not fit by 2.00 GiB: Test CPU is asked for 9.00 GiB and has 8.00 GiB free, 1.00 GiB to keep free");
  EXPECT_THAT(verdict_words(plan_of(9 * kGiB, 8 * kGiB, AtMost{kGiB}, kGiB)).text(),
              HasSubstr("at most 1.00 GiB to use"));
}

TEST(Verdict, speaks_of_each_device_in_use) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan = *plan_memory(model, cpu_and_gpu(4 * kGiB), {.devices = {{1}}});
  EXPECT_THAT(verdict_words(plan).text(),
              testing::AllOf(testing::StartsWith("Fits: "), HasSubstr(" of 4.00 GiB"), HasSubstr("; Test CPU: ")));
}

TEST(Verdict, of_several_gpus_names_the_first_too) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = cpu_and_gpu(3 * kGiB);
  devices[1].name = "Large";
  devices.push_back(test::gpu_with(2 * kGiB));
  devices[2].id = "cuda:1";
  devices[2].name = "Small";
  const MemoryPlan plan = *plan_memory(model, devices, {.devices = {{1}, {2}}});
  EXPECT_THAT(verdict_words(plan).text(), testing::AllOf(testing::StartsWith("Fits: Large: "), HasSubstr("; Small: ")));
}

TEST(Verdict, of_a_shared_pool_gives_the_cpu_what_is_left_of_it) {
  std::vector<DeviceInfo> devices = cpu_and_gpu(8 * kGiB);
  devices[1].has_unified_memory = true;
  const MemoryPlan plan =
      *plan_memory(test::make_model(test::kTinyLlama), devices, {.n_gpu_layers = 11, .devices = {{1, KeepFree{kGiB}}}});
  const std::string verdict = verdict_words(plan).text();
  const std::string cpu_part = verdict.substr(verdict.find("; Test CPU: "));
  EXPECT_THAT(verdict, HasSubstr("of 8.00 GiB, 1.00 kept free"));
  EXPECT_THAT(cpu_part, testing::Not(HasSubstr("kept free"))) << verdict;
}

TEST(PlanText, has_the_verdict_the_segments_and_the_fixes) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions options{.n_ctx = 8192, .n_gpu_layers = 32, .devices = {{1}}};
  const std::vector<DeviceInfo> devices = cpu_and_gpu(5 * kGiB);
  const MemoryPlan plan = *plan_memory(model, devices, options);
  const std::string text = plan_text(model, plan, *find_fixes(model, devices, options));
  for (const char* part : {"Llama 3 8B (llama, 32 layers)", "Does not fit by", "fix: KV as Q4", "layers 0-31",
                           "token_embd.weight", "weights", "kv", "logits", "planned", "driver", "limit"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(PlanText, says_which_layers_stand_where) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = cpu_and_gpu(2 * kGiB);
  devices.push_back(test::gpu_with(2 * kGiB));
  devices[2].name = "Second GPU";
  const MemoryPlan plan = *plan_memory(model, devices, {.n_gpu_layers = 20, .n_cpu_ffn = 3, .devices = {{1}, {2}}});
  const std::string text = plan_text(model, plan, {});
  for (const char* part :
       {"devices Test GPU and Second GPU, 20 of 32 layers there, the FFN of 3 of them on the CPU",
        "Test GPU (cuda): attention of layers 12-", ", FFN of layers 15-", "Second GPU (cuda): layers ", "-31, head",
        "Test CPU (cpu): attention of layers 0-11, FFN of layers 0-14", "staging, for what crosses between devices",
        "attention and cache on Test GPU.", "load only", "upload, while weights are loaded: 33554432 bytes at once"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(PlanJson, says_what_the_plan_says) {
  ModelInfo model = test::make_model(test::kLlama32_1B);
  model.heap_bytes = 12 * kMiB;
  model.not_loaded = {{Message::plain("vision"), 7, 3 * kMiB}};
  const std::vector<DeviceInfo> devices = cpu_and_gpu(kGiB);
  const PlanOptions options{.n_ctx = 8192, .n_gpu_layers = 16, .devices = {{1, KeepFree{100 * kMiB}}}};
  const MemoryPlan plan = *plan_memory(model, devices, options);
  const std::vector<Fix> fixes = *find_fixes(model, devices, options);
  const auto json = nlohmann::json::parse(plan_json(model, plan, fixes));
  EXPECT_EQ(json["fits"], plan.fits());
  EXPECT_EQ(json["options"]["n_ctx"], 8192);
  EXPECT_EQ(json["options"]["devices"][0]["id"], "cuda:0");
  EXPECT_EQ(json["options"]["devices"][0]["keep_free_bytes"], 100 * kMiB);
  ASSERT_EQ(json["devices"].size(), 2U);
  for (const auto& device : json["devices"]) {
    Bytes by_kind = 0, regions = 0;
    for (const auto& [kind, bytes] : device["by_kind"].items()) by_kind += bytes.get<Bytes>();
    for (const auto& region : json["regions"]) {
      const bool is_held = json["arenas"][region["arena"].get<std::size_t>()]["lifetime"] != "load";
      regions += is_held && region["device"] == device["id"] ? region["size"].get<Bytes>() : 0;
    }
    EXPECT_EQ(by_kind, device["planned_bytes"]);
    EXPECT_EQ(regions, device["planned_bytes"]);
  }
  EXPECT_EQ(json["devices"][0]["id"], "cuda:0");
  EXPECT_EQ(json["devices"][0]["driver_bytes"], 300 * kMiB);
  EXPECT_EQ(json["devices"][0]["heap_bytes"], 0);
  EXPECT_EQ(json["devices"].back()["heap_bytes"], 12 * kMiB);
  EXPECT_FALSE(json["devices"].back()["heap_measured"]);
  std::size_t n_regions = 0;
  for (const ArenaPlan& arena : plan.arenas) n_regions += arena.regions.size();
  EXPECT_EQ(json["regions"].size(), n_regions);
  EXPECT_EQ(json["fixes"].size(), fixes.size());
  EXPECT_GT(fixes.size(), 0U);
  EXPECT_TRUE(json["improvements"].empty());
  EXPECT_EQ(json["notes"].size(), plan.notes.size());
  EXPECT_EQ(json["model"].at("not_loaded"),
            nlohmann::json::parse(R"([{"what": "vision", "n_tensors": 7, "n_bytes": 3145728}])"));
  EXPECT_THAT(plan_text(model, plan, fixes), HasSubstr("note: Not loaded: 7 tensors of vision, 3.00 MiB.\n"));
}

TEST(PlanJson, says_what_a_device_allocates_and_binds_at_once_where_that_is_known) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  std::vector<DeviceInfo> devices = cpu_and_gpu(8 * kGiB);
  const PlanOptions options{.n_ctx = 2048, .n_gpu_layers = 4, .devices = {{1}}};
  const auto gpu_of = [&] {
    return nlohmann::json::parse(plan_json(model, *plan_memory(model, devices, options), {}))["devices"][0];
  };
  EXPECT_FALSE(gpu_of().contains("max_arena_bytes"));
  EXPECT_FALSE(gpu_of().contains("max_binding_bytes"));
  EXPECT_EQ(gpu_of()["asked_by_sharers_bytes"], 0);
  devices[1].max_arena_bytes = kGiB;
  devices[1].max_binding_bytes = 128 * kMiB;
  devices[1].has_unified_memory = true;
  EXPECT_EQ(gpu_of()["max_arena_bytes"], kGiB);
  EXPECT_EQ(gpu_of()["max_binding_bytes"], 128 * kMiB);
  EXPECT_EQ(gpu_of()["asked_by_sharers_bytes"], plan_memory(model, devices, options)->planned_bytes(0));
}

TEST(PlanJson, of_a_plan_that_fits_has_its_speed_and_improvements) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  std::vector<DeviceInfo> devices = cpu_and_gpu(8 * kGiB);
  const PlanOptions options{.n_ctx = 8192, .n_gpu_layers = 4, .devices = {{1}}};
  const auto json_of = [&] {
    const MemoryPlan plan = *plan_memory(model, devices, options);
    return nlohmann::json::parse(plan_json(model, plan, *find_advice(model, devices, options)));
  };
  EXPECT_TRUE(json_of()["tokens_per_s"].is_null()) << "nothing was measured";
  devices[0].speed.read_bytes_per_s = 50e9;
  devices[1].speed.read_bytes_per_s = 800e9;
  const auto json = json_of();
  const MemoryPlan plan = *plan_memory(model, devices, options);
  EXPECT_DOUBLE_EQ(json["tokens_per_s"], *estimate_tokens_per_s(model, plan));
  EXPECT_TRUE(json["fixes"].empty());
  ASSERT_FALSE(json["improvements"].empty());
  EXPECT_GT(json["improvements"][0]["speedup"], 1.1);
  EXPECT_GT(json["improvements"][0]["tokens_per_s"], json["tokens_per_s"]);
  const std::string text = plan_text(model, plan, *find_advice(model, devices, options));
  EXPECT_THAT(text, HasSubstr("  faster: automatic split: all 16 layers on the GPU, about "));
  EXPECT_THAT(text, HasSubstr("\nAnswers come at " + about_speed_words(json["tokens_per_s"]).text() +
                              " at half of the context"));
}

TEST(PlanJson, survives_names_that_are_not_utf8) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  model.name = "bad \xff name";
  model.weights[0].name = "\xc3";
  const MemoryPlan plan = *plan_memory(model, std::vector<DeviceInfo>{test::cpu_with(64 * kGiB)}, {});
  EXPECT_FALSE(nlohmann::json::parse(plan_json(model, plan, {}), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace headroom
