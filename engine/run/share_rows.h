// How the rows of a step are shared among the prompts that are being read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

// The most rows of prompts in a step that has rows of answers too: an answer waits for no more between two of its
// tokens. A lone prompt has the whole batch.
inline constexpr std::uint32_t kPromptRowsBesideAnswers = 64;

// How many rows of prompts a step may have beside so many answers.
std::uint32_t most_prompt_rows(const PlanOptions& options, std::uint32_t n_answers);

struct PromptShare {
  std::uint32_t n_left = 0;     // rows that the prompt still has
  std::uint64_t served_at = 0;  // the step in which it last had rows
  std::uint32_t n_rows = 0;     // out: of this step
};

// Shares `n_rows` among prompts. Each has an equal part or all that it has left, so that a short prompt is not stuck
// behind a long one: of 256 rows a prompt of 20 tokens has 20, and one of 4,000 beside it 236. What is left over after
// that goes to those that waited longest. Where there are more prompts than rows, those that waited longest have one
// each.
void share_rows(std::uint32_t n_rows, std::span<PromptShare> prompts);

}  // namespace headroom
