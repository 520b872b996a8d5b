"""Verify the folder of an edit without frote: the standard library and pandas alone, to be read in one sitting.

    python tools/verify_edit.py FOLDER

Files are held against the record, the record against its root, the ledger against the data, the rules, which are read
here from their text, against both, and the report against the record. No model is opened. The exit code is 0 if all of
it holds, 1 if something does not, and 2 if something could not be checked; each is named.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pandas as pd

GAPS = {"", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<NA>", "N/A", "#N/A", "#N/A N/A", "#NA", "-NaN", "-nan"}
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")
MARKED = re.compile("''*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]")  # a mark that keeps spreadsheets from taking a formula
RULE = re.compile(r"(?:'((?:[^']|'')*)'|([^'`]*?))(/\d+)?: IF (.*) THEN ((?:'(?:[^']|'')*'|[^']|' )*)")
TOKEN = re.compile(r"'(?:[^']|'')*'|`(?:[^`]|``)*`|<=|>=|!=|[<>=(){},]|[^\s<>=!(){},'`]+")
ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def value(cell: Any) -> Any:
    """Return what a cell, or a word of a rule, stands for: a number, an instant, a truth value, a text, or nothing."""
    text = str(cell)
    if pd.isna(cell) or NUMBER.fullmatch(text):
        return None if pd.isna(cell) else float(text)
    if DATE.fullmatch(text):
        return pd.Timestamp(text)
    return text.lower() if text.lower() in ("true", "false") else text


def read(path: Path, marked: bool) -> pd.DataFrame:
    """Read a table; `marked` says that its texts have marks for spreadsheets."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    if kind in ("parquet", "pq", "feather", "arrow", "ipc"):
        return (pd.read_parquet if kind in ("parquet", "pq") else pd.read_feather)(path).astype(object)
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252")
    if kind in ("jsonl", "ndjson", "json"):
        return pd.DataFrame([json.loads(line) for line in text.splitlines()], dtype=object)
    delimiter = max(",;\t|", key=text.partition("\n")[0].count)
    names, *lines = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    frame = pd.DataFrame([line for line in lines if line], columns=names, dtype=object)
    frame = frame.where(~frame.isin(GAPS), None)
    for name, cells in frame.items():
        if delimiter != "," and cells.dropna().str.fullmatch(r"-?\d+(,\d+)?(e[+-]?\d+)?").all():  # a decimal comma
            frame[name] = cells.str.replace(",", ".")
        if marked or name == "rule":
            frame[name] = [one[1:] if isinstance(one, str) and MARKED.match(one) else one for one in cells]
    return frame.rename(columns=lambda name: name[1:] if marked and MARKED.match(name) else name)


class Reader:
    """The condition of a rule, put on the rows of a table as it is read; a missing value meets only IS MISSING."""

    def __init__(self, text: str, frame: pd.DataFrame) -> None:
        self.tokens, self.frame = TOKEN.findall(text)[::-1], frame

    def take(self, *wanted: str) -> str:
        """Take the next token without its quotes; where one is wanted, it must be that."""
        token: str = self.tokens.pop()
        if wanted and token not in wanted:
            raise ValueError(f"{token!r} in place of {wanted[0]}")
        return token[1:-1].replace(token[0] * 2, token[0]) if token[0] in "'`" else token

    def next_is(self, token: str) -> bool:
        """Take the next token if it is this one."""
        return bool(self.tokens) and self.tokens[-1] == token and bool(self.tokens.pop())

    def whole(self, word: str = "OR") -> Any:
        """Return which rows meet one of several alternatives, each of which is several conditions side by side."""
        mask = self.whole("AND") if word == "OR" else self.one()
        while self.next_is(word):
            mask = mask | self.whole("AND") if word == "OR" else mask & self.one()
        return mask

    def one(self) -> Any:
        """Return which rows meet one condition."""
        if self.next_is("NOT"):
            return ~self.one()
        if self.next_is("("):
            mask = self.whole()
            self.take(")")
            return mask
        column = self.frame[self.take()]
        there, word = column.notna(), self.take("IS", "IN", "NOT", "BETWEEN", "=", "!=", *ORDERS)
        if word == "IS":
            met = there if self.next_is("NOT") else ~there
            self.take("MISSING")
            return met
        if word in ("IN", "NOT"):
            wanted: list[Any] = []
            while self.take("IN", "{", ",", "}") != "}":
                wanted += [value(self.take())] if self.tokens[-1] not in ("{", "}") else []
            return there & (column.isin(wanted) == (word == "IN"))
        low = value(self.take())
        if word in ("=", "!="):
            return there & ((column == low) == (word == "="))
        if not all(isinstance(one, type(low)) for one in column[there]) or isinstance(low, str):
            raise ValueError(f"{column.name!r} cannot be compared with {low}")
        bounds = [(ORDERS.get(word, "ge"), low)]
        if word == "BETWEEN" and self.take("AND"):
            bounds.append(("le", value(self.take())))
        for order, bound in bounds:
            there &= getattr(column.where(there, bound).infer_objects(), order)(bound)
        return there


