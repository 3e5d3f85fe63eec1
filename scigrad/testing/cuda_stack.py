"""The stack of a compiled CUDA kernel, read from its cubin: frames of functions and calls among
them.

The driver gives a thread what the compiler found, unless functions call themselves: then a thread
has cudaLimitStackSize bytes, 1,024 where nobody asked for more, and a kernel that needs more ends
the process with an illegal address.
"""

import struct
from typing import NamedTuple

DEFAULT = 1024  # bytes of a thread, where the compiler does not know
# How often a function may stand in a chain of calls. The longest of xsf is hyp2f1's: c - a and c -
# b for c - a - b < -1, then 1/x for x < -2, then c - a and c - b once more; all others call
# themselves once, with an argument reflected.
RECURSION = 4
# attributes of .nv.info, and the format of a long one
_FRAME_SIZE, _MIN_STACK_SIZE, _WITH_VALUE = 0x11, 0x12, 4
_UNKNOWN = 0xFFFFFFFF


class Stack(NamedTuple):
    """The bytes of the stack that a thread of a kernel takes."""

    known: bool  # by the compiler, so that the driver sees to it
    size: int  # in bytes, with each function RECURSION times in a chain if it calls itself


def stack_of(cubin: bytes, kernel: str) -> Stack:
    """Return what a kernel takes from the stack.

    Parameters
    ----------
    cubin : bytes
        The ELF file that NVRTC or ptxas makes for an architecture.
    kernel : str
        Its name in the file.

    Raises
    ------
    ValueError
        If functions became parts of the kernel, where their frames are not told; compiled with
        -Ofc=min they stay apart.
    """
    sections, symbols = _tables(cubin)
    frames, least = _attributes(sections[".nv.info"], symbols)
    if merged := [name for name in frames if name.startswith(f"${kernel}$")]:
        raise ValueError(f"{merged[0]} and others are parts of {kernel}: compile it with -Ofc=min")
    calls: dict[str, set[str]] = {name: set() for name in frames}
    for caller, callee in struct.iter_unpack("<II", sections.get(".nv.callgraph", b"")):
        if caller and callee < len(symbols):  # others are marks of tables of functions
            calls.setdefault(symbols[caller], set()).add(symbols[callee])
    return Stack(least[kernel] != _UNKNOWN, _deepest(kernel, frames, calls))


def _tables(cubin: bytes) -> tuple[dict[str, bytes], list[str]]:
    """Return the sections of an ELF file by name, and the names of its symbols."""
    (start,), (count, names_at) = (
        struct.unpack_from("<Q", cubin, 0x28),
        struct.unpack_from("<HH", cubin, 0x3C),
    )
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, start + 64 * i) for i in range(count)]
    contents = [cubin[header[4] : header[4] + header[5]] for header in headers]
    sections = {
        _string(contents[names_at], header[0]): content
        for header, content in zip(headers, contents, strict=True)
    }
    symbols = [
        _string(sections[".strtab"], entry[0])
        for entry in struct.iter_unpack("<I20x", sections[".symtab"])
    ]
    return sections, symbols


def _string(table: bytes, start: int) -> str:
    return table[start : table.index(b"\0", start)].decode()


def _attributes(info: bytes, symbols: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the frames of functions, and the stacks of kernels where the compiler knows them."""
    found: dict[int, dict[str, int]] = {_FRAME_SIZE: {}, _MIN_STACK_SIZE: {}}
    at = 0
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == _WITH_VALUE:
            if attribute in found:
                symbol, value = struct.unpack_from("<II", info, at)
                found[attribute][symbols[symbol]] = value
            at += size
    return found[_FRAME_SIZE], found[_MIN_STACK_SIZE]


def _deepest(start: str, frames: dict[str, int], calls: dict[str, set[str]]) -> int:
    """Return the bytes of the longest chain of calls: a group of functions that call each other
    counts RECURSION times.
    """
    reached: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in reached:
            reached[name], waiting = set(), list(calls.get(name, ()))
            while waiting:
                callee = waiting.pop()
                if callee not in reached[name]:
                    reached[name].add(callee)
                    waiting += calls.get(callee, ())
        return reached[name]

    sizes: dict[frozenset[str], int] = {}

    def size(name: str) -> int:
        group = frozenset(other for other in reach(name) if name in reach(other)) or frozenset(
            [name]
        )
        if group not in sizes:
            own = sum(frames.get(member, 0) for member in group) * (
                RECURSION if name in reach(name) else 1
            )
            below = {callee for member in group for callee in calls.get(member, ())} - group
            sizes[group] = own + max((size(callee) for callee in below), default=0)
        return sizes[group]

    return size(start)
