// Our decoding against the gguf package's, on blocks that tests/oracle/make_blocks.py wrote.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "format/decode.h"

namespace headroom {
namespace {

class GoldenBlocks : public testing::TestWithParam<DType> {};

// Bit for bit: both sides multiply the same f32 numbers in the same order, and nothing is summed.
TEST_P(GoldenBlocks, decode_to_exactly_the_same_floats) {
  const DTypeRow& row = dtype_row(GetParam());
  std::ifstream file(std::string(HEADROOM_SOURCE_DIR) + "/tests/golden/blocks/" + std::string(row.name) + ".bin",
                     std::ios::binary);
  std::uint32_t n_blocks = 0, block_bytes = 0, block_elems = 0;
  for (std::uint32_t* field : {&n_blocks, &block_bytes, &block_elems})
    file.read(reinterpret_cast<char*>(field), sizeof(*field));
  ASSERT_TRUE(file) << "the fixture is missing: run tests/oracle/make_blocks.py";
  ASSERT_EQ(block_bytes, row.block_bytes);
  ASSERT_EQ(block_elems, row.block_elems);
  std::vector<std::byte> blocks(std::size_t{n_blocks} * block_bytes);
  std::vector<float> expected(std::size_t{n_blocks} * block_elems), found(expected.size());
  file.read(reinterpret_cast<char*>(blocks.data()), static_cast<std::streamsize>(blocks.size()));
  file.read(reinterpret_cast<char*>(expected.data()), static_cast<std::streamsize>(expected.size() * sizeof(float)));
  ASSERT_TRUE(file);
  decode_row(GetParam(), blocks.data(), found.size(), found.data());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], expected[i]) << "block " << i / block_elems << ", element " << i % block_elems;
  }
}

std::vector<DType> types_of_files() {
  std::vector<DType> types;
  for (const DTypeRow& row : kDTypes) {
    if (row.gguf_type >= 0) types.push_back(row.dtype);
  }
  return types;
}
INSTANTIATE_TEST_SUITE_P(Types, GoldenBlocks, testing::ValuesIn(types_of_files()),
                         [](const auto& each) { return std::string(dtype_row(each.param).label); });

}  // namespace
}  // namespace headroom
