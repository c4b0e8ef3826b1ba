"""The results of the verbs. Each has the fields of ``--json`` of the command line, and the whole object in ``json``."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .tables import Table
from .values import Interval, Value, shown

__all__ = [
    "AllGraphs",
    "CheckResult",
    "Choice",
    "ClaimReport",
    "Counterexample",
    "FoundProtocol",
    "Likely",
    "MessageCheckResult",
    "Property",
    "ProveResult",
    "Quantile",
    "Result",
    "Rounds",
    "SearchResult",
    "Service",
    "SetReport",
    "Step",
    "Time",
    "Times",
]

State = Any
"""A local state: a text such as ``tag=D v=3``, or the user's own object where a Python function is the rule."""

_GOOD, _BAD = "#0b7a4b", "#b3261e"


def _rows(pairs: Sequence[Tuple[str, object]]) -> str:
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(str(said))}</td></tr>'
        for name, said in pairs
    )
    return f"<table>{cells}</table>"


def _badge(good: bool, words: str) -> str:
    colour = _GOOD if good else _BAD
    return f'<b style="color:{colour}">{escape(words)}</b>'


def _write(path: Union[str, Path], text: Optional[str], missing: str) -> None:
    if text is None:
        raise ValueError(missing)
    Path(path).write_text(text, encoding="utf-8")


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a verb."""

    json: Dict[str, Any]
    """The object that the command line prints with ``--json``."""
    text: str = ""
    """The report of the command line."""
    svg: Optional[str] = None
    """A picture of the result."""
    tikz: Optional[str] = None
    """The same picture for LaTeX."""

    def __repr__(self) -> str:
        return self.text.rstrip() or f"{type(self).__name__}({self.json})"

    def _repr_svg_(self) -> Optional[str]:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<pre style="font-family:monospace">{escape(self.text)}</pre>' + (self.svg or "")

    def save_svg(self, path: Union[str, Path]) -> None:
        """Writes the picture as SVG."""
        _write(path, self.svg, "this result has no picture")

    def save_tikz(self, path: Union[str, Path]) -> None:
        """Writes the picture as TikZ: ``\\input`` it in a document that uses the package ``tikz``."""
        _write(path, self.tikz, "this result has no picture")


@dataclass(frozen=True)
class Step:
    """One step of an execution."""

    configuration: Tuple[State, ...] = field(metadata={"json": "states"})
    """The local states after it."""
    arc: Optional[Tuple[int, int]] = None
    """The two agents that met."""
    process: Optional[int] = None
    """The process that stepped."""
    processes: Optional[Tuple[int, ...]] = None
    """The processes that stepped at once."""
    rules: Tuple[int, ...] = ()
    """The rules that fired, numbered as in the paper."""
    inputs: Optional[Tuple[bool, bool]] = None
    """The answers of the leader detector."""
    coin: Tuple[int, ...] = ()
    """The outcomes of the coins."""


@dataclass(frozen=True)
class Choice:
    """The choices of a daemon in one configuration."""

    configuration: Tuple[State, ...] = field(metadata={"json": "states"})
    choices: Tuple[Dict[str, Any], ...]
    """Each with ``arc``, ``process``, ``processes`` or ``all``, and ``choice`` where a rule leaves one."""
    turns: Optional[Tuple[int, ...]] = None


@dataclass(frozen=True, repr=False)
class Counterexample:
    """An execution that shows a failure: a prefix, then a cycle for ever. As a sequence, it is its configurations."""

    shows: str
    start: Tuple[State, ...]
    prefix: Tuple[Step, ...]
    cycle: Tuple[Step, ...]
    recurring: Optional[int] = None
    """The number of configurations in the set that the execution never leaves."""
    strategy: Tuple[Choice, ...] = field(default=(), repr=False)
    """The daemon's choices against fair coins, by configuration."""
    trace: Optional[str] = field(default=None, repr=False)
    """The trace that ``ringleader elect --replay`` plays."""
    svg: Optional[str] = field(default=None, repr=False)
    tikz: Optional[str] = field(default=None, repr=False)

    @property
    def configurations(self) -> List[Tuple[State, ...]]:
        """The configurations in order, from the start to the end of the first turn of the cycle."""
        return [self.start] + [step.configuration for step in self.prefix + self.cycle]

    def __repr__(self) -> str:
        steps = f"{len(self.prefix)} steps" + (f", then {len(self.cycle)} for ever" if self.cycle else "")
        return f"Counterexample({self.shows!r}, from {self.start!r}: {steps})"

    def __len__(self) -> int:
        return 1 + len(self.prefix) + len(self.cycle)

    def __getitem__(self, at: int) -> Tuple[State, ...]:
        return self.configurations[at]

    def save_trace(self, path: Union[str, Path]) -> None:
        """Writes the trace: ``ringleader elect --replay FILE`` plays it, and ``ringleader draw --replay FILE`` draws it."""
        _write(path, self.trace, "this execution has no trace")

    def _repr_svg_(self) -> Optional[str]:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.shows)}</p>" + (self.svg or "") + self._listed()

    def _listed(self, most: int = 12) -> str:
        """The first configurations as a table: a picture shows leaders and tokens only."""
        rows: List[Tuple[str, object]] = [("start", ", ".join(map(str, self.start)))]
        for at, step in enumerate(self.prefix + self.cycle):
            if at == most:
                rows.append(("…", f"{len(self) - 1 - most} more"))
                break
            who = step.arc or step.processes or ((step.process,) if step.process is not None else ())
            again = " (from here for ever)" if at == len(self.prefix) else ""
            rows.append((f"{at + 1}: {', '.join(map(str, who)) or 'all'}{again}", ", ".join(map(str, step.configuration))))
        return _rows(rows)


