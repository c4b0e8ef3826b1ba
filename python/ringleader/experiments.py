"""The results of runs: many elections, leaders that stay for long, hostile networks, and one election."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from html import escape
from typing import Any, Dict, Optional, Tuple

from .results import Result, State
from .tables import Table


@dataclass(frozen=True, repr=False)
class SimulateResult(Result):
    """Many elections of many sizes."""

    algorithm: str = ""
    axis: str = "size"
    """The quantity that varies: ``size``, ``corrupt`` or a parameter."""
    start: str = ""
    seed: int = 0
    kernel: str = ""
    settings: Dict[str, str] = field(default_factory=dict)
    sizes: Table = field(default_factory=lambda: Table({}))
    """The statistics of each size: ``mean_steps``, ``ci95_low``, ``ci95_high``, ``median``, ``p90``, ``max``, ..."""
    runs: Table = field(default_factory=lambda: Table({}))
    """Every run: its size, its number, whether it reached the goal, its steps, ..."""
    recoveries: Table = field(default_factory=lambda: Table({}))
    """Every recovery from a fault: size, run, fault, steps."""
    exponent: Optional[Dict[str, Any]] = None
    growth: Optional[Dict[str, Any]] = None
    linear: Optional[Dict[str, Any]] = None
    law: Optional[Dict[str, Any]] = None
    interrupted: bool = False

    @property
    def reached(self) -> bool:
        """Whether there are runs, and every one reached its goal within the limit."""
        reached = self.runs["reached"] if "reached" in self.runs.columns else []
        return len(reached) > 0 and all(reached)

    def to_pandas(self) -> Any:
        """The statistics of each size as a ``pandas.DataFrame``; ``runs.to_pandas()`` has every run."""
        return self.sizes.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.sizes.__arrow_c_stream__(requested_schema)

    def plot(self, ax: Any = None) -> Any:
        """The mean steps with their 95 % intervals, on logarithmic axes of matplotlib. Returns the axes.

        A size with runs that did not reach the goal has no mean; a warning names it.
        """
        from matplotlib import pyplot

        axes = pyplot.gca() if ax is None else ax
        rows = [row for row in self.sizes if row.get("mean_steps") is not None]
        left = [str(row.get(self.axis)) for row in self.sizes if row.get("mean_steps") is None]
        if left:
            warnings.warn(f"not in the plot, since runs did not reach the goal: {self.axis} {', '.join(left)}", stacklevel=2)
        x = [row[self.axis] for row in rows]
        mean = [row["mean_steps"] for row in rows]
        ends = [(row.get("ci95_low") or m, row.get("ci95_high") or m) for row, m in zip(rows, mean)]
        spread = [[m - low for m, (low, _) in zip(mean, ends)], [high - m for m, (_, high) in zip(mean, ends)]]
        axes.errorbar(x, mean, yerr=spread, fmt="o-", capsize=3, label=self.algorithm)
        axes.set(xscale="log", yscale="log", xlabel="agents n" if self.axis == "size" else self.axis, ylabel="mean steps")
        # The measured sizes, instead of powers of ten with crowded ticks between them.
        ticks = sorted({float(value) for line in axes.lines for value in line.get_xdata()})
        if 0 < len(ticks) <= 10 and ticks[0] > 0:
            axes.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        if len(axes.containers) > 1:
            axes.legend()
        return axes

    def _repr_html_(self) -> str:
        said = [self.algorithm, self.start and f"start {self.start}", f"seed {self.seed}", self.kernel]
        head = f"<p>{escape(' · '.join(filter(None, said)))}</p>"
        return head + self.sizes._repr_html_() + (self.svg or "")


@dataclass(frozen=True, repr=False)
class LooseResult(SimulateResult):
    """Many runs of a loosely stabilizing algorithm: ``runs`` has the steps until one leader, the steps that it stayed, and whether it was lost."""

    watched: int = 0
    """The number of steps for which each run was watched."""


@dataclass(frozen=True, repr=False)
class NetworkResult(SimulateResult):
    """Many runs of a robust algorithm in a hostile network; times are in δ, the greatest delay of a timely link."""

    def plot(self, ax: Any = None) -> Any:
        """The mean, the 99th percentile and the longest time until settled, on axes of matplotlib. Returns the axes."""
        from matplotlib import pyplot

        axes = pyplot.gca() if ax is None else ax
        for name, style in (("mean", "o-"), ("p99", "--"), ("max", ":")):
            column = f"settling_deltas_{name}"
            if column in self.sizes.columns:
                axes.plot(self.sizes["size"], self.sizes[column], style, label=f"{self.algorithm}, {name}")
        axes.set(xlabel="processes n", ylabel="time until settled, in δ")
        return axes


@dataclass(frozen=True, repr=False)
class ElectResult(Result):
    """One election, from its start to its goal, then through faults."""

    algorithm: str = ""
    size: int = 0
    seed: int = 0
    parameters: Dict[str, str] = field(default_factory=dict)
    start: str = ""
    scheduler: str = ""
    reached: bool = False
    basis: str = ""
    """What ``reached`` means: ``safe-set``, ``goal`` (the algorithm states no safe set), ``terminated`` or ``settled``."""
    ended: str = ""
    """How the run ended."""
    leaders: Tuple[int, ...] = ()
    tokens: Tuple[int, ...] = ()
    steps: int = 0
    recoveries: Tuple[int, ...] = ()
    samples: Tuple[Tuple[int, Tuple[State, ...]], ...] = ()
    """Moments of the run: the number of steps, and the configuration."""
    leaders_over_time: Table = field(default_factory=lambda: Table({}))
    """The number of leaders at each of the moments."""

    def __repr__(self) -> str:
        many = len(self.leaders) > 8
        who = f", {len(self.leaders):,} leaders" if many else f", leaders {list(self.leaders)}" if self.leaders else ""
        return f"{self.algorithm}, {self.size} agents, seed {self.seed}: {self.ended} after {self.steps:,} steps{who}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>" + (self.svg or "")
