"""What is replaced in a redacted copy, what stays, and what is listed of it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from html import escape, unescape
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.errors import MemtuiError
from memtui_core.export.contents import Contents
from memtui_core.export.redacted.copy import CopyOptions, PartPlace, RedactedCopy, session_parts
from memtui_core.export.redacted.documents import redacted_document
from memtui_core.export.redacted.notice import notice
from memtui_core.text.controls import plain
from memtui_core.text.redaction import redact
from support.copies import HOME, ROOT, TOKEN, block, copy_of, session_of


def shown(text: str, **fields: object) -> str:
    """What a text of the user becomes."""
    options = CopyOptions(**fields)  # type: ignore[arg-type]
    return copy_of([block("user", text)], options=options).turns[0].user_text


COOKIE = "8f3a9c1b2d4e5f60Ab3dE6gH9jK2mN5p"

REPLACED = {
    # secrets
    f"GITHUB_TOKEN={TOKEN}": "GITHUB_TOKEN=[redacted:github-token]",
    # e-mail addresses, and the names beside them
    "write to lena.voss+x@shop-labs.de.": "write to [e-mail].",
    "Author: Lena Voss <lena@shop.dev>": "Author: [name] <[e-mail]>",
    "From Lena de Voss <lena@shop.dev>": "From [name] <[e-mail]>",
    "by Lena <123+lvoss@users.noreply.github.com>, github.com/lvoss/x": "by Lena <[e-mail]>, github.com/[user]/x",
    "Lena Voss <lena@voss-macbook.local>": "[name] <[e-mail]>",
    "mailto:lena%40shop.dev?": "mailto:[e-mail]?",
    "lena\\_v@shop.dev": "[e-mail]",
    "lena&#64;shop.dev": "[e-mail]",
    "_lena@shop.dev_ -lena@shop.dev": "_[e-mail]_ -[e-mail]",
    "zoë.müller@shop.de lena@münchen.de": "[e-mail] [e-mail]",
    f"{'x' * 70}@shop.dev": "[e-mail]",
    # home folders and accounts
    f"{HOME}/code": "~/code",
    "/home/lena/code and lena": "/home/[user]/code and lena",
    r"C:\Users\Lena\code": r"C:\Users\[user]\code",
    "/mnt/c/Users/Lena/x": "/mnt/c/Users/[user]/x",
    "-home-anabel-code": "-home-[user]-code",
    "projects/-Users-lena-code and C--Users-lena-x": "projects/-Users-[user]-code and C--Users-[user]-x",
    "/export/home/lena/x /cygdrive/c/Users/lena/x": "/export/home/[user]/x /cygdrive/c/Users/[user]/x",
    r"\\wsl$\Ubuntu\home\lena\x \\nas\Users\lena": r"\\wsl$\Ubuntu\home\[user]\x \\nas\Users\[user]",
    "Anabel, ANABEL_X": "[user], [user]_X",
    "anabella /home/anabella": "anabella /home/[user]",
    "Anabel Ruiz said": "[name] said",
    "/var/folders/4z/abcdefghij0123456789klmn0000gn/T/x": "/var/folders/[user]/T/x",
    "-rw-r--r--  1 lena  staff  160 Nov  8 17:36 a": "-rw-r--r--  1 [user]  staff  160 Nov  8 17:36 a",
    "total 4\ndrwxr-xr-t. 2 lena lena 4.0K Nov  8 .": "total 4\ndrwxr-xr-t. 2 [user] [user] 4.0K Nov  8 .",
    "lrwxr-xr-x@ 1 l.voss domain users 1,234 a -> b": "lrwxr-xr-x@ 1 [user] domain users 1,234 a -> b",
    r"total 4\n-rwsr-x--- 1 lena www-data 12 a": r"total 4\n-rwsr-x--- 1 [user] www-data 12 a",
    # cookies in the options of curl
    f"curl -b 'sid={COOKIE}; theme=dark; koa:sess={COOKIE}' https://a.dev": (
        "curl -b 'sid=[redacted:cookie]; theme=dark; koa:sess=[redacted:cookie]' https://a.dev"
    ),
    f'curl https://a.dev -H "A: b" \\\n  --cookie="connect.sid=s%3A{COOKIE}.{COOKIE}" -o x': (
        'curl https://a.dev -H "A: b" \\\n  --cookie="connect.sid=[redacted:cookie]" -o x'
    ),
    f'{{"command": "curl -b \\"sid={COOKIE}\\" a.dev"}}': '{"command": "curl -b \\"sid=[redacted:cookie]\\" a.dev"}',
    # hosts
    "thinkbox:~$ ls": "[host]:~$ ls",
    "lena@build-7:~/code$ ls": "[user]@[host]:~/code$ ls",
    "ssh -p 22 deploy@db7 uptime": "ssh -p 22 [user]@[host] uptime",
    "http://grafana.corp/d": "http://[host]/d",
    "db.shop.internal:5432": "[host]:5432",
    "10.1.2.3 192.168.0.7 172.20.1.1": "[host] [host] [host]",
    "limit exceeded for 79.117.174.42.": "limit exceeded for [host].",
    "http://5.6.7.8/x": "http://[host]/x",
    "2a02:810d:aa40::1 fe80::1%en0": "[host] [host]%en0",
}


@pytest.mark.parametrize(("text", "expected"), REPLACED.items(), ids=list(REPLACED))
def test_what_is_replaced(text: str, expected: str) -> None:
    assert shown(text) == expected
    # What is in its place is not found again.
    assert shown(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "lodash@4.17.21 actions/checkout@v4 @types/node icon@2x.png q@k.transpose x@w.T",
        "git@github.com:acme/shop.git noreply@anthropic.com you@example.com root@localhost",
        "getty@tty1.service Foo.bar@Override",
        "~/.local/share .env.local settings.local.json com.acme.internal.Shop host.docker.internal:80",
        "127.0.0.1:8000 0.0.0.0 1.2.6.1-1ubuntu 0.99.22.5 v10.20 255.255.255.0 203.0.113.9 8.8.8.8",
        "12:30:45 2026:11:20 std::vec::Vec a::b",
        "/home/user/project /Users/Shared/x /home/... home/page",
        "https://github.com/acme/shop/issues/7 e3b0c44298fc1c149afbf4c8996fb92427ae41e4",
        "Hi, canabel's",
        "-rw-r--r-- 1 root staff 12 a\n-rw-r--r-- 1 1000 1000 12 b\nbrw-rw---- 1 _www _www 8, 1 c",
        "curl -b 'sid=$SESSION_ID; token=YOUR_SESSION_COOKIE_HERE; user=opaque-browser-session-value' -b jar.txt a.dev",
        f"curl a.dev\n\ngit checkout -b topic={COOKIE}",
        "-rw-r--r-- 1 ftp ftp 7 d",
        "x-rw-r--r-- 1 lena staff 12 a, mode -rw-r--r-- of 1 file of lena 12",
    ],
)
def test_what_stays(text: str) -> None:
    assert shown(text) == text


def test_own_words_and_what_is_kept() -> None:
    assert shown("ACME-api of Acme, acmé", words=("acme",)) == "[redacted]-api of [redacted], acmé"
    assert shown("anabel at a@shop.dev", kept=frozenset({"anabel", "a@shop.dev"})) == "anabel at a@shop.dev"
    assert shown(f"anabel in {HOME}/x", kept=frozenset({HOME})) == f"[user] in {HOME}/x"
    paths = f"see {ROOT}/src/a.py, /etc/ssl/x.pem, src/b.py, https://a.dev/b/c"
    assert shown(paths, paths=False) == "see …/a.py, …/x.pem, src/b.py, https://a.dev/b/c"


@pytest.mark.parametrize(
    "path",
    ["2>/dev/null", "/dev/fd/3", "/proc/self/environ", "/usr/bin/env", "/usr/local/bin/python3", "/etc/hosts", "/tmp"],
)
def test_paths_that_every_machine_has_stay(path: str) -> None:
    assert shown(f"x {path}, /srv/acme/a", paths=False) == f"x {path}, …/a"
    assert shown("/dev/shm/acme/a /etc/acme/hosts /opt/acme/bin/env", paths=False) == "…/a …/hosts …/env"


WORD = "Tr0ub" + "4dor!x"
"""A password, put together for the same reason as the token."""


@pytest.mark.parametrize("text", ["{} / {}", "{}:{}", "bw login {} {} --raw", "curl -u {} -p {}", "`{}` / `{}`."])
def test_a_password_beside_an_address_is_a_secret_wherever_it_is(text: str) -> None:
    copy = copy_of([block("user", text.format("ana@shop.dev", WORD)), block("text", f"- **Login**: `{WORD}`")])
    assert copy.turns[0].user_text == text.format("[e-mail]", "[redacted:password]")
    assert copy.turns[0].blocks[1].text == "- **Login**: `[redacted:password]`"


@pytest.mark.parametrize(
    "beside",
    [
        f" {WORD}",
        f", {WORD}",
        f" / {WORD[:7]}",
        " / Documents",
        " / README.md",
        " / src/Tr0ub4dor",
        " / https://Tr0ub4dor.dev",
        " -p --Tr0ub4dor",
        ":Tr0ub4dor/code",
        ":8080",
        " / tr0ub4dor!x",
        " / ${PASSWORD}Aa1",
    ],
)
def test_what_beside_an_address_is_no_password(beside: str) -> None:
    assert shown(f"ana@shop.dev{beside}") == f"[e-mail]{beside}"


def test_a_secret_that_one_text_tells_is_replaced_in_all_others() -> None:
    copy = copy_of(
        [
            block("user", "go"),
            block("tool_call", json.dumps({"command": "login --password 'tr0ub4dor&3'"}), tool="Bash"),
        ],
        [block("user", "then it printed tr0ub4dor&3, twice: tr0ub4dor%263")],
    )
    assert copy.turns[1].user_text == "then it printed [redacted:password], twice: [redacted:password]"
    assert json.loads(copy.turns[0].blocks[1].text) == {"command": "login --password '[redacted:password]'"}


def test_every_redaction_has_its_place_and_its_line() -> None:
    call = {"command": f"cat {HOME}/x", "description": "Show"}
    copy = copy_of(
        [
            block("user", f"Mail a@shop.dev\nor b@shop.dev: {TOKEN}"),
            block("tool_call", json.dumps(call), tool="Bash", tool_id="t"),
            block("tool_result", f"in {HOME}", tool="Bash", tool_id="t"),
        ],
        title="Ask a@shop.dev",
    )
    found = [(str(one.place), one.part, one.kind, one.before, one.shown, one.after) for one in copy.redactions]
    assert found == [
        ("heading", "title", "e-mail", "Ask ", "a@shop.dev", ""),
        ("1.1", "prompt", "e-mail", "Mail ", "a@shop.dev", ""),
        ("1.1", "prompt", "e-mail", "or ", "b@shop.dev", ": "),
        ("1.1", "prompt", "secret", "or [e-mail]: ", "ghp…J6 (40 characters)", ""),
        ("1.2", "tool call", "home", "cat ", HOME, "/x"),
        ("1.2", "tool result", "home", "in ", HOME, ""),
    ]
    assert notice(copy) == "Replaced for privacy: 3× e-mail address, 2× home folder, 1× secret."


def test_parts_and_contents_are_left_out_with_a_line_each() -> None:
    blocks = [
        block("user", "Fix it"),
        block("thinking", "a thought"),
        block("tool_call", '{"file_path": "a.py", "old_string": "one", "new_string": "two"}', tool="Edit", tool_id="e"),
        block("tool_result", "edited", tool="Edit", tool_id="e"),
        block("tool_call", '{"command": "make"}', tool="Bash", tool_id="b"),
        block("tool_result", "all is built", tool="Bash", tool_id="b"),
        block("image", "[image/png 12 kB]"),
        block("text", "> **Done.**"),
    ]
    session, turns = session_of(blocks)
    assert [(str(part.place), part.kind, part.title) for part in session_parts(session, turns[0])] == [
        ("1.1", "prompt", "Fix it"),
        ("1.2", "thinking", "a thought"),
        ("1.3", "tool call", "Edit a.py"),
        ("1.5", "tool call", "Bash: make"),
        ("1.7", "image", "[image/png 12 kB]"),
        ("1.8", "answer", "Done."),
    ]
    texts = ("Fix it", "a thought", "two", "all is built", "[image/png 12 kB]", "Done.")

    def has(**fields: object) -> list[str]:
        copy = copy_of(blocks, options=CopyOptions(**fields))  # type: ignore[arg-type]
        documents = [redacted_document(copy, name) for name in ("html", "markdown")]
        found = [[text for text in texts if text in unescape(document).replace("\\", "")] for document in documents]
        assert found[0] == found[1]
        return found[0]

    assert has() == list(texts)
    assert has(contents=Contents(thinking=False)) == ["Fix it", *texts[2:]]
    assert has(contents=Contents(tools=False)) == ["Fix it", "a thought", *texts[4:]]
    assert has(contents=Contents(results=False)) == ["Fix it", "a thought", "two", *texts[4:]]
    assert has(contents=Contents(diffs=False)) == ["Fix it", "a thought", *texts[3:]]
    assert has(left_out=frozenset({PartPlace(1, 1), PartPlace(1, 5), PartPlace(1, 8)})) == [*texts[1:3], texts[4]]
    assert has(left_out=frozenset({PartPlace(1)})) == []
    page = redacted_document(copy_of(blocks, options=CopyOptions(left_out=frozenset({PartPlace(1, 5)}))), "html")
    assert '<p class="note"><b>left out</b> a part: tool call</p>' in page


def test_what_a_part_tells_that_is_left_out_is_private_in_the_others() -> None:
    told = [block("user", f"export GITHUB_TOKEN={TOKEN}"), block("text", f"It is {TOKEN[4:]}")]
    copy = copy_of(told, [block("user", TOKEN)], options=CopyOptions(left_out=frozenset({PartPlace(1)})))
    assert copy.turns[1].user_text == "[redacted:github-token]"
    headless = CopyOptions(left_out=frozenset({PartPlace(0)}))
    page = redacted_document(copy_of([block("user", "Hi")], options=headless, title="Of Acme"), "html")
    assert ("Of Acme" in page, '<h1 dir="auto">Untitled session</h1>' in page) == (False, True)


def test_lines_of_a_patch_that_no_input_has_are_listed_and_what_was_replaced_before_is_counted() -> None:
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" by a@shop.dev", "-a", "+b"]}
    edit = {"file_path": "a.py", "old_string": "a", "new_string": "b", "note": "--password 'tr0ub4dor&3'"}
    copy = copy_of(
        [
            block("user", "Go on with [redacted:jwt]"),
            block("tool_call", json.dumps(edit), tool="Edit", tool_id="t"),
            block("tool_result", "ok", tool="Edit", tool_id="t", detail=json.dumps({"patch": [hunk]})),
        ]
    )
    found = [(str(one.place), one.part, one.kind, one.shown) for one in copy.redactions]
    assert found == [
        ("1.2", "tool call", "secret", "t… (11 characters)"),
        ("1.2", "tool result", "e-mail", "a@shop.dev"),
    ]
    assert copy.stored == 1


def test_what_the_user_added_is_in_no_copy() -> None:
    session, turns = session_of([block("user", "Hi")], member="lena", agent_title="own")
    assert (session.member, copy_of([block("user", "Hi")], member="lena").session.member) == ("lena", "")
    assert turns[0].notes == ()


def test_a_document_is_refused_if_markup_puts_something_private_together() -> None:
    copy = copy_of([block("user", "Hi"), block("text", "[a](https://x.dev)@shop.dev and a@example.com")])
    with pytest.raises(MemtuiError, match=r"^Nothing was written: 1 private text would be in the document"):
        redacted_document(copy, "html")


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda value: f"see {value} here",
    "in an attribute": lambda value: f"<a href=\"{escape(value)}\" title='{value}'>x</a>",
    "as HTML": lambda value: escape(value),
    "in a URL": lambda value: f"https://a.dev/?q={quote(value, safe='')}&r={quote(value)}",
    "as JSON": lambda value: json.dumps({"a": f"x {value}\n"}),
    "as JSON in JSON": lambda value: json.dumps(json.dumps({"a": f"x {value}\n"})),
    "over the end of a line": lambda value: f"{value[:5]}\n    {value[5:]}",
    "over the end of a line of a diff": lambda value: f"+ {value[:-4]}\n+ {value[-4:]}",
    "over the end of a line in JSON": lambda value: json.dumps(f"a {value[:6]}\n  {value[6:]}"),
    "in base64": lambda value: base64.b64encode(f"user:{value}!".encode()).decode(),
    "in base64 for URLs": lambda value: base64.urlsafe_b64encode(f"a {value} b".encode()).decode(),
    "in capitals": lambda value: value.upper(),
    "between colours": lambda value: f"\x1b[31m{value[:4]}\x1b[1m{value[4:]}\x1b[0m",
    "in a file name": lambda value: f"out/{value}.txt",
    "in Markdown": lambda value: f"**{value}** `{value}` [{value}](https://a.dev/{value})",
}
PLACES = ("user", "text", "thinking", "tool_call", "tool_result", "note", "patch", "title", "branch", "file")
PRIVATE = (TOKEN, "lena.voss@shop-labs.de", f"{HOME}/code", "Project Nightingale", "Lena Marie Voss", "anabel")
NEEDS_LENGTH = ("over the end", "in base64")


def all_of(value: str, place: str, text: str) -> RedactedCopy:
    """A session in which something private is told once, and a text is at a place."""
    told = [
        block("user", f"GITHUB_TOKEN={TOKEN} by Lena Marie Voss <lena.voss@shop-labs.de> in {HOME}/code"),
        block("text", "Ok."),
    ]
    turn = [block("user", "go on")]
    fields = {}
    if place == "tool_call":
        turn.append(block("tool_call", json.dumps({"command": text, "description": text}), tool="Bash", tool_id="t"))
    elif place == "file":
        edit = {"file_path": f"{ROOT}/{text}", "old_string": text, "new_string": f"{text} new"}
        turn.append(block("tool_call", json.dumps(edit), tool="Edit", tool_id="t"))
        turn.append(block("tool_result", "ok", tool="Edit", tool_id="t"))
    elif place == "patch":
        lines = [f"-{line}" for line in text.split("\n")]
        hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": lines}
        edit = {"file_path": "a", "old_string": "a", "new_string": "b"}
        turn.append(block("tool_call", json.dumps(edit), tool="Edit", tool_id="t"))
        turn.append(block("tool_result", "ok", tool="Edit", tool_id="t", detail=json.dumps({"patch": [hunk]})))
    elif place in {"title", "branch"}:
        fields[place] = text
    else:
        turn.append(block(place, text, tool={"note": "shell", "tool_result": "Bash"}.get(place)))
    options = CopyOptions(words=("Project Nightingale",))
    return copy_of(told, turn, options=options, **fields)


def readings(document: str) -> str:
    """A document in all the ways in which somebody may read it."""
    plain = unescape(re.sub(r"<[^>]*>", "", document))
    texts = [document, unescape(document), plain, unquote(unescape(document)), plain.replace("\\", "")]
    texts += [re.sub(r"(?:\\n|\s|^[+-])+", "", text, flags=re.MULTILINE) for text in list(texts)]
    for run in re.findall(r"[A-Za-z0-9+/_-]{8,}", plain):
        whole = run.replace("-", "+").replace("_", "/")
        texts.append(base64.b64decode(whole[: len(whole) // 4 * 4]).decode("utf-8", "replace"))
    return "\n".join(texts).lower()


@given(
    st.sampled_from(PRIVATE),
    st.sampled_from(list(FORMS)),
    st.sampled_from(PLACES),
    st.sampled_from(["html", "markdown"]),
    st.text(alphabet="ab \n\"'<>&\\`*_[](){}|#@$€", max_size=6),
)
def test_nothing_private_is_in_a_document_in_any_form(
    value: str, form: str, place: str, format_name: str, beside: str
) -> None:
    if value == "anabel" and form.startswith(NEEDS_LENGTH):
        return
    # A letter beside the name of an account makes it another word.
    joint = " " if beside[-1:].isalpha() else ""
    text = f"{beside}{joint}{FORMS[form](value)} {beside}"
    document = redacted_document(all_of(value, place, text), format_name)
    assert value.lower() not in readings(document)
    assert re.sub(r"\s+", "", value.lower()) not in readings(document)


def test_what_is_said_not_to_be_found() -> None:
    """docs/share.md lists these."""
    for text in (TOKEN[::-1], TOKEN.encode().hex(), " ".join(TOKEN), "a at shop dot dev"):
        assert copy_of([block("user", f"X={TOKEN}"), block("text", text)]).turns[0].blocks[1].text == text


@given(st.text(max_size=60))
def test_a_text_without_anything_private_stays_and_copies_are_copied_unchanged(text: str) -> None:
    once = shown(text)
    assert shown(once) == once
    if redact(text) == text and not re.search(r"[@:\d%&/\\]|\x1b", text):
        assert once == plain(text)
