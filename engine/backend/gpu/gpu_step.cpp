#include "backend/gpu/gpu_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "model/gpu_grids.h"
#include "plan/gpu_rules.h"

namespace headroom {

Status check_step_rows(const GpuBinding& bound, std::string_view id) {
  const std::uint32_t most = gpu_most_rows(*bound.model, kMostGroups), found = bound.plan->program.max_rows;
  if (found <= most) return ok_status();
  return Error{ErrorCode::kUnsupported,
               Message::say("{}: expected steps of at most {} rows (n_batch and n_slots), found {}", id, most, found)};
}

Status write_balance(GpuDriver& driver, const GpuBinding& bound, std::span<const std::vector<float>> balance) {
  const GpuSlice& to = bound.scratch.balance;
  if (!to) return ok_status();
  const Bytes row = to.size / bound.model->n_layers() / kF32Bytes * kF32Bytes;
  for (std::size_t i = 0; i < bound.model->layers.size(); ++i) {
    if (bound.plan->placement.layers[i].attention != bound.device) continue;
    CHECK(i < balance.size() && balance[i].size() == bound.model->layers[i].kv_dim(),
          "the factors of balanced keys are missing");
    const auto* from = reinterpret_cast<const std::byte*>(balance[i].data());
    const Bytes bytes = balance[i].size() * kF32Bytes;
    if (to.mapped() != nullptr) {
      std::memcpy(to.mapped() + i * row, from, bytes);
      continue;
    }
    // The inputs are page-locked, and no step has written them yet.
    const GpuSlice& through = bound.inputs;
    for (Bytes at = 0; at < bytes; at += through.size) {
      const Bytes n_bytes = std::min(through.size, bytes - at);
      std::memcpy(through.mapped(), from + at, n_bytes);
      const std::array copies{GpuCopy{through.part(0, n_bytes), to.part(i * row + at, n_bytes)}};
      if (Status done = driver.copy("copying the balance of keys", copies); !done) return done;
    }
  }
  return ok_status();
}

void write_grids(const GpuBinding& bound) {
  if (bound.input_layout.grids_at == 0) return;
  CHECK(bound.input_layout.grids_at == kGpuRowWords, "kernels know where the grids are");
  auto* words = reinterpret_cast<std::uint32_t*>(bound.inputs.mapped()) + bound.input_layout.grids_at;
  write_gpu_grids(std::span<std::uint32_t, kGpuGridWords>(words, kGpuGridWords));
}

void write_inputs(const GpuBinding& bound, const StepInputs& inputs) {
  const GpuInputs& layout = bound.input_layout;
  auto* words = reinterpret_cast<std::uint32_t*>(bound.inputs.mapped());
  const auto n_rows = static_cast<std::uint32_t>(inputs.rows.size());
  words[layout.counts_at] = n_rows;
  words[layout.counts_at + 1] = static_cast<std::uint32_t>(inputs.logit_rows.size());
  for (std::uint32_t i = 0; i < n_rows; ++i) {
    const StepRow& row = inputs.rows[i];
    std::uint32_t* to = words + layout.rows_at + std::size_t{i} * kGpuRowWords;
    to[0] = row.token, to[1] = row.slot, to[2] = row.position, to[3] = n_rows;
  }
  // Rows of a slot stand together.
  for (std::uint32_t i = 0, n_slots = 0; i < n_rows; ++i) {
    if (i > 0 && inputs.rows[i].slot == inputs.rows[i - 1].slot) continue;
    words[layout.rows_at + std::size_t{n_slots++} * kGpuRowWords + 3] = i;
  }
  std::copy(inputs.logit_rows.begin(), inputs.logit_rows.end(), words + layout.logit_rows_at);
  std::copy(inputs.exact_from.begin(), inputs.exact_from.end(), words + layout.exact_from_at);
  for (std::uint32_t rope = 0; rope < bound.ropes.size(); ++rope) {
    const RopeFrequencies& frequencies = bound.ropes[rope];
    const std::size_t n_pairs = frequencies.per_pair.size();
    auto* to = reinterpret_cast<float*>(words + layout.rope_at(*bound.model, rope, bound.plan->program.max_rows));
    for (const StepRow& row : inputs.rows) {
      const float magnitude = frequencies.magnitude_at(row.position);
      for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        const float angle = static_cast<float>(row.position) * frequencies.per_pair[pair];  // as models were trained
        to[pair] = std::cos(angle) * magnitude;
        to[n_pairs + pair] = std::sin(angle) * magnitude;
      }
      to += 2 * n_pairs;
    }
  }
}

}  // namespace headroom
