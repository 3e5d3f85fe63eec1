"""The values that a program stores, and in which order: those of a level are one kernel."""

from collections.abc import Callable, Container, Iterable, Sequence

from .nodes import Buffer, Elementwise, Move, Node, Number, Parameter, Reduction, strides_of

ANEW = 200  # cost up to which a value is computed again by a later kernel, rather than stored
MOVED = 40  # the same where its elements are read at other places, or more than once
SCALAR = 1000  # the same of one number, which each thread computes once
SHORT = 64  # elements of a sum that one thread adds
FEW = 8  # the same of a sum of all, which every thread makes
MANY = 1 << 14  # results of sums that keep the device busy with one thread for each


class Plan:
    """Levels of nodes, and which of them are stored.

    `level` says of what a kernel stores in which kernel that is; of buffers, the first kernel that
    may read them: it follows the calls which make these.
    """

    def __init__(self, order: Sequence[Node], roots: Iterable[Node]) -> None:
        self.order, self.roots = order, set(roots)
        self.level: dict[Node, int] = {}
        self.stored: set[Node] = set()
        self._repeated = _repeated(order)

    def settle(self, root: Node) -> int:
        """Set the levels of a node and of what it is made of, and what of these is stored; return
        the first kernel that may read it.
        """
        for node in sort_nodes([root], self.level):
            first = max([self.ready(x) for x in node.inputs], default=0)
            self.level[node] = first
            is_wide = isinstance(node, Reduction) and not is_serial(node)
            if isinstance(node, (Buffer, Parameter)):
                continue
            if node in self.roots or is_wide:
                self.stored.add(node)
            elif node in self._repeated:
                most = SCALAR if node.size == 1 else MOVED
                if self.cost(node, most) > most:
                    self.stored.add(node)
        return self.ready(root)

    def ready(self, node: Node) -> int:
        """Return the first kernel that may read a node."""
        return self.level[node] + (node in self.stored)

    def store_what_is_shared(self) -> None:
        """Add to what is stored what kernels of several levels would compute."""
        kernels: dict[Node, set[int]] = {}
        for node in reversed(self.order):
            own = kernels.setdefault(node, set())
            if node in self.stored:
                own = {self.level[node]}
            elif len(own) > 1 and self.cost(node, ANEW) > ANEW:
                self.stored.add(node)
                own = {self.level[node]}
            for x in node.inputs:
                kernels.setdefault(x, set()).update(own)

    def cost(self, node: Node, most: int) -> int:
        """Return what an element costs to compute from what is stored, or more than `most`."""
        total, seen = 0, set()
        waiting = [(node, ())]
        while waiting and total <= most:
            x, way = waiting.pop()
            if (x, way) in seen:
                continue
            seen.add((x, way))
            if isinstance(x, (Buffer, Number, Parameter)) or (x in self.stored and x is not node):
                total += 1
                continue
            times = 1
            if isinstance(x, Elementwise):
                total += x.routine.cost
            elif isinstance(x, Reduction):
                times = x.count
                total += 4 * times  # a loop, whose terms are read one after the other
            # Another way to a node is another element of it.
            if not isinstance(x, Elementwise) and not is_reshape(x):
                way = (*way, x)
            waiting.extend((y, way) for y in x.inputs)
            if times > 1:
                total += (times - 1) * min(most, self.cost(x.inputs[0], most))
        return total


def is_serial(node: Reduction) -> bool:
    """Return whether one thread makes each element of a reduction."""
    if node.count <= (SHORT if node.size > 1 else FEW):
        return True
    is_last = node.axes[-1] == len(node.inputs[0].shape) - 1
    return node.size >= MANY and not is_last


def is_reshape(node: Node) -> bool:
    """Return whether a node has the elements of its input in the same order."""
    if not isinstance(node, Move) or len(node.pieces) != 1:
        return False
    piece, x = node.pieces[0], node.inputs[node.pieces[0].source]
    if piece.box is not None or piece.origin or x.size != node.size:
        return False
    expected = zip(piece.coefficients, strides_of(node.shape), node.shape, strict=True)
    return all(c == s or n == 1 for c, s, n in expected)


def _repeated(order: Sequence[Node]) -> set[Node]:
    """Return the nodes whose elements are read at other places, or several times."""
    found: set[Node] = set()
    for node in order:
        for x in node.inputs:
            if (isinstance(node, Move) and not is_reshape(node)) or x.size < node.size:
                found.add(x)
    return found


def sort_nodes(
    roots: Iterable[Node],
    known: Container[Node] = (),
    inputs: Callable[[Node], Iterable[Node]] = lambda node: node.inputs,
) -> list[Node]:
    """Return nodes behind their inputs, without those that are known."""
    found: dict[Node, None] = {}
    for root in roots:
        waiting = [] if root in known or root in found else [(root, iter(inputs(root)))]
        while waiting:
            node, rest = waiting[-1]
            following = next((x for x in rest if x not in found and x not in known), None)
            if following is None:
                waiting.pop()
                found[node] = None
            else:
                waiting.append((following, iter(inputs(following))))
    return list(found)
