"""An edit of a Dask frame is that of the same rows in memory, or what a sample of them decides, however it is cut."""

from __future__ import annotations

import os
import re
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from tests.dask.edited import came_of, edited, require_same
from tests.dask.made import RULES, table
from tests.dask.partitions import cut, ends_in, evenly
from tests.examples import examples

import dask
import frote
from frote.coverage.misses import near_misses
from frote.coverage.ruling import Ruling
from frote.dask.strata import Strata
from frote.dask.whole import LazyRows
from frote.exceptions import ConflictError, FroteError, SampleWarning, TableError
from frote.keys import hashes
from frote.table import Table

X, Y = table(600)
MOST = 60  # of a stratum, where a sample decides


@settings(max_examples=examples(30))
@given(
    seed=st.integers(0, 999),
    rows=st.integers(80, 160),
    columns=st.sets(st.sampled_from(["owner", "grade", "since", "one"])),
    modify=st.sampled_from(["relabel", "drop", "none"]),
    schedule=st.sampled_from(["adaptive", "fixed"]),
    label_by=st.sampled_from(["quota", "lots"]),
    data=st.data(),
)
def test_where_the_sample_is_whole_it_is_the_edit_in_memory(seed, rows, columns, modify, schedule, label_by, data):
    frame, labels = table(rows, seed)
    frame = frame[["age", "income", "defaults", "purpose", *sorted(columns)]]
    given_settings = {
        "rules": RULES,
        "modify": modify,
        "schedule": schedule,
        "label_by": label_by,
        "max_fits": 2,
        "sample": 200,
    }
    ends = data.draw(st.one_of(ends_in(rows), st.sampled_from([1, 2, 7, 64]).map(partial(even_ends, rows))))
    require_same(edited(cut(frame, ends), cut(labels, ends), **given_settings), edited(frame, labels, **given_settings))


def even_ends(rows, parts):
    return np.linspace(0, rows, parts + 1).astype(int)[1:-1].tolist()


@pytest.mark.parametrize(
    ("modify", "more"),
    [
        ("relabel", {}),
        ("drop", {}),
        ("none", {"twins": 1.0, "evaluate": 0.2, "schedule": "fixed", "batch_size": 60}),
    ],
)
def test_what_a_sample_decides_has_the_same_bytes_for_any_partitions(modify, more):
    given_settings = {"rules": RULES, "modify": modify, "max_fits": 4, "sample": MOST, **more}
    wanted = edited(evenly(X, 1), evenly(Y, 1), **given_settings)
    uneven = [0, 0, 1, 400, 400, 401, 600]
    for ends in (uneven, *(even_ends(600, parts) for parts in (2, 7, 64))):
        require_same(edited(cut(X, ends), cut(Y, ends), **given_settings), wanted)
    rows, labels, ledger, sources, weights, history = wanted
    assert history["accepted"].sum() > 1  # there are synthetic rows
    require_sound(modify, rows, labels, ledger, sources, weights)


