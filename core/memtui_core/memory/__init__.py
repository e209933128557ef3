"""What agents and people write down to be remembered (SPEC S3).

One append-only log, `observations.jsonl` in the data folder, is the truth; what makes it quick to search lies in the
folder `observations` beside it and can be made again.
"""

from memtui_core.memory.book import Observations
from memtui_core.memory.fallback import Recalled, recalled
from memtui_core.memory.finder import Answer, Finder, Found
from memtui_core.memory.health import health
from memtui_core.memory.summaries import SessionSummary, summary_of
from memtui_core.memory.timeline import Past, root_of, session_detail, timeline
from memtui_core.memory.values import TYPES, BadObservation, Content, Observation, ObservationUnknown

__all__ = [
    "TYPES",
    "Answer",
    "BadObservation",
    "Content",
    "Finder",
    "Found",
    "Observation",
    "ObservationUnknown",
    "Observations",
    "Past",
    "Recalled",
    "SessionSummary",
    "health",
    "recalled",
    "root_of",
    "session_detail",
    "summary_of",
    "timeline",
]
