"""Writes small vocabularies of our own, and what the reference implementations make of texts with them: Hugging Face `tokenizers` for byte-level BPE
under each pre-tokenizer and for BPE over characters, SentencePiece for score-driven BPE with byte fallback. Output: tests/engine/text/tokenizer_cases.json. Run with a Python that
has tokenizers and sentencepiece; the tests need only the file written here."""
import io
import json
import pathlib
import random

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

OUT = pathlib.Path(__file__).resolve().parents[2] / "engine" / "text" / "tokenizer_cases.json"

CORPUS = """The cache grows with every token, and the plan knows it. It's 2024; we've 12 GiB, they'll say 3.14159 or 1000000 bytes.
  Indented lines,\ttabs   and    runs of spaces.\r\n\r\nWindows line ends\n\n\nthree line ends... what?! (Yes.) [no] {maybe} <tag> "quoted" 'single'
Ünïcode Größe naïve café Привет мир 你好世界 你好 カタカナ ひらがな 안녕하세요 مرحبا ๑๒๓ ４５６ ½ ² 🎉🚀 👍🏽
snake_case camelCase HTTPServer XMLHttpRequest iPhone don't WON'T I'D we'RE O'Neil 'tis rock'n'roll
x = y + 2 * (z - 1) / 3 ** 4 % 5; if (a && b || !c) { return a->b[0]; } // comment /* more */ #include <vector> $HOME ~/x @user #tag ^caret `tick`
""" * 3

TEXTS = ["", " ", "  ", "   ", "\t", "\n", "\n\n", "\n\n\n", "\t\n", "\r\n", " \n  \n   x", "Hello world", " Hello world", "  Hello  world  ", "Hello\n\n\nworld \n",
         "don't WON'T I'll we'RE they've 'tis 's 'S x'd X'D", "3 33 333 3333 33333 333333 3333333 33333333 333333333", "3.14 1,000,000 v1.2.3-rc4 2024-01-02T03:04:05",
         "ünïcode Größe naïve CAFÉ Привет, мир!", "你好，世界。你好 カタカナ ひらがな 한국어 안녕하세요", "🎉🚀 👍🏽 e\u0301 ﷽ ½ ²", "snake_case camelCase HTTPServer iPhone ABCdefGHI",
         "x = y+2*(z-1)/3 ** 4 % 5; a->b[0] // c /* d */ #e <f> \"g\" `h` ~i ^j |k $l @m \\n", "....!!!???,,, ------======= ''''''```````\"\"\"\"", " !x  !y\t!z\n!w",
         "a\u00a0b\u2003c\u3000d\u2028e\u0085f\u200bg", "word\u180eword", "tabs\t\tand\t spaces \t mixed", "line\rline\r\n\r\nline\n\rline", "日本語テキスト123と456",
         "ǅ Ǆ ǆ ŉ ß ẞ ſ 'ſ", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "x" * 50, " " * 30 + "x" + " " * 31, "\n" * 20, "aaaa bbbb" * 10,
         "The plan knows what the cache takes: 12 GiB.", "end with space ", "end with newline\n", "(parens)[brackets]{braces}", "http://a.b/c?d=e&f=g#h", "\u0000\u0001\u007f"]
ARABIC_DIGITS = ["٣٣ ٣٣٣٣ ４５６７ ๑๒๓๔", "x٣y ½½ Ⅷ"]
# Marks that combine with what stands before them: within words, at their start, after digits, signs and line ends, and several of them.
MARKS = ["हिन्दी में लिखी हुई किताबें, क्षेत्र १२३ और ज़िन्दगी।", "ภาษาไทยที่นี่ ผู้ใหญ่ ๑๒ น้ำ", "e\u0301te\u0301 cafe\u0301s na\u0308i\u0308ve A\u030ang",
         "\u0301a \u0301a  \u0301 !\u0301a .\u0301. 1\u03012 12\u0301\n\u0301b\n\n\u0301\r\n\u0301", "q\u0307\u0323\u0304q x\u20dd \u20dd+ 1\ufe0f\u20e3 \u2764\ufe0f\u2764\ufe0f",
         "שָׁלוֹם עֲלֵיכֶם", "السَّلَامُ عَلَيْكُمْ", "か\u3099き\u309a 漢\u3099字 한\u3099글", "don\u0301't 's\u0301 'S\u0301x it'\u0301s we're\u0301 I'll\u0301"]

GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
LLAMA3 = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}|", r"\p{N}|")
QWEN35 = QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"[^\s\p{L}\p{N}]+", r"[^\s\p{L}\p{M}\p{N}]+")
U, L = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
REST = r"""| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
TEKKEN = rf"[^\r\n\p{{L}}\p{{N}}]?{U}*{L}+|[^\r\n\p{{L}}\p{{N}}]?{U}+{L}*|\p{{N}}" + REST
ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
GPT4O = rf"[^\r\n\p{{L}}\p{{N}}]?{U}*{L}+{ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?{U}+{L}*{ENDINGS}|\p{{N}}{{1,3}}" + REST
DEEPSEEK3 = [r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
             r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""]
CODER = [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+"]


def split(*patterns):
    return [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]


PLAIN = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
WORDS = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
PIPELINES = {
    "gpt-2": WORDS,
    "llama-bpe": split(LLAMA3) + PLAIN,
    "smaug-bpe": split(LLAMA3) + PLAIN,
    "qwen2": split(QWEN2) + PLAIN,
    "qwen35": split(QWEN35) + PLAIN,
    "tekken": split(TEKKEN) + PLAIN,
    "gpt-4o": split(GPT4O) + PLAIN,
    "deepseek-v3": split(*DEEPSEEK3) + PLAIN,
    "deepseek-coder": split(*CODER) + [pre_tokenizers.Digits(individual_digits=True)] + PLAIN,
    "falcon": [pre_tokenizers.Punctuation("contiguous")] + WORDS + split("[0-9][0-9][0-9]"),
    "starcoder": [pre_tokenizers.Digits(individual_digits=True)] + WORDS,
    "default": split(r"[\p{P}$+<=>^~|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]") + PLAIN,
}


def train(text, n_tokens):
    """Tokens in order of their ids, and merges. Trained across word borders, so that a border in the wrong place shows in the ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split(r".{1,60}|\n+") + PLAIN)
    trainer = trainers.BpeTrainer(vocab_size=n_tokens, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return [text for text, _ in sorted(model["vocab"].items(), key=lambda item: item[1])], [" ".join(pair) for pair in model["merges"]]


def byte_level():
    tokens, merges = train(CORPUS, 700)
    # Behind them, so that what the others are numbered stays: tokens with marks, as the corpus has none.
    for known, more in zip((tokens, merges), train("\n".join(MARKS * 3), 500)):
        known += [each for each in more if each not in known]
    cases = []
    for name, pipeline in PIPELINES.items():
        vocab = {text: number for number, text in enumerate(tokens)}
        each = Tokenizer(models.BPE(vocab, [tuple(merge.split(" ")) for merge in merges], ignore_merges=name in ("llama-bpe", "tekken")))
        each.pre_tokenizer = pre_tokenizers.Sequence(pipeline)
        texts = TEXTS if name in ("falcon", "starcoder") else TEXTS + ARABIC_DIGITS + MARKS
        cases.append({"pre": name, "ids": [each.encode(text).ids for text in texts]})
    return {"tokens": tokens, "merges": merges, "texts": TEXTS + ARABIC_DIGITS + MARKS, "cases": cases}


def score_driven():
    cases = []
    for prefix in (True, False):
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([line for line in CORPUS.splitlines() if line.strip()]), model_writer=model, model_type="bpe", vocab_size=560,
            byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=prefix, character_coverage=0.98,
            split_digits=False, allow_whitespace_only_pieces=True, user_defined_symbols=["<tag>"], control_symbols=["<|end|>"], minloglevel=2)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        types = []
        for number in range(processor.vocab_size()):
            kinds = [(processor.is_unknown(number), 2), (processor.is_control(number), 3), (processor.is_unused(number), 5), (processor.is_byte(number), 6)]
            kind = next((value for holds, value in kinds if holds), 1)
            types.append(4 if processor.id_to_piece(number) == "<tag>" else kind)
        # A user-defined symbol cuts the text in SentencePiece without a new prefix after it, and U+0000 is dropped: both are left to other tests.
        texts = [text for text in TEXTS if "\u0000" not in text and "<tag>" not in text]
        cases.append({"add_space_prefix": prefix, "tokens": [processor.id_to_piece(number) for number in range(processor.vocab_size())],
                      "scores": [processor.get_score(number) for number in range(processor.vocab_size())], "types": types, "texts": texts,
                      "ids": [processor.encode(text) for text in texts]})
    return cases