def require_sound(modify, rows, labels, ledger, sources, weights):
    """Hold a result against the data that it was made of."""
    before = Ruling.of(frote.parse_rules(RULES).bind(X), ("no", "yes")).on(Table.from_frame(X))
    against = (before.owner == 0) & (Y == "no").to_numpy()  # the only rule of the three that rules a label out
    stay = ~against if modify == "drop" else np.ones(600, dtype=bool)
    kept = int(stay.sum())
    pd.testing.assert_frame_equal(rows[:kept], X[stay].reset_index(drop=True))
    wanted = Y.mask(against, "yes") if modify == "relabel" else Y
    pd.testing.assert_series_equal(labels[:kept], wanted[stay].reset_index(drop=True))
    assert sources[:kept].tolist() == np.flatnonzero(stay).tolist()
    status = np.where(against, {"relabel": "relabelled", "drop": "dropped", "none": "kept"}[modify], "kept")
    came = ledger[ledger["source"].notna()].sort_values("source")
    assert came["status"].tolist() == status.tolist()
    assert came["old_label"].tolist() == Y.tolist()
    assert (came["rule"] == np.where(status == "kept", "", "young")).all()
    made = ledger[ledger["source"].isna()]
    assert made["row"].tolist() == list(range(kept, len(rows)))
    assert made["new_label"].tolist() == labels[kept:].tolist()
    assert ledger["row"].dropna().tolist() == list(range(len(rows)))
    # A weak base changes in the columns that its rule names, and in no other.
    weak = made[(made["covered"] == "weakly") & (made["base"] < kept)]
    assert len(weak)
    theirs, own = (rows.loc[weak[name], ["owner", "since"]].reset_index(drop=True) for name in ("base", "row"))
    pd.testing.assert_frame_equal(own, theirs)
    assert sources[weak["row"].to_numpy(dtype=int)].tolist() == came["source"][stay].iloc[weak["base"]].tolist()
    assert (weights[:kept] == 1).all()
    assert len(set(weights[kept:])) == 1
    assert weights[-1] > 1


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 999), most=st.integers(1, 120), data=st.data())
def test_the_rows_of_a_stratum_are_those_with_the_smallest_hashes(seed, most, data):
    frame, labels = table(150, seed)
    ends = data.draw(ends_in(150))
    rows = LazyRows.of(cut(frame, ends), cut(labels, ends))
    whole = Table.from_frame(frame)
    ruling = Ruling.of(frote.parse_rules(RULES).bind(whole), rows.labels.texts)
    strata = Strata.of(rows, ruling, (True,) * 3, 7, most)
    facts, order = ruling.on(whole), np.argsort(hashes(np.arange(150), 7, "strata"))
    wanted = set()
    for rule in range(3):
        wanted |= {*[row for row in order if facts.owner[row] == rule][:most]}
        failing = (~facts.met[list(ruling.conditions.needs[rule])]).sum(axis=0)
        outside = sorted((failing[row], place) for place, row in enumerate(order) if facts.owner[row] < 0)
        wanted |= {order[place] for _, place in outside[:most]}
        nearest = near_misses(facts.met, ruling.conditions.needs, [rule], facts.outside, 1).rows
        assert len(wanted & set(nearest)) >= min(most, len(nearest))  # what weak bases are made of comes first
    wanted |= {*[row for row in order if facts.owner[row] < 0][:most]}
    lengths = np.diff([0, *ends, 150])
    shares = [
        strata.taking.shares(place, ruling.on(whole.take(np.arange(start, start + length))))
        for place, (start, length) in enumerate(zip(rows.survey.starts, lengths, strict=True))
    ]
    assert np.flatnonzero(np.concatenate(shares)).tolist() == sorted(wanted)
    assert strata.frame["rows"].tolist()[::2] == [*np.bincount(facts.owner + 1, minlength=4)[1:], len(facts.outside)]
    assert strata.whole == (max(strata.rows) <= most)


def test_what_a_row_stands_for_sums_up_to_all_rows():
    rows = LazyRows.of(evenly(X, 3), evenly(Y, 3))
    ruling = Ruling.of(frote.parse_rules(RULES).bind(X), rows.labels.texts)
    facts, sums = ruling.on(Table.from_frame(X)), []
    for seed in range(60):
        taking = Strata.of(LazyRows(evenly(X, 1), None, rows.survey), ruling, (True,) * 3, seed, MOST).taking
        shares = taking.shares(0, facts) if len(taking.starts) == 1 else None
        shares = (
            np.concatenate(
                [
                    taking.shares(place, ruling.on(Table.from_frame(X[start : start + 200])))
                    for place, start in enumerate(rows.survey.starts)
                ]
            )
            if shares is None
            else shares
        )
        weights = np.divide(1.0, shares, out=np.zeros(600), where=shares > 0)
        sums.append([weights.sum(), *(weights[facts.owner == rule].sum() for rule in range(3))])
    np.testing.assert_allclose(np.mean(sums, axis=0), [600, *np.bincount(facts.owner + 1)[1:]], rtol=0.04)


def test_labels_left_to_chance_go_by_the_row_alone():
    rules = "some: IF age >= 20 THEN {perhaps: 0.5, yes: 0.5}"
    labels = Y.mask(X["age"] % 7 == 0, "perhaps")
    editors = [frote.FROTE(rules=rules, max_fits=0, sample=50, random_state=seed) for seed in (3, 3, 4)]
    found = []
    for editor, parts in zip(editors, (1, 6, 1), strict=True):
        with pytest.warns(SampleWarning, match=r"drawn row by row \(label_by='lots'\)"):
            _, y_new = editor.fit_resample(evenly(X, parts), evenly(labels, parts))
        found.append(y_new.compute())
    covered = (X["age"] >= 20) & (labels == "no")
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
    assert found[0][covered].isin(["perhaps", "yes"]).all()
    assert 0.35 < (found[0][covered] == "perhaps").mean() < 0.65
    assert (found[0][~covered] == labels[~covered]).all()


