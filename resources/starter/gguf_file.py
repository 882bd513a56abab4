"""The model as a GGUF file: Q8_0 matrices, F32 norms, the vocabulary and the chat template; and back again, dequantized."""

import json

import gguf
import numpy as np
import torch

from model import Config, Decoder
from text import CHAT_TEMPLATE, END, PAD, SPECIAL

DESCRIPTION = (
    "A guide to the memory of language models and to the Headroom app; not a general assistant. Trained from scratch on questions and answers "
    "written for Headroom, by resources/starter/train.py."
)
LAYER_MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
LAYER_NORMS = ("attn_norm", "ffn_norm")


def tensors_of(model):
    """(GGUF name, parameter) of every weight."""
    yield "token_embd.weight", model.token_embd.weight
    for index, layer in enumerate(model.layers):
        for name in LAYER_NORMS + LAYER_MATRICES:
            yield f"blk.{index}.{name}.weight", getattr(layer, name).weight
    yield "output_norm.weight", model.output_norm.weight


def write_gguf(path, model, tokenizer, name="Headroom Starter", description=DESCRIPTION):
    c = model.config
    w = gguf.GGUFWriter(str(path), "llama")
    w.add_name(name)
    w.add_description(description)
    w.add_license("GPL-3.0-or-later")
    w.add_languages(["en"])
    w.add_context_length(c.n_ctx)
    w.add_embedding_length(c.d_model)
    w.add_block_count(c.n_layers)
    w.add_feed_forward_length(c.d_ff)
    w.add_head_count(c.n_heads)
    w.add_head_count_kv(c.n_kv_heads)
    w.add_key_length(c.head_dim)
    w.add_value_length(c.head_dim)
    w.add_rope_dimension_count(c.head_dim)
    w.add_rope_freq_base(c.rope_theta)
    w.add_layer_norm_rms_eps(c.norm_epsilon)
    w.add_vocab_size(c.n_vocab)
    w.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)

    parts = json.loads(tokenizer.to_str())["model"]
    tokens = [token for token, _ in sorted(parts["vocab"].items(), key=lambda item: item[1])]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokens)
    w.add_token_types([gguf.TokenType.CONTROL if token in SPECIAL else gguf.TokenType.NORMAL for token in tokens])
    w.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in parts["merges"]])
    w.add_bos_token_id(END)
    w.add_eos_token_id(END)
    w.add_pad_token_id(PAD)
    w.add_add_bos_token(False)
    w.add_add_eos_token(False)
    w.add_chat_template(CHAT_TEMPLATE)

    for name, weight in tensors_of(model):
        data = weight.detach().float().numpy()
        if data.ndim == 2:
            w.add_tensor(name, gguf.quants.quantize(data, gguf.GGMLQuantizationType.Q8_0), raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            w.add_tensor(name, data)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def read_gguf(path):
    """The model with its weights dequantized to F32, and its tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    reader = gguf.GGUFReader(str(path))
    value = {key: field.contents() for key, field in reader.fields.items()}
    config = Config(
        n_vocab=len(value["tokenizer.ggml.tokens"]),
        n_ctx=value["llama.context_length"],
        d_model=value["llama.embedding_length"],
        n_layers=value["llama.block_count"],
        n_heads=value["llama.attention.head_count"],
        n_kv_heads=value["llama.attention.head_count_kv"],
        head_dim=value["llama.attention.key_length"],
        d_ff=value["llama.feed_forward_length"],
        rope_theta=value["llama.rope.freq_base"],
        norm_epsilon=value["llama.attention.layer_norm_rms_epsilon"],
    )
    model = Decoder(config)
    data = {t.name: gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors}
    with torch.no_grad():
        for name, weight in tensors_of(model):
            weight.copy_(torch.from_numpy(data[name].reshape(weight.shape)))

    vocab = {token: i for i, token in enumerate(value["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in value["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    return model, tokenizer
