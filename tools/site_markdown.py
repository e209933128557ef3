"""What the site makes of the Markdown that is also read on GitHub: pictures by theme, links out of the site, tables.

It is an extension of Python-Markdown, which every builder of sites like this one can load.
"""

from __future__ import annotations

from typing import Any, Final
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

_DARK: Final = "-dark.svg"
_BEFORE_LINKS_ARE_CHECKED: Final = 5
"""The priority; that of the builder, which resolves links, is 0."""


class SiteMarkdown(Extension):
    """The extension; `repository` is the address of the repository, `outside` lists the files that the site lacks."""

    def __init__(self, **settings: Any) -> None:
        self.config = {"repository": ["", "Address of the repository"], "outside": ["", "Files of docs/, one a line"]}
        super().__init__(**settings)

    def extendMarkdown(self, md: Markdown) -> None:
        """Register what changes links and pictures."""
        files = f"{self.getConfig('repository')}/blob/main"
        outside = frozenset(self.getConfig("outside").split())
        md.treeprocessors.register(_Links(md, files, outside), "site_links", _BEFORE_LINKS_ARE_CHECKED)
        md.treeprocessors.register(_Pictures(md), "site_pictures", _BEFORE_LINKS_ARE_CHECKED)
        md.treeprocessors.register(_Cells(md), "site_cells", _BEFORE_LINKS_ARE_CHECKED)


class _Links(Treeprocessor):
    """Links to files of the repository that the site lacks lead to the repository."""

    def __init__(self, md: Markdown, files: str, outside: frozenset[str]) -> None:
        super().__init__(md)
        self._files = files
        self._outside = outside

    def run(self, root: Element) -> None:
        for link in root.iter("a"):
            link.set("href", self._target(link.get("href", "")))

    def _target(self, href: str) -> str:
        # The changelog lies above the folder of the pages.
        href = href.removeprefix("docs/")
        if href.startswith("../"):
            return f"{self._files}/{href.removeprefix('../')}"
        return f"{self._files}/docs/{href}" if href.partition("#")[0] in self._outside else href


class _Pictures(Treeprocessor):
    """A dark picture of the app gets the light one beside it; the theme shows one of them."""

    def run(self, root: Element) -> None:
        for parent in list(root.iter()):
            for place, picture in reversed(list(enumerate(parent))):
                source = picture.get("src", "")
                if picture.tag == "img" and source.endswith(_DARK):
                    light = Element("img", picture.attrib)
                    light.set("src", source.removesuffix(_DARK) + "-light.svg#only-light")
                    light.tail, picture.tail = picture.tail, None
                    picture.set("src", f"{source}#only-dark")
                    parent.insert(place + 1, light)


class _Cells(Treeprocessor):
    """A bar in the code of a cell is written with a backslash, which GitHub does not show."""

    def run(self, root: Element) -> None:
        for code in root.iterfind(".//td//code"):
            code.text = AtomicString((code.text or "").replace("\\|", "|"))


def makeExtension(**settings: Any) -> SiteMarkdown:
    """The extension, by the name that Python-Markdown looks for."""
    return SiteMarkdown(**settings)
