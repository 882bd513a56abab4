// A verification as a value.
#pragma once

#include "plan/verification.h"

namespace headroom::test {

inline Verification verified_as_planned() {
  Verification found;
  found.n_ctx = 4096;
  found.n_slots = found.n_full_slots = 2;
  found.refuses_longer_prompt = true;
  found.devices = {{.device = "cuda:0",
                    .planned_bytes = 4 * kGiB,
                    .mapped_bytes = 4 * kGiB,
                    .planned_driver_bytes = 300 * kMiB,
                    .planned_driver_is_measured = true,
                    .most_driver_bytes = 280 * kMiB,
                    .most_ours_bytes = 5 * kGiB,
                    .least_free_bytes = 3 * kGiB},
                   {.device = "cpu",
                    .planned_bytes = kGiB,
                    .mapped_bytes = kGiB,
                    .most_ours_bytes = 2 * kGiB,
                    .least_free_bytes = 9 * kGiB}};
  found.speeds = {{0, 42.5, 44.0}, {2044, 40.0, std::nullopt}, {4056, 38.0, 39.0}};
  found.prompt = PromptSpeed{2012, 512.0, 500.0};
  found.n_answers = kVerifyAnswers;
  found.grown_by_answers.heap = 2 * kKiB;
  found.seconds = 61.5;
  return found;
}

}  // namespace headroom::test
