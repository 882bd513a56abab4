"""Writes retrieval.gguf and retrieval.txt: a model whose weights are set by hand to follow pointers, and a list of pointers to ask it about.

A line of the list is a name in small letters and, right behind it, the name that it points to in capitals. Behind the list stands one name in small
letters. To such a name the model answers, in small letters, with the name that N_HOPS pointers lead to, in one step: its first layer looks at the token
before, so that each name in capitals knows who points to it; every further layer looks for the name in capitals that the name found so far points to. An
answer is the next question, so greedy text is a chain of questions with known answers, and a wrong answer is followed by a new question.

Names have three syllables and share them: a head tells one key from a thousand others, and the most alike differ in one part of three. K carries what
real models' K is known for: a few rotary pairs many times larger than the rest, and channels that are large and the same in every key.
"""

import argparse
import random
from pathlib import Path

import gguf
import numpy as np

HERE = Path(__file__).resolve().parent
SEED = 20261122
N_HOPS = 3
N_NAMES = 1024
N_CTX = 4096
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu", "xa")
OTHER_TOKENS = ("<list>", "<end>", "b", "a", "ba")  # start, end, and what makes one merge: a file of this kind has merges
START, END = 0, 1

HEAD_DIM = 64
D_ID = 32  # channels that tell names apart
D_FF = 64  # all zero: the model looks up and computes nothing
ROPE_THETA = 1e24  # 16 channels of a head turn; the others by less than a hundredth in N_CTX positions
EPSILON = 1e-6
SHARPNESS = 17.0  # by how much the score of the right key exceeds that of one with nothing of it: just enough that F16 makes no mistake
OUTLIER_PAIRS, OUTLIER_FACTOR = 2, 12.0
CONSTANT = 8.0

