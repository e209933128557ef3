"""Paths as agents write them: relative to the project, told from other words, found in questions.

Everything here is a function of strings: a transcript may come from another machine, so no path is looked up on disk.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Sequence
from functools import lru_cache

EXTENSIONS = frozenset(
    """
    adoc astro avif awk bash bat bats bib bmp c cc cfg cjs clj cljs cmake cmd conf cpp cs csproj css csv cts cu cxx
    dart db diff djvu doc docx duckdb edn eex ejs el elm env erb erl ex exs fish flake fs fsproj fsx gemspec gif
    glsl go gql gradle graphql groovy h haml hbs heex hh hpp hs htm html hxx ico idr ini ino ipynb j2 jar java jinja
    jpeg jpg js json json5 jsonc jsonl jsx kt kts leex less lhs liquid lisp lock log lua m markdown md mdc mdx mjs
    mk ml mli mm mp3 mp4 mts mustache ndjson nim nix njk nu odt org parquet patch pbtxt pcss pdf pem php pl plist pm
    png pptx prisma proto ps1 psd1 psm1 pug pxd py pyi pyx qml r rake rb rego rkt rmd ron rs rst sass sbt scala scm
    scss sh sln snap sol sql sqlite sqlite3 styl sv svelte svg swift swp tcl tcss tex tf tfvars thrift toml tpl ts
    tsv tsx ttf txt typ v vbs vhd vim vue wasm wat webp wgsl woff woff2 xlsx xml xsd xsl yaml yml zig zsh
    """.split()  # noqa: SIM905
)
"""Endings, in lower case, that tell a file's name."""

FILE_NAMES = frozenset(
    """
    makefile gnumakefile dockerfile containerfile justfile rakefile gemfile procfile brewfile vagrantfile
    jenkinsfile pipfile podfile tiltfile caddyfile cmakelists.txt license licence copying notice readme changelog
    authors codeowners go.mod go.work go.sum build.bazel workspace .gitignore .gitattributes .gitmodules .gitkeep
    .dockerignore .npmignore .npmrc .nvmrc .env .envrc .editorconfig .prettierrc .prettierignore .eslintrc
    .eslintignore .babelrc .python-version .tool-versions .ruby-version .node-version .bashrc .bash_profile .profile
    .zshrc .vimrc .clang-format .rustfmt.toml .flake8 .pylintrc .coveragerc .rspec .formatter.exs .credo.exs
    .mcp.json .gitconfig .cursorrules
    """.split()  # noqa: SIM905
)
"""Names, in lower case, of files that have no telling ending."""

_NOT_FILES = frozenset(
    """
    node.js next.js vue.js nuxt.js react.js three.js express.js d3.js chart.js ember.js backbone.js alpine.js
    solid.js discord.js moment.js p5.js angular.js socket.io process.env import.meta.env console.log math.log np.log
    logger.log response.json request.json res.json req.json resp.json asp.net
    """.split()  # noqa: SIM905
)
"""Names of products and pieces of code that end like files."""

_TWIN = re.compile(r"(.*)(?<!/\.claude)/worktrees/([^/]+)/([^/]+/\2)(?:/.*)?")
_INSIDE = re.compile(r"(.+)(?<!/\.claude)/(?:\.claude/worktrees|\.worktrees|worktrees)/([^/]+)(?:/.*)?")
_BESIDE = re.compile(r"(.*/[^/]*[^/._-])[._-]worktrees/([^/]+)(?:/.*)?")
_NOWHERE = frozenset({"", ".", "..", "~"})
_DRIVE = re.compile(r"([A-Za-z]):[\\/]")
_SHELL_DRIVE = re.compile(r"/([A-Za-z])(?=/|$)")
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Z]:/Users/[^/]+)(?=/|$)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ROUTE = re.compile(r"(?<=/)(?:\[{1,2}(?:\.{3})?[\w.-]+\]{1,2}|\([\w.-]+\))(?=[/.])")
"""A folder or file of a web framework that routes by file names: `app/(shop)/[id]/page.tsx`."""
_SHAPE = re.compile(r"(?:[A-Za-z]:[\\/])?(?:\.{0,2}[\\/]|\\\\|~[\\/])?@?[\w.+%~-]+(?:[\\/]+@?[\w.+%@~-]+)*")
_HOST = re.compile(r"www\.|(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|co)/", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\\/]")
_WORD = re.compile(r"[^\s,;|<>\"'`‘’“”«»]+")
_ASCII = re.compile(r"[!-~]+")
_CALL = re.compile(r"(?<![^\s`'\"(\[])[A-Za-z]\w*\(")
"""The beginning of `Edit(src/a.rs)`."""
POSITION = re.compile(r"(?::\d+(?:[:-]\d+)*|#L\d+(?:-L?\d+)?|::\S*)$")
"""A place in a file, written behind its name: a line, a test."""
_MENTION = re.compile(r"@(?<![A-Za-z0-9_.%+/@-]@)(?:\"([^\"\n]{1,400})\"|([^\s@\"'`,;<>|]++)(?!@))")


