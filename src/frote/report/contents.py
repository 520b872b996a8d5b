"""What a report holds, part by part: the contract of ``report.json``, from which its JSON schema is written.

Numbers that are not defined are None; shares are from 0 to 1; rows are counts.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from frote.exceptions import RecordError

__all__ = [
    "MODEL_NAMES",
    "VERSION",
    "AskedPart",
    "Bin",
    "Calibration",
    "CalibrationScore",
    "Change",
    "ChangedClass",
    "ChangedPart",
    "ChosenColumn",
    "ColumnFacts",
    "CompositionPart",
    "Confusion",
    "Distances",
    "DonePart",
    "DoneRule",
    "Dropped",
    "Example",
    "ExampleColumn",
    "ExampleRow",
    "Fact",
    "FairnessPart",
    "GivenRule",
    "Group",
    "GroupRate",
    "JudgedRule",
    "Judgement",
    "Label",
    "LabelRows",
    "LeadingName",
    "Measure",
    "MeasureName",
    "MissedRule",
    "ModelName",
    "ModelScores",
    "MovedPart",
    "Number",
    "NumberLine",
    "NumbersPart",
    "Overlap",
    "PartName",
    "PopulationPart",
    "RateName",
    "Region",
    "Relabelled",
    "RepeatPart",
    "Report",
    "ResultPart",
    "Role",
    "RowCounts",
    "RunPart",
    "SampledPart",
    "SampledStratum",
    "ScoreName",
    "Scores",
    "SeedDisagreement",
    "SeedLine",
    "SeedMeasure",
    "SeedsPart",
    "StabilityLine",
    "StepLine",
    "TableRows",
    "TestRows",
    "Trend",
    "UnknownLabels",
    "UsedRule",
    "require_report",
]

VERSION: Literal[2] = 2
OPTIONAL = ("sampled",)

ModelName: TypeAlias = Literal["before", "after", "override"]
MODEL_NAMES: tuple[ModelName, ...] = ("before", "after", "override")
MeasureName: TypeAlias = Literal["agreement", "f1", "f1_macro", "objective"]
LeadingName: TypeAlias = Literal["f1", "f1_macro"]
ScoreName: TypeAlias = Literal["agreement", "f1", "objective", "f1_macro"]
TradeName: TypeAlias = Literal[
    "auc",
    "gini",
    "ks",
    "log_loss",
    "brier",
    "calibration_error",
    "f1",
    "f1_macro",
    "cost",
    "precision",
    "recall",
    "average_precision",
]
CalibrationName: TypeAlias = Literal["brier", "log_loss", "calibration_error"]
SeedName: TypeAlias = Literal[
    "agreement", "f1", "f1_macro", "objective", "loss", "relabelled", "dropped", "synthetic", "guard"
]
PartName: TypeAlias = Literal["outside", "inside", "all"]
RateName: TypeAlias = Literal["selection_rate", "true_positive_rate", "false_positive_rate", "adverse_impact_ratio"]
Trend: TypeAlias = Literal["better", "worse", "unclear", "same"]
Role: TypeAlias = Literal["made", "base", "neighbour"]
Label: TypeAlias = str | int | float | bool


class Fact(TypedDict):
    """Something that has a name."""

    name: str
    value: Any


class TableRows(TypedDict):
    """A table: the name of its file, or None, and how many rows it has."""

    name: str | None
    rows: int


class UnknownLabels(TypedDict):
    """The number of rows whose label no row of the data has, and these labels."""

    rows: int
    labels: list[str]


class TestRows(TableRows):
    """The table to judge on: rows judged; `given`, the rows it has; `seen`, those of them that also stand in the data.

    `kept` tells whether these are judged on, and `recur` the share of the data's own rows that come again in the data.
    `made`: those of the rows judged that are also among the rows that were made; not there if the data that the model
    was trained on were not at hand.
    """

    given: int
    seen: int
    recur: float
    kept: bool
    made: NotRequired[int]
    unknown: UnknownLabels


class RunPart(TypedDict):
    """What was run: when, the name of the model, the data, and the table to judge on if there is one."""

    date: str | None
    model: str
    data: TableRows
    test: TestRows | None


class MissedRule(TypedDict):
    """A rule that was not done, or not all of it, and why."""

    rule: str
    why: str


class Judgement(TypedDict):
    """What the verdict says, as data.

    A measure is ``better`` or ``worse`` if the whole interval of its change lies above or below zero, ``unclear`` if it
    does not, ``same`` if nothing changed, None if it is not defined. `less`: the rules that are followed less than
    before, the most first. `outside`: the rows that no rule covers and that are predicted otherwise.
    """

    agreement: Trend | None
    f1: Trend | None
    f1_macro: Trend | None
    objective: Trend | None
    less: list[str]
    outside: int


class Scores(TypedDict):
    """The scores of a model, as `frote.score` has them: `objective` is that by coverage; F1 is weighted, and macro."""

    agreement: float | None
    f1: float | None
    objective: float | None
    f1_macro: float | None


class ModelScores(TypedDict):
    """The scores of the model before and after, and of the hard override: before, but rules answer where they cover."""

    before: Scores
    after: Scores
    override: Scores


class PopulationPart(TypedDict):
    """The objective by population of the three models, and the share of the data that the rules cover."""

    share: float
    before: float | None
    after: float | None
    override: float | None


class GivenRule(TypedDict):
    """A rule as written: in words, as text, and what it covers of the data before conflicts are resolved."""

    name: str
    words: str
    written: str
    rows: int
    share: float | None


class Overlap(TypedDict):
    """Two rules that cover the same rows, and whether they conflict."""

    first: str
    second: str
    rows: int
    conflict: bool


class UsedRule(TypedDict):
    """A rule that was not used as it was written, with the pieces that it was cut into; `more`: those left out here."""

    name: str
    words: str
    texts: list[str]
    more: int


class AskedPart(TypedDict):
    """What was asked: facts such as the owner; the rules; where they overlap and conflict, and what became of that.

    `overlaps` has the largest; `gone`: the rules of which resolution left nothing; `impossible`: those that were left
    out, since no row can satisfy them.
    """

    facts: list[Fact]
    rules: list[GivenRule]
    rows: int
    covered: int
    overlaps: list[Overlap]
    conflicts: list[str]
    resolved: str | None
    used: list[UsedRule]
    gone: list[str]
    impossible: list[str]


class RowCounts(TypedDict):
    """What became of rows; `guards`: those made just outside the rules, with the answer of the model before."""

    data: int
    kept: int
    relabelled: int
    dropped: int
    added: int
    guards: int
    result: int


class Relabelled(TypedDict):
    """Rows whose label was changed."""

    old: str
    new: str
    rows: int


class Dropped(TypedDict):
    """Rows that were dropped."""

    old: str
    rows: int


class DoneRule(TypedDict):
    """What was done on account of a rule.

    `covered`: rows of the data that it covers as it was used, after conflicts were resolved; `attributed`: those of
    them that no rule before it covers; `strong` and `weak`: rows made from covered rows or from others;
    `counterexamples`: those made around a row that the model was found to answer otherwise; `relaxed`:
    columns whose conditions were left aside to find rows to start from.
    """

    name: str
    covered: int
    attributed: int
    relabelled: list[Relabelled]
    dropped: list[Dropped]
    added: int
    strong: int
    weak: int
    counterexamples: int
    relaxed: list[str]


class ColumnFacts(TypedDict):
    """A column of the data: its kind, and rows where it is missing; of the others, what occurs.

    `low` and `high`, of numbers and dates, as texts; `levels`, of categories, the first of them; `more`: the others.
    """

    name: str
    kind: Literal["continuous", "integer", "categorical", "boolean", "datetime"]
    missing: int
    low: str | None
    high: str | None
    levels: list[str]
    more: int


class LabelRows(TypedDict):
    """A label: rows that have it in the data as they came, and among those trained on in the end."""

    label: str
    data: int
    result: int


class CompositionPart(TypedDict):
    """What the data are made of."""

    columns: list[ColumnFacts]
    labels: list[LabelRows]


class ExampleColumn(TypedDict):
    """A column of an example; its cells are in the order of the rows, None for missing.

    `ruled`: whether the rule as used names it; `resolved`: whether the rule as written does not; `changed`: whether the
    row made differs from its base.
    """

    name: str
    ruled: bool
    resolved: bool
    cells: list[str | None]
    changed: bool


class ExampleRow(TypedDict):
    """A row of an example: made, base or neighbour; and whether it is synthetic itself."""

    role: Role
    row: int
    label: str
    made_up: bool


class Example(TypedDict):
    """A row that was made, beside those it was made from; `more`: columns that are left out here."""

    rule: str
    covered: str
    columns: list[ExampleColumn]
    more: int
    rows: list[ExampleRow]


class DonePart(TypedDict):
    """What was done."""

    rows: RowCounts
    rules: list[DoneRule]
    examples: list[Example]


class Number(TypedDict):
    """A number, and the interval that holds 95 % of its resamples."""

    value: float | None
    low: float | None
    high: float | None


class Measure(TypedDict):
    """A measure of both models, and its change."""

    measure: MeasureName
    before: Number
    after: Number
    change: Number


class Distances(TypedDict):
    """For each measure the signed distance of the model after from the hard override."""

    agreement: Number
    f1: Number
    f1_macro: Number
    objective: Number


class JudgedRule(TypedDict):
    """A rule on the rows judged: those it covers; `rows`, those of them attributed to it; agreement on these.

    `probes`, where it covers none of them and the run measured on probes: the agreement of the model after on rows that
    were made to measure and never trained on, and on those of the data that it covers.
    """

    name: str
    covered: int
    rows: int
    before: float | None
    after: float | None
    override: float | None
    probes: NotRequired[float]


class StepLine(TypedDict):
    """A step of the loop; `objective` is the training objective.

    It, `agreement` and `loss`, outside the rules, are of the rows that steps were compared on.
    """

    step: int
    accepted: bool
    objective: float | None
    agreement: float | None
    loss: float | None
    previous: float | None
    proposed: int
    added: int
    error: str


class FrontierPoint(TypedDict):
    """A step that no other one beats in agreement and loss; step -1 is the model before."""

    step: int
    agreement: float
    loss: float


class Frontier(TypedDict):
    """What each loss outside the rules buys; no points if none was measured.

    `most`: what the rules would reach; `picked`: the step that was picked, None where the run ended by itself.
    """

    most: float
    picked: int | None
    points: list[FrontierPoint]


class Confusion(TypedDict):
    """Labels against predictions, inside or outside the rules: a line for each label, a column for each prediction."""

    covered: bool
    labels: list[str]
    before: list[list[int]]
    after: list[list[int]]


class CalibrationScore(TypedDict):
    """How well a model knows how sure it is."""

    measure: CalibrationName
    before: float | None
    after: float | None


class Bin(TypedDict):
    """The predictions of a model that are about as sure."""

    model: str
    low: float
    high: float
    rows: int
    confidence: float
    accuracy: float


class Calibration(TypedDict):
    """How sure both models are, and how often they are right then."""

    rows: int
    scores: list[CalibrationScore]
    bins: list[Bin]


class ResultPart(TypedDict):
    """What came of it, on the rows judged; `draws`: the number of resamples.

    `leading`: the F1 that the edit was asked to keep; `uneven`: whether classes are so unlike in size outside the rules
    that macro F1 says something else than weighted F1.
    """

    leading: LeadingName
    uneven: bool
    rows: int
    covered: int
    uncovered: int
    draws: int
    measures: list[Measure]
    override: Distances
    rules: list[JudgedRule]
    steps: list[StepLine]
    frontier: Frontier
    confusion: list[Confusion]
    calibration: Calibration | None


class NumberLine(TypedDict):
    """A measure of both models on a part of the rows, as in `Numbers`; the label is empty if it is of all classes."""

    where: PartName
    measure: TradeName
    label: str
    before: float | None
    after: float | None


class StabilityLine(TypedDict):
    """How far the probabilities of a label moved, as in `Numbers`."""

    where: PartName
    label: str
    psi: float | None


class NumbersPart(TypedDict):
    """What users of such models lead with; `decided`: how rows were decided on, if not as the models predict."""

    classes: int
    decided: str
    lines: list[NumberLine]
    stability: list[StabilityLine]


class GroupRate(TypedDict):
    """A rate of a protected group on a part of the rows, as in `Fairness`."""

    protected: str
    group: str
    words: str
    where: PartName
    rows: int
    measure: RateName
    before: Number
    after: Number
    change: Number


class FairnessPart(TypedDict):
    """How often protected groups get the favourable label, and which rules name or move them."""

    favourable: str
    decided: str
    notices: list[str]
    rates: list[GroupRate]


class ChangedPart(TypedDict):
    """Changed predictions that are intended, wrong or unintended, as in `Comparison`."""

    part: str
    rows: int
    share: float | None
    explained: float | None


class Change(TypedDict):
    """Predictions that changed from one label to another, as in `Comparison`."""

    part: str
    before: Label
    after: Label
    rows: int
    share: float
    regions: int
    explained: float | None


class Region(TypedDict):
    """Where predictions changed, as a rule and in words, as in `Comparison`."""

    region: str
    part: str
    before: Label
    after: Label
    rows: int
    share: float
    before_rows: int
    changed: int
    precision: float | None
    rate: float | None
    recall: float | None
    rule: str
    words: str


class ChosenColumn(TypedDict):
    """Whether the groups of a column are told, and why or why not.

    They are if they were ``asked`` for, if a rule ``named`` it, or for how ``unlike`` shares of its groups changed; not
    if these are ``alike``, if there are ``many``, or only ``one``.
    """

    column: str
    why: str


class ChangedClass(TypedDict):
    """The shares of a group that are predicted a class."""

    label: Label
    before: float
    after: float
    shift: float


class Group(TypedDict):
    """A group of rows: the share of them that is predicted otherwise, F1, and the shares of classes."""

    column: str
    group: str
    rows: int
    changed: float
    f1_before: float | None
    f1_after: float | None
    words: str
    classes: list[ChangedClass]


class MovedPart(TypedDict):
    """What else moved: `rows` looked at, `of` how many, and how many of them are predicted otherwise."""

    rows: int
    of: int
    changed: int
    parts: list[ChangedPart]
    changes: list[Change]
    regions: list[Region]
    columns: list[ChosenColumn]
    subgroups: list[Group]


class SeedLine(TypedDict):
    """What came of the edit with a seed: rows by what became of them, and scores on the rows judged.

    `loss`: outside the rules, where the run measured it.
    """

    seed: int
    relabelled: int
    dropped: int
    synthetic: int
    guard: int
    agreement: float | None
    f1: float | None
    f1_macro: float | None
    objective: float | None
    loss: float | None


class SeedMeasure(TypedDict):
    """What a number of `SeedLine`, or agreement with a rule, is with the edit's own seed and comes to over all."""

    measure: SeedName
    rule: str
    here: float
    mean: float
    deviation: float
    low: float
    high: float