# The residual stream. Every part that is present has the length 1.
OWN = slice(0, D_ID)  # the name that this token is
PREVIOUS = slice(D_ID, 2 * D_ID)  # the name of the token before
FOUND = [slice((2 + hop) * D_ID, (3 + hop) * D_ID) for hop in range(N_HOPS)]
ONE, IS_TARGET, IS_START = range((2 + N_HOPS) * D_ID, (2 + N_HOPS) * D_ID + 3)
D_MODEL = -(-(IS_START + 1) // 64) * 64

# A head.
TURNING = slice(0, 16)
ID = slice(16, 16 + D_ID)
TARGET_CHANNEL, START_CHANNEL = 48, 49
CONSTANT_CHANNELS = slice(50, 52)


def normed(length_squared):
    """What a part of length 1 becomes behind the norm, in a stream of that squared length."""
    return np.sqrt(D_MODEL / length_squared)


def make_names(rng):
    """N_NAMES names, and a vector of length 1 for each: the sum of its syllables'."""
    numpy_rng = np.random.default_rng(SEED)
    parts = numpy_rng.standard_normal((3, len(SYLLABLES), D_ID))
    every = [(a, b, c) for a in range(len(SYLLABLES)) for b in range(len(SYLLABLES)) for c in range(len(SYLLABLES))]
    chosen = rng.sample(every, N_NAMES)
    ids = np.array([parts[0, a] + parts[1, b] + parts[2, c] for a, b, c in chosen])
    return ["".join(SYLLABLES[i] for i in name) for name in chosen], ids / np.linalg.norm(ids, axis=1, keepdims=True)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def first_layer():
    """Looks at the token before: the score of a pair of channels is the cosine of its angle to there."""
    q, k, v, out = zeros(HEAD_DIM, D_MODEL), zeros(HEAD_DIM, D_MODEL), zeros(HEAD_DIM, D_MODEL), zeros(D_MODEL, HEAD_DIM)
    one = normed(2)  # a name in small letters, which is what stands before one in capitals
    size = np.sqrt(SHARPNESS * np.sqrt(HEAD_DIM)) / one
    for first in range(TURNING.start, TURNING.stop, 2):
        angle = ROPE_THETA ** (-first / HEAD_DIM)
        q[first, ONE], q[first + 1, ONE], k[first, ONE] = size * np.cos(angle), -size * np.sin(angle), size
    v[ID, OWN] = np.eye(D_ID) / one
    out[PREVIOUS, ID] = np.eye(D_ID)
    return q, k, v, out


def hop_layer(hop, rng):
    """Looks for the name in capitals behind the name found so far. Names in capitals ask nothing: they look at the start, which holds nothing."""
    q, k, v, out = zeros(HEAD_DIM, D_MODEL), zeros(HEAD_DIM, D_MODEL), zeros(HEAD_DIM, D_MODEL), zeros(D_MODEL, HEAD_DIM)
    asking, target, start = normed(3 + hop), normed(4), normed(2)
    size = np.sqrt(SHARPNESS * np.sqrt(HEAD_DIM))
    q[ID, OWN if hop == 0 else FOUND[hop - 1]] = np.eye(D_ID) * size / asking
    k[ID, PREVIOUS] = np.eye(D_ID) * size / target
    q[TARGET_CHANNEL, ONE], k[TARGET_CHANNEL, IS_TARGET] = size / asking, size / target
    q[START_CHANNEL, IS_TARGET], k[START_CHANNEL, IS_START] = 3 * size / target, size / start
    v[ID, OWN] = np.eye(D_ID) / target
    out[FOUND[hop], ID] = np.eye(D_ID)

    # The same function, with outliers.
    for pair in rng.sample(range(ID.start // 2, ID.stop // 2), OUTLIER_PAIRS):
        k[2 * pair : 2 * pair + 2] *= OUTLIER_FACTOR
        q[2 * pair : 2 * pair + 2] /= OUTLIER_FACTOR
    k[CONSTANT_CHANNELS, ONE] = CONSTANT * size / np.sqrt(D_ID) / target
    q[CONSTANT_CHANNELS, ONE] = size / np.sqrt(D_ID) / asking
    return q, k, v, out


def embeddings(ids):
    """Rows: the other tokens, names in small letters, names in capitals."""
    first = len(OTHER_TOKENS)
    rows = zeros(first + 2 * N_NAMES, D_MODEL)
    rows[:, ONE] = 1
    rows[START, IS_START] = 1
    rows[first:, OWN] = np.concatenate([ids, ids])
    rows[first + N_NAMES :, IS_TARGET] = 1
    return rows


def write_model(path, names, ids):
    w = gguf.GGUFWriter(str(path), "llama")
    w.add_name("Headroom retrieval stand-in")
    w.add_description(f"For the tests of KV quality: weights set by hand to follow {N_HOPS} pointers. It knows nothing.")
    w.add_license("GPL-3.0-or-later")
    w.add_context_length(N_CTX)
    w.add_embedding_length(D_MODEL)
    w.add_block_count(1 + N_HOPS)
    w.add_feed_forward_length(D_FF)
    w.add_head_count(1)
    w.add_head_count_kv(1)
    w.add_key_length(HEAD_DIM)
    w.add_value_length(HEAD_DIM)
    w.add_rope_dimension_count(HEAD_DIM)
    w.add_rope_freq_base(ROPE_THETA)
    w.add_layer_norm_rms_eps(EPSILON)
    tokens = [*OTHER_TOKENS, *names, *(name.upper() for name in names)]
    w.add_vocab_size(len(tokens))
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokens)
    w.add_token_types([gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.NORMAL] * 3 + [gguf.TokenType.USER_DEFINED] * (2 * N_NAMES))
    w.add_token_merges(["b a"])
    w.add_bos_token_id(START)
    w.add_eos_token_id(END)
    w.add_add_bos_token(True)
    w.add_add_eos_token(False)

    rng = random.Random(SEED)
    tensors = {"token_embd.weight": embeddings(ids), "output_norm.weight": np.ones(D_MODEL, np.float32)}
    head = zeros(len(tokens), D_MODEL)
    head[len(OTHER_TOKENS) : len(OTHER_TOKENS) + N_NAMES, FOUND[-1]] = ids
    tensors["output.weight"] = head
    for layer in range(1 + N_HOPS):
        q, k, v, out = first_layer() if layer == 0 else hop_layer(layer - 1, rng)
        named = {"attn_norm": np.ones(D_MODEL, np.float32), "attn_q": q, "attn_k": k, "attn_v": v, "attn_output": out}
        named |= {"ffn_norm": np.ones(D_MODEL, np.float32), "ffn_gate": zeros(D_FF, D_MODEL), "ffn_up": zeros(D_FF, D_MODEL), "ffn_down": zeros(D_MODEL, D_FF)}
        tensors |= {f"blk.{layer}.{name}.weight": data for name, data in named.items()}
    for name, data in tensors.items():
        w.add_tensor(name, data.astype(np.float16) if data.ndim == 2 else data)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def make_list(rng, names):
    """All names in one ring, their pointers in random order, and the first question."""
    lines = [name + names[(i + 1) % len(names)].upper() for i, name in enumerate(names)]
    rng.shuffle(lines)
    return "".join(lines) + rng.choice(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE)
    args = parser.parse_args()
    rng = random.Random(SEED)
    names, ids = make_names(rng)
    alike = ids @ ids.T - 2 * np.eye(len(names))
    print(f"likest other name: {alike.max(axis=1).min():.2f} to {alike.max():.2f}")
    write_model(args.out / "retrieval.gguf", names, ids)
    (args.out / "retrieval.txt").write_text(make_list(rng, names), encoding="utf-8")


if __name__ == "__main__":
    main()
