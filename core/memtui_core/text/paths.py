"""Paths as agents write them: made relative to the project, and recognized in prompts and queries.

All functions work on strings: a transcript may come from another machine, so no path is looked up on the disk.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Sequence
from functools import lru_cache

EXTENSIONS = frozenset(
    """
    adoc astro avif awk bash bat bats bib bmp c cc cfg cjs clj cljs cmake cmd conf containerfile cpp cs csproj css
    csv cts cu cxx dart db diff djvu doc dockerfile docx duckdb edn eex ejs el elm env erb erl ex exs fish flake fs
    fsproj fsx gemspec gif glsl go gql gradle graphql groovy h haml hbs heex hh hpp hs htm html hxx ico idr ini ino
    ipynb j2 jar java jinja jpeg jpg js json json5 jsonc jsonl jsx kt kts leex less lhs liquid lisp lock log lua m
    markdown md mdc mdx mjs mk ml mli mm mp3 mp4 mts mustache ndjson nim nix njk nu odt org parquet patch pbtxt pcss
    pdf pem php pl plist pm png pptx prisma proto ps1 psd1 psm1 pug pxd py pyi pyx qml r rake rb rego rkt rmd ron rs
    rst sass sbt scala scm scss sh sln snap sol sql sqlite sqlite3 styl sv svelte svg swift swp tcl tcss tex tf
    tfvars thrift toml tpl ts tsv tsx ttf txt typ v vbs vhd vim vue wasm wat webp wgsl woff woff2 xlsx xml xsd xsl
    yaml yml zig zsh
    """.split()  # noqa: SIM905
)
"""Extensions of file names, in lower case."""

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
"""Names, in lower case, of files without a known extension."""

_NOT_FILES = frozenset(
    """
    node.js next.js vue.js nuxt.js react.js three.js express.js d3.js chart.js ember.js backbone.js alpine.js
    solid.js discord.js moment.js p5.js angular.js socket.io process.env import.meta.env console.log math.log np.log
    logger.log response.json request.json res.json req.json resp.json asp.net
    """.split()  # noqa: SIM905
)
"""Names of products and expressions in code that look like file names."""

_TWIN = re.compile(r"(.*)(?<!/\.claude)/worktrees/([^/]+)/([^/]+/\2)(?:/.*)?")
_INSIDE = re.compile(r"(.+)(?<!/\.claude)/(?:\.claude/worktrees|\.worktrees|worktrees)/([^/]+)(?:/.*)?")
_BESIDE = re.compile(r"(.*/[^/]*[^/._-])[._-]worktrees/([^/]+)(?:/.*)?")
_NOWHERE = frozenset({"", ".", "..", "~"})
_DRIVE = re.compile(r"([A-Za-z]):[\\/]")
_SHELL_DRIVE = re.compile(r"/([A-Za-z])(?=/|$)")
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Z]:/Users/[^/]+)(?=/|$)")
_MANAGED = re.compile(
    r"((?:/home/[^/]+|/Users/[^/]+|/root|[A-Z]:/Users/[^/]+)"
    r"/(?:\.(?!claude/)[^/]+/worktrees|\.[^/]+[_-]worktrees|conductor/workspaces)/)([^/]+)(?:/([^/]+)(?:/.*)?)?"
)
"""A worktree in a folder of a tool in the home folder: `<tool>/<repo>/<w>` or `<tool>/<id>/<repo>`.

