"""The parts of a dossier in their order: what each is called, who tells it, and what the owner is asked.

Headings are ours. The points that they answer are those of Annex IV of Regulation (EU) 2024/1689, and sections of
the revised guidance on model risk management of April 2026 (SR 26-2, OCC Bulletin 2026-13), as publicly known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from frote.report.dossier import on_data, on_model, on_process
from frote.report.dossier.contents import Block
from frote.report.dossier.known import Known

__all__ = ["OUTLINE", "Planned", "PlannedSection"]

Teller: TypeAlias = Callable[[Known], tuple[Block, ...]]


@dataclass(frozen=True, slots=True)
class Planned:
    """A part: what it is called, the point that it answers, who tells it, other parts, and what the owner is asked."""

    key: str
    title: str
    point: str = ""
    tell: tuple[Teller, ...] = ()
    see: tuple[str, ...] = ()
    asks: str = ""


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A section: its key, title, what it is, its parts, and what their points are points of."""

    key: str
    title: str
    lead: str
    parts: tuple[Planned, ...]
    document: str = ""

    def point_of(self, part: Planned) -> str:
        """Return the point that a part answers; empty if it answers none."""
        return f"{self.document} {part.point}" if part.point else ""


CARD = PlannedSection(
    "card",
    "Model card",
    "What the edited model is, what it is for, and how good it is, in the order that model cards have.",
    (
        Planned("details", "Model details", tell=(on_model.details,)),
        Planned(
            "provider",
            "Provider and version",
            asks="Who provides the system, under what name and version, and how does it relate to versions before?",
        ),
        Planned(
            "intended-use",
            "Intended use",
            asks="What is the model for, who uses it, on whom, and what is decided by its answers?",
        ),
        Planned(
            "out-of-scope",
            "Uses out of scope",
            asks="What must the model not be used for, and how could it be misused?",
        ),
        Planned("rules", "The rules that it is to follow", tell=(on_model.rules,)),
        Planned(
            "policy",
            "Why these rules",
            asks="Which policy do the rules write down, who decided on it, and since when is it in force?",
        ),
        Planned("evaluation", "Evaluation data", tell=(on_model.evaluation,)),
        Planned("results", "Results", tell=(on_model.results, on_model.agreement)),
        Planned("groups", "Groups", tell=(on_model.groups,)),
        Planned("cases", "Cases", tell=(on_model.cases,)),
        Planned("moved", "What else moved", tell=(on_model.moved,)),
        Planned("limits", "Limits", tell=(on_model.limits,)),
        Planned(
            "ethics",
            "Ethical considerations",
            asks="Whom may the model harm, what was weighed up, and which groups were not looked at?",
        ),
    ),
)

SHEET = PlannedSection(
    "sheet",
    "Datasheet of the augmented data",
    "The data that the edited model was trained on, in the order that datasheets for data sets have.",
    (
        Planned("motivation", "Motivation", tell=(on_data.motivation,)),
        Planned("composition", "Composition", tell=(on_data.composition,)),
        Planned(
            "provenance",
            "Provenance and collection",
            tell=(on_data.source,),
            asks="Where do the rows come from, how were they collected and selected, and whom do they stand for?",
        ),
        Planned(
            "personal-data",
            "Personal data",
            asks="Do rows speak of persons, on what legal ground, and what became of special categories?",
        ),
        Planned(
            "cleaning",
            "Cleaning",
            tell=(on_data.cleaning,),
            asks="What was done to the rows before this edit: filters, outliers, missing values, columns?",
        ),
        Planned(
            "labelling",
            "Labelling",
            tell=(on_data.labelling,),
            asks="What do the labels mean, and who or what gave the rows the labels that they came with?",
        ),
        Planned("synthetic", "Made-up rows", tell=(on_data.synthetic,)),
        Planned(
            "data-uses",
            "Uses",
            asks="What else may the data be used for, and what not, since labels follow rules?",
        ),
        Planned("distribution", "Distribution", asks="Who gets the data, under which licence, and where do they lie?"),
        Planned(
            "data-maintenance", "Maintenance", asks="Who keeps the data, for how long, and when are they made anew?"
        ),
    ),
)

ALTERNATIVES = PlannedSection(
    "alternatives",
    "Alternatives considered",
    "What else could have been done about the rules, with the numbers that the edit measured.",
    (
        Planned("measured", "Side by side", tell=(on_process.alternatives,)),
        Planned("choice", "Why this one", asks="Why was this edit chosen, and not one of the alternatives?"),
    ),
)

