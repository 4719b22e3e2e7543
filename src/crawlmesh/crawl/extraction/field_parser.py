"""Reads the fields of an extraction spec, and says exactly what is wrong with one that cannot be read."""

import math
from collections.abc import Mapping
from typing import Any

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector
from crawlmesh.crawl.extraction.field import Field
from crawlmesh.crawl.extraction.selector import compile_selector
from crawlmesh.crawl.extraction.value_types import ValueType
from crawlmesh.errors import SelectorError

_KEYS = ("selector", "all", "fields", "default", "type")
_MAX_DEPTH = 32
_ADVICE = {
    "css": "write it in CSS",
    "xpath": "write it in XPath, with 'xpath:' before it",
    "jmespath": "write it in JMESPath, with 'jmespath:' before it",
}


def parse_fields(
    mapping: Mapping[str, Any], path: str, container: CompiledSelector | None = None
) -> tuple[Field, ...]:
    """The fields of a mapping at `path`, inside of a container if there is one."""
    if path.count(".fields") > _MAX_DEPTH:
        raise SelectorError(f"{path}: fields may be nested {_MAX_DEPTH} levels deep and no deeper.")
    fields: dict[str, Field] = {}
    for name, value in mapping.items():
        field = _parse_field(name, value, path, container)
        if field.name in fields:
            raise SelectorError(
                f"{_join(path, field.name)}: the name is given twice; every field needs its own name."
            )
        fields[field.name] = field
    return tuple(fields.values())


def _parse_field(name: Any, value: Any, path: str, container: CompiledSelector | None) -> Field:
    plain_name, wants_all = _parse_name(name, path)
    here = _join(path, plain_name)
    if isinstance(value, str):
        return Field(plain_name, _compile(here, value, container), all=wants_all)
    if not isinstance(value, Mapping):
        raise SelectorError(f"{here}: must be a selector or an object with one, not {value!r}.")
    _check_keys(value, here)
    selector = _compile(f"{here}.selector", value["selector"], container)
    fields = _parse_inner_fields(value, here, selector)
    return Field(
        plain_name,
        selector,
        all=_parse_all(value, here, wants_all, is_container=bool(fields)),
        type=_parse_type(value, here),
        default=_parse_default(value.get("default"), f"{here}.default"),
        fields=fields,
    )


def _parse_name(name: Any, path: str) -> tuple[str, bool]:
    if not isinstance(name, str):
        raise SelectorError(
            f"{_join(path, str(name))}: a name must be text, not {name!r}; put it into quotes."
        )
    plain = name.strip().removesuffix("[]").strip()
    if not plain:
        raise SelectorError(f"{path or 'the extraction spec'}: a field has an empty name.")
    if any(character in "[]=" or not character.isprintable() for character in plain):
        raise SelectorError(
            f"{_join(path, plain)}: the name {name!r} may not contain '[', ']' or '='; "
            "only '[]' at its end, which asks for all matches."
        )
    return plain, name.strip().endswith("[]")


def _check_keys(value: Mapping[str, Any], here: str) -> None:
    for key in value:
        if key not in _KEYS:
            raise SelectorError(f"{here}.{key}: unknown key; the known ones are {', '.join(_KEYS)}.")
    if "selector" not in value:
        raise SelectorError(f"{here}.selector: is missing; write for example 'h2.title'.")


def _compile(here: str, text: Any, container: CompiledSelector | None) -> CompiledSelector:
    if not isinstance(text, str):
        raise SelectorError(f"{here}: must be a selector, not {text!r}; write for example 'h2.title'.")
    selector = compile_selector(here, text)
    if container is None or selector.language == "re":
        return selector
    if selector.language != container.language:
        raise SelectorError(
            f"{here}: the selector {text!r} is {selector.language}, but its container is "
            f"{container.language}; {_ADVICE[container.language]}, or use 're:'."
        )
    if selector.language == "xpath" and text.split(":", 1)[1].lstrip().startswith("/"):
        raise SelectorError(
            f"{here}: the selector {text!r} looks at the whole page; inside a container write './/' for '//'."
        )
    return selector


def _parse_inner_fields(value: Mapping[str, Any], here: str, selector: CompiledSelector) -> tuple[Field, ...]:
    if "fields" not in value:
        return ()
    inner = value["fields"]
    if not isinstance(inner, Mapping) or not inner:
        raise SelectorError(f"{here}.fields: must be a mapping of names to selectors, not {inner!r}.")
    if "type" in value:
        raise SelectorError(f"{here}.type: a field with 'fields' gives objects and can have no type.")
    if selector.language == "re" or getattr(selector, "ending", None) is not None:
        raise SelectorError(
            f"{here}.selector: {selector.text!r} finds text; a field with 'fields' must find elements."
        )
    return parse_fields(inner, f"{here}.fields", selector)


def _parse_all(value: Mapping[str, Any], here: str, wants_all: bool, *, is_container: bool) -> bool:
    chosen = value.get("all", wants_all or is_container)
    if not isinstance(chosen, bool):
        raise SelectorError(f"{here}.all: must be true or false, not {chosen!r}.")
    if wants_all and not chosen:
        raise SelectorError(
            f"{here}.all: is false, but '[]' in the name asks for all matches; drop one of them."
        )
    return chosen


def _parse_type(value: Mapping[str, Any], here: str) -> ValueType | None:
    if value.get("type") is None:
        return None
    try:
        return ValueType(value["type"])
    except ValueError:
        allowed = ", ".join(ValueType)
        raise SelectorError(f"{here}.type: {value['type']!r} is unknown; the types are {allowed}.") from None


def _parse_default(value: Any, here: str) -> Any:
    """The value, if it is JSON: the spec must survive being stored."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _parse_default(inner, f"{here}.{key}") for key, inner in value.items()}
    if isinstance(value, list):
        return [_parse_default(inner, here) for inner in value]
    is_finite = not isinstance(value, float) or math.isfinite(value)
    if value is None or (isinstance(value, str | int | float | bool) and is_finite):
        return value
    raise SelectorError(
        f"{here}: {value!r} is not JSON; use text, numbers, true, false, null, lists and objects."
    )


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
