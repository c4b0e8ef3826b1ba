"""Protocols whose rule is a Python function: the function is called once per pair of states, or per neighbourhood, and fills a table."""

from __future__ import annotations

import array
import dataclasses
import enum
import itertools
import math
import re
from fractions import Fraction
from typing import Any, Callable, Dict, Hashable, Iterable, List, Optional, Sequence, Tuple, Union

from . import _engine

State = Hashable
"""A local state: a text, a number, a tuple, a member of an enum, or a frozen dataclass."""

Goal = Union[str, Callable[[Tuple[Any, ...]], bool]]
"""``one-leader``, ``one-token``, or a function of a configuration."""

MOST_CONFIGURATIONS = 1 << 22
"""The most configurations over which functions are called."""

_LEADER, _TOKEN = 1, 2


def product(**variables: Iterable[Any]) -> List[Any]:
    """All states of some variables, as named tuples.

    >>> product(leader=[False, True], bullet=range(2))[1]
    State(leader=False, bullet=1)
    """
    from collections import namedtuple

    kind = namedtuple("State", list(variables))  # type: ignore[misc]
    return [kind(*values) for values in itertools.product(*variables.values())]


def _list(states: Any) -> List[State]:
    listed = list(states)
    if not listed:
        raise ValueError("a protocol has at least one state")
    for state in listed:
        if state is None:
            raise ValueError("None is no state: a rule returns it if nothing changes")
        try:
            hash(state)
        except TypeError:
            raise TypeError(
                f"the state {state!r} is not hashable: use tuples, enums, or dataclasses with frozen=True"
            ) from None
    if len(set(listed)) != len(listed):
        twice = next(state for at, state in enumerate(listed) if state in listed[:at])
        raise ValueError(f"the state {twice!r} is listed twice")
    if len(listed) > 1 << 16:
        raise ValueError(f"{len(listed)} states: a table has at most 65536")
    return listed


def _text(state: State) -> str:
    if isinstance(state, enum.Enum):
        return state.name
    if dataclasses.is_dataclass(state) and not isinstance(state, type):
        return ",".join(f"{f.name}:{_text(getattr(state, f.name))}" for f in dataclasses.fields(state))
    if isinstance(state, tuple):
        names = getattr(state, "_fields", None)
        parts = [_text(part) for part in state]
        return ",".join(f"{n}:{p}" for n, p in zip(names, parts)) if names else ",".join(parts)
    if isinstance(state, bool):
        return str(int(state))
    return str(state)


def _words(states: Sequence[State]) -> List[str]:
    """A name for each state, without spaces and equal signs, which files of configurations could not hold."""
    words: List[str] = []
    taken = set()
    for state in states:
        word = re.sub(r"[^\w.,:+*/-]+", "_", _text(state)) or "_"
        if word in taken:
            word = next(w for w in (f"{word}.{k}" for k in itertools.count(2)) if w not in taken)
        taken.add(word)
        words.append(word)
    return words


