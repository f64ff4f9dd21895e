"""The folder of tests: no access outside it, no file lost, no file half-written."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import Browser, GuiProcess, gui
from support.daemons import EXAMPLES, ROOT
from support.waiting import until

from tsvc.cli.runs.load_options import params_of
from tsvc.gui.asked import Refusal
from tsvc.gui.files import Files
from tsvc.gui.workspace import LONGEST_FILE, MOST_ENTRIES, Workspace, etag_of, kind_of

pytestmark = pytest.mark.e2e

HOSTILE = [
    "",
    ".",
    "..",
    "/",
    "/etc/passwd",
    "../secret.json",
    "a/../../secret.json",
    "a/..",
    "./a.json",
    "a//b",
    "a/",
    "a/./b",
    ".hidden",
    ".git/config",
    "a/.hidden/b",
    "a\0b",
    "out.json",
    "out/secret.json",
    "circle",
    "hidden.json",
    "x" * 2000,
    "%2e%2e/secret.json",
    "..%2fsecret.json",
    "..\\secret.json",
]

SAMPLES = [
    entry["path"]
    for entry in Workspace(EXAMPLES).listing()["entries"]
    if entry["kind"] == "definition" and not entry["path"].startswith("kubernetes/")
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with links that lead outside, beside files that are not part of it."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "secret.json").write_text('{"secret": 1}')
    found = folder / "tests"
    (found / "flows").mkdir(parents=True)
    (found / ".git").mkdir()
    (found / ".git" / "config").write_text("secret")
    (found / ".hidden.json").write_text("secret")
    (found / "a.json").write_text('{"operations": [{"type": "pass"}]}')
    (found / "lab.env.json").write_text('{"vars": {}}')
    (found / "notes.txt").write_text("notes")
    (found / "flows" / "f.json").write_text('{"operations": {"1": {"id": 1, "exits": []}}}')
    (found / "out.json").symlink_to("../secret.json")
    (found / "out").symlink_to("..")
    (found / "circle").symlink_to("circle")
    (found / "hidden.json").symlink_to(".hidden.json")
    (found / "inside.json").symlink_to("a.json")
    os.mkfifo(found / "pipe.json")
    return found


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, root: Path
) -> Iterator[GuiProcess]:
    with gui(tmp_path_factory.mktemp("gui"), assets, "--workspace", root) as made:
        yield made


@pytest.fixture(scope="module")
def anna(shown: GuiProcess) -> Browser:
    return shown.enter()


def save(browser: Browser, path: str, text: str, etag: str | None = None) -> Any:
    given = {"path": path, "text": text, "etag": etag, "is_new": etag is None}
    return browser.post("/api/file", given)


class TestListing:
    def test_what_there_is(self, anna: Browser, root: Path) -> None:
        found = anna.get("/api/files").document
        assert (found["root"], found["truncated"]) == (str(root), False)
        entries = {one["path"]: one for one in found["entries"]}
        kinds = {path: one["kind"] for path, one in entries.items()}
        assert kinds == {
            "a.json": "definition",
            "flows": "folder",
            "flows/f.json": "flow",
            "inside.json": "definition",
            "lab.env.json": "environment",
            "notes.txt": "other",
        }
        hidden = {"out", "out.json", "circle", "hidden.json", "pipe.json", ".git", ".hidden.json"}
        assert not hidden & entries.keys()
        assert "secret" not in str(found["entries"])
        octets = (root / "a.json").read_bytes()
        assert entries["a.json"]["size"] == len(octets)
        assert entries["a.json"]["etag"] == etag_of(octets)
        assert entries["a.json"]["etag"] == anna.get("/api/file", path="a.json").document["etag"]
        paths = [one["path"].split("/") for one in found["entries"]]
        assert paths == sorted(paths)

    def test_a_change_is_seen(self, anna: Browser, root: Path) -> None:
        def kind() -> Any:
            entries = anna.get("/api/files").document["entries"]
            return {one["path"]: one["kind"] for one in entries}.get("turns.json")

        (root / "turns.json").write_text('{"operations": [{"type": "pass"}]}')
        assert kind() == "definition"
        (root / "turns.json").write_text('{"vars": {}}')
        assert kind() == "other"
        (root / "turns.json").unlink()
        assert kind() is None

    def test_no_more_than_so_many(self, tmp_path: Path) -> None:
        for number in range(MOST_ENTRIES + 5):
            (tmp_path / f"{number:05}.txt").touch()
        found = Workspace(tmp_path).listing()
        assert (len(found["entries"]), found["truncated"]) == (MOST_ENTRIES, True)

    @pytest.mark.parametrize(
        ("path", "text", "kind"),
        [
            ("a.json", '{"operations": []}', "definition"),
            ("a.yaml", "operations:\n- type: pass\n", "definition"),
            ("a.toml", '[[operations]]\ntype = "pass"\n', "definition"),
            ("a.json", '{"include": "b.json"}', "definition"),
            ("a.json", '{"operations": [', "definition"),
            ("a.yaml", "operations: [", "definition"),
            ("a.json", "[1]", "other"),
            ("a.json", '{"number": "1"}', "other"),
            ("a.yml", "operations:\n  '1': {id: 1, exits: []}\n", "flow"),
            ("a.json", '{"operations": [{"id": 1, "exits": []}]}', "flow"),
            ("a.env.json", "{", "environment"),
            ("a.env.yaml", "a: 1", "other"),
            ("a", "", "other"),
        ],
    )
    def test_kinds(self, path: str, text: str, kind: str) -> None:
        assert kind_of(path, text.encode()) == kind

    def test_kinds_of_the_samples(self) -> None:
        entries = Workspace(EXAMPLES).listing()["entries"]
        kinds = {one["path"]: one["kind"] for one in entries if one["path"].endswith(".json")}
        assert {path for path, kind in kinds.items() if kind == "flow"} == {
            path for path in kinds if path.startswith("flows/")
        }
        assert kinds["extension_dialing.json"] == "definition"


class TestOutside:
    @pytest.mark.parametrize("path", HOSTILE)
    def test_no_way_out(self, anna: Browser, root: Path, path: str) -> None:
        before = sorted(root.parent.rglob("*"))
        given = {
            "/api/file": {"path": path, "text": "{}", "etag": None, "is_new": True},
            "/api/file/move": {"from": "a.json", "to": path},
            "/api/file/delete": {"path": path, "etag": etag_of(b'{"secret": 1}')},
            "/api/file/folder": {"path": path},
            "/api/definition": {"path": path},
            "/api/git/commit": {"message": "m", "paths": [path]},
        }
        answers = {name: anna.post(name, document) for name, document in given.items()}
        answers["from"] = anna.post("/api/file/move", {"from": path, "to": "taken.json"})
        answers["over"] = anna.post("/api/definition", {"path": "a.json", "environment": path})
        answers["get"] = anna.get("/api/file", path=path)
        answers["diff"] = anna.get("/api/git/diff", path=path)
        for name, found in answers.items():
            # A path that does not lead outside is an ordinary name, of a file that is not there.
            # exist.
            is_plain = path.startswith(("%2e", "..%2f", "..\\"))
            assert found.status in ((400, 403, 404, 409, 422) if is_plain else (400, 403)), name
            assert b"secret" not in found.body.replace(b"secret.json", b"")
        assert sorted(root.parent.rglob("*")) == before

    def test_a_raw_path(self, anna: Browser) -> None:
        """A path that no client would encode in this way."""
        for raw in ("../secret.json", "%2e%2e%2fsecret.json", "%252e%252e/x", "%c0%ae%c0%ae/x"):
            found = anna.get(f"/api/file?path={raw}")
            assert found.status in (400, 404), raw
            assert b'"secret"' not in found.body

    def test_what_a_definition_names(self, anna: Browser, root: Path) -> None:
        for name in (
            "../secret.json",
            str(root.parent / "secret.json"),
            "out.json",
            ".hidden.json",
        ):
            for member in ("flow", "include", "vars"):
                text = json.dumps({"operations": [], member: name})
                found = anna.post("/api/definition", {"path": "a.json", "text": text})
                assert found.status == 422, (name, member)
                assert "No such file" in found.problem

    def test_what_is_no_file(self, anna: Browser) -> None:
        assert anna.get("/api/file", path="pipe.json").status in (400, 409)
        assert anna.get("/api/file", path="flows").status in (400, 409)
        assert anna.get("/api/file").status == 400

    def test_no_workspace(self, tmp_path: Path, assets: Path) -> None:
        with gui(tmp_path, assets) as made:
            browser = made.enter()
            assert browser.session["workspace"] is False
            for path in ("/api/files", "/api/file?path=a", "/api/git", "/api/git/diff?path=a"):
                assert browser.get(path).status == 404
            assert save(browser, "a.json", "{}").status == 404


class TestSaving:
    def test_a_new_one_and_again(self, anna: Browser, root: Path) -> None:
        text = '{"operations": [],\r\n "é": 1.50}\n'
        first = save(anna, "new.json", text)
        assert first.status == 200
        assert (root / "new.json").read_bytes() == text.encode()
        opened = anna.get("/api/file", path="new.json").document
        assert opened == {"path": "new.json", "text": text, **first.document}
        os.chmod(root / "new.json", 0o640)
        second = save(anna, "new.json", "{}", opened["etag"])
        assert second.status == 200
        assert second.document["etag"] != opened["etag"]
        assert (root / "new.json").stat().st_mode & 0o777 == 0o640
        assert not list(root.glob(".new*"))

    def test_changed_outside(self, anna: Browser, root: Path) -> None:
        etag = save(anna, "outside.json", "mine 1").document["etag"]
        (root / "outside.json").write_text("theirs")
        found = save(anna, "outside.json", "mine 2", etag)
        assert found.status == 412
        assert found.document["text"] == "theirs"
        assert (root / "outside.json").read_text() == "theirs"
        deleted = anna.post("/api/file/delete", {"path": "outside.json", "etag": etag})
        assert (deleted.status, deleted.document["text"]) == (412, "theirs")
        # Both versions were shown: now the user overwrites on purpose.
        assert save(anna, "outside.json", "mine 2", found.document["etag"]).status == 200
        assert (root / "outside.json").read_text() == "mine 2"

    def test_a_new_one_that_is_there(self, anna: Browser, root: Path) -> None:
        (root / "there.json").write_text("theirs")
        found = save(anna, "there.json", "mine")
        assert (found.status, found.document["text"]) == (412, "theirs")
        assert found.document["etag"] == etag_of(b"theirs")
        assert (root / "there.json").read_text() == "theirs"

    def test_deleted_outside(self, anna: Browser, root: Path) -> None:
        etag = save(anna, "gone.json", "mine").document["etag"]
        (root / "gone.json").unlink()
        assert save(anna, "gone.json", "mine 2", etag).status == 404
        assert not (root / "gone.json").exists()

    def test_one_of_many_wins(self, anna: Browser, root: Path) -> None:
        etag = save(anna, "race.json", "0").document["etag"]
        found: list[int] = []
        savers = [
            threading.Thread(
                target=lambda n=n: found.append(save(anna, "race.json", f"{n}", etag).status)
            )
            for n in range(1, 9)
        ]
        for one in savers:
            one.start()
        for one in savers:
            one.join()
        assert sorted(found) == [200] + [412] * 7

    def test_by_a_link(self, anna: Browser, root: Path) -> None:
        """The link stays a link; it can be removed, and its target stays."""
        etag = anna.get("/api/file", path="inside.json").document["etag"]
        text = (root / "a.json").read_text()
        found = save(anna, "inside.json", text + "\n", etag)
        assert found.status == 200
        assert (root / "inside.json").is_symlink()
        assert (root / "a.json").read_text() == text + "\n"
        given = {"path": "inside.json", "etag": found.document["etag"]}
        assert anna.post("/api/file/delete", given).status == 200
        assert not (root / "inside.json").is_symlink()
        assert (root / "a.json").exists()
        (root / "inside.json").symlink_to("a.json")

    def test_sizes(self, anna: Browser, root: Path) -> None:
        almost = "x" * (3 << 20)
        assert save(anna, "large.json", almost).status == 200
        assert anna.get("/api/file", path="large.json").document["text"] == almost
        assert save(anna, "larger.json", "x" * (LONGEST_FILE + 1)).status == 413
        (root / "huge.txt").write_bytes(b"x" * (LONGEST_FILE + 1))
        assert anna.get("/api/file", path="huge.txt").status == 413
        entries = anna.get("/api/files").document["entries"]
        huge = next(one for one in entries if one["path"] == "huge.txt")
        assert (huge["etag"], huge["kind"]) == (None, "other")
        for name in ("large.json", "huge.txt"):
            (root / name).unlink()

    def test_what_is_no_text(self, anna: Browser, root: Path) -> None:
        (root / "octets.bin").write_bytes(b"\xff\xfe\x00")
        assert anna.get("/api/file", path="octets.bin").status == 415
        (root / "octets.bin").unlink()

    @pytest.mark.parametrize(
        "given",
        [
            {"text": "x", "etag": None},
            {"path": "b.json", "etag": None},
            {"path": "b.json", "text": 7, "etag": None},
            {"path": "b.json", "text": "x", "etag": 7},
            {"path": "b.json", "text": "x", "etag": "e", "is_new": True},
            {"path": "b.json", "text": "x", "etag": None, "is_new": False},
            {"path": ["b.json"], "text": "x", "etag": None},
        ],
    )
    def test_what_is_no_save(self, anna: Browser, root: Path, given: dict[str, Any]) -> None:
        assert anna.post("/api/file", given).status == 400
        assert not (root / "b.json").exists()

    def test_a_folder_that_is_not_there(self, anna: Browser) -> None:
        assert save(anna, "nowhere/b.json", "{}").status == 404

    def test_a_disk_that_refuses(self, tmp_path: Path) -> None:
        """A name that is too long for the disk, but allowed by us."""
        with pytest.raises(Refusal) as caught:
            Files(Workspace(tmp_path)).save("x" * 300, "", None)
        assert caught.value.status == 409
        assert list(tmp_path.iterdir()) == []


SAVER = """
import sys
from pathlib import Path
from tsvc.gui.files import Files
from tsvc.gui.workspace import Workspace

