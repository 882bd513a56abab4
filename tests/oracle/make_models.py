"""Writes tiny random float32 models of every architecture row and RoPE variant, with the logits that transformers computes for them.

    tests/golden/models/NAME.gguf      the model, under 400 KB
    tests/golden/logits/NAME.bin       float32, little-endian, (n_tokens, n_vocab)
    tests/golden/logits/NAME.f16.bin   the same with keys and values rounded to f16, as a cache of that type holds them
    tests/golden/golden.json           names, tokens, rotary frequencies, and how llama.cpp is brought to compute the same thing
    tests/fuzz/corpus/gguf/NAME.gguf   one still smaller model per architecture, to mutate

Seeds are fixed, by a model's place where it states none: a run with the pinned requirements writes the same models. Logits that differ from those of the folder by no more than the order of
sums, which is the processor's, are left as they are.
"""

import copy
import json
import math
import pathlib
import sys

import gguf
import numpy as np
import torch
import transformers

from tiny_gguf import adds_one_to_norm, has_delta_nets, is_gpt_oss, write_gguf

TESTS = pathlib.Path(__file__).parent.parent
N_TOKENS = 40
PLAIN = {"rope_type": "default", "rope_theta": 10000.0}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 16}
# mistral3: lengths stay as they are, but those of queries, which grow within the tokens.
GROWING = dict(YARN, type="yarn", max_position_embeddings=64, beta_fast=32.0, beta_slow=1.0, mscale=1.0, mscale_all_dim=1.0, llama_4_scaling_beta=0.5)
# gpt-oss: the pairs where the ramp begins and ends are no whole numbers.
UNROUNDED = dict(YARN, rope_theta=150000.0, truncate=False)
# olmo2: the layers that see everything are scaled, those with a window are not. The factor is the one that YaRN derives, as in published files.
YARN_AND_PLAIN = {
    "full_attention": dict(YARN, rope_theta=500000.0, attention_factor=0.1 * math.log(4.0) + 1),
    "sliding_attention": {"rope_type": "default", "rope_theta": 500000.0},
}
# hunyuan-dense: converters write the base as alpha stretches it.
STRETCHED = {"rope_type": "dynamic", "rope_theta": 10000.0, "alpha": 50.0, "factor": 1.0}
LINEAR = {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}
# gemma3: the layers that see everything, then those with a window, which turn by another base and are not scaled.
GLOBAL_AND_LOCAL = {
    "full_attention": {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
}
# gemma4: of heads of layers that see everything the first quarter of the pairs turns, by the frequencies of the whole head.
PROPORTIONAL_AND_LOCAL = {
    "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
}
# 16 or 8 elements of each head turn. The sections tell pairs of three positions of an image apart, which are one and the same for text.
HALF_A_HEAD = {"rope_type": "default", "rope_theta": 10000000.0, "partial_rotary_factor": 0.5, "mrope_section": [3, 3, 2]}
QUARTER_OF_A_HEAD = {"rope_type": "default", "rope_theta": 10000000.0, "partial_rotary_factor": 0.25, "mrope_section": [2, 1, 1]}
HALF_TURNS = dict(PLAIN, partial_rotary_factor=0.5)
WITHOUT_SECTIONS = {"rope_type": "default", "rope_theta": 10000000.0, "partial_rotary_factor": 0.25}
GEMMA = {"tie_word_embeddings": True, "hidden_activation": "gelu_pytorch_tanh"}


# Without what its smaller models have beside; and what these have.
GEMMA4 = dict(GEMMA, hidden_size_per_layer_input=0, final_logit_softcapping=15.0)
GEMMA4_SMALL = dict(hidden_size_per_layer_input=8, vocab_size_per_layer_input=288, use_double_wide_mlp=True)


def long_rope(original: int, n_pairs: int, **further) -> dict:
    """phi3: factors of each pair, for contexts as long as the original one and for longer ones."""
    return dict(further, rope_type="longrope", rope_theta=10000.0, original_max_position_embeddings=original,
                short_factor=[1.0 + 0.05 * i for i in range(n_pairs)], long_factor=[1.0 + 0.5 * i for i in range(n_pairs)])


def window_kinds(n_layers: int, full: tuple[int, ...]) -> list[str]:
    return ["full_attention" if layer in full else "sliding_attention" for layer in range(n_layers)]


def delta_net(n_key_heads: int, n_value_heads: int, state: int) -> dict:
    return dict(linear_num_key_heads=n_key_heads, linear_num_value_heads=n_value_heads, linear_key_head_dim=state, linear_value_head_dim=state,
                linear_conv_kernel_dim=4)


def layer_kinds(n_layers: int, full: tuple[int, ...]) -> list[str]:
    return ["full_attention" if layer in full else "linear_attention" for layer in range(n_layers)]


def conv_kinds(n_layers: int, full: tuple[int, ...]) -> list[str]:
    return ["full_attention" if layer in full else "conv" for layer in range(n_layers)]


# Its width is that of its FFNs as it is.
LFM2 = dict(conv_L_cache=3, norm_eps=1e-5, block_auto_adjust_ff_dim=False, tie_word_embeddings=True)
LFM2_EXPERTS = dict(conv_L_cache=3, norm_eps=1e-5, tie_word_embeddings=True, num_dense_layers=1)
GRANITE = dict(attention_multiplier=0.4, embedding_multiplier=3.0, residual_multiplier=0.3, logits_scaling=0.25)
GLM = dict(n_routed_experts=8, num_experts_per_tok=3, moe_intermediate_size=12, first_k_dense_replace=1)
ERNIE = dict(moe_num_shared_experts=2, moe_layer_start_index=1, moe_layer_interval=2)
EXPERTS = dict(num_experts=8, num_experts_per_tok=3, moe_intermediate_size=20, shared_expert_intermediate_size=28)
FEW_EXPERTS = dict(num_experts=3, num_experts_per_tok=2, moe_intermediate_size=4, shared_expert_intermediate_size=4)
QWEN3NEXT = (dict(d_model=24, n_heads=2, n_kv_heads=1, head_dim=32, n_layers=3), WITHOUT_SECTIONS,
             dict(tie_word_embeddings=True, **delta_net(n_key_heads=2, n_value_heads=6, state=16), **EXPERTS, layer_types=layer_kinds(3, full=(2,))))
# name: (architecture, shape, rope, further configuration). head_dim is given where it is not d_model / n_heads.
MODELS = {
    "llama-gqa": ("llama", dict(d_model=64, n_heads=4, n_kv_heads=2), PLAIN, {}),
    "llama-mha-odd": ("llama", dict(d_model=60, n_heads=3, n_kv_heads=3, d_ff=50, n_vocab=291), PLAIN, {}),
    "llama-tied": ("llama", dict(d_model=64, n_heads=2, n_kv_heads=1), PLAIN, dict(tie_word_embeddings=True)),
    "llama-bias": ("llama", dict(d_model=48, n_heads=3, n_kv_heads=1), PLAIN, dict(attention_bias=True)),
    "llama-linear": ("llama", dict(d_model=48, n_heads=4, n_kv_heads=2), LINEAR, {}),
    "llama-llama3-keys": ("llama", dict(d_model=48, n_heads=2, n_kv_heads=1, head_dim=64), LLAMA3, {}),
    "llama-llama3-factors": ("llama", dict(d_model=48, n_heads=2, n_kv_heads=1, head_dim=64), LLAMA3, {}),
    "llama-yarn": ("llama", dict(d_model=48, n_heads=2, n_kv_heads=1, head_dim=80), YARN, {}),
    "llama-window": ("llama", dict(d_model=40, n_heads=2, n_kv_heads=1, head_dim=96), PLAIN, dict(sliding_window=12)),
    "qwen2": ("qwen2", dict(d_model=64, n_heads=4, n_kv_heads=2), dict(PLAIN, rope_theta=1000000.0), dict(tie_word_embeddings=True)),
    "qwen2-yarn": ("qwen2", dict(d_model=64, n_heads=2, n_kv_heads=1), dict(YARN, rope_theta=1000000.0), {}),
    "qwen3": ("qwen3", dict(d_model=40, n_heads=2, n_kv_heads=1, head_dim=128), dict(PLAIN, rope_theta=1000000.0), dict(tie_word_embeddings=True)),
    # Windows shorter than the tokens and caps within reach of the scores, so that leaving one of them out shows.
    "gemma2": ("gemma2", dict(d_model=40, n_heads=4, n_kv_heads=2, head_dim=32, n_layers=3), PLAIN,
               dict(GEMMA, sliding_window=12, query_pre_attn_scalar=32, attn_logit_softcapping=1.5, final_logit_softcapping=15.0)),
    "gemma3": ("gemma3", dict(d_model=32, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40, n_layers=7), GLOBAL_AND_LOCAL,
               dict(GEMMA, sliding_window=10, query_pre_attn_scalar=32)),
    # A width of experts that fills no panel, and layers too large to fit where there is room for one less.
    "qwen3moe": ("qwen3moe", dict(d_model=32, n_heads=2, n_kv_heads=1, head_dim=32), dict(PLAIN, rope_theta=1000000.0),
                 dict(tie_word_embeddings=True, num_experts=8, num_experts_per_tok=3, moe_intermediate_size=44, norm_topk_prob=True)),
    "qwen35": ("qwen35", dict(d_model=40, n_heads=2, n_kv_heads=1, head_dim=32, n_layers=4), HALF_A_HEAD,
               dict(tie_word_embeddings=True, **delta_net(n_key_heads=3, n_value_heads=3, state=16))),
    # Three value heads to each key head, a state that fills no vector, full attention where no period would have it, and an MTP block behind.
    "qwen35-tiled": ("qwen35", dict(d_model=24, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40, n_layers=5, has_nextn=True), QUARTER_OF_A_HEAD,
                     dict(delta_net(n_key_heads=2, n_value_heads=6, state=24), layer_types=layer_kinds(5, full=(1, 4)))),
    "qwen35moe": ("qwen35moe", dict(d_model=24, n_heads=2, n_kv_heads=1, head_dim=32, n_layers=3, has_nextn=True), HALF_A_HEAD,
                  dict(tie_word_embeddings=True, **delta_net(n_key_heads=2, n_value_heads=4, state=16), **EXPERTS,
                       layer_types=layer_kinds(3, full=(2,)))),
    # One model in two files: what makes queries, keys, values and gates is two tensors or, as in older files, one, and gates and ups of experts likewise.
    "qwen3next": ("qwen3next", *QWEN3NEXT),
    "qwen3next-fused": ("qwen3next", dict(QWEN3NEXT[0], is_fused=True), *QWEN3NEXT[1:]),
    # Windows where no period would have them; heads of two sizes and numbers; values that are keys in the layers without a window, and not.
    "gemma4": ("gemma4", dict(d_model=32, n_heads=4, n_kv_heads=2, head_dim=16, d_ff=40, n_layers=5), PROPORTIONAL_AND_LOCAL,
               dict(GEMMA4, sliding_window=10, global_head_dim=32, num_global_key_value_heads=1, attention_k_eq_v=True,
                    layer_types=window_kinds(5, full=(1, 4)))),
    "gemma4-values": ("gemma4", dict(d_model=24, n_heads=2, n_kv_heads=1, head_dim=32, n_layers=3), PROPORTIONAL_AND_LOCAL,
                      dict(GEMMA4, sliding_window=12, global_head_dim=64, layer_types=window_kinds(3, full=(2,)))),
    # Experts beside a dense FFN, each with norms of its own. Gates and ups of experts are one tensor, as converters write it.
    "gemma4-experts": ("gemma4", dict(d_model=32, n_heads=2, n_kv_heads=1, head_dim=16, d_ff=40, n_layers=3, is_fused=True), PROPORTIONAL_AND_LOCAL,
                       dict(GEMMA4, sliding_window=12, global_head_dim=32, num_global_key_value_heads=1, attention_k_eq_v=True,
                            layer_types=window_kinds(3, full=(2,)), enable_moe_block=True, num_experts=8, top_k_experts=3,
                            moe_intermediate_size=20)),
    # The fourth layer turns nothing.
    "smollm3": ("smollm3", dict(d_model=48, n_heads=3, n_kv_heads=1, head_dim=32, d_ff=40, n_layers=4), PLAIN,
                dict(tie_word_embeddings=True, pad_token_id=None)),
    "ernie4_5": ("ernie4_5", dict(d_model=48, n_heads=3, n_kv_heads=1, head_dim=32), dict(PLAIN, rope_theta=500000.0), dict(tie_word_embeddings=True)),
    # Three quarters of each head turn.
    "phi3": ("phi3", dict(d_model=64, n_heads=2, n_kv_heads=1, head_dim=32), dict(PLAIN, partial_rotary_factor=0.75),
             dict(pad_token_id=None)),
    # Scales that are none of those without a key, and an epsilon that shows where the residual is kept divided by its scale.
    "granite": ("granite", dict(d_model=48, n_heads=3, n_kv_heads=1, d_ff=40, epsilon=1e-2), PLAIN, dict(GRANITE)),
    "granitemoe": ("granitemoe", dict(d_model=32, n_heads=2, n_kv_heads=1, d_ff=20), PLAIN,
                   dict(GRANITE, tie_word_embeddings=True, num_local_experts=8, num_experts_per_tok=3)),
    "granitemoe-shared": ("granitemoe", dict(d_model=32, n_heads=2, n_kv_heads=1, d_ff=20), PLAIN,
                          dict(GRANITE, tie_word_embeddings=True, num_local_experts=8, num_experts_per_tok=3, shared_intermediate_size=28)),
    "mistral3": ("mistral3", dict(d_model=48, n_heads=3, n_kv_heads=1, head_dim=64, d_ff=40), GROWING, {}),
    "gpt-oss": ("gpt-oss", dict(d_model=32, n_heads=4, n_kv_heads=1, head_dim=32, d_ff=20, n_layers=3), UNROUNDED,
                dict(sliding_window=10, num_local_experts=6, num_experts_per_tok=3)),
    # The last three layers read caches of the two before them, and have FFNs of twice the width; each layer has elements of its own of a second embedding.
    "gemma4-small": ("gemma4", dict(d_model=32, n_heads=4, n_kv_heads=2, head_dim=16, d_ff=24, n_layers=6), PROPORTIONAL_AND_LOCAL,
                     dict(GEMMA4 | GEMMA4_SMALL, sliding_window=10, global_head_dim=32, num_kv_shared_layers=3,
                          layer_types=window_kinds(6, full=(2, 5)))),
    # A dense layer, then experts that are chosen with a bias, two of them shared, and a block of further tokens behind. The other one has neither
    # norms nor biases of attention, and does not divide weights by their sum.
    "glm4moe": ("glm4moe", dict(seed=33, d_model=32, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40, n_layers=3, has_nextn=True), HALF_TURNS,
                dict(GLM, attention_bias=True, use_qk_norm=True, n_shared_experts=2, norm_topk_prob=True, routed_scaling_factor=1.7)),
    "glm4moe-plain": ("glm4moe", dict(seed=34, d_model=32, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40, n_layers=3), HALF_TURNS,
                      dict(GLM, tie_word_embeddings=True, n_shared_experts=1, norm_topk_prob=False, routed_scaling_factor=1.0)),
    "minimax-m2": ("minimax-m2", dict(seed=35, d_model=32, n_heads=4, n_kv_heads=2, head_dim=32, d_ff=20), HALF_TURNS,
                   dict(num_local_experts=8, num_experts_per_tok=3)),
    # The second and the fourth layer have experts.
    "ernie4_5-moe": ("ernie4_5-moe", dict(seed=36, d_model=32, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=48, n_layers=4), dict(PLAIN, rope_theta=500000.0),
                     dict(ERNIE, tie_word_embeddings=True, moe_num_experts=8, moe_k=3, moe_intermediate_size=20)),
    # Attention where no period would have it, and a convolution that fills no panel.
    "lfm2": ("lfm2", dict(d_model=40, n_heads=2, n_kv_heads=1, d_ff=44, n_layers=5), PLAIN,
             dict(LFM2, layer_types=conv_kinds(5, full=(1, 4)))),
    # Nothing is normed before attention and FFN; the layers without a window turn nothing.
    "exaone4": ("exaone4", dict(d_model=48, n_heads=3, n_kv_heads=1, head_dim=16, d_ff=40, n_layers=3), dict(PLAIN, rope_theta=1000000.0),
                dict(sliding_window=10, layer_types=window_kinds(3, full=(1,)))),
    # The first layer, a convolution, has no experts.
    "lfm2moe": ("lfm2moe", dict(d_model=32, n_heads=2, n_kv_heads=1, d_ff=44, n_layers=4), PLAIN,
                dict(LFM2_EXPERTS, num_experts=8, num_experts_per_tok=3, moe_intermediate_size=20, layer_types=conv_kinds(4, full=(1, 3)))),
    # Norms over all heads together, and none before attention and FFN; then with windows where no period would have them.
    "olmo2": ("olmo2", dict(seed=61, d_model=48, n_heads=3, n_kv_heads=3, d_ff=40), dict(PLAIN, rope_theta=500000.0), {}),
    "olmo3": ("olmo2", dict(seed=62, d_model=64, n_heads=4, n_kv_heads=2, d_ff=40, n_layers=3), YARN_AND_PLAIN,
              dict(sliding_window=10, layer_types=window_kinds(3, full=(1,)))),
    "hunyuan-dense": ("hunyuan-dense", dict(seed=63, d_model=48, n_heads=3, n_kv_heads=1, head_dim=32, d_ff=40), STRETCHED,
                      dict(tie_word_embeddings=True)),
    # An epsilon that shows where norms behind attention and FFN have another one.
    "muse-glimmer": ("muse-glimmer", dict(seed=69, d_model=32, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40, n_layers=4, epsilon=1e-2),
                     dict(PLAIN, rope_theta=500000.0),
                     dict(sliding_window=10, layer_types=window_kinds(4, full=(1, 3)), layer_rope_theta=[500000.0, 0.0, 500000.0, 0.0],
                          qk_scale_factor=1.5, output_multiplier=2.0, final_logit_softcapping=15.0)),
    # One context is longer than the original one, the other is not: tests load both with as many positions.
    "phi3-long": ("phi3", dict(seed=65, d_model=64, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40), long_rope(16, 12, partial_rotary_factor=0.75),
                  dict(pad_token_id=None, original_max_position_embeddings=16)),
    "phi3-short": ("phi3", dict(seed=66, d_model=64, n_heads=2, n_kv_heads=1, head_dim=32, d_ff=40, n_ctx=256),
                   long_rope(64, 12, partial_rotary_factor=0.75), dict(pad_token_id=None, original_max_position_embeddings=64)),
}
SMALL_DELTA_NET = dict(delta_net(n_key_heads=1, n_value_heads=2, state=4), layer_types=layer_kinds(2, full=(1,)))
# The still smaller ones, to mutate: what each has beside what all of them have.
FUZZED = {
    "llama": ({}, YARN, {}),
    "qwen2": ({}, PLAIN, {}),
    "qwen3": ({}, PLAIN, {}),
    "gemma2": (dict(head_dim=4), PLAIN, {}),
    "gemma3": (dict(head_dim=4), GLOBAL_AND_LOCAL, {}),
    "smollm3": (dict(n_layers=4), PLAIN, dict(pad_token_id=None)),
    "ernie4_5": ({}, PLAIN, {}),
    "phi3": ({}, PLAIN, dict(pad_token_id=None)),
    "mistral3": ({}, GROWING, {}),
    "gpt-oss": (dict(n_layers=2), UNROUNDED, dict(sliding_window=10, num_local_experts=3, num_experts_per_tok=2)),
    "lfm2moe": (dict(n_layers=2), PLAIN,
                dict(LFM2_EXPERTS, num_experts=3, num_experts_per_tok=2, moe_intermediate_size=4, layer_types=conv_kinds(2, full=(1,)))),
    "exaone4": (dict(n_layers=2), PLAIN, dict(sliding_window=10, layer_types=window_kinds(2, full=(1,)))),
    "lfm2": (dict(n_layers=2), PLAIN, dict(LFM2, layer_types=conv_kinds(2, full=(1,)))),
    "granite": ({}, PLAIN, dict(GRANITE)),
    "granitemoe": ({}, PLAIN, dict(GRANITE, num_local_experts=3, num_experts_per_tok=2, shared_intermediate_size=4)),
    "gemma4": (dict(head_dim=4, n_layers=2), PROPORTIONAL_AND_LOCAL,
               dict(GEMMA4, global_head_dim=8, num_global_key_value_heads=1, attention_k_eq_v=True, layer_types=window_kinds(2, full=(1,)),
                    enable_moe_block=True, num_experts=3, top_k_experts=2, moe_intermediate_size=4)),
    "gemma4-small": (dict(architecture="gemma4", head_dim=4, n_layers=4), PROPORTIONAL_AND_LOCAL,
                     dict(GEMMA4 | GEMMA4_SMALL | dict(vocab_size_per_layer_input=264), global_head_dim=8,
                          num_kv_shared_layers=2, layer_types=window_kinds(4, full=(1, 3)))),
    "qwen3moe": ({}, PLAIN, dict(num_experts=3, num_experts_per_tok=2, moe_intermediate_size=4, norm_topk_prob=True)),
    "qwen35": (dict(n_layers=2, head_dim=8, has_nextn=True), dict(HALF_A_HEAD, mrope_section=[1, 1, 0]), SMALL_DELTA_NET),
    "qwen35moe": (dict(n_layers=2, head_dim=8), dict(HALF_A_HEAD, mrope_section=[1, 1, 0]), SMALL_DELTA_NET | FEW_EXPERTS),
    "qwen3next": (dict(n_layers=2, head_dim=8, is_fused=True), WITHOUT_SECTIONS, SMALL_DELTA_NET | FEW_EXPERTS),
    "glm4moe": (dict(n_layers=2), HALF_TURNS, dict(GLM, n_routed_experts=3, num_experts_per_tok=2, moe_intermediate_size=4, use_qk_norm=True)),
    "minimax-m2": ({}, HALF_TURNS, dict(num_local_experts=3, num_experts_per_tok=2)),
    "ernie4_5-moe": (dict(n_layers=2), PLAIN, dict(ERNIE, moe_num_experts=3, moe_k=2, moe_intermediate_size=4)),
    "olmo2": (dict(n_layers=2), YARN_AND_PLAIN, dict(sliding_window=10, layer_types=window_kinds(2, full=(1,)))),
    "hunyuan-dense": (dict(head_dim=4), STRETCHED, {}),
    "muse-glimmer": (dict(head_dim=4, n_layers=2), PLAIN,
                     dict(sliding_window=10, layer_types=window_kinds(2, full=(1,)), layer_rope_theta=[10000.0, 0.0])),
    "phi3-long": (dict(architecture="phi3"), long_rope(16, 2), dict(pad_token_id=None, original_max_position_embeddings=16)),
}
# Files with the weights of the one before them.
TWINS = ("llama-llama3-factors", "qwen3next-fused")
# Files that are ours alone, with the one that llama.cpp reads in their place: it knows no keys of llama3 scaling, its converter writes the same
# scaling as factors. Both files hold the same weights.
LLAMA_CPP_READS = {"llama-llama3-keys": "llama-llama3-factors"}


class MuseGlimmer(torch.nn.Module):
    """The text model of Muse Glimmer with its head, which transformers has within a model of images."""

    def __init__(self, config):
        super().__init__()
        vision = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, patch_size=2, pos_emb_height=2, pos_emb_width=2)
        of_all = transformers.MuseGlimmerConfig(text_config=config, vision_config=vision, out_hidden_size=64, projector_hidden_size=16,
                                                 tie_word_embeddings=config.tie_word_embeddings)
        of_all._attn_implementation = "eager"
        whole = transformers.MuseGlimmerForConditionalGeneration(of_all)
        self.config, self.model, self.lm_head = config, whole.model.language_model, whole.lm_head
        self.run = whole.forward

    def forward(self, tokens):
        return self.run(tokens)

    def state_dict(self, *args, **named):
        """With norms of heads as a converter writes them, since files have no factor of queries."""
        of_heads = {}
        for layer in range(self.config.num_hidden_layers):
            of_heads[f"model.layers.{layer}.self_attn.q_norm.weight"] = torch.full((self.config.head_dim,), self.config.qk_scale_factor)
            of_heads[f"model.layers.{layer}.self_attn.k_norm.weight"] = torch.ones(self.config.head_dim)
        return super().state_dict(*args, **named) | of_heads