ANNEX = PlannedSection(
    "annex-iv",
    "In the order of Annex IV of the EU AI Act",
    "Technical documentation as listed in Annex IV of Regulation (EU) 2024/1689. Headings are ours; the number says "
    "which point a part answers. It is material for that file, on the edit alone, and says nothing on whether the "
    "regulation is met.",
    (
        Planned("iv-1a", "Purpose, provider, version", "1(a)", see=("intended-use", "provider", "details")),
        Planned(
            "interaction",
            "Interaction with other systems",
            "1(b)",
            asks="Which hardware, software and other AI systems does the system work with?",
        ),
        Planned("software", "Versions of software", "1(c)", (on_process.versions,)),
        Planned(
            "forms",
            "Forms in which it is provided",
            "1(d)",
            asks="In which forms is the system provided: packages, services, APIs?",
        ),
        Planned("hardware", "Hardware", "1(e)", asks="On which hardware is the system to run?"),
        Planned(
            "product",
            "Product that it is a part of",
            "1(f)",
            asks="If it is part of a product: what does that look like, inside and out?",
        ),
        Planned("interface", "User interface", "1(g)", asks="What do those who use the system see of it?"),
        Planned("instructions", "Instructions for use", "1(h)", asks="What are those who use the system told to do?"),
        Planned(
            "development",
            "Methods and steps of development",
            "2(a)",
            (on_process.method,),
            ("software", "repetition"),
            "How was the system developed before this edit, and which tools and models of others went into it?",
        ),
        Planned(
            "design",
            "Design choices",
            "2(b)",
            (on_process.choices,),
            ("rules", "measured", "choice"),
            "What is the system designed to do and optimise for, on which assumptions, and with which trade-offs?",
        ),
        Planned(
            "architecture",
            "Architecture and computation",
            "2(c)",
            (on_model.architecture, on_process.computation),
            asks="How do the parts of the system build on each other, and what did the model before take?",
        ),
        Planned("iv-2d", "Data", "2(d)", see=("composition", "provenance", "cleaning", "labelling", "synthetic")),
        Planned(
            "oversight",
            "Human oversight",
            "2(e)",
            asks="Who oversees the system, and what helps them to understand its answers and to overrule them?",
        ),
        Planned(
            "planned-changes",
            "Changes planned in advance",
            "2(f)",
            asks="Which changes of the system are planned, and how does it stay as required?",
        ),
        Planned(
            "testing",
            "Validation and testing",
            "2(g)",
            see=("evaluation", "results", "groups", "cases", "files"),
            asks="Which tests were made beside those told here, and who signed the reports, and when?",
        ),
        Planned("security", "Cybersecurity", "2(h)", asks="What protects the system, its data and its model?"),
        Planned("iv-3a", "Capabilities and limits", "3", see=("results", "groups", "limits")),
        Planned(
            "risks",
            "Unintended outcomes and risks",
            "3",
            see=("moved", "ethics"),
            asks="Which unintended outcomes can be foreseen, and which risks to health, safety and rights?",
        ),
        Planned("iv-3c", "Input data", "3", (on_data.inputs,)),
        Planned(
            "metric-choice",
            "Whether the metrics are the right ones",
            "4",
            (on_process.metrics,),
            asks="Why are these metrics, and the threshold or costs, the right ones for this use?",
        ),
        Planned(
            "risk-management",
            "Risk management",
            "5",
            asks="How are risks found, judged and reduced over the life of the system?",
        ),
        Planned(
            "lifecycle",
            "Changes over the life of the system",
            "6",
            (on_process.change,),
            ("rules",),
            "Which changes were made to the system before this one?",
        ),
        Planned("standards", "Standards", "7", asks="Which harmonised standards are applied, or what in their place?"),
        Planned("declaration", "Declaration of conformity", "8", asks="Where is the EU declaration of conformity?"),
        Planned(
            "monitoring",
            "Monitoring after it is put into use",
            "9",
            asks="What is watched once the model is in use, how often, by whom, and when is something done?",
        ),
    ),
    "Annex IV,",
)

GUIDANCE = PlannedSection(
    "sr-26-2",
    "In the order of SR 26-2 / OCC Bulletin 2026-13",
    "The revised guidance on model risk management of the US banking agencies, which replaced SR 11-7 in April 2026. "
    "Headings are ours, and so is the choice of what answers which section. It is material for a model's file; the "
    "guidance is no checklist, and nothing here says that anything is met.",
    (
        Planned(
            "materiality",
            "Model risk and materiality",
            "III",
            asks="How large is the exposure that the model decides on, for what purpose, and how material is it?",
        ),
        Planned("sr-design", "Design and data", "IV", see=("rules", "design", "composition", "provenance")),
        Planned("sr-testing", "Testing during development", "IV", see=("development", "measured", "results")),
        Planned("sr-use", "Use and its limits", "IV", see=("intended-use", "out-of-scope", "limits")),
        Planned(
            "challenge",
            "Conceptual soundness",
            "V",
            see=("rules", "measured", "synthetic"),
            asks="Who challenged design, assumptions and data, with which standing, and what came of it?",
        ),
        Planned(
            "outcomes",
            "Outcomes analysis",
            "V",
            see=("evaluation", "results", "moved"),
            asks="How do the model's answers compare with what came true, and which deviations are acceptable?",
        ),
        Planned("sr-monitoring", "Ongoing monitoring", "V", see=("monitoring",)),
        Planned(
            "roles",
            "Roles and responsibilities",
            "VI",
            (on_model.people,),
            asks="Who owns, developed, validated and approved the model, and how are conflicts of interest kept out?",
        ),
        Planned(
            "inventory",
            "Model inventory",
            "VI",
            see=("details", "files"),
            asks="Under which name and tier does the model stand in the inventory?",
        ),
        Planned("sr-documents", "Documentation", "VI", see=("files", "repetition")),
        Planned(
            "vendors",
            "Products of others",
            "VII",
            see=("software",),
            asks="Which models, data and software come from others, and how were they validated?",
        ),
    ),
    "SR 26-2,",
)

EVIDENCE = PlannedSection(
    "evidence",
    "Files, and how to repeat the edit",
    "What else there is, and what says that it is what it was.",
    (
        Planned("files", "Files of the edit", tell=(on_process.files,)),
        Planned("repetition", "How to repeat it", tell=(on_process.repetition,)),
        Planned("croissant", "Metadata for machines", tell=(on_process.for_machines,)),
    ),
)

OUTLINE = (CARD, SHEET, ALTERNATIVES, ANNEX, GUIDANCE, EVIDENCE)
