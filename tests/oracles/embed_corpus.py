"""Texts for the embedding oracles: the same ones at every run, from the sentences in tests/corpus/embed."""

import pathlib
import random

SENTENCES = (
    (pathlib.Path(__file__).parent.parent / "corpus" / "embed" / "sentences.txt")
    .read_text(encoding="utf-8")
    .splitlines()
)

# Characters that normalisers, word splitters and vocabularies treat specially.
ODD = (
    "\t\r\v\f\x00\x01\x1f\x7f\x85\xa0\xad\u0300\u0301\u0327\u0345\u0591\u064b\u0e31\u1680\u180e"
    "\u200b\u200c\u200d\u200e\u2028\u2029\u202e\u205f\u2060\u3000\ufe0f\ufeff\ufffd\uffff\U000e0001"
    "[]{}()<>#@&%$^~`|\\/_-+=*'\"!?.,;:¡¿«»…–—‘’“”、。「」・％"
    "ßẞſİıŁłØøÆæÞþÐđŒœǅΣςσΩΩKÅ"
    "一丁龥㐀䶵豈﨩𠀀𪛖𫝀あアｱ゛가각힣가"
    "🙂🙃👍🏽👩‍👩‍👧‍👦🇳🇴❤️☃︎⌚🀄𝔘𝒜ﬁﬂ½①ℌ"
)
WORDS = sorted({word for sentence in SENTENCES for word in sentence.split()})
MARKS = ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[mask]", "[ MASK ]", "[[MASK]]", "[unused1]", "##ing"]
FIXED = [
    "", " ", "\n", " \t\r\n ", "a", "\x00", "\u200d", "\u0301", "[CLS] a [SEP]", "[CLS][SEP][MASK]", "a[MASK]b",
    "x" * 100, "x" * 101, "x" * 10_000, "x " * 5_000, "好" * 5_000, "🙂" * 2_500, "e\u0301" * 3_333, "\x01" * 10_000,
    " " * 10_000, "a\u0301" * 101, "[MASK]" * 1_700, "!" * 10_000, "ab,cd;" * 1_700, "İ" * 99, "한" * 3_333,
    "word\u2028word\u2029word\x85word\vword\fword", "ｶﾞｷﾞｸﾞ", "\U0010ffff", "\ue000", "\u0378",
]


def token_texts(count):
    """`count` texts: edge cases, prose, code, random Unicode, some of 10 KB."""
    dice = random.Random(20240517)
    texts = list(FIXED) + list(SENTENCES)
    kinds = [prose, words, odd, unicode, mixed, marked]
    while len(texts) < count:
        if len(texts) % 200 == 0:
            texts.append(long(dice))
        else:
            texts.append(dice.choice(kinds)(dice))
    return texts[:count]


def sentence_texts(count):
    """`count` texts as people and agents write them: a word to a page, several languages, code, emoji."""
    dice = random.Random(4711)
    texts = list(SENTENCES)
    while len(texts) < count:
        texts.append(dice.choice([prose, prose, prose, words, emphatic])(dice))
    return texts[:count]


def prose(dice):
    return dice.choice([" ", " ", "\n", "\n\n- "]).join(dice.choices(SENTENCES, k=dice.choice([1, 2, 2, 3, 4, 8])))


def words(dice):
    return " ".join(dice.choices(WORDS, k=dice.randint(1, 40)))


def emphatic(dice):
    return "**" + dice.choice(SENTENCES).upper() + "** " + words(dice)[:80] + dice.choice(["!!!", "?", "…", " 🎉"])


def odd(dice):
    return "".join(dice.choices(ODD, k=dice.randint(1, 60)))


def unicode(dice):
    top = dice.choice([0x7F, 0x2FF, 0xFFFF, 0x1FFFF, 0x10FFFF])
    points = (dice.randint(0, top) for _ in range(dice.randint(1, 60)))
    return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)


def mixed(dice):
    return dice.choice(["", " "]).join(dice.choice([odd, unicode, words])(dice) for _ in range(4))


def marked(dice):
    return dice.choice(["", " "]).join(dice.choice([dice.choice(MARKS), dice.choice(WORDS)]) for _ in range(8))


def long(dice):
    kind = dice.choice([prose, mixed, unicode, marked])
    text = ""
    while len(text.encode()) < 10_240:
        text += kind(dice) + dice.choice(["", " "])
    return text