# Control tokens (type 3), added tokens that are always found (4), and byte tokens (6), as Gemma 4's files have them.
CONTROLS = ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>", "<|think|>"]
ADDED = ["<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<|\"|>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
PIECES = [" ", " ", "  ", "   ", " " * 9, "\n", "\n", "\n\n", "\n\n\n", "\n" * 6, "\t", "\t\t", "\r\n", "\u00a0", "\u3000", "\u2581", "\u2581\u2581", "the", "The",
          "cache", "token", "plan", "knows", "memory", "12", "3.14", "1000000", "don't", "snake_case", "HTTPServer", "a", "e", "x", "=", "==", "...", "----", "?!", "(", ")",
          "\U0001F389", "\U0001F44D\U0001F3FD", "\u2764\ufe0f", "\U0001F469\u200d\U0001F4BB", "\u4f60\u597d", "\u4e16\u754c", "\u30ab\u30bf", "\uc548\ub155", "\u9f98",
          "e\u0301", "n\u0303", "\u0301", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u00fc", "\u00df", "\u043f\u0440\u0438", "\u0645\u0631\u062d", "<0x41>", "<", ">", "|", "<|", "|>", "\"",
          "\u0000", "\u007f", "\ufeff", "\ufffd"]


def train_characters(n_tokens):
    """Tokens of characters in order of their ids, and merges. Trained across word borders, as in train(), but line ends stand apart, as in Gemma's vocabulary.
    The rarer characters are no tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split(r"\n+"))
    trainer = trainers.BpeTrainer(vocab_size=n_tokens, limit_alphabet=110, max_token_length=12, show_progress=False)
    tokenizer.train_from_iterator([CORPUS + "\n\n\n\n\n\n\n\n" + " " * 40 + "\n\n" + CORPUS], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return [text for text, _ in sorted(model["vocab"].items(), key=lambda item: item[1])], [tuple(pair) for pair in model["merges"]]


def every_merge(tokens):
    """Each pair of tokens that makes a token, as conversions of SentencePiece's vocabularies have them: several pairs make the same token."""
    known = set(tokens)
    halves = [(text[:at], text[at:]) for text in tokens for at in range(1, len(text))]
    return [pair for pair in halves if pair[0] in known and pair[1] in known]


def character_bpe():
    """BPE over characters as Gemma 4 has it: spaces are marks, no words, bytes for what is no token. Runs of line ends are made by merges, or are added tokens that
    a file cannot tell from others."""
    made, trained = train_characters(520)
    runs = ["\n" * n for n in range(2, 9)]
    # One of each kind of added token inside words, at edges, next to each other, and cut short.
    specials = [between.join(CONTROLS[4:] + ADDED) for between in ("", " ", "\n", "a")] + ["<|turn>user\nWhat?<turn|>\n<|turn>model\n", "<|\"|>x<|\"|", "<|channel>thought\n<channel|>"]
    choose = random.Random(4)
    texts = TEXTS + ARABIC_DIGITS + MARKS + specials + ["\n" * n for n in range(1, 40, 3)] + [" " * n for n in range(4, 40, 5)]
    texts += ["".join(choose.choice(PIECES + ADDED) for _ in range(choose.randint(1, 14))) for _ in range(300)]
    tokens = CONTROLS + ADDED + BYTES + made + [run for run in runs if run not in made]
    types = [3] * len(CONTROLS) + [4] * len(ADDED) + [6] * len(BYTES)
    types += [1] * (len(tokens) - len(types))
    with_runs = trained + [(run[1:], "\n") for run in runs if run not in made]
    shuffled = every_merge(tokens[len(CONTROLS + ADDED + BYTES):])
    choose.shuffle(shuffled)
    line_ends = [text for text in tokens if len(text) > 1 and not text.strip("\n")]
    cases = []
    for name, merges in (("as trained", with_runs), ("every merge, shuffled", shuffled), ("added line ends", [pair for pair in trained if "\n" not in pair[0]])):
        each = Tokenizer(models.BPE({text: number for number, text in enumerate(tokens)}, merges, byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
        each.normalizer = normalizers.Replace(" ", "\u2581")
        each.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        each.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
        each.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in CONTROLS])
        each.add_tokens([AddedToken(text, normalized=False) for text in ADDED + (line_ends if name == "added line ends" else [])])
        ids = [each.encode(text, add_special_tokens=False).ids for text in texts]
        for text, row in zip(texts, ids):
            assert each.decode(row, skip_special_tokens=False) == text.replace("\u2581", " "), text
        cases.append({"name": name, "merges": [" ".join(pair) for pair in merges], "ids": ids})
    return {"tokens": tokens, "types": types, "texts": texts, "cases": cases}


def main():
    OUT.write_text(json.dumps({"byte_level": byte_level(), "score_driven": score_driven(), "character_bpe": character_bpe()}, ensure_ascii=True, indent=0) + "\n",
                   encoding="utf-8")


if __name__ == "__main__":
    main()
