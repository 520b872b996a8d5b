"""Nobody gets in: each guard by what gets through without it."""

from __future__ import annotations

import re
import zlib
from urllib.parse import unquote

import anyio
import pytest
from click.testing import CliRunner
from starlette.websockets import WebSocketDisconnect
from tests.studio.conftest import furnished
from tests.studio.doors import HOME, PORT, browser, knock, knocking, opened

from frote.command.main import main
from frote.studio import security, serving
from frote.studio.pages import download
from frote.studio.security import Keys
from frote.studio.state import State

ROUTES = ["/", "/data", "/policy", "/edit", "/result", "/history", "/events", "/static/policy.js", "/policy/text"]
INSIDE = "The policy"
HOSTS = ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", "localhost.evil", ""]
ORIGINS = [
    "http://evil.example",
    "null",
    "http://127.0.0.1",
    "http://127.0.0.1:9999",
    f"https://127.0.0.1:{PORT}",
    f"{HOME}.evil",
    f"{HOME}/policy",
]
OUTSIDE = ["../outside.csv", "/etc/passwd", "data/../../outside.csv", "data\\..\\outside.csv", "link.csv"]
NAMES = ["../../evil.csv", "/etc/evil.csv", "C:\\evil.csv", ".hidden.csv", "<img src=x>.csv", "a\nb.csv"]
HUGE = b'{"text": "IF age < 29 THEN approved", "from": "row", "place": %d, "rule": %d, "cursor": %d}' % ((2**70,) * 3)
NONSENSE = [b"", b"[]", b"nonsense", b'"x"', b"[" * 100_000, b'{"text": 3, "cursor": "x", "rule": 1e999}', HUGE]
METHODS = ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]
ASKED = ["/policy/pulse", "/policy/change", "/policy/complete", "/policy/trial", "/policy/rows"]


@pytest.fixture(scope="module")
def state(tmp_path_factory, loans_csv):
    """One studio for all: what is refused changes nothing."""
    found = opened(furnished(tmp_path_factory.mktemp("door") / "w", loans_csv))
    yield found
    found.close()


@pytest.mark.parametrize("path", ROUTES)
def test_nobody_is_let_in_without_the_cookie(state, path):
    answer = browser(state, known=False).get(path)
    assert answer.status_code == 401
    assert "Open the address" in answer.text
    assert INSIDE not in answer.text


@pytest.mark.parametrize("path", ["/policy", "/events", "/policy/text"])
@pytest.mark.parametrize("held", ["", "x", "token", "other"])
def test_a_wrong_cookie_opens_nothing(state, path, held):
    client = browser(state, known=False)
    value = {"token": client.keys.token, "other": Keys(PORT).session}.get(held, held)
    client.cookies.set(client.keys.cookie, value)
    assert client.get(path).status_code == 401
    client.cookies.clear()
    client.cookies.set(Keys(PORT + 1).cookie, client.keys.session)  # that of another studio on this machine
    assert client.get(path).status_code == 401


@pytest.mark.parametrize("method", METHODS)
def test_odd_methods_get_no_further(state, method):
    assert browser(state, known=False).request(method, "/policy").status_code in (401, 403)
    client = browser(state)
    own = client.request(method, "/policy")
    assert (own.status_code == 200) is (method == "HEAD")
    assert own.content == b"" or INSIDE not in own.text
    del client.headers["origin"]
    if method != "HEAD":
        assert client.request(method, "/policy").status_code == 403
    stranger = browser(state, known=False)
    assert "set-cookie" not in stranger.request(method, "/", params={"token": stranger.keys.token}).headers


def test_two_hosts_in_one_request_are_none(state):
    client = browser(state)
    own = {"cookie": f"{client.keys.cookie}={client.keys.session}"}.items()
    assert knock(client.app, [("host", f"127.0.0.1:{PORT}"), *own]) == 200
    assert knock(client.app, [("host", f"127.0.0.1:{PORT}"), ("host", "evil.example"), *own]) == 403


@pytest.mark.parametrize("token", ["", "x", "%00", "\u00e9", "x" * 10_000])
def test_a_wrong_token_opens_nothing(state, token):
    client = browser(state, known=False)
    answer = client.get("/", params={"token": token})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_never_see(state):
    client = browser(state, known=False)
    answer = client.get(client.keys.address().removeprefix(HOME))
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.keys.token not in cookie
    assert client.get("/policy").status_code == 200


def test_two_tokens_are_unlike_and_have_256_bits():
    one, other = Keys(1), Keys(1)
    assert len({one.token, other.token, one.session, other.session}) == 4
    assert all(len(token) >= 43 for token in (one.token, one.session))  # 6 bits a letter
    with_password = Keys(1, password="open sesame")
    assert not [said for said in (one.token, one.session) if said in repr(one)]
    assert "sesame" not in repr(with_password)


