"""The hyperlinks that memtui makes: each leads where its text says."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from memtui.render.links import LINK, addresses, file_link, is_address
from memtui.render.markdown.blocks import markdown_rows
from memtui.render.rows import Line, Row, row, wrap
from memtui.render.tools.calls import rendered_calls
from memtui.render.tools.headings import heading
from memtui.views.pull_requests.pr_list import PrList
from memtui_core.model import Block
from support.indexes import update
from support.screens import app_on, settled, transcript
from support.systems import unix_only
from support.transcripts import SESSION, Script


def linked(text: str) -> list[str]:
    """The addresses in a text; each is the target of its link."""
    found = addresses(text)
    assert all(style == LINK + text[start:end] for start, end, style in found)
    return [text[start:end] for start, end, _ in found]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        (
            "see https://e.example/a_(b)?c=1#d, or http://f.example.",
            ["https://e.example/a_(b)?c=1#d", "http://f.example"],
        ),
        ("(https://e.example:8080/x)", ["https://e.example:8080/x"]),
        ('"https://e.example/x"; <https://f.example/>', ["https://e.example/x", "https://f.example/"]),
        ("file:///etc/passwd javascript://x ftp://e.example ssh://e.example", []),
        ("https://bank.example@evil.example/ https://a:b@evil.example", []),
        ("https://bänk.example/ https://e.example/ä https://e.example/cut…", []),
        ("https:// https://?x https:///x", []),
        ("https://e.example/" + "x" * 2000, []),
    ],
)
def test_only_whole_addresses_of_the_web_are_links(text: str, targets: list[str]) -> None:
    assert linked(text) == targets
    assert is_address(text) is False
    assert all(map(is_address, targets))


def spans(lines: list[Line]) -> list[tuple[str, str]]:
    """The texts with a link, and the target of each."""
    return [(text, style.partition(LINK)[2]) for line in lines for text, style in line.spans if LINK in style]


def test_an_address_leads_to_its_target_on_every_line_over_which_it_is_wrapped() -> None:
    address = "https://e.example/a-long-path/to-it"
    assert spans(wrap([row(f"see {address}.")], 20)) == [
        ("https://e.example/a-", address),
        ("long-path/to-it", address),
    ]
    assert spans(wrap([Row(((address, ""),), wrap="none")], 20)) == []


def test_the_text_of_a_link_in_markdown_is_no_link_but_its_target_is() -> None:
    source = "[https://bank.example/](https://evil.example/) and [here](https://e.example/) and <https://f.example/>"
    rows = markdown_rows(source, 200)
    assert rows[0].text == (
        "https://bank.example/ (https://evil.example/) and here (https://e.example/) and https://f.example/"
    )
    assert [target for _, target in spans(wrap(rows, 200))] == [
        "https://bank.example/", "https://evil.example/", "https://e.example/", "https://f.example/",
    ]  # fmt: skip


@unix_only
def test_a_file_is_linked_if_it_exists(tmp_path: Path) -> None:
    (tmp_path / "a b;ü.py").write_text("")
    target = f"{LINK}file://{socket.gethostname()}{tmp_path}/a%20b%3B%C3%BC.py"
    assert file_link("a b;ü.py", str(tmp_path)) == file_link(f"{tmp_path}/a b;ü.py", "") == target
    for path, root in (
        ("gone.py", str(tmp_path)),
        ("", str(tmp_path)),
        ("a b;ü.py", ""),
        (f"/{tmp_path}/a b;ü.py", ""),
    ):
        assert file_link(path, root) == ""
    assert file_link("a\x00b", str(tmp_path)) == file_link(str(tmp_path), "") == ""
    assert file_link("a" * 300, str(tmp_path)) == file_link("\ud800", str(tmp_path)) == ""
    block = Block(1, 1, "tool_call", json.dumps({"file_path": f"{tmp_path}/a b;ü.py"}), "Read", "t1")
    (call,) = rendered_calls([block], str(tmp_path)).values()
    assert [span for span in heading(call, 60) if span[1].startswith(LINK)] == [("a b;ü.py", target)]


async def test_a_link_gets_to_the_terminal_with_its_colours(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        painter = transcript(pilot).painter
        target = "https://e.example/x"
        plain, link = painter.style("added"), painter.style(f"added {LINK}{target}")
        assert (link.link, link.color, plain.link) == (target, plain.color, None)
        marked = painter.style(f"added {LINK}{target} selected")
        assert (marked.link, marked.bgcolor) == (target, painter.style("selected").bgcolor)


async def test_a_pull_request_is_linked_if_its_address_is_the_one_that_its_name_stands_for(tmp_path: Path) -> None:
    script = Script()
    script.user("Open them")
    link = {"type": "pr-link", "sessionId": SESSION, "timestamp": "2026-11-01T10:00:00Z"}
    honest, other = "https://github.com/ana/shop/pull/7", "https://evil.example/ana/shop/pull/8"
    for number, url in ((7, honest), (8, other)):
        script.raw({**link, "prNumber": number, "prUrl": url, "prRepository": "ana/shop"})
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("4")
        await settled(pilot)
        rows = pilot.app.screen.query_one(PrList)
        lines = [rows.render_line(y) for y in range(rows.size.height)]
        segments = [segment for line in lines for segment in line]
        links = {segment.text: segment.style.link for segment in segments if segment.style and segment.style.link}
        assert links == {"#7": honest, "ana/shop": honest}
        assert any("#8  ana/shop" in line.text for line in lines)
