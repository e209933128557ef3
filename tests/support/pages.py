"""What a browser would find in a page, and texts that try to act in one."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import strategies as st

# Pieces that Markdown, HTML and terminals give a meaning to, in any order.
HOSTILE = st.lists(
    st.sampled_from(
        [
            "`", "```", "````", "~~~", "~", "    ", "  ", "\t", "\n", "\n\n", "> ", "- ", "1. ", "# ", "---", "===",
            "|", "|-|", "*", "_", "\\", "$", "&amp;", "&", "<", ">", "<!--", "-->", "<!", "<?", "]]>", "<![CDATA[",
            "<script>", "</script>", "<div>", "</details>", "<pre>", "<style>", "<textarea>", "<b", "</", "='",
            "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "[a](JaVa&#115;cript:x)",
            "![p](http://x.example)", "[a]: javascript:x", "[a]", "[!NOTE]", "<javascript:x>", "<https://x.example>",
            "'", '"', "# end", "a", "word", "é",
        ]
    )
    | st.text(max_size=4),
    max_size=14,
).map("".join)  # fmt: skip


class Page(HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"br", "hr"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def assert_inert(self) -> None:
        assert self.open == []
        assert set(self.tags) & {"script", "img", "iframe", "object", "embed", "link", "base", "form", "svg"} == set()
        assert [name for name, _ in self.attributes if name.startswith("on") or name == "src"] == []
        styles = {value for name, value in self.attributes if name == "style"}
        assert styles <= {"text-align:left", "text-align:right", "text-align:center"}
        links = [value for name, value in self.attributes if name == "href"]
        assert [link for link in links if not re.match(r"#turn-\d+$|https?://|mailto:", link, re.IGNORECASE)] == []
