"""Addresses as people type them."""

import re


def with_scheme(url: str) -> str:
    """People type example.com; browsers understand it."""
    return url if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", url) else f"https://{url}"
