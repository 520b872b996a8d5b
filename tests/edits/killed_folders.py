"""Kill a command at every call of the system while it replaces a folder, and say what the next one finds.

    python -m tests.edits.killed_folders FOLDER exchange|renames

A process of its own, which can be forked at any time. Prints a line of JSON for each kill: what is in the folder after
the next command looked for it, and what is there once another command has replaced it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from frote.edits import folder as module
from frote.edits.folder import Place, put_back

CALLS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "shutil.rmtree", "ctypes.dlsym"}


def replaced(out: Path, content: str) -> None:
    """Do as an edit does, but for the edit; a checkpoint is left by its training."""
    place = Place(out, force=True)
    with place.taken():
        for name in ("ledger.csv", "model.skops"):
            (place.made / name).write_text(content)
        place.checkpoint.mkdir()
        (place.checkpoint / "run.json").write_text(content)
        write_record(place.made)
        place.finish()


def write_record(folder: Path) -> None:
    from frote.edits.ours import digests_of

    asked = {"target": "y", "rules": "", "model": "", "categorical": [], "numeric": [], "ignore": []}
    data = {"name": "a.csv", "sha256": "0"}
    known = {"edit": 1, "asked": asked, "data": data, "test": None, "versions": {"frote": "0"}}
    record = {**known, "outputs": {"rules": "0"}, "files": digests_of(folder)}
    (folder / "edit.json").write_text(json.dumps(record))


def killed(out: Path, number: int) -> bool:
    """Replace a folder and be killed at some call; return whether there were so many."""
    child = os.fork()
    if child == 0:
        count = 0

        def watch(event: str, _: object) -> None:
            nonlocal count
            if event in CALLS:
                count += 1
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        replaced(out, "new")
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def contents(folder: Path) -> list[str]:
    """Return the different contents of the results in a folder."""
    return sorted({path.read_text() for path in folder.iterdir() if path.name != "edit.json"})


def main(folder: Path) -> None:
    for number in range(1, 1000):
        out = folder / str(number) / "out"
        out.parent.mkdir()
        replaced(out, "old")
        if not killed(out, number):
            return
        put_back(out / "ledger.csv")
        found = contents(out)
        replaced(out, "newest")
        left = sorted(path.name for path in out.parent.iterdir())
        print(json.dumps({"found": found, "then": contents(out), "left": left}), flush=True)


if __name__ == "__main__":
    if sys.argv[2] == "renames":
        module._exchanged = lambda *_: False
    main(Path(sys.argv[1]))
