"""Prefill attention of Headroom against llama.cpp's, in turns: `compare_attention.py headroom-cli MODEL.gguf --depth 16384 --kv f16,q8_0,q4_0`.

What attention costs is what a step of prompt takes at that depth more than at depth 0. A file of few layers is enough (make_bench_model.py --layers 2), as
attention and the rest grow alike with them. Needs llama-cpp-python (tests/oracle/requirements.txt).
"""

import argparse
import statistics
import time

import llama_cpp as peer  # llama-cpp-python alone can cut a context

from compare_peers import LlamaCppPython, bench


class PeerAtDepth(LlamaCppPython):
    def fill(self, depth):
        self.clear()
        for at in range(0, depth, 512):
            self.feed(min(512, depth - at), at)

    def step_seconds(self, n_tokens, depth):
        """One step at `depth`, which stays filled up to there."""
        peer.llama_memory_seq_rm(peer.llama_get_memory(self.context), 0, depth, -1)
        start = time.perf_counter()
        self.feed(n_tokens, depth)
        return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("-p", "--prefill", type=int, default=256)
    parser.add_argument("--depth", type=int, default=16384)
    parser.add_argument("--kv", default="f16,q8_0,q4_0")
    args = parser.parse_args()

    print(f"threads {args.threads}, {args.prefill} tokens at depth {args.depth} against depth 0; median of {args.turns} turns")
    print("| KV | attention ours / llama.cpp, s | ratio | whole step ours / llama.cpp, s | ratio |")
    print("|---|---|---|---|---|")
    for kv in args.kv.split(","):
        other = PeerAtDepth(args.model, args.threads, args.depth + args.prefill + 64, kv)
        other.fill(0)
        other.step_seconds(args.prefill, 0)  # warms up
        shallow = statistics.median(other.step_seconds(args.prefill, 0) for _ in range(3))
        other.fill(args.depth)
        rows = []
        for _ in range(args.turns):
            mine = [args.prefill / bench(args.cli, args.model, args.threads, kv, prefill=args.prefill, depth=depth)["prefill_tokens_per_s"] for depth in (0, args.depth)]
            rows.append((mine[1] - mine[0], other.step_seconds(args.prefill, args.depth) - shallow, mine[1], shallow))
        median = lambda pick: statistics.median(pick(*row) for row in rows)  # noqa: E731
        a, b = median(lambda m, p, *_: m), median(lambda m, p, *_: p)
        step, peer_step = median(lambda m, p, mine, s: mine), median(lambda m, p, mine, s: p + s)
        print(f"| {kv} | {a:.3f} / {b:.3f} | {median(lambda m, p, *_: p / m):.2f} | {step:.3f} / {peer_step:.3f} | {median(lambda m, p, mine, s: (p + s) / mine):.2f} |", flush=True)
        other.close()


if __name__ == "__main__":
    main()