def normalize(path: str, cwd: str, root: str, worktrees: Sequence[str] = ()) -> str | None:
    """A path relative to its project, with forward slashes; None for one outside and for the root.

    `root` is the project's folder, `cwd` the session's: a folder beside the root is a worktree of it, one below it is
    only when it lies where worktrees lie. `worktrees` are further folders known to be worktrees of the project. Of
    several that hold the path the deepest counts. A relative path is taken as relative to the root already.
    """
    if not path or _CONTROL.search(path):
        return None
    bases = _bases(cwd, root, tuple(worktrees))
    windows = _is_windows(root or cwd)
    plain = _at_home(_forward(path, windows), root or cwd)
    plain, is_absolute = _collapse(plain), _is_absolute(plain)
    below = _below_any(plain, bases) if is_absolute else plain
    if below is None or below in _NOWHERE or below.startswith("../"):
        return None
    below = _out_of_nested(below, bases)
    # What is left must read as the same path when it is given again.
    again = _forward(below, windows)
    return None if below in _NOWHERE or again.startswith("~/") or _is_absolute(again) else below


def clean(folder: str) -> str:
    """A folder's path with forward slashes, a capital drive letter and no superfluous parts; empty for none."""
    if not folder:
        return ""
    plain = _collapse(_forward(folder, _is_windows(folder)))
    if plain == ".":
        return ""
    # Without its beginning it may read as one of Windows, and is the same path when it is given again.
    return plain if plain == folder else clean(plain)


def as_asked(path: str) -> str:
    r"""A path out of a question as the index writes paths: forward slashes, no superfluous parts, a capital drive.

    `./src\a.rs` is `src/a.rs`, `c:\p\x\..\a.rs` is `C:/p/a.rs`. The slash behind a folder stays.
    """
    plain = path.strip().replace("\\", "/")
    if not plain:
        return ""
    whole = _collapse(_forward(plain, windows=False)).removeprefix("./")
    return f"{whole}/" if plain.endswith("/") and not whole.endswith("/") else whole


def is_absolute(path: str) -> bool:
    """Whether a path begins at a root, a drive, a server or a home folder, written either way."""
    return path.startswith(("/", "\\", "~/", "~\\")) or _DRIVE.match(path) is not None


def spellings(path: str) -> list[str]:
    """An absolute path as it may be stored: the shells of Windows write `/c/p` for `C:/p`."""
    drive = _SHELL_DRIVE.match(path)
    return [path, f"{drive[1].upper()}:{path[2:] or '/'}"] if drive is not None else [path]


def worktree_of(folder: str) -> tuple[str, str] | None:
    """The repository's folder and the worktree's, told by where tools put worktrees; None for any other folder.

    `<root>/.claude/worktrees/<w>`, `<root>/.worktrees/<w>`, `<root>/worktrees/<w>`, `<repo>-worktrees/<w>` beside
    `<repo>`, and `<base>/worktrees/<repo>/<w>/<repo>`, each with anything below. A home folder is no repository: of
    worktrees that lie there directly nobody knows whose they are, and both folders are the worktree's.
    """
    found = _shaped(clean(folder))
    if found is None:
        return None
    root, worktree = found
    while (outer := _shaped(root)) is not None and outer[0] != root:
        root = outer[0]
    return root, worktree


def suffix_match(stored: str, query: str) -> bool:
    """Whether a stored path ends with the components of the query, in any case of letters."""
    wanted = query.replace("\\", "/").removeprefix("./").strip("/").lower()
    return bool(wanted) and ("/" + stored.lower()).endswith("/" + wanted)


def is_path_like(token: str, known: Container[str] = ()) -> bool:
    """Whether a word is a file's path: by a known ending or name, or because `known` holds it."""
    if not token or len(token) > 400:
        return False
    if is_known(token, token, known) or is_known(token, token.removeprefix("./"), known):
        return True
    plain = _ROUTE.sub("x", token) if "[" in token or "(" in token else token
    if _SHAPE.fullmatch(plain) is None or "..." in plain or _HOST.match(plain):
        return False
    name = _SEPARATOR.split(plain)[-1].lower()
    if name in FILE_NAMES:
        return True
    stem, dot, ending = name.rpartition(".")
    if not dot or ending not in EXTENSIONS or not any(map(str.isalnum, stem)):
        return False
    return plain.lower() not in _NOT_FILES


def is_known(word: str, path: str, known: Container[str]) -> bool:
    """Whether a word stands for a known file, `path` being what it leads to.

    A lower-case word such as `test` says more often what to do than which file, and needs a folder: `./test`.
    """
    return not (word.isalpha() and word.islower()) and path in known


