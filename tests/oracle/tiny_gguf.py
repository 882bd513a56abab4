"""A transformers model as a GGUF file, with the metadata and the order of rows that llama.cpp's converter gives it."""

import math

import gguf
import numpy as np

LAYER_NAMES = {
    "input_layernorm.weight": "attn_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.o_proj.weight": "attn_output.weight",
    "self_attn.qkv_proj.weight": "attn_qkv.weight",
    "mlp.gate_up_proj.weight": "ffn_up.weight",
    "self_attn.q_proj.bias": "attn_q.bias",
    "self_attn.k_proj.bias": "attn_k.bias",
    "self_attn.v_proj.bias": "attn_v.bias",
    "self_attn.o_proj.bias": "attn_output.bias",
    "self_attn.q_norm.weight": "attn_q_norm.weight",
    "self_attn.k_norm.weight": "attn_k_norm.weight",
    "self_attn.query_layernorm.weight": "attn_q_norm.weight",
    "self_attn.key_layernorm.weight": "attn_k_norm.weight",
    "self_attn.gate_proj.weight": "attn_gate.weight",
    "post_attention_layernorm.weight": "ffn_norm.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
    "mlp.gate.weight": "ffn_gate_inp.weight",
    "mlp.experts.gate_proj": "ffn_gate_exps.weight",
    "mlp.experts.up_proj": "ffn_up_exps.weight",
    "mlp.experts.down_proj": "ffn_down_exps.weight",
    "mlp.experts.gate_up_proj": "ffn_gate_up_exps.weight",
    "mlp.shared_expert_gate.weight": "ffn_gate_inp_shexp.weight",
    "mlp.shared_expert.gate_proj.weight": "ffn_gate_shexp.weight",
    "mlp.shared_expert.up_proj.weight": "ffn_up_shexp.weight",
    "mlp.shared_expert.down_proj.weight": "ffn_down_shexp.weight",
    "mlp.shared_experts.gate_proj.weight": "ffn_gate_shexp.weight",
    "mlp.shared_experts.up_proj.weight": "ffn_up_shexp.weight",
    "mlp.shared_experts.down_proj.weight": "ffn_down_shexp.weight",
    "mlp.gate.e_score_correction_bias": "exp_probs_b.bias",
    "mlp.e_score_correction_bias": "exp_probs_b.bias",
    "mlp.gate.moe_statics.e_score_correction_bias": "exp_probs_b.bias",
    "linear_attn.in_proj_qkv.weight": "attn_qkv.weight",
    "linear_attn.in_proj_z.weight": "attn_gate.weight",
    "linear_attn.in_proj_a.weight": "ssm_alpha.weight",
    "linear_attn.in_proj_b.weight": "ssm_beta.weight",
    "linear_attn.in_proj_qkvz.weight": "ssm_in.weight",
    "linear_attn.in_proj_ba.weight": "ssm_ba.weight",
    "linear_attn.conv1d.weight": "ssm_conv1d.weight",
    "linear_attn.A_log": "ssm_a",
    "linear_attn.dt_bias": "ssm_dt.bias",
    "linear_attn.norm.weight": "ssm_norm.weight",
    "linear_attn.out_proj.weight": "ssm_out.weight",
    "layer_scalar": "layer_output_scale.weight",
    "post_feedforward_layernorm_1.weight": "post_ffw_norm_1.weight",
    "pre_feedforward_layernorm_2.weight": "pre_ffw_norm_2.weight",
    "post_feedforward_layernorm_2.weight": "post_ffw_norm_2.weight",
    "block_sparse_moe.router.weight": "ffn_gate_inp.weight",
    "block_sparse_moe.experts.gate_proj": "ffn_gate_exps.weight",
    "block_sparse_moe.experts.up_proj": "ffn_up_exps.weight",
    "block_sparse_moe.experts.down_proj": "ffn_down_exps.weight",
    "shared_mlp.gate_proj": "ffn_gate_shexp.weight",
    "shared_mlp.up_proj": "ffn_up_shexp.weight",
    "shared_mlp.output_linear.weight": "ffn_down_shexp.weight",
    "router.proj.weight": "ffn_gate_inp.weight",
    "router.scale": "ffn_gate_inp.scale",
    "router.per_expert_scale": "ffn_down_exps.scale",
    "experts.gate_proj": "ffn_gate_exps.weight",
    "experts.up_proj": "ffn_up_exps.weight",
    "experts.gate_up_proj": "ffn_gate_up_exps.weight",
    "experts.down_proj": "ffn_down_exps.weight",
    "per_layer_input_gate.weight": "inp_gate.weight",
    "per_layer_projection.weight": "proj.weight",
    "post_per_layer_input_norm.weight": "post_norm.weight",
    "self_attn.sinks": "attn_sinks.weight",
    "operator_norm.weight": "attn_norm.weight",
    "conv.in_proj.weight": "shortconv.in_proj.weight",
    "conv.conv.weight": "shortconv.conv.weight",
    "conv.out_proj.weight": "shortconv.out_proj.weight",
    "self_attn.out_proj.weight": "attn_output.weight",
    "self_attn.q_layernorm.weight": "attn_q_norm.weight",
    "self_attn.k_layernorm.weight": "attn_k_norm.weight",
    "ffn_norm.weight": "ffn_norm.weight",
    "feed_forward.gate.weight": "ffn_gate_inp.weight",
    "feed_forward.expert_bias": "exp_probs_b.bias",
    "feed_forward.experts.gate_proj": "ffn_gate_exps.weight",
    "feed_forward.experts.up_proj": "ffn_up_exps.weight",
    "feed_forward.experts.down_proj": "ffn_down_exps.weight",
    "feed_forward.w1.weight": "ffn_gate.weight",
    "feed_forward.w3.weight": "ffn_up.weight",
    "feed_forward.w2.weight": "ffn_down.weight",
    "mlp.router.weight": "ffn_gate_inp.weight",
    "mlp.router.bias": "ffn_gate_inp.bias",
    "mlp.experts.gate_proj_bias": "ffn_gate_exps.bias",
    "mlp.experts.up_proj_bias": "ffn_up_exps.bias",
    "mlp.experts.down_proj_bias": "ffn_down_exps.bias",
    "nextn.eh_proj.weight": "nextn.eh_proj.weight",
    "nextn.enorm.weight": "nextn.enorm.weight",
    "nextn.hnorm.weight": "nextn.hnorm.weight",
    "nextn.shared_head_norm.weight": "nextn.shared_head_norm.weight",
}
# Of byte-level BPE, where it is not that of the Qwen models.
PRE_TOKENIZERS = {"qwen35": "qwen35", "gpt-oss": "gpt-4o", "glm4moe": "glm4", "minimax-m2": "minimax-m2", "lfm2": "lfm2", "exaone4": "exaone4",
                  "olmo2": "dbrx", "hunyuan-dense": "hunyuan-dense"}
