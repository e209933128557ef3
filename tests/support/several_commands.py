"""Several calls of the command line in one process: run this file with the arguments of each as a list in JSON.

After each call a line on standard output says how it ended.
"""

from __future__ import annotations

import json
import sys

from memtui.__main__ import main

ENDED = "--- ended with exit code "
"""How the line after each call begins; the code is all that follows."""


if __name__ == "__main__":
    for arguments in json.loads(sys.argv[1]):
        sys.argv[1:] = arguments
        code: object = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        sys.stderr.flush()
        sys.stdout.write(f"{ENDED}{code}\n")
        sys.stdout.flush()
