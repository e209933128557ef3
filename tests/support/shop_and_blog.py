"""Sessions to be reminded of: two of a shop and one of a blog."""

from __future__ import annotations

from pathlib import Path

from support.transcripts import OTHER_SESSION, Script

ROOT = "/home/ana/code/shop"
BLOG_SESSION = f"3{OTHER_SESSION[1:]}"


def edit(script: Script, path: str, number: int, says: str = "") -> None:
    """An edit of a file of the shop, and what the agent says after it."""
    script.calls("Edit", {"file_path": f"{ROOT}/{path}", "old_string": "a", "new_string": "b"}, f"t{number}")
    script.result("done", f"t{number}")
    if says:
        script.says(says)


def shop_and_blog(folder: Path) -> list[Path]:
    """The transcripts, each in a folder of its own."""
    one, two, blog = Script(), Script(OTHER_SESSION, prefix="f"), Script(BLOG_SESSION, "/home/ana/code/blog", "g")
    one.user("Why does the upload of pictures fail on slow networks?")
    one.says("The client gives up after ten seconds; the upload needs a longer time limit.")
    one.user("Paint the buttons green")
    edit(one, "src/theme.py", 1)
    edit(one, "src/upload.py", 2, "They are green.\n\n## Painted")
    two.user("Write an invoice for March")
    edit(two, "src/theme.py", 3)
    two.user("ok")
    blog.user("The upload of pictures fails on slow networks, why?")
    blog.says("The time limit is too short.")
    return [script.write(folder / str(place)) for place, script in enumerate((one, two, blog))]
