"""Loads the golden models in llama.cpp's Python package and compares its logits with those of transformers. Exit code 1 when one differs.

The error is the largest difference as a share of the largest logit.
"""

import json
import pathlib
import sys

import llama_cpp
import numpy as np

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
BOUND = 1e-3


def main() -> int:
    n_failed = 0
    for entry in json.loads((GOLDEN / "golden.json").read_text())["models"]:
        if not entry["in_llama_cpp"]:
            print(f"{entry['name']}: llama.cpp has no such thing, see NOT_IN_LLAMA_CPP in make_models.py")
            continue
        path = GOLDEN / "models" / f"{entry['name']}.gguf"
        model = llama_cpp.Llama(str(path), n_ctx=64, n_batch=64, logits_all=True, n_gpu_layers=0, n_threads=1, verbose=False,
                                flash_attn=False, type_k=llama_cpp.GGML_TYPE_F32, type_v=llama_cpp.GGML_TYPE_F32)
        model.eval(entry["tokens"])
        found = np.array(model.scores[: len(entry["tokens"])])
        expected = np.fromfile(GOLDEN / "logits" / f"{entry['name']}.bin", "<f4").reshape(found.shape)
        error = np.abs(found - expected).max() / np.abs(expected).max()
        n_failed += error > BOUND
        print(f"{entry['name']}: error {error:.2e}{'' if error <= BOUND else '  TOO LARGE'}")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
