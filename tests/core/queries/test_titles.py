"""Titles of sessions that begin with the same text."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.memory.summaries import summary_of
from memtui_core.text.names import MIN_SHARED, SKIPPED, telling_titles, without_markup
from support.indexes import build, update
from support.transcripts import Script

ROLE = "As a reviewer of the changes of others look at each of them with care.\n"
RULES = "".join(f"- Rule {number}: say what the change breaks, if it breaks anything.\n" for number in range(9))
WORDS = st.text(st.sampled_from("abcdefghij"), min_size=1, max_size=12)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=9).map(" ".join), max_size=12).map("\n".join)
PROMPTS = st.lists(st.tuples(st.sampled_from(["", ROLE, RULES, ROLE + RULES]), LINES).map("".join), max_size=8)


def titles(index: Index) -> dict[str, str]:
    """The title of each session by the beginning of its id."""
    return {session.session_id[:4]: session.title for session in index.sessions.all()}


def write(folder: Path, number: int, prompt: str, cwd: str = "/home/ana/code/shop") -> None:
    """A transcript with one prompt."""
    script = Script(f"{number:04}1111-1111-4111-8111-111111111111", cwd, prefix=f"{number}e")
    script.count = number * 100
    script.user(prompt)
    script.says("Done.")
    script.write(folder)


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        pytest.param([ROLE + "Fix a cart", ROLE + "Drop a cache"], ["… Fix a cart", "… Drop a cache"], id="lines"),
        pytest.param(["Fix the cart", "Fix the cache"], [None, None], id="a short beginning stays"),
        pytest.param([ROLE + "Fix it", ROLE + "Fix it"], [None, None], id="one prompt has nothing of its own"),
        pytest.param([ROLE, ROLE + "Fix it"], [None, "… Fix it"], id="nothing after what is shared"),
        pytest.param(
            [ROLE + RULES + f"Verdict: {verdict}\nSummary of it: {summary}\nDiff:" for verdict, summary in
             (("good", "add a cart"), ("good", "drop a cache"), ("good", "add a cart"), ("bad", "rename all"))],
            ["… add a cart", "… drop a cache", "… add a cart", "… bad · rename all"],
            id="values, not their names",
        ),
        pytest.param(
            [ROLE.strip() + " " + "Mind the rules. " * 9 + f"Review PR {number} for bugs" for number in (11, 12)],
            ["… Review PR 11 for bugs", "… Review PR 12 for bugs"],
            id="a sentence in a long line",
        ),
        pytest.param(
            [ROLE + f"Please look for mistakes in the file src/{name}.py" for name in ("a", "b")],
            ["… Please look for … src/a.py", "… Please look for … src/b.py"],
            id="a word far from the beginning of its sentence",
        ),
        pytest.param(
            [ROLE + rules + end for rules in (RULES, RULES.upper()) for end in ("Fix it", "Drop it")],
            ["… Fix it", "… Drop it", "… Fix it", "… Drop it"],
            id="two kinds of instructions after one beginning",
        ),
        pytest.param(
            [ROLE + "Fix it\n" + RULES + "Be quick", ROLE + "Drop it\n" + RULES + "Be slow"],
            ["… Fix it · Be quick", "… Drop it · Be slow"],
            id="skipped between lines",
        ),
        pytest.param(
            [ROLE + "Fix it\nand test it", ROLE + "Drop it\nand say so"],
            ["… Fix it and test it", "… Drop it and say so"],
            id="lines that follow each other",
        ),
    ],
)  # fmt: skip
def test_what_differs(prompts: list[str], expected: list[str | None]) -> None:
    """The title begins with the sentence or value that differs; of a long one the middle is left out."""
    assert telling_titles(prompts) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("You are a reviewer. Look for mistakes in the cart.", "… Look for mistakes in the cart."),
        ('You\'re on team "shop". Your name is "ana".\n\nFix the cart', "… Fix the cart"),
        ("You are a tester of the shop.\nYour task is to test the cart.\n- quickly", "… test the cart. - quickly"),
        ("You are a tester. Your task is #2: Test the cart", "… #2: Test the cart"),
        ("You are right", None),
        ("You are a reviewer. Go", None),
        ("You are a reviewer", None),
        ("Are you a reviewer? You are fast. Fix the cart", None),
    ],
)
def test_a_prompt_loses_the_role_of_the_agent(prompt: str, expected: str | None) -> None:
    """Also the only one that begins so, unless too little is left."""
    assert telling_titles([prompt, "Drop the cache"]) == [expected, None]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("explain [the page](https://shop.example/a) and ![it](b.png)", "explain the page and it"),
        (
            "summarize [https://shop.example/issues/577](https://shop.example/iss…",
            "summarize https://shop.example/issues/577",
        ),
        ("run `git status` and ``go``, then **stop** *here*", "run git status and go, then stop here"),
        ("… ## **Fix `a.py`**: see <https://shop.example>", "… Fix a.py: see https://shop.example"),
        ("> - quoted", "quoted"),
        ("/orchestrator create `app.py` by __init__", "/orchestrator create app.py by __init__"),
        ("2 * 3 * 4, a[0](b, C# > D, #219 and `` ` ``", "2 * 3 * 4, a[0](b, C# > D, #219 and `"),
        ("- ", "- "),
    ],
)
def test_titles_have_no_markup(title: str, expected: str) -> None:
    assert without_markup(title) == expected


def test_the_title_of_a_session_has_neither_role_nor_markup_and_one_of_the_user_is_as_it_is(tmp_path: Path) -> None:
    write(
        tmp_path / "sessions",
        1,
        "You are a tester of all the shops in the world. Run `pytest` in [it](https://a.example)",
    )
    write(tmp_path / "sessions", 2, "/fix the `cart`")
    index = build(tmp_path / "data", tmp_path / "sessions")
    [named] = [session.key for session in index.sessions.all() if session.session_id.startswith("0002")]
    assert titles(index) == {"0001": "… Run pytest in it", "0002": "/fix the cart"}
    index.annotations.rename(named, "**Mine**")
    assert titles(index) == {"0001": "… Run pytest in it", "0002": "**Mine**"}


@given(PROMPTS, st.randoms(use_true_random=False))
def test_each_prompt_keeps_its_title_in_any_order(prompts: list[str], order: random.Random) -> None:
    """Titles depend on the prompts, not on their order; each is one line that says that something is skipped."""
    by_prompt = dict(zip(prompts, telling_titles(prompts), strict=True))
    shuffled = [*prompts, *prompts[:1]]
    order.shuffle(shuffled)
    assert telling_titles(shuffled) == [by_prompt[prompt] for prompt in shuffled]
    for title in by_prompt.values():
        assert title is None or (title.startswith(SKIPPED) and len(title) <= 100 and title == " ".join(title.split()))


@given(st.lists(st.text(max_size=MIN_SHARED - 1), unique_by=lambda text: " ".join(text.split())))
def test_short_prompts_keep_their_titles(prompts: list[str]) -> None:
    """What is too short to share a long beginning is not changed."""
    assert telling_titles(prompts) == [None] * len(prompts)


@given(st.lists(st.from_regex("[a-z]{3,20}", fullmatch=True), min_size=2, unique_by=lambda word: word[0]))
def test_the_end_is_the_title(ends: list[str]) -> None:
    """After the same instructions, an end of its own is the whole title."""
    assert telling_titles([ROLE + RULES + end for end in ends]) == [SKIPPED + end for end in ends]


def test_titles_in_every_list(tmp_path: Path) -> None:
    """Sessions, hits and touches have the same title; a title of the agent, and one of another project, stay."""
    folder = tmp_path / "sessions"
    write(folder, 1, ROLE + "Fix the cart in @src/cart.py")
    write(folder, 2, ROLE + "Drop the cache")
    write(folder, 3, ROLE + "Fix the cart", cwd="/home/ana/code/other")
    write(folder, 4, ROLE + "Named")
    with (folder / "00041111-1111-4111-8111-111111111111.jsonl").open("a") as file:
        file.write(
            json.dumps(
                {"type": "custom-title", "customTitle": ROLE, "sessionId": "00041111-1111-4111-8111-111111111111"}
            )
        )
        file.write("\n")
    index = build(tmp_path / "data", folder)
    assert titles(index) == {
        "0001": "… Fix the cart in @src/cart.py",
        "0002": "… Drop the cache",
        "0003": f"{ROLE}Fix the cart".replace("\n", " "),
        "0004": ROLE.strip(),
    }
    [session] = [session for session in index.sessions.all() if session.session_id.startswith("0002")]
    assert index.sessions.get(session.key).title == "… Drop the cache"
    [hit] = index.search("cache").hits
    assert (hit.title, hit.why) == ("… Drop the cache", ("words: cache",))
    assert [hit.why for hit in index.search("in:title reviewer session:0002").hits] == [("title: reviewer",)]
    [touch] = index.files.touches("src/cart.py").rows
    assert touch.title == "… Fix the cart in @src/cart.py"


def test_summaries_say_what_differs_too(tmp_path: Path) -> None:
    """As the title, but longer; a request that is not the first one, and one that has no like, are as they are."""
    details = "".join(f"Detail {number} of this cart. " for number in range(20))
    write(tmp_path / "sessions", 1, f"{ROLE}{RULES}Fix the cart. {details}")
    write(tmp_path / "sessions", 2, ROLE + RULES + "Drop the cache")
    write(tmp_path / "sessions", 3, ROLE + "Fix the cart", cwd="/home/ana/code/other")
    again = Script("00041111-1111-4111-8111-111111111111", prefix="4e")
    again.count = 400
    for request in ("Add a test", "And run it"):
        again.user(ROLE + RULES + request)
        again.says("Done.")
    again.write(tmp_path / "sessions")
    index = build(tmp_path / "data", tmp_path / "sessions")
    summaries = {
        session.session_id[:4]: summary.text
        for session in index.sessions.all()
        if (summary := summary_of(index.snapshot, session.key, session.session_id)) is not None
    }
    done = "Answered last: Done."
    whole = (ROLE + RULES).replace("\n", " ")
    assert summaries == {
        "0001": f"Asked: {f'… Fix the cart. {details}'[:299]}…\n{done}",
        "0002": f"Asked: … Drop the cache\n{done}",
        "0003": f"Asked: {ROLE.strip()} Fix the cart\n{done}",
        "0004": f"Asked: … Add a test\nAsked last, of 2 times: {whole[:299]}…\n{done}",
    }
    assert titles(index)["0001"] == f"{f'… Fix the cart. {details}'[:99]}…"


def test_a_new_session_changes_the_titles_of_its_like(tmp_path: Path) -> None:
    """A title is whole until there is another session that begins so."""
    write(tmp_path / "sessions", 1, ROLE + "Fix the cart")
    index = build(tmp_path / "data", tmp_path / "sessions")
    assert titles(index) == {"0001": f"{ROLE}Fix the cart".replace("\n", " ")}
    write(tmp_path / "sessions", 2, ROLE + "Drop the cache")
    update(tmp_path / "data", tmp_path / "sessions")
    assert index.refresh()
    assert titles(index) == {"0001": "… Fix the cart", "0002": "… Drop the cache"}


def test_names_that_were_read_before_a_session_was_added_are_read_again(tmp_path: Path) -> None:
    """Tables in memory get sessions while they are read: the names that a thread has kept may lack one."""
    script = Script()
    script.user("Water the greenhouse")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    expected = index.sessions.all()
    stale = build(tmp_path / "data", tmp_path / "src")
    for name in ("titles", "project names"):
        stale.snapshot.cached(name, dict)
    assert stale.sessions.all() == expected
