from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui_core.text.paths import (
    at_mentions,
    clean,
    home_of,
    is_absolute,
    is_path_like,
    normalize,
    path_hints,
    shown_path,
    stored_path,
    suffix_match,
    worktree_of,
)

ROOT = "/Users/x/mementor"
FEATURE = "/Users/x/mementor-feature"
NESTED = "/Users/x/mementor/.claude/worktrees/w"


@pytest.mark.spec("S4.3")
def test_absolute_path_in_the_project() -> None:
    assert normalize(f"{ROOT}/src/main.rs", ROOT, ROOT) == "src/main.rs"


@pytest.mark.spec("S4.4")
def test_worktree_and_primary() -> None:
    assert normalize(f"{FEATURE}/src/main.rs", FEATURE, ROOT) == "src/main.rs"
    assert normalize(f"{ROOT}/src/main.rs", FEATURE, ROOT) == "src/main.rs"
    assert normalize(f"{FEATURE}/src/main.rs", ROOT, ROOT, [FEATURE]) == "src/main.rs"


@pytest.mark.spec("S4.5")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/etc/hosts", None),
        (ROOT, None),
        (f"{ROOT}/", None),
        ("", None),
        (".", None),
        ("src/a.rs", "src/a.rs"),
        ("a b.md", "a b.md"),
        ("src/", "src"),
        ("a\nb", None),
    ],
)
def test_outside_root_and_relative(path: str, expected: str | None) -> None:
    assert normalize(path, ROOT, ROOT) == expected


@pytest.mark.spec("S4.5")
@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        (f"{ROOT}/src/a.rs", ROOT, "src/a.rs"),
        ("src/a.rs", ROOT, "src/a.rs"),
        ("/etc/hosts", ROOT, "/etc/hosts"),
        (f"{FEATURE}/a.rs", ROOT, f"{FEATURE}/a.rs"),
        ("../other/./a.rs", ROOT, "/Users/x/other/a.rs"),
        ("~/.claude/settings.json", ROOT, "/Users/x/.claude/settings.json"),
        ("~/.claude/settings.json", "/srv/shop", "~/.claude/settings.json"),
        (r"c:\logs\a.txt", r"C:\shop", "C:/logs/a.txt"),
        ("/etc/hosts", "", "/etc/hosts"),
        ("../a.rs", "", None),
        (ROOT, ROOT, None),
        (f"{ROOT}//", ROOT, None),
        (f"{ROOT}/../mementor", ROOT, None),
        ("/", ROOT, None),
        ("~/", ROOT, "/Users/x"),
        ("", ROOT, None),
        ("/etc/a\nb", ROOT, None),
        ("a/../~/b", ROOT, None),
    ],
)
def test_outside_of_the_project_a_path_is_absolute(path: str, folder: str, expected: str | None) -> None:
    assert stored_path(path, folder, folder) == expected


@pytest.mark.parametrize(
    ("path", "home", "shown"),
    [
        ("/home/ana/.claude/a.json", "/home/ana", "~/.claude/a.json"),
        ("/Users/ana/a.md", "/Users/ana", "~/a.md"),
        ("/root/a.md", "/root", "~/a.md"),
        ("C:/Users/ana/a.md", "C:/Users/ana", "~/a.md"),
        ("/rooted/a.md", None, "/rooted/a.md"),
        ("src/home/ana/a.md", None, "src/home/ana/a.md"),
    ],
)
def test_a_home_folder_is_shown_as_a_tilde(path: str, home: str | None, shown: str) -> None:
    assert (home_of(path), shown_path(path)) == (home, shown)


@pytest.mark.spec("S4.5")
def test_folder_with_a_slash_at_its_end() -> None:
    assert normalize(f"{ROOT}/src/a.rs", f"{ROOT}/", f"{ROOT}/") == "src/a.rs"
    assert normalize(f"{FEATURE}/src/a.rs", f"{FEATURE}/", f"{ROOT}/") == "src/a.rs"


