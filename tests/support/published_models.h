// Published models: their shapes, what is known of them, and their headers as the engine reads them. The table is
// published_models.tsv, which says what its columns mean and where its numbers are from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "model/model_info.h"
#include "support/random_model.h"

namespace headroom::test {

// A number as it is published: "3.3B" is 3.3e9 in units of 0.1e9; all digits are exact.
struct PublishedCount {
  std::uint64_t n = 0, unit = 0;  // unit 0: nothing is published
};
PublishedCount parse_count(std::string_view text);
// Exact where all digits are known, else at most one unit of the last digit away.
bool agrees(const PublishedCount& published, std::uint64_t n);

struct PublishedModel {
  std::string name;
  RandomModelSpec spec;  // with holes and without a tokenizer: a header
  PublishedCount total, active;
  bool embedding_is_active = true;                   // is counted in `active`
  Bytes kv_per_token = 0, window_kv = 0, state = 0;  // expected
};

// The rows of the table below the root of the sources. Aborts the test binary when one cannot be read.
std::vector<PublishedModel> published_models(const std::string& source_dir);

// What the engine reads from a file of this header, whose weights take no disk.
Result<ModelInfo> read_published(const PublishedModel& model);

// Weights that one token is multiplied with, the embedding counted whole: of experts the chosen ones.
std::uint64_t active_params(const ModelInfo& model);

// Of one position in all layers that keep every position, F16; and of all layers with a window, as many positions as
// they see.
Bytes kv_per_token(const ModelInfo& model);
Bytes window_kv(const ModelInfo& model);

}  // namespace headroom::test
