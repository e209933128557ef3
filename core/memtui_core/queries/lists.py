"""What lies across all sessions: compactions, pull requests, and who touched a file."""

from __future__ import annotations

from memtui_core.model import FileTouch
from memtui_core.queries.rows import CompactionRow, FileRow, PrRow
from memtui_core.queries.transcripts import safe, touch_rows, with_zone
from memtui_core.store.reader import Snapshot

_TITLE = "CASE WHEN s.title = '' THEN '(no prompt)' ELSE s.title END"
_SEGMENT = "FROM turns b WHERE b.session = c.session AND b.source = c.source AND b.segment = c.segment - 1"
_NO_REVIEWS = "(SELECT 0 AS source, 0 AS line, 0.0 AS weight_kept, 0.0 AS weight_total LIMIT 0)"
_HAS_WORD = " AND contains(lower(concat_ws(' ', s.title, s.project, c.trigger, t.user_text)), ?)"


def compactions(snapshot: Snapshot, pattern: str = "") -> list[CompactionRow]:
    """Every compaction, the newest first; with a pattern those whose title, project, trigger or summary has its words.

    Capitals count as small letters; every word must be there, in whatever place.
    """
    words = pattern.split()
    # An index that an older memtui wrote has no reviews.
    reviews = "compaction_reviews" if snapshot.version > 3 else _NO_REVIEWS
    rows = snapshot.rows(
        f"SELECT c.session, min(t.number), {_TITLE}, s.project, c.at_time, c.trigger, c.tokens_before,"
        f" (SELECT count(*) {_SEGMENT}), (SELECT epoch(max(b.ended_at) - min(b.started_at)) {_SEGMENT}),"
        f" coalesce(max(length(t.user_text)), 0), max(r.weight_total) IS NOT NULL,"
        " max(r.weight_kept) / nullif(max(r.weight_total), 0)"
        " FROM compactions c JOIN sessions s ON s.key = c.session LEFT JOIN turns t"
        " ON t.session = c.session AND t.source = c.source AND t.segment = c.segment AND t.kind = 'compaction'"
        f" LEFT JOIN {reviews} r ON r.source = c.source AND r.line = c.line"
        f" WHERE NOT s.hidden{_HAS_WORD * len(words)}"
        " GROUP BY c.session, c.source, c.line, c.segment, s.title, s.project, c.at_time, c.trigger, c.tokens_before"
        " ORDER BY credible(c.at_time) DESC NULLS LAST, c.session, c.line DESC",
        [word.lower() for word in words],
    )
    return [CompactionRow(*safe(with_zone(row, 4), titles=(2,), labels=(3, 5))) for row in rows]


def pull_requests(snapshot: Snapshot) -> list[PrRow]:
    """Every pull request with its sessions, the one last worked on first."""
    rows = snapshot.rows(
        "SELECT p.number, p.url, p.repository, p.session,"
        f" (SELECT max(t.number) FROM turns t WHERE t.session = p.session AND t.line <= p.line), {_TITLE}, s.project,"
        " p.at_time FROM pr_links p JOIN sessions s ON s.key = p.session WHERE NOT s.hidden"
        " ORDER BY max(credible(p.at_time)) OVER (PARTITION BY p.url) DESC NULLS LAST, p.url,"
        " credible(p.at_time) DESC NULLS LAST, p.session"
    )
    return [PrRow(*safe(with_zone(row, 7), titles=(5,), labels=(1, 2, 6))) for row in rows]


def timeline(snapshot: Snapshot, file: FileRow) -> list[FileTouch]:
    """The turns of all sessions that touched a file, the newest first; edits before reads before mentions of a turn."""
    return touch_rows(
        snapshot,
        "m.path = ? AND s.root = ? AND s.project = ?",
        [file.path, file.root, file.project],
        "credible(t.started_at) DESC NULLS LAST, t.id DESC, m.kind, m.tool",
    )
