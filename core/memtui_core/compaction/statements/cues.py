"""How much a statement matters to whoever continues the work, and its kind, by its words and its heading.

The patterns and weights were set on three compactions of real sessions and checked on three others, see bench/review.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from memtui_core.compaction.model import FactKind
from memtui_core.compaction.statements.cue_patterns import CueText, cue
from memtui_core.compaction.statements.phrases import is_correction

_HARD_RULE: Final = cue(
    r"\b(?:must(?: not|n['’]t)?|never|shall not|do not|don['’]t|exactly|unchanged)\b|^\W*no [a-z]+",
    "must mustn never shall do don exactly unchanged no",
)
_RULE: Final = cue(
    r"\b(?:must(?: not|n['’]t)?|never|shall(?: not)?|always|do not|don['’]t|only|exactly|required?|forbidden"
    r"|not allowed|preserve[sd]?|unchanged|without (?:changing|breaking)|keep (?:existing|the|current)|make sure|ensure"
    r"|avoid|prefer|no longer than|at most|at least|limit(?:ed)? to|should(?: not|n['’]t)?)\b"
    r"|^\W*no [a-z]+",
    "must mustn never shall always do don only exactly require required forbidden not preserve preserves"
    " preserved unchanged without keep make ensure avoid prefer no at limit limited should shouldn",
)
_RULE_OF_PERSON: Final = cue(
    r"\b(?:must(?: not|n['’]t)?|never|shall not|always|do not|don['’]t|only|exactly|forbidden|not allowed|preserve[sd]?"
    r"|unchanged|without (?:changing|breaking)|keep (?:existing|the|current)|make sure|ensure|avoid|prefer|at most"
    r"|at least|limit(?:ed)? to|should(?: not|n['’]t)|no longer than)\b|^\W*no [a-z]+",
    "must mustn never shall always do don only exactly forbidden not preserve preserves preserved unchanged without"
    " keep make ensure avoid prefer at limit limited should shouldn no",
)
"""Words of a rule in a prompt, where a bare `should` only asks for something."""
_MODAL: Final = cue(
    r"\b(?:must|shall|should|may not|do not|don['’]t|required|keep|preserve|avoid|ensure|make sure|prefer)\b"
    r"|^\W*no [a-z]+",
    "must shall should may do don required keep preserve avoid ensure make prefer no",
)
_ORDERS: Final = cue(
    r"\b(?:must|shall|should|may not|required)\b"
    r"|(?:^\W*|[.;:] )(?:please )?"
    r"(?:do not|don['’]t|keep|preserve|avoid|ensure|make sure|prefer|never|always|only|no)\b",
    "must shall should may required do don keep preserve avoid ensure make prefer never always only no",
)
"""Words of a sentence that gives an order; `pictures do not arrive` only describes."""
_BACKGROUND: Final = cue(
    r"\b(?:was|were|had|been|has)\b",
    "was were had been has",
)
"""Words of the background of a task, which tells what was; its rules tell what shall be."""
_ASSUMPTION: Final = cue(
    r"\b(?:have(?:n['’]t| not) (?:\w+ )?(?:been )?(?:verif|test|check|confirm|run)\w*|un(?:verified|tested|confirmed)"
    r"|not (?:yet |been |empirically |actually )*(?:verified|tested|confirmed|covered|exercised)"
    r"|could(?: not|n['’]t) (?:verify|test|reproduce)"
    r"|(?<!rather than )(?<!without )(?<!instead of )(?<!n['’]t )(?<!not )assum(?:e|es|ed|ing|ption)\w*|presumably"
    r"|by coincidence"
    r"|should be (?:fine|ok|okay|safe|enough|sufficient|harmless)"
    r"|needs? to be (?:verified|tested|checked|confirmed|validated)|(?:taken|take) (?:it )?for granted)\b",
    "have haven unverified untested unconfirmed not could couldn presumably by should need needs taken take",
    "assum",
)
"""Words for what the agent takes for granted or has not verified."""
_CAVEAT: Final = cue(
    r"\b(?:can(?:not|['’]t) (?:be )?(?:observed?|test(?:ed)?|verif(?:y|ied)|seen)"
    r"|not (?:yet )?(?:enforced|done)|caveats?|risks?|trade-?offs?|pre-?existing|unresolved"
    r"|known (?:issue|limitation|bug)|limitation|silently|fragile"
    r"|breaks? (?:if|when|loudly|silently)|gap|might not|may not|untouched|out of scope"
    r"|worth (?:noting|flagging|knowing))\b",
    "can cannot not caveat caveats risk risks trade tradeoff tradeoffs pre preexisting unresolved"
    " known limitation silently fragile break breaks gap might may untouched out worth",
)
_NOT_CHECKABLE: Final = cue(r"\bcan(?:not|['’]t) (?:be )?(?:observed?|test(?:ed)?|verif(?:y|ied)|seen)\b", "can cannot")
"""Words for what nobody can check yet."""
_STRONG_CAVEAT: Final = cue(
    r"\b(?:unverified|(?:one|honest|only) caveat|caveat:|I haven['’]t|haven['’]t (?:verified|tested|checked)"
    r"|not empirically|can['’]t be (?:observed|verified|tested)|acceptance test)\b",
    "haven not caveat unverified one honest only can acceptance",
)
_REASON: Final = cue(
    r"\b(?:because|so that|the reason|otherwise|that['’]s why|which is why|since (?:the|it|we|no|that)|hence|therefore"
    r"|due to)\b",
    "because so reason otherwise why since hence therefore due",
)
_CONTRAST: Final = cue(
    r"\bnot (?:a|an|the|because|by|in|just|only)\b|, not\b|\bnever\b|\bno \w+ or\b",
    "not never no",
)
_DECISION: Final = cue(
    r"\b(?:decided|decision:|chose|went with|instead of|rather than|accepted|agreed|settled|opted"
    r"|the right (?:fix|source|signal|place))\b|\bdecision:",
    "decided decision chose went instead rather accepted agreed settled opted right",
)
_REJECTS: Final = cue(
    r"\b(?:rejected|ruled out|decided against|not worth (?:it|the)|won['’]t (?:work|help|do)|opted against"
    r"|considered and|declined|deliberately (?:not|skipp\w+|left)|dead end)\b",
    "rejected ruled decided not won opted considered declined deliberately dead",
)
"""Words for an option that was not taken."""
_OPTION: Final = re.compile(
    r"\W*(?:(?:option|approach|alternative|variant)\s+)?(?:[A-D]|[1-5])\*{0,2}(?:[).:]| ?[—–] | - )"
)
"""The beginning of one of several options."""
_OPEN: Final = cue(
    r"\b(?:open question|follow-?ups?|todo|pending|remaining|still (?:open|missing|needs?|to do|unclear)"
    r"|not (?:yet )?(?:done|started|implemented|committed|merged|pushed)|needs? (?:to|a|an)|deferred"
    r"|before (?:merg|apply|releas|commit|deploy)\w+|blocked|depends on|ordering|sequence|first,? then|next step"
    r"|owner['’]s call|your call|up to you)\b",
    "open follow followup followups todo pending remaining still not need needs deferred before"
    " blocked depends ordering sequence first next owner call up",
)
_SEQUENCE: Final = cue(
    r"\b(?:(?:has|have|must|needs?) to (?:move|land|come|go|happen|be)|ordering|sequence (?:that|this|it)|prerequisite"
    r"|lands? (?:first|before|after)|task order|only (?:after|once|observable)|not before|until)\b",
    "has have must need needs ordering sequence prerequisite land lands task only not until",
)
_PAST: Final = cue(
    r"\b(?:root cause of|fixed (?:by|in)|then fixed|(?:recorded|documented|noted|updated|rewritten) (?:as|in|here)"
    r"|used to|(?:now )?leads with)\b",
    "root fixed recorded documented noted updated rewritten used leads",
)
"""Words for what is over, or is written down in a file."""
_FINDING: Final = cue(
    r"\b(?:found (?:that|no|a|an|one|two|three)|the only|no [a-z]+ (?:exists?|defines?|has)"
    r"|there (?:is|are) no|already|definit\w+|proves?|confirmed|verified)\b",
    "found only no there already prove proves confirmed verified",
    "definit",
)
_REFUTES: Final = cue(
    r"\b(?:turns? out|root cause|actually|in fact|contrary to|disprove[sd]?|mistaken|misread|misleading|a myth"
    r"|(?:was|were|is|are) (?:\w+ )?wrong|not the (?:cause|problem|issue|reason|bug|culprit)"
    r"|does(?: not|n['’]t) (?:exist|work|support|have|apply|matter)|never (?:called|used|run|ran|set|reached|fires?)"
    r"|the real (?:fix|bug|cause|problem|issue|reason|test))\b",
    "turn turns root actually in contrary disprove disproved disproves mistaken misread misleading myth wrong not does"
    " doesn never real",
)
_CAPITALS: Final = re.compile(r"(?<![A-Z_] )\b(?:NOT|ONLY|EVEN|NEVER|ALWAYS|NONE|EVERY|STILL|ALREADY)\b(?! [A-Z]{2})")
"""A word in capitals that stresses what a sentence says."""
_GUESS: Final = cue(
    r"\b(?:probably|likely|perhaps|might be|may be|could be|i suspect|my guess|hypothes[ie]s|theory|maybe"
    r"|possibly|seems? to|looks like|i think|i believe)\b",
    "probably likely perhaps might may could suspect guess hypothesis hypotheses theory maybe possibly seem seems looks"
    " think believe",
)
_CAUSE: Final = cue(
    r"\b(?:found (?:the|it|my)\b|(?:the )?root cause (?:is|was|:)"
    r"|the (?:actual|real) (?:cause|bug|problem|issue|reason)|that (?:was|is) the (?:cause|bug|problem|issue)"
    r"|turns? out)\b",
    "found root actual real cause bug problem issue turn turns",
)
_SCENARIO: Final = re.compile(r"\W*(?:(?:GIVEN|WHEN|THEN|AND|BUT)\b|(?:Given|When|Then|And)\*\*|Scenario\b)")
"""A step of a scenario, which is a test and no rule of its own."""
_EMPHASIS: Final = re.compile(r"\W{0,4}\*\*[^*]{3,}\*\*")
_QUESTION_END: Final = re.compile(r"\?[\"'”’)*_\s]*$")
_PREFERENCE: Final = cue(
    r"\b(?:(?:we|it|you) (?:should|must|can|want|need)|I(?:['’]d)? (?:want|like|prefer)|enforce|follows?|like we do"
    r"|same as|no [a-z]+|for now|later on|from now on|in general|whatever|only|always|never)\b",
    "should must can want need like prefer enforce follow follows same no now later general whatever only always never",
)
"""Words by which a user says how things should be in general."""
_OBJECTION: Final = re.compile(
    r"\W*(?:no[,.! ]|(?:nope|not (?:what|like|that|so)|wrong|stop|wait|actually|undo|revert|that['’]?s|this is|why"
    r"|you (?:forgot|missed|broke|keep|still)|i (?:said|asked|told|meant?))\b)",
    re.IGNORECASE,
)
"""The beginning of an objection; `Never do it` and `Do not do it` are rules instead."""
_QUESTION_START: Final = re.compile(
    r"\W*(?:(?:ok(?:ay)?|good|great|thanks|and|but|so|hm+)\b\W*)*"
    r"(?:why|what|how|where|which|who|when|is|are|was|were|do|does|did|can|could|would|will|shall|find out"
    r"|check|look)\b",
    re.IGNORECASE,
)
"""The beginning of a question, which users often type without a question mark."""
_STANDING: Final = cue(
    r"\b(?:never|always|don['’]t|do not|must(?: not|n['’]t)|shall not|should(?: not|n['’]t)|from now on|in general"
    r"|whenever|every time|avoid|prefer|for now|until|only|no longer|existing|whatever|enforce\w*|long-?term"
    r"|we (?:can|want"
    r"|use|should|will))\b",
    "never always don do must mustn shall should shouldn from in whenever every avoid prefer for until only no existing"
    " whatever long longterm we",
    "enforc",
)
"""Words by which a user says what holds beyond the work of one turn."""
_COMMAND: Final = re.compile(
    r"(?:^\W*|[,;:.(–—]\s*|\b(?:and|but|so|then|also)\s+)(?:please\s+)?(?:never|always|don['’]t|do not)\b"
    r"|\b(?:must|shall|may)(?: not|n['’]t| never)\b",
    re.IGNORECASE,
)
"""Words of a sentence that forbids something, or demands it always."""
_ONE_TURN_FACTOR: Final = 0.6
"""Factor for a prompt without such words: most prompts are done in their own turn."""
_MOMENTARY: Final = re.compile(
    r"\b(?:right now|i mean|be (?:more )?(?:concise|brief)|explain|list|tell me|show me|give me|i don['’]t understand"
    r"|research|analy[sz]e|look again"
    r"|what (?:would|is|are|do)|find a way|first|let['’]s (?:think|see|worry|look|find|check|focus)|let us"
    r"|continue|go on|go ahead|try again)\b",
    re.IGNORECASE,
)
"""Orders that only concern the next answer."""
_NARRATION: Final = re.compile(
    r"\W*(?:(?:now|next|first|then|ok(?:ay)?|good|great|perfect|alright|done)?[,.!:]?\s*"
    r"(?:let me|i['’]ll|i will|i['’]m going to|i need to|let['’]s|i should|we need to|now i)\b"
    r"|want me to\b|shall i\b|say the word|ready to|run `?/|co-authored|created:|updated:|owner:)",
    re.IGNORECASE,
)
"""The beginning of what the agent is about to do or offers, and lines of issue trackers."""
_DONE: Final = re.compile(
    r"\W*(?:all (?:\w+ )?(?:done|pass)|done\b|committed (?:as|successfully)|(?:both|everything) (?:done|is)"
    r"|successfully|closed\b|\[x\])",
    re.IGNORECASE,
)
_IMPORTANT_HEADING: Final = re.compile(
    r"constraint|requirement|edge.?case|success|acceptance|definition of done|done when|criteria|non-?goal|out of scope"
    r"|\brules?\b|must|limits?|security|privacy|invariant|behaviou?r|guarantee|caveat|risk|open|question|decision"
    r"|follow-?up|pending|remaining|not (?:done|included)|trade-?off|important|note|warning|before (?:merging|you)",
    re.IGNORECASE,
)
_LIST_HEADING: Final = re.compile(
    r"\W*(?:\d+\W+)?(?:(?:the|key|main|relevant|important|new|modified|changed|touched|affected|output|source|related"
    r"|critical|created|all|all of the)\s+)*(?:files?|commands?|references?|sources?|children|blocks|parent"
    r"|technical concepts|what changed|summary of changes|changes(?: made)?|test plan|user messages|current work"
    r"|errors? and fix(?:es)?|depends on)"
    r"(?:\s+(?:and|&|with|to|of|in|for)?\s*(?:code|sections?|change[sd]?|modif(?:y|ied)|touched|edit(?:ed)?|read|created"
    r"|create|affected|list|summary|references?|commands?|files?|involved|run|used))*\W*",
    re.IGNORECASE,
)
"""Headings of lists of files, links and commands, which contain no statements that matter."""
_BASE, _BASE_OF_PROMPT = 0.2, 0.6
"""Importance without any of these words: of other statements, and of prompts."""
_MOST_CACHED: Final = 16_384
"""Statements whose answers are kept: all compactions of a session ask about the same ones."""


def rate_conclusion(text: str, heading: str = "") -> tuple[FactKind, float]:
    """The kind of a statement of the agent (an assumption, a caveat, a finding and so on), and its importance.

    The importance is higher, the more its words and the heading above it say that it matters; 0 for narration.
    """
    under_list_heading, under_important_heading = _heading(heading)
    cues = CueText(text)
    if under_list_heading or _is_narration(cues):
        return "conclusion", 0.0
    assumes, caveat, decision, is_open = _ASSUMPTION(cues), _CAVEAT(cues), _DECISION(cues), _OPEN(cues)
    refutes, rejects = _refutes(cues), _REJECTS(cues)
    weight = (
        _BASE
        + 0.6 * _MODAL(cues)
        + 0.3 * _CONTRAST(cues)
        + (0.9 if assumes or _NOT_CHECKABLE(cues) else 0.5 * caveat)
        + 0.8 * _STRONG_CAVEAT(cues)
        + 0.3 * _REASON(cues)
        + 0.6 * (decision or rejects)
        + 0.5 * is_open
        + 0.5 * _SEQUENCE(cues)
        + 0.3 * refutes
        + 0.2 * _FINDING(cues)
        + 0.2 * _is_emphasized(text)
        + 0.7 * under_important_heading
    )
    return _kind_of_conclusion(cues), weight * (0.6 if _PAST(cues) else 1.0)


@lru_cache(_MOST_CACHED)
def is_guess(text: str) -> bool:
    """Whether a statement only supposes something."""
    return _GUESS(CueText(text))


@lru_cache(_MOST_CACHED)
def tells_cause(text: str) -> bool:
    """Whether a statement says that the cause of a problem was found."""
    return _CAUSE(CueText(text))


def asks(text: str) -> bool:
    """Whether a statement is a question."""
    return "?" in text and _QUESTION_END.search(text) is not None


def importance_of_rule(text: str, heading: str = "") -> float:
    """The importance of a line of a plan, a task or a specification: that of a rule; 0 for the background."""
    under_list_heading, is_told = _heading(heading)
    cues = CueText(text)
    if under_list_heading or _SCENARIO.match(text) or _is_narration(cues):
        return 0.0
    if not is_told and (not _ORDERS(cues) or _BACKGROUND(cues)):
        return 0.0
    return _BASE + 0.9 * _HARD_RULE(cues) + 0.5 * _RULE(cues) + 0.9 * is_told + 0.2 * _is_emphasized(text)


def importance_of_prompt(text: str) -> float:
    """The importance of a prompt: rules matter more than requests, questions and orders for the moment less."""
    cues = CueText(text)
    weight = _BASE_OF_PROMPT + 0.6 * _HARD_RULE(cues) + 0.4 * _RULE(cues) + 0.4 * _PREFERENCE(cues)
    is_momentary = "?" in text or _QUESTION_START.match(text) or _MOMENTARY.search(text)
    return weight * (0.4 if is_momentary else 1.0) * (1.0 if _STANDING(cues) else _ONE_TURN_FACTOR)


def sets_rule(text: str) -> bool:
    """Whether a sentence of a prompt forbids something, or demands it always: `Never push`, not `they never answer`."""
    return _COMMAND.search(text) is not None and "?" not in text


def kind_of_prompt(text: str) -> FactKind:
    """Whether a prompt corrects, sets a rule or asks for something."""
    is_rule = _RULE_OF_PERSON(CueText(text))
    if is_correction(text) and (_OBJECTION.match(text) or not is_rule):
        return "correction"
    return "rule" if is_rule else "request"


def _refutes(cues: CueText) -> bool:
    return _REFUTES(cues) or _CAPITALS.search(cues.text) is not None


def _kind_of_conclusion(cues: CueText) -> FactKind:
    if asks(cues.text):
        return "question"
    if _OPTION.match(cues.text):
        return "conclusion"
    if "caveat" in cues.runs:
        return "caveat"
    tried: tuple[tuple[FactKind, Callable[[CueText], bool]], ...] = (
        ("assumption", _ASSUMPTION), ("rejected", _REJECTS), ("caveat", _CAVEAT), ("finding", _refutes),
        ("decision", _DECISION), ("open", _OPEN),
    )  # fmt: skip
    return next((kind for kind, cue_of_kind in tried if cue_of_kind(cues)), "conclusion")


@lru_cache(1024)
def _heading(text: str) -> tuple[bool, bool]:
    """Whether a heading is above a list of files, links or commands, and whether it is above what matters."""
    return _LIST_HEADING.fullmatch(text) is not None, _IMPORTANT_HEADING.search(text) is not None


def _is_narration(cues: CueText) -> bool:
    """Whether a text tells what the agent is about to do or has done, or is the order to write a summary."""
    if _NARRATION.match(cues.text) or _DONE.match(cues.text):
        return True
    lowered = cues.lowered
    return "text only" in lowered or "do not call any tools" in lowered or "entire response must be" in lowered


def _is_emphasized(text: str) -> bool:
    return "**" in text and _EMPHASIS.match(text) is not None