def test_what_was_decided_on_a_sample_is_told_first():
    editor = frote.FROTE(rules=RULES, max_fits=1, sample=MOST, random_state=0)
    with pytest.warns(SampleWarning) as told:
        editor.fit(evenly(X, 3), evenly(Y, 3))
    rows = editor.strata_["taken"]
    assert re.match(
        r"Batches are made, and models trained, on \d+ of 600 rows \(strata_\), weighted to the whole\. A synthetic "
        r"row stands for [\d.]+ rows \(sample_weight_\)\. Labels that rules leave to chance are drawn row by row",
        str(told[0].message),
    )
    assert rows.max() == MOST
    unweighted = frote.FROTE(
        make_pipeline(frote.TabularEncoder(), KNeighborsClassifier()),
        RULES,
        max_fits=1,
        sample=MOST,
        modify="none",
        random_state=0,
    )
    with pytest.warns(SampleWarning, match="unweighted, since Pipeline takes no weights"):
        unweighted.fit(evenly(X, 3), evenly(Y, 3))
    assert unweighted.sample_weight_ is None


def begin(folder, most, stop):
    return edited(evenly(X, 4), evenly(Y, 4), checkpoint=folder, callbacks=[stop], rules=RULES, max_fits=3, sample=most)


def killed(folder, most):
    begin(folder, most, lambda step: os.kill(os.getpid(), signal.SIGKILL) if step.step == 1 else None)


def interrupted(step):
    if step.step == 1:
        raise InterruptedError


@pytest.mark.parametrize("most", [MOST, 600])
def test_a_run_that_was_cut_off_goes_on_with_other_partitions(tmp_path, most):
    given_settings = {"rules": RULES, "max_fits": 3, "sample": most}
    wanted = edited(evenly(X, 1), evenly(Y, 1), **given_settings)
    if most == MOST:
        driver = get_context("spawn").Process(target=killed, args=(tmp_path / "run", most))
        driver.start()
        driver.join(timeout=300)
        assert driver.exitcode == -signal.SIGKILL
    else:
        with pytest.raises(InterruptedError):
            begin(tmp_path / "run", most, interrupted)
    seen = []
    found = edited(evenly(X, 7), evenly(Y, 7), checkpoint=tmp_path / "run", callbacks=[seen.append], **given_settings)
    # The step that it was cut off in may have been written down or not.
    assert [step.step for step in seen] in ([1, 2, 3], [2, 3])
    require_same(found, wanted)
    with pytest.raises(FroteError, match="another run"):
        edited(evenly(X[:-1], 1), evenly(Y[:-1], 1), checkpoint=tmp_path / "run", **given_settings)


def test_a_classifier_and_a_second_fit_in_memory():
    model = frote.FROTEClassifier(rules=RULES, max_fits=1, random_state=3)
    model.fit(evenly(X, 3), evenly(Y, 3))
    wanted = frote.FROTEClassifier(rules=RULES, max_fits=1, random_state=3).fit(X, Y)
    assert model.predict(X).tolist() == wanted.predict(X).tolist()
    lazy = cut(X, [0, 200, 200, 500])
    assert model.predict(lazy).compute().tolist() == wanted.predict(X).tolist()
    np.testing.assert_array_equal(model.predict_proba(lazy).compute(), wanted.predict_proba(X))
    assert model._repr_html_()
    with pytest.raises(TableError, match=r"^An edit of a Dask frame has neither report nor other steps\. Take"):
        model.at(0)
    model.fit(X, Y)
    assert not hasattr(model, "strata_")
    assert len(model.at(0).ledger_) == 600


def test_on_two_processes():
    given_settings = {"rules": RULES, "max_fits": 1}
    wanted = edited(evenly(X, 1), evenly(Y, 1), sample=MOST, **given_settings)
    in_memory = edited(X, Y, **given_settings)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool, dask.config.set(scheduler="processes", pool=pool):
        require_same(edited(evenly(X, 3), evenly(Y, 3), sample=MOST, **given_settings), wanted)
        require_same(edited(evenly(X, 3), evenly(Y, 3), **given_settings), in_memory)


class Mine:
    def modify(self, contradictions, rng):  # noqa: ARG002
        return np.ones(len(contradictions.labels), dtype=bool), contradictions.labels


