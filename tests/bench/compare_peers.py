"""Headroom against llama.cpp on the same file and threads, in turns (A B A B): `compare_peers.py headroom-cli MODEL.gguf...`.

Prints one table row per file and KV type: tokens/s of both (median of the turns), their ratio, and the shares of the two limits that our bench measures in the
same run. Ratios are what to quote: single times of a shared machine mean nothing. llama.cpp runs in the interpreter of this script, as one of two packages:
xllamacpp, which chooses the best code for the processor and knows the newest models, or (--peer llama_cpp) llama-cpp-python, which for a machine with AVX2 alone
comes from an environment where it was built with
    CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON -DGGML_AVX512=OFF" \
        pip install --no-binary llama-cpp-python llama-cpp-python==...
and `--isa avx2,avxvnni` for our side. What the peer was built with is printed.
"""

import argparse
import ctypes
import importlib
import json
import os
import statistics
import subprocess
import time

KV_TYPES = {"f16": 1, "q8_0": 8, "q4_0": 2}  # ggml's numbers


def tokens_at(first, n_tokens):
    return [3 + (first + i) % 256 for i in range(n_tokens)]


class LlamaCppPython:
    """llama.cpp by llama-cpp-python on one file, held open between the turns."""

    def __init__(self, path, threads, n_ctx, kv):
        self.peer = peer = importlib.import_module("llama_cpp")
        peer.llama_backend_init()
        self.quiet = peer.llama_log_callback(lambda level, text, user: None)
        peer.llama_log_set(self.quiet, None)
        model_params = peer.llama_model_default_params()
        model_params.n_gpu_layers = 0
        self.model = peer.llama_model_load_from_file(path.encode(), model_params)
        params = peer.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = n_ctx, 2048, 512
        params.n_threads = params.n_threads_batch = threads
        params.type_k = params.type_v = KV_TYPES[kv]
        params.flash_attn_type = 1
        self.context = peer.llama_init_from_model(self.model, params)
        self.feed(32, 0)  # touches all weights once: our bench warms up as well

    @staticmethod
    def built_with():
        return importlib.import_module("llama_cpp").llama_print_system_info().decode()

    def feed(self, n_tokens, first):
        tokens = (ctypes.c_int32 * n_tokens)(*tokens_at(first, n_tokens))
        if self.peer.llama_decode(self.context, self.peer.llama_batch_get_one(tokens, n_tokens)) != 0:
            raise RuntimeError("llama.cpp could not decode")

    def turn(self, n_prefill, n_decode, depth):
        """Tokens per second of prefill at depth 0 and of decode at `depth`, which is no less than the prompt."""
        self.peer.llama_memory_clear(self.peer.llama_get_memory(self.context), True)
        start = time.perf_counter()
        self.feed(n_prefill, 0)
        prefill = n_prefill / (time.perf_counter() - start)
        for at in range(n_prefill, depth, 512):
            self.feed(min(512, depth - at), at)
        start = time.perf_counter()
        for i in range(n_decode):
            self.feed(1, depth + i)
        return prefill, n_decode / (time.perf_counter() - start)

    def close(self):
        self.peer.llama_free(self.context)
        self.peer.llama_model_free(self.model)


class XLlamaCpp:
    """llama.cpp by xllamacpp on one file: a server in this process, whose own timings are taken."""

    def __init__(self, path, threads, n_ctx, kv):
        peer = importlib.import_module("xllamacpp")
        params = peer.CommonParams()
        params.model.path = path
        params.n_gpu_layers = 0
        params.n_ctx, params.n_batch, params.n_ubatch, params.n_parallel = n_ctx, 2048, 512, 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.cache_type_k = params.cache_type_v = peer.ggml_type(KV_TYPES[kv])
        params.flash_attn_type = peer.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
        params.cache_ram_mib, params.n_ctx_checkpoints = 0, 0
        params.verbosity = -1
        self.server = peer.Server(params)
        self.timings(32, 2)

    @staticmethod
    def built_with():
        return importlib.import_module("xllamacpp").get_system_info()

    def timings(self, n_prompt, n_decode):
        request = {"prompt": tokens_at(0, n_prompt), "n_predict": n_decode, "ignore_eos": True, "cache_prompt": False, "temperature": 0, "samplers": ["top_k"], "top_k": 1}
        answer = self.server.handle_completions(request)
        if "timings" not in answer:
            raise RuntimeError(f"llama.cpp could not decode: {answer}")
        return answer["timings"]

    def turn(self, n_prefill, n_decode, depth):
        """As LlamaCppPython.turn. The first token of an answer comes with its prompt and is in neither time."""
        of_answer = self.timings(depth, n_decode + 1)
        of_prompt = of_answer if depth == n_prefill else self.timings(n_prefill, 1)
        return of_prompt["prompt_per_second"], of_answer["predicted_per_second"] * n_decode / (n_decode + 1)

    def close(self):
        del self.server


