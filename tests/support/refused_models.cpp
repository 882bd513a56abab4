#include "support/refused_models.h"

#include "format/ggml_types.h"

namespace headroom::test {
namespace {

constexpr std::uint32_t kF32Type = 0, kQ8Type = 8;

Bytes bytes_of(std::uint32_t type, std::uint64_t n_elems) {
  const GgmlTypeRow& row = *find_ggml_type(type);
  return n_elems / row.block_elems * row.block_bytes;
}

RefusedSpec spec_of(std::string architecture, std::string name, std::uint32_t n_blocks, std::uint32_t n_ctx_trained) {
  return {.architecture = std::move(architecture),
          .name = std::move(name),
          .uints = {{"block_count", n_blocks}, {"context_length", n_ctx_trained}},
          .arrays = {},
          .layer_tensors = {"attn_norm.weight"},
          .tensors = {{"token_embd.weight", kQ8Type}}};
}

RefusedSpec latent(RefusedSpec spec, std::uint32_t rank, bool is_old) {
  spec.uints["attention.kv_lora_rank"] = rank;
  spec.uints["rope.dimension_count"] = 64;
  spec.uints["attention.head_count_kv"] = 1;
  spec.uints["attention.key_length"] = is_old ? 192 : rank + 64;
  if (is_old) {
    spec.layer_tensors.emplace_back("attn_kv_b.weight");
  } else {
    spec.uints["attention.key_length_mla"] = 192;
    spec.layer_tensors.insert(spec.layer_tensors.end(), {"attn_k_b.weight", "attn_v_b.weight"});
  }
  return spec;
}

// `layers`: one letter each, M for Mamba, A for attention, E for an FFN alone.
RefusedSpec mamba(RefusedSpec spec, const std::string& layers, std::uint32_t n_kv_heads, std::uint32_t inner,
                  std::uint32_t groups) {
  std::vector<std::uint32_t> heads, widths;
  for (const char layer : layers) {
    heads.push_back(layer == 'A' ? n_kv_heads : 0);
    widths.push_back(layer == 'E' ? 1856 : 0);
  }
  spec.uints["block_count"] = static_cast<std::uint32_t>(layers.size());
  spec.arrays["attention.head_count_kv"] = heads;
  if (layers.find('E') != std::string::npos) spec.arrays["feed_forward_length"] = widths;
  spec.uints.insert({{"attention.key_length", 128},
                     {"attention.value_length", 128},
                     {"ssm.inner_size", inner},
                     {"ssm.state_size", 128},
                     {"ssm.group_count", groups},
                     {"ssm.conv_kernel", 4}});
  return spec;
}

std::string repeated(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

}  // namespace

RefusedSpec glm47_flash() {
  RefusedSpec spec = latent(spec_of("deepseek2", "GLM 4.7 Flash", 48, 202752), 512, false);
  spec.uints["nextn_predict_layers"] = 1;
  return spec;
}

RefusedSpec deepseek_v3() { return latent(spec_of("deepseek2", "DeepSeek V3", 61, 163840), 512, true); }

RefusedSpec deepseek_v2_lite() { return latent(spec_of("deepseek2", "DeepSeek V2 Lite", 27, 163840), 512, true); }

RefusedSpec mistral_small4() { return latent(spec_of("mistral4", "Mistral Small 4 119B", 36, 1048576), 256, false); }

RefusedSpec glm5() {
  RefusedSpec spec = latent(spec_of("glm-dsa", "GLM 5.2", 8, 202752), 512, false);
  spec.uints["attention.indexer.key_length"] = 128;
  for (const char* layer : {"3", "7"}) spec.tensors["blk." + std::string(layer) + ".indexer.attn_k.weight"] = kF32Type;
  return spec;
}

RefusedSpec deepseek_v4() {
  RefusedSpec spec = spec_of("deepseek4", "DeepSeek V4 Flash", 3, 1048576);
  spec.arrays["attention.compress_ratios"] = {0, 4, 128};
  spec.uints.insert(
      {{"attention.key_length", 512}, {"attention.indexer.key_length", 128}, {"attention.sliding_window", 128}});
  return spec;
}

RefusedSpec qwen38_flash() {
  RefusedSpec spec = spec_of("qwen4exp", "Qwen3.8 Flash Next", 48, 262144);
  spec.uints.insert({{"full_attention_interval", 4},
                     {"attention.head_count_kv", 2},
                     {"attention.key_length", 256},
                     {"attention.value_length", 256},
                     {"attention.indexer.key_length", 128},
                     {"ssm.group_count", 16},
                     {"ssm.time_step_rank", 48},
                     {"ssm.state_size", 128},
                     {"ssm.inner_size", 6144},
                     {"ssm.conv_kernel", 4}});
  return spec;
}

RefusedSpec granite4_small() {
  return mamba(spec_of("granitehybrid", "Granite 4.0 H Small", 1, 131072), repeated("MMMMMAMMMM", 4), 8, 8192, 1);
}

RefusedSpec nemotron_h() {
  return mamba(spec_of("nemotron_h", "Nemotron Nano 9B v2", 1, 131072), "MEMAE", 8, 10240, 8);
}

RefusedSpec nemotron3_nano() {
  return mamba(spec_of("nemotron_h_moe", "Nemotron 3 Nano 30B-A3B", 1, 1048576), repeated("MEMEMEAEM", 5) + "MEMEAEM",
               2, 4096, 8);
}

RefusedSpec scout() {
  RefusedSpec spec = spec_of("llama4", "Llama 4 Scout 17B-16E", 48, 10485760);
  spec.uints.insert({{"embedding_length", 5120}, {"attention.head_count", 40}, {"attention.head_count_kv", 8}});
  return spec;
}

RefusedSpec gpt_oss_of_ollama() {
  RefusedSpec spec = spec_of("gptoss", "gpt-oss 20B", 24, 131072);
  spec.uints.insert({{"embedding_length", 2880},
                     {"attention.head_count", 64},
                     {"attention.head_count_kv", 8},
                     {"attention.key_length", 64},
                     {"attention.value_length", 64},
                     {"attention.sliding_window", 128}});
  return spec;
}

std::vector<RefusedSpec> refused_specs() {
  return {glm47_flash(),    mistral_small4(), glm5(),           deepseek_v4(), qwen38_flash(),
          granite4_small(), nemotron_h(),     nemotron3_nano(), scout(),       gpt_oss_of_ollama()};
}

GgufWriter refused_gguf(const RefusedSpec& spec) {
  GgufWriter writer;
  writer.set_string("general.architecture", spec.architecture);
  writer.set_string("general.name", spec.name);
  for (const auto& [key, value] : spec.uints) writer.set_uint(spec.architecture + "." + key, value);
  for (const auto& [key, values] : spec.arrays) writer.set_uints(spec.architecture + "." + key, values);
  for (const auto& [name, type] : spec.tensors) writer.add_hole(name, type, {64, 1024}, bytes_of(type, 64 * 1024));
  for (std::uint32_t i = 0; spec.uints.contains("block_count") && i < spec.n_blocks(); ++i) {
    for (const std::string& tensor : spec.layer_tensors)
      writer.add_hole("blk." + std::to_string(i) + "." + tensor, kF32Type, {64}, 64 * 4);
  }
  return writer;
}

}  // namespace headroom::test
