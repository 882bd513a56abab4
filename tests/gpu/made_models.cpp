// Models of well-known shapes with random weights, for machines that can fetch none.
#include <fmt/format.h>

#include <vector>

#include "gpu/gpu_check.h"
#include "support/filled_model.h"
#include "support/random_model.h"

namespace headroom::check {
namespace {

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

Status make_model(const std::string& name, const std::filesystem::path& path) {
  if (Status written = test::random_gguf(spec_of(name)).write(path); !written) return written;
  return test::fill_weights(path);
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
  if (error)
    return Error{ErrorCode::kResource, Message::plain(fmt::format("{}: {}", folder.string(), error.message()))};
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
