// Rows of one step, each sampled with settings of its own, against a sampler that reads whole rows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "run/session.h"
#include "support/all_logits.h"
#include "support/full_row_sampler.h"

namespace headroom::test {

// More than go at once; one of them takes its whole row.
inline constexpr std::uint32_t kSampledRows = 9;

// The same tokens, and with each the likeliest and their probabilities as the whole row has them.
inline void expect_logprobs_of_whole_rows(Session& session, std::span<SampledRow> rows,
                                          const std::vector<SamplerSettings>& settings) {
  constexpr double kSumError = 2e-5;  // of the sum that a device tells, and of a logarithm as float
  constexpr std::size_t kTop = 5;
  std::vector<TokenId> expected_tokens;
  std::vector<Sampler> samplers;
  std::vector<std::array<TokenLogprob, kTop>> found(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expected_tokens.push_back(rows[i].token);
    samplers.emplace_back(settings[i], i + 1, session.sampler_scratch());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].sampler = &samplers[i];
    rows[i].likeliest = found[i];
  }
  ASSERT_TRUE(session.sample(rows).ok());
  const std::vector<float> logits = all_logits(session, static_cast<std::uint32_t>(rows.size()));
  const std::size_t n_vocab = logits.size() / rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const float> row = std::span(logits).subspan(i * n_vocab, n_vocab);
    double sum = 0;
    std::vector<Candidate> all;
    for (TokenId id = 0; id < n_vocab; ++id) {
      sum += std::exp(static_cast<double>(row[id]));
      all.push_back({row[id], id});
    }
    std::sort(all.begin(), all.end(), is_likelier);
    EXPECT_EQ(rows[i].token, expected_tokens[i]) << "who asks for probabilities gets the same token";
    EXPECT_NEAR(rows[i].logprob, row[rows[i].token] - std::log(sum), kSumError) << i;
    for (std::size_t k = 0; k < kTop; ++k) {
      EXPECT_EQ(found[i][k].id, all[k].id) << i;
      EXPECT_NEAR(found[i][k].logprob, all[k].logit - std::log(sum), kSumError) << i;
    }
  }
}

inline std::vector<SamplerSettings> sampled_settings() {
  return {
      {},
      {.temperature = 0.8F, .top_k = 40, .top_p = 0.95F, .min_p = 0.05F, .repetition_penalty = 1.1F},
      {.temperature = 0.0F},
      {.temperature = 0.0F, .presence_penalty = -20.0F},
      {.temperature = 1.5F, .top_k = 0, .top_p = 0.5F, .min_p = 0.0F},
      {.temperature = 1.5F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F},
      {.temperature = 1.0F, .top_k = 7, .repetition_penalty = 0.5F},
      {.temperature = 3.0F, .top_k = 0, .min_p = 0.2F, .presence_penalty = 1.0F},
      {.temperature = 1.0F, .top_k = 200, .top_p = 0.7F},
  };
}

// What is chosen from the rows of a step, with what the device finds of them.
struct ChosenRows {
  std::vector<TokenId> tokens;
  std::vector<float> logprobs;
  std::vector<TokenId> likeliest;
  std::uint64_t n_rows_read = 0;
  bool operator==(const ChosenRows&) const = default;
};

