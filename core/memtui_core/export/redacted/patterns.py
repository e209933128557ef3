"""What is private by its form: e-mail addresses and the names beside them, home folders, hosts, network addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui_core.export.redacted.cookies import cookie_spans
from memtui_core.export.redacted.logins import password_after
from memtui_core.export.redacted.spans import PrivateSpan
from memtui_core.text.redaction.values import words

E_MAIL: Final = "[e-mail]"
NAME: Final = "[name]"
HOME: Final = "~"
USER: Final = "[user]"
HOST: Final = "[host]"

NO_NAMES: Final = frozenset(
    words(
        """root user users ubuntu debian node runner admin administrator app dev test tester vscode codespace agent
    docker git www www-data ec2-user home me you name username vagrant jenkins build builder deploy guest localhost
    local host server default public shared system service worker main master data code work src nobody developer
    coder opc sandbox workspace linux mac windows macbook computer laptop desktop machine dependabot github-actions
    renovate daemon postgres mysql redis mongodb nginx apache http httpd ftp wheel staff"""
    )
)
"""Names of accounts and machines that are no person's: as words they stay."""

_TOP: Final = frozenset(
    words(
        """com net org edu gov mil int info biz name pro dev app ai cloud online site xyz email company tech systems
    software agency studio design digital shop store blog group team world life live work solutions services consulting
    engineering network academy health science school university international global media news events legal law bank
    finance fund capital ventures partners community social eco green energy space fm tv ngo foundation museum coop jobs
    mobi travel asia berlin hamburg koeln cologne wien paris london nyc swiss amsterdam barcelona madrid tokyo"""
    )
)
"""Ends of domains besides those of countries, which have two letters."""
_INSIDE: Final = ("local", "lan", "internal", "corp", "intranet", "intra", "localdomain", "home.arpa", "private")
"""Ends of the names of hosts within a network."""
_NOBODY: Final = frozenset({"git", "noreply", "no-reply", "donotreply", "do-not-reply", "mailer-daemon", "hg", "svn"})
"""What is before the `@` of an address that is no person's."""
_EXAMPLES: Final = re.compile(
    r"(?:^|\.)(?:example\.(?:com|net|org|edu)|(?:your)?(?:domain|company|email)\.com|test\.com|acme\.com|foo\.com"
    r"|bar\.com|a\.com|b\.com|x\.com|y\.com|mail\.com)$|\.(?:example|test|invalid|localhost)$"
)
"""Domains of documentation."""
_E_MAIL: Final = re.compile(
    r"(?<![\w.+-])[_.+-]*([^\W_](?:[\w.+-]|\\_)*)(?:\\?@|%40)((?:[^\W_](?:[^\W_]|-)*\.){1,4}([A-Za-z]{2,24}))"
    r"(?![^\W_]|-|\.[^\W_]|[(\[])"
)
_CAPITALIZED: Final = r"[^\W\d_a-z][^\W\d_]*[.'’-]?[^\W\d_]*"
_BESIDE: Final = re.compile(rf"({_CAPITALIZED}(?: (?:[^\W\d_]{{1,3}} )?{_CAPITALIZED}){{1,3}})[ \"]{{0,2}}<\Z")
"""A name of at least two words before an address in angle brackets."""
_LEADS: Final = frozenset({"From", "To", "Cc", "Bcc", "By", "Author", "Committer", "Contact", "Date", "Signed"})
_HOME: Final = re.compile(
    r"(?<![\w.])(?:(?:/mnt|/cygdrive)?/[a-z]/Users/|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)"
    r"|\\{2,4}[\w.$-]+(?:\\{1,2}[\w.$-]+)?\\{1,2}(?:Users|home)\\{1,2}|/(?:var/|export/|net/)?home/|/Users/)"
    r"([^\W_][\w.-]{0,63})",
)
_HOME_IN_NAME: Final = re.compile(r"(?<![\w.-])(?:[A-Za-z]-)?-(?:Users|home)-([^\W_]+)(?=-)")
"""The same in the name of a folder that an agent made of a path: `-home-ana-shop`."""
_OWN_TEMPORARY: Final = re.compile(r"/var/folders/([a-z0-9_]{2}/[a-z0-9_]{20,40})")
"""The folder of macOS for temporary files, whose name tells the account."""
_NO_HOMES: Final = frozenset({"shared", "public", "default", "linuxbrew", "user", "username", "you", "me", "name"})
"""Folders beside the home folders, and what documentation writes in the place of a name."""
_OWNER: Final = re.compile(
    r"(?:(?<=\\n)|(?<![\w/.-]))[-dlbcps](?:[-r][-w][-xsStT]){3}[.+@]?[ \t]+\d+[ \t]+([A-Za-z][\w.-]{1,31})[ \t]+"
    r"(domain users|[A-Za-z][\w.-]{0,31})[ \t]+\d[\d.,]*[KMGT]?,?[ \t]"
)
"""The account to which a file belongs, and its group, in a line of `ls -l`."""
_PROMPT: Final = re.compile(
    r"(?<![\w.@/:+-])([A-Za-z_][\w.-]{0,31})@([A-Za-z0-9][\w-]{1,62}(?:\.[\w-]+){0,4})(?=:[~/])"
)
"""The user and the host before a folder, as in the prompt of a shell and for `scp`."""
_SSH: Final = re.compile(
    r"\b(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)\b(?:[ \t]+-[A-Za-z]+(?:[ \t]+[\w./~=:-]+)??){0,4}[ \t]+"
    r"(?:[\w./~-]+[ \t]+)?([A-Za-z_][\w.-]{0,31})@([A-Za-z0-9][\w.-]{1,100})"
)
_LOCAL_NAME: Final = re.compile(
    rf"(?:(?<=://)|(?<=@))((?:[\w-]+\.){{1,5}}(?:{'|'.join(_INSIDE)}))(?![\w.-]*\w)"
    rf"|(?<![\w.@/-])((?:[\w-]+\.){{1,5}}(?:{'|'.join(_INSIDE)}))(?=:[0-9]{{2,5}}\b)"
)
_KNOWN_HOSTS: Final = frozenset(
    words(
        """github.com gitlab.com bitbucket.org codeberg.org ssh.github.com git.sr.ht localhost host.docker.internal
    host.containers.internal gateway.docker.internal kubernetes.docker.internal metadata.google.internal"""
    )
)
_ADDRESS: Final = re.compile(
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\d)"
)
_PRIVATE: Final = re.compile(r"10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.")
_NO_HOST: Final = re.compile(
    r"127\.|0\.|255\.|169\.254\.169\.254$|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|22[4-9]\.|8\.8\.|1\.[01]\.[01]\.|9\.9\.9\.9$"
    r"|.*\.0\.0$|1\.2\.3\.4$"
)
"""Addresses that are everybody's: of the machine itself, of documentation, of well-known servers, and of networks."""
_IN_VERSION: Final = re.compile(r"(?:[=v_/-]|version |Version )\Z")
"""What is before a number with three dots that is a version."""
_LARGE: Final = 50
"""Versions rarely have two numbers above this one; addresses mostly do."""
_ADDRESS_6: Final = re.compile(
    r"(?<![\w:.])(?:2[0-9a-fA-F]{3}|f[de][0-9a-fA-F]{2}):(?:[0-9a-fA-F]{0,4}:){1,6}[0-9a-fA-F]{0,4}(?![\w:])"
)
_PATH: Final = re.compile(r"(?<![\w.:/~\\-])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){1,40}[/\\]([\w.@+-]+)")
"""An absolute path with at least two folders."""
_OF_SYSTEM: Final = re.compile(
    r"/(?:dev(?:/(?:fd|pts))?|proc(?:/(?:self|net|\d+))?|(?:usr/(?:local/)?)?s?bin)/[^/]+"
    r"|/etc/(?:hosts|passwd|group|fstab|resolv\.conf|os-release|profile|shells|localtime|timezone|environment)"
)
"""Paths that every machine has: devices, processes, programs, settings."""


