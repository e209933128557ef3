"""The transcript of a session: the widget, and the objects that it is composed of."""

from __future__ import annotations

from memtui.widgets.transcript.widget import TranscriptPane

__all__ = ["TranscriptPane"]
