"""The room *Result*: the report, every change as a region to be looked at, the signature, and the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from frote.exceptions import FroteError
from frote.rules.outcome import Outcome
from frote.rules.parser import parse_rules
from frote.rules.rule import Rule
from frote.studio.bundle import zipped
from frote.studio.changed_rows import overridden
from frote.studio.errors import StudioError
from frote.studio.finished import Finished
from frote.studio.pages import download, form, fragment, in_thread, page, state_of
from frote.studio.words import HOW, PARTS, clock_words, size_words

if TYPE_CHECKING:
    from starlette.requests import Request

    from frote.studio.finished import Item
    from frote.studio.state import State

__all__ = ["ROUTES"]

# The report runs nothing and loads nothing; it is shown in a frame of this page alone.
FRAMED = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
    "x-frame-options": "SAMEORIGIN",
}
STEPS = "steps/"  # the files of its steps, of which there are many
# What each file of a folder is, for people.
FILES = {
    "report.html": "the report, as a page",
    "report.json": "the report, as data",
    "edit.json": "the record: all that is needed to repeat the edit",
    "rules.rules": "the rules, as they were used",
    "model.skops": "the edited model",
    "before.skops": "the model before",
    "augmented": "the data that the edited model was trained on",
    "ledger": "one line for each row: kept, relabelled, dropped or made, and why",
    "cases": "the cases that the models were tried by",
    "steps": "the batches of the run, from which other steps are picked",
}


async def show(request: Request) -> Response:
    """Show the room."""
    context = await in_thread(_context, state_of(request), request.query_params.get("run", ""))
    return page(request, "result.html.j2", room="result", **context)


async def review(request: Request) -> Response:
    """Tick a region as looked at, or open it again."""
    state, given = state_of(request), await form(request)
    name, who = given.get("run", ""), _named(state, given)
    why = given.get("why", "")
    if "open" not in given and not why.strip():
        raise StudioError("Say in a word why this change may stay.")

    def reviewed() -> dict[str, Any]:
        _finished(state, name).review(given.get("item", ""), who=who, why="" if "open" in given else why)
        return _context(state, name)

    context = await in_thread(reviewed)
    state.events.publish("review", {"run": name})
    return fragment(request, "result/reviewed.html.j2", **context)


async def reviewed(request: Request) -> Response:
    """Show what was looked at so far."""
    context = await in_thread(_context, state_of(request), request.query_params.get("run", ""))
    return fragment(request, "result/reviewed.html.j2", **context)


async def rows(request: Request) -> Response:
    """Show rows of a region."""
    state, asked = state_of(request), request.query_params

    def shown() -> dict[str, Any]:
        edit = _finished(state, asked.get("run", ""))
        item = edit.item(asked.get("item", ""))
        return {"item": item, "rows": state.changed_rows.of(edit, item)}

    return fragment(request, "result/rows.html.j2", **await in_thread(shown))


async def to_policy(request: Request) -> Response:
    """Let a region go back to the policy, as a rule that keeps what the model said there."""
    state, given = state_of(request), await form(request)

    def added() -> str:
        edit = _finished(state, given.get("run", ""))
        draft = state.workspace.policy()
        text = _with_rule(draft.text, edit.item(given.get("item", "")), edit.job.name)
        return state.workspace.save_policy(text, draft.digest).digest

    state.events.publish("policy", {"digest": await in_thread(added)})
    return Response(status_code=204, headers={"x-go-to": "/policy"})


async def sign(request: Request) -> Response:
    """Sign the policy with an edit."""
    state, given = state_of(request), await form(request)
    who, name = _named(state, given), given.get("run", "")
    version = await in_thread(lambda: _finished(state, name).sign(who=who, why=given.get("why", "")))
    state.events.publish("policy", {"digest": state.workspace.policy().digest, "number": version.number})
    return Response(status_code=204, headers={"x-go-to": f"/result?run={name}"})


async def propose(request: Request) -> Response:
    """Propose the policy for signing."""
    state, given = state_of(request), await form(request)
    who, name = _named(state, given), given.get("run", "")
    _finished(state, name)  # the answer names it
    await in_thread(lambda: state.workspace.propose(who, given.get("why", "")))
    return Response(status_code=204, headers={"x-go-to": f"/result?run={name}"})


async def report(request: Request) -> Response:
    """Return the report, to be shown in a frame."""
    state, name = state_of(request), request.query_params.get("run", "")

    def found() -> bytes:
        edit = _finished(state, name)
        content = state.workspace.files.read(f"{edit.job.folder}/report.html", 2**28)
        if content is None:
            raise StudioError("The report is not in the folder of the edit any more. Run the edit again.")
        return content

    return Response(await in_thread(found), media_type="text/html; charset=utf-8", headers=FRAMED)


async def file(request: Request) -> Response:
    """Return a file of the folder, to be kept."""
    state, asked = state_of(request), request.query_params
    edit, name = _finished(state, asked.get("run", "")), asked.get("name", "")
    if name not in await in_thread(edit.files):
        raise StudioError("There is no such file in the folder of this edit.")
    return download(state.workspace.files.path(f"{edit.job.folder}/{name}"), name.rpartition("/")[2])


async def folder(request: Request) -> Response:
    """Return the whole folder, and what was signed with it, as one file."""
    state = state_of(request)
    edit = _finished(state, request.query_params.get("run", ""))
    names, signed = await in_thread(lambda: (list(edit.files()), edit.signed))
    files: dict[str, Any] = {f"{edit.job.name}/{name}": edit.folder / name for name in names}
    if signed is not None:
        files["signed.json"] = signed.content
    said = {"content-disposition": f'attachment; filename="{edit.job.name}.zip"'}
    return StreamingResponse(zipped(files), media_type="application/zip", headers=said)


async def override(request: Request) -> Response:
    """Return the table with the predictions of a hard override: the rules over the model before."""
    state = state_of(request)
    edit = _finished(state, request.query_params.get("run", ""))
    path = await in_thread(overridden, edit)
    return download(path, f"{edit.job.name}-override{path.suffix}")


def _finished(state: State, name: str) -> Finished:
    """Return a finished edit by its name.

    Raises
    ------
    StudioError
        If there is none, or it is not finished.
    """
    run = state.runs.run(name)
    if run.state != "done":
        raise StudioError(f"The edit {name} is not finished.")
    return Finished(state.workspace, run.job)


def _named(state: State, given: dict[str, str]) -> str:
    who = given.get("who", "").strip() or state.workspace.settings.who
    if who and who != state.workspace.settings.who and not state.workspace.read_only:
        state.workspace.change(who=who)
    return who


def _with_rule(policy: str, item: Item, edit: str) -> str:
    """Return a policy with a rule more: where a region lies, the answer is that of the model before."""
    if not item.rule or item.part != "unintended":
        raise StudioError("Only a region outside the rules can become a rule: inside them the rules speak already.")
    names = set(parse_rules(policy).origins) if policy.strip() else set()
    number = next(number for number in range(1, len(names) + 2) if f"keep {number}" not in names)
    region = parse_rules(item.rule)[0]
    rule = Rule(f"keep {number}", region.clause, Outcome.of(str(item.before)))
    kept = policy if not policy or policy.endswith("\n") else f"{policy}\n"
    return f"{kept}\n# As the model before answered: {item.name} of edit {edit}.\n{rule}\n"


def _context(state: State, name: str) -> dict[str, Any]:
    """Return all that the room shows."""
    done = [run for run in state.runs.all() if run.state == "done"]
    shown = next((run for run in done if run.job.name == name), None) if name else None
    if name and shown is None:
        raise StudioError(f"The edit {name[:60]} is not there, or not finished. Look at it in the edit room.")
    shown = shown or (done[0] if done else None)
    listed = [{"name": run.job.name, "when": clock_words(run.job.when), "why": run.job.why} for run in done]
    live = any(run.live for run in state.runs.all())
    common = {"run": shown, "done": listed, "live": live, "how": HOW, "parts": PARTS}
    if shown is None:
        return {**common, "edit": None, "trouble": ""}
    edit = Finished(state.workspace, shown.job)
    try:
        return {**common, "trouble": "", "edit": edit, **_told(edit)}
    except FroteError as error:
        return {**common, "edit": None, "trouble": str(error)}


def _told(edit: Finished) -> dict[str, Any]:
    report, reviews, signed = edit.report, edit.reviews(), edit.signed
    to_review = [item for item in edit.items if item.to_review]
    left = [item for item in to_review if item.key not in reviews]
    files = [(name, size_words(size), _about(name)) for name, size in edit.files().items()]
    return {
        "report": report,
        "measures": _measures(report),
        "items": edit.items,
        "reviews": {key: {**review, "when": clock_words(review["when"])} for key, review in reviews.items()},
        "to_review": len(to_review),
        "left": left,
        "hindrances": edit.hindrances(),
        "signed": signed,
        "signed_when": "" if signed is None else clock_words(signed.when),
        "version": edit.workspace.current,
        "wrote": edit.workspace.history.version(edit.job.version).who,
        "files": [line for line in files if not line[0].startswith(STEPS)],
        "of_steps": [line for line in files if line[0].startswith(STEPS)],
    }


def _measures(report: Any) -> list[dict[str, Any]]:
    """Return the measures that a report leads with, each with what it is called."""
    leading = report["result"]["leading"]
    titles = {
        "agreement": "Agreement with the rules",
        leading: "F1 outside the rules",
        "objective": "Both together",
    }
    lines = {line["measure"]: line for line in report["result"]["measures"]}
    return [
        {**lines[name], "title": title, "trend": report["judgement"][name]}
        for name, title in titles.items()
        if name in lines and lines[name]["after"]["value"] is not None
    ]


def _about(name: str) -> str:
    stem = name.partition("/")[0]
    return FILES.get(name) or FILES.get(stem) or FILES.get(stem.partition(".")[0], "")


ROUTES = [
    Route("/result", show),
    Route("/result/reviewed", reviewed),
    Route("/result/rows", rows),
    Route("/result/report", report),
    Route("/result/file", file),
    Route("/result/folder", folder),
    Route("/result/override", override),
    Route("/result/review", review, methods=["POST"]),
    Route("/result/to-policy", to_policy, methods=["POST"]),
    Route("/result/propose", propose, methods=["POST"]),
    Route("/result/sign", sign, methods=["POST"]),
]