Codex writes the id first, Cursor either, Herdr, Superset, Conductor and the Claude app the name of the repository.
"""
_FIXED_LAYOUT = ("/.codex/", "/.cursor/", "/.superset/", "/.claude-worktrees/", "/conductor/")
"""The tools of which it is known which of the two folders is the repository."""
_ID = re.compile(r"(?=.*\d)[0-9a-f]{4,40}|[0-9a-f]{8}-[0-9a-f-]{27}|pr-\d+-[0-9a-f]{6,}")
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
"""A position in a file, written after its name: a line, a test."""
_MENTION = re.compile(r"@(?<![A-Za-z0-9_.%+/@-]@)(?:\"([^\"\n]{1,400})\"|([^\s@\"'`,;<>|]++)(?!@))")


def normalize(path: str, cwd: str, root: str, worktrees: Sequence[str] = ()) -> str | None:
    """A path relative to its project, with forward slashes; None for the root and for paths outside the project.

    `root` is the folder of the project, `cwd` that of the session. A `cwd` outside the root counts as a worktree, one
    inside the root only if it is where tools put worktrees. `worktrees` are other known worktrees of the project. If
    several of these folders contain the path, the deepest counts. A relative path counts as relative to the root.
    """
    if not path or _CONTROL.search(path):
        return None
    bases = _bases(cwd, root, tuple(worktrees))
    windows = _is_windows(root or cwd)
    plain = _from_top(_collapse(_at_home(_forward(path, windows), root or cwd)), cwd, root)
    is_absolute = _is_absolute(plain)
    below = _below_any(plain, bases) if is_absolute else plain
    if below is None or below in _NOWHERE or below.startswith("../"):
        return None
    below = _out_of_nested(below, bases)
    # The result must not change when it is normalized again.
    again = _forward(below, windows)
    return None if below in _NOWHERE or again.startswith("~/") or _is_absolute(again) else below


def stored_path(path: str, cwd: str, root: str, worktrees: Sequence[str] = ()) -> str | None:
    """A path as the index stores it: relative to its project, or absolute if it is outside; folders as in `normalize`.

    None for the folder of the project, for a path that cannot be resolved, and for one that leads nowhere.
    """
    return _stored(path, cwd, root, tuple(worktrees))


@lru_cache(maxsize=4096)
def _stored(path: str, cwd: str, root: str, worktrees: tuple[str, ...]) -> str | None:
    """As `stored_path`; a session names the same few files again and again."""
    if (below := normalize(path, cwd, root, worktrees)) is not None:
        return below
    if not path or _CONTROL.search(path):
        return None
    whole = _at_home(_forward(path, _is_windows(root or cwd)), root or cwd)
    collapsed = _collapse(whole)
    is_home = collapsed.startswith("~/") and not whole.startswith("~/")
    if is_home or (_is_anchored(collapsed) and not _is_anchored(whole)):
        # In `a/../~/b` and `C:/../~/b` the tilde is the name of a folder.
        return None
    plain = _from_top(collapsed, cwd, root)
    is_base = _below_any(f"{plain}/", _bases(cwd, root, worktrees)) == ""
    if is_base or not _is_anchored(plain) or plain in {"/", "~/"}:
        return None
    # The result may look like a Windows path, and must not change when it is stored again.
    is_again = _is_windows(root or cwd) and plain != path
    return _stored(plain, cwd, root, worktrees) if is_again else plain


def shown_path(path: str) -> str:
    """A stored path as it is shown: `~` for the home folder of any user."""
    home = _HOME.match(path)
    return path if home is None else f"~{path[home.end() :]}"


def home_of(path: str) -> str | None:
    """The home folder that contains an absolute path; None if there is none."""
    home = _HOME.match(path)
    return None if home is None else home[0]


def clean(folder: str) -> str:
    """The path of a folder with forward slashes, a capital drive letter and no redundant parts; empty for no path."""
    if not folder:
        return ""
    plain = _collapse(_forward(folder, _is_windows(folder)))
    if plain == ".":
        return ""
    # The result may look like a Windows path, and must not change when it is cleaned again.
    return plain if plain == folder else clean(plain)


def query_path(path: str) -> str:
    r"""A path of a query in the form of the index: forward slashes, no redundant parts, a capital drive letter.

    `./src\a.rs` is `src/a.rs`, `c:\p\x\..\a.rs` is `C:/p/a.rs`. The slash after a folder is kept.
    """
    plain = path.strip().replace("\\", "/")
    if not plain:
        return ""
    whole = _collapse(_forward(plain, windows=False)).removeprefix("./")
    return f"{whole}/" if plain.endswith("/") and not whole.endswith("/") else whole


def is_absolute(path: str) -> bool:
    """Whether a path starts with a root, a drive, a server or a home folder, with slashes or backslashes."""
    return path.startswith(("/", "\\", "~/", "~\\")) or _DRIVE.match(path) is not None


def spellings(path: str) -> list[str]:
    """The forms in which an absolute path may be stored: shells on Windows write `/c/p` for `C:/p`."""
    drive = _SHELL_DRIVE.match(path)
    return [path, f"{drive[1].upper()}:{path[2:] or '/'}"] if drive is not None else [path]


def managed_worktree(folder: str) -> tuple[str, str, str] | None:
    """For a folder in a worktree that a tool keeps in the home folder: where it keeps them, and the next two folders.

    One of the two is the name of the repository; the second is empty if there is only one.
    """
    managed = _MANAGED.fullmatch(folder)
    return None if managed is None else (managed[1], managed[2], managed[3] or "")


def has_fixed_layout(base: str) -> bool:
    """Whether it is known which of the two folders in a folder of worktrees is the repository."""
    return any(tool in base for tool in _FIXED_LAYOUT)


def worktree_of(folder: str, repository: str = "") -> tuple[str, str] | None:
    """The folders of repository and worktree, recognized by where tools put worktrees; None for any other folder.

    `repository` is the name of the repository if it is known. Of a worktree that a tool keeps in the home folder, the
    folder of the repository is unknown: it is a folder of its name beside the worktrees, `~/.codex/worktrees/shop`.

    `<root>/.claude/worktrees/<w>`, `<root>/.worktrees/<w>`, `<root>/worktrees/<w>`, `<repo>-worktrees/<w>` next to
    `<repo>`, and `<base>/worktrees/<repo>/<w>/<repo>`, each with any folders below. A home folder is not a repository:
    the repository of a worktree directly in it is unknown, and both folders are that of the worktree.
    """
    folder = clean(folder)
    if (managed := managed_worktree(folder)) is not None:
        base, first, second = managed
        is_second = second and (
            second == repository or (first != repository and ("/.codex/" in base or _ID.fullmatch(first) is not None))
        )
        return f"{base}{second if is_second else first}", f"{base}{first}{f'/{second}' if second else ''}"
    folders = _split_worktree(folder)
    if folders is None:
        return None
    root, worktree = folders
    while (outer := _split_worktree(root)) is not None and outer[0] != root:
        root = outer[0]
    return root, worktree


def suffix_match(stored: str, query: str) -> bool:
    """Whether a stored path ends with the components of the query, ignoring case."""
    suffix = query.replace("\\", "/").removeprefix("./").strip("/").lower()
    return bool(suffix) and ("/" + stored.lower()).endswith("/" + suffix)


def is_path_like(token: str, known: Container[str] = ()) -> bool:
    """Whether a word is the path of a file, by a known extension or name, or because `known` contains it."""
    if not token or len(token) > 400:
        return False
    if _has_known_name(token):
        return True
    return bool(known) and (is_known(token, token, known) or is_known(token, token.removeprefix("./"), known))


@lru_cache(maxsize=4096)
def _has_known_name(token: str) -> bool:
    """Whether a word is a path with a known extension or name; commands repeat the same few words."""
    plain = _ROUTE.sub("x", token) if "[" in token or "(" in token else token
    if _SHAPE.fullmatch(plain) is None or "..." in plain or _HOST.match(plain):
        return False
    name = _SEPARATOR.split(plain)[-1].lower()
    if name in FILE_NAMES:
        return True
    stem, dot, extension = name.rpartition(".")
    if not dot or extension not in EXTENSIONS or not any(map(str.isalnum, stem)):
        return False
    return plain.lower() not in _NOT_FILES


def is_known(word: str, path: str, known: Container[str]) -> bool:
    """Whether a word names a known file, given the path that it resolves to.

    A lower-case word such as `test` is more often a command than a file, and needs a folder: `./test`.
    """
    return not (word.isalpha() and word.islower()) and path in known


def path_hints(text: str) -> list[str]:
    """The paths in a query, sorted, without duplicates.

    A line copied from the screen of an agent contains a path, too: `Edit(src/a.rs)`.
    """
    paths: set[str] = set()
    for match in _WORD.finditer(_CALL.sub(" ", text.replace("](", " "))):
        word = match[0]
        # In languages written without spaces, a path is joined to the words around it.
        pieces = [word] if word.isascii() else [word, *_ASCII.findall(word)]
        paths.update(path for piece in pieces if is_path_like(path := bare(piece)))
    return sorted(paths)


def at_mentions(text: str, known: Container[str] = ()) -> list[str]:
    """The paths after an `@` in a prompt, in order, without duplicates; a folder ends with a slash."""
    if "@" not in text:
        return []
    words = dict.fromkeys(match[1] or bare(match[2]) for match in _MENTION.finditer(text))
    return [
        word
        for word in words
        if is_path_like(word.replace(" ", "_")) or is_folder_like(word) or is_path_like(word, known)
    ]


def is_folder_like(word: str) -> bool:
    """Whether a word is the path of a folder, with a slash at its end."""
    return word.endswith("/") and _SHAPE.fullmatch(word.rstrip("/")) is not None


def bare(word: str) -> str:
    """A word without punctuation around it, a leading `@` and a position: `(@src/a.rs:42).` is `src/a.rs`."""
    return POSITION.sub("", word.lstrip("([{<*").rstrip(".,;:!?)]}>*…。，、！？：；）】").removeprefix("@"))


@lru_cache(maxsize=512)
def _bases(cwd: str, root: str, worktrees: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of which the contents belong to the project, the deepest first."""
    top, current = clean(root) or clean(cwd), clean(cwd)
    if not top:
        return ()
    folders: set[str] = {top}
    worktree = worktree_of(current)
    if worktree is not None and worktree[0] == top:
        folders.add(worktree[1])
    elif current and not _contains(top, current) and not _contains(current, top):
        folders.add(current)
    folders.update(folder for tree in worktrees if (folder := clean(tree)) and not _contains(folder, top))
    return tuple(sorted(folders, key=len, reverse=True))


