"""English plurals of field names."""


def plural(name: str) -> str:
    """The plural: product → products, category → categories, box → boxes; names in -s stay."""
    lowered = name.lower()
    if lowered.endswith("s") or not (name[-1:].isascii() and name[-1:].isalpha()):
        return name
    if lowered.endswith("y") and lowered[-2:-1] not in ("", *"aeiou"):
        return name[:-1] + "ies"
    if lowered.endswith(("x", "z", "ch", "sh")):
        return name + "es"
    return name + "s"
