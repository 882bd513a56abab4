"""What each KV type costs in quality, against F16: `python tests/kv_quality/measure.py build/release/bin/headroom-cli` prints one table.

KL divergence over the whole text, how long greedy text stays the same, and how many questions of retrieval.py are answered right. Only the standard
library.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 7
N_GREEDY = 256  # tokens generated to find the first that differs, and questions over several hops
NAME_LENGTH, N_HOPS = 6, 3  # as in retrieval.py


class Cli:
    def __init__(self, args):
        self.cli, self.model, self.ctx = str(args.cli), str(args.model), args.ctx

    def ask(self, *arguments):
        done = subprocess.run([self.cli, *map(str, arguments)], capture_output=True, text=True, check=True)
        return done.stdout

    def kld(self, types, text, plain=False):
        more = ["--plain-kv"] if plain else []
        k, v = types
        return json.loads(self.ask("kld", self.model, "--file", text, "--ctx", self.ctx, "--kv-k", k, "--kv-v", v, *more, "--json"))

    def complete(self, types, prompt, model=None):
        k, v = types
        return self.ask("run", model or self.model, "--raw", f"--prompt={prompt}", "-n", N_GREEDY, "--temp", 0, "--ctx", self.ctx, "--kv-k", k, "--kv-v", v)

    def tokens(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            return json.loads(self.ask("tokenize", self.model, "--file", file.name, "--json"))["tokens"]


def same_lengths(cli, types, prompts, reference):
    """Tokens of greedy text before the first that F16 would not have written, per prompt."""
    lengths = []
    for prompt, expected in zip(prompts, reference):
        said = cli.tokens(cli.complete(types, prompt))
        same = next((i for i, (a, b) in enumerate(zip(said, expected)) if a != b), min(len(said), len(expected)))
        lengths.append(same)
    return sorted(lengths)


def names_in(text):
    return [text[at : at + NAME_LENGTH] for at in range(0, len(text) - NAME_LENGTH + 1, NAME_LENGTH)]


def answered_right(cli, types):
    """Questions over N_HOPS pointers that are answered right, of N_GREEDY."""
    text = (HERE / "retrieval.txt").read_text(encoding="utf-8")
    *pairs, question = names_in(text)
    points_to = dict(zip(pairs[::2], (name.lower() for name in pairs[1::2])))
    n_right = 0
    for answer in names_in(cli.complete(types, text, HERE / "retrieval.gguf")):
        expected = question
        for _ in range(N_HOPS):
            expected = points_to.get(expected)
        n_right += answer == expected
        question = answer
    return n_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=Path, help="headroom-cli")
    parser.add_argument("--model", type=Path, default=HERE / "stand-in.gguf")
    parser.add_argument("--text", type=Path, default=HERE / "text.txt")
    parser.add_argument("--ctx", type=int, default=4096)
    parser.add_argument("--types", nargs="+", default=["f16", "q8_0", "fp8", "q4_0"], help="a type for K and V, or K/V")
    parser.add_argument("--plain", nargs="*", default=["q8_0", "fp8", "q4_0"], help="types also measured without rotation, exact ends and scale search")
    parser.add_argument("--prompts", type=int, default=12, help="for greedy text")
    parser.add_argument("--prompt-bytes", type=int, default=6000)
    args = parser.parse_args()

    cli = Cli(args)
    text = args.text.read_text(encoding="utf-8")
    starts = random.Random(SEED).sample(range(len(text) - args.prompt_bytes), args.prompts)
    prompts = [text[start : start + args.prompt_bytes] for start in starts]
    reference = [cli.tokens(cli.complete(("f16", "f16"), prompt)) for prompt in prompts]

    print("| KV | perplexity | KLD mean | KLD median | KLD 99.9 % | same top token | same greedy tokens, median (least) | three hops right |")
    print("|---|---|---|---|---|---|---|---|")
    for name, plain in [(name, False) for name in args.types] + [(name, True) for name in args.plain]:
        types = tuple(name.split("/")) if "/" in name else (name, name)
        d = cli.kld(types, args.text, plain)
        cells = [f"{d['perplexity']:.4f}", f"{d['kld_mean']:.6f}", f"{d['kld_median']:.6f}", f"{d['kld_p999']:.6f}", f"{d['same_top_share']:.2%}"]
        if plain:  # reachable through kld only
            cells += ["", ""]
        else:
            lengths = same_lengths(cli, types, prompts, reference)
            cells += [f"{lengths[len(lengths) // 2]} ({lengths[0]})", f"{answered_right(cli, types)} of {N_GREEDY}"]
        print(f"| {name}{', plain' if plain else ''} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