CLASSES = {
    "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
    "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM),
    "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
    "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM),
    "qwen3moe": (transformers.Qwen3MoeConfig, transformers.Qwen3MoeForCausalLM),
    "qwen35": (transformers.Qwen3_5TextConfig, transformers.Qwen3_5ForCausalLM),
    "qwen35moe": (transformers.Qwen3_5MoeTextConfig, transformers.Qwen3_5MoeForCausalLM),
    "qwen3next": (transformers.Qwen3NextConfig, transformers.Qwen3NextForCausalLM),
    "gemma2": (transformers.Gemma2Config, transformers.Gemma2ForCausalLM),
    "gemma3": (transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM),
    "smollm3": (transformers.SmolLM3Config, transformers.SmolLM3ForCausalLM),
    "ernie4_5": (transformers.Ernie4_5Config, transformers.Ernie4_5ForCausalLM),
    "mistral3": (transformers.Ministral3Config, transformers.Ministral3ForCausalLM),
    "granite": (transformers.GraniteConfig, transformers.GraniteForCausalLM),
    "granitemoe": (transformers.GraniteMoeConfig, transformers.GraniteMoeForCausalLM),
    "granitemoeshared": (transformers.GraniteMoeSharedConfig, transformers.GraniteMoeSharedForCausalLM),
    "phi3": (transformers.Phi3Config, transformers.Phi3ForCausalLM),
    "gemma4": (transformers.Gemma4TextConfig, transformers.Gemma4ForCausalLM),
    "gpt-oss": (transformers.GptOssConfig, transformers.GptOssForCausalLM),
    "glm4moe": (transformers.Glm4MoeConfig, transformers.Glm4MoeForCausalLM),
    "minimax-m2": (transformers.MiniMaxM2Config, transformers.MiniMaxM2ForCausalLM),
    "ernie4_5-moe": (transformers.Ernie4_5_MoeConfig, transformers.Ernie4_5_MoeForCausalLM),
    "lfm2": (transformers.Lfm2Config, transformers.Lfm2ForCausalLM),
    "lfm2moe": (transformers.Lfm2MoeConfig, transformers.Lfm2MoeForCausalLM),
    "exaone4": (transformers.Exaone4Config, transformers.Exaone4ForCausalLM),
    "olmo2": (transformers.Olmo2Config, transformers.Olmo2ForCausalLM),
    "olmo3": (transformers.Olmo3Config, transformers.Olmo3ForCausalLM),
    "hunyuan-dense": (transformers.HunYuanDenseV1Config, transformers.HunYuanDenseV1ForCausalLM),
    "muse-glimmer": (transformers.MuseGlimmerTextConfig, MuseGlimmer),
}
# Architectures of which transformers has two: which one by what a configuration has beside.
FURTHER_CLASSES = (("llama", "sliding_window", "mistral"), ("granitemoe", "shared_intermediate_size", "granitemoeshared"),
                   ("olmo2", "sliding_window", "olmo3"))


