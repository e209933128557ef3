"""The manual page, `docs/memtui.1`, made of the help of all commands; `make tables` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Final

import click

from tools.command_contexts import command_contexts

PAGE: Final = Path(__file__).parent.parent / "docs/memtui.1"
_ENVIRONMENT: Final = {
    "MEMTUI_DATA_DIR": "The folder of the index; else memtui in $XDG_DATA_HOME or ~/.local/share, and elsewhere the"
    " user's data folder.",
    "MEMTUI_CONFIG": "The settings file; else memtui/config.toml in $XDG_CONFIG_HOME or ~/.config, and elsewhere the"
    " user's config folder.",
    "MEMTUI_LOG": "The lowest level that the log has: debug, info, warning (the default), error or off.",
    "MEMTUI_SSH": "The command that reaches other machines, in the place of ssh.",
    "MEMTUI_TEAM_URL, MEMTUI_TEAM_ADMIN_URL": "The address of a team's server, for a member and an administrator.",
    "NO_COLOR": "No colours, if it is set.",
    "PAGER": "What pages long results on a terminal.",
    "VISUAL, EDITOR": "The editor in which the app opens files.",
}
_FILES: Final = {
    "~/.config/memtui/config.toml": "The settings.",
    "~/.config/memtui/prices.toml": "Your table of prices.",
    "~/.config/memtui/themes/": "Your themes.",
    "~/.local/share/memtui/": "The index, and all that memtui keeps; memtui backup writes it to one file.",
    "~/.local/share/memtui/memtui.log": "The log.",
}
_EXIT: Final = {
    "0": "Done; also if nothing was found. A part of a query that is not valid is left out, and standard error says"
    " why.",
    "1": "It failed, and standard error says why; nothing was chosen (pick); the app has crashed, or its terminal was"
    " gone.",
    "2": "Wrong usage: a command, an option, a value of an option or a turn of a session that does not exist; or a"
    " question that standard input, which is no terminal, cannot answer.",
}
_EXAMPLES: Final = {
    "memtui": "Open the app.",
    "memtui search 'upload project:shop has:error'": "Find turns.",
    "memtui show $(memtui pick)": "Choose a session in the app, and print it.",
    'memtui sql "SELECT project, count(*) FROM sessions GROUP BY 1"': "Ask by SQL.",
}


def man_page() -> str:
    """The page, for groff with the macros of man."""
    root, *commands = command_contexts()
    lines = ['.TH MEMTUI 1 "" memtui "User Commands"', ".SH NAME", "memtui \\- the memory of your coding agents"]
    lines += [".SH SYNOPSIS", _synopsis(root), ".SH DESCRIPTION", *_help(root.command), *_options(root)]
    lines += [
        ".PP",
        _text("Every command prints results on standard output and everything else on standard error."),
        ".SH COMMANDS",
    ]
    for context in commands:
        lines += [f".SS {_text(context.command_path)}", _synopsis(context), ".PP", *_help(context.command)]
        lines += _options(context)
    for title, entries in (("EXIT STATUS", _EXIT), ("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        lines += [f".SH {title}", *_entries(entries)]
    lines += [".SH EXAMPLES", *_entries(_EXAMPLES), ".SH SEE ALSO", ".BR fzf (1)"]
    return "\n".join(lines) + "\n"


def _synopsis(context: click.Context) -> str:
    usage = " ".join(context.command.collect_usage_pieces(context))
    return f"\\fB{_text(context.command_path)}\\fP {_text(usage)}"


def _help(command: click.Command) -> Iterator[str]:
    for number, paragraph in enumerate(cleandoc(command.help or "").split("\n\n")):
        if number:
            yield ".PP"
        if paragraph.startswith("\b"):
            yield from (".nf", *map(_text, paragraph.splitlines()[1:]), ".fi")
        else:
            yield _text(" ".join(paragraph.split()))


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None and "--help" not in parameter.opts:
            yield from _entries({record[0]: " ".join(record[1].split())})


def _entries(entries: dict[str, str]) -> Iterator[str]:
    for name, about in entries.items():
        yield from (".TP", f"\\fB{_text(name)}\\fP", _text(about))


def _text(text: str) -> str:
    """A line that roff takes as text."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"[^\x00-\x7f]", lambda sign: f"\\[u{ord(sign[0]):04X}]", text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    PAGE.write_text(man_page(), "utf-8")
