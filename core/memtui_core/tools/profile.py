"""What an agent's tools are called, as data: each reader's package has a `profile` with a value of this class."""

from __future__ import annotations

from typing import NamedTuple

Names = tuple[str, ...]


class Profile(NamedTuple):
    """What an agent calls its tools and their arguments, and what it writes into their results.

    Names of tools count in any case, names of arguments as they are. Where a call has several arguments of a field, the
    first one of the field counts. What several agents use is declared once, in `readers/agents/generic/profile.py`.
    """

    reads: Names = ()
    """Tools that read one file."""
    edits: Names = ()
    """Tools that change parts of files."""
    writes: Names = ()
    """Tools that write one whole file."""
    editors: Names = ()
    """Tools that read, edit or write a file, depending on the argument `command`."""
    shells: Names = ()
    """Tools that run a command."""
    reading_shells: Names = ()
    """Shells of an agent that has no tool to read files: what their commands show counts as read."""
    searches: Names = ()
    """Tools that search in files and return lines of them."""
    listings: Names = ()
    """Tools that search for files and return their names."""
    web: Names = ()
    """Tools that fetch or search pages of the web."""
    tasks: Names = ()
    """Tools that hand work to a subagent."""
    plans: Names = ()
    """Tools that keep the agent's own list of things to do."""

    scripts: Names = ()
    """Shells whose argument `input` is a script that calls other tools."""
    quiet_listings: Names = ()
    """Listings that mention no file and no folder."""
    name_only: Names = ()
    """Tools for files whose summary line is only their name. Here the case counts."""
    bookkeeping: Names = ()
    """Tools whose results only confirm a change of the agent's own tasks; left out of texts for semantic search."""
    reports: Names = ()
    """Tools for the agent's own tasks whose results say something: answers, plans, outputs. Left out, too."""
    todo_lists: Names = ()
    """Tools whose call has the whole list of to-dos, in the argument `todos`."""
    task_creations: Names = ()
    """Tools that add one task to the list: the argument `subject`, and the result `Task #1 created`."""
    task_updates: Names = ()
    """Tools that change one task of the list: the arguments `taskId` and `status`."""
    questions: Names = ()
    """Tools that ask the user questions: the argument `questions`, and a result with `"question"="answer"`."""
    proposals: Names = ()
    """Tools that show the user a plan to agree to."""
    conclusions: Names = ()
    """Tools with which the agent ends its turn: what it says to the user is an argument."""

    paths: Names = ()
    """Arguments that name a file or folder."""
    commands: Names = ()
    """Arguments with a shell command."""
    purposes: Names = ()
    """Arguments of a shell in which the agent says what a command is for."""
    folders: Names = ()
    """Arguments with the folder in which a command is run."""
    old_texts: Names = ()
    """Arguments with the text that an edit replaces."""
    new_texts: Names = ()
    """Arguments with the text that an edit puts in its place."""
    contents: Names = ()
    """Arguments with the content of a file that is written."""
    cells: Names = ()
    """Arguments with the content of a cell of a notebook."""
    edit_lists: Names = ()
    """Arguments with several replacements in one file, or with one as an object."""
    numbered: tuple[tuple[str, str], ...] = ()
    """Old and new text where each replacement has a number, from 1 on: `old_str_1`, `new_str_1`."""
    blocks: Names = ()
    """Arguments with replacements as blocks `SEARCH` and `REPLACE`, if they contain some."""
    patches: Names = ()
    """Arguments with a patch."""
    subjects: Names = ()
    """Arguments that describe the purpose of a call without path and command."""

    exit_phrases: Names = ()
    """Patterns of the text before an exit code near the start of a result, in any case."""
    exit_lines: Names = ()
    """Patterns of the text between the start of a line and an exit code, in the first or last lines of a shell."""
    result_heads: Names = ()
    """Patterns of what the agent's program writes before the output of a command: its exit code, its duration."""
    durations: Names = ()
    """Patterns of a duration in such a head, whose group 1 are seconds."""
    rejections: Names = ()
    """Texts near the start of a result that say that the user rejected the call."""
    rejection_reasons: Names = ()
    """Patterns of a rejection whose group 1 is what the user wrote about it."""
    error_phrases: Names = ()
    """Patterns of errors that come from the agent's own program."""
