#include "support/published_models.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "file/model_file.h"
#include "model/arch_table.h"
#include "support/temp_folder.h"

namespace headroom::test {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::uint64_t number(const std::string& text) {
  if (text == "-") return 0;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CHECK(error == std::errc() && end == text.data() + text.size(), "published_models.tsv: a column is no number");
  return value;
}
std::uint32_t count(const std::string& text) { return static_cast<std::uint32_t>(number(text)); }

// "8/128".
std::pair<std::uint32_t, std::uint32_t> pair_of(const std::string& text) {
  if (text == "-") return {0, 0};
  const std::vector<std::string> parts = split(text, '/');
  CHECK(parts.size() == 2, "published_models.tsv: a column has no two numbers");
  return {count(parts[0]), count(parts[1])};
}

// "512", or "512/5".
std::pair<std::uint32_t, std::uint32_t> one_or_two(const std::string& text) {
  return text.find('/') == std::string::npos ? std::pair{count(text), 0U} : pair_of(text);
}

// "8/128", or "8/128/1/10944" where the first layers have none.
void read_experts(const std::string& text, RandomModelSpec& spec) {
  const std::vector<std::string> parts = split(text, '/');
  std::tie(spec.n_experts_used, spec.n_experts) = parts.size() < 4 ? pair_of(text) : pair_of(parts[0] + "/" + parts[1]);
  if (parts.size() < 4) return;
  spec.n_dense_layers = count(parts[2]);
  spec.dense_d_ff = count(parts[3]);
}

// Experts of gpt-oss as they are published. Else as llama.cpp quantizes to Q4_K_M, but for fused matrices and some of
// models with eight experts: Q4_K, and Q6_K for the head and for V and down of the first and last eighth of the layers
// and of every third between. Rows that do not end on a block of these have the next type with shorter blocks.
DType type_of(TensorRole role, std::int32_t layer, std::uint64_t n_cols, const RandomModelSpec& spec) {
  if (role == TensorRole::kRouter) return DType::kF32;
  if (role_is_experts(role) && spec.architecture == "gpt-oss") return DType::kMXFP4;
  const auto n = static_cast<std::int32_t>(spec.n_layers);
  const bool is_fine_layer = layer < n / 8 || layer >= 7 * n / 8 || (layer - n / 8) % 3 == 2;
  const bool is_head = role == TensorRole::kHead || (role == TensorRole::kTokenEmbedding && spec.has_tied_head);
  const bool is_kept_fine = role == TensorRole::kV || role == TensorRole::kDown || role == TensorRole::kExpertDown;
  const bool is_fine = is_head || (is_kept_fine && is_fine_layer);
  if (n_cols % 256 == 0) return is_fine ? DType::kQ6_K : DType::kQ4_K;
  return is_fine ? DType::kQ8_0 : DType::kQ5_0;
}

PublishedModel parse_row(const std::string& line) {
  const std::vector<std::string> column = split(line, '\t');
  CHECK(column.size() == 23, "published_models.tsv: a line has not 23 columns");
  PublishedModel model;
  model.name = column[0];
  RandomModelSpec& spec = model.spec;
  spec.architecture = column[1];
  spec.n_layers = count(column[2]), spec.d_model = count(column[3]);
  spec.n_heads = count(column[4]), spec.n_kv_heads = count(column[5]), spec.head_dim = count(column[6]);
  std::tie(spec.d_ff, spec.d_ff_of_shared) = one_or_two(column[7]);
  spec.n_vocab = count(column[8]), spec.n_ctx_trained = count(column[9]);
  CHECK(column[10] == "tied" || column[10] == "own", "published_models.tsv: a head is tied or its own");
  spec.has_tied_head = column[10] == "tied";
  const ArchRow* row = find_arch(spec.architecture);
  CHECK(row != nullptr, "published_models.tsv: an architecture has no row in arch_table");
  const auto [window, period] = one_or_two(column[11]);
  spec.window = window;
  if (row->window_period > 0) spec.window_period = period > 0 ? period : row->window_period;
  std::tie(spec.window_head_dim, spec.full_kv_heads) = pair_of(column[12]);
  std::tie(spec.input_dim, spec.n_shared_caches) = pair_of(column[16]);
  // Of Gemma 4, but for its small models: layers without a window have no V of their own.
  spec.has_optional_parts = row->may_lack_values && spec.input_dim == 0;
  read_experts(column[13], spec);
  spec.shared_d_ff = count(column[14]);
  spec.state_dim = 128;
  if (row->has_short_convs) {
    for (const std::string& layer : split(column[15], ',')) spec.attention_layers.push_back(count(layer));
    spec.conv_width = 3;
  } else {
    std::tie(spec.n_key_heads, spec.n_value_heads) = pair_of(column[15]);
    spec.attention_period = 4, spec.conv_width = 4;
  }
  spec.has_holes = true;
  spec.has_tokenizer = false;
  model.total = parse_count(column[17]);
  model.embedding_is_active = !column[18].ends_with('*');
  const std::string_view active = std::string_view(column[18]).substr(0, column[18].find('*'));
  if (active != "-") model.active = parse_count(active);
  model.kv_per_token = number(column[19]), model.window_kv = number(column[20]), model.state = number(column[21]);
  return model;
}

}  // namespace