@pytest.mark.spec("S4.6")
@pytest.mark.parametrize("path", [f"{FEATURE}/a.rs", "/Users/x/mementor2/a.rs", "/Users/x/mementor2", "/Users/x"])
def test_prefix_ends_at_a_component(path: str) -> None:
    assert normalize(path, ROOT, ROOT) is None


@pytest.mark.spec("S4.7")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("./src/a.rs", "src/a.rs"),
        ("src//a.rs", "src/a.rs"),
        ("src/x/../a.rs", "src/a.rs"),
        ("../other/a.rs", None),
        ("src/../../a.rs", None),
        ("..", None),
        (f"{ROOT}/../mementor/src/./a.rs", "src/a.rs"),
        (f"{ROOT}/../other/a.rs", None),
        ("~/notes.md", None),
        ("~/mementor/src/a.rs", "src/a.rs"),
        ("~ana/mementor/a.rs", "~ana/mementor/a.rs"),
    ],
)
def test_parts_that_lead_nowhere(path: str, expected: str | None) -> None:
    assert normalize(path, ROOT, ROOT) == expected


@pytest.mark.spec("S4.7")
@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("C:\\p\\a.rs", "C:\\p", "a.rs"),
        ("c:\\P\\Src\\a.rs", "C:\\p", "Src/a.rs"),
        ("C:/p/src/a.rs", "C:\\p", "src/a.rs"),
        ("/c/p/src/a.rs", "C:\\p", "src/a.rs"),
        ("src\\a.rs", "C:\\p", "src/a.rs"),
        ("D:\\p\\a.rs", "C:\\p", None),
        ("C:\\p2\\a.rs", "C:\\p", None),
        ("C:\\p", "C:\\p", None),
        ("\\\\server\\share\\p\\a.rs", "\\\\server\\share\\p", "a.rs"),
        ("src\\a.rs", "/p", "src\\a.rs"),
    ],
)
def test_windows(path: str, folder: str, expected: str | None) -> None:
    assert normalize(path, folder, folder) == expected


@pytest.mark.spec("S4.7")
def test_nested_worktree_if_it_is_known() -> None:
    path = f"{NESTED}/src/a.rs"
    assert normalize(path, ROOT, ROOT, [NESTED]) == "src/a.rs"
    assert normalize(path, NESTED, ROOT) == "src/a.rs"
    assert normalize(path, f"{NESTED}/src", ROOT) == "src/a.rs"
    assert normalize(".claude/worktrees/w/src/a.rs", ROOT, ROOT, [NESTED]) == "src/a.rs"
    assert normalize(path, ROOT, ROOT) == ".claude/worktrees/w/src/a.rs"
    assert normalize(NESTED, ROOT, ROOT, [NESTED]) is None


@pytest.mark.spec("S4.7")
def test_longest_folder_wins() -> None:
    inner = f"{NESTED}/.claude/worktrees/v"
    assert normalize(f"{inner}/a.rs", ROOT, ROOT, [NESTED, inner]) == "a.rs"
    assert normalize(f"{inner}/a.rs", ROOT, ROOT, [inner, NESTED]) == "a.rs"


def test_folder_below_the_root_is_no_worktree() -> None:
    assert normalize(f"{ROOT}/crates/lib/a.rs", f"{ROOT}/crates/lib", ROOT) == "crates/lib/a.rs"


def test_folder_above_the_root_is_no_worktree() -> None:
    assert normalize("/Users/x/other/a.rs", "/Users/x", ROOT) is None
    assert normalize("/Users/x/other/a.rs", ROOT, ROOT, ["/Users/x"]) is None