def path_hints(text: str) -> list[str]:
    """The paths that a question names, sorted, each once.

    A line copied from an agent's screen names its file too: `Edit(src/a.rs)`.
    """
    found: set[str] = set()
    for match in _WORD.finditer(_CALL.sub(" ", text.replace("](", " "))):
        word = match[0]
        # Languages written without spaces join a path to the words round it.
        pieces = [word] if word.isascii() else [word, *_ASCII.findall(word)]
        found.update(path for piece in pieces if is_path_like(path := bare(piece)))
    return sorted(found)


def at_mentions(text: str, known: Container[str] = ()) -> list[str]:
    """The paths that a person's `@` points at, in order, each once; a folder ends with a slash."""
    if "@" not in text:
        return []
    words = dict.fromkeys(match[1] or bare(match[2]) for match in _MENTION.finditer(text))
    return [
        word
        for word in words
        if is_path_like(word.replace(" ", "_")) or is_folder_like(word) or is_path_like(word, known)
    ]


def is_folder_like(word: str) -> bool:
    """Whether a word is written as a folder's path, with a slash at its end."""
    return word.endswith("/") and _SHAPE.fullmatch(word.rstrip("/")) is not None


def bare(word: str) -> str:
    """A word without the signs round it, a leading `@` and a position in the file: `(@src/a.rs:42).` is `src/a.rs`."""
    return POSITION.sub("", word.lstrip("([{<*").rstrip(".,;:!?)]}>*…。，、！？：；）】").removeprefix("@"))


@lru_cache(maxsize=512)
def _bases(cwd: str, root: str, worktrees: tuple[str, ...]) -> tuple[str, ...]:
    """The folders below which a path is the project's, the deepest first."""
    top, here = clean(root) or clean(cwd), clean(cwd)
    if not top:
        return ()
    found: set[str] = {top}
    shape = worktree_of(here)
    if shape is not None and shape[0] == top:
        found.add(shape[1])
    elif here and not _holds(top, here) and not _holds(here, top):
        found.add(here)
    found.update(folder for tree in worktrees if (folder := clean(tree)) and not _holds(folder, top))
    return tuple(sorted(found, key=len, reverse=True))


def _holds(outer: str, inner: str) -> bool:
    return (inner + "/").startswith(outer.rstrip("/") + "/")


def _below_any(path: str, bases: Sequence[str]) -> str | None:
    for base in bases:
        if _same(path, base):
            return None
        start = base.rstrip("/") + "/"
        if _same(path[: len(start)], start):
            return path[len(start) :]
    return None


def _out_of_nested(path: str, bases: tuple[str, ...]) -> str:
    """A path that leads from one of the folders into a worktree inside it, relative to that worktree."""
    nested = _nested(bases)
    start = next((start for start in nested if path.startswith(start)), None)
    while start is not None:
        path = path[len(start) :]
        start = next((start for start in nested if path.startswith(start)), None)
    return path


@lru_cache(maxsize=512)
def _nested(bases: tuple[str, ...]) -> tuple[str, ...]:
    pairs = [(outer.rstrip("/") + "/", inner) for inner in bases for outer in bases if inner != outer]
    return tuple(inner[len(outer) :] + "/" for outer, inner in pairs if inner.startswith(outer))


def _same(one: str, other: str) -> bool:
    """Equal; on Windows, where a drive begins the path, in any case of letters."""
    return one == other or (one[1:2] == ":" and one.lower() == other.lower())


def _forward(path: str, windows: bool) -> str:
    """A path with forward slashes, if it is one of Windows."""
    if _DRIVE.match(path):
        return path[0].upper() + path[1:].replace("\\", "/")
    if not windows:
        return path
    plain = path.replace("\\", "/")
    drive = _SHELL_DRIVE.match(plain)
    return f"{drive[1].upper()}:{plain[2:] or '/'}" if drive is not None else plain


def _at_home(path: str, folder: str) -> str:
    """A path with `~` spelled out, where the folder tells whose home it is."""
    home = _HOME.match(clean(folder)) if path.startswith("~/") else None
    return path if home is None else home[0] + path[1:]


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or _DRIVE.match(path) is not None


def _is_windows(folder: str) -> bool:
    return _DRIVE.match(folder) is not None or folder.startswith("\\\\")


def _collapse(path: str) -> str:
    if "//" not in path and "/." not in path and not path.startswith("./") and not path.endswith("/"):
        return path
    plain = posixpath.normpath(path)
    return plain[1:] if plain.startswith("//") else plain


def _shaped(folder: str) -> tuple[str, str] | None:
    """The repository and the worktree of one level, the innermost."""
    twin = _TWIN.fullmatch(folder)
    if twin is not None:
        return f"{twin[1]}/{twin[2]}", folder[: twin.end(3)]
    inside = _INSIDE.fullmatch(folder)
    if inside is not None:
        worktree = folder[: inside.end(2)]
        return (worktree if _HOME.fullmatch(inside[1]) else inside[1]), worktree
    beside = _BESIDE.fullmatch(folder)
    return (beside[1], folder[: beside.end(2)]) if beside is not None else None