def _contains(outer: str, inner: str) -> bool:
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
    """A path from one of the folders into a worktree inside it, relative to that worktree."""
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


def _same(path: str, other: str) -> bool:
    """Whether two paths are equal; ignoring case for Windows paths, which start with a drive."""
    return path == other or (path[1:2] == ":" and path.lower() == other.lower())


def _forward(path: str, windows: bool) -> str:
    """A Windows path with forward slashes; any other path unchanged."""
    if _DRIVE.match(path):
        return path[0].upper() + path[1:].replace("\\", "/")
    if not windows:
        return path
    plain = path.replace("\\", "/")
    drive = _SHELL_DRIVE.match(plain)
    return f"{drive[1].upper()}:{plain[2:] or '/'}" if drive is not None else plain


def _at_home(path: str, folder: str) -> str:
    """A path with `~` expanded, if the home folder is known from `folder`."""
    home = _HOME.match(clean(folder)) if path.startswith("~/") else None
    return path if home is None else home[0] + path[1:]


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or _DRIVE.match(path) is not None


def _is_anchored(path: str) -> bool:
    return _is_absolute(path) or path.startswith("~/")


def _is_windows(folder: str) -> bool:
    return _DRIVE.match(folder) is not None or folder.startswith("\\\\")


def _collapse(path: str) -> str:
    if "//" not in path and "/." not in path and not path.startswith("./") and not path.endswith("/"):
        return path
    plain = posixpath.normpath(path)
    return plain[1:] if plain.startswith("//") else plain


def _from_top(path: str, cwd: str, root: str) -> str:
    """A collapsed path; one that leaves the folder of the project (`../web/src`) as an absolute path."""
    top = clean(root) or clean(cwd)
    is_outside = path.startswith("../") and _is_absolute(top)
    return posixpath.normpath(posixpath.join(top, path)) if is_outside else path


def _split_worktree(folder: str) -> tuple[str, str] | None:
    """The folders of repository and worktree, of the innermost worktree."""
    twin = _TWIN.fullmatch(folder)
    if twin is not None:
        return f"{twin[1]}/{twin[2]}", folder[: twin.end(3)]
    inside = _INSIDE.fullmatch(folder)
    if inside is not None:
        worktree, root = folder[: inside.end(2)], inside[1]
        parent, _, name = root.rpartition("/")
        if name.startswith(".") and parent and not _HOME.fullmatch(parent):
            # A tool keeps them in its folder in the repository.
            root = parent
        return (worktree if _HOME.fullmatch(root) else root), worktree
    beside = _BESIDE.fullmatch(folder)
    return (beside[1], folder[: beside.end(2)]) if beside is not None else None
