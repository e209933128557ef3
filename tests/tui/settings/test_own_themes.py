"""Themes of the user: read from files, chosen in the palette, and refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.theme import Theme

from memtui.app import MemtuiApp
from memtui.settings.config import Config
from memtui.settings.own_themes import load_themes
from support.screens import app_on, notices, settled, type_text

HARBOR = """\
primary = "#4f8a8b"
accent = "#f9b208"
background = "#1b262c"
foreground = "#eeeeee"
luminosity_spread = 0.2
[variables]
block-cursor-text-style = "bold underline"
input-selection-background = "#4f8a8b 40%"
link-color = "auto 70%"
link-style-hover = "b not underline"
"""


def test_a_theme_has_the_fields_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "harbor.toml").write_text(HARBOR)
    (tmp_path / "paper.toml").write_text('name = "Paper"\nprimary = "navy"\ndark = false\n')
    (tmp_path / "notes.txt").write_text("no theme")
    assert load_themes(tmp_path) == (
        [
            Theme(
                "harbor",
                primary="#4f8a8b",
                accent="#f9b208",
                background="#1b262c",
                foreground="#eeeeee",
                luminosity_spread=0.2,
                variables={
                    "block-cursor-text-style": "bold underline",
                    "input-selection-background": "#4f8a8b 40%",
                    "link-color": "auto 70%",
                    "link-style-hover": "b not underline",
                },
            ),
            Theme("Paper", primary="navy", dark=False),
        ],
        [],
    )
    assert load_themes(tmp_path / "none") == ([], [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("primary = ", "Invalid value (at end of document)"),
        ('accent = "red"', "primary is missing: the colour from which the others are made."),
        ('primary = "reddish"', "primary must be a colour, such as \"#88c0d0\", and is 'reddish'."),
        ("primary = 3", 'primary must be a colour, such as "#88c0d0", and is 3.'),
        ('primary = "#88c0d0 50%"', "primary must be a colour, such as \"#88c0d0\", and is '#88c0d0 50%'."),
        ('primary = "red"\naccent = "auto"', "accent must be a colour, such as \"#88c0d0\", and is 'auto'."),
        (
            'primary = "red"\nluminosity_spread = nan',
            "luminosity_spread must be a number from 0 to 1, and is nan.",
        ),
        ('primary = "red"\ndark = "yes"', "dark must be true or false, and is 'yes'."),
        ('primary = "red"\ncolor = "red"', "a theme has no field 'color'."),
        ('primary = "red"\nname = "nord"', "'nord' is the name of a theme that comes with memtui."),
        ('primary = "red"\nname = "[/]"', "the name of a theme must be without brackets, and is '[/]'."),
        ('primary = "red"\n[variables]\nzebra = "red"', "variables.zebra: there is no such variable."),
        (
            'primary = "red"\n[variables]\nblock-cursor-text-style = "loud"',
            "variables.block-cursor-text-style must be a style, such as \"bold underline\", and is 'loud'.",
        ),
        (
            'primary = "red"\n[variables]\nborder = "red; }"',
            "variables.border must be a colour, such as \"#88c0d0\", and is 'red; }'.",
        ),
        *(
            (
                f'primary = "red"\n[variables]\n{variable} = "auto"',
                f"variables.{variable} must be a colour, such as \"#88c0d0\", and is 'auto'.",
            )
            for variable in ("background-darken-1", "text-accent", "border", "scrollbar")
        ),
        *(
            (
                f'primary = "red"\n[variables]\n{variable} = "red 40%"',
                f"variables.{variable} must be a colour without a percentage, such as \"#88c0d0\", and is 'red 40%'.",
            )
            for variable in (
                *("primary-lighten-1", "background", "panel", "text-accent"),
                *("block-cursor-blurred-background", "screen-selection-background"),
            )
        ),
        *(
            (
                f'primary = "red"\n[variables]\nborder = "{value}"',
                f"variables.border must be a colour, such as \"#88c0d0\", and is '{value}'.",
            )
            for value in ("red 40", "red 1e1%")
        ),
        *(
            (
                f'primary = "red"\n[variables]\nlink-style-hover = "{value}"',
                f"variables.link-style-hover must be a style, such as \"bold underline\", and is '{value}'.",
            )
            for value in ("red", "bold not", "bold none")
        ),
    ],
)
def test_a_file_without_a_theme_is_named_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text)
    (tmp_path / "good.toml").write_text('primary = "red"')
    themes, failures = load_themes(tmp_path)
    assert [theme.name for theme in themes] == ["good"]
    assert failures == [f"{tmp_path / 'bad.toml'}: {reason}"]


async def test_own_themes_are_offered_in_the_palette_and_kept(sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "harbor.toml").write_text(HARBOR)
    themes, _ = load_themes(tmp_path)
    for chosen in (None, "harbor"):
        app = MemtuiApp(sample_index, config=Config(theme=chosen), run_indexer=False, themes=themes)
        async with app.run_test(size=(120, 30)) as pilot:
            await settled(pilot)
            if chosen is None:
                await pilot.press("ctrl+p")
                await type_text(pilot, "dark")
                await pilot.press("enter")
                await type_text(pilot, "harbor")
                await pilot.press("enter")
                await settled(pilot)
            assert app.theme == "harbor"
            # Textual has rounded the colour.
            assert app.get_css_variables()["accent"] == "#F8B208"


async def test_a_theme_whose_file_is_gone_is_told(sample_index: Path) -> None:
    app = app_on(sample_index, "harbor")
    async with app.run_test() as pilot:
        await settled(pilot)
        assert notices(pilot) == ["Settings: There is no theme 'harbor'."]
        assert app.theme == "textual-dark"
