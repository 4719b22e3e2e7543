"""All classes of nodes, and what happened to them since somebody last looked."""

import itertools
from collections import OrderedDict
from collections.abc import Hashable, Iterator

from crawlmesh.model.node import Node
from crawlmesh.rules.placement.member import Member, is_last_resort
from crawlmesh.rules.placement.node_class import NodeClass, class_key, same_class
from crawlmesh.rules.placement.pick_list import PickList

_MOST_EMPTY_CLASSES = 256


class ClassIndex:
    """Keeps every node in its class.

    `classes` only grows while `generation` stays the same. `touched_since` names the classes in which
    a node may have moved forward; that nodes fall back is found out where their class is looked at.
    """

    def __init__(self) -> None:
        self.classes: list[NodeClass] = []
        self.open: PickList[Member] = PickList()  # nodes with a free place, of all classes
        self.overloaded = 0  # nodes that are only a last resort
        self.generation = 0
        self.membership = 0  # grows when a node comes, goes or changes its class
        self.version = 0
        self._by_key: dict[Hashable, NodeClass] = {}
        self._class_of: dict[str, NodeClass] = {}
        self._inactive: set[str] = set()  # clusters
        self._touched: OrderedDict[int, int] = OrderedDict()  # number of a class → version, latest last
        self._stamps = itertools.count(1)

    def __len__(self) -> int:
        return len(self._class_of)

    def __iter__(self) -> Iterator[str]:
        return iter(self._class_of)

    def member(self, node_id: str) -> Member | None:
        """What is known of a node."""
        home = self._class_of.get(node_id)
        return None if home is None else home.members[node_id]

    def class_of(self, node_id: str) -> NodeClass:
        """The class of a known node."""
        return self._class_of[node_id]

    def put(self, node: Node, running: int) -> None:
        """A node is new, or as it says now."""
        home = self._class_of.get(node.id)
        if home is None:
            self.overloaded += is_last_resort(node)
            self._settle(Member(node, running), node)
            return
        member = home.members[node.id]
        home.discard(member)
        self.overloaded += is_last_resort(node) - home.last_resort
        if same_class(member.node, node):
            member.renew(node, running)
            self._return(member, home)
        else:
            member.renew(node, running)
            self._settle(member, node)
            self._drop_empty_classes()

    def remove(self, node_id: str) -> None:
        """Forget a node; an unknown one is fine."""
        home = self._class_of.pop(node_id, None)
        if home is None:
            return
        member = home.members[node_id]
        home.discard(member)
        self.open.discard(member)
        self.overloaded -= home.last_resort
        self.membership += 1
        self._drop_empty_classes()

    def count(self, member: Member, running: int) -> None:
        """The number of executions of a node changed."""
        home = self._class_of[member.node.id]
        forward = running < member.running
        home.count(member, running, next(self._stamps))
        self._keep_open(member)
        if forward:
            self._touch(home)

    def set_cluster(self, cluster_id: str, active: bool) -> None:
        """Only nodes of active clusters get work; unknown clusters are active."""
        (self._inactive.discard if active else self._inactive.add)(cluster_id)
        for one in self.classes:
            if one.specimen.cluster_id == cluster_id and one.active is not active:
                one.active = active
                self._touch(one)

    def touched_since(self, version: int) -> Iterator[NodeClass]:
        """The classes in which a node may have moved forward after the version, each once."""
        for number, touched_at in reversed(self._touched.items()):
            if touched_at <= version:
                return
            yield self.classes[number]

    def _settle(self, member: Member, node: Node) -> None:
        key = class_key(node)
        home = self._by_key.get(key)
        if home is None:
            home = NodeClass(len(self.classes), node, node.cluster_id not in self._inactive)
            self._by_key[key] = home
            self.classes.append(home)
        self._class_of[node.id] = home
        self.membership += 1
        self._return(member, home)

    def _return(self, member: Member, home: NodeClass) -> None:
        home.add(member, next(self._stamps))
        self._keep_open(member)
        self._touch(home)

    def _keep_open(self, member: Member) -> None:
        if member.free:
            self.open.add(member)
        else:
            self.open.discard(member)

    def _touch(self, one: NodeClass) -> None:
        self.version += 1
        self._touched[one.number] = self.version
        self._touched.move_to_end(one.number)

    def _drop_empty_classes(self) -> None:
        """Start a new generation without them, once they are many."""
        # A class that is not empty has a node, so what there is of classes beyond the nodes is empty.
        if len(self.classes) <= 2 * len(self._class_of) + _MOST_EMPTY_CLASSES:
            return
        self.generation += 1
        self.classes = [one for one in self.classes if one.members]
        self._touched.clear()
        for number, one in enumerate(self.classes):
            one.number = number
        self._by_key = {class_key(one.specimen): one for one in self.classes}
