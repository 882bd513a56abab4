#include "prove/prove_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "backend/device_wait.h"
#include "format/dtype_table.h"
#include "prove/proof_device.h"

namespace headroom {
namespace {

// Root mean square of the difference, relative to that of what is expected; infinite where a number is none.
double relative_error(std::span<const float> found, std::span<const float> expected) {
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = static_cast<double>(found[i]) - expected[i];
    difference += off * off;
    magnitude += static_cast<double>(expected[i]) * expected[i];
  }
  const double error = std::sqrt(difference / magnitude);
  return std::isfinite(error) ? error : INFINITY;
}

// What two sound devices may differ by over nine layers, of all logits of a step. Both round activations to int8 (steps
// of 1/254 of a group's largest) or to f16, each in its own order of sums, and the cache rounds to codes: where one of
// them falls on the other side of a step, Q8_0 differs by 0.8 % of a block's largest element, Q4_0 and FP8 by up to
// 14 %. Measured between the CPU (avx512) and lavapipe or CUDA's kernels on the host: 1.9 % at most, with a cache of
// Q4_0 3.2 %.
double allowed_error(DType kv) {
  if (kv == DType::kQ4_0) return 7e-2;
  return kv == DType::kF8E4M3 ? 5e-2 : 4e-2;
}

ProofSteps small_steps(ProofSize size) {
  if (size == ProofSize::kQuick) return {.n_rows = {2, 12}, .n_decoded = 3};
  return {.n_rows = {1, 8, 65, 256}, .n_decoded = 64};
}
const ProofSteps kWideSteps{.n_rows = {256, 256}, .n_decoded = 4};
constexpr std::uint32_t kRuns = 3;  // of each, the results of which are the same

// Drivers round what they count for a program: two readings of the same memory may differ by so much.
constexpr Bytes kMostUncounted = 32 * kMiB;

class Prover {
 public:
  explicit Prover(const ProofInputs& inputs) : inputs_(inputs) {}

  Status prove();
  ProofReport take() { return std::move(proof_); }

 private:
  bool is_quick() const { return inputs_.size == ProofSize::kQuick; }
  std::uint32_t n_runs() const { return is_quick() ? 2 : kRuns; }
  std::vector<DType> cache_types() const;
  void count_steps();
  void begin(std::string what);
  void fail(std::string sentence);
  Status prove_model(const ProofModel& model, const std::vector<DType>& caches, const ProofSteps& steps,
                     std::span<const BackendVariant> variants);
  Status prove_variant(const BackendVariant& variant, const ProofModel& model, const ProofSteps& steps,
                       const ProofAnswers& expected);
  void compare_with_cpu(const ProofAnswers& found, const ProofAnswers& expected, DType kv, const ProofSteps& steps);
  void compare_exactly(const ProofAnswers& found, const ProofAnswers& expected, std::string_view whose);
  void check_count(ProofDevice& device);