class SeedDisagreement(TypedDict):
    """The share of rows on which models of two seeds predict otherwise, on the mean; `ever`: on which any two do."""

    where: PartName
    rows: int
    before: float
    after: float
    ever: float


class SeedsPart(TypedDict):
    """How far the edit depends on chance: the same with other seeds, of which the first is its own."""

    runs: list[SeedLine]
    measures: list[SeedMeasure]
    unlike: list[SeedDisagreement]


class RepeatPart(TypedDict):
    """How to repeat it."""

    command: str | None
    seed: str
    model: str
    settings: list[Fact]
    versions: list[Fact]
    digests: list[Fact]
    files: list[Fact]


class SampledStratum(TypedDict):
    """A part of the data, such as the rows of a rule: its rows, and how many of them batches were made on."""

    name: str
    rows: int
    taken: int


class SampledPart(TypedDict):
    """How an edit of a table that lies in many files was decided.

    `rows`: how many there are; `brought`: how many of them batches were made and compared on; `strata`: what they were
    taken from; `trained`: what models were trained on, the sample or all rows; `weight`: how many rows a synthetic row
    stands for; `looked_at`: how many rows, drawn from all, the numbers of users are of.
    """

    rows: int
    brought: int
    strata: list[SampledStratum]
    trained: Literal["sample", "all"]
    weight: float | None
    looked_at: int


