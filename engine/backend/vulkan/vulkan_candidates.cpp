#include "backend/vulkan/vulkan_candidates.h"

#include <array>

#include "backend/gpu/gpu_words.h"
#include "backend/vulkan/vulkan_arena.h"

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
  if (Status fine = made->check_limits(); !fine) return fine.error();
  if (Status recorded = made->record_commands(pipelines); !recorded) return recorded.error();
  return made;
}

Status VulkanCandidates::check_limits() const {
  const auto is_too_large = [&](std::uint32_t n_vocab) {
    return div_up(n_vocab, kRowSumBlock) > kMostGroups ||
           (device_->card().skips_long_loops && loops_of(n_vocab) > kMostSoftwareLoops);
  };
  if (!is_too_large(n_vocab_)) return ok_status();
  std::uint32_t most = n_vocab_;
  while (is_too_large(most)) most -= kRowSumBlock;
  return Error{ErrorCode::kUnsupported,
               Message::say("{}: expected a vocabulary of at most {} tokens, found {}", device_->id(), most, n_vocab_)};
}

Status VulkanCandidates::record_commands(VulkanPipelines& pipelines) {
  Result<std::unique_ptr<VulkanDescriptors>> descriptors = VulkanDescriptors::open(device_, 1);
  if (!descriptors) return descriptors.error();
  descriptors_ = std::move(*descriptors);
  Result<std::unique_ptr<VulkanCommands>> commands = VulkanCommands::open(device_, 1);
  if (!commands) return commands.error();
  commands_ = std::move(*commands);
  VulkanDescriptors::Buffers buffers{};
  const std::array<GpuSlice, 6> slices = candidates_.buffers();
  buffers.fill(binding_of(slices[0]));  // a binding that kernels do not use must stand on something
  for (std::size_t i = 1; i < slices.size(); ++i) {
    if (slices[i]) buffers[i] = binding_of(slices[i]);
  }
  Result<VkDescriptorSet> set = descriptors_->bind(pipelines, buffers);
  if (!set) return set.error();
  const std::vector<std::uint32_t> push = words_of(candidates_.push());
  const std::uint32_t n_queries = candidates_.n_queries();
  return commands_->record(0, [&](VkCommandBuffer to) -> Status {
    Result<VkPipeline> maxima = pipelines.find(Kernel::kRowMaxima, {}), tokens = pipelines.find(Kernel::kTopTokens, {});
    for (const Result<VkPipeline>* each : {&maxima, &tokens}) {
      if (!*each) return each->error();
    }
    pipelines.bind(to, *maxima, *set, push);
    vkCmdDispatch(to, candidates_.n_sums(), n_queries, 1);
    record_barrier(to);
    pipelines.bind(to, *tokens, *set, push);
    vkCmdDispatch(to, 1, n_queries, 1);
    return ok_status();
  });
}

Status VulkanCandidates::find(std::span<CandidateQuery> queries) {
  candidates_.write_queries(queries);
  const VkCommandBuffer all = commands();
  if (Status submitted = device_->submit({&all, 1}); !submitted) return submitted;
  if (Status done = device_->wait("finding the likeliest tokens"); !done) return done;
  return candidates_.read_answers(device_->id(), queries);
}

}  // namespace headroom
