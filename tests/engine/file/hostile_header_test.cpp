// Every byte of a header is cut off and flipped: whatever comes out, it is a value.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <span>

#include "file/model_file.h"
#include "model/model_info.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

std::string small_model_bytes() {
  const test::TempFolder folder;
  test::RandomModelSpec spec;
  spec.n_layers = 1, spec.d_model = 8, spec.n_heads = 2, spec.n_kv_heads = 1, spec.d_ff = 8, spec.n_vocab = 4;
  spec.freq_factors = {1, 2};
  const auto path = test::make_random_model(spec, folder.path());
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class HostileHeader : public testing::Test {
 protected:
  // Absent when the bytes are accepted as a model.
  std::optional<Error> try_bytes(std::string_view bytes) const {
    const auto path = folder_.path() / "m.gguf";
    std::ofstream(path, std::ios::binary) << bytes;
    const auto file = open_model_file(path);
    if (!file) return file.error();
    const auto model = read_model_info(*file);
    if (!model) return model.error();
    return std::nullopt;
  }

  const test::TempFolder folder_;
};

TEST_F(HostileHeader, cut_off_anywhere_is_a_bad_file) {
  const std::string bytes = small_model_bytes();
  ASSERT_FALSE(try_bytes(bytes)) << try_bytes(bytes)->message;
  const auto whole = open_model_file(folder_.path() / "m.gguf");
  const TensorInfo& last = whole->tensors().back();  // behind it there is padding, which no reader needs
  for (std::size_t n = 0; n < last.offset + last.n_bytes; ++n) {
    const auto error = try_bytes(bytes.substr(0, n));
    ASSERT_TRUE(error) << n;
    EXPECT_EQ(error->code, ErrorCode::kBadFile) << n << ": " << error->message;
    EXPECT_NE(error->message.find("m.gguf"), std::string::npos) << error->message;
  }
}

TEST_F(HostileHeader, any_flipped_bit_gives_a_model_or_one_clear_error) {
  const std::string bytes = small_model_bytes();
  int n_accepted = 0, n_refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      const auto error = try_bytes(flipped);
      error ? ++n_refused : ++n_accepted;
      if (!error) continue;
      EXPECT_TRUE(error->code == ErrorCode::kBadFile || error->code == ErrorCode::kUnsupported) << i << ": " << error->message;
      EXPECT_FALSE(error->message.empty());
    }
  }
  EXPECT_GT(n_accepted, 0);
  EXPECT_GT(n_refused, 1000);
}

}  // namespace
}  // namespace headroom
