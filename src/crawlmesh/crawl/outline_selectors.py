"""Short CSS selectors for elements: by ids that look stable, then by classes, then by the path of tags."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_PLAIN_NAME = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
_MADE_UP = re.compile(
    r"\d{3}|\d.*\d.*\d|^(?:css|sc|jsx|jss|emotion|ember|react|ng|_ng\w+)-|--?[A-Za-z]*\d[A-Za-z0-9]{3,}$"
)
_LONGEST_NAME = 40  # characters
_LANDMARKS = frozenset(
    {"title", "main", "nav", "header", "footer", "aside", "article", "h1", "table", "form", "dl"}
)


class Candidate(NamedTuple):
    """What can be said of an element in a selector."""

    tag: str
    id: str
    classes: tuple[str, ...]
    mark: tuple[str, ...] = ()  # an attribute and its value, where elements have no classes

    @property
    def likeness(self) -> object:
        """The same for siblings that look alike."""
        return self.tag, frozenset(self.classes), self.mark


class Totals:
    """How often things occur on a page."""

    def __init__(self, kinds: Mapping[Candidate, int]) -> None:
        self.ids: Counter[str] = Counter()
        self.tags: Counter[str] = Counter()
        self.classes: Counter[tuple[str, str]] = Counter()  # by tag and class
        for kind, number in kinds.items():
            self.tags[kind.tag] += number
            if kind.id:
                self.ids[kind.id] += number
            for name in kind.classes:
                self.classes[kind.tag, name] += number


def selector_of(
    kind: Candidate, number: int, parent: str, siblings: Iterable[Candidate], totals: Totals
) -> str:
    """CSS that finds the elements of a kind below those that `parent` finds: `number` of them on the page."""
    if kind.tag in ("head", "body"):
        return kind.tag
    if kind.mark:
        name, value = kind.mark
        return f'{kind.tag}[{name}="{_quoted(value)}"]'
    if number == 1 and totals.ids[kind.id] == 1 and is_stable(kind.id):
        return f"#{kind.id}"
    stable = [name for name in kind.classes if is_stable(name)]
    for name in stable:
        if totals.classes[kind.tag, name] == number:
            return f"{kind.tag}.{name}"
    if kind.tag in _LANDMARKS and totals.tags[kind.tag] == number:
        return kind.tag
    return f"{parent} > {_among(kind, stable, siblings)}"


def is_stable(name: str) -> bool:
    """Whether an id or a class looks as if people wrote it, so that it will be there tomorrow."""
    return (
        0 < len(name) <= _LONGEST_NAME
        and _PLAIN_NAME.fullmatch(name) is not None
        and _MADE_UP.search(name) is None
    )


def _among(kind: Candidate, stable: Sequence[str], siblings: Iterable[Candidate]) -> str:
    """What tells a kind from its siblings: one class, all stable ones, or all, and then what it lacks."""
    own = frozenset(kind.classes)
    others = [
        set(each.classes) for each in siblings if each.tag == kind.tag and frozenset(each.classes) != own
    ]
    for name in stable:
        if not any(name in classes for classes in others):
            return f"{kind.tag}.{name}"
    named: Sequence[str] = stable
    if any(classes.issuperset(named) for classes in others):
        named = kind.classes
    mistaken = [classes - own for classes in others if classes.issuperset(named)]
    if not mistaken:
        return kind.tag + "".join(map(_class, named))
    if not kind.classes:
        return f"{kind.tag}:not([class])"
    lacking = dict.fromkeys(min(names, key=lambda name: (not is_stable(name), name)) for names in mistaken)
    return kind.tag + "".join(map(_class, named)) + "".join(f":not({_class(name)})" for name in lacking)


def _class(name: str) -> str:
    """The condition that an element has a class."""
    return f".{name}" if _PLAIN_NAME.fullmatch(name) else f'[class~="{_quoted(name)}"]'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
