#include "run/share_rows.h"

#include <algorithm>

namespace headroom {

std::uint32_t most_prompt_rows(const PlanOptions& options, std::uint32_t n_answers) {
  if (n_answers == 0) return options.n_batch;
  return std::min({kPromptRowsBesideAnswers, options.n_batch, options.step_rows() - n_answers});
}

// One row after the other, from those that waited longest on, would give the same shares: rounds of equal parts do it
// in as many rounds as there are prompts at most.
void share_rows(std::uint32_t n_rows, std::span<PromptShare> prompts) {
  for (PromptShare& prompt : prompts) prompt.n_rows = 0;
  while (n_rows > 0) {
    std::uint32_t n_open = 0;
    for (const PromptShare& prompt : prompts) n_open += prompt.n_rows < prompt.n_left ? 1 : 0;
    if (n_open == 0) return;
    if (n_rows < n_open) break;
    const std::uint32_t part = n_rows / n_open;
    for (PromptShare& prompt : prompts) {
      const std::uint32_t n = std::min(part, prompt.n_left - prompt.n_rows);
      prompt.n_rows += n;
      n_rows -= n;
    }
  }
  while (n_rows > 0) {
    PromptShare* next = nullptr;
    for (PromptShare& prompt : prompts) {
      const bool is_open = prompt.n_rows < prompt.n_left;
      const auto waits_longer = [](const PromptShare& a, const PromptShare& b) {
        return a.n_rows != b.n_rows ? a.n_rows < b.n_rows : a.served_at < b.served_at;
      };
      if (is_open && (next == nullptr || waits_longer(prompt, *next))) next = &prompt;
    }
    if (next == nullptr) return;
    ++next->n_rows;
    --n_rows;
  }
}

}  // namespace headroom