def test_without_a_root_the_session_folder_serves() -> None:
    assert normalize("/p/a.rs", "/p", "") == "a.rs"
    assert normalize("/p/a.rs", "", "") is None
    assert normalize("a.rs", "", "") == "a.rs"


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/r/.claude/worktrees/w", ("/r", "/r/.claude/worktrees/w")),
        ("/r/.claude/worktrees/w/src/x", ("/r", "/r/.claude/worktrees/w")),
        ("/r/.worktrees/w/src", ("/r", "/r/.worktrees/w")),
        ("/r/worktrees/w", ("/r", "/r/worktrees/w")),
        ("/b/worktrees/site/calm-sea/site", ("/b/site", "/b/worktrees/site/calm-sea/site")),
        ("/b/worktrees/site/calm-sea/site/src/x", ("/b/site", "/b/worktrees/site/calm-sea/site")),
        ("/b/site-worktrees/site-1/src", ("/b/site", "/b/site-worktrees/site-1")),
        ("/r/.claude/worktrees/a/.claude/worktrees/b", ("/r", "/r/.claude/worktrees/a/.claude/worktrees/b")),
        ("C:\\r\\.claude\\worktrees\\w\\src", ("C:/r", "C:/r/.claude/worktrees/w")),
        ("/home/ana/.worktrees/idea/src", ("/home/ana/.worktrees/idea",) * 2),
        ("/r/worktrees", None),
        ("/r/src", None),
        ("", None),
    ],
)
def test_worktrees_are_told_by_their_place(folder: str, expected: tuple[str, str] | None) -> None:
    assert worktree_of(folder) == expected


PATHS = """
src/a.rs a.py ./a.py ../b.ts /abs/x.toml C:\\p\\a.rs src\\a.rs Makefile docker/Dockerfile .gitignore README.MD
.github/workflows/ci.yml app/[id]/page.tsx app/(shop)/page.tsx +page.svelte packages/@scope/a.ts src/naïve.py a-b_c.d.ts
"""
OTHER_WORDS = """
2>/dev/null https://a/b https://a/b.py origin/main HEAD:src/a.rs s/a/b/ / *.rs src/**/*.rs --flag=path and/or
--flag=a.py 24/7 .py ... ./... src/.../a.rs v1.2.3 e.g. a@b.py user@host:a.py $HOME/a.py {a,b}.py node.js console.log
//a.rs src www.x.org/a.html
"""


@pytest.mark.spec("S4.9")
@pytest.mark.parametrize("token", PATHS.split())
def test_paths(token: str) -> None:
    assert is_path_like(token)


@pytest.mark.spec("S4.9")
@pytest.mark.parametrize("token", [*OTHER_WORDS.split(), "", "fix a.rs"])
def test_not_paths(token: str) -> None:
    assert not is_path_like(token)


@pytest.mark.spec("S4.9")
def test_known_file_is_a_path_whatever_its_name() -> None:
    assert not is_path_like("bin/serve")
    assert is_path_like("bin/serve", {"bin/serve"})
    assert is_path_like("./bin/serve", {"bin/serve"})


@pytest.mark.spec("S4.14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does main.rs do?", ["main.rs"]),
        ("explain src/pipeline/ingest.rs", ["src/pipeline/ingest.rs"]),
        ("what is `src/main.rs`?", ["src/main.rs"]),
        ("how do I implement auth", []),
        ("compare ingest.rs and chunker.rs", ["chunker.rs", "ingest.rs"]),
        ("a.py or a.py", ["a.py"]),
    ],
)
def test_hints(text: str, expected: list[str]) -> None:
    assert path_hints(text) == expected


@pytest.mark.spec("S4.15")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see (src/a.rs).", ["src/a.rs"]),
        ("[src/a.rs]! {b.py}", ["b.py", "src/a.rs"]),
        ("and/or", []),
        ("24/7", []),
        ("https://x/y", []),
        ("https://x/y.md", []),
        ("src/a.rs:42", ["src/a.rs"]),
        ("src/a.rs:42:7,", ["src/a.rs"]),
        ("tests/test_a.py::test_b", ["tests/test_a.py"]),
        ("@src/a.rs", ["src/a.rs"]),
        ("[the notes](docs/notes.md)", ["docs/notes.md"]),
        ("修改src/a.rs吗", ["src/a.rs"]),
        ("the app/[id]/page.tsx", ["app/[id]/page.tsx"]),
    ],
)
def test_hints_without_the_signs_round_them(text: str, expected: list[str]) -> None:
    assert path_hints(text) == expected


