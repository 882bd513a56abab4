"""Writes a GGUF file with random weights in a well-known model's shape: `make_bench_model.py TYPE OUT.gguf [--experts] [--delta-nets | --gemma4 | --small-gemma4 | --gpt-oss] [--layers N]`.

Blocks are random bits with small random scales, so that a 1B file takes seconds; the values are noise, the bytes and the work are those of a real model.
Needs numpy and the gguf package (tests/oracle/requirements.txt).
"""

import argparse

import gguf
import numpy as np

# Llama-3.2-1B: tied head, so the embedding is also the head.
SHAPE = {"n_layers": 16, "d_model": 2048, "d_ff": 8192, "n_heads": 32, "n_kv_heads": 8, "head_dim": 64, "n_vocab": 128256, "n_ctx": 131072}
# Qwen3-30B-A3B, of which a token reads 8 of 128 experts; it has 48 layers, and a vocabulary that would hide few of them.
EXPERTS_SHAPE = {"n_layers": 8, "d_model": 2048, "d_ff": 768, "n_heads": 32, "n_kv_heads": 4, "head_dim": 128, "n_vocab": 32000, "n_ctx": 40960,
                 "n_experts": 128, "n_experts_used": 8}
# Qwen3.5-9B, of whose layers every fourth has attention; it has 32 layers, and a vocabulary that would hide few of them.
DELTA_SHAPE = {"n_layers": 8, "d_model": 4096, "d_ff": 12288, "n_heads": 16, "n_kv_heads": 4, "head_dim": 256, "n_vocab": 32000, "n_ctx": 262144,
               "n_key_heads": 16, "n_value_heads": 32, "state_dim": 128, "conv_width": 4, "attention_period": 4}
# Qwen3.6-35B-A3B, of which a token reads 8 of 256 experts and a shared one; it has 40 layers, and a vocabulary that would hide few of them.
EXPERTS_DELTA_SHAPE = {"n_layers": 4, "d_model": 2048, "d_ff": 512, "n_heads": 16, "n_kv_heads": 2, "head_dim": 256, "n_vocab": 32000, "n_ctx": 262144,
                       "n_experts": 256, "n_experts_used": 8, "shared_d_ff": 512,
                       "n_key_heads": 16, "n_value_heads": 32, "state_dim": 128, "conv_width": 4, "attention_period": 4}
# Gemma 4 12B and 26B-A4B, of whose layers every sixth sees everything; they have 48 and 30 layers, and a vocabulary that would hide few of them.
GEMMA4_SHAPE = {"n_layers": 6, "d_model": 3840, "d_ff": 15360, "n_heads": 16, "n_kv_heads": 8, "head_dim": 256, "n_vocab": 32000, "n_ctx": 131072,
                "full_head_dim": 512, "full_kv_heads": 1, "window": 1024, "attention_period": 6}
GEMMA4_EXPERTS_SHAPE = {"n_layers": 6, "d_model": 2816, "d_ff": 704, "n_heads": 16, "n_kv_heads": 8, "head_dim": 256, "n_vocab": 32000, "n_ctx": 262144,
                        "n_experts": 128, "n_experts_used": 8, "dense_d_ff": 2112,
                        "full_head_dim": 512, "full_kv_heads": 2, "window": 1024, "attention_period": 6}
# Gemma 4 E4B, of whose layers the last read caches of earlier ones; it has 42 layers, the last 18 of these, and a vocabulary that would hide few of them.
GEMMA4_SMALL_SHAPE = {"n_layers": 12, "d_model": 2560, "d_ff": 10240, "n_heads": 8, "n_kv_heads": 2, "head_dim": 256, "n_vocab": 32000, "n_ctx": 131072,
                      "full_head_dim": 512, "full_kv_heads": 2, "window": 512, "attention_period": 6, "n_shared": 6, "input_dim": 256}
