"""What int8 activations cost, beside llama.cpp on the same files: `python tests/kv_quality/prompt_exactness.py build/release/bin/headroom-cli`.

A prompt read in batches and the same tokens row by row, each as KL divergence from the same weights with F32 activations, per weight type. Models whose
activations have a few large channels are made of the stand-in: a channel behind a norm, or in the middle of an FFN, becomes `factor` times as large, and the
weights that read it as much smaller, so that the function stays the same. Needs numpy, gguf and llama-cpp-python (tests/oracle/requirements.txt). One thread,
F32 caches, no flash attention.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import gguf
import llama_cpp
import numpy as np

HERE = Path(__file__).resolve().parent
SEED = 7
N_CHANNELS = 3  # made large behind every norm, the same in all layers, and in every FFN
TYPES = {"Q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0, "Q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0, "Q4_K": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_S,
         "Q6_K": llama_cpp.LLAMA_FTYPE_MOSTLY_Q6_K}


def copy_model(source, path, change):
    """The file with every matrix as F32, after change(name, values)."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(path, "llama")
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.file_type"):
            continue
        element = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), field.types[0], sub_type=element)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, change(tensor.name, values.reshape(tuple(reversed(tensor.shape.tolist())))))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def enlarge_channels(factor, d_model, d_ff):
    rng = np.random.default_rng(SEED)
    normed, hidden = rng.choice(d_model, N_CHANNELS, replace=False), rng.choice(d_ff, N_CHANNELS, replace=False)

    def change(name, values):
        values = values.copy()
        if name.startswith("blk."):
            if name.endswith(("attn_norm.weight", "ffn_norm.weight")):
                values[normed] *= factor
            elif name.endswith(("attn_q.weight", "attn_k.weight", "attn_v.weight", "ffn_gate.weight", "ffn_up.weight")):
                values[:, normed] /= factor
            if name.endswith("ffn_up.weight"):
                values[hidden] *= factor
            elif name.endswith("ffn_down.weight"):
                values[:, hidden] /= factor
        return values

    return change


def quantize(source, path, ftype):
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.pure, params.nthread = ftype, True, 1
    if llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(), params) != 0:
        raise RuntimeError(f"llama.cpp could not write {path}")


def of_llama_cpp(path, windows, n_batch):
    """Log probabilities, (positions, n_vocab)."""
    n_ctx = len(windows[0])
    model = llama_cpp.Llama(str(path), n_ctx=n_ctx, n_batch=n_batch, n_ubatch=n_batch, logits_all=True, n_gpu_layers=0, n_threads=1, n_threads_batch=1,
                            verbose=False, flash_attn=False, type_k=llama_cpp.GGML_TYPE_F32, type_v=llama_cpp.GGML_TYPE_F32)
    rows = []
    for tokens in windows:
        model.reset()
        model.eval(tokens)
        rows.append(np.array(model.scores[:n_ctx]))
    return log_probabilities(np.concatenate(rows))


def of_headroom(cli, path, windows, n_batch, folder):
    rows = []
    for tokens in windows:
        out = Path(folder) / "logits.f32"
        subprocess.run([cli, "logits", path, "--tokens", ",".join(map(str, tokens)), "--ctx", str(len(tokens)), "--batch", str(n_batch), "--out", out],
                       check=True, capture_output=True)
        rows.append(np.fromfile(out, "<f4").reshape(len(tokens), -1))
    return log_probabilities(np.concatenate(rows))


def log_probabilities(logits):
    logits = logits.astype(np.float64)
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def divergence(reference, found):
    return float((np.exp(reference) * (reference - found)).sum(axis=1).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli", help="headroom-cli")
    parser.add_argument("--model", type=Path, default=HERE / "stand-in.gguf")
    parser.add_argument("--text", type=Path, default=HERE / "text.txt")
    parser.add_argument("--ctx", type=int, default=256)
    parser.add_argument("--windows", type=int, default=4)
    parser.add_argument("--factors", type=float, nargs="+", default=[1, 30, 100])
    parser.add_argument("--types", nargs="+", default=list(TYPES))
    args = parser.parse_args()
    log = llama_cpp.llama_log_callback(lambda level, text, user: None)
    llama_cpp.llama_log_set(log, None)

    vocabulary = llama_cpp.Llama(str(args.model), vocab_only=True, verbose=False)
    tokens = vocabulary.tokenize(args.text.read_bytes(), add_bos=False)
    windows = [tokens[i * args.ctx : (i + 1) * args.ctx] for i in range(args.windows)]
    fields = gguf.GGUFReader(args.model).fields
    sizes = [fields[key].contents() for key in ("llama.embedding_length", "llama.feed_forward_length")]

    print("KL divergence from F32 activations, in millionths")
    print("| weights | channels | Headroom, prompt | row by row | llama.cpp, prompt | row by row | prompts, ours / llama.cpp |")
    print("| -- | -- | -- | -- | -- | -- | -- |")
    with tempfile.TemporaryDirectory() as folder:
        for factor in args.factors:
            made, packed, plain = (Path(folder) / name for name in ("made.gguf", "packed.gguf", "plain.gguf"))
            copy_model(args.model, made, enlarge_channels(factor, *sizes))
            for name in args.types:
                quantize(made, packed, TYPES[name])
                copy_model(packed, plain, lambda _, values: values)
                exact = of_llama_cpp(plain, windows, args.ctx)
                ours = [divergence(exact, of_headroom(args.cli, packed, windows, n, folder)) * 1e6 for n in (args.ctx, 1)]
                peer = [divergence(exact, of_llama_cpp(packed, windows, n)) * 1e6 for n in (args.ctx, 1)]
                print(f"| {name} | {factor:g} x | {ours[0]:.1f} | {ours[1]:.1f} | {peer[0]:.1f} | {peer[1]:.1f} | {ours[0] / peer[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
