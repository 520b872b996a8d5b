"""Data flows one way: a module imports only from the left of itself.

The order of all modules stands here, once. A planted import against it, also one inside a function, must be found.
"""

from __future__ import annotations

import ast
from pathlib import Path

import frote
import frote_experiments

PACKAGES = [Path(package.__file__).parent for package in (frote, frote_experiments)]

ORDER = [
    "frote.exceptions",
    "frote.caller",
    "frote.ways_out",
    "frote._sklearn",
    "frote.visible",
    "frote.opened",
    "frote.layout",
    "frote.plain",
    "frote.contracts",
    "frote.whole",
    "frote.table.spelling",
    "frote.table.disguise",
    "frote.table.columns",
    "frote.table.schema",
    "frote.table.lattice",
    "frote.table.frames",
    "frote.table.declared",
    "frote.table.numpy_arrays",
    "frote.table.pandas_frames",
    "frote.table.polars_frames",
    "frote.table.by_schema",
    "frote.table.blocks",
    "frote.table.table",
    "frote.table.repeats",
    "frote.table.lending",
    "frote.table.typed",
    "frote.table",
    "frote.rules.values",
    "frote.rules.date_advice",
    "frote.rules.intervals",
    "frote.rules.condition",
    "frote.rules.text",
    "frote.rules.clause",
    "frote.rules.cells",
    "frote.rules.work",
    "frote.rules.diagram",
    "frote.rules.grid",
    "frote.rules.overlaps",
    "frote.rules.partition",
    "frote.rules.combination",
    "frote.rules.outcome",
    "frote.rules.rule",
    "frote.rules.gaps",
    "frote.rules.expression",
    "frote.rules.ruleset",
    "frote.rules.lexer",
    "frote.rules.decorated",
    "frote.rules.reader",
    "frote.rules.parser",
    "frote.rules.files",
    "frote.rules.written",
    "frote.rules.binding",
    "frote.rules.drafts",
    "frote.rules.completion",
    "frote.rules.thousands",
    "frote.rules.masks",
    "frote.rules.conflicts",
    "frote.rules.implication",
    "frote.rules.difference",
    "frote.rules.renaming",
    "frote.rules",
    "frote.coverage.said",
    "frote.coverage.asking",
    "frote.coverage.labels",
    "frote.coverage.answers",
    "frote.coverage.f1",
    "frote.coverage.matrix",
    "frote.coverage.ruling",
    "frote.coverage.population",
    "frote.coverage.misses",
    "frote.coverage.measures",
    "frote.generation.numbers",
    "frote.generation.levels",
    "frote.generation.limits",
    "frote.generation.possible",
    "frote.generation.space",
    "frote.generation.sampler",
    "frote.generation.making",
    "frote.generation.outside",
    "frote.generation.moves",
    "frote.generation",
    "frote.coverage.reach",
    "frote.coverage.cases",
    "frote.coverage.check",
    "frote.coverage.policies",
    "frote.coverage",
    "frote.judging.interval",
    "frote.judging.chances",
    "frote.judging.calibration",
    "frote.judging.discrimination",
    "frote.judging.decision",
    "frote.judging.trade",
    "frote.judging",
    "frote.selection.request",
    "frote.selection.uniform",
    "frote.selection.program",
    "frote.selection.online",
    "frote.selection",
    "frote.explain.literals",
    "frote.explain.master",
    "frote.explain.choosing",
    "frote.explain.columns",
    "frote.explain.pricing",
    "frote.explain.perturbation",
    "frote.explain",
    "frote.loop.rows",
    "frote.loop.modify",
    "frote.loop.objective",
    "frote.loop.pool",
    "frote.loop.clock",
    "frote.loop.training",
    "frote.loop.initial",
    "frote.loop.twins",
    "frote.loop.schedule",
    "frote.loop.proposal",
    "frote.loop.probes",
    "frote.loop.evaluation",
    "frote.loop.attempts",
    "frote.loop.engine",
    "frote.loop.checkpoint_contents",
    "frote.loop.checkpoint",
    "frote.loop.progress",
    "frote.loop",
    "frote.strategies",
    "frote.estimators.input",
    "frote.estimators.encoding",
    "frote.estimators.ways.switch_columns",
    "frote.estimators.ways.tilt",
    "frote.estimators.ways.models",
    "frote.estimators.ways.socket",
    "frote.estimators.ways.lesson",
    "frote.estimators.ways.ground",
    "frote.estimators.ways.fitting",
    "frote.estimators.ways",
    "frote.estimators.ledger",
    "frote.estimators.frontier",
    "frote.estimators.named",
    "frote.estimators.given_rules",
    "frote.estimators.encoded",
    "frote.estimators.identity",
    "frote.estimators.prepared",
    "frote.estimators.points",
    "frote.estimators.preview",
    "frote.estimators.summary",
    "frote.estimators.to_judge",
    "frote.estimators.held_out",
    "frote.estimators.weights",
    "frote.estimators.recalibration",
    "frote.estimators.editing",
    "frote.estimators.sampler",
    "frote.estimators.classifier",
    "frote.estimators.scoring",
    "frote.estimators.scorer",
    "frote.estimators.stability",
    "frote.estimators.boolean_rules",
    "frote.estimators.explaining",
    "frote.estimators.overlay",
    "frote.estimators",
    "frote.evidence.space",
    "frote.evidence.front",
    "frote.evidence.opening",
    "frote.evidence.ensemble",
    "frote.evidence.boosters",
    "frote.evidence.trees",
    "frote.evidence.cells",
    "frote.evidence.linear",
    "frote.evidence.search",
    "frote.evidence.asking",
    "frote.evidence.by_rule",
    "frote.evidence.proof",
    "frote.evidence.prove",
    "frote.evidence.draws",
    "frote.evidence.joining",
    "frote.evidence.stress",
    "frote.evidence",
    "frote.compare.bounds",
    "frote.compare.boxes",
    "frote.compare.differences",
    "frote.compare.parts",
    "frote.compare.changes",
    "frote.compare.subgroups",
    "frote.compare.protected",
    "frote.compare.rates",
    "frote.compare.notices",
    "frote.compare.comparison",
    "frote.compare.pair",
    "frote.compare.models",
    "frote.compare",
    "frote.report.about",
    "frote.report.contents",
    "frote.report.reading",
    "frote.report.cases",
    "frote.report.words",
    "frote.report.figures",
    "frote.report.bootstrap",
    "frote.report.charts",
    "frote.report.judged",
    "frote.report.asked",
    "frote.report.done",
    "frote.report.composition",
    "frote.report.results",
    "frote.report.moved",
    "frote.report.seeds",
    "frote.report.trade",
    "frote.report.verdict",
    "frote.report.limits",
    "frote.report.gather",
    "frote.report.page",
    "frote.report",
    "frote.report.dossier.contents",
    "frote.report.dossier.known",
    "frote.report.dossier.on_model",
    "frote.report.dossier.on_data",
    "frote.report.dossier.on_process",
    "frote.report.dossier.outline",
    "frote.report.dossier.owner",
    "frote.report.dossier.gather",
    "frote.report.dossier.page",
    "frote.report.dossier.markdown",
    "frote.report.dossier",
    "frote.datasets.registry",
    "frote.datasets.cleaning",
    "frote.datasets.dataset",
    "frote.datasets.loans",
    "frote.datasets.paper",
    "frote.datasets",
    "frote.files.limits",
    "frote.files.format",
    "frote.files.source",
    "frote.files.names",
    "frote.files.kinds",
    "frote.files.cells",
    "frote.files.delimited",
    "frote.files.json_lines",
    "frote.files.feather",
    "frote.files.arrow",
    "frote.files.texts",
    "frote.files.formats",
    "frote.files.form",
    "frote.files.reading",
    "frote.files",
    "frote",
    "frote.edits.model_errors",
    "frote.edits.models",
    "frote.edits.model_bytes",
    "frote.edits.model_types",
    "frote.edits.model_files",
    "frote.edits.model_checks",
    "frote.edits.saved_models",
    "frote.edits.trusted",
    "frote.edits.order",
    "frote.edits.frame_forms",
    "frote.edits.record",
    "frote.edits.lock",
    "frote.edits.ours",
    "frote.edits.folder",
    "frote.edits.tables",
    "frote.edits.cases",
    "frote.edits.resolving",
    "frote.edits.patching",
    "frote.edits.predicting",
    "frote.edits.run_options",
    "frote.edits.editors",
    "frote.edits.results",
    "frote.edits.running",
    "frote.edits.signing",
    "frote.edits.verifying.checks",
    "frote.edits.verifying.held",
    "frote.edits.verifying.tables",
    "frote.edits.verifying.rows",
    "frote.edits.verifying.ruled",
    "frote.edits.verifying.told",
    "frote.edits.verifying.verify",
    "frote.edits.verifying",
    "frote.edits.refound",
    "frote.edits.kept",
    "frote.edits.replaying",
    "frote.edits.picking",
    "frote.edits.croissant",
    "frote.edits.dossier",
    "frote.edits.saving",
    "frote.edits.tracking",
    "frote.edits",
    "frote.studio.errors",
    "frote.studio.inside",
    "frote.studio.versions",
    "frote.studio.settings",
    "frote.studio.history",
    "frote.studio.tables",
    "frote.studio.workspace",
    "frote.studio.asked",
    "frote.studio.journal",
    "frote.studio.jobs",
    "frote.studio.worker",
    "frote.studio.runs",
    "frote.studio.drawing",
    "frote.studio.words",
    "frote.studio.finished",
    "frote.studio.meaning",
    "frote.studio.bundle",
    "frote.studio.changed_rows",
    "frote.studio.events",
    "frote.studio.turns",
    "frote.studio.units",
    "frote.studio.away",
    "frote.studio.summaries",
    "frote.studio.pulse",
    "frote.studio.changes",
    "frote.studio.desk",
    "frote.studio.trying",
    "frote.studio.resolutions",
    "frote.studio.cards",
    "frote.studio.picture",
    "frote.studio.state",
    "frote.studio.security",
    "frote.studio.pages",
    "frote.studio.rooms.data",
    "frote.studio.rooms.policy",
    "frote.studio.rooms.cases",
    "frote.studio.rooms.beside",
    "frote.studio.rooms.edit",
    "frote.studio.rooms.result",
    "frote.studio.rooms.history",
    "frote.studio.rooms",
    "frote.studio.app",
    "frote.studio.serving",
    "frote.studio",
    "frote.shell",
    "frote.command.models",
    "frote.command.parameters",
    "frote.command.options",
    "frote.command.orders",
    "frote.command.check",
    "frote.command.compare",
    "frote.command.demo",
    "frote.command.diff",
    "frote.command.dossier",
    "frote.command.told",
    "frote.command.pick",
    "frote.command.edit",
    "frote.command.explain",
    "frote.command.overlay",
    "frote.command.predict",
    "frote.command.preview",
    "frote.command.prove",
    "frote.command.replay",
    "frote.command.resolve",
    "frote.command.score",
    "frote.command.studio",
    "frote.command.verify",
    "frote.command.main",
    "frote.command",
    "frote_experiments.exceptions",
    "frote_experiments.models",
    "frote_experiments.pools",
    "frote_experiments.draws",
    "frote_experiments.unseen",
    "frote_experiments.runs",
    "frote_experiments.proofs",
    "frote_experiments.holes",
    "frote_experiments.results",
    "frote_experiments.runner",
    "frote_experiments.presets",
    "frote_experiments.definitions",
    "frote_experiments.frame",
    "frote_experiments.selected",
    "frote_experiments.paper_values",
    "frote_experiments.verdicts",
    "frote_experiments.significance",
    "frote_experiments.tables.sheets",
    "frote_experiments.tables.summaries",
    "frote_experiments.tables.compared",
    "frote_experiments.tables.beside",
    "frote_experiments.tables.effects",
    "frote_experiments.tables.ours",
    "frote_experiments.tables.local",
    "frote_experiments.tables.record",
    "frote_experiments.tables",
    "frote_experiments.tables.draws",
    "frote_experiments.lines",
    "frote_experiments.counterexamples",
    "frote_experiments.recalibration",
    "frote_experiments.sets",
    "frote_experiments.quoting",
    "frote_experiments.projection",
    "frote_experiments.figures.style",
    "frote_experiments.figures.boxes",
    "frote_experiments.figures.curves",
    "frote_experiments.figures.dots",
    "frote_experiments.figures.illustration",
    "frote_experiments.figures.trade",
    "frote_experiments.figures",
    "frote_experiments.command",
    "frote_experiments",
    "frote_experiments.__main__",
]

