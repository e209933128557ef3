"""All stories, in the order in which they are told."""

from __future__ import annotations

from . import (
    infra_ci,
    infra_headers,
    infra_state,
    oddities,
    shop_export,
    shop_limit,
    shop_release,
    shop_retry,
    shop_rounding,
    shop_uploads,
    site_cjk,
    site_cookies,
    site_first,
    site_search,
)
from .transcript import Files, StoryTeller

STORIES: tuple[StoryTeller, ...] = (
    shop_uploads.tell,
    shop_rounding.tell,
    shop_retry.tell,
    shop_limit.tell,
    shop_release.tell,
    shop_export.tell,
    site_cookies.tell,
    site_search.tell,
    site_cjk.tell,
    site_first.tell,
    infra_ci.tell,
    infra_state.tell,
    infra_headers.tell,
    oddities.tell,
)


def build() -> Files:
    """Return the content of every file by its path below `sample_sessions/`."""
    files: Files = {}
    for tell in STORIES:
        for name, text in tell().items():
            if name in files:
                raise ValueError(f"two stories write {name}")
            files[name] = text
    return files
