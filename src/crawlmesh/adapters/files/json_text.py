"""JSON texts that share a file with others, one to a line."""

import msgspec


def on_one_line(text: msgspec.Raw) -> msgspec.Raw:
    """The same JSON without line breaks. Inside strings they are always escaped, so these are layout."""
    content = bytes(text)
    if b"\n" in content or b"\r" in content:
        return msgspec.Raw(msgspec.json.format(content, indent=-1))
    return text
