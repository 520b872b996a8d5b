"""What is known of how the edit was made: steps, choices, versions, files, and what else could have been done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.report.dossier.contents import Block, Code, Facts, Grid, Text
from frote.report.figures import fact, score

if TYPE_CHECKING:
    from frote.report.contents import ModelName, PopulationPart, Scores
    from frote.report.dossier.known import Known

__all__ = [
    "alternatives",
    "change",
    "choices",
    "computation",
    "files",
    "for_machines",
    "method",
    "metrics",
    "repetition",
    "versions",
]

FIRST = {
    "relabel": "relabel only: labels agree with the rules, and no row is made up",
    "drop": "drop only: rows against the rules are gone, and no row is made up",
    "none": "the data as they came",
}
LEFT = "the model left as it was"
FRONTIER = "The steps told are those that no other one beats in both."
PICK = "frote edit --pick takes any of them."
MODIFIED = {
    "relabel": "Labels of covered rows were made to agree with the rules.",
    "drop": "Covered rows whose label is against the rules were dropped.",
    "none": "Rows and labels were left as they came.",
}
BATCHES = "Batches of made-up rows were proposed, and the model was trained again with each."
IN_MODEL = (
    "The rules were put into the model, which was trained a few times on covered rows, once more, and on made-up ones."
)
TRIES = (
    "What came of a try was kept if the training objective rose: agreement inside the rules, and the score outside "
    "them. Tries that were not kept stand in the report."
)
CROISSANT = ("license", "url", "creator", "datePublished", "version")


def alternatives(known: Known) -> tuple[Block, ...]:
    """Tell what else could have been done, with the numbers that the edit measured anyway."""
    return (
        *_on_rows_judged(known),
        *_on_rows_compared(known),
        Text(
            "The soft overlay, which moves covered rows before it asks the model about them, is not measured by an "
            "edit. The two models in the folder are all that it takes: frote overlay --mode soft, and frote score."
        ),
    )


def _on_rows_judged(known: Known) -> tuple[Block, ...]:
    scores, population = known.report["scores"], known.report["population"]
    names: dict[ModelName, str] = {
        "before": LEFT,
        "after": "this edit",
        "override": "the rules laid over the model: hard overlay, or override",
    }
    lines = tuple((name, *_scores(scores[model]), *_population(population, model)) for model, name in names.items())
    head = ("", "agreement", "weighted F1 outside", "macro F1 outside", "objective by coverage")
    more = () if population is None else ("objective by population",)
    return (Grid("On the rows judged", (*head, *more), lines),)


def _scores(scores: Scores) -> tuple[str, ...]:
    return tuple(map(score, (scores["agreement"], scores["f1"], scores["f1_macro"], scores["objective"])))


def _population(population: PopulationPart | None, model: ModelName) -> tuple[str, ...]:
    return () if population is None else (score(population[model]),)


def _on_rows_compared(known: Known) -> tuple[Block, ...]:
    """Tell the first step of the loop, its end, and the other points of the frontier."""
    result = known.report["result"]
    steps, frontier = {one["step"]: one for one in result["steps"]}, result["frontier"]
    numbers: dict[int, Any] = {one["step"]: one for one in frontier["points"]}
    accepted = [step for step, one in steps.items() if one["accepted"]]
    end = frontier["picked"] if frontier["picked"] is not None else max(accepted, default=None)
    wanted = sorted({*numbers, *[step for step in (min(steps, default=None), end) if step is not None]})
    lines = []
    for step in wanted:
        at = {**numbers.get(step, {}), **steps.get(step, {})}
        told = (at.get(name) for name in ("objective", "agreement", "loss"))
        lines.append((_name_of(known, step, end), *map(score, told)))
    if not lines:
        return ()
    pick = PICK if known.by_data else ""
    loss = (
        f"{FRONTIER} {pick}".strip()
        if numbers
        else "The loss outside was not measured in this run, so there is no frontier."
    )
    return (
        Text(f"Steps were compared on other rows than these: those that its setting evaluate names. {loss}"),
        Grid(
            "On the rows that steps were compared on",
            ("", "training objective", "agreement", "loss outside"),
            tuple(lines),
        ),
    )


def _name_of(known: Known, step: int, end: int | None) -> str:
    first = FIRST.get(known.setting("modify"), "") if known.by_data else LEFT
    name = LEFT if step < 0 else first if step == 0 and first else f"step {step}"
    return f"{name} (this edit)" if step == end and not known.report["unedited"] else name


def method(known: Known) -> tuple[Block, ...]:
    """Tell the steps by which the edit was made."""
    steps = known.report["result"]["steps"]
    lines = tuple(
        (
            str(one["step"]),
            f"{one['proposed']:,}",
            f"{one['added']:,}",
            *map(score, (one["objective"], one["agreement"])),
        )
        for one in steps
        if one["accepted"]
    )
    head = ("step", "rows proposed", "rows added by then", "training objective", "agreement")
    told = f"{MODIFIED.get(known.setting('modify'), '')} {BATCHES}".strip() if known.by_data else IN_MODEL
    return (Text(f"{told} {TRIES}"), Grid("Tries that were kept", head, lines))


def choices(known: Known) -> tuple[Block, ...]:
    """Tell the settings of the run."""
    settings = [(one["name"], fact(one["value"])) for one in known.report["repeat"]["settings"]]
    told = Text("What the run optimises for, and its other settings, but for those that were left open:")
    return told, Facts(tuple((name, value.strip("'")) for name, value in settings if value != "None"))


def metrics(_: Known) -> tuple[Block, ...]:
    """Tell what the measures mean."""
    return (
        Text(
            "Agreement is how far a model does what the rules want on the rows that they cover. F1 is measured outside "
            "all rules, against the labels of the past; inside the rules these labels count for nothing. The objective "
            "by coverage puts both together, by how many of the rows judged each is about."
        ),
    )


def computation(known: Known) -> tuple[Block, ...]:
    """Tell what the edit took."""
    timings = known.record["timings"]
    return (Facts(tuple((f"seconds, {name.replace('_', ' ')}", f"{value:g}") for name, value in timings.items())),)


def versions(known: Known) -> tuple[Block, ...]:
    """Tell the versions of software."""
    return (Facts(tuple((one["name"], fact(one["value"])) for one in known.report["repeat"]["versions"])),)


def change(known: Known) -> tuple[Block, ...]:
    """Tell what this edit changed."""
    before, after = (known.of_file(name) for name in ("before", "model"))
    digests = [
        (f"SHA-256 of {name}, the model {when}", one) for (name, one), when in ((before, "before"), (after, "after"))
    ]
    run = known.record.get("picked_from")
    picked = [("a step of the run whose record has the SHA-256", run)] if run else []
    return (Text(known.report["verdict"]), Facts((*digests, *picked)))


def files(known: Known) -> tuple[Block, ...]:
    """Tell the files of the edit, and what says which they are."""
    listed = {name: digest for name, digest in known.record["files"].items() if "/" not in name}
    return (Facts((("edit.json", known.digest), *listed.items())),)


def repetition(known: Known) -> tuple[Block, ...]:
    """Tell how to repeat the edit."""
    command = known.report["repeat"]["command"]
    told = Text(
        "The same data, rules, settings, seed and versions give the same rows and the same model, byte for byte."
    )
    return (told, *([Code(command)] if command else []))


def for_machines(known: Known) -> tuple[Block, ...]:
    """Tell what croissant.json says, and what only the owner can add to it."""
    said = {name: str(value) for name, value in known.croissant.items()}
    told = "croissant.json describes the augmented data and the ledger for machines, in the vocabulary Croissant 1.1."
    lacking = [name for name in CROISSANT if name not in said]
    ask = f" Croissant also wants, and owner.toml does not say: {', '.join(lacking)}." if lacking else ""
    return (
        Text(told + ask),
        *([Facts(tuple((name, said[name]) for name in CROISSANT if name in said))] if said else []),
    )