def pattern_spans(text: str, *, paths: bool) -> Iterator[PrivateSpan]:
    """What is private by its form; absolute paths only if `paths`."""
    if "@" in text or "%40" in text:
        yield from _mail_spans(text)
        for pattern in (_PROMPT, _SSH):
            for match in pattern.finditer(text):
                if match[2].lower() not in _KNOWN_HOSTS:
                    yield PrivateSpan(match.start(1), match.end(1), "user", USER)
                    yield PrivateSpan(match.start(2), match.end(2), "host", HOST)
    if "curl " in text:
        yield from cookie_spans(text)
    for pattern in (_HOME, _HOME_IN_NAME):
        for match in pattern.finditer(text):
            if match[1].lower() not in _NO_HOMES:
                yield PrivateSpan(match.start(1), match.end(1), "user", USER)
    for match in _OWNER.finditer(text):
        if match[1].lower() not in NO_NAMES:
            for group in (1, 2) if match[2] == match[1] else (1,):
                yield PrivateSpan(match.start(group), match.end(group), "user", USER)
    for match in _OWN_TEMPORARY.finditer(text):
        yield PrivateSpan(match.start(1), match.end(1), "user", USER)
    for match in _LOCAL_NAME.finditer(text):
        if (match[1] or match[2]).lower() not in _KNOWN_HOSTS:
            yield PrivateSpan(match.start(), match.end(), "host", HOST)
    for match in _ADDRESS.finditer(text):
        if not _NO_HOST.match(match[0]) and _is_address(text, match):
            yield PrivateSpan(match.start(), match.end(), "host", HOST)
    for match in _ADDRESS_6.finditer(text) if ":" in text else ():
        if ("::" in match[0] or re.search("[a-fA-F]", match[0][1:])) and not match[0].lower().startswith("2001:db8:"):
            yield PrivateSpan(match.start(), match.end(), "host", HOST)
    if paths:
        for match in _PATH.finditer(text):
            if not _OF_SYSTEM.fullmatch(match[0]):
                yield PrivateSpan(match.start(), match.start(1), "path", "…/")