# Of these a file has rows of Q and K so that neighbours turn together where the model turns halves.
PERMUTED = ("llama", "smollm3", "granite", "granitemoe", "mistral3", "muse-glimmer")
# Of these a file says of each layer whether it has a window, where any has one.
PATTERNED = ("exaone4", "olmo2", "muse-glimmer")
ROPE_KEYS = {"low_freq_factor": "rope.scaling.low_freq_factor", "high_freq_factor": "rope.scaling.high_freq_factor",
             "mscale_all_dim": "rope.scaling.yarn_log_multiplier", "llama_4_scaling_beta": "attention.temperature_scale",
             "attention_factor": "rope.scaling.yarn_attn_factor"}
# Keys of a file that transformers' configurations call otherwise.
SCALE_KEYS = {"attention_multiplier": "attention.scale", "embedding_multiplier": "embedding_scale", "residual_multiplier": "residual_scale",
              "logits_scaling": "logit_scale", "output_multiplier": "logit_scale"}
# The same name is another norm where a layer has norms before and after.
POST_NORM_NAMES = {
    "post_attention_layernorm.weight": "post_attention_norm.weight",
    "pre_feedforward_layernorm.weight": "ffn_norm.weight",
    "post_feedforward_layernorm.weight": "post_ffw_norm.weight",
}
# Architectures with delta nets, and gpt-oss, call the norm before the FFN by another name.
LATER_NAMES = {"post_attention_layernorm.weight": "post_attention_norm.weight"}
OTHER_NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "model.embedding_norm.weight": "token_embd_norm.weight",  # the last norm, whatever its name says
    "lm_head.weight": "output.weight",
    "model.embed_tokens_per_layer.weight": "per_layer_token_embd.weight",
    "model.per_layer_model_projection.weight": "per_layer_model_proj.weight",
    "model.per_layer_projection_norm.weight": "per_layer_proj_norm.weight",
}