PublishedCount parse_count(std::string_view text) {
  if (!text.ends_with('B')) return {number(std::string(text)), 1};
  const std::string digits(text.substr(0, text.size() - 1));
  const std::size_t point = digits.find('.');
  PublishedCount published{0, 1'000'000'000};
  std::string whole = digits;
  if (point != std::string::npos) {
    whole.erase(point, 1);
    for (std::size_t i = point + 1; i < digits.size(); ++i) published.unit /= 10;
  }
  published.n = number(whole) * published.unit;
  return published;
}

bool agrees(const PublishedCount& published, std::uint64_t n) {
  const std::uint64_t off = n > published.n ? n - published.n : published.n - n;
  return off == 0 || (published.unit > 1 && off <= published.unit);
}

std::vector<PublishedModel> published_models(const std::string& source_dir) {
  std::ifstream in(source_dir + "/tests/support/published_models.tsv");
  std::vector<PublishedModel> models;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.front() != '#') models.push_back(parse_row(line));
  }
  CHECK(!models.empty(), "published_models.tsv cannot be read");
  return models;
}

Result<ModelInfo> read_published(const PublishedModel& model) {
  RandomModelSpec spec = model.spec;
  spec.type_rule = [&model](TensorRole role, std::int32_t layer, std::uint64_t n_cols) {
    return type_of(role, layer, n_cols, model.spec);
  };
  const TempFolder folder;
  const Result<ModelFile> file = open_model_file(make_random_model(spec, folder.path()));
  if (!file) return file.error();
  return read_model_info(*file);
}

std::uint64_t active_params(const ModelInfo& model) {
  double sum = 0;
  for (const WeightTensor& weight : model.weights)
    sum += model.share_read(weight) * static_cast<double>(weight.n_matrices * weight.n_rows * weight.n_cols);
  return static_cast<std::uint64_t>(std::llround(sum));
}

Bytes kv_per_token(const ModelInfo& model) {
  Bytes sum = 0;
  for (const LayerSpec& layer : model.layers) {
    if (layer.has_cache() && layer.attention == AttentionKind::kFull) sum += 2 * layer.kv_row_bytes(DType::kF16);
  }
  return sum;
}

Bytes window_kv(const ModelInfo& model) {
  Bytes sum = 0;
  for (const LayerSpec& layer : model.layers) {
    if (layer.has_cache() && layer.attention == AttentionKind::kWindow)
      sum += 2 * layer.window * layer.kv_row_bytes(DType::kF16);
  }
  return sum;
}

}  // namespace headroom::test