class F16Cache:
    """While it is entered, attention sees keys and values as a cache of f16 holds them."""

    def __init__(self, model):
        self.module = sys.modules[type(model.model).__module__]

    def __enter__(self):
        self.attention = self.module.eager_attention_forward
        self.module.eager_attention_forward = lambda layer, q, k, v, *rest, **named: self.attention(
            layer, q, k.half().float(), v.half().float(), *rest, **named
        )

    def __exit__(self, *exception):
        self.module.eager_attention_forward = self.attention


def make_config(architecture: str, shape: dict, rope: dict, further: dict):
    config_class, model_class = CLASSES[next((kind for name, key, kind in FURTHER_CLASSES if name == architecture and key in further), architecture)]
    has_head_dim = architecture not in ("qwen2", "granite", "granitemoe", "lfm2", "lfm2moe", "exaone4", "olmo2")
    head_dim = {"head_dim": shape.get("head_dim", shape["d_model"] // shape["n_heads"])} if has_head_dim else {}
    config = config_class(
        vocab_size=shape.get("n_vocab", 288),
        hidden_size=shape["d_model"],
        intermediate_size=shape.get("d_ff", 72),
        num_hidden_layers=shape.get("n_layers", 2),
        num_attention_heads=shape["n_heads"],
        num_key_value_heads=shape["n_kv_heads"],
        max_position_embeddings=shape.get("n_ctx", 64),
        rms_norm_eps=shape.get("epsilon", 1e-5),
        rope_parameters=copy.deepcopy(rope),
        **head_dim,
        **{"tie_word_embeddings": False, **further},
    )
    config._attn_implementation = "eager"
    return config, model_class


def fill(model, seed: int) -> None:
    """Weights that keep activations near 1, so that a wrong rotation or a missing bias shows. The state of a delta net keeps 0.6 to 0.99 of itself
    from one token to the next, so that both what it remembers and what it forgets show within N_TOKENS. Gates and ups of gpt-oss reach its limits."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            values = rng.standard_normal(tuple(tensor.shape))
            if "norm" in name:
                values = 0.2 * values + (0 if adds_one_to_norm(model, name) else 1)
                if model.config.model_type == "gemma4_text" and ".q_norm." in name:
                    values *= 0.3  # scores are not scaled: trained models have it here
                if model.config.model_type in ("exaone4", "olmo2", "olmo3") and ".post_attention_layernorm." in name:
                    values *= 0.3  # as much as attention adds in models that do not norm it, and so does what a cache rounds
                if model.config.model_type == "muse_glimmer_text" and ".post_attention_layernorm." in name:
                    values = 0.2 * values - 0.8  # likewise, where 1 is added
            elif name.endswith(".A_log"):
                values = 0.4 * values - 1
            elif name.endswith(".dt_bias"):
                values = 0.5 * values - 0.7
            elif name.endswith("e_score_correction_bias"):  # as far apart as probabilities are: those of a softmax here, and of sigmoids below
                values = 0.1 * values
            elif name.endswith((".bias", "_bias")):
                values = 0.3 * values
            elif is_gpt_oss(model.config) and ".experts." in name:
                values = (2.5 if "gate_up" in name else 0.1) * values / math.sqrt(tensor.shape[-2])
            elif name.endswith("router.scale"):  # the logits of the router are divided by the root of d_model
                values = math.sqrt(tensor.shape[-1]) * (1 + 0.3 * values)
            elif name.endswith(".per_expert_scale"):
                values = 1 + 0.3 * values
            elif "embed_tokens" not in name:
                values = values / math.sqrt(tensor.shape[-1])
            tensor.copy_(torch.from_numpy(values.astype(np.float32)))
        for name, tensor in model.named_buffers():
            if name.endswith(".layer_scalar"):
                tensor.copy_(torch.from_numpy((0.7 + 0.5 * rng.random(tuple(tensor.shape))).astype(np.float32)))
            elif name.endswith(("e_score_correction_bias", ".expert_bias")):
                tensor.copy_(torch.from_numpy((0.3 * rng.standard_normal(tuple(tensor.shape))).astype(np.float32)))


def nextn_block(model, seed: int) -> dict:
    """Random tensors of an MTP block, which guesses one token more: a layer with full attention, and what its input is made by. transformers has
    no such block for these models: no logits come from it."""
    config = model.config
    like = config.layer_types.index("full_attention") if has_delta_nets(config) else config.num_hidden_layers - 1
    of_layer = f"model.layers.{like}."
    of_block = f"model.layers.{config.num_hidden_layers}."
    shapes = {name.replace(of_layer, of_block): tensor.shape for name, tensor in model.state_dict().items() if name.startswith(of_layer)}
    for norm in ("enorm", "hnorm", "shared_head_norm"):
        shapes[f"{of_block}nextn.{norm}.weight"] = (config.hidden_size,)
    shapes[f"{of_block}nextn.eh_proj.weight"] = (config.hidden_size, 2 * config.hidden_size)
    rng = np.random.default_rng(seed)
    return {name: torch.from_numpy(0.2 * rng.standard_normal(tuple(shape)).astype(np.float32)) for name, shape in shapes.items()}


def llama3_factors(rope: dict, head_dim: int) -> np.ndarray:
    """What the scaling divides each frequency by: the definition of Llama 3.1."""
    factors = []
    for i in range(head_dim // 2):
        n_turns = rope["original_max_position_embeddings"] * rope["rope_theta"] ** (-2 * i / head_dim) / (2 * math.pi)
        if n_turns < rope["low_freq_factor"]:
            factors.append(rope["factor"])
        elif n_turns > rope["high_freq_factor"]:
            factors.append(1.0)
        else:
            smooth = (n_turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"])
            factors.append(1 / ((1 - smooth) / rope["factor"] + smooth))
    return np.array(factors)


def write_model(path, architecture: str, shape: dict, rope: dict, further: dict, seed: int, as_factors: bool):
    config, model_class = make_config(architecture, shape, rope, further)
    model = model_class(config).eval().to(torch.float32)
    fill(model, seed)
    factors = llama3_factors(rope, config.head_dim) if as_factors else None
    nextn = nextn_block(model, seed) if shape.get("has_nextn") else None
    write_gguf(path, architecture, model, rope, factors, rope_keys=not as_factors, nextn=nextn,
               is_fused=shape.get("is_fused", False))
    return model


# What leaves a part of a delta net out, by the parameter that makes it: what is convolved is the newest row alone, nothing decays, all rows correct alike,
# each element of what is read has the gate of its neighbour. The normalisation of keys has no parameter.
LEFT_OUT = {
    "conv1d.weight": lambda taps: torch.cat([torch.zeros_like(taps[..., :-1]), torch.ones_like(taps[..., -1:])], dim=-1),
    "A_log": lambda decay: torch.full_like(decay, -30.0),
    "dt_bias": torch.zeros_like,
    "in_proj_b.weight": torch.zeros_like,
    "norm.weight": torch.ones_like,
    "in_proj_z.weight": lambda gates: gates.roll(1, 0),
}


# Likewise of a short convolution: what is convolved is the newest row alone; what goes in and what comes out are multiplied by each other's factor.
LEFT_OUT_OF_CONV = {
    "conv.weight": lambda taps: torch.cat([torch.zeros_like(taps[..., :-1]), torch.ones_like(taps[..., -1:])], dim=-1),
    "in_proj.weight": lambda rows: torch.cat([rows.chunk(3)[1], rows.chunk(3)[0], rows.chunk(3)[2]]),
}


def check_parts(name: str, layer: str, left_out: dict, model, tokens: np.ndarray, logits: np.ndarray) -> None:
    """The logits of a model hold each part of a layer only if they would be others without it: by a hundred times what our engine may differ by."""
    for part, without in left_out.items():
        changed = copy.deepcopy(model)
        with torch.no_grad():
            for parameter, tensor in changed.named_parameters():
                if parameter.endswith(f".{layer}.{part}"):
                    tensor.copy_(without(tensor))
            moved = np.abs(changed(torch.from_numpy(tokens)[None]).logits[0].numpy() - logits).max()
        assert moved > 1e-2, (name, part, moved)
        print(f"{name} without {part}: logits move by {moved:.2g}")


def check_limits(name: str, model, tokens: np.ndarray, logits: np.ndarray) -> None:
    """Likewise of gpt-oss the limits of what stands between the matrices of an expert, which are no parameters."""
    changed = copy.deepcopy(model)
    for layer in changed.model.layers:
        layer.mlp.experts.limit = 1e9
    with torch.no_grad():
        moved = np.abs(changed(torch.from_numpy(tokens)[None]).logits[0].numpy() - logits).max()
    assert moved > 1e-2, (name, moved)
    print(f"{name} without limits: logits move by {moved:.2g}")


def write_values(path) -> None:
    """Every value type, alone and in an array, and tensors of types that nobody computes with."""
    kinds = gguf.GGUFValueType
    numbers = [kind for kind in kinds if kind not in (kinds.ARRAY, kinds.STRING, kinds.BOOL)]
    writer = gguf.GGUFWriter(path, "values")
    for kind in numbers:
        writer.add_key_value(f"one.{kind.name}", 7, kind)
        writer.add_key_value(f"many.{kind.name}", [1, 2, 3], kinds.ARRAY, sub_type=kind)
    writer.add_bool("one.BOOL", True)
    writer.add_string("one.STRING", "text")
    writer.add_key_value("many.BOOL", [True, False], kinds.ARRAY, sub_type=kinds.BOOL)
    writer.add_array("many.STRING", ["", "a", "bc"])
    for kind in (gguf.GGMLQuantizationType.Q2_K, gguf.GGMLQuantizationType.IQ4_NL, gguf.GGMLQuantizationType.Q8_0):
        writer.add_tensor(f"t.{kind.name}", np.zeros((2, gguf.GGML_QUANT_SIZES[kind][1]), np.uint8), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_refused(folder) -> None:
    """Headers of files that are refused by what they need: what is read of them has to bear any bytes."""
    numbers = {"block_count": 2, "context_length": 4096, "embedding_length": 64, "attention.head_count": 4, "nextn_predict_layers": 1}
    latent = {"attention.kv_lora_rank": 32, "rope.dimension_count": 8, "attention.indexer.key_length": 16}
    compressed = {"attention.compress_ratios": [4, 128], "attention.key_length": 32, "attention.sliding_window": 128, "attention.indexer.key_length": 16}
    mamba = {"attention.head_count_kv": [0, 2], "feed_forward_length": [0, 0], "ssm.inner_size": 128, "ssm.state_size": 16, "ssm.group_count": 2, "ssm.conv_kernel": 4}
    nets = {"attention.head_count_kv": 2, "full_attention_interval": 2, "attention.indexer.key_length": 16, "ssm.group_count": 2, "ssm.time_step_rank": 4, "ssm.state_size": 8, "ssm.inner_size": 32, "ssm.conv_kernel": 4}
    chunks = {"attention.head_count_kv": 2, "attention.sliding_window": 8192, "attention.sliding_window_pattern": 4}
    for architecture, further in {"glm-dsa": latent, "deepseek4": compressed, "nemotron_h_moe": mamba, "qwen4exp": nets, "llama4": chunks, "clip": {}}.items():
        writer = gguf.GGUFWriter(folder / f"{architecture}.gguf", architecture)
        for key, value in (numbers | further).items():
            name = f"{architecture}.{key}"
            writer.add_array(name, value) if isinstance(value, list) else writer.add_uint32(name, value)
        for layer in range(2):
            writer.add_tensor(f"blk.{layer}.indexer.attn_k.weight", np.zeros((1, 64), np.float32))
        nvfp4 = gguf.GGMLQuantizationType.NVFP4
        writer.add_tensor("token_embd.weight", np.zeros((2, gguf.GGML_QUANT_SIZES[nvfp4][1]), np.uint8), raw_dtype=nvfp4)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def write_logits(path, logits: np.ndarray) -> None:
    if path.exists():
        written = np.fromfile(path, "<f4")
        if written.size == logits.size and np.abs(written - logits.ravel()).max() < 2e-5 * np.abs(logits).max():
            return
    logits.astype("<f4").tofile(path)


def rotary_facts(rotary) -> dict:
    """Of the layers that see everything; frequencies of those with a window where they have their own."""
    if hasattr(rotary, "inv_freq"):
        return {"rope_frequencies": rotary.inv_freq.tolist(), "rope_magnitude": float(rotary.attention_scaling)}
    return {
        "rope_frequencies": rotary.full_attention_inv_freq.tolist(),
        "rope_magnitude": float(rotary.full_attention_attention_scaling),
        "window_rope_frequencies": rotary.sliding_attention_inv_freq.tolist(),
    }


def main() -> None:
    golden = []
    for folder in ("golden/models", "golden/logits", "fuzz/corpus/gguf"):
        (TESTS / folder).mkdir(parents=True, exist_ok=True)
    for place, (name, (architecture, shape, rope, further)) in enumerate(MODELS.items(), start=1):
        seed = shape.get("seed", place)
        path = TESTS / "golden" / "models" / f"{name}.gguf"
        model_seed = seed - 1 if name in TWINS else seed
        model = write_model(path, architecture, shape, rope, further, model_seed, name == "llama-llama3-factors")
        tokens = np.random.default_rng(1000 + seed).integers(0, model.config.vocab_size, N_TOKENS)
        with torch.no_grad():
            logits = model(torch.from_numpy(tokens)[None]).logits[0].numpy()
            with F16Cache(model):
                f16_logits = model(torch.from_numpy(tokens)[None]).logits[0].numpy()
        if architecture.startswith("qwen35"):
            check_parts(name, "linear_attn", LEFT_OUT, model, tokens, logits)
        if architecture.startswith("lfm2"):
            check_parts(name, "conv", LEFT_OUT_OF_CONV, model, tokens, logits)
        if is_gpt_oss(model.config):
            check_limits(name, model, tokens, logits)
        f16_share = np.abs(f16_logits - logits).max() / np.abs(logits).max()
        assert 0 < f16_share < 1e-3, (name, f16_share)
        assert np.isfinite(logits).all() and path.stat().st_size < 400_000, (name, path.stat().st_size)
        write_logits(TESTS / "golden" / "logits" / f"{name}.bin", logits)
        write_logits(TESTS / "golden" / "logits" / f"{name}.f16.bin", f16_logits)
        entry = {
            "name": name,
            "llama_cpp_reads": LLAMA_CPP_READS.get(name, name),
            "window": further.get("sliding_window", 0) if architecture == "llama" else 0,
            "n_vocab": model.config.vocab_size,
            "n_params": sum(tensor.numel() for name, tensor in model.state_dict().items() if name != "lm_head.weight" or not model.config.tie_word_embeddings),
            **rotary_facts(getattr(model.model, "rotary_emb", None) or model.model.pos_emb),
            "tokens": tokens.tolist(),
        }
        golden.append(entry)
        print(f"{name}: {path.stat().st_size} bytes, logits from {logits.min():.2f} to {logits.max():.2f}, f16 cache {f16_share:.1e} of that")
    (TESTS / "golden" / "golden.json").write_text(json.dumps({"models": golden}, indent=2) + "\n")
    write_values(TESTS / "fuzz" / "corpus" / "gguf" / "values.gguf")
    write_refused(TESTS / "fuzz" / "corpus" / "gguf")
    for name, (shape, rope, further) in FUZZED.items():
        shape = dict(d_model=8, n_heads=2, n_kv_heads=1, d_ff=8, n_layers=1, n_vocab=264) | shape
        path = TESTS / "fuzz" / "corpus" / "gguf" / f"{name}.gguf"
        write_model(path, shape.get("architecture", name), shape, rope, {"tie_word_embeddings": True, **further}, 7, False)


if __name__ == "__main__":
    main()
