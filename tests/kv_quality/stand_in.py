"""Trains the stand-in of the KV quality gate and writes stand-in.gguf and text.txt: `python tests/kv_quality/stand_in.py` (half an hour, one core).

No public weights are at hand, so the gate needs a decoder of its own that reads its context: 3.7 million parameters, trained on this repository's own
files, on the licence texts that Debian installs, and on lists of who points to whom. Then what real models are known for is injected: a few channels of K
far larger than the rest, with the same channels of Q made smaller by as much, so that the function stays the same.
"""

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(REPOSITORY / "resources" / "starter"))
from gguf_file import write_gguf  # noqa: E402
from model import Config, Decoder  # noqa: E402
from text import train_tokenizer  # noqa: E402
from train import optimizers_of, rate_at  # noqa: E402

from pointers import make_list  # noqa: E402

SEED = 20261121
LICENCES = Path("/usr/share/common-licenses")
SOURCES = (".cpp", ".h", ".inl", ".md", ".py", ".txt")
HELD_OUT_EVERY = 12  # of the sorted files: one in so many is text for the gate, never trained on
TEXT_BYTES = 160_000
CONFIG = Config(n_vocab=2048, n_ctx=4096, d_model=256, n_layers=4, n_heads=4, n_kv_heads=2, head_dim=64, d_ff=768)
OUTLIER_PAIRS, OUTLIER_FACTOR = 2, 12.0  # per KV head: rotary pairs of K made larger, in the half that turns slowly
DESCRIPTION = "A stand-in for the tests of KV quality: trained on Headroom's own files, with outlier channels injected into K. It knows nothing."


def read_files():
    """Texts to train on, and texts held out for the gate."""
    names = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split()
    ours = [REPOSITORY / name for name in sorted(names) if name.endswith(SOURCES) and not name.startswith("tests/kv_quality/")]
    held_out = ours[::HELD_OUT_EVERY]
    kept = [path for path in ours if path not in held_out]
    licences = [path for path in sorted(LICENCES.iterdir()) if path.is_file() and not path.is_symlink()]
    read = lambda paths: [path.read_text(encoding="utf-8", errors="replace") for path in paths]  # noqa: E731
    return read(kept) + read(licences) * 2, read(held_out)


class Batches:
    """Windows of one long stream of ids: files in random order between lists of chains."""

    def __init__(self, texts, tokenizer, seed):
        self.rng, self.tokenizer = random.Random(seed), tokenizer
        self.ids = [tokenizer.encode(text).ids for text in texts]
        self.stream, self.order = [], []

    def refill(self, n):
        while len(self.stream) < n:
            if not self.order:
                self.order = self.rng.sample(range(len(self.ids)), len(self.ids))
            ids = self.ids[self.order.pop()]
            # A file is read in pieces, so that long ones do not fill a batch, with a list of chains after each.
            for first in range(0, len(ids), 3000):
                self.stream += ids[first : first + 3000]
                text = make_list(self.rng, self.rng.choice((8, 16, 32, 64)), self.rng.choice((8, 16, 32)))
                self.stream += self.tokenizer.encode(text).ids

    def batch(self, n_rows, n_ctx):
        self.refill(n_rows * n_ctx + 1)
        rows = [self.stream[row * n_ctx : (row + 1) * n_ctx + 1] for row in range(n_rows)]
        self.stream = self.stream[n_rows * n_ctx :]
        return torch.tensor(rows)


def context_at(done):
    """Tokens of a row: short rows teach words quickly, long ones that far tokens matter."""
    return 512 if done < 0.5 else 1024 if done < 0.8 else CONFIG.n_ctx


def train(args, texts, tokenizer):
    torch.manual_seed(SEED)
    model = Decoder(CONFIG)
    batches = Batches(texts, tokenizer, SEED)
    optimizers = optimizers_of(model, args.rate)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {sum(map(len, batches.ids)):,} tokens of text", flush=True)
    started, running = time.time(), 0.0
    for step in range(args.steps):
        done = step / args.steps
        n_ctx = context_at(done)
        ids = batches.batch(args.batch_tokens // n_ctx, n_ctx)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = args.rate * rate_at(done, step)
            optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model.logits(model(ids[:, :-1])).flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        running = loss.item() if step == 0 else 0.95 * running + 0.05 * loss.item()
        if step % 25 == 24:
            spent = time.time() - started
            print(f"step {step + 1} of {args.steps}, loss {running:.3f}, {(step + 1) * args.batch_tokens / spent:,.0f} tokens/s, {spent:.0f} s", flush=True)
    return model


@torch.no_grad()
def inject_outliers(model, rng):
    """K's rows of a few rotary pairs times a factor, Q's rows of the same pairs divided by it: the scores do not change."""
    c = model.config
    group = c.n_heads // c.n_kv_heads
    for layer in model.layers:
        for kv_head in range(c.n_kv_heads):
            for pair in rng.sample(range(c.head_dim // 4, c.head_dim // 2), OUTLIER_PAIRS):
                channels = [2 * pair, 2 * pair + 1]
                layer.attn_k.weight[[kv_head * c.head_dim + i for i in channels]] *= OUTLIER_FACTOR
                for head in range(kv_head * group, (kv_head + 1) * group):
                    layer.attn_q.weight[[head * c.head_dim + i for i in channels]] /= OUTLIER_FACTOR


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=4e-3)
    args = parser.parse_args()
    torch.set_num_threads(1)

    texts, held_out = read_files()
    rng = random.Random(SEED)
    tokenizer = train_tokenizer(texts + [make_list(rng, 32, 32) for _ in range(20)], CONFIG.n_vocab)
    model = train(args, texts, tokenizer)
    inject_outliers(model, rng)
    write_gguf(args.out / "stand-in.gguf", model, tokenizer, "Headroom KV stand-in", DESCRIPTION)
    rng.shuffle(held_out)
    text = "\n".join(held_out).encode()[:TEXT_BYTES].decode(errors="ignore")
    (args.out / "text.txt").write_text(text, encoding="utf-8")
    print(f"text.txt: {len(tokenizer.encode(text).ids):,} tokens")


if __name__ == "__main__":
    main()
