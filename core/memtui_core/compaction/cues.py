"""The words and headings that tell how much a statement matters to whoever continues the work.

The patterns and weights were set on three compactions of real sessions and checked on three others, see bench/review.
"""

from __future__ import annotations

import re
from typing import Final

from memtui_core.compaction.model import FactKind
from memtui_core.compaction.phrases import is_correction

_HARD_RULE: Final = re.compile(
    r"\b(?:must(?: not|n['’]t)?|never|shall not|do not|don['’]t|exactly|unchanged)\b|^\W*no [a-z]+", re.IGNORECASE
)
_RULE: Final = re.compile(
    r"\b(?:must(?: not|n['’]t)?|never|shall(?: not)?|always|do not|don['’]t|only|exactly|required?|forbidden"
    r"|not allowed|preserve[sd]?|unchanged|without (?:changing|breaking)|keep (?:existing|the|current)|make sure|ensure"
    r"|avoid|prefer|no longer than|at most|at least|limit(?:ed)? to|should(?: not|n['’]t)?)\b"
    r"|^\W*no [a-z]+",
    re.IGNORECASE,
)
_MODAL: Final = re.compile(
    r"\b(?:must|shall|should|may not|do not|don['’]t|required|keep|preserve|avoid|ensure|make sure|prefer)\b"
    r"|^\W*no [a-z]+",
    re.IGNORECASE,
)
_ORDERS: Final = re.compile(
    r"\b(?:must|shall|should|may not|required)\b"
    r"|(?:^\W*|[.;:] )(?:please )?"
    r"(?:do not|don['’]t|keep|preserve|avoid|ensure|make sure|prefer|never|always|only|no)\b",
    re.IGNORECASE,
)
"""A sentence that orders; `pictures do not arrive` only tells."""
_TOLD: Final = re.compile(r"\b(?:was|were|had|been|has)\b", re.IGNORECASE)
"""The background of a task tells what is and was, its rules what shall be."""
_CAVEAT: Final = re.compile(
    r"\b(?:have(?:n['’]t| not) (?:been )?(?:verif|test|check|confirm|run)\w*|un(?:verified|tested|confirmed|resolved)"
    r"|not (?:yet )?(?:verified|tested|confirmed|covered|enforced|done)|caveat|risks?|trade-?offs?|pre-?existing"
    r"|known (?:issue|limitation|bug)|limitation|can(?:not|['’]t) be (?:observed|tested|verified|seen)"
    r"|could not (?:verify|test|reproduce)|assum(?:e|es|ed|ing|ption)\w*|silently|by coincidence|fragile"
    r"|breaks? (?:if|when|loudly|silently)|gap|might not|may not|untouched|out of scope"
    r"|worth (?:noting|flagging|knowing))\b",
    re.IGNORECASE,
)
_STRONG_CAVEAT: Final = re.compile(
    r"\b(?:I haven['’]t|haven['’]t (?:verified|tested|checked)|not empirically|caveat:|trade-?off|unverified"
    r"|(?:one|honest|only) caveat|can['’]t be (?:observed|verified|tested)|acceptance test)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"\b(?:because|so that|the reason|otherwise|that['’]s why|which is why|since (?:the|it|we|no|that)|hence|therefore"
    r"|due to)\b",
    re.IGNORECASE,
)
_CONTRAST: Final = re.compile(
    r"\bnot (?:a|an|the|because|by|in|just|only)\b|, not\b|\bnever\b|\bno \w+ or\b", re.IGNORECASE
)
_DECISION: Final = re.compile(
    r"\b(?:decided|decision|recommend(?:ed|ation|s)?|reject(?:ed|s)?|ruled out|disproved?|(?:was|were|is) wrong"
    r"|not worth|chose|went with|instead of|rather than|accepted|agreed|settled|option [a-d1-9]"
    r"|the right (?:fix|source|signal|place)|the real (?:fix|bug|cause|test|acceptance))\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:open question|follow-?ups?|todo|pending|remaining|still (?:open|missing|needs?|to do|unclear)"
    r"|not (?:yet )?(?:done|started|implemented|committed|merged|pushed)|needs? (?:to|a|an)|deferred|later"
    r"|before (?:merg|apply|releas|commit|deploy)\w+|blocked|depends on|ordering|sequence|first,? then|next step"
    r"|owner['’]s call|your call|up to you)\b",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(
    r"\b(?:(?:has|have|must|needs?) to (?:move|land|come|go|happen|be)|ordering|sequence (?:that|this|it)|prerequisite"
    r"|lands? (?:first|before|after)|task order|only (?:after|once|observable)|not before|until)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:root cause of|fixed (?:by|in)|then fixed|(?:recorded|documented|noted|updated|rewritten) (?:as|in|here)"
    r"|used to|(?:now )?leads with)\b",
    re.IGNORECASE,
)
"""What is over, or stands in a file."""
_FINDING: Final = re.compile(
    r"\b(?:turns? out|found (?:that|no|a|an|one|two|three)|root cause|the only|no [a-z]+ (?:exists?|defines?|has)"
    r"|there (?:is|are) no|does(?: not|n['’]t) (?:exist|work|support|have)|actually|in fact|already|definit\w+|proves?"
    r"|confirmed|verified)\b",
    re.IGNORECASE,
)
_EMPHASIS: Final = re.compile(r"^\W{0,4}\*\*[^*]{3,}\*\*")
_QUESTION: Final = re.compile(r"\?[\"'”’)*_\s]*$")
_WISH: Final = re.compile(
    r"\b(?:(?:we|it|you) (?:should|must|can|want|need)|I(?:['’]d)? (?:want|like|prefer)|enforce|follows?|like we do"
    r"|same as|no [a-z]+|for now|later on|from now on|in general|whatever|only|always|never)\b",
    re.IGNORECASE,
)
"""How a person says what holds beyond one answer."""
_OBJECTS: Final = re.compile(
    r"\W*(?:no[,.! ]|(?:nope|not (?:what|like|that|so)|wrong|stop|wait|actually|undo|revert|that['’]?s|this is|why"
    r"|you (?:forgot|missed|broke|keep|still)|i (?:said|asked|told|meant?))\b)",
    re.IGNORECASE,
)
"""How an objection begins; `Never do it` and `Do not do it` are rules."""
_ASKS: Final = re.compile(
    r"\W*(?:(?:ok(?:ay)?|good|great|thanks|and|but|so|hm+)\b\W*)*"
    r"(?:why|what|how|where|which|who|when|is|are|was|were|do|does|did|can|could|would|will|shall|find out"
    r"|check|look)\b",
    re.IGNORECASE,
)
"""How a question begins, which people often type without its sign."""
_MOMENTARY: Final = re.compile(
    r"\b(?:right now|i mean|be (?:more )?(?:concise|brief)|explain|list|tell me|show me|give me|i don['’]t understand"
    r"|research|analy[sz]e|look again"
    r"|what (?:would|is|are|do)|find a way|first|let['’]s (?:think|see|worry|look|find|check|focus)|let us"
    r"|continue|go on|go ahead|try again)\b",
    re.IGNORECASE,
)
"""Orders for one answer."""
_NARRATION: Final = re.compile(
    r"^\W*(?:(?:now|next|first|then|ok(?:ay)?|good|great|perfect|alright|done)?[,.!:]?\s*"
    r"(?:let me|i['’]ll|i will|i['’]m going to|i need to|let['’]s|i should|we need to|now i)\b"
    r"|want me to\b|shall i\b|say the word|ready to|run `?/|co-authored|created:|updated:|owner:)"
    r"|TEXT ONLY|Do NOT call any tools|entire response must be",
    re.IGNORECASE,
)
"""What the agent is about to do, offers, lines of trackers, and orders of the compaction itself."""
_DONE: Final = re.compile(
    r"^\W*(?:all (?:\w+ )?(?:done|pass)|done\b|committed (?:as|successfully)|(?:both|everything) (?:done|is)"
    r"|successfully|closed\b|\[x\])",
    re.IGNORECASE,
)
_TELLING_HEADING: Final = re.compile(
    r"constraint|requirement|edge.?case|success|acceptance|definition of done|done when|criteria|non-?goal|out of scope"
    r"|\brules?\b|must|limits?|security|privacy|invariant|behaviou?r|guarantee|caveat|risk|open|question|decision"
    r"|follow-?up|pending|remaining|not (?:done|included)|trade-?off|important|note|warning|before (?:merging|you)",
    re.IGNORECASE,
)
_OTHER_HEADING: Final = re.compile(
    r"output files|source references?|files?\b|children|blocks|parent|depends on|key technical|technical concepts"
    r"|errors? and fix|current work|all user messages|what changed|summary of changes|changes made|references?"
    r"|sources?$|test plan|commands?",
    re.IGNORECASE,
)
"""Headings of lists of files, links and commands."""
_BASE: Final = 0.2


def importance(text: str, heading: str = "") -> float:
    """How much the words of a statement and the heading above it say that it matters; 0 for narration."""
    if _NARRATION.search(text) or _DONE.search(text) or _OTHER_HEADING.search(heading):
        return 0.0
    weight = (
        _BASE
        + 0.6 * bool(_MODAL.search(text))
        + 0.3 * bool(_CONTRAST.search(text))
        + 0.9 * bool(_CAVEAT.search(text))
        + 0.8 * bool(_STRONG_CAVEAT.search(text))
        + 0.3 * bool(_REASON.search(text))
        + 0.6 * bool(_DECISION.search(text))
        + 0.5 * bool(_OPEN.search(text))
        + 0.5 * bool(_ORDER.search(text))
        + 0.2 * bool(_FINDING.search(text))
        + 0.2 * bool(_EMPHASIS.search(text))
        + 0.7 * bool(_TELLING_HEADING.search(heading))
    )
    return weight * (0.6 if _QUESTION.search(text) else 1.0) * (0.6 if _PAST.search(text) else 1.0)


def importance_of_rule(text: str, heading: str = "") -> float:
    """How much a line of a plan, a task or a specification matters: the rules, not the background."""
    if _NARRATION.search(text) or _DONE.search(text) or _OTHER_HEADING.search(heading):
        return 0.0
    is_told = bool(_TELLING_HEADING.search(heading))
    if not is_told and (not _ORDERS.search(text) or _TOLD.search(text)):
        return 0.0
    return (
        _BASE
        + 0.9 * bool(_HARD_RULE.search(text))
        + 0.5 * bool(_RULE.search(text))
        + 0.9 * is_told
        + 0.2 * bool(_EMPHASIS.search(text))
    )


def importance_of_prompt(text: str) -> float:
    """How much a prompt matters: rules more than requests; questions and orders for the moment less."""
    weight = (
        0.85 + 0.6 * bool(_HARD_RULE.search(text)) + 0.4 * bool(_RULE.search(text)) + 0.4 * bool(_WISH.search(text))
    )
    asks = "?" in text or _ASKS.match(text) or _MOMENTARY.search(text)
    return weight * (0.4 if asks else 1.0)


def kind_of_prompt(text: str) -> FactKind:
    """Whether a prompt corrects, sets a rule or asks for something."""
    if is_correction(text) and (_OBJECTS.match(text) or not _RULE.search(text)):
        return "correction"
    return "rule" if _RULE.search(text) else "request"


def kind_of_conclusion(text: str) -> FactKind:
    """Whether a statement of the agent is a caveat, a decision, an open item or another conclusion."""
    if _CAVEAT.search(text):
        return "caveat"
    if _DECISION.search(text):
        return "decision"
    return "open" if _OPEN.search(text) else "conclusion"