def test_a_token_in_an_address_twice_is_none(state):
    client = browser(state, known=False)
    answer = client.get(f"/?token={client.keys.token}&token=x")
    assert answer.status_code == 401


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_is_refused_whatever_it_knows(state, host):
    answer = browser(state).get("/policy", headers={"host": host})
    assert answer.status_code == 403
    assert INSIDE not in answer.text


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"127.0.0.1:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"])
def test_this_machine_has_several_names(state, host):
    client = browser(state)
    assert client.get("/policy", headers={"host": host, "origin": f"http://{host}"}).status_code == 200


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("method", ["get", "post"])
def test_another_origin_is_refused_whatever_it_knows(state, origin, method):
    answer = getattr(browser(state), method)("/policy/text", headers={"origin": origin})
    assert answer.status_code == 403


def test_a_form_of_another_site_is_refused(state):
    client = browser(state)
    before = state.workspace.settings
    del client.headers["origin"]
    answer = client.post("/data/declare", data={"favourable": "denied"})
    assert answer.status_code == 403
    crossing = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "origin": HOME}
    assert client.post("/data/declare", data={"favourable": "denied"}, headers=crossing).status_code == 403
    assert state.workspace.settings == before


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["cors", "no-cors"])
def test_what_another_page_fetches_is_refused(state, site, mode):
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
    assert browser(state).get("/policy/text", headers=headers).status_code == 403


def test_no_page_of_another_site_frames_this_one(state):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
    assert browser(state).get("/policy", headers=headers).status_code == 403
    answer = browser(state).get("/policy")
    assert answer.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/policy", "/data", "/static/policy.js", "/nothing"])
def test_every_answer_says_what_a_browser_must_not_do(state, path):
    headers = browser(state).get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["cache-control"] == ("no-cache" if path.startswith("/static") else "no-store")
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/policy", "/data", "/edit", "/result", "/history"])
def test_pages_hold_no_script_and_no_style_of_their_own(state, path):
    text = browser(state).get(path).text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", text)
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", text)


@pytest.mark.parametrize(
    "name",
    [
        "..%2f..%2fstudio.json",
        "%2e%2e/security.py",
        "..%5c..%5csecurity.py",
        "%2fetc%2fpasswd",
        "base.js%00.css",
        "....//base.js",
    ],
)
def test_no_path_leaves_what_is_served(state, name):
    assert browser(state).get(f"/static/{name}").status_code in (404, 400)


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_table_outside_of_the_workspace_is_opened(state, name):
    outside, link = state.workspace.folder.parent / "outside.csv", state.workspace.folder / "link.csv"
    outside.write_text("age,decision\n1,x\n2,y\n")
    if not link.is_symlink():
        link.symlink_to(outside)
    before = state.workspace.settings.data
    answer = browser(state).post("/data/open", data={"table": name})
    assert answer.status_code == 422
    assert state.workspace.settings.data == before
    assert "link.csv" not in state.workspace.tables.names()


def test_what_is_too_large_is_refused_before_it_is_read(state, monkeypatch):
    client = browser(state)
    assert client.post("/policy/pulse", headers={"content-length": "2147483648"}, content=b"{}").status_code == 413
    for path in ("/policy/pulse", "/policy/save", "/data/declare", "/data/uploads"):
        assert client.post(path, headers={"content-length": str(17 * 2**20)}, content=b"{}").status_code == 413
    assert client.post("/data/upload", headers={"content-length": "2147483648"}, content=b"").status_code == 413
    assert client.post("/data/upload", headers={"content-length": "-1"}, content=b"").status_code == 413


def test_what_does_not_say_how_large_it_is_is_cut_off(state, monkeypatch):
    monkeypatch.setattr(security, "MOST_UPLOADED", 10_000)
    sent = []

    def forever():
        while len(sent) < 1_000:
            sent.append(1)
            yield b"a,b\n" * 1_000

    client = browser(state)
    before = sorted((state.workspace.folder / "data").iterdir())
    answer = client.post("/data/upload", content=forever(), headers={"x-file-name": "big.csv"})
    assert answer.status_code == 413
    assert "Put a larger table into its folder" in answer.text
    assert sorted((state.workspace.folder / "data").iterdir()) == before


