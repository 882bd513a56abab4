// All rows of the logits that an executor's or a session's last step left.
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"

namespace headroom::test {

// (n_rows, n_vocab)
template <class Source>
std::vector<float> all_logits(Source& source, std::size_t n_rows) {
  std::vector<float> all;
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    const auto logits = source.logits(row);
    CHECK(logits.ok(), logits.error().message.text().c_str());
    all.insert(all.end(), logits->begin(), logits->end());
  }
  return all;
}

}  // namespace headroom::test
