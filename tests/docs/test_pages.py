import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, all_pages, code_blocks, headings, page, prose

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_DECISIONS = sorted(path for path in (DOCS / "decisions").glob("[0-9]*.md"))
_HOW_TOS = sorted((DOCS / "howto").glob("*.md"))


def _slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"[`*]", "", heading.lstrip("#").strip()).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", all_pages(), ids=_name)
def test_relative_links_lead_somewhere(path: Path) -> None:
    for target in _LINK.findall(prose(path.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), f"{target} does not exist"
        if anchor:
            anchors = {_slug(heading) for heading in headings(found.read_text(encoding="utf-8"))}
            assert anchor in anchors, f"{target} has no such heading"


def test_both_readmes_have_the_same_headings() -> None:
    levels = [
        [heading.split()[0] for heading in headings(page(name))] for name in ("README.md", "README.zh-CN.md")
    ]
    assert levels[0] == levels[1]


def test_both_readmes_have_the_same_code() -> None:
    assert code_blocks(page("README.md")) == code_blocks(page("README.zh-CN.md"))


def test_both_readmes_lead_to_the_same_pages() -> None:
    links = [
        {target for target in _LINK.findall(page(name)) if not target.startswith(("#", "README"))}
        for name in ("README.md", "README.zh-CN.md")
    ]
    assert links[0] == links[1]


@pytest.mark.parametrize("path", _DECISIONS, ids=_name)
def test_every_decision_is_listed_under_its_number(path: Path) -> None:
    number = int(path.name[:4])
    title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix(f"# {number}. ")
    assert f"| [{number}]({path.name}) | {title} |" in page("docs/decisions/README.md")


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(path.name[:4]) for path in _DECISIONS] == list(range(1, len(_DECISIONS) + 1))


@pytest.mark.parametrize("path", _HOW_TOS, ids=_name)
def test_every_how_to_is_linked_from_the_readme(path: Path) -> None:
    assert f"(docs/howto/{path.name})" in page("README.md")


def test_every_target_of_the_makefile_has_a_line_of_help() -> None:
    makefile = page("Makefile")
    for target in re.findall(r"^\.PHONY: ([a-z-]+)$", makefile, re.MULTILINE):
        assert re.search(rf"^{target}:.* ## \S", makefile, re.MULTILINE), f"{target} has no help"


def _walks() -> list[str]:
    """The sections of the architecture that lead through the code."""
    sections = page("docs/architecture.md").split("\n## ")
    return [section for section in sections if section.startswith("The walk of ")]


@pytest.mark.parametrize("walk", _walks(), ids=lambda walk: walk.splitlines()[0])
def test_files_that_the_walk_names_exist(walk: str) -> None:
    for name in set(re.findall(r"`([a-z0-9_]+(?:/[a-z0-9_]+)*\.py)`", walk)):
        assert (ROOT / "src" / "crawlmesh" / name).is_file(), f"{name} does not exist"


@pytest.mark.parametrize("walk", _walks(), ids=lambda walk: walk.splitlines()[0])
def test_functions_that_the_walk_names_exist(walk: str) -> None:
    for file, name in re.findall(r"`([a-z0-9_]+(?:/[a-z0-9_]+)*\.py)`\s+`(\w+)`", walk):
        source = page(f"src/crawlmesh/{file}")
        assert re.search(rf"(?:def|class) {name}\b", source), f"{file} has no {name}"


def test_there_are_walks_of_a_url_a_task_and_a_failure() -> None:
    assert [walk.splitlines()[0] for walk in _walks()] == [
        "The walk of a URL",
        "The walk of a task",
        "The walk of a failure",
    ]


def test_requirements_are_pinned_and_name_no_address() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = [line for line in page(name).splitlines() if line and not line.startswith("#")]
        for line in lines:
            assert re.fullmatch(r"-r requirements\.txt|[\w.-]+==[\w.]+", line), f"{name}: {line}"


def test_every_dependency_is_pinned_and_explained() -> None:
    project = tomllib.loads(page("pyproject.toml"))["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    wanted = [requirement.partition(">=")[0] for requirement in listed]
    pinned = {
        _normal(line.partition("==")[0])
        for name in ("requirements.txt", "requirements-dev.txt")
        for line in page(name).splitlines()
        if "==" in line
    }
    explained = page("docs/decisions/0005-dependencies.md").lower()
    for dependency in wanted:
        assert _normal(dependency) in pinned, f"{dependency} is not pinned"
        if not dependency.startswith("types-"):
            assert dependency.lower() in explained, f"{dependency} is not in decision 5"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
