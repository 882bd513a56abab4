#include "support/random_tokenizer.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headroom::test {
namespace {

// 0 <unk>, 1 <s>, 2 </s>, 3..258 bytes, then letters, then words nobody writes.
void add_spm_tokenizer(GgufWriter& writer, const RandomModelSpec& spec) {
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> types{2, 3, 3};
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(fmt::format("<0x{:02X}>", byte));
  types.resize(tokens.size(), 6);
  tokens.push_back("\xE2\x96\x81");
  for (char c = 'a'; c <= 'z'; ++c) tokens.emplace_back(1, c);
  while (tokens.size() < spec.n_vocab) tokens.push_back(fmt::format("[unused{}]", tokens.size()));
  types.resize(spec.n_vocab, 1);
  std::vector<float> scores(spec.n_vocab);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<float>(i);
  writer.set_string("tokenizer.ggml.model", "llama");
  writer.set_string("tokenizer.ggml.pre", "default");
  writer.set_strings("tokenizer.ggml.tokens", tokens);
  writer.set_floats("tokenizer.ggml.scores", scores);
  writer.set_ints("tokenizer.ggml.token_type", types);
  writer.set_uint("tokenizer.ggml.bos_token_id", 1);
  writer.set_uint("tokenizer.ggml.eos_token_id", 2);
  writer.set_uint("tokenizer.ggml.unknown_token_id", 0);
  writer.set_bool("tokenizer.ggml.add_bos_token", true);
  writer.set_bool("tokenizer.ggml.add_eos_token", false);
}

// The 256 byte symbols of byte-level BPE, two merges, control tokens, then words nobody writes.
void add_bpe_tokenizer(GgufWriter& writer, const RandomModelSpec& spec) {
  std::vector<std::string> tokens;
  char32_t next = 256;  // bytes without a glyph of their own take code points from here
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool has_glyph = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const char32_t code_point = has_glyph ? byte : next++;
    std::string symbol;
    if (code_point < 0x80) {
      symbol += static_cast<char>(code_point);
    } else {
      symbol += static_cast<char>(0xC0 | (code_point >> 6));
      symbol += static_cast<char>(0x80 | (code_point & 0x3F));
    }
    tokens.push_back(symbol);
  }
  tokens.insert(tokens.end(), {"th", "the"});
  std::vector<std::int32_t> types(tokens.size(), 1);
  for (const char* control : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) {
    tokens.emplace_back(spec.has_end ? control : fmt::format("[no end {}]", tokens.size()));
    types.push_back(3);
  }
  while (tokens.size() < spec.n_vocab) tokens.push_back(fmt::format("[unused{}]", tokens.size()));
  types.resize(spec.n_vocab, 1);
  writer.set_string("tokenizer.ggml.model", "gpt2");
  if (spec.names_pre_tokenizer) writer.set_string("tokenizer.ggml.pre", "qwen2");
  writer.set_strings("tokenizer.ggml.tokens", tokens);
  writer.set_ints("tokenizer.ggml.token_type", types);
  writer.set_strings("tokenizer.ggml.merges", {"t h", "th e"});
  writer.set_uint("tokenizer.ggml.bos_token_id", 258);
  if (spec.has_end) writer.set_uint("tokenizer.ggml.eos_token_id", 260);
  writer.set_uint("tokenizer.ggml.padding_token_id", 258);
  writer.set_bool("tokenizer.ggml.add_bos_token", false);
}

}  // namespace

void add_random_tokenizer(GgufWriter& writer, const RandomModelSpec& spec) {
  if (spec.n_vocab < 288 || !spec.has_tokenizer) {
    writer.set_string("tokenizer.ggml.model", "none");
    return;
  }
  spec.architecture == "llama" || spec.architecture.starts_with("gemma") ? add_spm_tokenizer(writer, spec)
                                                                         : add_bpe_tokenizer(writer, spec);
}

}  // namespace headroom::test