PEERS = {"xllamacpp": XLlamaCpp, "llama_cpp": LlamaCppPython}


def bench(cli, path, threads, kv, isa="", prefill=0, decode=0, depth=0):
    """What our bench says of one of the two: a prompt from `depth` on, or decoding there."""
    command = [cli, "bench", path, "-p", str(prefill), "-n", str(decode), "--depth", str(depth), "--threads", str(threads)]
    command += ["--device", "cpu", "--kv-k", kv, "--kv-v", kv, "--json"]
    environment = os.environ | ({"HEADROOM_ISA": isa} if isa else {})
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def ours(args, path, kv, isa):
    """As a peer's turn(): a prompt from depth 0 on, and decoding at args.depth."""
    prompt = bench(args.cli, path, args.threads, kv, isa, prefill=args.prefill)
    answer = bench(args.cli, path, args.threads, kv, isa, decode=args.decode, depth=args.depth)
    return answer | {key: prompt[key] for key in ("prefill_tokens_per_s", "prefill_ops_per_s")} | {"prefill_limits": prompt["devices"][0]}


def print_row(name, kv, isa, turns):
    """turns: (our bench's JSON, llama.cpp's two speeds) of each."""
    median = lambda pick: statistics.median(pick(*turn) for turn in turns)
    prefill, peer_prefill = median(lambda m, p: m["prefill_tokens_per_s"]), median(lambda m, p: p[0])
    decode, peer_decode = median(lambda m, p: m["decode_tokens_per_s"]), median(lambda m, p: p[1])
    # Ratios turn by turn, so that a slow minute of the machine hits both sides.
    prefill_ratio = median(lambda m, p: m["prefill_tokens_per_s"] / p[0])
    decode_ratio = median(lambda m, p: m["decode_tokens_per_s"] / p[1])
    peak = median(lambda m, p: m["prefill_ops_per_s"] / m["prefill_limits"]["int8_peak_ops_per_s"])
    tiles = median(lambda m, p: m["prefill_ops_per_s"] / m["prefill_limits"]["tile_peak_ops_per_s"] if m["prefill_limits"]["tile_peak_ops_per_s"] else 0)
    of_peak = f"{peak:.0%}" + (f", {tiles:.0%} of tiles" if tiles else "")
    bandwidth = median(lambda m, p: m["decode_bytes_per_s"] / m["devices"][0]["read_bandwidth_bytes_per_s"])
    print(f"| {name} | {kv} | {isa or 'best'} | {prefill:.1f} / {peer_prefill:.1f} | {prefill_ratio:.2f} | {of_peak} | {decode:.1f} / {peer_decode:.1f} | {decode_ratio:.2f} | {bandwidth:.0%} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("-p", "--prefill", type=int, default=256)
    parser.add_argument("-n", "--decode", type=int, default=32)
    parser.add_argument("--depth", type=int, help="of decoding: behind the prompt when absent")
    parser.add_argument("--kv", default="f16", help="comma-separated: f16,q8_0,q4_0")
    parser.add_argument("--isa", default="", help="comma-separated, of our side: amx,avx512,avxvnni,avx2; the best that the machine has when absent")
    parser.add_argument("--peer", choices=PEERS, default="xllamacpp", help="the package that holds llama.cpp")
    args = parser.parse_args()
    args.depth = max(args.prefill, args.depth or 0)

    print(f"llama.cpp: {PEERS[args.peer].built_with()}")
    print(f"threads {args.threads}, prefill {args.prefill}, decode {args.decode} at depth {args.depth}; tokens/s, median of {args.turns} turns")
    print("| file | KV | our ISA | prefill ours / llama.cpp | ratio | of int8 peak | decode ours / llama.cpp | ratio | of read bandwidth |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in args.models:
        for kv in args.kv.split(","):
            other = PEERS[args.peer](path, args.threads, args.depth + args.decode + 64, kv)
            isas = args.isa.split(",")
            turns = []
            for _ in range(args.turns):
                mine = [ours(args, path, kv, isa) for isa in isas]
                turns.append((mine, other.turn(args.prefill, args.decode, args.depth)))
            for i, isa in enumerate(isas):
                print_row(path.rsplit("/", 1)[-1], kv, isa, [(mine[i], peers) for mine, peers in turns])
            other.close()


if __name__ == "__main__":
    main()