# gpt-oss 20B, of which a token reads 4 of 32 experts; it has 24 layers, and a vocabulary that would hide few of them. Experts alone have the type.
GPT_OSS_SHAPE = {"n_layers": 6, "d_model": 2880, "d_ff": 2880, "n_heads": 64, "n_kv_heads": 8, "head_dim": 64, "n_vocab": 32000, "n_ctx": 131072,
                 "n_experts": 32, "n_experts_used": 4, "window": 128}
# Of (experts, delta nets, Gemma 4): the architecture, what a file is named, its shape.
KINDS = {(False, False, False): ("llama", "1B", SHAPE), (True, False, False): ("qwen3moe", "experts", EXPERTS_SHAPE),
         (False, True, False): ("qwen35", "delta nets", DELTA_SHAPE), (True, True, False): ("qwen35moe", "experts and delta nets", EXPERTS_DELTA_SHAPE),
         (False, False, True): ("gemma4", "windows", GEMMA4_SHAPE), (True, False, True): ("gemma4", "windows and experts", GEMMA4_EXPERTS_SHAPE)}
Q = gguf.GGMLQuantizationType
# Where the f16 scales stand in a block, per type: byte offsets.
SCALES = {Q.Q8_0: [0], Q.Q4_0: [0], Q.Q4_1: [0, 2], Q.Q5_0: [0], Q.Q5_1: [0, 2], Q.Q2_K: [80, 82], Q.Q3_K: [108], Q.Q4_K: [0, 2],
          Q.Q5_K: [0, 2], Q.Q6_K: [208], Q.IQ4_NL: [0], Q.IQ4_XS: [0], Q.MXFP4: [],
          Q.IQ3_XXS: [0], Q.IQ3_S: [0], Q.IQ2_XXS: [0], Q.IQ2_XS: [0], Q.IQ2_S: [0], Q.IQ1_S: [0], Q.IQ1_M: []}


