"""The room *Edit*: what an edit would do and cost, the way and the limits, the run, its frontier, and a step of it."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from frote.exceptions import FroteError
from frote.report.charts import frontier_chart
from frote.rules.files import require_rules
from frote.rules.written import WrittenRules
from frote.studio.asked import Asked
from frote.studio.drawing import even, frontier_of, kept_by_rule, line_chart
from frote.studio.errors import StudioError, telling
from frote.studio.finished import Finished
from frote.studio.pages import download, form, fragment, in_thread, page, state_of
from frote.studio.words import FORETOLD, HOW, PHASES, POINTS, STATES, clock_words

if TYPE_CHECKING:
    from starlette.requests import Request

    from frote.rules import RuleSet
    from frote.studio.jobs import Run
    from frote.studio.runs import Runs
    from frote.studio.state import State
    from frote.studio.versions import Version

__all__ = ["ROUTES"]

SHOWN = 50  # edits that are listed
OVERRIDES = "overrides"  # the folder of the workspace that has tables of predictions
SHOWN_FILES = 10_000


async def show(request: Request) -> Response:
    """Show the room."""
    state = state_of(request)
    context = await in_thread(_context, state, request.query_params.get("run", ""), request.query_params.get("point"))
    return page(request, "edit.html.j2", room="edit", **context)


async def progress(request: Request) -> Response:
    """Show how far an edit is."""
    state = state_of(request)
    context = await in_thread(_context, state, request.query_params.get("run", ""), request.query_params.get("point"))
    return fragment(request, "edit/progress.html.j2", **context)


async def preview(request: Request) -> Response:
    """Say what an edit would do and cost."""
    state, given = state_of(request), await form(request)
    how = given.get("how", "data")
    resolved: dict[str, Any] = {"resolve": given["resolve"]} if given.get("resolve") else {}

    def shown() -> dict[str, Any]:
        version = replace(state.workspace.written(state.workspace.settings.who, ""), **resolved)
        if how == "data":
            return _runs(state).preview(Asked.of_form(given), version)
        return _foretold(state, how, version)

    template = "edit/preview.html.j2" if how == "data" else "edit/forecast.html.j2"
    return fragment(request, template, how=how, preview=await in_thread(shown), points=POINTS)


def _foretold(state: State, how: str, version: Version, file: str = "") -> dict[str, Any]:
    """Say what a way would answer otherwise that edits no data; write it, if there is a file for it."""
    from frote.estimators.ways.fitting import MOST_FITS

    away = state.require_desk().model.away
    if how not in FORETOLD or away is None:
        raise StudioError("There is no model to ask yet. Look into the data room, and try again.")
    require_rules(WrittenRules(version.policy).rules, "The policy")
    path = state.workspace.files.path(file) if file else None
    if path is not None:
        path.parent.mkdir(exist_ok=True)
    with telling("The predictions cannot be written", "Make room, and try again."):
        told = away.forecast(version.policy, version.resolve, path)
    fits = 0 if how == "override" else MOST_FITS
    return {
        **told,
        "title": HOW[how][0],
        "others": FORETOLD[how],
        "most_fits": fits,
        "file": file.rpartition("/")[2],
        "version": version.number,
    }


async def overridden(request: Request) -> Response:
    """Return the table that a hard override made, to be kept."""
    state, name = state_of(request), request.query_params.get("name", "")
    if name not in await in_thread(state.workspace.files.names, OVERRIDES, SHOWN_FILES):
        raise StudioError("There is no such file in the workspace.")
    return download(state.workspace.files.path(f"{OVERRIDES}/{name}"), name)


async def run(request: Request) -> Response:
    """Ask for an edit."""
    state, given = state_of(request), await form(request)
    who = _named(state, given)

    if given.get("how") == "override":

        def over() -> dict[str, Any]:
            if given.get("resolve"):
                state.workspace.change(resolve=given["resolve"])
            why = given.get("why", "") or "Kept for a hard override."
            version = state.workspace.keep_version(who, why, base=given.get("base"))
            suffix = state.require_desk().table.source.form.suffix
            return _foretold(state, "override", version, f"{OVERRIDES}/v{version.number}-override{suffix}")

        shown = await in_thread(over)
        state.events.publish("policy", {"digest": state.workspace.policy().digest})
        return fragment(request, "edit/forecast.html.j2", how="override", preview=shown)

    def queued() -> str:
        if given.get("resolve"):
            state.workspace.change(resolve=given["resolve"])
        return _runs(state).ask(Asked.of_form(given), who=who, why=given.get("why", ""), base=given.get("base")).name

    name = await in_thread(queued)
    state.events.publish("policy", {"digest": state.workspace.policy().digest})
    return _go_to(f"/edit?run={name}#run")


async def act(request: Request) -> Response:
    """Cancel an edit, go on with one, or throw away what one has trained."""
    state, given = state_of(request), await form(request)
    action, name = request.path_params["action"], given.get("run", "")
    actions = {"cancel": _runs(state).cancel, "go-on": _runs(state).go_on, "discard": _runs(state).discard}
    if action not in actions:
        raise StudioError("There is no such thing to do with an edit.")
    await in_thread(actions[action], name)
    context = await in_thread(_context, state, name, None)
    return fragment(request, "edit/progress.html.j2", **context)


async def pick(request: Request) -> Response:
    """Take a step of a finished edit."""
    state, given = state_of(request), await form(request)
    who, name = _named(state, given), given.get("run", "")
    if not given.get("point", "").lstrip("-").isdecimal():
        raise StudioError("Choose a point of the frontier first.")
    job = await in_thread(_runs(state).pick, name, int(given["point"]), who=who, why=given.get("why", ""))
    return _go_to(f"/edit?run={job.name}#run")


def _runs(state: State) -> Runs:
    runs: Runs = state.runs
    return runs


def _go_to(address: str) -> Response:
    return Response(status_code=204, headers={"x-go-to": address})


def _named(state: State, given: dict[str, str]) -> str:
    """Return who asks, and remember the name if it is a new one."""
    who = given.get("who", "").strip() or state.workspace.settings.who
    if not who:
        raise StudioError("Say who you are first, so that the history can tell who changed what.")
    if who != state.workspace.settings.who and not state.workspace.read_only:
        state.workspace.change(who=who)
    return who


def _context(state: State, name: str, point: str | None) -> dict[str, Any]:
    """Return all that the room shows."""
    workspace, runs = state.workspace, _runs(state).all()
    shown = next((one for one in runs if one.job.name == name), None) if name else None
    shown = shown or next((one for one in runs if one.live), None) or (runs[0] if runs else None)
    return {
        "version": workspace.current,
        "changed": workspace.changed,
        "draft": workspace.policy(),
        "rules": _rules_told(state),
        "asked": Asked.of(shown.job.asked) if shown is not None else Asked(),
        "how": HOW,
        "runs": [_line(one) for one in runs[:SHOWN]],
        "more": max(len(runs) - SHOWN, 0),
        "states": STATES,
        "run": shown,
        "told": None if shown is None else _told(state, shown, runs, point),
        "missing": _missing(state),
    }


def _rules_told(state: State) -> dict[str, Any]:
    """Say how many rules there are, or what is wrong with them."""
    try:
        rules = WrittenRules(state.workspace.policy().text).rules
    except FroteError as error:
        return {"names": [], "error": str(error), "conflicts": 0}
    return {"names": list(rules.origins), "error": "", "conflicts": _conflicts(state, rules)}


def _conflicts(state: State, rules: RuleSet) -> int:
    """Count the pairs of rules that conflict; what does not fit the table is told when the edit is asked for."""
    try:
        return len(rules.conflicts(None if state.desk is None else state.desk.table.rows.table))
    except FroteError:
        return 0


def _missing(state: State) -> str:
    """Say what is lacking for an edit, beside rules."""
    settings = state.workspace.settings
    if not settings.data:
        return "There is no table to train on yet. Open one in the data room."
    if not settings.target:
        return "Which column holds the labels is not said yet. Choose it in the data room."
    return ""


def _line(run: Run) -> dict[str, Any]:
    """Return a line of the list of edits."""
    kept = [step for step in run.steps if step["accepted"]]
    return {
        "name": run.job.name,
        "number": run.job.number,
        "state": run.state,
        "who": run.job.who,
        "when": clock_words(run.job.when),
        "why": run.job.why,
        "how": run.job.asked["how"],
        "picked": run.job.pick,
        "source": run.job.source,
        "agreement": kept[-1]["agreement"] if kept else None,
        "loss": kept[-1]["loss"] if kept else None,
    }


def _told(state: State, run: Run, runs: list[Run], point: str | None) -> dict[str, Any]:
    """Return how far an edit is, and what there is to draw."""
    steps: Any = run.steps
    frontier = frontier_of(steps, run.most)
    verdict = ""
    if run.state == "done":
        try:
            report = Finished(state.workspace, run.job).report
        except FroteError as error:
            verdict = str(error)
        else:
            frontier, steps, verdict = report["result"]["frontier"], report["result"]["steps"], report["verdict"]
    kept = [step for step in steps if step["accepted"]]
    wanted = int(point) if point is not None and point.lstrip("-").isdecimal() else None
    before = sorted((one for one in runs if one.state == "queued"), key=lambda one: one.ended)
    return {
        "phase": PHASES.get(run.phase, "Starting"),
        "seconds": _seconds(run),
        "objective": line_chart(steps, "objective"),
        "agreement": line_chart(steps, "agreement"),
        "loss": line_chart(steps, "loss"),
        "by_rule": kept_by_rule(run.rules, run.steps),
        "kept": len(kept),
        "steps": len(steps),
        "frontier": frontier,
        "chart": even(frontier_chart(steps, frontier)),
        "point": wanted,
        "choices": _choices(frontier["points"], steps, wanted),
        "ended": kept[-1]["step"] if kept and run.state == "done" and not run.job.source else None,
        "verdict": verdict,
        "ahead": [one.job.name for one in before if one.ended < run.ended],
        "most_loss": run.job.asked["most_loss"],
    }


def _choices(points: list[Any], steps: list[Any], wanted: int | None) -> list[dict[str, Any]]:
    """Return the steps that can be taken: those of the frontier, and one that is pointed at though another beats it."""
    choices = [{**point, "beaten": False} for point in points]
    if wanted not in [point["step"] for point in points]:
        choices += [{**step, "beaten": True} for step in steps if step["step"] == wanted and step["loss"] is not None]
    return choices


def _seconds(run: Run) -> int | None:
    """Return how long it has taken since it was last begun."""
    try:
        begun = dt.datetime.fromisoformat(run.begun)
        end = dt.datetime.now(dt.UTC) if run.live else dt.datetime.fromisoformat(run.ended)
        return max(int((end - begun).total_seconds()), 0)
    except (ValueError, TypeError):
        return None


ROUTES = [
    Route("/edit", show),
    Route("/edit/progress", progress),
    Route("/edit/override", overridden),
    Route("/edit/preview", preview, methods=["POST"]),
    Route("/edit/run", run, methods=["POST"]),
    Route("/edit/pick", pick, methods=["POST"]),
    Route("/edit/{action}", act, methods=["POST"]),
]
