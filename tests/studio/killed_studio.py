"""A studio without a page, to be killed: it goes through a story and says how far it is.

    python -m tests.studio.killed_studio FOLDER

Writes a policy, keeps versions, and has an edit run, over and over; prints a line for each thing that is done.
"""

from __future__ import annotations

import sys
import time
from itertools import count

from frote.studio.asked import Asked
from frote.studio.runs import Runs
from frote.studio.workspace import Workspace

POLICY = "young: IF age < {age} AND defaults = 0 THEN approved\n"
ASKED = Asked(most_fits=4)


def say(*words: object) -> None:
    print(*words, flush=True)


def main(folder: str) -> None:
    with Workspace.open(folder) as workspace:
        runs = Runs(workspace)
        say("open")
        for number in count():
            workspace.save_policy(POLICY.format(age=25 + number % 20), workspace.policy().digest)
            version = workspace.keep_version("policy team", f"the {number}th")
            say("kept", version.id)
            if not runs.names():
                say("asked", runs.ask(ASKED, who="policy team", why="try").name)
            if number % 3 == 2:
                workspace.undo()
            time.sleep(0.02)


if __name__ == "__main__":
    main(sys.argv[1])