# The application layer knows neither the command line nor what prints: whoever stands beside the commands has neither.
SHELLS = ("click", "frote.shell", "frote.command")

# Methods that people look for on an object: they may import from the right, inside their body.
FACADES = {
    ("frote.rules.rule", "mask"),
    ("frote.rules.expression", "then"),
    ("frote.rules.ruleset", "save"),
    ("frote.rules.ruleset", "bind"),
    ("frote.rules.ruleset", "conflicts"),
    ("frote.rules.ruleset", "resolve"),
    ("frote.rules.ruleset", "disjoint"),
    ("frote.rules.ruleset", "diff"),
    ("frote.rules.ruleset", "coverage"),
    ("frote.rules.ruleset", "check"),
    ("frote.estimators.editing", "report"),
    ("frote.estimators.editing", "save"),
    ("frote.estimators.editing", "_seeker"),  # which looks into estimators, these among them
}


def modules() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            parts = path.relative_to(package.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text("utf-8")
    return found


def imports(tree: ast.AST, function: str = "") -> list[tuple[str, str]]:
    """List (function, module imported from), without those that only type checkers see."""
    found: list[tuple[str, str]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            # `from frote.rules import parser` names a module, `from frote.rules import Rule` does not.
            found += [
                (function, f"{base}.{alias.name}" if f"{base}.{alias.name}" in ORDER else base) for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            found += [(function, alias.name) for alias in node.names]
        inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        found += imports(node, inner)
    return found


def violations(sources: dict[str, str]) -> list[str]:
    place = {name: position for position, name in enumerate(ORDER)}
    return [
        f"{module} imports {target}" + (f" in {function}()" if function else "")
        for module, text in sources.items()
        for function, target in imports(ast.parse(text))
        if target in place and place[target] >= place[module] and (module, function) not in FACADES
    ]


def shells_imported(sources: dict[str, str]) -> list[str]:
    """List what modules to the left of the command line import of it."""
    return [
        f"{module} imports {target}"
        for module, text in sources.items()
        for shells in [SHELLS if module.split(".")[:2] == ["frote", "edits"] else SHELLS[2:]]
        for _, target in imports(ast.parse(text))
        if not module.startswith(SHELLS[2]) and any(f"{target}.".startswith(f"{shell}.") for shell in shells)
    ]


def test_every_module_has_its_place():
    assert sorted(modules()) == sorted(ORDER)


def test_no_import_points_back():
    assert violations(modules()) == []


def test_a_planted_import_is_found():
    planted = {
        "frote.rules.values": "from frote.coverage.matrix import cover",
        "frote.table.schema": "def f():\n    from frote import rules",
        "frote.rules.ruleset": "class RuleSet:\n    def names(self):\n        import frote.coverage.check",
        "frote.rules.rule": "from frote.rules import parser",
        "frote.command.main": "from frote_experiments.command import experiments",
        "frote_experiments.draws": "def draw():\n    from frote_experiments.runs import perform",
    }
    assert len(violations(planted)) == len(planted)


def test_the_application_layer_knows_no_shell():
    assert shells_imported(modules()) == []


def test_a_planted_shell_is_found():
    planted = {
        "frote.edits.order": "import click",
        "frote.edits.running": "def f():\n    from click.core import Context",
        "frote.edits.tables": "from frote.shell import say",
        "frote.edits": "from frote import shell",
        "frote.report.page": "def f():\n    from frote.command.main import main",
        "frote.shell": "import frote.command",
    }
    assert len(shells_imported(planted)) == len(planted)
    allowed = {"frote.shell": "import click", "frote.command.main": "from frote.command import options"}
    assert shells_imported(allowed) == []


def test_a_facade_is_let_through_and_nothing_else_is():
    allowed = {"frote.rules.ruleset": "def check(self):\n    from frote.coverage.check import check_rules"}
    assert violations(allowed) == []
    at_module_level = {"frote.rules.ruleset": "from frote.coverage.check import check_rules"}
    assert len(violations(at_module_level)) == 1


def test_every_facade_is_used():
    used = {(module, function) for module, text in modules().items() for function, _ in imports(ast.parse(text))}
    assert used >= FACADES
