"""Sessions in which an error came up, for tests of how it was mended."""

from __future__ import annotations

from support.transcripts import Script

TEST = "npm test"
MISSING = "src/cart.ts(12,5): error TS2304: Cannot find name 'total'."
AGAIN = "../web/src/cart.ts(3,41): error TS2304: Cannot find name 'total'."
"""The same error elsewhere."""


class Work(Script):
    """A session that runs commands and edits files, each with an id of its own."""

    def shell(self, command: str, output: str = "", *, failed: bool = False) -> None:
        """A command with its output."""
        self.calls("Bash", {"command": command}, f"t{self.count}")
        self.result(output, f"t{self.count - 1}", error=failed)

    def fails(self, command: str = TEST, error: str = MISSING) -> None:
        """A command that fails with an error."""
        self.shell(command, f"Exit code 2\n\n{error}", failed=True)

    def passes(self, command: str = TEST) -> None:
        """A check that passes."""
        self.shell(command, "3 passed in 0.1s")

    def edits(self, path: str, old: str, new: str) -> None:
        """An edit of a file of the project."""
        fields = {"file_path": f"{self.cwd}/{path}", "old_string": old, "new_string": new}
        self.calls("Edit", fields, f"t{self.count}")
        self.result("ok", f"t{self.count - 1}")


def mended_at_once(script: Work) -> Work:
    """An error, the edit of the file that it names, and the pass, all in one turn."""
    script.user("Add the total")
    script.fails()
    script.edits("src/cart.ts", "const sum = 0", "const total = 0")
    script.edits("README.md", "sum", "total")
    script.passes()
    return script


def mended(script: Work) -> Work:
    """An error, edits of two files, and the pass."""
    script.user("Add the total")
    script.fails()
    script.edits("src/cart.ts", "const sum = 0", "const total = 0")
    script.edits("README.md", "sum", "total")
    script.user("Go on")
    script.passes()
    return script