def random_matrix(rng, n_rows, n_cols, qtype):
    """(n_rows, bytes per row) uint8, or floats for the float types."""
    if qtype == Q.F32:
        return rng.standard_normal((n_rows, n_cols), dtype=np.float32) * 0.02
    if qtype == Q.F16:
        return (rng.standard_normal((n_rows, n_cols), dtype=np.float32) * 0.02).astype(np.float16)
    if qtype == Q.BF16:
        bits = (rng.standard_normal((n_rows, n_cols), dtype=np.float32) * 0.02).view(np.uint32) >> 16
        return bits.astype(np.uint16).view(np.uint8).reshape(n_rows, n_cols * 2)
    block, n_bytes = gguf.GGML_QUANT_SIZES[qtype]
    blocks = rng.integers(0, 256, size=(n_rows * n_cols // block, n_bytes), dtype=np.uint8)
    scales = (rng.random(len(blocks), dtype=np.float32) * 0.001 + 0.0005).astype(np.float16).view(np.uint8).reshape(-1, 2)
    for at in SCALES[qtype]:
        blocks[:, at : at + 2] = scales
    if qtype == Q.MXFP4:  # a power of 2 in place of a scale: 2^(byte - 128)
        blocks[:, 0] = rng.integers(117, 119, size=len(blocks), dtype=np.uint8)
    if qtype == Q.IQ1_M:  # four bits of the scale in the last byte of each of four words
        for i in range(4):
            blocks[:, 49 + 2 * i] = blocks[:, 49 + 2 * i] & 15 | scales[:, i // 2] >> i % 2 * 4 << 4
    return blocks.reshape(n_rows, n_cols // block * n_bytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("type", help="a name that README.md lists under Weights, or Q4_K_M for llama.cpp's mixture (half of V and down, and the head, in Q6_K)")
    parser.add_argument("out")
    parser.add_argument("--experts", action="store_true", help="a model with experts instead of a dense one; with delta nets one expert more is shared")
    parser.add_argument("--delta-nets", action="store_true", help="a model with gated delta nets in three of four layers")
    parser.add_argument("--gemma4", action="store_true", help="a Gemma 4 model; with experts these stand beside a dense FFN")
    parser.add_argument("--small-gemma4", action="store_true", help="a small Gemma 4 model: shared caches and inputs of layers")
    parser.add_argument("--gpt-oss", action="store_true", help="a gpt-oss model: experts of the type, all else Q8_0")
    parser.add_argument("--layers", type=int)
    args = parser.parse_args()
    args.experts |= args.gpt_oss
    args.gemma4 |= args.small_gemma4
    if args.small_gemma4 and args.experts:
        parser.error("small Gemma 4 models have no experts")
    if args.delta_nets and args.gemma4:
        parser.error("Gemma 4 has no delta nets")
    architecture, kind_name, shape = KINDS[args.experts, args.delta_nets, args.gemma4]
    if args.small_gemma4:
        kind_name, shape = "shared caches", GEMMA4_SMALL_SHAPE
    if args.gpt_oss:
        architecture, kind_name, shape = "gpt-oss", "gpt-oss", GPT_OSS_SHAPE
    shape, rng = dict(shape), np.random.default_rng(1)
    shape["n_layers"] = args.layers or shape["n_layers"]
    base = Q.Q4_K if args.type == "Q4_K_M" else Q[args.type]
    better = Q.Q6_K if args.type == "Q4_K_M" else base
    of_experts = base
    if args.gpt_oss:
        base = better = Q.Q8_0

    writer = gguf.GGUFWriter(args.out, architecture)
    writer.add_name(f"bench {kind_name} {args.type}")
    writer.add_block_count(shape["n_layers"])
    writer.add_context_length(shape["n_ctx"])
    writer.add_embedding_length(shape["d_model"])
    writer.add_feed_forward_length(shape.get("dense_d_ff", shape["d_ff"]))
    writer.add_head_count(shape["n_heads"])
    has_window = [args.gemma4 and (i + 1) % shape["attention_period"] != 0 for i in range(shape["n_layers"])]
    of_all = shape.get("full_head_dim", shape["head_dim"])
    heads = [(shape["head_dim"], shape["n_kv_heads"]) if window else (of_all, shape.get("full_kv_heads", shape["n_kv_heads"])) for window in has_window]
    writer.add_head_count_kv([n for _, n in heads] if args.gemma4 else shape["n_kv_heads"])
    writer.add_key_length(of_all)
    writer.add_value_length(of_all)
    writer.add_rope_dimension_count(of_all // 4 if args.delta_nets else of_all)
    writer.add_rope_freq_base(500000.0)
    if args.gemma4:
        for key in ("attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"):
            writer.add_uint32(f"{architecture}.{key}", shape["head_dim"])
        writer.add_uint32(f"{architecture}.attention.shared_kv_layers", shape.get("n_shared", 0))
        writer.add_uint32(f"{architecture}.embedding_length_per_layer_input", shape.get("input_dim", 0))
        writer.add_float32(f"{architecture}.rope.freq_base_swa", 10000.0)
        writer.add_float32(f"{architecture}.final_logit_softcapping", 30.0)
        writer.add_sliding_window(shape["window"])
        writer.add_array(f"{architecture}.attention.sliding_window_pattern", has_window)
    if args.gpt_oss:
        writer.add_sliding_window(shape["window"])
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(32.0)
        writer.add_rope_scaling_orig_ctx_len(4096)
    writer.add_layer_norm_rms_eps(1e-5)
    if args.experts:
        writer.add_expert_count(shape["n_experts"])
        writer.add_expert_used_count(shape["n_experts_used"])
        writer.add_expert_feed_forward_length(shape["d_ff"])
    if "shared_d_ff" in shape:
        writer.add_expert_shared_feed_forward_length(shape["shared_d_ff"])
    if args.delta_nets:
        writer.add_rope_dimension_sections([11, 11, 10, 0])
        writer.add_uint32(f"{architecture}.full_attention_interval", shape["attention_period"])
        writer.add_ssm_conv_kernel(shape["conv_width"])
        writer.add_ssm_state_size(shape["state_dim"])
        writer.add_ssm_group_count(shape["n_key_heads"])
        writer.add_ssm_time_step_rank(shape["n_value_heads"])
        writer.add_ssm_inner_size(shape["n_value_heads"] * shape["state_dim"])
    writer.add_vocab_size(shape["n_vocab"])
    # One token per byte, then fillers: enough for both programs to load and to tokenize.
    writer.add_tokenizer_model("gemma4" if args.gemma4 else "llama")
    if args.gemma4:
        writer.add_token_merges(["filler0 filler1"])
    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{b:02X}>".encode() for b in range(256)]
    types = [2, 3, 3] + [6] * 256
    tokens += [f"filler{i}".encode() for i in range(shape["n_vocab"] - len(tokens))]
    tokens[-1] = b"filler0filler1"
    types += [1] * (shape["n_vocab"] - len(types))
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def matrix(name, n_rows, n_cols, qtype, n_matrices=1):
        data = random_matrix(rng, n_matrices * n_rows, n_cols, qtype)
        if n_matrices > 1:
            data = data.reshape(n_matrices, n_rows, -1)
        writer.add_tensor(name, data, raw_dtype=None if qtype in (Q.F32, Q.F16) else qtype)

    def delta_net(i, rich):
        heads, width = shape["n_value_heads"], shape["n_value_heads"] * shape["state_dim"]
        n_mixed = 2 * shape["n_key_heads"] * shape["state_dim"] + width
        matrix(f"blk.{i}.attn_qkv.weight", n_mixed, d, rich)
        matrix(f"blk.{i}.attn_gate.weight", width, d, base)
        matrix(f"blk.{i}.ssm_alpha.weight", heads, d, base)
        matrix(f"blk.{i}.ssm_beta.weight", heads, d, base)
        writer.add_tensor(f"blk.{i}.ssm_conv1d.weight", rng.standard_normal((n_mixed, shape["conv_width"]), dtype=np.float32) * 0.5)
        writer.add_tensor(f"blk.{i}.ssm_dt.bias", np.zeros(heads, np.float32))
        writer.add_tensor(f"blk.{i}.ssm_a", np.full(heads, -0.1, np.float32))
        writer.add_tensor(f"blk.{i}.ssm_norm.weight", np.ones(shape["state_dim"], np.float32))
        matrix(f"blk.{i}.ssm_out.weight", d, width, base)

    d = shape["d_model"]
    matrix("token_embd.weight", shape["n_vocab"], d, better)
    if args.gpt_oss:
        matrix("output.weight", shape["n_vocab"], d, better)
    if args.gemma4:
        writer.add_tensor("rope_freqs.weight", np.array([1.0] * (of_all // 8) + [1e30] * (of_all // 2 - of_all // 8), np.float32))
    if args.small_gemma4:
        n_inputs = shape["n_layers"] * shape["input_dim"]
        matrix("per_layer_token_embd.weight", shape["n_vocab"], n_inputs, better)
        matrix("per_layer_model_proj.weight", n_inputs, d, Q.BF16)
        writer.add_tensor("per_layer_proj_norm.weight", np.ones(shape["input_dim"], np.float32))
    writer.add_tensor("output_norm.weight", np.ones(d, np.float32))
    for i in range(shape["n_layers"]):
        rich = better if i % 2 == 0 else base
        norms = ["attn_norm", "post_attention_norm" if args.delta_nets or args.gpt_oss else "ffn_norm"]
        if args.gemma4:
            norms += ["post_attention_norm", "post_ffw_norm"]
            norms += ["pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"] if args.experts else []
            writer.add_tensor(f"blk.{i}.layer_output_scale.weight", np.ones(1, np.float32))
        for norm in norms:
            writer.add_tensor(f"blk.{i}.{norm}.weight", np.ones(d, np.float32))
        if args.delta_nets and (i + 1) % shape["attention_period"] != 0:
            delta_net(i, rich)
        else:
            head_dim, n_kv_heads = heads[i]
            q, kv = shape["n_heads"] * head_dim, n_kv_heads * head_dim
            matrix(f"blk.{i}.attn_q.weight", 2 * q if args.delta_nets else q, d, base)
            has_cache = i + shape.get("n_shared", 0) < shape["n_layers"]
            if has_cache:
                matrix(f"blk.{i}.attn_k.weight", kv, d, base)
            if has_cache and (not args.gemma4 or has_window[i] or args.small_gemma4):  # else values are made by the matrix of keys
                matrix(f"blk.{i}.attn_v.weight", kv, d, rich)
            matrix(f"blk.{i}.attn_output.weight", d, q, base)
            if args.gpt_oss:
                for name, n_rows in (("attn_q", q), ("attn_k", kv), ("attn_v", kv), ("attn_output", d)):
                    writer.add_tensor(f"blk.{i}.{name}.bias", np.zeros(n_rows, np.float32))
                writer.add_tensor(f"blk.{i}.attn_sinks.weight", np.zeros(shape["n_heads"], np.float32))
            elif args.delta_nets or args.experts or args.gemma4:
                for head in ("q", "k") if has_cache else ("q",):
                    writer.add_tensor(f"blk.{i}.attn_{head}_norm.weight", np.full(head_dim, 0.25 if args.gemma4 else 1, np.float32))
        if args.small_gemma4:
            matrix(f"blk.{i}.inp_gate.weight", shape["input_dim"], d, base)
            matrix(f"blk.{i}.proj.weight", d, shape["input_dim"], base)
            writer.add_tensor(f"blk.{i}.post_norm.weight", np.ones(d, np.float32))
        kind, n = ("_exps", shape["n_experts"]) if args.experts else ("", 1)
        matrix(f"blk.{i}.ffn_gate{kind}.weight", shape["d_ff"], d, of_experts, n)
        matrix(f"blk.{i}.ffn_up{kind}.weight", shape["d_ff"], d, of_experts, n)
        matrix(f"blk.{i}.ffn_down{kind}.weight", d, shape["d_ff"], of_experts if args.gpt_oss else rich, n)
        if args.gpt_oss:
            writer.add_tensor(f"blk.{i}.ffn_gate_inp.bias", np.zeros(n, np.float32))
            for name, n_rows in (("gate", shape["d_ff"]), ("up", shape["d_ff"]), ("down", d)):
                writer.add_tensor(f"blk.{i}.ffn_{name}_exps.bias", np.zeros((n, n_rows), np.float32))
        if args.experts:
            matrix(f"blk.{i}.ffn_gate_inp.weight", n, d, Q.F32)
        if "dense_d_ff" in shape:
            matrix(f"blk.{i}.ffn_gate.weight", shape["dense_d_ff"], d, base)
            matrix(f"blk.{i}.ffn_up.weight", shape["dense_d_ff"], d, base)
            matrix(f"blk.{i}.ffn_down.weight", d, shape["dense_d_ff"], rich)
            writer.add_tensor(f"blk.{i}.ffn_gate_inp.scale", np.ones(d, np.float32))
            writer.add_tensor(f"blk.{i}.ffn_down_exps.scale", np.ones(n, np.float32))
        if "shared_d_ff" in shape:
            matrix(f"blk.{i}.ffn_gate_shexp.weight", shape["shared_d_ff"], d, base)
            matrix(f"blk.{i}.ffn_up_shexp.weight", shape["shared_d_ff"], d, base)
            matrix(f"blk.{i}.ffn_down_shexp.weight", d, shape["shared_d_ff"], rich)
            writer.add_tensor(f"blk.{i}.ffn_gate_inp_shexp.weight", rng.standard_normal(d, dtype=np.float32) * 0.02)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