@dataclass(frozen=True)
class Time:
    """The number of steps to a set of configurations."""

    worst: Value
    mean: Value
    worst_start: Tuple[State, ...]
    worst_turns: Optional[Tuple[int, ...]] = None
    from_starts: Tuple[Value, ...] = field(default=(), metadata={"json": "from"})
    """From each configuration of ``starts``, in their order."""


@dataclass(frozen=True)
class Rounds:
    """The worst-case number of rounds until the goal, or between two visits."""

    worst: Optional[Value]
    """Expected rounds if ``expected``. ``None`` if there is no bound."""
    worst_start: Tuple[State, ...]
    expected: bool = False
    mean: Optional[Value] = None
    """Over all starts; ``None`` if there is no bound, and between two visits."""


@dataclass(frozen=True)
class Service:
    """The longest wait for a recurring condition or for a response, from the goal on."""

    worst: Optional[Value]
    """In steps; expected steps if ``expected``. ``None`` if there is no bound."""
    expected: bool
    start: Tuple[State, ...]
    process: Optional[int] = None
    delay: Optional[Counterexample] = None
    """An execution in which the wait has no bound."""
    rounds: Optional[Rounds] = None
    """The longest wait in rounds, with ``count_rounds``."""


@dataclass(frozen=True)
class Times:
    """The number of steps to the really safe set, and to the algorithm's own safe set, where computed."""

    to_really_safe: Optional[Time] = None
    to_own_safe: Optional[Time] = None


@dataclass(frozen=True)
class Likely:
    """The probability that a set is reached, as intervals."""

    worst: Value
    """From the worst start."""
    mean: Value
    """Over all starts."""
    from_starts: Tuple[Value, ...] = field(default=(), metadata={"json": "from"})
    """From each of the given configurations."""


@dataclass(frozen=True)
class SetReport:
    """A set that the algorithm's proof names."""

    name: str
    claim: str
    configurations: int
    closed: bool
    counterexample: Optional[Counterexample] = None


