#include "support/filled_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "file/model_file.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "run/random.h"

namespace headroom::test {
namespace {

constexpr std::size_t kPoolBlocks = 4096;
constexpr Bytes kChunkBytes = 16 * kMiB;

// Encoded blocks of normal numbers, from which matrices are put together: every row is another one, and a gigabyte
// takes a second.
class BlockPools {
 public:
  // `bytes` becomes blocks of the type, of numbers that are about so large.
  void fill(DType dtype, float scale, std::span<std::byte> bytes) {
    const DTypeRow& row = dtype_row(dtype);
    const Bytes block_bytes = row_bytes(dtype, row.block_elems);
    const std::vector<std::byte>& pool = find(dtype, scale);
    for (Bytes at = 0; at < bytes.size(); at += block_bytes) {
      const std::size_t which = random_.next_u32() % kPoolBlocks;
      std::memcpy(bytes.data() + at, pool.data() + which * block_bytes, block_bytes);
    }
  }

 private:
  const std::vector<std::byte>& find(DType dtype, float scale) {
    std::vector<std::byte>& pool = pools_[{dtype, scale}];
    if (!pool.empty()) return pool;
    const DTypeRow& row = dtype_row(dtype);
    std::vector<float> elems(kPoolBlocks * row.block_elems);
    for (float& x : elems) {
      double sum = -2.0;  // of four uniform numbers: about normal
      for (int i = 0; i < 4; ++i) sum += random_.next_unit();
      x = scale * static_cast<float>(sum * std::sqrt(3.0));
    }
    pool.resize(row_bytes(dtype, elems.size()));
    encode_row(dtype, elems.data(), elems.size(), pool.data());
    return pool;
  }

  Random random_{1};
  std::map<std::pair<DType, float>, std::vector<std::byte>> pools_;
};

}  // namespace

Status fill_weights(const std::filesystem::path& path) {
  const Result<ModelFile> file = open_model_file(path);
  if (!file) return file.error();
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  BlockPools pools;
  std::vector<std::byte> chunk;
  for (const TensorInfo& tensor : file->tensors()) {
    const bool is_matrix = tensor.shape.size() > 1;
    stream.seekp(static_cast<std::streamoff>(tensor.offset));
    if (!is_matrix) {
      const std::vector<float> ones(tensor.n_bytes / kF32Bytes, 1.0F);  // norms
      stream.write(reinterpret_cast<const char*>(ones.data()), static_cast<std::streamsize>(tensor.n_bytes));
      continue;
    }
    const bool is_embedding = tensor.name == "token_embd.weight";
    const float scale = is_embedding ? 1.0F : 1.0F / std::sqrt(static_cast<float>(tensor.shape[0]));
    const Bytes block_bytes = row_bytes(*tensor.dtype, dtype_row(*tensor.dtype).block_elems);
    const Bytes at_once = kChunkBytes / block_bytes * block_bytes;
    for (Bytes done = 0; done < tensor.n_bytes; done += chunk.size()) {
      chunk.resize(std::min(at_once, tensor.n_bytes - done));
      pools.fill(*tensor.dtype, scale, chunk);
      stream.write(reinterpret_cast<const char*>(chunk.data()), static_cast<std::streamsize>(chunk.size()));
    }
  }
  if (!stream.flush())
    return Error{ErrorCode::kResource,
                 Message::plain(fmt::format("{}: the system did not take its weights", path.string()))};
  return ok_status();
}

}  // namespace headroom::test
