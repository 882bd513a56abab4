#include "model/unapplied_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "file/show_name.h"
#include "model/arch_table.h"

namespace headroom {
namespace {

// Every key of gguf 0.19.0 that changes a result stands here, and keys of older and newer files. 1 is neutral for a
// scale and 0 for a cap. 0 as a scale is neutral only where llama.cpp takes it as "not scaled".
constexpr std::array kRules{
    KeyRule{"activation_sparsity_scale"},
    KeyRule{"altup.active_idx", 0},
    KeyRule{"altup.num_inputs", 0},
    KeyRule{"attention.causal", 1},
    KeyRule{"attention.clamp_kqv", 0},
    KeyRule{"attention.decay_lora_rank", 0},
    KeyRule{"attention.gate_lora_rank", 0},
    KeyRule{"attention.group_norm_groups", 0},
    KeyRule{"attention.iclr_lora_rank", 0},
    KeyRule{"attention.indexer.head_count", 0},
    KeyRule{"attention.indexer.key_length", 0},
    KeyRule{"attention.indexer.top_k", 0},
    KeyRule{"attention.key_length_mla", 0},
    KeyRule{"attention.key_length_swa", 0},
    KeyRule{"attention.kv_lora_rank", 0},
    KeyRule{"attention.layer_norm_rms_epsilon"},
    KeyRule{"attention.max_alibi_bias", 0},
    KeyRule{"attention.output_scale", 0},
    KeyRule{"attention.q_lora_rank", 0},
    KeyRule{"attention.recurrent_layers", 0},
    KeyRule{"attention.relative_buckets_count", 0},
    KeyRule{"attention.scale", 0},
    KeyRule{"attention.shared_kv_layers", 0},
    KeyRule{"attention.sliding_window"},
    KeyRule{"attention.sliding_window_pattern", 0},
    KeyRule{"attention.temperature_length", 0},
    KeyRule{"attention.temperature_scale", 0},
    KeyRule{"attention.value_length_mla", 0},
    KeyRule{"attention.value_length_swa", 0},
    KeyRule{"attention.value_residual_mix_lora_rank", 0},
    KeyRule{"attn_logit_softcapping", 0},
    KeyRule{"embedding_length_per_layer_input", 0},
    KeyRule{"embedding_scale", 1},
    KeyRule{"expert_gating_func", 1, 3},  // a softmax over all experts; over those that were chosen
    KeyRule{"expert_group_count", 0, 1},
    KeyRule{"expert_group_scale", 1},
    KeyRule{"expert_group_used_count", 0, 1},
    KeyRule{"expert_shared_count", 0},
    KeyRule{"expert_weights_norm", 1},
    KeyRule{"expert_weights_scale", 0, 1},
    KeyRule{"experts_per_group", 0},
    KeyRule{"final_logit_softcapping", 0},
    KeyRule{"full_attention_interval", 0, 1},
    KeyRule{"interleave_moe_layer_step", 1},
    KeyRule{"kda.head_dim", 0},
    KeyRule{"leading_dense_block_count", 0},
    KeyRule{"logit_scale", 1},
    KeyRule{"moe_every_n_layers", 0},
    KeyRule{"moe_latent_size", 0},
    KeyRule{"n_deepstack_layers", 0},
    KeyRule{"nextn_predict_layers", 0},
    KeyRule{"norm_top_k_prob", 1},
    KeyRule{"rescale_every_n_layers", 0},
    KeyRule{"residual_scale", 1},
    KeyRule{"rope.dimension_count"},
    KeyRule{"rope.dimension_count_swa", 0},
    KeyRule{"rope.dimension_sections", 0},
    KeyRule{"rope.freq_base"},
    KeyRule{"rope.freq_base_swa", 0},
    KeyRule{"rope.scale_linear", 0, 1},
    KeyRule{"rope.scaling.alpha", 0, 1},
    KeyRule{"rope.scaling.attn_factor", 1},
    KeyRule{"rope.scaling.factor", 0, 1},
    KeyRule{"rope.scaling.high_freq_factor"},
    KeyRule{"rope.scaling.low_freq_factor"},
    KeyRule{"rope.scaling.type"},
    KeyRule{"rope.scaling.yarn_attn_factor", 1},
    KeyRule{"rope.scaling.yarn_beta_fast", 32},
    KeyRule{"rope.scaling.yarn_beta_slow", 1},
    KeyRule{"rope.scaling.yarn_ext_factor", 0},
    KeyRule{"rope.scaling.yarn_log_multiplier", 0},
    KeyRule{"router_logit_softcapping", 0},
    KeyRule{"shortconv.l_cache", 0},
    KeyRule{"ssm.conv_kernel", 0},
    KeyRule{"ssm.dt_b_c_rms", 0},
    KeyRule{"ssm.group_count", 0},
    KeyRule{"ssm.inner_size", 0},
    KeyRule{"ssm.state_size", 0},
    KeyRule{"ssm.time_step_rank", 0},
    KeyRule{"swiglu_clamp_exp", 0},
    KeyRule{"swiglu_clamp_shexp", 0},
    KeyRule{"swin_norm", 0},
    KeyRule{"time_decay_extra_dim", 0},
    KeyRule{"time_mix_extra_dim", 0},
    KeyRule{"token_shift_count", 0},
    KeyRule{"use_parallel_residual", 0},
    KeyRule{"wkv.head_size", 0},
};

// Keys that change no result where nothing reads them: sizes of tensors, whose shapes are checked or which are refused
// themselves; an epsilon of norms that are not there; what only training or other uses of a model need.
constexpr std::array<std::string_view, 33> kWithoutEffect{
    "attention.group_norm_epsilon",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.layer_norm_epsilon",
    "attention.value_length",
    "block_count",
    "classifier.output_labels",
    "context_length",
    "convnext.block_count",
    "convnext.embedding_length",
    "decoder_block_count",
    "decoder_start_token_id",
    "dense_2_feat_in",
    "dense_2_feat_out",
    "dense_3_feat_in",
    "dense_3_feat_out",
    "embedding_length",
    "embedding_length_out",
    "expert_chunk_feed_forward_length",
    "expert_count",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
    "expert_used_count",
    "features_length",
    "feed_forward_length",
    "pooling_type",
    "posnet.block_count",
    "posnet.embedding_length",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
    "tensor_data_layout",
    "vocab_size",
};

// A key that stands in neither list is newer than they are; these words tell that it scales or caps something.
constexpr std::array<std::string_view, 7> kTellingWords{"scal",        "cap",    "clamp",     "limit",
                                                        "temperature", "factor", "multiplier"};

// Of parts that read images and sound, which no row runs.
constexpr std::array<std::string_view, 3> kOfOtherParts{"vision.", "audio.", "mm."};

bool is_of_other_part(std::string_view key) {
  return std::ranges::any_of(kOfOtherParts, [&](std::string_view prefix) { return key.starts_with(prefix); });
}

const KeyRule* find_rule(std::string_view key) {
  const auto rule = std::find_if(kRules.begin(), kRules.end(), [&](const KeyRule& each) { return each.key == key; });
  return rule == kRules.end() ? nullptr : &*rule;
}

bool has_telling_word(std::string_view key) {
  return std::any_of(kTellingWords.begin(), kTellingWords.end(),
                     [&](std::string_view word) { return key.find(word) != std::string_view::npos; });
}

// Text is neutral never.
bool is_neutral(const MetaValue& value, const KeyRule& rule) {
  const auto is_one = [&](double number) { return number == rule.neutral || number == rule.other_neutral; };
  return std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<Held>) {
          return is_one(static_cast<double>(held));
        } else if constexpr (std::is_same_v<Held, std::string> || std::is_same_v<Held, std::vector<std::string>>) {
          return false;
        } else {
          return std::all_of(held.begin(), held.end(), [&](auto entry) { return is_one(static_cast<double>(entry)); });
        }
      },
      value);
}

