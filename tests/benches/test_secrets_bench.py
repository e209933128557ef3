"""What the redaction finds among invented texts, counted; docs/privacy.md and docs/secrets.md quote the figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.secrets import develop, held_out
from bench.secrets.invented import samples
from bench.secrets.measure import COUNT, Replacement, figures, replacements
from memtui_core.text.redaction import redact

ALL = (*develop.SECRETS, *develop.ORDINARY, *held_out.SECRETS, *held_out.ORDINARY)


def dumped(value: object) -> str:
    """JSON as agents write it, and as memtui stores it: without escapes for letters."""
    return json.dumps(value, ensure_ascii=False)


def test_the_figures_that_the_documents_quote() -> None:
    by_set = {name: figures(one.SECRETS, one.ORDINARY) for name, one in (("develop", develop), ("held out", held_out))}
    counted = {name: (one.replaced, one.secrets, len(one.damaged), one.ordinary) for name, one in by_set.items()}
    assert counted == {"develop": (197, 200, 0, 200), "held out": (185, 200, 1, 200)}
    text = Path(__file__).parents[2].joinpath("docs", "secrets.md").read_text("utf-8")
    for quoted in ("197 of 200", "185 of 200", "none of 200", "one of 200"):
        assert quoted in text


def test_the_sets_have_no_template_in_common_and_enough_texts() -> None:
    assert not {*develop.SECRETS, *develop.ORDINARY} & {*held_out.SECRETS, *held_out.ORDINARY}
    for templates in (develop.SECRETS, develop.ORDINARY, held_out.SECRETS, held_out.ORDINARY):
        assert len(set(templates)) == len(templates) > 100
        assert len({sample.text for sample in samples(templates, COUNT, 1)}) == COUNT


def test_texts_stay_valid_json_and_are_redacted_once() -> None:
    """Each text as it is, as a string of JSON, and as JSON within JSON, as tools get it."""
    for sample in samples(ALL, 2 * len(ALL), 3):
        for text in (sample.text, dumped({"x": sample.text}), dumped(dumped([sample.text]))):
            once = redact(text)
            assert redact(once) == once
            if text != sample.text:
                json.loads(once)
        # In JSON the same is found: only what has a line break is cut in another place.
        if "\n" not in sample.text and "\\" not in sample.text and '"' not in sample.text:
            assert json.loads(redact(dumped(sample.text))) == redact(sample.text), sample.template


def test_the_replacements_in_transcripts_are_listed_with_what_is_around(tmp_path: Path) -> None:
    secret = "kx82" + "jdkq"
    entry = {"text": f"a password: {secret} here", "again": [f"PGPASSWORD={secret}"]}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(entry)}\n{json.dumps(entry)}\nno JSON\n")
    assert list(replacements(tmp_path)) == [
        Replacement("password", "a password: ", secret, " here"),
        Replacement("password", "PGPASSWORD=", secret, ""),
    ]


@pytest.mark.parametrize("name", ["develop.py", "held_out.py", "invented.py"])
def test_no_file_of_the_bench_contains_what_looks_like_a_secret(name: str) -> None:
    text = Path(develop.__file__).with_name(name).read_text("utf-8")
    kinds = set(redact(text).split("[redacted:")[1:]) - set(text.split("[redacted:")[1:])
    tokens = [kind for kind in kinds if not kind.startswith(("password]", "secret]", "basic-login]"))]
    assert tokens == []