@dataclass(frozen=True)
class ClaimReport:
    """A claim besides the promise."""

    claim: str
    promise: str
    configurations: Optional[int]
    holds: bool
    counterexample: Optional[Counterexample] = None
    service: Optional[Service] = None
    """The longest wait, for the promises ``recurring`` and ``response``."""
    steps: Optional[Time] = None
    """For the promise ``eventually``: the worst-case steps to the set, if a daemon chooses and no coin is fair."""
    expected_steps: Optional[Time] = None
    """The expected steps to the set, against the worst daemon if one chooses; ``best_expected_steps`` with the best one."""
    best_expected_steps: Optional[Time] = None
    delay: Optional[Counterexample] = None
    """An execution in which the daemon delays the set without a bound."""
    least_probability: Optional[Likely] = None
    """The probability that the set is reached, if it is not 1; the least and the greatest one, if a daemon chooses."""
    greatest_probability: Optional[Likely] = None


class States:
    """How texts of local states become the user's objects."""

    def __init__(self, objects: Optional[Dict[str, State]] = None) -> None:
        self._objects = objects

    def one(self, text: str) -> State:
        return text if self._objects is None else self._objects[text]

    def all(self, texts: Sequence[str]) -> Tuple[State, ...]:
        return tuple(self.one(text) for text in texts)

    def text(self, state: State) -> str:
        """The text of a state: the inverse of ``one``."""
        if self._objects is None:
            if not isinstance(state, str):
                raise TypeError(f"a state of this algorithm is a text such as 'leader=1 bullet=0', not {state!r}")
            return state
        for text, known in self._objects.items():
            if known == state:
                return text
        raise ValueError(f"{state!r} is no state of this protocol")


def _count(number: Optional[int]) -> str:
    return "2^64 or more" if number is None else f"{number:,}"


Range = Tuple[Optional[int], Optional[int]]
"""The least and the greatest number of steps; ``None`` if it is greater than the number that was searched."""


@dataclass(frozen=True)
class Quantile:
    """The number of steps within which the goal is reached with a probability."""

    probability: float
    searched: int
    """Larger numbers of steps were not examined."""
    worst: Range
    """From every start."""
    mean: Range
    """From a start that is chosen uniformly at random."""
    from_starts: Tuple[Range, ...] = field(default=(), metadata={"json": "from"})
    """From each of the given starts."""