def _weights(weights: Sequence[Any]) -> List[int]:
    """Whole numbers in the same proportions."""
    exact = []
    floats = any(isinstance(weight, float) for weight in weights)
    if any(isinstance(weight, float) and not math.isfinite(weight) for weight in weights):
        raise ValueError(f"the weights are {list(weights)}: they must be finite")
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, (int, float, Fraction)):
            raise TypeError(f"a weight is a number, not {weight!r}")
        # 1/3 as a float is not a third: the nearest simple fraction is meant.
        part = Fraction(weight).limit_denominator(10**6) if isinstance(weight, float) else Fraction(weight)
        if part < 0:
            raise ValueError(f"a weight is not negative: {weight!r}")
        if part == 0 and weight > 0:
            raise ValueError(f"a float is rounded to a millionth, so the weight {weight!r} would vanish: give a Fraction or whole numbers")
        exact.append(part)
    if sum(exact) == 0:
        raise ValueError("the weights of an outcome sum to 0")
    # Whole numbers are ratios; other numbers are probabilities.
    whole = all(part.denominator == 1 for part in exact) and not floats
    if not whole and (abs(sum(weights) - 1) > 1e-6 if floats else sum(exact) != 1):
        raise ValueError(f"the probabilities {', '.join(map(str, weights))} sum to {sum(weights)}, not to 1; whole numbers are ratios")
    common = math.lcm(*(part.denominator for part in exact))
    ratios = [int(part * common) for part in exact]
    shared = math.gcd(*ratios)
    ratios = [number // shared for number in ratios]
    if sum(ratios) >= 1 << 20:
        raise ValueError(f"the weights have the common denominator {sum(ratios)}: it must be less than 2^20")
    return ratios


class Table:
    """The table of a rule, and the functions of configurations, which fill bits for one size at a time."""

    def __init__(
        self,
        states: Sequence[State],
        goal: Optional[Callable[[Tuple[Any, ...]], bool]],
        safe: Optional[Callable[[Tuple[Any, ...]], bool]],
    ) -> None:
        self.states = list(states)
        self.number = {state: at for at, state in enumerate(self.states)}
        self.words = _words(self.states)
        self.objects = {f"state={word}": state for word, state in zip(self.words, self.states)}
        self._goal, self._safe = goal, safe
        self._filled: set[int] = set()
        self.calls = 0
        self.most_agents = 1 << 24
        """Where every agent is kept in memory; populations on complete graphs are counted by state."""

    @property
    def has_functions_of_configurations(self) -> bool:
        return self._goal is not None or self._safe is not None

    def prepare(self, algorithm: _engine.Algorithm, size: int) -> None:
        """Calls the functions once for every configuration of a size."""
        if not self.has_functions_of_configurations or size in self._filled:
            return
        count = len(self.states) ** size
        if count > MOST_CONFIGURATIONS:
            raise ValueError(
                f"{len(self.states)} states for each of {size} agents make {count:.3g} configurations, and the goal and the safe set "
                f"are functions, which are called for each: at most {MOST_CONFIGURATIONS:,}. Choose a smaller size, or give the goal "
                "by name (one-leader, one-token) and leave safe out"
            )

        def bits(function: Optional[Callable[[Tuple[Any, ...]], bool]]) -> Optional[bytes]:
            # A loop in Python, so that Ctrl-C ends it even if the function is written in C.
            return None if function is None else bytes([1 if function(c) else 0 for c in itertools.product(self.states, repeat=size)])

        algorithm.fill(size, bits(self._goal), bits(self._safe))
        self._filled.add(size)

    def state(self, state: Any, what: str) -> int:
        """The number of a state that a rule returned."""
        try:
            return self.number[state]
        except (KeyError, TypeError):
            raise ValueError(f"{what}: {state!r} is not one of the {len(self.states)} states") from None

    def outcomes(self, result: Any, read: Callable[[Any], Tuple[int, int]], seen: Tuple[Any, ...]) -> List[Tuple[int, int, int]]:
        """What a rule returned for the states it has seen: one outcome, or a dictionary of outcomes and their weights."""
        self.calls += 1
        if isinstance(result, dict):
            if not result:
                raise ValueError(f"the rule for {seen!r} returned no outcome")
            try:
                weights = _weights(list(result.values()))
            except (TypeError, ValueError) as wrong:
                raise type(wrong)(f"the rule for {seen!r}: {wrong}") from None
            return [(*read(outcome), weight) for outcome, weight in zip(result, weights) if weight > 0]
        return [(*read(result), 1)]


def _goal(goal: Goal) -> Tuple[str, Optional[Callable[[Tuple[Any, ...]], bool]]]:
    if callable(goal):
        name = getattr(goal, "__name__", "")
        said = (getattr(goal, "__doc__", None) or "").strip().splitlines()
        return (said[0] if said else name if name and name != "<lambda>" else "the goal holds", goal)
    if goal not in ("one-leader", "one-token"):
        raise ValueError(f"no goal is called {goal!r}: there are one-leader and one-token; or give a function of a configuration")
    return (goal, None)


def _called(rule: Callable[..., Any], arguments: Tuple[Any, ...]) -> Any:
    """Calls a rule; its own exception says for which states."""
    try:
        return rule(*arguments)
    except Exception as raised:
        if hasattr(raised, "add_note"):
            raised.add_note(f"the rule was called for {arguments!r}")
        raise


def _functions(**given: Any) -> None:
    """Refuses a state, a set or another object where a function is expected."""
    for name, function in given.items():
        if function is not None and not callable(function):
            raise TypeError(f"{name}={function!r}: give a function, such as lambda state: state == ...")


def _marks_fit(goal: Goal, leader: Any, token: Any) -> None:
    """Refuses a goal that no configuration can meet."""
    for named, mark, given in (("one-leader", "leader", leader), ("one-token", "token", token)):
        if goal == named and given is None:
            raise ValueError(f"the goal {named} needs {mark}=, a function that says which states output it")


def _marked(function: Optional[Callable[..., bool]], mark: int, arguments: Tuple[Any, ...]) -> int:
    return mark if function is not None and function(*arguments) else 0


def _summary(rule: Callable[..., Any]) -> str:
    said = (rule.__doc__ or "").strip().splitlines()
    return said[0] if said else "a rule written in Python"


@dataclasses.dataclass(frozen=True)
class Described:
    """What the user says of a protocol, whatever its model."""

    states: Iterable[Any]
    rule: Callable[..., Any]
    leader: Optional[Callable[[Any], bool]]
    token: Any
    goal: Goal
    safe: Optional[Callable[[Tuple[Any, ...]], bool]]
    scheduler: str
    name: Optional[str]
    default_size: int


def population(described: Described, graph: str, detector: bool) -> Tuple[_engine.Algorithm, Table]:
    """Calls the rule once per pair of states (and answer of the detector)."""
    rule, leader, token = described.rule, described.leader, described.token
    _functions(rule=rule, leader=leader, token=token, safe=described.safe)
    if not isinstance(graph, str):
        raise TypeError("graph is the family of graphs by name: complete, ring, undirected-ring or any; a verb takes a graph of arcs")
    said, function = _goal(described.goal)
    table = Table(_list(described.states), function, described.safe)
    starts = [0]
    outcomes: List[Tuple[int, int, int]] = []
    told = [((x, y),) for x in (False, True) for y in (False, True)] if detector else [()]
    for context in told:
        for (i, a), (j, b) in itertools.product(enumerate(table.states), repeat=2):
            result = _called(rule, (a, b, *context))

            def read(outcome: Any, i: int = i, j: int = j, a: Any = a, b: Any = b) -> Tuple[int, int]:
                if outcome is None:
                    return (i, j)
                if not isinstance(outcome, tuple) or len(outcome) != 2:
                    raise TypeError(
                        f"the rule returned {outcome!r} for {a!r} and {b!r}: it returns the pair of new states, None if nothing changes, "
                        "or a dictionary of pairs and their weights"
                    )
                what = f"the rule for {a!r} and {b!r}"
                return (table.state(outcome[0], what), table.state(outcome[1], what))

            outcomes += table.outcomes(result, read, (a, b))
            starts.append(len(outcomes))
    _marks_fit(described.goal, leader, token)
    if graph == "complete":
        table.most_agents = 1 << 30
    marks = [_marked(leader, _LEADER, (s,)) | _marked(token, _TOKEN, (s,)) for s in table.states]
    return _made(table, described, said, marks, starts, outcomes, graph=graph, hears=detector)


def ring(described: Described, bottom: Optional[Callable[..., Any]], reads: str) -> Tuple[_engine.Algorithm, Table]:
    """Calls the rule once per neighbourhood: the left neighbour and the process, or both neighbours and the process."""
    rule, leader, token = described.rule, described.leader, described.token
    if reads not in ("left", "both"):
        raise ValueError(f"reads={reads!r}: a process reads left, or both neighbours")
    if isinstance(token, str) and token != "enabled":
        raise ValueError(f"token={token!r}: it is a function of the neighbourhood, or enabled")
    _functions(rule=rule, bottom=bottom, leader=leader, token=None if isinstance(token, str) else token, safe=described.safe)
    said, function = _goal(described.goal)
    table = Table(_list(described.states), function, described.safe)
    starts = [0]
    outcomes: List[Tuple[int, int, int]] = []
    marks: List[int] = []
    for place in ("bottom", "other", "top"):
        act = bottom if place == "bottom" and bottom is not None else rule
        if place == "top" or (place == "other" and bottom is None):
            # Only process 0 may have a rule of its own: the table of the others is the same.
            cells = len(starts) - 1
            cells = cells // 2 if place == "top" else cells
            first = starts[-1 - cells]
            block = outcomes[first:]
            starts += [start + len(outcomes) - first for start in starts[-cells:]]
            outcomes += block
            marks += marks[-cells:]
            continue
        for seen in itertools.product(enumerate(table.states), repeat=2 if reads == "left" else 3):
            arguments = tuple(state for _, state in seen)
            left, own = seen[0][0], seen[1][0]

            def read(outcome: Any, left: int = left, own: int = own, seen: Any = arguments) -> Tuple[int, int]:
                return (left, own if outcome is None else table.state(outcome, f"the rule for {seen!r}"))

            cell = table.outcomes(_called(act, arguments), read, arguments)
            outcomes += cell
            starts.append(len(outcomes))
            mark = _marked(leader, _LEADER, (arguments[1],))
            if token == "enabled":
                mark |= _TOKEN if any(after != own for _, after, _ in cell) else 0
            elif callable(token):
                mark |= _marked(token, _TOKEN, arguments)
            marks.append(mark)
    _marks_fit(described.goal, leader, token)
    return _made(table, described, said, marks, starts, outcomes, ring=True, both=reads == "both")


def _made(
    table: Table, described: Described, goal: str, marks: List[int], starts: List[int], outcomes: List[Tuple[int, int, int]], **model: Any
) -> Tuple[_engine.Algorithm, Table]:
    """The algorithm of a table; `model` has what only one model has."""
    name, default_size = described.name, described.default_size
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name={name!r}: give a text")
    if not isinstance(default_size, int) or not 1 <= default_size < 1 << 30:
        raise ValueError(f"default_size={default_size!r}: give a number of agents, from 1")
    called = name if name is not None else getattr(described.rule, "__name__", "")
    if name is None and not re.fullmatch(r"[^\W_][\w.-]*", called):
        called = "mine"
    asked: Dict[str, Any] = {
        "name": called.replace("_", "-") if name is None else called,
        "summary": _summary(described.rule),
        "scheduler": described.scheduler,
        "default_size": default_size,
        "words": table.words,
        "marks": bytes(marks),
        "starts": array.array("I", starts).tobytes(),
        "outcomes": array.array("I", itertools.chain.from_iterable(outcomes)).tobytes(),
        "goal": goal,
        "decided": (goal not in ("one-leader", "one-token"), described.safe is not None),
        **{"ring": False, "graph": "", "both": False, "hears": False, **model},
    }
    return _engine.Algorithm.by_table(asked), table