def test_a_zip_bomb_is_told_and_nothing_breaks(state):
    packer = zlib.compressobj(1, wbits=31)
    rows = b"1,approved\n" * 100_000
    bomb = b"".join([packer.compress(b"age,decision\n"), *(packer.compress(rows) for _ in range(260)), packer.flush()])
    client = browser(state)
    answer = client.post("/data/upload", content=bomb, headers={"x-file-name": "bomb.csv.gz"})
    assert answer.status_code == 422
    assert "more than the" in answer.text
    assert client.get("/data").status_code == 200


@pytest.mark.parametrize("name", NAMES)
def test_an_upload_is_called_nothing_but_a_name(state, name):
    from urllib.parse import quote

    before = {path for path in state.workspace.folder.rglob("*") if path.is_file()}
    browser(state).post("/data/upload", content=b"age,decision\n1,x\n2,y\n", headers={"x-file-name": quote(name)})
    fresh = {path for path in state.workspace.folder.rglob("*") if path.is_file()} - before
    assert all(path.parent == state.workspace.folder / "data" for path in fresh if path.suffix == ".csv")
    assert not (state.workspace.folder.parent / "evil.csv").exists()


@pytest.mark.parametrize("text", ["IF age < 1 THEN approved\n" * 2_000, "IF " + "(" * 200_000, "x" * 2**21])
def test_a_policy_beyond_measure_is_told_and_holds_nobody_up(state, text):
    client = browser(state)
    shown = client.post("/policy/pulse", json={"text": text, "cursor": len(text), "page": "long", "number": 1})
    assert shown.status_code == 200
    assert "too long to be drawn" in shown.text
    for path in ("/policy/complete", "/policy/change", "/policy/rows", "/policy/ways"):
        answer = client.post(path, json={"text": text, "cursor": 9, "rule": 0, "kind": "delete"})
        assert answer.status_code in (200, 422)
        assert "too long" in answer.text or path == "/policy/complete"


def test_a_form_of_a_thousand_fields_or_with_files_is_refused(state):
    client = browser(state)
    before = state.workspace.settings
    boundary = {"content-type": "multipart/form-data; boundary=x"}
    named = b'--x\r\ncontent-disposition: form-data; name="%s"%s\r\n\r\nx\r\n'
    many = b"".join(named % (b"title", b"") for _ in range(1_000)) + b"--x--\r\n"
    file = named % (b"title", b'; filename="a.txt"') + b"--x--\r\n"
    for body in (many, file):
        assert client.post("/data/declare", content=body, headers=boundary).status_code == 400
    assert state.workspace.settings == before


@pytest.mark.parametrize(
    "name", ['a"; filename="b.html', "a\r\nset-cookie: x=1", "caf\u00e9 \u2028<img>.csv", "\u202egpj.exe"]
)
def test_what_is_downloaded_is_called_nothing_but_a_name(tmp_path, name):
    said = download(tmp_path, name).headers["content-disposition"]
    kept, starred = re.fullmatch(r"attachment; filename=\"([\w\-. ]*)\"; filename\*=UTF-8''([\w\-.%~]*)", said).groups()
    assert kept.isascii()
    assert unquote(starred) == name


def test_a_file_that_is_downloaded_can_do_nothing_in_a_browser(state):
    evil = '<script>alert(1)<script>;x=".csv'
    (state.workspace.folder / "overrides").mkdir(exist_ok=True)
    (state.workspace.folder / "overrides" / evil.replace("/", "_")).write_text("<script>alert(1)</script>")
    answer = browser(state).get("/edit/override", params={"name": evil})
    assert answer.status_code == 200
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "<" not in answer.headers["content-disposition"]


@pytest.mark.parametrize("name", ["0001-x\r\nset-cookie: a=b", "\u2028", "../x", "x" * 10_000])
@pytest.mark.parametrize("path", ["/result/propose", "/result/sign", "/result/to-policy", "/edit/pick", "/edit/cancel"])
def test_no_name_of_an_edit_gets_into_a_header(state, path, name):
    answer = browser(state).post(path, data={"run": name, "who": "policy team", "why": "x", "point": "1"})
    assert answer.status_code == 422
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/data/upload", "/policy/save", "/data/declare"])
def test_what_is_begun_to_be_sent_and_does_not_come_is_given_up(state, monkeypatch, path):
    monkeypatch.setattr(security, "PATIENCE", 0.05)
    client = browser(state)
    own = [("host", f"127.0.0.1:{PORT}"), ("origin", HOME), ("cookie", f"{client.keys.cookie}={client.keys.session}")]
    headers = [*own, ("content-type", "application/x-www-form-urlencoded"), ("x-file-name", "a.csv")]

    async def asked():
        comes, told = anyio.Event(), []

        async def sending():
            told.append(await knocking(client.app, headers, "POST", path, b"", comes.wait))

        async with anyio.create_task_group() as group:
            group.start_soon(sending)
            with anyio.move_on_after(40):
                while not told:
                    await anyio.sleep(0.01)
            comes.set()
        return told

    assert anyio.run(asked) == [408]
    assert not list((state.workspace.folder / "data").glob(".*"))


