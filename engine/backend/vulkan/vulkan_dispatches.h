// An op as dispatches of kernels: pure, what a command buffer is recorded from.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/vulkan/vulkan_binding.h"
#include "backend/vulkan/vulkan_pipelines.h"

namespace headroom {

// How many workgroups a dispatch has; the second number follows from the rows of the step.
struct GroupRule {
  enum class Of : std::uint8_t {
    kRows,        // rows * factor, less those before `first`, at most `most` of them
    kEights,      // eights of rows
    kLogitRows,   // rows with logits
    kLogitEights  // eights of those
  };
  std::uint32_t x = 1;
  Of of = Of::kRows;
  std::uint32_t factor = 1, first = 0, most = ~0U;
  bool operator==(const GroupRule&) const = default;
  std::uint32_t y(std::uint32_t n_rows, std::uint32_t n_logit_rows) const;
};

struct Dispatch {
  Kernel kernel = Kernel::kEmbed;
  std::vector<std::uint32_t> constants;  // by constant_id
  std::array<VulkanSlice, kKernelBuffers> slices{};
  std::vector<std::uint32_t> push;
  GroupRule groups;
  bool waits = false;  // for those before it in the same part
};

// What is submitted at once at least, and how long it takes.
struct OpPart {
  std::vector<Dispatch> dispatches;
  std::uint32_t first_row = 0;  // nothing to do in steps of no more rows
  double products_per_row = 0;  // multiply-adds
};

// All parts of an op of this device.
std::vector<OpPart> op_parts(const VulkanBinding& bound, const Op& op);

}  // namespace headroom