def _is_address(text: str, match: re.Match[str]) -> bool:
    """Whether four numbers are the address of a machine, and no version."""
    before = text[max(0, match.start() - 8) : match.start()]
    if _PRIVATE.match(match[0]) or before.endswith(("://", "@")):
        return True
    large = sum(int(number) > _LARGE for number in match[0].split("."))
    return large >= 2 and not _IN_VERSION.search(before) and text[match.end() : match.end() + 1] not in {"-", "+", "_"}


def homes_in(folder: str) -> list[str]:
    """The home folder that a folder is in, if there is one."""
    match = _HOME.match(folder)
    return [match[0]] if match and match[1].lower() != "shared" else []


def _mail_spans(text: str) -> Iterator[PrivateSpan]:
    for match in _E_MAIL.finditer(text):
        domain, top = match[2].lower(), match[3]
        is_domain = top.islower() and (len(top) == 2 or top in _TOP or top in _INSIDE)
        if not is_domain or match[1].lower() in _NOBODY or _EXAMPLES.search(domain) or re.match(r"\d+x\.", domain):
            continue
        yield PrivateSpan(match.start(1), match.end(), "e-mail", E_MAIL)
        if password := password_after(text, match.start(1), match.end()):
            yield password
        if name := _BESIDE.search(text, max(0, match.start() - 80), match.start()):
            parts = name[1].split()
            skipped = next((at for at, word in enumerate(parts) if word not in _LEADS), len(parts))
            if skipped < len(parts):
                start = name.start(1) + len(" ".join(parts[:skipped])) + (skipped > 0)
                yield PrivateSpan(start, name.end(1), "name", NAME)