def test_slow_uploads_take_no_turn_from_answers(state):
    client = browser(state)
    own = [("host", f"127.0.0.1:{PORT}"), ("origin", HOME), ("cookie", f"{client.keys.cookie}={client.keys.session}")]
    upload = client.app, [*own, ("x-file-name", "a.csv")], "POST", "/data/upload", b""

    async def asked():
        comes = anyio.Event()
        async with anyio.create_task_group() as slow:
            for _ in range(20):
                slow.start_soon(knocking, *upload, comes.wait)
            try:
                with anyio.fail_after(40):  # less than what is begun and does not come is waited for
                    await anyio.wait_all_tasks_blocked()
                    return await knocking(client.app, own, "GET", "/data")
            finally:
                comes.set()

    assert anyio.run(asked) == 200


@pytest.mark.parametrize("body", NONSENSE)
@pytest.mark.parametrize("path", ASKED)
def test_nonsense_is_answered_with_a_sentence(state, path, body):
    answer = browser(state).post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 422)
    assert "Traceback" not in answer.text


def test_a_password_lets_others_in_and_guesses_wait(state, monkeypatch):
    waits = []

    async def slept(seconds):
        waits.append(seconds)

    monkeypatch.setattr(security.asyncio, "sleep", slept)
    client = browser(state, Keys(PORT, password="open sesame"), known=False)
    assert 'type="password"' in client.get("/policy").text
    wrong = client.post("/enter", data={"password": "open"})
    assert wrong.status_code == 401
    assert waits == [security.WAIT]
    assert client.post("/enter", content=b"password=" + b"x" * 100_000).status_code == 401
    assert client.post("/enter", data={"password": "open sesame"}).status_code == 200
    assert client.get("/policy").status_code == 200


def test_more_than_a_password_is_not_read_for_one(state, monkeypatch):
    monkeypatch.setattr(security, "WAIT", 0)
    client = browser(state, Keys(PORT, password="open sesame"), known=False)
    assert client.post("/enter", content=b"password=open+sesame&more=" + b"x" * 10_000).status_code == 401


def test_guesses_come_one_after_the_other(state, monkeypatch):
    at_once, most = 0, 0

    async def slept(_):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await anyio.sleep(0)
        at_once -= 1

    monkeypatch.setattr(security.asyncio, "sleep", slept)
    guard = security.Guard(browser(state).app.app, Keys(PORT, password="open sesame"))
    own = [("host", f"127.0.0.1:{PORT}"), ("origin", HOME)]

    async def guess():
        async with anyio.create_task_group() as guesses:
            for _ in range(5):
                guesses.start_soon(knocking, guard, own, "POST", "/enter", b"password=open")

    anyio.run(guess)
    assert most == 1


def test_there_is_no_password_where_none_was_set(state):
    assert browser(state, known=False).post("/enter", data={"password": ""}).status_code == 401


def test_the_sheets_of_the_door_are_all_that_is_open(state):
    client = browser(state, known=False)
    assert client.get("/static/studio.css").status_code == 200
    assert client.get("/static/../policy").status_code == 401


def test_a_socket_gets_no_answer(state):
    with pytest.raises(WebSocketDisconnect), browser(state).websocket_connect("/events"):
        pass


def test_other_machines_are_let_in_with_a_password_alone(tmp_path, monkeypatch):
    served = []
    monkeypatch.setattr(serving, "serve", lambda *_, **given: served.append(given["host"]))
    asked = ["studio", "--no-browser", "--workspace", str(tmp_path / "w"), "--host", "0.0.0.0"]
    refused = CliRunner().invoke(main, asked, env={"FROTE_STUDIO_PASSWORD": ""})
    assert "needs a password" in refused.output
    assert served == []
    CliRunner().invoke(main, asked, env={"FROTE_STUDIO_PASSWORD": "open sesame"})
    assert served == ["0.0.0.0"]


def test_a_model_that_only_a_file_names_is_not_made(tmp_path, loans_csv):
    with furnished(tmp_path / "w", loans_csv, model="os:getcwd") as workspace:
        state = State(workspace)
        state._open(0)
        assert (state.opening.state, state.desk) == ("failed", None)
        assert "os:getcwd" in state.opening.error


def test_the_guard_stands_before_everything(state):
    assert isinstance(browser(state).app, security.Guard)
