// What the time model predicts beside what this machine's CPU achieves, over ten made models: prediction_bench FOLDER
// [FIRST [LAST]]. Models are made in FOLDER as they are needed, 100 MB to 1 GB each, and removed again. Ends with 1
// when a prediction is off by more than 40 %, or the median by more than 20 %.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "backend/registry.h"
#include "plan/prompt_speed.h"
#include "plan/speed_history.h"
#include "run/backends.h"
#include "run/load_model.h"
#include "run/random.h"
#include "run/session.h"
#include "support/filled_model.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
using test::RandomModelSpec;

constexpr double kMostMedian = 0.2, kMostWorst = 0.4;
constexpr int kRepeats = 3, kMeasurements = 3;

struct Shape {
  std::uint32_t n_layers, d_model, n_heads, n_kv_heads, d_ff, n_vocab, n_experts, n_experts_used;
};
struct Case {
  const char* name;
  Shape shape;
  DType matrices, head;
  std::uint32_t n_prompt, depth, n_decode;
  DType kv = DType::kF16;
};

const Case kCases[] = {
    {"dense 0.3B Q4_0", {12, 1024, 16, 8, 4096, 32000, 0, 0}, DType::kQ4_0, DType::kQ4_0, 512, 0, 64},
    {"dense 1B Q4_K, head Q6_K", {16, 2048, 32, 8, 8192, 32000, 0, 0}, DType::kQ4_K, DType::kQ6_K, 256, 0, 32},
    {"dense 0.7B Q6_K", {10, 2048, 16, 16, 8192, 16000, 0, 0}, DType::kQ6_K, DType::kQ6_K, 256, 0, 32},
    {"dense 0.5B Q8_0, depth 2,048", {12, 1536, 12, 2, 8960, 32000, 0, 0}, DType::kQ8_0, DType::kQ8_0, 256, 2048, 32},
    {"dense 0.3B F16", {10, 1280, 20, 4, 5120, 16000, 0, 0}, DType::kF16, DType::kF16, 256, 0, 32},
    {"dense 0.3B Q4_K, depth 8,192", {12, 1024, 16, 8, 4096, 32000, 0, 0}, DType::kQ4_K, DType::kQ6_K, 128, 8192, 32},
    {"dense 0.3B Q4_0, depth 8,192, KV Q8_0",
     {12, 1024, 16, 4, 4096, 32000, 0, 0},
     DType::kQ4_0,
     DType::kQ6_K,
     128,
     8192,
     32,
     DType::kQ8_0},
    {"8 of 64 experts Q4_K", {6, 2048, 16, 4, 768, 32000, 64, 8}, DType::kQ4_K, DType::kQ6_K, 512, 0, 64},
    {"2 of 8 experts Q4_0", {6, 1024, 16, 8, 3584, 32000, 8, 2}, DType::kQ4_0, DType::kQ8_0, 512, 0, 64},
    {"4 of 32 experts Q8_0, depth 4,096",
     {8, 1024, 16, 4, 768, 32000, 32, 4},
     DType::kQ8_0,
     DType::kQ8_0,
     256,
     4096,
     64},
};

// Ends the program with the error.
template <class T>
T take(Result<T> result, const char* what) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}: {}\n", what, result.error().message.text());
  std::exit(2);
}
void take(const Status& status, const char* what) {
  if (status) return;
  fmt::print(stderr, "{}: {}\n", what, status.error().message.text());
  std::exit(2);
}

std::filesystem::path make_model(const Case& of, const std::filesystem::path& folder) {
  RandomModelSpec spec;
  const Shape& shape = of.shape;
  spec.architecture = shape.n_experts > 0 ? "qwen3moe" : "llama";
  spec.n_layers = shape.n_layers, spec.d_model = shape.d_model, spec.n_heads = shape.n_heads;
  spec.n_kv_heads = shape.n_kv_heads, spec.d_ff = shape.d_ff, spec.n_vocab = shape.n_vocab;
  if (shape.n_experts > 0) spec.n_experts = shape.n_experts, spec.n_experts_used = shape.n_experts_used;
  if (shape.n_experts > 0) spec.head_dim = shape.d_model / shape.n_heads;
  spec.n_ctx_trained = 16384;
  spec.weight_type = of.matrices;
  spec.role_types = {{TensorRole::kTokenEmbedding, of.head}, {TensorRole::kHead, of.head}};
  spec.has_holes = true;
  const std::filesystem::path path = test::make_random_model(spec, folder, "prediction");
  take(test::fill_weights(path), "making a model");
  return path;
}

std::vector<TokenId> some_tokens(std::uint32_t n_vocab, std::size_t n) {
  Random random(1);
  std::vector<TokenId> tokens(n);
  for (TokenId& token : tokens) token = random.next_u32() % n_vocab;
  return tokens;
}

void prefill(Session& session, std::span<const TokenId> tokens) {
  const std::size_t n_batch = session.plan().options.n_batch;
  for (std::size_t first = 0; first < tokens.size(); first += n_batch) {
    const std::size_t n = std::min(n_batch, tokens.size() - first);
    take(session.step({0, tokens.subspan(first, n), first + n == tokens.size() ? 1U : 0U}, StopToken()), "a prompt");
  }
}

