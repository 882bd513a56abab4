"""Trains the starter model from the corpus and writes headroom-starter.gguf: `python resources/starter/train.py` (about 20 minutes, two cores)."""

import argparse
import copy
import math
import random
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F

from corpus import Asker, in_grammar, key, read_held_out, read_topics
from evaluate import MODEL, SYSTEM_PROMPTS, evaluate
from gguf_file import read_gguf, write_gguf
from model import Config, Decoder
from text import ASSISTANT, END, PAD, SYSTEM, USER, Text, train_tokenizer

SEED = 20260611
N_WORKERS = 2
N_SORTED, N_WAITING = 4, 24  # batches drawn at once and sorted by length; batches to choose the next one from
MORE_SYSTEM_PROMPTS = SYSTEM_PROMPTS + (
    "You are a helpful AI assistant.",
    "Be concise.",
    "You are a friendly expert for language models.",
    "Answer in short sentences and stay polite.",
    "You are an assistant inside a desktop app.",
    "Please help the user as well as you can. Do not invent facts.",
)
ANSWER_WEIGHT, FIRST_WEIGHT, QUESTION_WEIGHT = 1.0, 3.0, 0.1
N_FIRST = 8  # the tokens of an answer in which its topic is decided
WORD_SPLIT = 0.06
LABEL_SMOOTHING = 0.02


