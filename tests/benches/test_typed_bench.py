"""What stands on the screen while the time of an answer is taken."""

from __future__ import annotations

import pytest

pytest.importorskip("fcntl", reason="the app is measured in a terminal of Unix")

from bench.typed import Drawn

BLANK = " " * 20


def test_each_text_is_drawn_at_its_place() -> None:
    drawn = Drawn((BLANK,) * 3).after(b"lost\x1b[1;3H\x1b[1mone two\x1b[0m\x1b[3;1H\xe2\x97\x8f row\n\x1b[1;7Hsix\x1b[")
    assert drawn.lines == ("  one six".ljust(20), BLANK, "● row".ljust(20))


def test_an_answer_is_what_is_said_of_it_and_the_list_beside_the_transcript() -> None:
    empty = Drawn((BLANK,) * 4)
    answer = empty.after(b"\x1b[2;1H/up  30+ hits \xc2\xb7 8 ms\x1b[3;2Hrow\x1b[3;10Hturn\x1b[4;1Hup to date")
    assert answer.answer == ("30+ hits · 8 ms", " row     ")
    assert answer.after(b"\x1b[2;3Hpl\x1b[3;10Hanother\x1b[4;1Hchecked").answer == answer.answer
    assert answer.after(b"\x1b[2;17H9").answer == ("30+ hits · 9 ms", " row     ")
    assert answer.after(b"\x1b[3;2Hnew").answer == ("30+ hits · 8 ms", " new     ")
    assert empty.answer == (BLANK[:9],)
