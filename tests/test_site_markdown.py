"""What the site makes of pictures, links and tables."""

from __future__ import annotations

import markdown
import pytest

from tools.site_markdown import SiteMarkdown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "![hits](screens/hits-140x40-dark.svg) and ![cast](demo-cast.svg)",
            '<p><img alt="hits" src="screens/hits-140x40-dark.svg#only-dark" />'
            '<img alt="hits" src="screens/hits-140x40-light.svg#only-light" />'
            ' and <img alt="cast" src="demo-cast.svg" /></p>',
        ),
        (
            "![a](a-dark.svg) ![b](b-dark.svg)",
            '<p><img alt="a" src="a-dark.svg#only-dark" /><img alt="a" src="a-light.svg#only-light" /> '
            '<img alt="b" src="b-dark.svg#only-dark" /><img alt="b" src="b-light.svg#only-light" /></p>',
        ),
        ("[page](files.md#the-list)", '<p><a href="files.md#the-list">page</a></p>'),
        ("[page](docs/files.md)", '<p><a href="files.md">page</a></p>'),
        (
            "[rules](../CONTRIBUTING.md#tests)",
            '<p><a href="https://host/repo/blob/main/CONTRIBUTING.md#tests">rules</a></p>',
        ),
        ("[words](glossary.md#turn)", '<p><a href="https://host/repo/blob/main/docs/glossary.md#turn">words</a></p>'),
        ("[site](https://elsewhere/glossary.md)", '<p><a href="https://elsewhere/glossary.md">site</a></p>'),
        ("`a\\|b`", "<p><code>a\\|b</code></p>"),
        (
            "| `x` |\n|---|\n| `a\\|<b>` |",
            "<table>\n<thead>\n<tr>\n<th><code>x</code></th>\n</tr>\n</thead>\n"
            "<tbody>\n<tr>\n<td><code>a|&lt;b&gt;</code></td>\n</tr>\n</tbody>\n</table>",
        ),
    ],
)
def test_what_the_site_shows(written: str, shown: str) -> None:
    site = SiteMarkdown(repository="https://host/repo", outside="glossary.md\nspec.md\n")
    assert markdown.markdown(written, extensions=["tables", site]) == shown
