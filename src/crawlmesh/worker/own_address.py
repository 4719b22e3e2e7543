"""Under which address others reach this machine."""

import socket

_ANY = frozenset({"", "0.0.0.0", "::"})  # noqa: S104


def advertised_address(bound_host: str, master_host: str, master_port: int) -> str:
    """The address that a node registers with: where it listens, or where its way to the master begins."""
    if bound_host not in _ANY:
        return bound_host
    try:
        found = socket.getaddrinfo(master_host, master_port, type=socket.SOCK_DGRAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(address)  # sends nothing
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"