@dataclass(frozen=True)
class AllGraphs:
    """All graphs of a size that an algorithm can tell apart."""

    kind: str
    """``all`` (connected graphs) or ``trees``."""
    count: int
    failing: int
    """The number of graphs on which the algorithm fails."""
    told_apart_by: Tuple[str, ...]
    """``identities``, ``root`` or ``ports``: otherwise isomorphic graphs are the same."""


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """A check of an algorithm at a size."""

    algorithm: str = ""
    size: int = 0
    parameters: Dict[str, str] = field(default_factory=dict)
    scheduler: str = ""
    verdict: str = ""
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the algorithm keeps its promise."""
        return self.verdict == "holds"

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True, repr=False)
class CheckResult(Verdict):
    """A check of all configurations of a population protocol or a ring."""

    graph: str = ""
    states: int = 0
    configurations: Optional[int] = 0
    """``None`` if there are 2^64 or more; so are ``transitions`` and ``really_safe``."""
    transitions: Optional[int] = 0
    really_safe: Optional[int] = 0
    own_safe: Optional[int] = None
    own_safe_closed: Optional[bool] = None
    own_safe_really_safe: Optional[bool] = None
    own_safe_silent: Optional[bool] = None
    own_safe_reached: Optional[bool] = None
    sets: Tuple[SetReport, ...] = ()
    claims: Tuple[ClaimReport, ...] = ()
    oracle: Optional[str] = None
    fairness_level: Optional[str] = None
    coins: Optional[str] = None
    fewest_states: Optional[int] = None
    """The least number of local states of a process, if processes differ; `states` is then the largest."""
    state_classes: Optional[int] = None
    """The number of local states after merging."""
    classes: Optional[int] = None
    symmetry: Optional[str] = None
    product_states: Optional[int] = None
    steps: Optional[Times] = None
    expected_steps: Optional[Times] = None
    best_expected_steps: Optional[Times] = None
    moves: Optional[Times] = None
    """With ``count_moves``: the worst-case moves; with fair coins ``expected_moves``."""
    expected_moves: Optional[Times] = None
    rounds: Optional[Rounds] = None
    from_starts: Optional[Dict[str, Any]] = None
    """The ``condition`` on the starts of all runs, and their ``count``, if they are not arbitrary."""
    starts: Tuple[Tuple[State, ...], ...] = ()
    """The given configurations; ``from_starts`` of a time has their expected steps."""
    delay: Optional[Counterexample] = None
    """An execution in which the daemon delays the goal without a bound."""
    least_probability: Optional[Likely] = None
    """The probability of the goal, if it is not 1; the least and the greatest one, if a daemon chooses."""
    greatest_probability: Optional[Likely] = None
    within: Optional[Table] = None
    """The probability of a really safe configuration within ``t`` steps: columns ``t``, ``worst``, ``mean`` and ``from 1``, ... for the
    given starts. If a daemon chooses, these are the least ones, and ``worst max``, ... the greatest. ``json["within"]`` has certified intervals."""
    quantile: Optional[Quantile] = None
    counterexample: Optional[Counterexample] = None
    graphs: Optional[AllGraphs] = None
    """With ``graph="all"`` or ``"trees"``; ``graph`` is then the one that is shown."""

    def _repr_html_(self) -> str:
        pairs: List[Tuple[str, object]] = [
            ("size", self.size),
            ("graph", self.graph),
            ("scheduler", self.scheduler),
            ("configurations", _count(self.configurations)),
            ("really safe", _count(self.really_safe)),
        ]
        for name, times in (("steps", self.steps), ("expected steps", self.expected_steps)):
            time = times.to_really_safe if times else None
            if time is not None:
                pairs += [(f"{name}, worst case", shown(time.worst)), (f"{name}, mean", shown(time.mean))]
        if self.rounds is not None:
            worst = self.rounds.worst
            pairs.append(("rounds, worst case", "unbounded" if worst is None else shown(worst)))
        if self.quantile is not None:
            _, most = self.quantile.worst
            pairs.append((f"really safe with probability {self.quantile.probability}", f"not within {self.quantile.searched} steps" if most is None else f"within {most} steps"))
        pairs += [(f"{claim.promise}: {claim.claim}", "holds" if claim.holds else "FAILS") for claim in self.claims]
        if self.counterexample is not None:
            pairs.append(("counterexample", self.counterexample.shows))
        listed = "" if self.counterexample is None else self.counterexample._listed()
        head = f"<p>{escape(self.algorithm)}: {_badge(self.holds, self.verdict)}</p>"
        return head + _rows(pairs) + (self.svg or "") + listed


@dataclass(frozen=True)
class Property:
    """A property of every execution of an algorithm that passes messages."""

    name: str
    holds: bool


@dataclass(frozen=True, repr=False)
class MessageCheckResult(Verdict):
    """A check of all reachable states of an algorithm that passes messages, under every scheduler."""

    channels: str = ""
    properties: Tuple[Property, ...] = ()
    states: Optional[int] = None
    stored: int = 0
    undecided: int = 0
    reading: Optional[str] = None
    probability: Optional[Dict[str, Optional[Interval]]] = None
    """The probability of an election: ``min`` and ``max`` over all schedulers."""
    expected_steps: Optional[Dict[str, Optional[Interval]]] = None
    """The expected number of steps: ``min``, ``uniform`` and ``max``."""
    expected_messages: Optional[Dict[str, Optional[Interval]]] = None
    """The expected number of messages, likewise."""
    within: Optional[Table] = None
    """The probability of an election within ``t`` steps: columns ``t``, ``min``, ``uniform``, ``max``."""
    against: Optional[Table] = None
    """The same for the other value of a parameter, if ``against`` gave one."""
    not_computed: Optional[str] = None
    trace: Optional[str] = None
    """A run that breaks a property, which ``ringleader elect --replay`` plays."""

    def _repr_html_(self) -> str:
        pairs: List[Tuple[str, object]] = [(p.name, "holds" if p.holds else "FAILS") for p in self.properties]
        pairs += [("states", f"{self.states:,}" if self.states is not None else "unknown"), ("stored", f"{self.stored:,}")]
        for name, numbers in (("steps", self.expected_steps), ("messages", self.expected_messages)):
            for which, interval in (numbers or {}).items():
                pairs.append((f"expected {name}, {which}", shown(interval)))
        head = f"<p>{escape(self.algorithm)}: {_badge(self.holds, self.verdict)}</p>"
        return head + _rows(pairs) + (self.svg or "")


@dataclass(frozen=True, repr=False)
class ProveResult(Result):
    """The outcome of a search for a proof for every size."""

    algorithm: str = ""
    outcome: str = ""
    claim: Optional[str] = None
    goal: Optional[str] = None
    scheduler: Optional[str] = None
    from_size: Optional[int] = field(default=None, metadata={"json": "from"})
    measures: Tuple[str, ...] = ()
    size: Optional[int] = None
    """The size at which the algorithm fails, if it was refuted."""
    start: Tuple[str, ...] = ()
    """A configuration from which it fails."""
    holds_up_to: Optional[int] = None
    phase: Optional[str] = None
    """The phase that was interrupted."""
    certificate: Optional[str] = field(default=None)
    """The proof, which ``ringleader verify`` checks independently."""

    @property
    def proved(self) -> bool:
        """Whether a proof was found, and accepted by the independent checker."""
        return self.outcome == "proved"

    def __bool__(self) -> bool:
        return self.proved

    def __repr__(self) -> str:
        return f"{self.outcome}: {self._about}"

    @property
    def _about(self) -> str:
        start = f", from {', '.join(self.start)}" if self.start else ""
        fails = f" fails with {self.size} agents{start}; check({self.size}) shows how" if self.size is not None else ""
        return f"{self.claim or self.algorithm}{fails}"

    def save_certificate(self, path: Union[str, Path]) -> None:
        """Writes the proof: ``ringleader verify FILE`` checks it."""
        _write(path, self.certificate, "there is no proof")

    def _repr_html_(self) -> str:
        pairs: List[Tuple[str, object]] = [(name, said) for name, said in (("goal", self.goal), ("scheduler", self.scheduler)) if said]
        pairs += [(f"measure {i}", measure) for i, measure in enumerate(self.measures, 1)]
        return f"<p>{_badge(self.proved, self.outcome)}: {escape(self._about)}</p>" + _rows(pairs)


@dataclass(frozen=True)
class FoundProtocol:
    """A protocol that a search found."""

    text: str = field(repr=False)
    """Its text, for :meth:`Protocol.from_text`."""
    states: Tuple[str, ...] = ()
    leaders: Tuple[str, ...] = ()
    times: Dict[int, Value] = field(default_factory=dict)
    """The worst-case expected steps, by size."""
    names: int = 0

    def _repr_html_(self) -> str:
        times = [(f"worst case, n = {size}", shown(time)) for size, time in self.times.items()]
        return _rows([("leader states", ", ".join(self.leaders)), *times]) + f"<pre>{escape(self.text)}</pre>"


@dataclass(frozen=True, repr=False)
class SearchResult(Result):
    """All protocols of a family that elect a leader, the fastest first."""

    complete: bool = False
    fastest_only: bool = False
    share: float = 0.0
    looked_at: int = 0
    protocols: int = 0
    named: int = 0
    seconds: float = 0.0
    found: Tuple[FoundProtocol, ...] = ()

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, at: int) -> FoundProtocol:
        return self.found[at]
