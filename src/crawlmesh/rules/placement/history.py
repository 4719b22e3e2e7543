"""What nodes did before: counters of good and bad ends, by features of the work."""

from collections import OrderedDict
from collections.abc import Mapping

_FEATURES = 10_000  # that are remembered at most, the latest ones
_NODES = 64  # for each feature, the latest ones
_MOST_COUNTED = 1_000  # then both counters are halved, so that the past fades


class WorkHistory:
    """Bounded memory of which nodes did which kind of work, and how well."""

    def __init__(self) -> None:
        self._features: OrderedDict[tuple[str, str], OrderedDict[str, list[int]]] = OrderedDict()

    def remember(self, node_id: str, features: Mapping[str, str], success: bool) -> None:
        """An execution with these features ended on the node."""
        for feature in features.items():
            nodes = self._features.setdefault(feature, OrderedDict())
            self._features.move_to_end(feature)
            counts = nodes.setdefault(node_id, [0, 0])
            nodes.move_to_end(node_id)
            counts[0] += success
            counts[1] += 1
            if counts[1] > _MOST_COUNTED:
                counts[:] = [counts[0] // 2, counts[1] // 2]
            if len(nodes) > _NODES:
                nodes.popitem(last=False)
        while len(self._features) > _FEATURES:
            self._features.popitem(last=False)

    def similar(self, features: Mapping[str, str]) -> dict[str, float]:
        """The nodes that did such work, each with how well: the mean over the features of its success.

        One success counts a half, many approach 1; a feature that the node never met counts nothing.
        """
        found: dict[str, float] = {}
        for feature in features.items():
            for node_id, (good, all_of_them) in self._features.get(feature, {}).items():
                found[node_id] = found.get(node_id, 0.0) + good / (all_of_them + 1)
        return {node_id: total / len(features) for node_id, total in found.items()}
