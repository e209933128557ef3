from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.reading.project import project
from memtui.system import clock
from support.shop_project import BLOG, LIMITS, NOTES, PRICES, ROOT, UPLOAD, URL, index_shop
from support.transcripts import START

SHOP = f"""\
shop
~/code/shop · 4 sessions · claude · 6 turns · 1 Nov
80 tokens in · 40 out · under $0.01 for 80 % of the turns · no price for unlisted · 2 m of work
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of the shop; read only."""
    data = tmp_path_factory.mktemp("shop") / "data"
    index_shop(data)
    return data


def run(shop: Path, *arguments: str) -> Result:
    return CliRunner().invoke(project, [*arguments, "--data-dir", str(shop)])


def test_x(shop: Path) -> None:
    r = run(shop, "shop")
    print(r.stdout, r.stderr)
    print(run(shop, "shop", "--json", "--limit", "1").stdout)
    for a in (["shp"], ["zebra"], ["s"], []):
        r = run(shop, *a)
        print(a, r.exit_code, r.stdout, r.stderr)
    assert 0