files = Files(Workspace(Path(sys.argv[1])))
etag = files.read("a.json")["etag"]
print("ready", flush=True)
while True:
    for sign in "ab":
        etag = files.save("a.json", sign * 3_000_000, etag)["etag"]
"""


@pytest.mark.slow
def test_whole_or_not_at_all(tmp_path: Path) -> None:
    """If the process is killed during its work, the file has either its old or its new content."""
    (tmp_path / "a.json").write_text("b" * 3_000_000)
    seen: set[int] = set()
    tries = 0
    # Until a process was killed in the middle, which is a matter of chance.
    while tries < 15 or (tries < 300 and not any(size < 3_000_000 for size in seen)):
        tries += 1
        process = subprocess.Popen(
            [sys.executable, "-c", SAVER, tmp_path], cwd=ROOT, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        # At a moment of its work: its next temporary file exists.
        known = set(tmp_path.glob(".a.json.*"))
        until(lambda known=known: set(tmp_path.glob(".a.json.*")) - known)
        process.send_signal(signal.SIGKILL)
        process.wait()
        text = (tmp_path / "a.json").read_text()
        assert len(text) == 3_000_000
        assert len(set(text)) == 1
        seen |= {len(one.read_bytes()) for one in tmp_path.glob(".a.json.*")}
    assert any(size < 3_000_000 for size in seen), "none was in the middle"
    # Files that were left behind are never shown.
    assert [one["path"] for one in Workspace(tmp_path).listing()["entries"]] == ["a.json"]


class TestMoving:
    def test_files_and_folders(self, anna: Browser, root: Path) -> None:
        assert anna.post("/api/file/folder", {"path": "suite"}).status == 200
        assert anna.post("/api/file/folder", {"path": "suite"}).status == 409
        assert anna.post("/api/file/folder", {"path": "no/suite"}).status == 404
        save(anna, "suite/one.json", "1")
        etag = save(anna, "two.json", "2").document["etag"]
        move = {"from": "two.json", "to": "suite/two.json"}
        assert anna.post("/api/file/move", move).status == 200
        assert (root / "suite" / "two.json").read_text() == "2"
        assert not (root / "two.json").exists()
        over = {"from": "suite/two.json", "to": "suite/one.json"}
        assert anna.post("/api/file/move", over).status == 409
        assert (root / "suite" / "one.json").read_text() == "1"
        assert anna.post("/api/file/move", move).status == 404
        assert anna.post("/api/file/move", {"from": "suite", "to": "other"}).status == 200
        assert anna.post("/api/file/delete", {"path": "other", "etag": None}).status == 409
        for name, tag in (("other/one.json", etag_of(b"1")), ("other/two.json", etag)):
            assert anna.post("/api/file/delete", {"path": name, "etag": tag}).status == 200
        assert anna.post("/api/file/delete", {"path": "other", "etag": None}).status == 200
        assert not (root / "other").exists()

    def test_a_file_needs_its_etag(self, anna: Browser, root: Path) -> None:
        save(anna, "kept.json", "1")
        assert anna.post("/api/file/delete", {"path": "kept.json"}).status == 412
        assert (root / "kept.json").exists()


class TestDefinitions:
    @pytest.mark.parametrize("path", SAMPLES)
    def test_as_the_command_line_sends_it(self, samples: Browser, path: str) -> None:
        found = samples.post("/api/definition", {"path": path})
        assert found.status == 200, found
        assert found.document == {"params": params_of(EXAMPLES / path)}

    def test_what_is_not_saved_yet(self, anna: Browser, root: Path) -> None:
        (root / "part.json").write_text('{"operations": [{"type": "pass", "label": "x"}]}')
        text = "operations:\n- include: part.json\nstrict: 0\nvars: {n: 0123, d: 1.50}\n"
        found = anna.post("/api/definition", {"path": "unsaved.yaml", "text": text})
        assert found.status == 200, found
        assert found.document["params"] == {
            "operations": [{"type": "pass", "label": "x"}],
            "strict": 0,
            "vars": {"n": "0123", "d": 1.5},
        }
        assert not (root / "unsaved.yaml").exists()

    def test_every_digit(self, anna: Browser) -> None:
        digits = "0.12345678901234567890123"
        text = f'{{"operations": [], "vars": {{"n": {digits}}}}}'
        found = anna.post("/api/definition", {"path": "a.json", "text": text})
        assert digits.encode() in found.body

    @pytest.mark.parametrize(
        ("path", "text", "line", "column"),
        [
            ("a.json", '{\n "operations": [}', 2, 17),
            ("a.json", '{"run_id": "x",\n "operations": []}', 1, 2),
            ("a.json", '{"operations": [\n {"include": "none.json"}]}', 2, 3),
            ("a.json", '{"operations": [],\n "cases": "rows.csv"}', 2, 2),
            ("a.yaml", "operations:\n  - {", 2, 6),
            ("a.toml", "operations = \n", 1, 14),
            ("a.json", "[]", None, None),
        ],
    )
    def test_where_it_can_not_be_read(
        self, anna: Browser, path: str, text: str, line: int | None, column: int | None
    ) -> None:
        found = anna.post("/api/definition", {"path": path, "text": text})
        assert found.status == 422
        where = found.document["path"], found.document["line"], found.document["column"]
        assert where == (path if line else None, line, column), found.problem
        assert found.problem.startswith(path)

    def test_an_environment(self, anna: Browser, root: Path) -> None:
        (root / "site.env.json").write_text(
            '{"vars": {"a": 2, "c": 3}, "daemon": "lab", '
            '"gateways": {"HLR": "HLR2", "sigtran": "LAB", "UNUSED": "X", "a": "X"}}'
        )
        text = '{"operations": [], "vars": {"a": 1, "b": 1}, "db_hlr": "HLR", "rest": "R"}'
        given = {"path": "a.json", "text": text, "environment": "site.env.json"}
        found = anna.post("/api/definition", given)
        assert found.document["params"] == {
            "operations": [],
            "vars": {"a": 2, "b": 1, "c": 3},
            "db_hlr": "HLR2",
            "rest": "R",
            "sigtran": "LAB",
            "strict": 1,
        }

    @pytest.mark.parametrize("text", ["{", '{"var": {}}', '{"vars": []}', '{"gateways": 1}', "[]"])
    def test_what_is_no_environment(self, anna: Browser, root: Path, text: str) -> None:
        (root / "bad.env.json").write_text(text)
        given = {"path": "a.json", "environment": "bad.env.json"}
        found = anna.post("/api/definition", given)
        assert found.status == 422
        assert found.problem.startswith("bad.env.json")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory, assets: Path) -> Iterator[Browser]:
    with gui(tmp_path_factory.mktemp("samples"), assets, "--workspace", EXAMPLES) as made:
        yield made.enter()
