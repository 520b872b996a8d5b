"""What an editor makes of rows, labels and rules by its parameters: a loop that is ready to start."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import process_routing

from frote.coverage.labels import require_classes
from frote.coverage.ruling import Ruling
from frote.estimators.encoded import in_codes, require_not_encoded
from frote.estimators.encoding import default_pipeline
from frote.estimators.given_rules import as_rules, bound_rules, possible_rules, resolved_rules
from frote.estimators.held_out import choose_held_out, validation_rows
from frote.estimators.identity import described, versions
from frote.estimators.input import Target, columns_known, typed
from frote.estimators.named import MODIFICATIONS, SCHEDULES, SELECTIONS, chosen, chosen_evaluation
from frote.estimators.points import initial_model
from frote.estimators.prepared import Given, Modified, Prepared
from frote.estimators.weights import WEIGHT, as_weights, routed, weight_name
from frote.exceptions import TableError
from frote.generation.making import Making
from frote.generation.outside import Outside
from frote.generation.possible import tell_in_part
from frote.keys import Sample
from frote.loop.attempts import Bench
from frote.loop.checkpoint import Checkpoint
from frote.loop.engine import EditLoop
from frote.loop.evaluation import Run
from frote.loop.modify import Contradictions
from frote.loop.objective import Objective
from frote.loop.pool import require_possible
from frote.loop.proposal import Proposer
from frote.loop.rows import Rows
from frote.loop.schedule import Limits
from frote.loop.training import Trainer, seeded
from frote.loop.twins import Twins
from frote.rules.binding import require_no_sums
from frote.ways_out import way_out

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.estimators.editing import Editing
    from frote.loop.engine import Seeker
    from frote.loop.modify import Modification
    from frote.rules import RuleSet
    from frote.rules.conflicts import Conflict
    from frote.table import Table

__all__ = [
    "assembled",
    "base_of",
    "identity_of",
    "limits_of",
    "modified_by",
    "objective_of",
    "prepared",
    "read",
    "rules_for",
    "seed_of",
    "trainer_for",
    "weights_of",
]

OVERSAMPLE, MOST_ADDED = 0.5, 100_000  # synthetic rows for each row of data, and in all, where the caller says nothing


def prepared(
    editor: Editing,
    X: Any,
    y: Any,
    checkpoint: str | os.PathLike[str] | None,
    initial: Any = None,
    sample_weight: Any = None,
) -> Prepared:
    """Read and check everything, modify the data and assemble the loop, which is not started."""
    given = read(editor, X, y)
    if sample_weight is not None:
        given = replace(given, weights=weights_of(editor, sample_weight, len(given.rows)))
    estimator = base_of(editor)
    saved, seed = None, seed_of(editor.random_state)
    if checkpoint is not None:
        saved = Checkpoint.open(checkpoint, identity_of(editor, given, estimator), seed)
        seed = saved.seed
    modified = modified_by(editor, given, editor.modify, seed)
    held_out, loop = assembled(editor, given, modified, estimator, seed, initial)
    return Prepared(given, modified, held_out, loop, saved)


def read(editor: Editing, X: Any, y: Any) -> Given:
    """Read rows, labels and rules, and say what is wrong with them."""
    require_possible(editor.n_jobs)
    rows = typed(X, kinds=editor.kinds, levels=editor.levels)
    columns_known(editor, rows.frame)
    target = Target.of(y, len(rows))
    require_classes(target.labels, y)
    written, rules, skipped = rules_for(editor, rows.table, target, y)
    tell_in_part(written, rows.table)  # what is resolved has lost what cannot apply
    return Given(rows, target, written, rules, skipped)


def rules_for(
    editor: Editing, table: Table, target: Target, y: Any, conflicts: Callable[[RuleSet], list[Conflict]] | None = None
) -> tuple[RuleSet, RuleSet, dict[str, str]]:
    """Return the rules as written, those that are used, bound to rows, and why the others were left out.

    `conflicts` finds them where the table has only the types of the rows.
    """
    written = as_rules(editor.rules)
    classes = target.labels.classes
    meant = in_codes(written, editor.labels, classes)
    if editor.labels is None:
        require_not_encoded(written, classes)
    resolved = resolved_rules(meant, editor.resolve, table, classes)
    bound = bound_rules(resolved, table, target.labels, y, conflicts)
    return written, *possible_rules(bound, table, editor.on_impossible)


def modified_by(editor: Editing, given: Given, modify: str | Modification, seed: int) -> Modified:
    """Make the labels agree with the rules."""
    labels, shown = given.target.labels, given.rows
    attribution = Ruling.of(given.rules, labels.texts).on(shown.table)
    modification = chosen(modify, MODIFICATIONS)
    contradictions = Contradictions(attribution, labels.codes, editor.label_by == "quota")
    kept, changed = modification.modify(contradictions, np.random.default_rng([seed, 0]))
    _require_left(kept, changed, modify)
    whole = shown.is_large and bool(kept.all())  # then what is known of the rows is not put together again
    left = shown.counted_anew() if whole else shown.take(np.flatnonzero(kept))
    places = slice(None) if whole else np.flatnonzero(kept)
    weights = None if given.weights is None else given.weights[places]
    # A row that is made weighs as much as those of the data do on the mean, so that batches keep their share.
    weight = None if weights is None else float(weights.mean())
    making = Making.of(attribution.ruling, left.table, editor.k, weight, Sample(editor.sample, seed))
    known = attribution if whole else None
    rows = Rows.of(making, left, changed[places], labels.codes[places], weights=weights, attribution=known)
    return Modified(attribution, kept, rows.labels if whole else changed, making, rows)


def assembled(
    editor: Editing,
    given: Given,
    modified: Modified,
    estimator: Any,
    seed: int,
    before: Any,
    trainer: Trainer | None = None,
) -> tuple[NDArray[np.bool_], EditLoop]:
    """Choose the rows to hold out, and put the parts of the loop together; `before` may be the initial model."""
    making, rows, labels = modified.making, modified.rows, given.target.labels
    evaluation = chosen_evaluation(editor.evaluate)
    held_out = choose_held_out(rows, evaluation.hold_out, seed)
    parts = [rows.take(np.flatnonzero(part)) for part in (~held_out, held_out)] if held_out.any() else [rows, rows]
    active, judged = parts

    def read(X_val: Any, y_val: Any) -> Rows:
        return validation_rows(X_val, y_val, making.ruling, given.rows.table.schema, labels)

    trainer = trainer_for(editor, given, estimator, seed) if trainer is None else trainer
    guarded = editor.twins > 0 or editor.max_loss_outside is not None
    initial = initial_model(trainer, given, modified, held_out, before) if guarded else None
    run = Run(making, objective_of(editor), judged, active, seed, initial, read)
    twins = Twins(making, Outside(active.attribution, making.sample), editor.twins) if editor.twins else None
    selection = chosen(editor.select, SELECTIONS)
    by_quota = editor.label_by == "quota"
    proposer = Proposer(making, active, selection, editor.weak_share, editor.candidates, twins, by_quota)
    planner = chosen(editor.schedule, SCHEDULES).begin(limits_of(editor, len(active), len(making.ruling.outcomes)))
    limit = None if editor.max_loss_outside is None else float(editor.max_loss_outside)
    bench = Bench(trainer, proposer, planner, evaluation.begin(run), seed, initial, limit)
    return held_out, EditLoop(active, bench, editor.n_jobs, _seeker(editor, active, making), int(editor.max_fits))


def _seeker(editor: Editing, rows: Rows, making: Making) -> Seeker | None:
    """Return what looks for counterexamples, if they are to join."""
    if not editor.counterexamples:
        return None
    for rule in making.ruling.rules:
        how = way_out("use counterexamples=False", "leave --counterexamples out")
        require_no_sums(
            [rule.clause], f"Rule {rule.origin!r}", f"and counterexamples to such a rule are not looked for; {how}"
        )
    from frote.evidence.joining import Counterexamples  # it opens what estimators are made of, these among them

    return Counterexamples(rows, making)


def trainer_for(editor: Editing, given: Given, estimator: Any, seed: int) -> Trainer:
    """Return what trains every model of a run alike."""
    labels, taught = given.target.labels, given.target.taught
    trainer = Trainer(seeded(estimator, seed % 2**31, editor.threads), labels, taught, editor.threads)
    return trainer if given.weights is None else replace(trainer, weight_name=weight_name(trainer.estimator))


def base_of(editor: Editing) -> Any:
    """Return the estimator that is edited."""
    if editor.estimator is not None:
        return editor.estimator
    pipeline = default_pipeline()
    if routed():
        pipeline[-1].set_fit_request(sample_weight=True)
    return pipeline


def weights_of(editor: Editing, sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """Return the weights that models are trained with, if there are such and the estimator asks for them."""
    if sample_weight is not None and routed():
        asked = process_routing(editor, "fit", sample_weight=sample_weight)
        sample_weight = asked.estimator.fit.get(WEIGHT)
    return None if sample_weight is None else as_weights(sample_weight, rows)


def identity_of(editor: Editing, given: Given, estimator: Any) -> dict[str, str]:
    """Return what makes a run what it is; what only watches it or speeds it up is left out."""
    labels = given.target.labels
    # The rules are those that are used, so that `resolve`, `labels` and `on_impossible` say nothing more.
    # Only edits by data have checkpoints, so that `how` says nothing either; `recalibrate` is of what comes after.
    aside = {
        "estimator",
        "rules",
        "resolve",
        "labels",
        "n_jobs",
        "time_limit",
        "callbacks",
        "progress",
        "checkpoint",
        "on_impossible",
        "how",
        "recalibrate",
    }
    aside |= set() if editor.counterexamples else {"counterexamples"}  # what is not used makes no other run
    settings = {name: value for name, value in editor.get_params(deep=False).items() if name not in aside}
    if isinstance(editor.random_state, np.random.RandomState | np.random.Generator):
        settings["random_state"] = type(editor.random_state)  # every call of it gives another seed
    return {
        **versions(estimator),
        "data": given.rows.table.digest(),
        "labels": described([labels.codes.astype(np.intp), list(labels.classes)]),
        "rules": str(given.rules),
        **({} if given.weights is None else {WEIGHT: described(given.weights)}),
        "estimator": described(estimator),
        **{name: described(value) for name, value in settings.items()},
    }


def limits_of(editor: Editing, rows: int, rules: int) -> Limits:
    """Return how far a run may go on so many rows with so many rules."""
    # NumPy's own numbers do not go to JSON.
    size = None if editor.batch_size is None else int(editor.batch_size)
    share, cap = editor.oversample, editor.max_added
    if share is None:
        share, cap = OVERSAMPLE, MOST_ADDED if cap is None else cap
    most = min(float(share) * rows, math.inf if cap is None else int(cap))
    most_in_batch = None if editor.max_batch is None else int(editor.max_batch)
    most_added = None if editor.max_added is None else int(editor.max_added)
    return Limits(
        rows, rules, editor.k, most, editor.max_fits, size, editor.patience, editor.twins > 0, most_in_batch, most_added
    )


def objective_of(editor: Editing) -> Objective:
    """Return what models are compared by."""
    weight: Any = editor.agreement_weight
    weight = weight if isinstance(weight, str) else float(weight)
    if editor.scoring in ("f1_weighted", "f1_macro"):
        return Objective(weight, "weighted" if editor.scoring == "f1_weighted" else "macro")
    return Objective(weight, scorer=get_scorer(editor.scoring))


def _require_left(kept: NDArray[np.bool_], labels: NDArray[np.intp], how: str | Modification) -> None:
    left = np.count_nonzero(np.bincount(labels[kept]))
    if left < 2:
        after = way_out(f"modify={how!r}", f"--modify {how}", f"{how!r}")
        ways = way_out(
            "rules.check(X, y), or use modify='none'",
            "frote check, or add --modify none",
            "the policy room, or let rows stay whose label contradicts a rule",
        )
        raise TableError(
            f"After {after}, {'no row is' if not left else 'rows of one class only are'} left to train on. "
            f"Look at what the rules cover with {ways}."
        )


def seed_of(random_state: Any) -> int:
    """Return a whole number to derive all chance from."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(random_state)