class CaseLine(TypedDict):
    """A case, the rule that it belongs to, what both models answer, and whether that is as expected."""

    name: str
    why: str
    rule: str | None
    expected: Label
    before: Label
    after: Label
    held: bool
    holds: bool


class CasesPart(TypedDict):
    """The cases that models were tried by; `filled`: the columns that no case names, taken from the reference row."""

    filled: list[str]
    lines: list[CaseLine]


class Report(TypedDict):
    """All that a report tells.

    `report` is the version of this layout; `how`: how the rules got into the model, by its data or as a part of it
    ("initial": not at all); `unedited`: why the model before was handed back, empty if it was not;
    `skipped`: the rules that were left out, since no row can satisfy them; `in_part`: those that name, among others,
    what no row can have; `on`: the rows that models were judged on; `population`: None if these are the data;
    `cases`: None if there are none; `fairness`: None if nothing is protected; `seeds`: None if the edit was made with
    one alone; `sampled`: there if the data lie in many files; `limits`: what the numbers do not show, in sentences.
    """

    report: Literal[2]
    title: str
    run: RunPart
    how: Literal["data", "switches", "anchored", "initial"]
    unedited: str
    skipped: list[MissedRule]
    in_part: list[MissedRule]
    verdict: str
    judgement: Judgement
    on: Literal["test", "data"]
    scores: ModelScores
    population: PopulationPart | None
    asked: AskedPart
    composition: CompositionPart
    done: DonePart
    result: ResultPart
    numbers: NumbersPart
    fairness: FairnessPart | None
    moved: MovedPart
    cases: CasesPart | None
    seeds: SeedsPart | None
    sampled: NotRequired[SampledPart]
    limits: list[str]
    repeat: RepeatPart


def require_report(summary: Any) -> Report:
    """Return what is a report of this version.

    Raises
    ------
    RecordError
        If it is none, or one of another version.
    """
    version = summary.get("report") if isinstance(summary, dict) else None
    if version != VERSION:
        raise RecordError(f"A report of version {version!r} cannot be shown: this is for version {VERSION}.")
    lacking = [name for name in Report.__annotations__ if name not in summary and name not in OPTIONAL]
    if lacking:
        raise RecordError(f"The report lacks {lacking[0]!r}: it is damaged, or of an earlier release. Edit again.")
    report: Report = summary
    return report
