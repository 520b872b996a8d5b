"""How far an edit depends on chance, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from frote.estimators.stability import StabilityReport
    from frote.report.contents import SeedLine, SeedMeasure, SeedName, SeedsPart

__all__ = ["other_seeds"]

OF_RULE = "agreement: "


def other_seeds(stability: StabilityReport | None) -> SeedsPart | None:
    """Tell what came of an edit with several seeds; None if there was one only."""
    if stability is None:
        return None
    runs: Any = stability.runs.reset_index()
    lines: list[SeedLine] = runs[[name for name in runs if not str(name).startswith(OF_RULE)]].to_dict("records")
    spread: dict[str, dict[str, float]] = stability.spread.T.to_dict()  # type: ignore[assignment]
    measures: list[SeedMeasure] = [
        {
            "measure": cast("SeedName", "agreement" if name.startswith(OF_RULE) else name),
            "rule": name.removeprefix(OF_RULE) if name.startswith(OF_RULE) else "",
            "here": float(stability.runs[name].iloc[0]),
            "mean": line["mean"],
            "deviation": line["deviation"],
            "low": line["low"],
            "high": line["high"],
        }
        for name, line in spread.items()
    ]
    unlike: Any = stability.disagreement.rename_axis("where").reset_index().to_dict("records")
    return {"runs": lines, "measures": measures, "unlike": unlike}
