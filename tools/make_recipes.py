"""Write the recipes of Homebrew and of the AUR for a release: dist/memtui.rb, dist/PKGBUILD and dist/.SRCINFO.

python -m tools.make_recipes

They install the wheel in dist/ with exactly the dependencies of packaging/requirements.txt. The addresses are those
that the wheel and the lock have once the release is published.
"""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
DIST: Final = ROOT / "dist"
PACKAGING: Final = ROOT / "packaging"
LOCK: Final = PACKAGING / "requirements.txt"


def recipes(wheel: Path, lock: Path = LOCK) -> dict[str, str]:
    """The recipes by the names of their files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = wheel.name.split("-")[1]
    repository = project["urls"]["Repository"]
    downloads = f"{repository}/releases/download/v{version}"
    values = {
        # Their style guides want a sentence without a full stop, and without an article at its beginning.
        "description": project["description"].rstrip(".").removeprefix("The ").capitalize(),
        "homepage": project["urls"]["Documentation"],
        "license": project["license"],
        "version": version,
        # A hyphen and other signs divide the parts of a package's name.
        "arch_version": version.replace("-", "_"),
        "wheel_name": wheel.name,
        "wheel_url": f"{downloads}/{wheel.name}",
        "wheel_sha256": sha256(wheel.read_bytes()).hexdigest(),
        "lock_name": lock.name,
        "lock_url": f"{downloads}/{lock.name}",
        "lock_sha256": sha256(lock.read_bytes()).hexdigest(),
    }
    return {
        "memtui.rb": (PACKAGING / "memtui.rb.in").read_text("utf-8").format(**values),
        "PKGBUILD": (PACKAGING / "PKGBUILD.in").read_text("utf-8").format(**values),
        ".SRCINFO": _srcinfo(values),
    }


def _srcinfo(values: dict[str, str]) -> str:
    """What `makepkg --printsrcinfo` prints of the PKGBUILD."""
    fields = (
        ("pkgdesc", values["description"]),
        ("pkgver", values["arch_version"]),
        ("pkgrel", "1"),
        ("url", values["homepage"]),
        *(("arch", name) for name in ("x86_64", "aarch64")),
        ("license", values["license"]),
        ("makedepends", "python-pip"),
        ("depends", "python"),
        ("noextract", values["wheel_name"]),
        ("options", "!strip"),
        *(("source", values[name]) for name in ("wheel_url", "lock_url")),
        *(("sha256sums", values[name]) for name in ("wheel_sha256", "lock_sha256")),
    )
    return "\n".join(
        ("pkgbase = memtui", *(f"\t{name} = {value}" for name, value in fields), "", "pkgname = memtui", "")
    )


def main() -> None:
    """Write the recipes of the wheel in dist/."""
    [wheel] = DIST.glob("*.whl")
    for name, text in recipes(wheel).items():
        (DIST / name).write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