// Of `n` tokens from the same depth each time: the median, after one that warms up.
template <class Work>
double tokens_per_s(Session& session, std::span<const TokenId> tokens, std::uint32_t depth, std::uint32_t n,
                    Work work) {
  std::vector<double> rates;
  for (int repeat = 0; repeat <= kRepeats; ++repeat) {
    // A window may have to be read again.
    prefill(session, tokens.first(depth).subspan(session.take_back(0, depth).value()));
    const Clock::time_point start = Clock::now();
    work();
    if (repeat > 0) rates.push_back(n / std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

struct Outcome {
  double predicted = 0, achieved = 0;
  double off() const { return std::abs(predicted / achieved - 1); }
  std::string text() const {
    return fmt::format("{:.1f} | {:.1f} | {:+.0f} %", predicted, achieved, 100 * (predicted / achieved - 1));
  }
};

void run_case(const Case& of, const std::filesystem::path& folder, const DeviceInfo& cpu, std::vector<Outcome>& all) {
  const std::filesystem::path path = make_model(of, folder);
  const Bytes file_bytes = std::filesystem::file_size(path);
  {
    const ModelFile file = take(open_model_file(path), "a model");
    const auto info = std::make_shared<const ModelInfo>(take(read_model_info(file), "a model"));
    const PlanOptions options{.n_ctx = of.depth + std::max(of.n_prompt, of.n_decode), .kv_k = of.kv, .kv_v = of.kv};
    const auto plan = std::make_shared<const MemoryPlan>(take(plan_memory(*info, std::vector{cpu}, options), "a plan"));
    const auto loaded = take(load_model(file, {info, plan, make_backend}, StopToken(), [](Bytes) {}), "loading");
    const auto session = take(Session::open(loaded, plan), "a session");
    const std::vector<TokenId> tokens = some_tokens(info->n_vocab, of.depth + std::max(of.n_prompt, of.n_decode));
    const auto after = std::span(tokens).subspan(of.depth);
    const Outcome decoded{*estimate_tokens_per_s(*info, *plan, of.depth + of.n_decode / 2),
                          tokens_per_s(*session, tokens, of.depth, of.n_decode, [&] {
                            for (const TokenId token : after.first(of.n_decode)) {
                              take(session->step({0, {&token, 1}, 1}, StopToken()), "a token");
                            }
                          })};
    const Outcome prompted{
        *estimate_prompt_tokens_per_s(*info, *plan, of.n_prompt, of.depth),
        tokens_per_s(*session, tokens, of.depth, of.n_prompt, [&] { prefill(*session, after.first(of.n_prompt)); })};
    fmt::print("| {} | {:.0f} MB | {} | {} |\n", of.name, static_cast<double>(file_bytes) * 1e-6, decoded.text(),
               prompted.text());
    std::fflush(stdout);
    all.push_back(decoded);
    all.push_back(prompted);
  }
  std::filesystem::remove(path);
}

DeviceInfo measured_cpu() {
  std::vector<DeviceInfo> devices = take(probe_devices(), "the devices");
  DeviceInfo cpu = *std::ranges::find(devices, DeviceKind::kCpu, &DeviceInfo::kind);
  SpeedHistory history;
  for (int i = 0; i < kMeasurements; ++i) {
    const Clock::time_point start = Clock::now();
    history.take_measurement(take(measure_device(cpu, make_backend), "measuring").speed, i + 1);
    fmt::print(stderr, "measured in {:.2f} s\n", std::chrono::duration<double>(Clock::now() - start).count());
  }
  cpu.speed = history.speed;
  for_each_figure(history.speed, [](std::size_t, const std::string& name, double value, bool) {
    if (value > 0) fmt::print(stderr, "{}: {:.4g}\n", name, value);
  });
  return cpu;
}

int run(const std::filesystem::path& folder, std::size_t first, std::size_t last) {
  const DeviceInfo cpu = measured_cpu();
  fmt::print("{}, {} threads, {}\n\n", cpu.name, cpu.n_threads, cpu.kernels);
  fmt::print("| model | file | decode: predicted | achieved | off | prompt: predicted | achieved | off |\n");
  fmt::print("| -- | --: | --: | --: | --: | --: | --: | --: |\n");
  std::vector<Outcome> all;
  for (std::size_t i = first; i < last; ++i) run_case(kCases[i], folder, cpu, all);
  if (all.empty()) return 2;
  std::vector<double> off;
  for (const Outcome& outcome : all) off.push_back(outcome.off());
  std::sort(off.begin(), off.end());
  const double median = off[off.size() / 2], worst = off.back();
  fmt::print("\nOff by {:.0f} % in the middle (at most {:.0f} %) and {:.0f} % at worst (at most {:.0f} %).\n",
             100 * median, 100 * kMostMedian, 100 * worst, 100 * kMostWorst);
  return median <= kMostMedian && worst <= kMostWorst ? 0 : 1;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: prediction_bench FOLDER [FIRST [LAST]]\n");
    return 2;
  }
  const std::size_t n = std::size(headroom::kCases);
  const std::size_t first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  const std::size_t last = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : n;
  return headroom::run(argv[1], first, std::min(last, n));
}