class Rows:
    """Makes batches of (ids, weights): short ones with one question, whose answers are mostly cut early, and long conversations."""

    def __init__(self, asker, text, seed, short_share):
        self.asker, self.text, self.short_share = asker, text, short_share
        self.rng = random.Random(seed)
        self.waiting = []
        self.asked = set()  # keys of every question drawn

    def turn(self, question, answer, cut=None):
        self.asked.add(key(question))
        asked = self.text.encode(question, self.rng, WORD_SPLIT)
        told = [*self.text.encode(answer), END][:cut]
        first = [FIRST_WEIGHT] * min(N_FIRST, len(told))
        ids = [USER, *asked, END, ASSISTANT, *told]
        return ids, [0.0] + [QUESTION_WEIGHT] * len(asked) + [0.0, 0.0] + first + [ANSWER_WEIGHT] * (len(told) - len(first))

    def opening(self):
        if self.rng.random() < 0.8:
            return [], []
        ids = [SYSTEM, *self.text.encode(self.rng.choice(MORE_SYSTEM_PROMPTS)), END]
        return ids, [0.0] * len(ids)

    def row(self, n_turns, cut=None, longest=None):
        ids, weights = self.opening()
        for question, answer in self.asker.turns(n_turns):
            more_ids, more_weights = self.turn(question, answer, cut)
            ids, weights = ids + more_ids, weights + more_weights
            if longest and len(ids) >= longest:
                return ids[:longest], weights[:longest]
        return ids, weights

    def refill(self, n_tokens, n_long):
        """Draws batches of about n_tokens each: one question with a cut answer, one with its whole answer, or conversations up to n_long tokens."""
        draw = self.rng.random()
        if self.rng.random() < self.short_share:
            rows = [self.row(1, cut=9) for _ in range(N_SORTED * n_tokens // 27)]
        elif draw < 0.25:
            rows = [self.row(1) for _ in range(N_SORTED * n_tokens // 72)]
        elif draw < 0.8:
            rows = [self.row(self.rng.choice((2, 3, 3, 4)), longest=320) for _ in range(N_SORTED * n_tokens // 200)]
        else:
            rows = [self.row(40, longest=n_long) for _ in range(max(1, N_SORTED * n_tokens // n_long))]
        # Rows of like length go together, so that little is padding.
        rows.sort(key=lambda row: -len(row[0]))
        while rows:
            n_rows = max(1, n_tokens // len(rows[0][0]))
            if len(rows) < 1.5 * n_rows:
                n_rows = len(rows)
            self.waiting.append(rows[:n_rows])
            rows = rows[n_rows:]

    def batch(self, n_tokens, n_long):
        while len(self.waiting) < N_WAITING:
            self.refill(n_tokens, n_long)
        rows = self.waiting.pop(self.rng.randrange(len(self.waiting)))
        width = max(len(ids) for ids, _ in rows)
        ids = torch.tensor([row + [PAD] * (width - len(row)) for row, _ in rows])
        weights = torch.tensor([w + [0.0] * (width - len(w)) for _, w in rows])
        return ids, weights


def loss_of(model, ids, weights, dropout):
    """Mean cross-entropy of the next token, only over rows of the head that carry weight."""
    hidden = model(ids[:, :-1], dropout=dropout)
    targets, weights = ids[:, 1:], weights[:, 1:]
    kept = weights > 0
    losses = F.cross_entropy(model.logits(hidden[kept]), targets[kept], reduction="none", label_smoothing=LABEL_SMOOTHING)
    return (losses * weights[kept]).sum() / weights[kept].sum()


def optimizers_of(model, rate):
    """Muon for the matrices of the layers (half the steps of AdamW here), AdamW for the embedding and the norms."""
    matrices = [p for p in model.layers.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": [model.token_embd.weight], "weight_decay": 0.05}, {"params": vectors, "weight_decay": 0.0}]
    muon = torch.optim.Muon(matrices, lr=rate, weight_decay=0.1, momentum=0.95, adjust_lr_fn="match_rms_adamw")
    return muon, torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))


def sum_gradients(model):
    """Adds up the gradients of all workers and divides by their number."""
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for p, grad in zip(model.parameters(), flat.split([p.numel() for p in model.parameters()])):
        p.grad.copy_(grad.view_as(p))


def rate_at(done, step):
    """The share of the full learning rate: a short warm-up, a plateau, and a straight way down from there."""
    return min(1.0, (step + 1) / 60) * min(1.0, 1.6 * (1.0 - done) + 0.01)


def train(args, topics, unseen, tokenizer, rank):
    """One worker's training: all see the same weights and draw their own questions. Returns the averaged model and the keys of the questions drawn."""
    torch.manual_seed(SEED)
    config = Config(n_vocab=tokenizer.get_vocab_size())
    model = read_gguf(args.start_from)[0] if args.start_from else Decoder(config)
    average = copy.deepcopy(model)
    torch.manual_seed(SEED + 1 + rank + args.seed_step)
    rows = Rows(Asker(topics, unseen, SEED + 1 + rank + args.seed_step), Text(tokenizer), SEED + 1 + rank + args.seed_step, args.short_share)
    optimizers = optimizers_of(model, args.rate)
    if rank == 0:
        print(f"{len(topics)} topics, {sum(p.numel() for p in model.parameters()):,} parameters, vocabulary {config.n_vocab}", flush=True)

    started, n_tokens, running = time.time(), 0, 0.0
    for step in range(args.steps):
        done = step / args.steps
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = args.rate * rate_at(done, step)
            optimizer.zero_grad(set_to_none=True)
        ids, weights = rows.batch(args.batch_tokens, config.n_ctx if done > 0.6 else 512)
        loss = loss_of(model, ids, weights, args.dropout)
        loss.backward()
        sum_gradients(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        keep = min(0.99, step / (step + 20))
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), model.parameters()):
                slow.lerp_(fast, 1 - keep)
        n_tokens += ids.numel() * dist.get_world_size()
        running = loss.item() if step == 0 else 0.95 * running + 0.05 * loss.item()
        if rank == 0 and step % 25 == 24:
            spent = time.time() - started
            print(f"step {step + 1} of {args.steps}, loss {running:.3f}, {n_tokens / spent:,.0f} tokens/s, {spent:.0f} s", flush=True)
        if rank == 0 and args.check_every and step % args.check_every == args.check_every - 1:
            write_gguf(args.out.with_suffix(".partial.gguf"), average, tokenizer)
    return average, rows.asked


def work(rank, args, rendezvous):
    """A worker process; each computes on one thread, which loses less than two threads on one batch when the machine is busy."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=N_WORKERS)
    topics = read_topics()
    unseen = read_held_out(topics)
    tokenizer = read_gguf(args.start_from)[1] if args.start_from else make_tokenizer(topics, unseen)
    average, asked = train(args, topics, unseen, tokenizer, rank)
    all_asked = [None] * N_WORKERS
    dist.all_gather_object(all_asked, asked)
    if rank == 0:
        asked = set().union(*all_asked)
        if seen := [item.question for item in unseen if key(item.question) in asked]:
            raise SystemExit("held-out questions that the training has seen: " + "; ".join(seen))
        write_gguf(args.out, average, tokenizer)
        print(f"{args.out.name}: {args.out.stat().st_size:,} bytes; {len(asked):,} different questions asked in training", flush=True)
    dist.destroy_process_group()


def make_tokenizer(topics, unseen):
    asker = Asker(topics, unseen, SEED)
    questions = [asker.question(asker.topic()) for _ in range(20000)]
    return train_tokenizer(questions + [topic.answer for topic in topics.values()] * 10, Config.n_vocab)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=MODEL)
    parser.add_argument("--steps", type=int, default=2300)
    parser.add_argument("--batch-tokens", type=int, default=2560, help="per worker and step")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--check-every", type=int, default=0, help="also write OUT.partial.gguf every so many steps")
    parser.add_argument("--short-share", type=float, default=0.6, help="batches of single questions whose answers are cut: they teach what is asked")
    parser.add_argument("--seed-step", type=int, default=0, help="added to the seeds, for other questions in a further run")
    parser.add_argument("--start-from", type=Path, help="go on from this GGUF file instead of random numbers")
    args = parser.parse_args()

    topics = read_topics()
    produced = in_grammar(read_held_out(topics), topics)
    if produced:
        raise SystemExit("held-out questions that a phrasing produces: " + "; ".join(item.question for item in produced))
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, (args, Path(folder) / "rendezvous"), nprocs=N_WORKERS)
    torch.set_num_threads(1)
    evaluate(*read_gguf(args.out))


if __name__ == "__main__":
    main()
