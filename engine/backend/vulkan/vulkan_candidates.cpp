#include "backend/vulkan/vulkan_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "plan/gpu_rules.h"

namespace headroom {
namespace {

// Iterations of all loops of one invocation of top_tokens.comp when a row is full of ties: all blocks are looked into
// ten times, four tokens at once, and their maxima four times; what is left counts, sorts and answers.
std::uint64_t loops_of(std::uint32_t n_vocab) {
  constexpr std::uint64_t kThreads = 128, kVisits = 10, kOther = 1024;
  return div_up(div_up(n_vocab, kRowBlock), kThreads) * (kVisits * (1 + kRowBlock / 4) + 4) + kOther;
}

}  // namespace

const std::set<PipelineKey>& VulkanCandidates::kernels() {
  static const std::set<PipelineKey> kernels{{Kernel::kRowMaxima, {}}, {Kernel::kTopTokens, {}}};
  return kernels;
}

Result<std::unique_ptr<VulkanCandidates>> VulkanCandidates::record(std::shared_ptr<VulkanDevice> device,
                                                                   VulkanPipelines& pipelines,
                                                                   const CandidateSlices& slices) {
  std::unique_ptr<VulkanCandidates> made(
      new VulkanCandidates(std::move(device), slices));  // NOLINT: the constructor is private
  CHECK(slices.scratch && slices.scratch.size >= slices.sizes.total() && slices.inputs.size >= slices.layout.total(),
        "the plan has too little room to look for candidates");
  if (Status fine = made->check_limits(); !fine) return fine.error();
  if (Status recorded = made->record_commands(pipelines); !recorded) return recorded.error();
  return made;
}

std::uint32_t VulkanCandidates::n_sums() const {
  return static_cast<std::uint32_t>(div_up(slices_.n_vocab, kRowSumBlock));
}

Status VulkanCandidates::check_limits() const {
  const auto is_too_large = [&](std::uint32_t n_vocab) {
    return div_up(n_vocab, kRowSumBlock) > kMostGroups ||
           (device_->card().skips_long_loops && loops_of(n_vocab) > kMostSoftwareLoops);
  };
  if (!is_too_large(slices_.n_vocab)) return ok_status();
  std::uint32_t most = slices_.n_vocab;
  while (is_too_large(most)) most -= kRowSumBlock;
  return Error{ErrorCode::kUnsupported, fmt::format("{}: expected a vocabulary of at most {} tokens, found {}",
                                                    device_->id(), most, slices_.n_vocab)};
}

Status VulkanCandidates::record_commands(VulkanPipelines& pipelines) {
  Result<std::unique_ptr<VulkanDescriptors>> descriptors = VulkanDescriptors::open(device_, 1);
  if (!descriptors) return descriptors.error();
  descriptors_ = std::move(*descriptors);
  Result<std::unique_ptr<VulkanCommands>> commands = VulkanCommands::open(device_, 1);
  if (!commands) return commands.error();
  commands_ = std::move(*commands);
  VulkanDescriptors::Buffers buffers{};
  buffers.fill(slices_.inputs.buffer());
  buffers[3] = slices_.logits.buffer();
  const std::uint32_t n_rows = slices_.sizes.n_rows;
  buffers[4] = slices_.inputs.part(slices_.layout.answers_at * 4, n_rows * answer_.n_words * 4).buffer();
  buffers[5] = slices_.scratch.buffer();
  Result<VkDescriptorSet> set = descriptors_->bind(pipelines, buffers);
  if (!set) return set.error();
  const std::array<std::uint32_t, 7> push{slices_.n_vocab,
                                          static_cast<std::uint32_t>(slices_.layout.queries_at),
                                          static_cast<std::uint32_t>(slices_.layout.ids_at),
                                          static_cast<std::uint32_t>(answer_.n_words),
                                          static_cast<std::uint32_t>(answer_.logits_at),
                                          static_cast<std::uint32_t>(answer_.sums_at),
                                          static_cast<std::uint32_t>(slices_.sizes.per_row() / 4)};
  return commands_->record(0, [&](VkCommandBuffer to) -> Status {
    Result<VkPipeline> maxima = pipelines.find(Kernel::kRowMaxima, {}), tokens = pipelines.find(Kernel::kTopTokens, {});
    for (const Result<VkPipeline>* each : {&maxima, &tokens}) {
      if (!*each) return each->error();
    }
    pipelines.bind(to, *maxima, *set, push);
    vkCmdDispatch(to, n_sums(), n_rows, 1);
    record_barrier(to);
    pipelines.bind(to, *tokens, *set, push);
    vkCmdDispatch(to, 1, n_rows, 1);
    return ok_status();
  });
}

Status VulkanCandidates::find(std::span<CandidateQuery> queries) {
  ask(queries);
  const VkCommandBuffer commands = (*commands_)[0];
  if (Status submitted = device_->submit({&commands, 1}); !submitted) return submitted;
  if (Status done = device_->wait(); !done) return done;
  for (std::uint32_t i = 0; i < queries.size(); ++i) read_answer(i, queries[i]);
  return ok_status();
}

// Nothing that reads them runs.
void VulkanCandidates::ask(std::span<const CandidateQuery> queries) {
  CHECK(queries.size() <= slices_.sizes.n_rows, "more rows are asked at once than the plan has scratch for");
  auto* words = reinterpret_cast<std::uint32_t*>(slices_.inputs.mapped());
  for (std::uint32_t i = 0; i < slices_.sizes.n_rows; ++i) {
    std::uint32_t* of_query = words + slices_.layout.queries_at + std::size_t{i} * kGpuRowWords;
    std::fill_n(of_query, kGpuRowWords, 0U);
    if (i >= queries.size()) continue;
    const CandidateQuery& query = queries[i];
    CHECK(!query.best.empty() && query.best.size() <= std::min(slices_.n_vocab, kMostCandidates) &&
              query.ids.size() <= kMostCandidates && query.logits.size() == query.ids.size(),
          "a query has no room for its answer, or asks for more than there is");
    of_query[0] = query.row;
    of_query[1] = static_cast<std::uint32_t>(query.best.size());
    of_query[2] = static_cast<std::uint32_t>(query.ids.size());
    std::ranges::copy(query.ids, words + slices_.layout.ids_at + std::size_t{i} * kMostCandidates);
  }
}

void VulkanCandidates::read_answer(std::uint32_t index, CandidateQuery& query) const {
  const auto* words = reinterpret_cast<const std::uint32_t*>(slices_.inputs.mapped()) + slices_.layout.answers_at +
                      index * answer_.n_words;
  const auto number = [&](std::uint64_t at) { return std::bit_cast<float>(words[at]); };
  for (std::size_t i = 0; i < query.best.size(); ++i)
    query.best[i] = {number(answer_.best_at + 2 * i), words[answer_.best_at + 2 * i + 1]};
  for (std::size_t i = 0; i < query.logits.size(); ++i) query.logits[i] = number(answer_.logits_at + i);
  if (!query.wants_sum) return;
  query.sum = 0;
  for (std::uint64_t i = 0; i < n_sums(); ++i) {
    const std::uint64_t at = answer_.sums_at + 2 * i;
    query.sum += number(at) * std::exp(double{number(at + 1)} - query.best.front().logit);
  }
}

}  // namespace headroom
