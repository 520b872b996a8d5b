"""Live answers of the studio, on the server alone: from a text with one changed threshold to the page's fragments.

1,000,000 rows x 12 mixed columns. One threshold of a rule is moved again and again, as a handle that is dragged does;
printed are the median and the 95th percentile in milliseconds of the processor, which a busy machine hardly changes,
and as a ratio to looking at one condition on all rows. Run it with `make benchmark`.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.edits.order import Columns
from frote.rules import Condition
from frote.rules.completion import complete
from frote.rules.masks import prepare
from frote.studio.desk import Desk
from frote.studio.pages import render
from frote.studio.picture import picture
from frote.studio.serving import collect_seldom
from masks import make_frame, make_rules
from timing import timed

if TYPE_CHECKING:
    from collections.abc import Callable

MOVES = 60
NO_CASES: dict[str, Any] = {"cases": [], "cases_error": "", "cases_held": 0, "cases_broken": 0}
KNOWN: set[str] = set()  # the parts of cards that a page would have
SAME = re.compile(r'data-same="(\w+)"')


def open_desk(rows: int) -> Desk:
    """Return a table of that size as the studio has it open."""
    rng = np.random.default_rng(0)
    frame = make_frame(rows, rng)
    frame["label"] = np.where(rng.random(rows) < 0.4, "yes", "no")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        frame.to_parquet(path)
        desk = Desk.of(path, Columns("label"), "logistic")
    desk.pulses.hear(desk.labels.codes[::-1])
    return desk


def policy(count: int) -> str:
    """Return rules of five conditions, half of them for each label."""
    rules, _, _ = make_rules(count, np.random.default_rng(1))
    return "\n".join(
        str(rule).replace("THEN yes", "THEN no") if place % 2 else str(rule) for place, rule in enumerate(rules)
    )


def answer(desk: Desk, text: str) -> int:
    """Work out what one key press asks for; return the characters of the answer."""
    frame: dict[str, Any] = {
        "labels": desk.labels.texts,
        "model": desk.model,
        "columns": desk.table.rows.table.schema.names,
    }
    shown = picture(desk, text, 0, lambda: None, draw=partial(render, **frame), known=KNOWN.copy())
    KNOWN.clear()
    KNOWN.update(digest for card in shown["cards"] for digest in SAME.findall(card))
    return len(render("policy/pulse.html.j2", view="cards", settings={"resolve": None}, **NO_CASES, **shown, **frame))


def moved(text: str, number: int) -> str:
    """Return the text with the first threshold of its first rule moved a little."""
    start = text.index("< ") + 2
    stop = start + len(text[start:].split()[0])
    return f"{text[:start]}{float(text[start:stop]) + number / 300:.4f}{text[stop:]}"


def percentiles(work: Callable[[int], object]) -> tuple[float, float]:
    """Return the median and the 95th percentile of the milliseconds of some moves."""
    milliseconds = []
    for number in range(MOVES):
        start = time.process_time()
        work(number)
        milliseconds.append(1e3 * (time.process_time() - start))
    return float(np.median(milliseconds)), float(np.percentile(milliseconds, 95))


def _moved_answer(desk: Desk, text: str, first: int, number: int) -> int:
    return answer(desk, moved(text, first + number + 1))


def main(rows: int) -> None:
    collect_seldom()
    desk = open_desk(rows)
    table = desk.table.rows.table
    column = next(name for name in table.schema.names if name.startswith("f"))
    test = prepare(Condition.compare("<", 0.5), table.schema[column])
    one, _ = timed(lambda: test(table[column].values, table[column].missing), repeat=20, clock=time.process_time)
    print(f"{rows:,} rows x {len(table.schema)} columns; one condition on all of them: {1e3 * one:.2f} ms\n")
    print(f"{'':<22}{'median':>9}{'95 %':>9}{'ratio':>8}  answer")
    for place, count in enumerate((1, 10, 100)):  # each moves to places where nobody was before
        text = policy(count)
        first, size = timed(partial(answer, desk, text), repeat=1, clock=time.process_time)
        middle, high = percentiles(partial(_moved_answer, desk, text, MOVES * place))
        print(
            f"{count:>4} rules, one moved  {middle:>7.1f}ms{high:>7.1f}ms{high / 1e3 / one:>7.0f}x  "
            f"{size / 1e3:,.0f} kB; at first {first:.2f} s"
        )
    text = policy(10)
    middle, high = percentiles(lambda _: complete(text + "\nIF c", len(text) + 5, desk.known))
    print(f"{'completion':<22}{middle:>7.1f}ms{high:>7.1f}ms{high / 1e3 / one:>7.0f}x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    main(parser.parse_args().rows)