@pytest.mark.spec("S4.16")
@pytest.mark.parametrize(
    ("stored", "query", "expected"),
    [
        ("crates/lib/src/ingest.rs", "ingest.rs", True),
        ("crates/lib/src/ingest.rs", "src/ingest.rs", True),
        ("crates/lib/src/ingest.rs", "./src/ingest.rs", True),
        ("crates/lib/src/ingest.rs", "src\\ingest.rs", True),
        ("crates/lib/src/ingest.rs", "INGEST.rs", True),
        ("ingest.rs", "ingest.rs", True),
        ("src/myingest.rs", "ingest.rs", False),
        ("ingest.rs", "src/ingest.rs", False),
        ("ingest.rs", "", False),
        ("ingest.rs", "/", False),
    ],
)
def test_suffix_at_a_component(stored: str, query: str, expected: bool) -> None:
    assert suffix_match(stored, query) is expected


@pytest.mark.spec("S4.24")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("compare @/root/src/a.rs and @src/b.rs,", ["/root/src/a.rs", "src/b.rs"]),
        ("@", []),
        ("@simplify", []),
        ("a@b.com", []),
        ("ana@host.py", []),
        ("@-mentioned", []),
        ("@moduledoc/@spec @types/node @pytest.fixture", []),
        ("(@src/a.rs) @src/a.rs", ["src/a.rs"]),
        ("look at @src/ and @src/a.ts#L3-9", ["src/", "src/a.ts"]),
        ('@"my docs/x y.md" @"hello there"', ["my docs/x y.md"]),
        ("看@src/a.rs。", ["src/a.rs"]),
    ],
)
def test_at_mentions(text: str, expected: list[str]) -> None:
    assert at_mentions(text) == expected


parts = st.sampled_from(
    ["a", "src", "a.rs", "..", ".", "", "~", "C:", "c", ".claude", "worktrees", "w", "\\", "[id]", "é", " "]
)
paths = st.one_of(
    st.text(max_size=20), st.lists(parts, max_size=8).map("/".join), st.lists(parts, max_size=6).map("\\".join)
)
inside = st.builds("{}/{}".format, st.sampled_from([ROOT, FEATURE, NESTED, "C:/p"]), paths)
folders = st.one_of(st.sampled_from([ROOT, FEATURE, NESTED, "C:\\p", "\\\\s\\p", "/", "", "/root"]), paths)


@given(st.one_of(paths, inside), folders, folders, st.lists(folders, max_size=3))
def test_normalize_is_idempotent_and_stays_inside(path: str, cwd: str, root: str, worktrees: list[str]) -> None:
    once = normalize(path, cwd, root, worktrees)
    if once is not None:
        assert normalize(once, cwd, root, worktrees) == once
        assert ".." not in once.split("/")
        assert not once.startswith("/")
        assert once


@pytest.mark.spec("S4.5")
@example("A:/../~/0", "/Users/x/mementor", "/Users/x/mementor", [])
@given(st.one_of(paths, inside), folders, folders, st.lists(folders, max_size=3))
def test_a_stored_path_is_relative_to_the_project_or_absolute(
    path: str, cwd: str, root: str, worktrees: list[str]
) -> None:
    once = stored_path(path, cwd, root, worktrees)
    inside_project = normalize(path, cwd, root, worktrees)
    assert inside_project in (None, once)
    if once is not None:
        assert stored_path(once, cwd, root, worktrees) == once
        assert inside_project == once or is_absolute(once)
        assert ".." not in once.split("/")


@example("./A:\\")
@given(st.one_of(st.text(), paths))
def test_any_text_is_read(text: str) -> None:
    assert path_hints(text) == sorted(set(path_hints(text)))
    assert all(is_path_like(hint) for hint in path_hints(text))
    assert at_mentions(f"{text} @src/a.rs ")[-1:] == ["src/a.rs"] or "src/a.rs" in at_mentions(text)
    assert clean(clean(text)) == clean(text)
    if (found := worktree_of(text)) is not None:
        assert f"{clean(text)}/".startswith(f"{found[1]}/")
    if plain := text.replace("\\", "/").strip("./"):
        stored = (plain, f"a/{plain}", f"a/b{plain}")
        assert [suffix_match(one, plain) for one in stored] == [True, True, False]
