"""Asks a model the held-out questions and prints the share of right answers: `python resources/starter/evaluate.py`."""

import argparse
import random
from collections import defaultdict
from pathlib import Path

import torch

from corpus import read_held_out, read_topics, sample
from text import END, Text

MODEL = Path(__file__).parent / "headroom-starter.gguf"
SYSTEM_PROMPTS = ("You are a helpful assistant.", "Answer briefly.", "You are the guide of Headroom.")


def answers_to(model, text, prompts, **sampling):
    """Generated texts, in the order of the prompts; prompts of one length go together."""
    by_length = defaultdict(list)
    for index, prompt in enumerate(prompts):
        by_length[len(prompt)].append(index)
    out = [""] * len(prompts)
    for indices in by_length.values():
        batch = torch.tensor([prompts[i] for i in indices])
        for i, ids in zip(indices, model.generate(batch, END, **sampling)):
            out[i] = text.decode(ids)
    return out


def settings(topics, items):
    """(name, prompts as (turns, system), sampling) of each way in which the questions are asked."""
    rng = random.Random(7)
    names = list(topics)

    def earlier(n):
        return [(" ".join(sample(rng.choice(topics[name].phrasings), rng).split()), topics[name].answer) for name in rng.sample(names, n)]

    single = [([(item.question, "")], None) for item in items]
    yield "greedy", single, {}
    yield "greedy, with a system prompt", [(turns, rng.choice(SYSTEM_PROMPTS)) for turns, _ in single], {}
    yield "greedy, as third turn", [(earlier(2) + turns, None) for turns, _ in single], {}
    yield "greedy, as tenth turn", [(earlier(9) + turns, None) for turns, _ in single], {}
    yield "temperature 0.7", single, {"temperature": 0.7, "generator": torch.Generator().manual_seed(7)}


def evaluate(model, tokenizer):
    """Prints one line per setting; returns the share of right answers of the first, plain greedy one. Right: the topic's answer, word for word."""
    model.eval()
    topics, text = read_topics(), Text(tokenizer)
    items = read_held_out(topics)
    known = {topic.answer for topic in topics.values()}
    shares = []
    for setting, prompts, sampling in settings(topics, items):
        answers = answers_to(model, text, [text.prompt(*prompt) for prompt in prompts], **sampling)
        right = sum(answer == topics[item.topic].answer for item, answer in zip(items, answers))
        garbled = sum(answer not in known for answer in answers)
        shares.append(right / len(items))
        print(f"held-out questions, {setting}: {right} of {len(items)} right ({100 * shares[-1]:.1f} %), {garbled} garbled", flush=True)
    return shares[0]


def show_mistakes(model, tokenizer):
    """The development questions, asked greedily: every wrong answer with the topic that it belongs to."""
    topics, text = read_topics(), Text(tokenizer)
    items = read_held_out(topics, "development")
    topic_of = {topic.answer: topic.name for topic in topics.values()}
    answers = answers_to(model, text, [text.prompt([(item.question, "")]) for item in items])
    wrong = [(item, answer) for item, answer in zip(items, answers) if answer != topics[item.topic].answer]
    for item, answer in wrong:
        print(f"{item.topic}: {item.question} -> {topic_of.get(answer, answer)}")
    print(f"development questions: {len(items) - len(wrong)} of {len(items)} right")


def main():
    from gguf_file import read_gguf

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default=MODEL)
    parser.add_argument("--development", action="store_true", help="the development questions, with every mistake shown")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.development:
        show_mistakes(*read_gguf(args.model))
    else:
        evaluate(*read_gguf(args.model))


if __name__ == "__main__":
    main()
