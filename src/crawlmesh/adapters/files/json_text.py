"""JSON texts that share a file with others, one to a line."""

import msgspec


def on_one_line(text: bytes) -> bytes:
    """The same JSON without line breaks. Inside strings they are always escaped, so these are layout."""
    if b"\n" in text or b"\r" in text:
        return msgspec.json.format(text, indent=-1)
    return text