def has_post_norms(model) -> bool:
    return any("post_feedforward_layernorm" in name for name, _ in model.named_parameters())


def has_delta_nets(config) -> bool:
    return "linear_attention" in (getattr(config, "layer_types", None) or ())


def has_short_convs(config) -> bool:
    return "conv" in (getattr(config, "layer_types", None) or ())


def is_gpt_oss(config) -> bool:
    return config.model_type == "gpt_oss"


def names_norms_later(config) -> bool:
    return has_delta_nets(config) or config.model_type in ("gpt_oss", "glm4_moe")


def adds_one_to_norm(model, name: str) -> bool:
    """Whether the model multiplies by 1 + weight in this norm; a file has the sum."""
    if "norm" not in name or "linear_attn." in name:
        return False
    if model.config.model_type == "muse_glimmer_text":
        return name.endswith("layernorm.weight")
    return model.config.model_type.startswith(("gemma2", "gemma3")) or has_delta_nets(model.config)


def gguf_name(name: str, model) -> str:
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    _, _, layer, rest = name.split(".", 3)
    renamed = POST_NORM_NAMES if has_post_norms(model) else LATER_NAMES if names_norms_later(model.config) else {}
    return f"blk.{layer}.{(LAYER_NAMES | renamed)[rest]}"


def parts(name: str, values: np.ndarray, config, is_fused: bool) -> list:
    """The tensors of a file that one of transformers becomes: there the rows of each expert's gate stand before those of its up, and the rows of each
    key head's query, key, values and gates follow each other, as they do in some files (is_fused). Of gpt-oss the columns of gate and up take turns."""
    if is_gpt_oss(config) and ".experts." in name:
        values = values if name.endswith("_bias") else values.swapaxes(1, 2)
        return [(name.replace("gate_up", which), values[:, first::2]) for first, which in enumerate(("gate", "up"))] if "gate_up" in name else [(name, values)]
    if name.endswith(".gate_up_proj") and not is_fused:
        return [(name.replace("gate_up_proj", which), half) for which, half in zip(("gate_proj", "up_proj"), np.split(values, 2, axis=1))]
    if name.endswith(".shared_mlp.input_linear.weight"):
        return [(name.replace("input_linear.weight", which), half) for which, half in zip(("gate_proj", "up_proj"), np.split(values, 2))]
    if name.endswith(".in_proj_qkvz.weight") and not is_fused:
        n_qk, n_values = config.linear_key_head_dim, value_dim(config) // config.linear_num_key_heads
        by_key_head = values.reshape(config.linear_num_key_heads, -1, values.shape[1])
        q, k, v, z = (part.reshape(-1, values.shape[1]) for part in np.split(by_key_head, np.cumsum([n_qk, n_qk, n_values]), axis=1))
        return [(name.replace("qkvz", "qkv"), np.concatenate([q, k, v])), (name.replace("qkvz", "z"), z)]
    return [(name, values)]


