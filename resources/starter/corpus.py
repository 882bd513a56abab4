"""The corpus: topics with one answer and many phrasings, written as small grammars, and the wear that real questions show.

A topic file holds blocks: `## name`, an optional `next: topic` (what "tell me more" leads to), one `> answer`, then one phrasing per line.
In a phrasing (a|b|) is a choice, which may nest and may be empty, and {slot} is a named choice from slots.txt.
"""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"
TOPIC_FILES = ("memory", "kv", "quantization", "context", "offload", "plan", "app", "chat", "starter", "small_talk", "off_topic")


# --- grammar -------------------------------------------------------------------------------------------------------------------------


@dataclass
class Choice:
    options: list  # of sequences: lists of str | Choice

    def count(self):
        return sum(count(option) for option in self.options)


def count(sequence):
    total = 1
    for part in sequence:
        total *= part.count() if isinstance(part, Choice) else 1
    return total


def parse_phrasing(text, slots):
    """A phrasing as a sequence of literal texts and choices."""

    def sequence(pos, stop):
        parts, literal = [], ""
        while pos < len(text) and text[pos] not in stop:
            if text[pos] == "(":
                options = []
                while True:
                    option, pos = sequence(pos + 1, "|)")
                    options.append(option)
                    if pos >= len(text):
                        raise ValueError(f"unbalanced parenthesis in: {text}")
                    if text[pos] == ")":
                        break
                parts += [literal, Choice(options)]
                literal, pos = "", pos + 1
            elif text[pos] == "{":
                end = text.index("}", pos)
                parts += [literal, slots[text[pos + 1 : end]]]
                literal, pos = "", end + 1
            else:
                literal += text[pos]
                pos += 1
        return parts + [literal], pos

    # A smiley such as ":)" stands at the top level, where a closing parenthesis is plain text.
    return sequence(0, "")[0]


def sample(sequence, rng):
    return "".join(sample(rng.choice(part.options), rng) if isinstance(part, Choice) else part for part in sequence)


def pattern(sequence):
    """A regular expression over normalized text with spaces removed: does this phrasing produce that question?"""
    out = ""
    for part in sequence:
        if isinstance(part, Choice):
            out += "(?:" + "|".join(pattern(option) for option in part.options) + ")"
        else:
            out += re.escape(normalize(part).replace(" ", ""))
    return out


# --- reading -------------------------------------------------------------------------------------------------------------------------


@dataclass
class Topic:
    name: str
    answer: str = ""
    next: str = ""
    phrasings: list = field(default_factory=list)
    weights: list = field(default_factory=list)


@dataclass
class HeldOut:
    topic: str
    question: str


def lines_of(name):
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("# "):
            yield line.strip()


def read_slots():
    slots = {}
    for line in lines_of("slots"):
        name, options = line.split(":", 1)
        slots[name] = Choice([[option.strip()] for option in options.split("|")])
    return slots


def read_topics():
    """All topics by name, in the order of the files."""
    slots, topics = read_slots(), {}
    for name in TOPIC_FILES:
        topic = None
        for line in lines_of(name):
            if line.startswith("## "):
                topic = Topic(line[3:].strip())
                if topic.name in topics:
                    raise ValueError(f"topic {topic.name} is written twice")
                topics[topic.name] = topic
            elif line.startswith("next: "):
                topic.next = line[6:].strip()
            elif line.startswith("> "):
                if topic.answer:
                    raise ValueError(f"topic {topic.name} has two answers")
                topic.answer = line[2:].strip()
            else:
                phrasing = parse_phrasing(line, slots)
                topic.phrasings.append(phrasing)
                # Lines with many expansions are drawn more often, but far from in proportion: short questions are common in life.
                topic.weights.append(count(phrasing) ** (0.4 if name == "off_topic" else 0.3))
    for topic in topics.values():
        if not topic.answer or not topic.phrasings:
            raise ValueError(f"topic {topic.name} lacks an answer or phrasings")
        if topic.next and topic.next not in topics:
            raise ValueError(f"topic {topic.name} leads to {topic.next}, which does not exist")
    return topics


def read_held_out(topics, name="held_out"):
    held_out = []
    for line in lines_of(name):
        topic, question = line.split(":", 1)
        if topic not in topics:
            raise ValueError(f"held-out question of an unknown topic: {line}")
        held_out.append(HeldOut(topic, question.strip()))
    return held_out


# --- sameness ------------------------------------------------------------------------------------------------------------------------

FILLERS = set("a an the please pls hey hi hello so ok okay well just exactly really actually thanks um now here me you can could would".split())


def normalize(text):
    text = text.lower().replace("'", "").replace("’", "")
    return " ".join(re.sub(r"[^a-z0-9_+*/.%-]+", " ", text).replace(". ", " ").strip(" .").split())


