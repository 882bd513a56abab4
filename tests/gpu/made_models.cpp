// Models of well-known shapes with random weights, for machines that can fetch none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "format/dtype_table.h"
#include "format/encode.h"
#include "gpu/gpu_check.h"
#include "run/random.h"
#include "support/random_model.h"

namespace headroom::check {
namespace {

constexpr std::size_t kPoolBlocks = 4096;
constexpr Bytes kChunkBytes = 16 * kMiB;

// As files of these models mostly are: Q4_K, and what is read for every token finer.
test::RandomModelSpec spec_of(const std::string& name) {
  test::RandomModelSpec spec;
  spec.weight_type = DType::kQ4_K;
  spec.role_types = {{TensorRole::kTokenEmbedding, DType::kQ6_K}, {TensorRole::kHead, DType::kQ6_K}};
  spec.float_keys = {{"rope.freq_base", 500000.0F}};
  spec.n_ctx_trained = 8192;
  spec.has_holes = true;  // filled below
  if (name == "1B") {     // Llama-3.2-1B
    spec.n_layers = 16, spec.d_model = 2048, spec.n_heads = 32, spec.n_kv_heads = 8, spec.d_ff = 8192;
    spec.n_vocab = 128256;
    spec.has_tied_head = true;
  } else if (name == "8B") {  // Llama-3-8B
    spec.n_layers = 32, spec.d_model = 4096, spec.n_heads = 32, spec.n_kv_heads = 8, spec.d_ff = 14336;
    spec.n_vocab = 128256;
  } else {  // every kind of op and split, in a moment
    spec.n_layers = 6, spec.d_model = 256, spec.n_heads = 4, spec.n_kv_heads = 2, spec.d_ff = 512, spec.n_vocab = 512;
  }
  return spec;
}

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

// Writes all weights of a file whose tensors are holes.
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
    return Error{ErrorCode::kResource, fmt::format("{}: the system did not take its weights", path.string())};
  return ok_status();
}

Status make_model(const std::string& name, const std::filesystem::path& path) {
  if (Status written = test::random_gguf(spec_of(name)).write(path); !written) return written;
  return fill_weights(path);
}

bool is_software(const DeviceInfo& device) {
  return device.is_software || device.name.starts_with("Fake GPU");  // tests/support/cuda
}

}  // namespace

Result<Outcome> make_models(const std::filesystem::path& folder, const std::string& device, const std::string& shape) {
  const Result<DeviceInfo> now = device_now(device);
  if (!now) return now.error();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::space_info disk = std::filesystem::space(folder, error);
  if (error) return Error{ErrorCode::kResource, fmt::format("{}: {}", folder.string(), error.message())};
  // Of each about twice its file on the disk; on the device weights, cache and buffers of a context of 1,024.
  const bool is_soft = is_software(*now);
  const bool has_small = !is_soft && now->free_bytes >= 2 * kGiB && disk.available >= 2 * kGiB;
  const bool has_large = has_small && now->free_bytes >= 7 * kGiB && disk.available >= 12 * kGiB;
  Outcome outcome;
  outcome.data["is_software"] = is_soft;
  std::vector<std::pair<std::string, std::string>> wanted{{"small", !shape.empty() ? shape
                                                                    : has_small    ? "1B"
                                                                                   : "tiny"}};
  if (has_large && shape.empty()) wanted.emplace_back("large", "8B");
  for (const auto& [file, name] : wanted) {
    const std::filesystem::path path = folder / (file + ".gguf");
    if (Status made = make_model(name, path); !made) return made.error();
    const Bytes size = std::filesystem::file_size(path, error);
    outcome.data[file] = {{"shape", name}, {"types", "Q4_K, embedding and head Q6_K"}, {"file_bytes", size}};
    outcome.figure += fmt::format("{}{}: {}, {}", outcome.figure.empty() ? "" : "; ", file, name, format_bytes(size));
  }
  return outcome;
}

}  // namespace headroom::check