constexpr std::size_t kMostShown = 4;  // entries of an array, in a message

// "7", "'linear'", "(0, 0, 7, 7, ...)"
Message value_words(const MetaValue& value) {
  return std::visit(
      [](const auto& held) -> Message {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<Held>) {
          return Message::plain(fmt::format("{}", held));
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return Message::plain(show_name(held));
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
          return Message::say_n("%n string(s)", held.size());
        } else {
          const std::span shown = std::span(held).first(std::min(held.size(), kMostShown));
          return Message::plain(fmt::format("({}{})", fmt::join(shown, ", "), held.size() > kMostShown ? ", ..." : ""));
        }
      },
      value);
}

// ", expected 0 or 1"; flags are expected as such.
Message expected_words(const MetaValue& value, const KeyRule* rule) {
  if (rule == nullptr || !rule->neutral) return {};
  if (std::holds_alternative<bool>(value)) return Message::say(", expected {}", fmt::format("{}", *rule->neutral != 0));
  if (rule->other_neutral) return Message::say(", expected {} or {}", *rule->neutral, *rule->other_neutral);
  return Message::say(", expected {}", *rule->neutral);
}

}  // namespace

std::span<const KeyRule> key_rules() { return kRules; }

bool is_known_key(std::string_view key) {
  return find_rule(key) != nullptr ||
         std::find(kWithoutEffect.begin(), kWithoutEffect.end(), key) != kWithoutEffect.end();
}

void refuse_unapplied_keys(const ModelFile& file, const ArchRow& row, KeyReader& keys) {
  const std::string prefix = keys.full_key("");
  for (auto each = file.metadata().lower_bound(prefix);
       each != file.metadata().end() && each->first.starts_with(prefix); ++each) {
    const std::string_view key = std::string_view(each->first).substr(prefix.size());
    const MetaValue& value = each->second;
    const KeyRule* rule = find_rule(key);
    const bool may_change = rule != nullptr ? !is_neutral(value, *rule) : !is_known_key(key) && has_telling_word(key);
    const bool is_ignored = is_of_other_part(key) || (row.ignores_state_sizes && key.starts_with("ssm."));
    if (keys.was_read(key) || !may_change || is_ignored) continue;
    return keys.fail(ErrorCode::kUnsupported,
                     Message::say("metadata {} is {}{}: it changes what the model computes, and this version does not "
                                  "apply it",
                                  show_name(each->first), value_words(value), expected_words(value, rule)));
  }
}

}  // namespace headroom