def labels_of(outcome: str) -> set[Any] | None:
    """Return the labels that an outcome can give; None if it can give any."""
    tokens = re.findall(r"'(?:[^']|'')*'|[^\s{},:']+", outcome)
    labels = tokens[::2] if outcome.startswith("{") else tokens
    own = {value(one[1:-1].replace("''", "'") if one[0] == "'" else one) for one in labels}
    return None if " WITH CONFIDENCE " in outcome else own


def rules_of(text: str, X: pd.DataFrame, doubts: list[str]) -> Any:
    """Give each rule of a text: its name, the name it was written under, its outcome, and which rows it covers."""
    for line in filter(None, text.split("\n")):
        try:
            quoted, bare, piece, condition, outcome = RULE.fullmatch(line).groups()  # type: ignore[union-attr]
            reader = Reader(condition, X)
            mask, origin = reader.whole(), quoted.replace("''", "'") if quoted else bare
            doubts += [f"rules.rules: {line[:60]} goes on with {reader.tokens[-1]!r}"] if reader.tokens else []
            yield origin + (piece or ""), origin, outcome, mask
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            doubts.append(f"rules.rules: {line[:60]} ({error})")


class Seen:
    """What was seen of the rows so far, where data and ledger are read part by part."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.first, self.times, self.statuses, self.record = (
            0,
            bytearray(record["data"]["rows"]),
            Counter[str](),
            record,
        )

    def add(self, X: pd.DataFrame, ledger: pd.DataFrame) -> Any:
        """Note the rows of a part; say so if they are not those of the ledger, in order."""
        rows = list(ledger["row"].dropna())
        yield (
            rows != list(range(self.first, self.first + len(X))),
            "ledger: its rows are not those of the data, in order",
        )
        self.first += len(X)
        self.statuses.update(ledger["status"])
        for source in map(int, ledger["source"].dropna()):
            if 0 <= source < len(self.times):
                self.times[source] = min(self.times[source] + 1, 2)

    def faults(self) -> Any:
        """Say what is wrong with all rows together."""
        yield self.times.count(1) != len(self.times), "ledger: not every row that came in stands there once"
        yield self.statuses != self.record["rows"], "ledger: rows of each status are not as many as recorded"


CHUNK = 65536
KINDS = {"b": ("truth", "u1"), "i": ("integer", "<i8"), "u": ("integer", "<i8"), "f": ("number", "<f8")}


def encoded(column: pd.Series) -> bytes:
    """Write a column of a chunk: which values are missing, and all of them, zero or empty where one is."""
    gone = column.isna()
    head = gone.to_numpy(dtype="u1").tobytes()
    if column.dtype.kind in KINDS:
        return head + column.fillna(0).to_numpy(dtype=KINDS[column.dtype.kind][1]).tobytes()
    if column.dtype.kind == "M":
        ticks = (column - pd.Timestamp(0, tz=column.dt.tz)).fillna(pd.Timedelta(0)) // pd.Timedelta(1, "us") * 1000
        parts = (ticks // 10**9, ticks % 10**9)
        return head + b"".join(part.to_numpy(dtype="<i8").tobytes() for part in parts)
    texts = [b"" if none else one.encode() for one, none in zip(column, gone, strict=True)]
    return head + pd.Series(map(len, texts)).to_numpy(dtype="<i8").tobytes() + b"".join(texts)


def rows_digest(paths: list[Path]) -> str:
    """Return the digest of the rows of files that stand one after the other, however they are cut into them."""
    digests, left, names, rows = [], pd.DataFrame(), list[list[str]](), 0
    for path in [*paths, None]:
        if path is not None:
            more = pd.read_parquet(path, dtype_backend="numpy_nullable")
            kinds = [KINDS.get(dtype.kind, ("instant" if dtype.kind == "M" else "text",))[0] for dtype in more.dtypes]
            names, rows = [list(one) for one in zip(more.columns, kinds, strict=True)], rows + len(more)
            left = pd.concat([left, more], ignore_index=True) if len(left) else more
        while len(left) >= CHUNK or (path is None and len(left)):
            chunk, left = left[:CHUNK], left[CHUNK:].reset_index(drop=True)
            digests.append(hashlib.sha256(b"".join(encoded(chunk[name]) for name in chunk)).hexdigest())
    head = json.dumps([names, rows, CHUNK], separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256("\n".join([head, *digests]).encode()).hexdigest()


def row_faults(record: dict[str, Any], X: pd.DataFrame, ledger: pd.DataFrame, text: str, doubts: list[str]) -> Any:
    """Say what is wrong with rows, by record, ledger and rules."""
    told = ledger[ledger["row"].notna()].reset_index(drop=True)
    status = told["status"]
    y = X[record["asked"]["target"]].reindex(told.index)
    yield list(y) != list(told["new_label"]), "ledger: a label is not that of the data"
    rules = [(*rule[:3], rule[3].reindex(told.index, fill_value=False)) for rule in rules_of(text, X, doubts)]
    for name, origin, outcome, mask in rules:
        made = (status == "synthetic") & (told["rule"] == name)
        changed = (status == "relabelled") & (told["rule"] == origin)
        yield (made & ~mask).any(), f"data: a synthetic row of {name!r} does not satisfy it"
        whole = pd.concat([one for _, of, _, one in rules if of == origin], axis=1).any(axis=1)
        yield (changed & ~whole).any(), f"data: a row relabelled by {origin!r} is not covered by it"
        for other, _, another, one in rules:
            yield another != outcome and (made & one).any(), f"data: a row of {name!r} satisfies {other!r} too"
        labels = labels_of(outcome)
        yield labels is not None and not set(y[made | changed]) <= labels, f"data: {name!r} gives no such label"
        yield (mask & (status == "guard")).any(), f"data: a row made outside the rules lies in {name!r}"
    known = {name for rule in rules for name in rule[:2]}
    yield not doubts and not set(filter(None, ledger["rule"])) <= known, "ledger: it names a rule that there is not"


def verify(folder: Path) -> tuple[list[str], list[str]]:
    """Return what does not hold of a folder, and what could not be checked."""
    record, doubts = json.loads((folder / "edit.json").read_text("utf-8")), list[str]()
    own = {name: part for name, part in record.items() if name not in ("timings", "root")}
    text = json.dumps(own, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    root = hashlib.sha256(text.encode()).hexdigest()
    faults: list[Any] = [(root != record.get("root"), "edit.json: it is not as its root says")]
    there = []
    for name, digest in record["files"].items():
        path = folder / name
        linked = path.is_symlink() or path.parent.is_symlink()
        inside = re.fullmatch(r"((steps|augmented|ledger)/)?[^/\\:]+", name) is not None and not linked
        there += [path] if inside and path.is_file() else []
        same = path in there and hashlib.sha256(path.read_bytes()).hexdigest() == digest
        faults.append((not same, f"{name}: it is not the file of the record"))
    safe, seen = bool(record["asked"].get("spreadsheet_safe")), Seen(record)
    try:
        augmented, ledgers = (
            sorted(path for path in there if path.relative_to(folder).parts[0].startswith(stem))
            for stem in ("augm", "ledg")
        )
        if record["data"].get("digest") == "rows":  # in folders of files
            for stem, paths in (("augmented", augmented), ("ledger", ledgers)):
                numbered = [path.name for path in paths] == [f"{number:05d}.parquet" for number in range(len(paths))]
                same = numbered and rows_digest(paths) == record["outputs"][stem]
                faults.append((not same, f"{stem}: its rows are not those of the record"))
        empty, no_line = read(augmented[0], safe)[:0], read(ledgers[0], safe)[:0]
        for number, (path, beside) in enumerate(zip_longest(augmented, ledgers)):
            table, lines = read(path, safe) if path else empty, read(beside, safe) if beside else no_line
            X, ledger = (one.map(value).astype(object) for one in (table, lines))
            ledger["rule"] = ["" if pd.isna(name) else str(name) for name in lines["rule"]]
            faults += seen.add(X, ledger)
            text = (folder / "rules.rules").read_text("utf-8")
            faults += row_faults(record, X, ledger, text, doubts if not number else [])
        faults += seen.faults()
        report = json.loads((folder / "report.json").read_text("utf-8"))
        same = all(report[name] == record[name] for name in ("scores", "population", "verdict", "skipped", "in_part"))
        faults.append((not same, "report.json: it says something else than the record"))
    except (LookupError, ValueError, TypeError, AttributeError, OSError, StopIteration) as error:
        faults.append((True, f"data, ledger, rules or report cannot be read ({error!r})"))
    return list(dict.fromkeys(told for fault, told in faults if fault)), doubts


if __name__ == "__main__":
    failed, unchecked = verify(Path(sys.argv[1]))
    print(*(f"does not hold: {one}" for one in failed), *(f"not checked: {one}" for one in unchecked), sep="\n")
    sys.exit(1 if failed else 2 if unchecked else print("It holds."))
