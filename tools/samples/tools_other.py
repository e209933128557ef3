"""Tools that run, ask and fetch, and calls that came to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .blocks import Call, Json, Outcome, Stage, failed

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)


@dataclass(frozen=True)
class Bash:
    """A command and what it printed."""

    command: str
    out: str = ""
    about: str = ""
    code: int = 0
    err: str = ""
    background: str = ""
    """Id of the task that goes on while the agent does."""
    pr: tuple[int, str] | None = None
    """Number and url of the pull request that the command opened."""
    name: str = "Bash"

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        given: Json = {"command": self.command}
        given |= {"description": self.about} if self.about else {}
        return given | ({"run_in_background": True} if self.background else {})

    def play(self, stage: Stage) -> Outcome:
        """Return what the command printed."""
        if self.code:
            return failed("\n".join(filter(None, [f"Exit code {self.code}", self.err, self.out])))
        result: Json = {"stdout": self.out, "stderr": self.err, "interrupted": False, "isImage": False}
        if stage.version >= (2, 1, 39):
            result["noOutputExpected"] = False
        if self.background:
            said = f"Command running in background with ID: {self.background}. Output is being written to: "
            result["backgroundTaskId"] = self.background
            return Outcome(said + task_output(self.background), result, False)
        if self.pr and stage.version >= (2, 1, 200):
            number, url = self.pr
            result["gitOperation"] = {"pr": {"number": number, "url": url, "action": "created"}}
        return Outcome("\n".join(filter(None, [self.out, self.err])), result, False)


def task_output(task: str) -> str:
    """Return where a background task writes."""
    return f"/home/ana/.cache/claude/tasks/{task}.output"


@dataclass(frozen=True)
class Todos:
    """The to-do list of older versions: `done`, then the one in hand, then the others."""

    done: tuple[str, ...] = ()
    now: str | None = None
    later: tuple[str, ...] = ()
    name: str = "TodoWrite"

    def items(self) -> list[Json]:
        """Return the list as the agent stores it."""
        rows = [(text, "completed") for text in self.done] + ([(self.now, "in_progress")] if self.now else [])
        rows += [(text, "pending") for text in self.later]
        return [{"content": text, "status": status, "activeForm": f"Working on: {text}"} for text, status in rows]

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return {"todos": self.items()}

    def play(self, stage: Stage) -> Outcome:
        """Return the usual confirmation."""
        said = "Todos have been modified successfully. Ensure that you continue to use the todo list."
        before, stage.todos = stage.todos, self.items()
        return Outcome(said, {"oldTodos": before, "newTodos": self.items()})


@dataclass(frozen=True)
class Tool:
    """Any other tool, with its answer."""

    name: str
    given: Json
    content: Any
    result: Any = None
    """`toolUseResult`; the content when nothing is said."""
    error: bool | None = None

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return self.given

    def play(self, stage: Stage) -> Outcome:
        """Return the answer."""
        return Outcome(self.content, self.content if self.result is None else self.result, self.error)


def fetch(url: str, prompt: str, answer: str) -> Tool:
    """Return a WebFetch call."""
    result = {"bytes": 18_211, "code": 200, "codeText": "OK", "result": answer, "durationMs": 2411, "url": url}
    return Tool("WebFetch", {"url": url, "prompt": prompt}, answer, result)


def mcp(name: str, given: Json, answer: str) -> Tool:
    """Return a call of a tool of an MCP server."""
    return Tool(name, given, [{"type": "text", "text": answer}])


def task_create(number: int, subject: str, description: str) -> Tool:
    """Return a TaskCreate call."""
    given = {"subject": subject, "description": description, "activeForm": f"Working on: {subject}"}
    said = f"Task #{number} created successfully: {subject}"
    return Tool("TaskCreate", given, said, {"task": {"id": str(number), "subject": subject}})


def task_update(number: int, status: str) -> Tool:
    """Return a TaskUpdate call."""
    change = {"from": "pending" if status == "in_progress" else "in_progress", "to": status}
    result = {"success": True, "taskId": str(number), "updatedFields": ["status"], "statusChange": change}
    return Tool("TaskUpdate", {"taskId": str(number), "status": status}, f"Updated task #{number} status", result)


def ask(question: str, header: str, options: tuple[tuple[str, str], ...], answer: str) -> Tool:
    """Return an AskUserQuestion call with its answer."""
    choices = [{"label": label, "description": text} for label, text in options]
    asked = [{"question": question, "header": header, "options": choices, "multiSelect": False}]
    said = (
        f'User has answered your questions: "{question}"="{answer}". You can now continue with these answers in mind.'
    )
    return Tool("AskUserQuestion", {"questions": asked}, said, {"questions": asked, "answers": {question: answer}})


@dataclass(frozen=True)
class Denied:
    """A call that the person refused."""

    call: Call

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.call.name

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return self.call.input(stage)

    def play(self, stage: Stage) -> Outcome:
        """Return the refusal; nothing is done to the files."""
        extra = {"toolDenialKind": "user-rejected"} if stage.newer else None
        return Outcome(REFUSED, "User rejected tool use", True, extra)


@dataclass(frozen=True)
class Cut:
    """A call that was interrupted: there is no result."""

    call: Call

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.call.name

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""
        return self.call.input(stage)

    def play(self, stage: Stage) -> Outcome:
        """Never played."""
        raise NotImplementedError
