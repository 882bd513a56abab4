// Every byte of a header is cut off and flipped: whatever comes out, it is a value.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "base/check.h"
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

// One file on disk that is changed in place, because a new file for each of some 30,000 cases takes longer than all the
// reading.
class HostileHeader : public testing::Test {
 protected:
  HostileHeader() : bytes_(small_model_bytes()), path_(folder_.path() / "m.gguf") {
    std::ofstream(path_, std::ios::binary) << bytes_;
    descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    CHECK(descriptor_ >= 0, "the test's own file cannot be opened");
  }
  ~HostileHeader() override { close(descriptor_); }

  // Absent when the file is accepted as a model.
  std::optional<Error> read() const {
    const auto file = open_model_file(path_);
    if (!file) return file.error();
    const auto model = read_model_info(*file);
    if (!model) return model.error();
    return std::nullopt;
  }

  void put(std::size_t at, char byte) const {
    CHECK(pwrite(descriptor_, &byte, 1, static_cast<off_t>(at)) == 1, "the test's file cannot be written");
  }

  const test::TempFolder folder_;
  const std::string bytes_;
  const std::filesystem::path path_;
  int descriptor_ = -1;
};

TEST_F(HostileHeader, cut_off_anywhere_is_a_bad_file) {
  ASSERT_FALSE(read()) << read()->message;
  const auto whole = open_model_file(path_);
  const TensorInfo& last = whole->tensors().back();  // behind it there is padding, which no reader needs
  for (std::size_t n = last.offset + last.n_bytes; n-- > 0;) {
    ASSERT_EQ(ftruncate(descriptor_, static_cast<off_t>(n)), 0);
    const auto error = read();
    ASSERT_TRUE(error) << n;
    EXPECT_EQ(error->code, ErrorCode::kBadFile) << n << ": " << error->message.text();
    EXPECT_NE(error->message.text().find("m.gguf"), std::string::npos) << error->message.text();
  }
}

TEST_F(HostileHeader, any_flipped_bit_gives_a_model_or_one_clear_error) {
  int n_accepted = 0, n_refused = 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      put(i, static_cast<char>(bytes_[i] ^ (1 << bit)));
      const auto error = read();
      error ? ++n_refused : ++n_accepted;
      if (!error) continue;
      EXPECT_TRUE(error->code == ErrorCode::kBadFile || error->code == ErrorCode::kUnsupported)
          << i << ": " << error->message.text();
      EXPECT_FALSE(error->message.text().empty());
    }
    put(i, bytes_[i]);
  }
  EXPECT_GT(n_accepted, 0);
  EXPECT_GT(n_refused, 1000);
}

}  // namespace
}  // namespace headroom
