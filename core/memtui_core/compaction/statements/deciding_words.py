"""The words by which a sentence of a prompt chooses a thing, or excludes it; docs/decisions.md says how often they do.

Each is narrow on purpose: what is missed can still be found by its words, and what is quoted wrongly is a false claim.
"""

from __future__ import annotations

import re
from typing import Final


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_START: Final = (
    r"^\W*(?:(?:ok(?:ay)?|alright|right|yes|yeah|yep|no|nope|nah|wait|hm+|ah|oh|so|and|but|then|also|please|actually"
    r"|well|btw|sorry|just|for now|i think|i['’]d say|remember that|let['’]?s|let us)\b[,.:;!…\s–—-]*)*"
)
"""What may stand before the verb of an order."""
_SHALL: Final = (
    r"(?:(?:we|you|it|i)?\s?(?:can|should|will|['’]ll|must|needs? to|have to|want to|would rather)\s+)?(?:just |only )?"
)
_VERB: Final = (
    rf"{_SHALL}(?:add|build|call|change|choose|compute|create|delete|do|drop|get|go|have|implement|import|inline|keep|make|merge"
    r"|mount|move|name|pass|pick|pin|put|read|remove|rename|render|replace|return|run|search|send|set|show|specify|start"
    r"|stay|stick|store|support|switch|take|target|throw|update|use|using|vectorize|write)\b"
)
_PUT: Final = rf"{_SHALL}(?:delete|do|keep|pick|put|remove|run|use)\b"
_RATHER: Final = r"\b(?:instead of|rather than)\b"
_NOT: Final = r"(?:do not|don['’]?t|never)"
_WILL_NOT: Final = (
    r"\b(?:we|i)(?: explicitly| really| definitely| also)?"
    r" (?:will not|won['’]t|do not|don['’]?t|never|should(?: not|n['’]t))"
)
_NO: Final = (
    r"no (?!(?:idea|luck|rush|hurry|wonder|doubt|clue|way|such|matter|problem\w*|worr\w+|thanks|need|one|more|longer"
    r"|reason|response|effect|difference|real|changes?|errors?|output|logs?|results?"
    r"|i|we|you|he|she|they|it|this|that|the|there|my|your|our|its|of|in|on"
    r"|is|did|do|don|go|let|stop|just|can|should|not|still|only|please|remember"
    r"|but|what|why|how|if|because|since|dude|lol)\b|i['’])[\w./-]+(?: [\w./-]+){0,3}"
)
"""`no` with what shall not be; not `no problem`, `no errors`, `no, the list`."""
CHOOSES: Final = _any(
    # An order, or a wish, with what it is not.
    rf"{_START}{_VERB}.{{2,160}}{_RATHER}",
    rf"\blet['’]?s (?!see|look|think|try)\w+ .{{2,160}}{_RATHER}",
    rf"{_START}(?:instead of|rather than)\b[^,]{{2,100}},\s+let['’]?s (?!see|look|think|try)\w",
    rf"{_START}(?:in|for) [^,]{{2,80}},\s+(?:please |let['’]?s )?{_VERB}.{{2,160}}{_RATHER}",
    rf"{_START}(?:instead of|rather than)\b[^,]{{2,100}},\s+(?:please )?{_VERB}",
    rf"{_START}{_VERB}[^,]{{2,80}}\binstead\W*$",
    rf"{_START}{_PUT}[^,]{{2,80}},\s*(?:not|don['’]t)\s+\w",
    r"^\W*no[,.]\s+.{2,80}\binstead\W*$",
    r"^[^,]{2,80}\b(?:should|must) (?!not\b|be (?:able|possible)\b)[^,]{2,80},"
    r"\s*not (?:in|at|on|by|with|as|a|an|the|just|every)\b",
    r"^[^,]{2,80}\bshould (?:be|stay|live|run|happen)\b[^,]{2,60}\bonly\W*$",
    # An agreement.
    r"\blet['’]?s (?!keep (?:\w+ ){0,3}in mind\b)\w.{2,80}\b(?:for now|later(?: on)?)\W*$",
    r"\blet['’]?s (?:just |rather |instead |simply |all )?"
    r"(?:use(?! another\b)|go (?:ahead )?(?:with|for)|do (?:(?:option|approach) (?:[A-D]|\d)|[B-D]|\d)\b"
    r"|stick (?:to|with)|stay (?:with|on)|keep (?!going|track|(?:\w+ ){0,3}in mind\b|an eye|working|moving)"
    r"|switch to|replace|drop|skip|get rid of|disable|not)\b(?! (?:get|jump|rush|forget|waste|worry)\b)",
    r"\b(?:we|i)(?:['’]ve| have| had|['’]ll| will)?(?: already| just)? (?:decided|settled on|agreed (?:on|to)|chose"
    r"|opted for|went with|go with|going with|standardi[sz]ed? on)\b"
    r"(?! (?:(?:on |to )?(?:nothing|anything|none|disagree|wait)\b|to (?:keep|go|carry|move) (?:\w+ing|on)\b))",
    r"\bi(?:['’]d| would)?(?: much| really| actually)? (?:prefer\b(?! to wait\b)|rather (?!see|wait)\w+)",
    r"\bi(?:['’]d| would)? only want\b",
    r"(?<!nothing )\b(?:is|are|was) (?:already )?(?:settled|decided)\b"
    r"(?! (?:by (?!me\b|us\b)|in (?:an?|the)\b|at|from|per|when|how|what|which))",
)
EXCLUDES: Final = _any(
    rf"(?:{_START}|[,;:]\s*|\b(?:and|but|so)\s+){_NOT}(?: ever)? (?:use(?! up\b)|add|introduce|install|import|implement"
    r"|support|depend on|rely on|hard-?code|mock|vendor|bother (?:with|about|to|\w+ing))\b",
    rf"{_START}{_NOT}\s+\w.{{2,80}}\b(?:for now|yet|any ?more|at this (?:stage|point))\W*$",
    rf"{_WILL_NOT} want (?!(?:it|that|this|them|you)\b|to (?:see|know|hear|break|lose|be|overthink)"
    r"|(?:an?|any|more)? ?(?:surprise|trouble|risk))",
    # What the user does not use is no decision of the project: `I never use the terminal`.
    rf"(?!\bi (?:\w+ )?(?:never|do not|don['’]?t) use\b){_WILL_NOT}"
    r" (?:use(?! up\b)|hard-?code|support|need (?:an?|the|any|to (?:use|support))|like (?:the|this|that))\b",
    r"^\W*(?:[\w'’]+\W+){1,6}(?:(?:must|should|shall|may) (?:never|not ever)|must(?: not|n['’]t))\b",
    rf"^\W*{_NO}!+$",
    rf"^.{{2,80}}?[,;]\s*{_NO}\W*$",
    r"(?:^\W*|[,;]\s*)no need (?:for|to have) (?:a |an |the |any )?\w",
    rf"{_START}(?:stop|quit|avoid) (?:using|adding|mocking|relying)\b",
)
DECIDES_NOT: Final = _any(
    # A question without its mark, or a condition.
    r"^\W*(?:(?:ok(?:ay)?|and|but|so|hm+|wait)\b\W*)*(?:why|what|how|where|which|who|when|is|are|was|were|does|did|could"
    r"|would|will|shall|should (?:we|i|it)|can|do (?:we|you|i)|are we|if|whether|unless)\b",
    r"\b(?:why don['’]t|what['’]s|what if|how about|what about|whether|can(?:['’]t)? we|if (?:i|you|we))\b",
    # What is supposed, reported, or an example.
    r"\b(?:not sure|i wonder|maybe|perhaps|wondering|i guess|might|seems?|it says|says that|used to|supposed to"
    r"|would have|for example|e\.g\.|(?:error|message|warning|linter|log|docs?|documentation|readme) says"
    r"|(?:said|say|told|wrote)\b[^\"“?!.]{0,20}[\"“]"
    r"|(?:when(?:ever)?|once|after|while) (?:we|i|you) (?:go|went|going|do not|don['’]?t|never|use)\b)",
    # A quote of three words or more, a heading, a line of code or of a log.
    r"^\s*(?:[\"“][^\"”\s]+\s+[^\"”\s]+\s+[^\"”]|[>|#$]|\d+\s|[-+]{2,}|at \w|error\b|warning\b|\[)",
)
"""Found in a sentence that decides nothing, though it has such words."""
MAY_DECIDE: Final = _any(
    r"instead|rather|\bnot?\b|n['’]?t\b|let['’]?s\b|never|prefer|decid|settled|agreed|chose|opted|only want",
    r"(?:went|go(?:ing)?) with|standardi|avoid|stop|quit",
)
"""Found in each text with a sentence that decides: most prompts have none of these words."""
