#include "backend/cpu/load_weight.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "backend/cpu/panel.h"
#include "file/gguf_writer.h"
#include "format/dtype_table.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

// A matrix of a few megabytes in a file: several pieces for each thread, and a last panel that is not full.
class LoadWeight : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRows = 3001, kCols = 1024;

  void SetUp() override {
    const Bytes stride = row_bytes(DType::kQ8_0, kCols);
    rows.resize(kRows * stride);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>((i * 131 + i / 256) & 255U);
    GgufWriter writer;
    writer.add_tensor("matrix", static_cast<std::uint32_t>(dtype_row(DType::kQ8_0).gguf_type), {kCols, kRows}, rows);
    path = folder.path() / "matrix.gguf";
    ASSERT_TRUE(writer.write(path).ok());
    weight = {
        .role = TensorRole::kUp, .layer = 0, .name = "matrix", .dtype = DType::kQ8_0, .n_rows = kRows, .n_cols = kCols};
    panels.resize(weight_bytes(weight, WeightLayout::kPanels));
  }

  Status load(std::uint32_t n_threads, const StopToken& stop, const std::function<void(Bytes)>& advance) {
    const Result<ModelFile> file = open_model_file(path);
    if (!file) return file.error();
    if (on_open) on_open();
    ThreadPool pool(n_threads);
    return load_cpu_weight(weight, *file, panels.data(), pool, stop, advance);
  }

  test::TempFolder folder;
  std::filesystem::path path;
  std::vector<std::byte> rows, panels;
  WeightTensor weight;
  std::function<void()> on_open;
};

TEST_F(LoadWeight, every_row_arrives_whatever_the_number_of_threads) {
  const Bytes stride = row_bytes(DType::kQ8_0, kCols);
  std::vector<std::byte> row(stride);
  for (const std::uint32_t n_threads : {1U, 2U, 5U}) {
    std::fill(panels.begin(), panels.end(), std::byte{7});
    Bytes done = 0;
    std::uint32_t n_told = 0;
    ASSERT_TRUE(load(n_threads, {}, [&](Bytes bytes) { done += bytes, ++n_told; }).ok());
    EXPECT_EQ(done, weight_bytes(weight, WeightLayout::kPanels)) << n_threads;
    // Progress is told by one of the threads as it finishes a chunk; beside others it may come too late for any.
    if (n_threads == 1) {
      EXPECT_GT(n_told, 1U);
    }
    for (std::uint32_t i = 0; i < kRows; ++i) {
      take_panel_row(DType::kQ8_0, kCols, i % kPanelRows, panels.data() + i / kPanelRows * kPanelRows * stride,
                     row.data());
      ASSERT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * stride)))
          << n_threads << " threads, row " << i;
    }
  }
}

TEST_F(LoadWeight, each_expert_begins_with_a_panel_of_its_own) {
  constexpr std::uint32_t kExperts = 7, kExpertRows = 421, kExpertPanels = 27;  // 2,947 of the rows
  const Bytes stride = row_bytes(DType::kQ8_0, kCols);
  weight.role = TensorRole::kExpertUp;
  weight.n_matrices = kExperts;
  weight.n_rows = kExpertRows;
  ASSERT_EQ(weight_bytes(weight, WeightLayout::kPanels), kExperts * kExpertPanels * kPanelRows * stride);
  std::vector<std::byte> row(stride);
  for (const std::uint32_t n_threads : {1U, 2U, 5U}) {
    panels.assign(weight_bytes(weight, WeightLayout::kPanels), std::byte{7});
    Bytes done = 0;
    ASSERT_TRUE(load(n_threads, {}, [&](Bytes bytes) { done += bytes; }).ok());
    EXPECT_EQ(done, panels.size()) << n_threads;
    for (std::uint32_t i = 0; i < kExperts * kExpertRows; ++i) {
      const std::uint32_t expert = i / kExpertRows, of_expert = i % kExpertRows;
      const std::uint64_t panel = expert * kExpertPanels + of_expert / kPanelRows;
      take_panel_row(DType::kQ8_0, kCols, of_expert % kPanelRows, panels.data() + panel * kPanelRows * stride,
                     row.data());
      ASSERT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * stride)))
          << n_threads << " threads, expert " << expert << ", row " << of_expert;
    }
  }
}

TEST_F(LoadWeight, a_stop_leaves_the_rest_unread) {
  StopSource source;
  Bytes done = 0;
  const Status stopped = load(2, source.token(), [&](Bytes bytes) {
    done += bytes;
    source.request_stop();
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_LT(done, weight_bytes(weight, WeightLayout::kPanels));
}

TEST_F(LoadWeight, a_file_that_shrinks_in_between_is_an_error_of_its_name) {
  on_open = [&] { std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2); };
  const Status cut = load(2, {}, [](Bytes) {});
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code, ErrorCode::kBadFile);
  EXPECT_NE(cut.error().message.text().find("matrix.gguf"), std::string::npos) << cut.error().message.text();
}

}  // namespace
}  // namespace headroom
