"""Measure contenders side by side, one call of each in turn, so that other load on the machine
affects all of them equally.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

Run = Callable[[], Any]
SHORTEST_SAMPLE = 0.01  # seconds; quicker calls are repeated until a sample takes that long


class Seconds(float):
    """The time measured by a contender itself, in another process for instance."""


@dataclass(frozen=True)
class Bar:
    """Ours may take at most `ratio` times as long as a peer, or at most `extra` seconds more."""

    against: str
    ratio: float = 1.0
    extra: float = 0.0

    def __str__(self) -> str:
        more = f" + {self.extra * 1e6:g} µs" if self.extra else ""
        return (
            f"<= {self.against}{more}"
            if self.ratio == 1
            else f"<= {self.ratio:g} x {self.against}{more}"
        )

    def holds(self, ours: float, peer: float) -> bool:
        return ours <= self.ratio * peer + self.extra


@dataclass(frozen=True)
class Subject:
    """One comparison. The call of a contender is built when it is first needed, since a peer may
    not be installed.
    """

    title: str
    ours: str
    contenders: Mapping[str, Callable[[], Run]]
    bars: tuple[Bar, ...]
    # raises AssertionError if the answers disagree
    check: Callable[[dict[str, Any]], None] = lambda results: None
    budget: float = 8.0  # seconds in all
    # contenders that do something else: shown, never the best peer
    information: tuple[str, ...] = ()
    # arrays too small for threads: with more of them ours takes at most 1.1 of its time with one
    small: bool = False
    notes: str = ""  # count of the work, alternatives tried, lower bound


@dataclass
class Outcome:
    """Samples by contender, and the reasons of those that have none."""

    subject: Subject
    samples: dict[str, list[float]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def minimum(self, name: str) -> float:
        return min(self.samples[name])

    def median(self, name: str) -> float:
        return statistics.median(self.samples[name])

    def best_peer(self) -> float:
        """Return the smallest minimum of the peers that do the same work; NaN without peers."""
        rivals = set(self.samples) - {self.subject.ours, *self.subject.information}
        return min((self.minimum(name) for name in rivals), default=math.nan)

    def verdicts(self) -> Iterator[tuple[Bar, str]]:
        """Compare the minima: other load on the machine only adds to a time."""
        for bar in self.subject.bars:
            if {self.subject.ours, bar.against} <= set(self.samples):
                held = bar.holds(self.minimum(self.subject.ours), self.minimum(bar.against))
                yield bar, "held" if held else "MISSED"
            else:
                yield bar, "not measured"


def compare(subject: Subject) -> Outcome:
    """Check that the contenders agree, then measure them in turn until the budget is spent, at
    least five times each.
    """
    outcome, runs = Outcome(subject), dict[str, Run]()
    for name, build in subject.contenders.items():
        try:
            runs[name] = build()
            runs[name]()  # whatever is loaded, compiled or cached on the first call
        except Exception as reason:
            # one contender that is not installed or fails does not end the run; the table names it
            runs.pop(name, None)
            outcome.absent[name] = f"{type(reason).__name__}: {reason}"
    results = {name: run() for name, run in runs.items()}
    subject.check(results)
    counts = {name: repetitions(run, results[name]) for name, run in runs.items()}
    outcome.samples = {name: [] for name in runs}
    deadline, rounds = time.perf_counter() + subject.budget, 0
    while rounds < 5 or time.perf_counter() < deadline:
        for name, run in runs.items():
            outcome.samples[name].append(sample(run, counts[name]))
        rounds += 1
    return outcome


def repetitions(run: Run, result: Any) -> int:
    """Return the number of calls of a sample: one of those that take longer than the time they
    report.
    """
    return 1 if isinstance(result, Seconds) else max(1, round(SHORTEST_SAMPLE / sample(run, 1)))


def sample(run: Run, count: int) -> float:
    """Return the seconds of one call. The garbage collector stays on, as it is for the user."""
    start = time.perf_counter()
    for _ in repeat(None, count):
        result = run()
    elapsed = (time.perf_counter() - start) / count
    return float(result) if isinstance(result, Seconds) else elapsed
