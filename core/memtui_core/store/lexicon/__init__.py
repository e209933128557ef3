"""The lexicon, a keyword index of turns: words, phrases, names in code, prefixes, and scripts without spaces."""

from __future__ import annotations

from memtui_core.store.lexicon.engine import LexicalHit, Lexicon, LexiconDamaged
from memtui_core.store.lexicon.fields import TurnDoc
from memtui_core.store.lexicon.matcher import Matcher, matcher_of
from memtui_core.store.lexicon.writer import LexiconWriter

__all__ = ["LexicalHit", "Lexicon", "LexiconDamaged", "LexiconWriter", "Matcher", "TurnDoc", "matcher_of"]