def neighbours(rows: np.ndarray, n_heads: int) -> np.ndarray:
    """Rows of each head from "halves turn together" to "neighbours turn together": the llama architecture in GGUF."""
    by_half = rows.reshape(n_heads, 2, rows.shape[0] // n_heads // 2, *rows.shape[1:])
    return by_half.swapaxes(1, 2).reshape(rows.shape)


def tiled(values: np.ndarray, n_key_heads: int, n_value_heads: int, axis: int = 0) -> np.ndarray:
    """Value heads along `axis` from "those of one key head stand together" to "head j belongs to key head j modulo n_key_heads"."""
    moved = np.moveaxis(values, axis, 0)
    by_key_head = moved.reshape(n_key_heads, n_value_heads // n_key_heads, -1, *moved.shape[1:])
    return np.moveaxis(by_key_head.swapaxes(0, 1).reshape(moved.shape), 0, axis)


def value_dim(config) -> int:
    return config.linear_num_value_heads * config.linear_value_head_dim


def delta_net_values(name: str, values: np.ndarray, config, tiles_value_heads: bool) -> np.ndarray:
    """A tensor of a delta net as the file has it: the decay itself, a convolution of two dimensions, perhaps value heads tiled."""
    heads = config.linear_num_key_heads, config.linear_num_value_heads
    part = name.split("linear_attn.")[1]
    if part == "A_log":
        values = -np.exp(values)
    if part == "conv1d.weight":
        values = values.squeeze(1)
    if not tiles_value_heads:
        return values
    if part in ("in_proj_qkv.weight", "conv1d.weight"):
        n_qk = 2 * heads[0] * config.linear_key_head_dim
        return np.concatenate([values[:n_qk], tiled(values[n_qk:], *heads)])
    if part == "norm.weight":  # one for all heads
        return values
    return tiled(values, *heads, axis=1 if part == "out_proj.weight" else 0)


def spm_tokens(n_vocab: int, words: tuple[str, ...] = ()):
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + ["\u2581"]
    types = [gguf.TokenType.UNKNOWN] + [gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.BYTE] * 256 + [gguf.TokenType.NORMAL]
    tokens += [chr(ord("a") + i) for i in range(26)]
    tokens = tokens[: n_vocab - len(words)] + list(words)
    tokens += [f"[unused{i}]" for i in range(len(tokens), n_vocab)]
    types += [gguf.TokenType.NORMAL] * (n_vocab - len(types))
    return tokens[:n_vocab], types[:n_vocab]


def bpe_tokens(n_vocab: int):
    glyphs = [b for b in range(256) if 0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or b >= 0xAE]
    others = iter(range(256, 512))
    tokens = [chr(b) if b in glyphs else chr(next(others)) for b in range(256)]
    tokens += ["th", "the", "<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    types = [gguf.TokenType.NORMAL] * 258 + [gguf.TokenType.CONTROL] * 3
    tokens += [f"[unused{i}]" for i in range(len(tokens), n_vocab)]
    types += [gguf.TokenType.NORMAL] * (n_vocab - len(types))
    return tokens[:n_vocab], types[:n_vocab]


def add_tokenizer(writer: gguf.GGUFWriter, architecture: str, n_vocab: int) -> None:
    is_spm = not architecture.startswith(("qwen", *PRE_TOKENIZERS))
    if architecture.startswith("gemma4"):
        tokens, types = spm_tokens(n_vocab, ("\u2581\u2581",))
        writer.add_tokenizer_model("gemma4")
        writer.add_token_merges(["\u2581 \u2581"])
        writer.add_token_scores([-1000.0] * n_vocab)
        bos, eos = 1, 2
        writer.add_unk_token_id(0)
    elif is_spm:
        tokens, types = spm_tokens(n_vocab)
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_token_scores([-float(i) for i in range(n_vocab)])
        bos, eos = 1, 2
        writer.add_unk_token_id(0)
    else:
        tokens, types = bpe_tokens(n_vocab)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(next((pre for name, pre in PRE_TOKENIZERS.items() if architecture.startswith(name)), "qwen2"))
        writer.add_token_merges(["t h", "th e"])
        bos, eos = 258, 260
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_bos_token_id(bos)
    writer.add_eos_token_id(eos)
    writer.add_add_bos_token(is_spm)
    if architecture.startswith("gemma"):
        writer.add_add_space_prefix(False)


def add_heads(writer: gguf.GGUFWriter, architecture: str, config, rope: dict) -> None:
    """How many heads there are, their sizes, and how much of one turns."""
    writer.add_head_count(config.num_attention_heads)
    if not architecture.startswith("gemma4"):
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        of_attention = [kind != "conv" for kind in config.layer_types] if has_short_convs(config) else []
        writer.add_head_count_kv([is_it * config.num_key_value_heads for is_it in of_attention] or config.num_key_value_heads)
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
        writer.add_rope_dimension_count(int(head_dim * rope.get("partial_rotary_factor", 1)))
        return
    has_window = [kind == "sliding_attention" for kind in config.layer_types]
    layers = [config.per_layer_config[layer] for layer in range(config.num_hidden_layers)]
    of_all = layers[has_window.index(False)].head_dim
    writer.add_head_count_kv([layer.num_key_value_heads for layer in layers])
    writer.add_key_length(of_all)
    writer.add_value_length(of_all)
    writer.add_rope_dimension_count(of_all)
    for key in ("attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"):
        writer.add_uint32(f"{architecture}.{key}", layers[has_window.index(True)].head_dim)
    writer.add_float32(f"{architecture}.rope.freq_base_swa", config.rope_parameters["sliding_attention"]["rope_theta"])
    writer.add_array(f"{architecture}.attention.sliding_window_pattern", has_window)
    writer.add_uint32(f"{architecture}.attention.shared_kv_layers", config.num_kv_shared_layers)
    writer.add_uint32(f"{architecture}.embedding_length_per_layer_input", config.hidden_size_per_layer_input or 0)


def proportional_factors(rope: dict, head_dim: int) -> np.ndarray:
    """What turns only the first pairs of a head: the others' frequencies are divided by so much that they stand still."""
    n_turning = int(rope["partial_rotary_factor"] * head_dim // 2)
    return np.array([1.0] * n_turning + [1e30] * (head_dim // 2 - n_turning))


def folded_theta(rope: dict, config) -> float:
    """The rotary base; hunyuan-dense stretches its own by a power of alpha."""
    return rope["rope_theta"] * rope.get("alpha", 1.0) ** (config.head_dim / (config.head_dim - 2) if "alpha" in rope else 1)


def long_attention_factor(config) -> float:
    """By how much LongRoPE multiplies cos and sin, by the lengths of the contexts."""
    original = config.rope_parameters["original_max_position_embeddings"]
    return math.sqrt(1 + math.log(max(1, config.max_position_embeddings / original)) / math.log(original))


def add_delta_net(writer: gguf.GGUFWriter, architecture: str, config, n_nextn: int) -> None:
    writer.add_ssm_conv_kernel(config.linear_conv_kernel_dim)
    writer.add_ssm_state_size(config.linear_key_head_dim)
    writer.add_ssm_group_count(config.linear_num_key_heads)
    writer.add_ssm_time_step_rank(config.linear_num_value_heads)
    writer.add_ssm_inner_size(value_dim(config))
    is_recurrent = [kind == "linear_attention" for kind in config.layer_types]
    interval = is_recurrent.index(False) + 1
    if is_recurrent == [(layer + 1) % interval != 0 for layer in range(len(is_recurrent))]:
        writer.add_full_attention_interval(interval)
    else:
        writer.add_array(f"{architecture}.attention.recurrent_layers", is_recurrent + [False] * n_nextn)
    if "mrope_section" in config.rope_parameters:
        writer.add_rope_dimension_sections([*config.rope_parameters["mrope_section"], 0])
    if n_nextn:
        writer.add_nextn_predict_layers(n_nextn)


def add_glm_experts(writer: gguf.GGUFWriter, config, n_nextn: int) -> None:
    writer.add_expert_count(config.n_routed_experts)
    writer.add_expert_used_count(config.num_experts_per_tok)
    writer.add_expert_group_count(config.n_group)
    writer.add_expert_group_used_count(config.topk_group)
    writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    writer.add_expert_shared_count(config.n_shared_experts)
    writer.add_leading_dense_block_count(config.first_k_dense_replace)
    writer.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)
    writer.add_expert_weights_scale(config.routed_scaling_factor)
    writer.add_expert_weights_norm(config.norm_topk_prob)
    writer.add_nextn_predict_layers(n_nextn)


def write_gguf(path, architecture: str, model, rope: dict, freq_factors=None, rope_keys: bool = True, nextn: dict | None = None,
               is_fused: bool = False) -> None:
    """rope: the configuration's rope_parameters. freq_factors: rope_freqs.weight. rope_keys: write rope.scaling.* as well. nextn: the tensors of
    one block behind the layers, named as transformers would. is_fused: see parts()."""
    config = model.config
    rope = rope.get("full_attention", rope)  # what is rotated otherwise has no key: it follows from the architecture
    window = getattr(config, "sliding_window", 0) or 0
    n_nextn = 1 if nextn else 0
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name(path.stem)
    writer.add_block_count(config.num_hidden_layers + n_nextn)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    if hasattr(type(config), "intermediate_size"):  # not where every layer has experts
        n_wide = config.num_kv_shared_layers if getattr(config, "use_double_wide_mlp", False) else 0
        widths = [config.intermediate_size] * (config.num_hidden_layers - n_wide) + [2 * config.intermediate_size] * n_wide
        writer.add_feed_forward_length(widths if n_wide else config.intermediate_size)
    add_heads(writer, architecture, config, rope)
    writer.add_layer_norm_rms_eps(getattr(config, "norm_eps", None) or config.rms_norm_eps)
    writer.add_rope_freq_base(folded_theta(rope, config))
    if is_gpt_oss(config) or architecture == "minimax-m2":
        writer.add_expert_count(config.num_local_experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        writer.add_expert_feed_forward_length(config.intermediate_size)
    elif architecture == "glm4moe":
        add_glm_experts(writer, config, n_nextn)
    elif getattr(config, "num_experts", None):
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(getattr(config, "top_k_experts", None) or config.num_experts_per_tok)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    if architecture in ("minimax-m2", "lfm2moe"):
        writer.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)
    if architecture == "lfm2moe":
        writer.add_leading_dense_block_count(config.num_dense_layers)
    if architecture == "ernie4_5-moe":
        writer.add_interleave_moe_layer_step(config.moe_layer_interval)
        writer.add_leading_dense_block_count(config.moe_layer_start_index)
        writer.add_expert_shared_count(config.moe_num_shared_experts)
        # The converter's formula, which is the width of shared experts in published models alone: nothing reads it.
        writer.add_expert_shared_feed_forward_length(config.intermediate_size // config.num_key_value_heads)
    if architecture == "granitemoe":  # the width of an expert is that of an FFN
        writer.add_expert_count(config.num_local_experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        if getattr(config, "shared_intermediate_size", 0):
            writer.add_expert_shared_feed_forward_length(config.shared_intermediate_size)
    for scale, key in SCALE_KEYS.items():
        if hasattr(config, scale):
            writer.add_float32(f"{architecture}.{key}", getattr(config, scale))
    if hasattr(config, "shared_expert_intermediate_size"):
        writer.add_expert_shared_feed_forward_length(config.shared_expert_intermediate_size)
    if has_delta_nets(config):
        add_delta_net(writer, architecture, config, n_nextn)
    if has_short_convs(config):
        writer.add_uint32(f"{architecture}.shortconv.l_cache", config.conv_L_cache)
    writer.add_vocab_size(config.vocab_size)
    if window:
        writer.add_sliding_window(window)
    if architecture in PATTERNED and window:
        writer.add_array(f"{architecture}.attention.sliding_window_pattern", [kind == "sliding_attention" for kind in config.layer_types])
    for key in ("attn_logit_softcapping", "final_logit_softcapping"):
        if getattr(config, key, None) is not None:
            writer.add_float32(f"{architecture}.{key}", getattr(config, key))
    if rope["rope_type"] == "proportional":
        freq_factors = proportional_factors(rope, config.per_layer_config["full_attention"].head_dim)
    elif rope["rope_type"] == "longrope":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        writer.add_rope_scaling_attn_factors(long_attention_factor(config))
        for length in ("short", "long"):
            writer.add_tensor(f"rope_factors_{length}.weight", np.array(rope[f"{length}_factor"], np.float32))
    elif "alpha" in rope:
        writer.add_string(f"{architecture}.rope.scaling.type", "none")
        writer.add_rope_scaling_factor(1.0)
        writer.add_rope_scaling_orig_ctx_len(config.max_position_embeddings)
    elif rope_keys and rope["rope_type"] != "default":
        writer.add_string(f"{architecture}.rope.scaling.type", rope["rope_type"])
        writer.add_rope_scaling_factor(rope["factor"])
        if "original_max_position_embeddings" in rope:
            writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        for key, name in ROPE_KEYS.items():
            if key in rope:
                writer.add_float32(f"{architecture}.{name}", rope[key])
    add_tokenizer(writer, architecture, config.vocab_size)
    if freq_factors is not None:
        writer.add_tensor("rope_freqs.weight", freq_factors.astype(np.float32))
    for name, tensor in (model.state_dict() | (nextn or {})).items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        values = tensor.detach().numpy().astype(np.float32)
        if architecture in PERMUTED and ".q_proj." in name:
            values = neighbours(values, config.num_attention_heads)
        if architecture in PERMUTED and ".k_proj." in name:
            values = neighbours(values, config.num_key_value_heads)
        if ".linear_attn." in name:
            values = delta_net_values(name, values, config, tiles_value_heads=architecture.startswith("qwen35"))
        if ".shared_expert_gate." in name or name.endswith("e_score_correction_bias"):
            values = values.reshape(-1)
        if name.endswith(".conv.conv.weight"):
            values = values.squeeze(1)
        if adds_one_to_norm(model, name):
            values = values + 1
        for part_name, part in parts(name, values, config, is_fused):
            writer.add_tensor(gguf_name(part_name, model), np.ascontiguousarray(part))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
