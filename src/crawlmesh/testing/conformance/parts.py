"""Suites that consist of parts."""


def refuse_shadowed_names(suite: type, case: type) -> None:
    """Raise TypeError where two parts use one name: a test of one of them would silently be dropped.

    `case` is what all parts stand on.
    """
    owners: dict[str, str] = {}
    for part in suite.__mro__[1:]:
        if part in (object, case):
            continue
        for name in vars(part):
            if name.startswith("__") or name == "pytestmark":
                continue
            if name in owners:
                raise TypeError(f"{part.__name__} and {owners[name]} both define {name}; rename one of them")
            owners[name] = part.__name__