def key(text):
    """Two questions with the same key count as the same question: case, punctuation and filler words do not matter."""
    words = normalize(text).split()
    kept = [word for word in words if word not in FILLERS]
    return " ".join(kept or words)


def in_grammar(held_out, topics):
    """The held-out questions that a phrasing of their own topic produces word for word."""
    patterns = {
        topic.name: [re.compile(pattern(phrasing)) for phrasing in topic.phrasings] for topic in topics.values()
    }
    return [
        item
        for item in held_out
        if any(p.fullmatch(normalize(item.question).replace(" ", "")) for p in patterns[item.topic])
    ]


# --- wear ----------------------------------------------------------------------------------------------------------------------------

SYNONYMS = [
    line.split("|")
    for line in """
show|display|present
explain|describe|clarify
big|large|huge
small|little|tiny
fast|quick
faster|quicker
slow|sluggish
use|take|need|consume
uses|takes|needs|consumes
model|llm|network
graphics card|gpu|video card|card
computer|pc|machine|laptop|system
app|program|software|application|tool
choose|pick|select
change|alter|modify|adjust
find|locate|get
start|begin
stop|halt|end
save|store|keep
answer|reply|response
question|query
chat|conversation|talk
memory|mem|space
difference|distinction
mean|stand for|signify
why|how come
good|fine|decent
best|ideal|optimal
size|amount
reduce|lower|shrink|decrease
increase|raise|grow
delete|remove|erase
open|load
colours|colors
licence|license
quantization|quantisation|quant
context length|context size|context window|context
vram|video memory|gpu memory|graphics memory
ram|system memory
kv cache|kv-cache|key value cache|cache
tokens per second|tok/s
do i|should i|can i
does it|will it|would it
it|the app|headroom
the app|headroom|this app
is it|is this
my|the
what is|what's|whats
what does|what would
how do i|how can i|how would i|how could i|how might i
can i|could i|may i|might i|am i allowed to
can you|could you|will you|are you able to
is there|do you have|does it have|exists there
want to|would like to|need to|wish to
where is|where's|where do i find|where can i find
tell me about|inform me about|teach me about
difference between|distinction between|what separates
happens|occurs|goes on
enough|sufficient|adequate
bytes|gigabytes|gigs
recommend|suggest|advise|propose
work|function|run
fits|will fit|goes in
when|whenever|once|as soon as
if|in case|when
too|far too|much too
see|view|look at
without|with no
more|additional|extra
faster|more quickly|speedier
settings|options|preferences
button|control
measured|benchmarked
right|correct
wrong|incorrect|false
file|model file
files|model files
long|lengthy
short|brief
write|type|compose
set|put|configure|adjust
keep|hold|retain
important|relevant|crucial
possible|feasible|doable
explain|spell out|break down
are there|do you have|exist
also|too|as well
about|regarding|concerning
still|even so|nonetheless
each|every
several|multiple|many|a number of
graph|diagram|plot
window|screen
first|initially
""".strip().splitlines()
]
SYNONYM_OF = {word: group for group in SYNONYMS for word in group}
SYNONYM_PATTERN = re.compile(r"\b(" + "|".join(sorted(map(re.escape, SYNONYM_OF), key=len, reverse=True)) + r")\b")
DROPPABLE = set("the a an is are do does my i it of to in on for please exactly can you me that this".split())
PREFIXES = (
    "hey", "hi", "hello", "so", "ok so", "please", "quick question:", "question:", "um,", "well,", "ok,", "and", "but", "sorry,", "pls",
    "just wondering,", "tell me,", "i wonder,", "one question,", "another question:", "now", "alright,", "i am curious,", "thanks.",
    "ok thanks,", "hm,", "listen,", "i have a question:", "be honest,", "in your opinion,", "good.", "i see.", "first,", "also,",
    "maybe you can tell me", "i'm not sure,", "help me out:", "a beginner asks:", "i keep wondering", "my question is", "simple question:",
    "since i am new:", "i just opened my first model.", "i have a 12 gb card.", "i use linux.", "my laptop has 16 gb of ram.", "i read the readme.",
    "i'm a beginner,", "my colleague asks:", "for my understanding,", "let me ask:", "one more thing:", "i am confused,", "any idea", "right,",
    "excuse me,", "i was wondering", "could you tell me", "can you tell me", "do you know", "i'd like to know", "i want to know",
    "please tell me", "say,", "hello there,", "by the way,", "btw", "still,", "then", "what i want to know:", "hi there,",
)  # fmt: skip
SUFFIXES = (
    "please", "pls", "thanks", "thank you", "exactly", "actually", "then", "in general", "in short", "in simple words", "for a beginner",
    "here", "in this app", "in headroom", "by the way", "really", "anyway", "these days", "if i may ask", "again", "do you know", "roughly",
    "normally", "usually", "in detail", "briefly", "on my computer", "now", "at all", "typically", "i wonder", "right", "for me", "with this",
    "supposed to be", "in practice", "today", "all the time", "myself", "somehow", "of course", "with your app", "with my model", "after all",
    "or not", "or what", "is my question", "i'd like to know", "if possible", "to me", "for a model", "one day", "any idea",
)  # fmt: skip
LOUD = re.compile(r"\b(kv|vram|ram|gpu|gpus|cpu|gguf|q\d_\w+|q\d|f16|f32|fp8|fp16|bf16|gib|gb|png|svg|csv|json|moe|gqa|oom|cli|i|\d+b|sql|dna)\b")
SPRINKLED = "actually really just even maybe still always currently possibly basically simply ever normally exactly also please kind sort quite then".split()
STAND_ALONE = {"hello", "how_are_you", "thanks", "bye", "ok", "no", "sorry", "compliment", "insult", "unclear", "more_none"}