  const ProofInputs& inputs_;
  ProofReport proof_;
  ProofProgress progress_;
  std::function<void()> advance_ = [this] {
    ++progress_.n_done;
    inputs_.tell(progress_);
  };
  std::optional<double> first_uncounted_;
};

std::vector<DType> Prover::cache_types() const {
  std::vector<DType> found;
  for (const DType kv : inputs_.device.kv_types) {
    if (is_quick() && kv != DType::kF16 && kv != DType::kQ8_0) continue;
    if (std::ranges::find(inputs_.cpu.kv_types, kv) != inputs_.cpu.kv_types.end()) found.push_back(kv);
  }
  return found;
}

void Prover::count_steps() {
  const auto of = [](const ProofSteps& steps) {
    return static_cast<std::uint32_t>(steps.n_rows.size()) + steps.n_decoded;
  };
  const auto n_caches = static_cast<std::uint32_t>(cache_types().size()),
             n_variants = static_cast<std::uint32_t>(inputs_.variants.size());
  progress_.n_steps = (n_caches * (1 + n_runs()) + n_variants) * of(small_steps(inputs_.size));
  if (!is_quick()) progress_.n_steps += (1 + n_runs()) * of(kWideSteps);
}

void Prover::begin(std::string what) {
  progress_.what = std::move(what);
  inputs_.tell(progress_);
}

// One sentence for each kind of failure is enough.
void Prover::fail(std::string sentence) {
  constexpr std::size_t kMostFailures = 8;
  if (proof_.failures.size() < kMostFailures) proof_.failures.push_back(std::move(sentence));
}

void Prover::compare_with_cpu(const ProofAnswers& found, const ProofAnswers& expected, DType kv,
                              const ProofSteps& steps) {
  for (std::size_t i = 0; i < expected.of_steps.size(); ++i) {
    const double error = relative_error(found.of_steps[i], expected.of_steps[i]), share = error / allowed_error(kv);
    proof_.worst_error = std::max(proof_.worst_error, share);
    if (share <= 1) continue;
    const bool is_prompt = i < steps.n_rows.size();
    fail(fmt::format("{}: {} differs from the CPU's by {:.1f} %, where {:.0f} % is allowed", progress_.what,
                     is_prompt ? fmt::format("a prompt of {} tokens", steps.n_rows[i])
                               : fmt::format("decoded token {}", i - steps.n_rows.size() + 1),
                     100 * error, 100 * allowed_error(kv)));
    return;
  }
}

void Prover::compare_exactly(const ProofAnswers& found, const ProofAnswers& expected, std::string_view whose) {
  for (std::size_t i = 0; i < expected.of_steps.size(); ++i) {
    const std::vector<float>&a = found.of_steps[i], &b = expected.of_steps[i];
    if (a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0) continue;
    fail(fmt::format("{}: step {} of {} gives other numbers than the first time", progress_.what, i + 1, whose));
    return;
  }
}

// What the system counts for this process beyond the plan is the driver's share: it stays as it is, and is not
// negative.
void Prover::check_count(ProofDevice& device) {
  const Result<MemorySample> now = device.backend().sample_memory();
  if (!now || now->account.confidence != MemoryConfidence::kMeasured || inputs_.device.has_unified_memory) return;
  const auto bytes = [](Bytes n) { return static_cast<double>(n); };
  const double uncounted = bytes(now->ours) - bytes(device.planned_bytes()), most = bytes(kMostUncounted);
  if (!first_uncounted_) first_uncounted_ = uncounted;
  if (uncounted >= -most && std::abs(uncounted - *first_uncounted_) <= most) return;
  fail(fmt::format("{}: planned {}, and the system counts {} for this program", progress_.what,
                   format_bytes(device.planned_bytes()), format_bytes(now->ours)));
}

Status Prover::prove_model(const ProofModel& model, const std::vector<DType>& caches, const ProofSteps& steps,
                           std::span<const BackendVariant> variants) {
  begin("loading " + model.info->name);
  const auto cpu = ProofDevice::load(model, {inputs_.cpu}, inputs_.make_backend, inputs_.stop);
  if (!cpu) return cpu.error();
  const auto device = ProofDevice::load(model, {inputs_.cpu, inputs_.device}, inputs_.make_backend, inputs_.stop);
  if (!device) return device.error();
  std::optional<ProofAnswers> first;
  for (const DType kv : caches) {
    begin(fmt::format("{}, {} cache", model.info->name, dtype_row(kv).label));
    const auto expected = (*cpu)->run(kv, steps, 1, inputs_.stop, advance_);
    if (!expected) return expected.error();
    auto found = (*device)->run(kv, steps, n_runs(), inputs_.stop, advance_);
    if (!found) return found.error();
    for (const std::string& fault : found->faults) fail(fmt::format("{}: {}", progress_.what, fault));
    compare_with_cpu(found->runs.front(), expected->runs.front(), kv, steps);
    for (const ProofAnswers& again : found->runs) compare_exactly(again, found->runs.front(), "a repetition");
    check_count(**device);
    if (!proof_.failures.empty()) return ok_status();  // what comes later would tell the same
    if (!first) first = std::move(found->runs.front());
  }
  for (const BackendVariant& variant : variants) {
    if (Status proved = prove_variant(variant, model, steps, *first); !proved) return proved;
  }
  return ok_status();
}

Status Prover::prove_variant(const BackendVariant& variant, const ProofModel& model, const ProofSteps& steps,
                             const ProofAnswers& expected) {
  begin(variant.name);
  const auto device = ProofDevice::load(model, {inputs_.cpu, inputs_.device}, variant.make_backend, inputs_.stop);
  if (!device) return device.error();
  const auto found = (*device)->run(cache_types().front(), steps, 1, inputs_.stop, advance_);
  if (!found) return found.error();
  compare_exactly(found->runs.front(), expected, variant.name);
  return ok_status();
}

Status Prover::prove() {
  const auto start = std::chrono::steady_clock::now();
  count_steps();
  const std::vector<DType> caches = cache_types();
  CHECK(!caches.empty(), "a device has a cache type that the CPU has");
  if (Status proved = prove_model(make_small_proof_model(), caches, small_steps(inputs_.size), inputs_.variants);
      !proved)
    return proved;
  if (!is_quick() && proof_.failures.empty()) {
    if (Status proved = prove_model(make_wide_proof_model(), {DType::kF16}, kWideSteps, {}); !proved) return proved;
  }
  proof_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return ok_status();
}

// What a device that was given up holds ends with the process of its check.
std::string failure_of(std::string message) {
  constexpr std::string_view kNote = kGivenUpNote.words();
  if (message.ends_with(kNote)) message.erase(message.size() - kNote.size());
  return message;
}

// Whether an error says nothing of the device itself: somebody stopped, or others have its memory.
bool is_no_judgement(ErrorCode code) {
  return code == ErrorCode::kCancelled || code == ErrorCode::kResource || code == ErrorCode::kDoesNotFit;
}

}  // namespace

Result<ProofReport> prove_device(const ProofInputs& inputs) {
  Prover prover(inputs);
  const Status proved = prover.prove();
  if (!proved && is_no_judgement(proved.error().code)) return proved.error();
  ProofReport proof = prover.take();
  if (!proved) proof.failures.push_back(failure_of(proved.error().message.text()));
  return proof;
}

}  // namespace headroom