// One step and a token for each of its rows with logits, asked for with the step or behind it; the slots are then as
// they were.
inline ChosenRows choose_of_step(Session& session, std::span<const SlotRows> parts, bool with_step) {
  const std::vector<SamplerSettings> settings = sampled_settings();
  const std::uint64_t n_read_before = session.n_rows_read();
  std::vector<std::size_t> n_held;
  std::vector<Sampler> samplers;
  std::vector<std::array<TokenLogprob, 4>> likeliest(settings.size());
  std::vector<SampledRow> rows;
  for (std::size_t i = 0; i < settings.size(); ++i)
    samplers.emplace_back(settings[i], i + 1, session.sampler_scratch());
  for (const SlotRows& part : parts) {
    n_held.push_back(session.cache().tokens(part.slot).size());
    for (std::uint32_t i = 0; i < part.n_logit_rows; ++i) {
      const auto row = static_cast<std::uint32_t>(rows.size());
      rows.push_back({.row = row, .sampler = &samplers[row], .likeliest = likeliest[row]});
    }
  }
  const auto sample_behind = [&]() -> Status {
    if (Status done = session.step(parts, {}); !done) return done;
    auto row = rows.begin();
    for (const SlotRows& part : parts) {
      const std::span<const TokenId> held = session.cache().tokens(part.slot);
      for (std::uint32_t i = part.n_logit_rows; i > 0; --i) (row++)->recent = held.first(held.size() - i + 1);
    }
    return session.sample(rows);
  };
  const Status done = with_step ? session.step_and_sample(parts, rows, {}) : sample_behind();
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message.text());
  ChosenRows chosen;
  for (const SampledRow& row : rows) {
    chosen.tokens.push_back(row.token);
    chosen.logprobs.push_back(row.logprob);
    for (const TokenLogprob& token : row.likeliest) chosen.likeliest.push_back(token.id);
  }
  chosen.n_rows_read = session.n_rows_read() - n_read_before;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(session.cache().tokens(parts[i].slot).size(), n_held[i] + parts[i].tokens.size());
    const auto n = static_cast<std::uint32_t>(n_held[i]);
    EXPECT_EQ(*session.take_back(parts[i].slot, n), n);
  }
  return chosen;
}

// Of a session whose n_logit_rows are these, with two slots: `prompt` and rows that follow it.
inline void expect_rows_sampled_with_the_step_as_behind_it(Session& session, const std::vector<TokenId>& prompt) {
  const std::array<TokenId, 2> next{17, 29};
  const std::span<const TokenId> few = std::span(prompt).first(5), first = std::span(next).first(1);
  const std::vector<std::vector<SlotRows>> steps{
      {{0, prompt, kSampledRows}},   // more than go at once
      {{0, first, 1}},               // as a token of an answer alone
      {{0, next, 2}},                // with a draft
      {{0, first, 1}, {1, few, 0}},  // beside a prompt that is not read yet
      {{0, first, 1}, {1, few, 3}},  // of two slots
      {{0, few.first(1), 0}, {1, first, 1}},
  };
  for (const std::vector<SlotRows>& parts : steps) {
    const ChosenRows behind = choose_of_step(session, parts, false);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(choose_of_step(session, parts, true), behind) << &parts - steps.data();
    ASSERT_TRUE(session.step(parts, {}).ok());
  }
  EXPECT_EQ(session.n_allocations_after_open(), 0U);
}

// Of a session whose n_logit_rows are these, wherever its head stands. `prompt` is one step, of more tokens than rows.
inline void expect_rows_sampled_as_their_settings_say(Session& session, const std::vector<TokenId>& prompt) {
  const std::vector<SamplerSettings> settings = sampled_settings();
  ASSERT_EQ(settings.size(), kSampledRows);
  ASSERT_TRUE(session.step({0, prompt, kSampledRows}, {}).ok());
  std::vector<Sampler> samplers;
  for (std::uint32_t i = 0; i < kSampledRows; ++i) samplers.emplace_back(settings[i], i + 1, session.sampler_scratch());
  std::vector<SampledRow> rows;
  for (std::uint32_t i = 0; i < kSampledRows; ++i)
    rows.push_back({i, &samplers[i], std::span(prompt).first(prompt.size() - kSampledRows + i + 1)});
  ASSERT_TRUE(session.sample(rows).ok());
  EXPECT_EQ(session.n_rows_read(), 1U) << "of the row that nothing narrows";
  const std::vector<float> logits = all_logits(session, kSampledRows);
  const std::size_t n_vocab = logits.size() / kSampledRows;
  for (std::uint32_t i = 0; i < kSampledRows; ++i) {
    const auto first = logits.begin() + static_cast<std::ptrdiff_t>(i * n_vocab);
    FullRowSampler full(settings[i], i + 1);
    EXPECT_EQ(rows[i].token, full.choose({first, first + static_cast<std::ptrdiff_t>(n_vocab)}, rows[i].recent)) << i;
  }
  expect_logprobs_of_whole_rows(session, rows, settings);
  EXPECT_EQ(session.n_allocations_after_open(), 0U);
  SampledRow outside{kSampledRows, samplers.data(), prompt};
  EXPECT_EQ(session.sample({&outside, 1}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(session.logits(kSampledRows).error().code, ErrorCode::kUsage);
}

}  // namespace headroom::test