def typo(text, rng):
    places = [i for i in range(1, len(text) - 2) if text[i].isalpha() and text[i + 1].isalpha() and text[i - 1].isalpha()]
    if not places:
        return text
    i = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0:
        return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
    if kind == 1:
        return text[:i] + text[i + 1 :]
    if kind == 2:
        return text[:i] + text[i] + text[i:]
    return text[:i] + rng.choice("abcdefghijklmnopqrstuvwxyz") + text[i + 1 :]


def wear(text, rng, stand_alone=False):
    """A phrasing as someone might type it: other words, wrappers, dropped words, typos, case and punctuation."""
    if rng.random() < 0.45:
        for _ in range(rng.choice((1, 1, 2, 3))):
            hits = list(SYNONYM_PATTERN.finditer(text))
            if hits:
                hit = rng.choice(hits)
                text = text[: hit.start()] + rng.choice(SYNONYM_OF[hit.group()]) + text[hit.end() :]
    if rng.random() < 0.18:
        kept = [word for word in text.split() if word not in DROPPABLE or rng.random() < 0.5]
        text = " ".join(kept) or text
    if rng.random() < 0.06:
        words = text.split()
        words.insert(rng.randrange(len(words) + 1), rng.choice(SPRINKLED))
        text = " ".join(words)
    if rng.random() < 0.04:
        words = text.split()
        if len(words) > 3:
            i = rng.randrange(len(words) - 1)
            words[i], words[i + 1] = words[i + 1], words[i]
            text = " ".join(words)
    if not stand_alone:
        if rng.random() < 0.22:
            text = rng.choice(PREFIXES) + " " + text
        if rng.random() < 0.14:
            text = text + " " + rng.choice(SUFFIXES)
    if rng.random() < 0.15:
        text = typo(text, rng)
        if rng.random() < 0.25:
            text = typo(text, rng)
    case = rng.random()
    if case < 0.50:
        if rng.random() < 0.75:
            text = LOUD.sub(lambda hit: hit.group().upper().replace("GIB", "GiB"), text)
        if case < 0.38:
            text = text[:1].upper() + text[1:]
    elif case > 0.99:
        text = text.upper()
    end = rng.random()
    if end < 0.55:
        text += "?"
    elif end < 0.62:
        text += "."
    elif end < 0.66:
        text += rng.choice(("!", "??", " ?", "...", "?!", " :)"))
    return text


class Asker:
    """Draws worn questions; never one that is, up to case, punctuation and fillers, a held-out question."""

    def __init__(self, topics, held_out, seed):
        self.topics = topics
        self.rng = random.Random(seed)
        self.forbidden = {key(item.question) for item in held_out}
        self.names = list(topics)
        self.topic_weights = [14.0 if name == "off_topic" else 0.0 if name == "more_none" else 1.0 for name in self.names]
        self.more = topics["more_none"].phrasings

    def topic(self):
        return self.rng.choices(self.names, self.topic_weights)[0]

    def drawn(self, phrasing):
        return " ".join(sample(phrasing, self.rng).split())

    def question(self, name):
        topic = self.topics[name]
        while True:
            text = self.drawn(self.rng.choices(topic.phrasings, topic.weights)[0])
            if self.rng.random() < 0.85:
                text = wear(text, self.rng, name in STAND_ALONE)
            if text and key(text) not in self.forbidden:
                return text

    def more_question(self):
        while True:
            text = wear(self.drawn(self.rng.choice(self.more)), self.rng, True)
            if key(text) not in self.forbidden:
                return text

    def turns(self, n):
        """A conversation of n (question, answer) turns; now and then a turn is "tell me more"."""
        out, last = [], None
        for _ in range(n):
            if last is not None and self.rng.random() < 0.15:
                name = self.topics[last].next or "more_none"
                out.append((self.more_question(), self.topics[name].answer))
            else:
                name = self.topic()
                out.append((self.question(name), self.topics[name].answer))
            last = name if name != "more_none" else None
        return out
