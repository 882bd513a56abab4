"""Tokens and turns: byte-level BPE as in GPT-2, and the chat template."""

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
PAD, END, SYSTEM, USER, ASSISTANT = range(5)

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] not in ['system', 'user', 'assistant'] %}"
    "{{ raise_exception('Only the roles system, user and assistant are known.') }}"
    "{% endif %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] | trim + '<|end|>' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def train_tokenizer(texts, n_vocab):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=n_vocab,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


class Text:
    """Encodes plain text (never special tokens), with a cache per word."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.words = {}

    def word(self, piece):
        if piece not in self.words:
            self.words[piece] = [token.id for token in self.tokenizer.model.tokenize(piece)]
        return self.words[piece]

    def encode(self, text, rng=None, split=0.0):
        """`split`: the share of words that are cut at a random place and encoded as two, so that rare spellings become familiar."""
        ids = []
        for piece, _ in self.tokenizer.pre_tokenizer.pre_tokenize_str(text):
            if split and len(piece) > 2 and rng.random() < split:
                at = rng.randrange(1, len(piece))
                ids += self.word(piece[:at]) + self.word(piece[at:])
            else:
                ids += self.word(piece)
        return ids

    def decode(self, ids):
        return self.tokenizer.decode(ids, skip_special_tokens=False)

    def prompt(self, turns, system=None):
        """Ids of a conversation of (question, answer) turns that ends with an open question: the last turn's answer is not written."""
        ids = [] if system is None else [SYSTEM, *self.encode(system.strip()), END]
        for question, answer in turns[:-1]:
            ids += [USER, *self.encode(question.strip()), END, ASSISTANT, *self.encode(answer), END]
        return [*ids, USER, *self.encode(turns[-1][0].strip()), END, ASSISTANT]
