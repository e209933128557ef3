"""Questions in a person's or a summary's words."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence

from bench.quality.questions import Place, Question
from bench.quality.texts import Head, Texts, Words, words_of
from memtui_core.store.lexicon.tokens import STOP_WORDS

_READ = 60
"""Words of a request that are looked at."""
_KEPT = 10
"""Words of it that a person remembers at most."""
_TELLING = 3
"""Words that say something, without which there is no question; rare words that a sentence and its turn share."""
_TYPICAL = 8
"""Words of the later turns of which two are taken."""
_PLAIN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LATER = re.compile(r"\b[a-z]{5,}\b")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_TOKEN = re.compile(r"\w[\w./@'-]*")
_DONE = re.compile(
    r"\b(?:added|built|changed|committed|corrected|created|deleted|extracted|fixed|implemented|installed|moved"
    r"|refactored|removed|renamed|replaced|reverted|rewrote|split|switched|tested|updated|verified|wrote)\b",
    re.IGNORECASE,
)
_SHORTEST, _LONGEST = 6, 25
_COMMON = 0.1
"""Share of the turns above which a word tells nothing of one of them."""
_LEAD = 1.5
"""How many times the next turn's overlap makes a winner."""
_SPOKEN = frozenset({"user", "text", "thinking", "tool_call"})


def paraphrases(texts: Texts, words: Words, most: int) -> list[Question]:
    """Requests with half of their words dropped and two words of the session's later turns; the request's turn answers.

    Paths and identifiers are left out, so that plain words must do; a request repeated word by word is right wherever
    it stands. A session's last request is not asked about: nothing comes later.
    """
    last = {turns[-1].place for turns in texts.sessions.values()}
    same: dict[str, set[Place]] = {}
    for head in texts.heads:
        same.setdefault(head.text, set()).add(head.place)
    asked = [head for head in texts.heads if head.kind == "human" and head.place not in last]
    asked = [head for head in asked if _remembered(head)]
    found = []
    for head in texts.spread(asked, lambda head: head.place[0], lambda head: str(head.place), most):
        remembered = _remembered(head)
        later = _typical(_later(texts, head), words, words_of(head.text), _seeded(head))
        if later:
            text = " ".join([*remembered, *later])
            found.append(Question("paraphrase", text, frozenset(same[head.text])))
    return found


def compactions(texts: Texts, words: Words, most: int) -> list[Question]:
    """Sentences of compaction summaries on work done; the turn they tell of answers.

    Which turn that is, is itself decided by shared words: the turn of the segment before with the largest weight of
    rare words in common, at least three, when it leads the next by half. So a search by words is flattered here, and
    one by meaning is not: the figure compares versions of the same engine rather than engines. The summaries of the
    session stand aside, for they hold the sentence itself.
    """
    found = {}
    for summary in [head for head in texts.heads if head.kind == "compaction"]:
        before = _before(texts, summary)
        blocks = texts.blocks([head.id for head in before])
        held = {head.place: _telling(_spoken(head, blocks[head.id]), words) for head in before}
        summaries = {head.place for head in texts.sessions[summary.place[0]] if head.kind == "compaction"}
        for sentence in _sentences(summary.text):
            winner = _winner(_telling(words_of(sentence), words), held, words)
            if winner is not None:
                found[sentence] = Question("compaction", sentence, frozenset({winner}), frozenset(summaries))
    return texts.choose(found.values(), most)


def _remembered(head: Head) -> list[str]:
    """Half of the plain words of a request, in order; empty when they say too little."""
    stripped = [word.strip(".,;:!?()[]\"'`*") for word in head.text.split()[:_READ]]
    plain = [word for word in stripped if _PLAIN.fullmatch(word) and not _INNER_CAPITAL.search(word)]
    chosen = sorted(_seeded(head).sample(range(len(plain)), min(_KEPT, (len(plain) + 1) // 2)))
    kept = [plain[index] for index in chosen]
    return kept if sum(word.lower() not in STOP_WORDS for word in kept) >= _TELLING else []


def _later(texts: Texts, head: Head) -> str:
    """What person and agent say in the turns after this one."""
    after = [other for other in texts.sessions[head.place[0]] if other.number > head.number]
    blocks = texts.blocks([other.id for other in after])
    said = [text for other in after for kind, text in blocks[other.id] if kind == "text"]
    return "\n".join([*(other.text for other in after), *said])


def _typical(text: str, words: Words, known: set[str], chance: random.Random) -> list[str]:
    """Two of the plain words that stand out in a text and are not known already."""
    counts = Counter(word for word in _LATER.findall(text) if word not in STOP_WORDS and word not in known)
    ranked = sorted(counts, key=lambda word: (-counts[word] * words.weight(word), word))[:_TYPICAL]
    return sorted(chance.sample(ranked, min(2, len(ranked))))


def _before(texts: Texts, summary: Head) -> list[Head]:
    """The turns that a summary replaced; those of the session it was forked from when it begins with the summary."""
    own = [head for head in texts.sessions[summary.place[0]] if head.segment == summary.segment - 1]
    older = texts.sessions.get(summary.forked_from or "", [])
    turns = own or [head for head in older if head.segment == older[-1].segment]
    return [head for head in turns if head.kind != "compaction"]


def _sentences(summary: str) -> list[str]:
    """The sentences on work done, as plain words: signs would be read as phrases and filters."""
    found = []
    for sentence in _SENTENCE.split(summary):
        words = [word.rstrip("./@'-") for word in _TOKEN.findall(sentence)]
        if len(words) >= _SHORTEST and _DONE.search(sentence):
            found.append(" ".join(words[:_LONGEST]))
    return found


def _spoken(head: Head, blocks: Sequence[tuple[str, str]]) -> set[str]:
    """The words of a turn but those of tool output."""
    return words_of("\n".join([head.text, *(text for kind, text in blocks if kind in _SPOKEN)]))


def _telling(held: set[str], words: Words) -> set[str]:
    limit = max(3, _COMMON * words.turns)
    return {word for word in held if words.counts[word] <= limit and word not in STOP_WORDS}


def _winner(asked: set[str], held: dict[Place, set[str]], words: Words) -> Place | None:
    scores = {place: sum(words.weight(word) for word in asked & told) for place, told in held.items()}
    ranked = sorted(scores, key=lambda place: (-scores[place], place))
    if not ranked or len(asked & held[ranked[0]]) < _TELLING:
        return None
    clear = len(ranked) == 1 or scores[ranked[0]] >= _LEAD * scores[ranked[1]]
    return ranked[0] if clear else None


def _seeded(head: Head) -> random.Random:
    """Chance that is the same each time."""
    return random.Random(f"{head.place[0]}:{head.place[1]}")
