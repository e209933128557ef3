"""`memtui backup`: everything that memtui keeps, in one file."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, percent_reporter, print_json, say


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--check", is_flag=True, help="Check a backup that exists instead of making one.")
@data_dir_option
@json_option
@reports_errors
def backup(file: Path, check: bool, data_dir: Path | None, as_json: bool) -> None:
    """Write everything that memtui keeps to one new file, also while others read and index.

    The file is a tar archive, compressed by zstd; call it memtui.tar.zst. It is read again before it gets its name.
    memtui import FILE makes the same index of it on this or another machine.
    """
    from importlib.metadata import version

    from memtui.wording.formatting import plural, size
    from memtui_core.store.archive.backup import read_backup, write_backup
    from memtui_core.store.data_folder import DataDir
    from memtui_core.system import locations

    with percent_reporter("Reading" if check else "Writing") as report:
        if check:
            contents = read_backup(file, report=report)
        else:
            contents = write_backup(DataDir(locations.data_dir(data_dir)), file.absolute(), version("memtui"), report)
    on_disk = file.stat().st_size
    if as_json:
        print_json([{"path": str(file), "files": len(contents.files), **fields_of(contents, "size"), "bytes": on_disk}])
    else:
        done = "is complete" if check else "written"
        say(f"{file} {done}: {plural(len(contents.files), 'file')}, {size(contents.size)}, as {size(on_disk)}.")
