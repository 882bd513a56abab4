"""Computes every golden model in llama.cpp's Python package and compares its logits with those of transformers. Exit code 1 when one differs.

The cache is F32 on both sides; errors are absolute. Two models need a word, and their lines say so: one file is ours alone and is computed from its
twin (LLAMA_CPP_READS in make_models.py), and llama.cpp ignores a window in the llama architecture, so its cache is made to forget what is behind the
window before each token. With GELU its results are those of a table of f16 (with GELU rounded to f16 transformers agrees with it within 3e-4).
"""

import json
import pathlib
import sys

import llama_cpp
import numpy as np

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
BOUND = 1e-3
GELU_BOUND = 1e-2


def compute_logits(model: llama_cpp.Llama, tokens: list[int], window: int) -> np.ndarray:
    """(n_tokens, n_vocab)."""
    if window == 0:
        model.eval(tokens)
    for position, token in enumerate(tokens if window else []):
        first_seen = position + 1 - window
        if first_seen > 0:
            llama_cpp.llama_memory_seq_rm(llama_cpp.llama_get_memory(model.ctx), 0, 0, first_seen)
        batch = llama_cpp.llama_batch_get_one((llama_cpp.llama_token * 1)(token), 1)
        if llama_cpp.llama_decode(model.ctx, batch) != 0:
            raise RuntimeError(f"llama.cpp cannot decode the token at {position}")
        model.scores[position] = np.ctypeslib.as_array(llama_cpp.llama_get_logits(model.ctx), (model.n_vocab(),))
    return np.array(model.scores[: len(tokens)])


def main() -> int:
    n_failed = 0
    for entry in json.loads((GOLDEN / "golden.json").read_text())["models"]:
        name, twin, window = entry["name"], entry["llama_cpp_reads"], entry["window"]
        path = GOLDEN / "models" / f"{twin}.gguf"
        model = llama_cpp.Llama(str(path), n_ctx=64, n_batch=64, logits_all=True, n_gpu_layers=0, n_threads=1, verbose=False,
                                flash_attn=False, type_k=llama_cpp.GGML_TYPE_F32, type_v=llama_cpp.GGML_TYPE_F32)
        found = compute_logits(model, entry["tokens"], window)
        expected = np.fromfile(GOLDEN / "logits" / f"{name}.bin", "<f4").reshape(found.shape)
        error, largest = np.abs(found - expected).max(), np.abs(expected).max()
        bound = GELU_BOUND if name.startswith("gemma") else BOUND
        n_failed += error > bound
        how = f", read as {twin}.gguf" if twin != name else f", window of {window} by forgetting" if window else ""
        print(f"{name}: largest difference {error:.1e} of logits up to {largest:.1f}{how}{'' if error <= bound else '  TOO LARGE'}", flush=True)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
