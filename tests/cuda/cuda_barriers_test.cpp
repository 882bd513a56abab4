// Each barrier of each kernel is needed, and its absence is seen: with any one of them left out something that runs on
// the host's emulation fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "backend/cuda/cuda_kernels.h"
#include "cuda/cuda_fixture.h"
#include "engine/run/sampled_rows.h"
#include "gpu_contract/gpu_session.h"
#include "support/decode_step.h"

namespace headroom {
namespace {

using test::RandomModelSpec;

// What reaches every barrier: experts, one of them shared, and dense layers, states, normed heads and others, rotated
// and plain caches, many rows and few, more tokens that are equally likely than there is room for.
struct ExecutionMode {
  const char* architecture;
  DType weight, kv;
  KvScheme scheme;
  std::uint32_t head_dim, state_dim = 64;  // of a delta net: its keys stand in shared memory whole, or in pieces
};
constexpr ExecutionMode kWays[] = {
    {"qwen3moe", DType::kQ8_0, DType::kQ4_0, KvScheme::kRotated, 96},
    {"llama", DType::kF16, DType::kF8E4M3, KvScheme::kPlain, 64},
    {"qwen3", DType::kQ4_0, DType::kF16, KvScheme::kRotated, 64},
    {"llama", DType::kF16, DType::kQ8_0, KvScheme::kRotated, 160},
    {"qwen35moe", DType::kQ8_0, DType::kF16, KvScheme::kRotated, 64, 160},
    {"qwen35", DType::kF16, DType::kF16, KvScheme::kRotated, 64, 64},
    {"ernie4_5-moe", DType::kF16, DType::kF16, KvScheme::kRotated, 64},  // a softmax over all experts
};

class CudaBarriers : public testing::Test {
 protected:
  CudaBarriers() {
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      const ExecutionMode& way = kWays[i];
      RandomModelSpec spec;
      spec.architecture = way.architecture;
      spec.weight_type = way.weight;
      spec.n_layers = 1;
      spec.d_model = 64;
      spec.d_ff = 64;
      spec.n_heads = 4;
      spec.n_kv_heads = 2;
      spec.head_dim = way.head_dim;
      spec.state_dim = way.state_dim;
      spec.n_vocab = 3000;
      opened_.push_back(test::open_or_die(test::make_random_model(spec, folder_.path(), fmt::format("way-{}", i))));
    }
  }
  ~CudaBarriers() override {
    test::fake_cuda().skipped_kernel.clear();
    test::fake_cuda().is_quiet = false;
  }

  // The logits of all of its steps, none where something fails; the kernels that it launches are then known to the
  // driver. Memory of the device is watched by nobody: what is touched there too early shows in numbers.
  std::vector<float> run(std::size_t way) {
    PlanOptions options;
    options.n_ctx = 256;
    options.n_batch = 24;
    options.n_slots = 2;
    options.kv_k = options.kv_v = kWays[way].kv;
    options.kv_scheme = kWays[way].scheme;
    options.n_gpu_layers = 1;
    options.n_cpu_ffn = 0;
    options.devices = {{1}};
    const test::OpenedFile& opened = opened_[way];
    const auto made = std::make_shared<const MemoryPlan>(test::take(plan_memory(*opened.info, devices_, options)));
    const auto session = test::session_or_die(test::load_or_die(opened, made), made);
    const std::vector<TokenId> prompt = test::tokens_of(101, 1);
    std::vector<float> all;
    for (std::size_t first = 0; first < prompt.size(); first += 24) {
      const std::size_t n = std::min<std::size_t>(24, prompt.size() - first);
      if (!session->step({0, {prompt.data() + first, n}, 1}, {}).ok()) return {};
      note_logits(*session, all);
    }
    for (const std::vector<test::SlotToken>& next : {std::vector<test::SlotToken>{{0, 17}}, {{0, 17}, {1, 29}}}) {
      if (!test::decode(*session, next).ok()) return {};
      note_logits(*session, all);
    }
    Sampler sampler({}, 1, session->sampler_scratch());
    SampledRow row{0, &sampler, session->cache().tokens(0)};
    return session->sample({&row, 1}).ok() ? all : std::vector<float>{};
  }

  static void note_logits(Session& session, std::vector<float>& all) {
    const Result<std::span<const float>> logits = session.logits(0);
    if (logits) all.insert(all.end(), logits->begin(), logits->end());
  }

  test::TempFolder folder_;
  std::vector<test::OpenedFile> opened_;
  std::vector<DeviceInfo> devices_ = test::cpu_and_cuda();
};

TEST_F(CudaBarriers, are_all_needed) {
  test::FakeCuda& driver = test::fake_cuda();
  std::vector<std::vector<float>> usual;
  std::map<std::string, std::vector<std::size_t>, std::less<>> ways_of;  // that launch a kernel
  for (std::size_t way = 0; way < std::size(kWays); ++way) {
    const std::map<std::string, std::uint64_t> before = driver.n_launches_of;
    usual.push_back(run(way));
    ASSERT_FALSE(usual.back().empty()) << way;
    ASSERT_EQ(run(way), usual.back()) << "the order of the threads shows in the numbers of way " << way;
    for (const auto& [name, n] : driver.n_launches_of) {
      const auto found = before.find(name);
      if (found == before.end() || found->second < n) ways_of[name].push_back(way);
    }
  }
  driver.is_quiet = true;
  std::size_t n = 0;
  for (const CudaKernelFile& file : cuda_kernel_files()) {
    for (const std::string_view entry : file.entries) {
      driver.skipped_kernel = entry;
      const std::vector<std::size_t>& ways = ways_of[driver.skipped_kernel];
      const std::size_t n_sites = driver.barrier_sites(driver.skipped_kernel.c_str());
      for (std::size_t site = 0; site < n_sites; ++site) {
        driver.skipped_barrier = static_cast<int>(site);
        bool is_seen = false;
        // Some are seen only in some orders of the threads, which are others in each round.
        for (std::size_t round = 0; round < 24 && !ways.empty() && !is_seen; ++round) {
          const std::size_t way = ways[round % ways.size()];
          is_seen = run(way) != usual[way];
        }
        EXPECT_TRUE(is_seen) << entry << " runs without its barrier " << site;
        ++n;
      }
    }
  }
  EXPECT_GT(n, 40U) << "barriers were left out";
}

}  // namespace
}  // namespace headroom
