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
#include "prove/compare_answers.h"
#include "prove/proof_device.h"

namespace headroom {
namespace {

constexpr std::uint32_t kRuns = 3;  // of each model, the results of which are the same

// What is computed of a model: its steps with each of these cache types, once on the CPU and n_runs times on the
// device.
struct Work {
  std::vector<DType> caches;
  ProofSteps steps;
  std::uint32_t n_runs = kRuns;
  double error_factor = 1.0;  // of what allowed_error() allows
  std::uint32_t n_steps() const { return static_cast<std::uint32_t>(caches.size()) * (1 + n_runs) * steps.n_steps(); }
};

// Drivers round what they count for a program: two readings of the same memory may differ by so much.
constexpr Bytes kMostUncounted = 32 * kMiB;

class Prover {
 public:
  explicit Prover(const ProofInputs& inputs) : inputs_(inputs) {}

  Status prove();
  ProofReport take() { return std::move(proof_); }

 private:
  bool is_quick() const { return inputs_.size != ProofSize::kFull; }
  std::span<const BlockProof> blocks() const {
    if (inputs_.size == ProofSize::kBrief) return {};
    return kBlockProofs;
  }
  std::vector<DType> cache_types() const;
  ProofSteps steps() const;
  Work work_of_small() const { return {cache_types(), steps(), is_quick() ? 2 : kRuns}; }
  Work work_of(const BlockProof& block) const;
  static Work work_of_wide() { return {{DType::kF16}, {.n_rows = {256, 256}, .n_decoded = 4}}; }
  void count_steps();
  void begin(std::string what);
  void fail(std::string sentence);
  Status prove_model(const ProofModel& model, const Work& work, std::span<const BackendVariant> variants = {});
  Status prove_variant(const BackendVariant& variant, const ProofModel& model, const ProofSteps& steps,
                       const ProofAnswers& expected);
  void compare_with_cpu(const ProofAnswers& found, const ProofAnswers& expected, double allowed,
                        const ProofSteps& steps);
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

// Of the small model and of those of single blocks.
ProofSteps Prover::steps() const {
  if (is_quick()) return {.n_rows = {2, 12}, .n_decoded = 3};
  return {.n_rows = {1, 8, 65, 256}, .n_decoded = 64};
}

// A quick check leaves out what the small model has shown of other blocks: other cache types, and the same results
// again; and one prompt that windows and sinks are short for is enough.
Work Prover::work_of(const BlockProof& block) const {
  Work work{{DType::kF16}, steps()};
  work.error_factor = block.error_factor;
  if (is_quick()) {
    work.steps = {.n_rows = {12}, .n_decoded = 1};
    work.n_runs = 1;
  } else if (block.concerns_caches) {
    work.caches = cache_types();
  }
  return work;
}

void Prover::count_steps() {
  const auto n_variants = static_cast<std::uint32_t>(inputs_.variants.size());
  progress_.n_steps = work_of_small().n_steps() + n_variants * steps().n_steps();
  for (const BlockProof& block : blocks()) progress_.n_steps += work_of(block).n_steps();
  if (!is_quick()) progress_.n_steps += work_of_wide().n_steps();
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

void Prover::compare_with_cpu(const ProofAnswers& found, const ProofAnswers& expected, double allowed,
                              const ProofSteps& steps) {
  for (std::size_t i = 0; i < expected.of_steps.size(); ++i) {
    const double error = relative_error(found.of_steps[i], expected.of_steps[i]), share = error / allowed;
    proof_.worst_error = std::max(proof_.worst_error, share);
    if (share <= 1) continue;
    const bool is_prompt = i < steps.n_rows.size();
    fail(fmt::format("{}: {} differs from the CPU's by {:.1f} %, where {:.0f} % is allowed", progress_.what,
                     is_prompt ? fmt::format("a prompt of {} tokens", steps.n_rows[i])
                               : fmt::format("decoded token {}", i - steps.n_rows.size() + 1),
                     100 * error, 100 * allowed));
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

Status Prover::prove_model(const ProofModel& model, const Work& work, std::span<const BackendVariant> variants) {
  begin("loading " + model.info->name);
  const auto cpu = ProofDevice::load(model, {inputs_.cpu}, inputs_.make_backend, inputs_.stop);
  if (!cpu) return cpu.error();
  const auto device = ProofDevice::load(model, {inputs_.cpu, inputs_.device}, inputs_.make_backend, inputs_.stop);
  if (!device) return device.error();
  std::optional<ProofAnswers> first;
  for (const DType kv : work.caches) {
    begin(fmt::format("{}, {} cache", model.info->name, dtype_row(kv).label));
    const auto expected = (*cpu)->run(kv, work.steps, 1, inputs_.stop, advance_);
    if (!expected) return expected.error();
    auto found = (*device)->run(kv, work.steps, work.n_runs, inputs_.stop, advance_);
    if (!found) return found.error();
    for (const std::string& fault : found->faults) fail(fmt::format("{}: {}", progress_.what, fault));
    compare_with_cpu(found->runs.front(), expected->runs.front(), work.error_factor * allowed_error(kv), work.steps);
    for (const ProofAnswers& again : found->runs) compare_exactly(again, found->runs.front(), "a repetition");
    check_count(**device);
    if (!proof_.failures.empty()) return ok_status();  // what comes later would tell the same
    if (!first) first = std::move(found->runs.front());
  }
  for (const BackendVariant& variant : variants) {
    if (Status proved = prove_variant(variant, model, work.steps, *first); !proved) return proved;
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
  CHECK(!cache_types().empty(), "a device has a cache type that the CPU has");
  Status proved = prove_model(make_small_proof_model(), work_of_small(), inputs_.variants);
  for (const BlockProof& block : blocks()) {
    if (proved && proof_.failures.empty()) proved = prove_model(block.make(), work_of(block));
  }
  if (proved && proof_.failures.empty() && !is_quick()) proved = prove_model(make_wide_proof_model(), work_of_wide());
  if (!proved) return proved;
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