SAMPLED = {"rules": RULES, "sample": MOST}
WRONG = {
    "sample_weight is for frames in memory. Leave it out": lambda: frote.FROTE(rules=RULES).fit(
        evenly(X, 2), evenly(Y, 2), sample_weight=np.ones(600)
    ),
    "A modification of one's own needs all rows in one place": lambda: fitted(modify=Mine(), **SAMPLED),
    "recalibrate needs all rows in one place": lambda: fitted(recalibrate="sigmoid", **SAMPLED),
    "agreement_weight='coverage' is not the share of a sample. Give the share of the rows, agreement_weight=0.405": (
        lambda: fitted(agreement_weight="coverage", **SAMPLED)
    ),
    "Models are compared in one place. Give evaluate=(X_val.compute(), y_val.compute()).": lambda: fitted(
        evaluate=(evenly(X, 2), evenly(Y, 2)), rules=RULES
    ),
    "X is a Dask frame, which only edits, checks, scores and comparisons take": lambda: frote.RuleSetClassifier().fit(
        evenly(X, 2), Y
    ),
    "decision_function needs all rows in one place": lambda: (
        frote.FROTEClassifier(rules=RULES, max_fits=0).fit(X, Y).decision_function(evenly(X, 2))
    ),
    "y has one class only, 'no'": lambda: frote.FROTE(rules=RULES).fit(
        evenly(X, 2), evenly(Y.mask(Y == "yes", "no"), 2)
    ),
    "Found array with 0 sample(s)": lambda: frote.FROTE(rules=RULES).fit(evenly(X[:0], 2), evenly(Y[:0], 2)),
    "X is a Dask frame and y is no Dask series": lambda: frote.FROTE(rules=RULES).fit(evenly(X, 2), Y),
    "requires y to be passed": lambda: frote.FROTE(rules=RULES).fit(evenly(X, 2), None),
    "how='anchored' needs all rows in one place. Use how='data'": lambda: frote.FROTEClassifier(
        rules=RULES, how="anchored"
    ).fit(evenly(X, 2), evenly(Y, 2)),
}


def fitted(**given_settings):
    return frote.FROTE(random_state=0, **given_settings).fit(evenly(X, 2), evenly(Y, 2))


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_one_sentence(message):
    with pytest.raises(TableError, match=f"^{re.escape(message)}"):
        WRONG[message]()


def test_a_preview_of_few_rows_is_that_in_memory():
    editor = frote.FROTE(rules=RULES, max_fits=2, random_state=0)
    found, wanted = editor.preview(evenly(X, 3), evenly(Y, 3)), editor.preview(X, Y)
    pd.testing.assert_frame_equal(found.rules, wanted.rules)
    pd.testing.assert_frame_equal(found.changes, wanted.changes)


@pytest.mark.parametrize("modify", ["relabel", "drop", "none"])
def test_a_preview_tells_what_the_edit_by_a_sample_does(modify):
    editor = frote.FROTE(rules=RULES, max_fits=1, sample=MOST, modify=modify, label_by="lots", random_state=3)
    said = []
    for parts in (1, 7):
        with pytest.warns(
            SampleWarning, match=r"^The first model is judged, and .* on \d+ of 600 rows; those covered and"
        ):
            said.append(editor.preview(evenly(X, parts), evenly(Y, parts)))
    found, again = said
    pd.testing.assert_frame_equal(found.rules, again.rules)
    assert not hasattr(editor, "strata_")
    with pytest.warns(SampleWarning):
        ledger = editor.fit(evenly(X, 3), evenly(Y, 3)).ledger_.compute()
    assert found.rows == 600
    wanted = frote.FROTE(rules=RULES, max_fits=1, modify=modify, label_by="lots", random_state=3).preview(X, Y)
    columns = ["covered", "attributed", "relabelled", "dropped"]
    pd.testing.assert_frame_equal(found.rules[columns], wanted.rules[columns])  # of all rows, whatever the sample is
    changed = ledger[ledger["status"].isin(["relabelled", "dropped"])]
    assert found.changes["rows"].sum() == len(changed)
    for line in found.changes.itertuples():
        mine = changed[(changed["rule"] == line.rule) & (changed["old_label"] == line.old_label)]
        assert len(mine) == line.rows
        assert set(mine["status"]) == {line.what}
    batch = editor.history_.loc[editor.history_["step"] == 1, "proposed"].item()
    assert found.rules["first_batch"].sum() == batch


def test_conflicts_are_told_with_the_rows_of_the_whole():
    rules = "a: IF age < 40 THEN yes\nb: IF income > 30K THEN no"
    messages = []
    for data in ((X, Y), (evenly(X, 5), evenly(Y, 5))):
        with pytest.raises(ConflictError) as told:
            frote.FROTE(rules=rules).fit(*data)
        messages.append(str(told.value))
    assert messages[0] == messages[1]


def test_nothing_is_computed_of_a_result_before_it_is_asked_for():
    editor = frote.FROTE(rules=RULES, max_fits=0, sample=MOST, modify="drop", random_state=0)
    with pytest.warns(SampleWarning):
        X_new, y_new = editor.fit_resample(evenly(X, 3), evenly(Y, 3))
    assert X_new.known_divisions
    assert y_new.known_divisions
    assert editor.ledger_.known_divisions
    both = X_new.assign(decision=y_new).compute()
    assert len(came_of(editor, X_new, y_new)[0]) == len(both)
    assert both["decision"].tolist() == y_new.compute().tolist()
