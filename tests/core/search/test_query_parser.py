from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.search.filters.registry import filters_by_name
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon.query import Query


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("C++", ("C++",)),
        ("what did we decide?", ("what", "did", "we", "decide?")),
        ("it's", ("it's",)),
        ("open-mem", ("open-mem",)),
        ("AND", ("AND",)),
        ('"', ('"',)),
        ("*", ("*",)),
        ("--include-file", ("--include-file",)),
        ("-", ("-",)),
        ("--", ("--",)),
        ("foo:bar", ("foo:bar",)),
        ("https://x", ("https://x",)),
        ("file://x", ("file://x",)),
        ("file:", ("file:",)),
        ('"never closed', ('"never', "closed")),
        ('5" screen', ('5"', "screen")),
        ('file:"never closed', ('file:"never', "closed")),
    ],
)
def test_what_is_no_form_is_text(text: str, terms: tuple[str, ...]) -> None:
    assert parse(text) == Query(terms=terms, last_is_prefix=True)


@pytest.mark.spec("S3.7")
def test_a_path_is_text_and_a_hint() -> None:
    assert parse("src/pricing.ts") == Query(("src/pricing.ts",), paths=("src/pricing.ts",), last_is_prefix=True)
    assert parse("src/a.rs:42") == Query(("src/a.rs:42",), paths=("src/a.rs",), last_is_prefix=True)


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize("text", ["", " ", "\n", '""', '" "', 'file:""'])
def test_nothing_is_an_empty_query(text: str) -> None:
    assert parse(text) == Query()


def test_all_forms_in_one_query() -> None:
    text = 'retry "exact  phrase" -never -"not this" project:web file:"a b.ts" in:user -in:tool b.py done '
    assert parse(text) == Query(
        terms=("retry", "b.py", "done"),
        phrases=("exact  phrase",),
        excluded=("never", "not this"),
        filters=(("project", "web"), ("file", "a b.ts"), ("in", "user")),
        excluded_filters=(("in", "tool"),),
        paths=("b.py",),
    )


@pytest.mark.parametrize("name", filters_by_name())
def test_each_filter_name_is_known_in_lower_case_only(name: str) -> None:
    assert parse(f"{name}:x-1:y") == Query(filters=((name, "x-1:y"),))
    assert parse(f"{name.title()}:x").terms == (f"{name.title()}:x",)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("projct:web foo:bar -foo:b", ("projct", "foo")),
        ("project:web -project:web", ()),
        ("C:\\x std::vector http://a note: make:12 a:b a.py:7 Foo:bar", ()),
    ],
)
def test_what_looks_like_a_filter_is_told(text: str, unknown: tuple[str, ...]) -> None:
    assert parse(text).unknown_filters == unknown


@pytest.mark.parametrize(
    ("text", "prefix"),
    [("retry", True), ("retry ", False), ("a -b", False), ('a "b"', False), ("a in:user", False), ('"a b', True)],
)
def test_only_a_bare_last_term_may_go_on(text: str, prefix: bool) -> None:
    assert parse(text).last_is_prefix is prefix


@pytest.mark.spec("S3.7")
@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_parses(text: str) -> None:
    query = parse(text)
    filters = (*query.filters, *query.excluded_filters)
    kept = "".join([*query.terms, *query.phrases, *query.excluded, *(value for _, value in filters)])
    assert set(kept) <= set(text)


@pytest.mark.spec("S3.7")
@given(st.text(alphabet='" -:abfile\t', max_size=40))
def test_any_mix_of_signs_parses_and_loses_no_letter(text: str) -> None:
    query = parse(text)
    filters = (*query.filters, *query.excluded_filters)
    kept = "".join([*query.terms, *query.phrases, *query.excluded, *(name + value for name, value in filters)])
    assert sorted(c for c in kept if c.isalpha()) == sorted(c for c in text if c.isalpha())
