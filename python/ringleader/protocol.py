"""Protocols: by name, from text, or from Python functions; and what can be done with them."""

from __future__ import annotations

import functools
import inspect
import json
import numbers
import warnings
from html import escape
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _engine, _read, _work, results, rules
from ._work import Graph, Progress
from .matrices import Chain, ExploreResult, chain_of
from .errors import Interrupted
from .experiments import ElectResult, SimulateResult
from .results import ProveResult, SearchResult, States

T = TypeVar("T")
_MOST_ROWS = 1_000_000
_NETWORK = "system adversary crash restart partition eventually contents horizon links_over_time".split()

Sizes = Union[int, Iterable[int]]
"""One size, or several."""


def algorithms() -> List[str]:
    """The names of all algorithms that come with the package.

    >>> "yokota-ring" in algorithms()
    True
    """
    return _engine.names()


Start = Union[str, Sequence[Any]]
"""A start: a configuration as a tuple of states, a name such as ``clean``, or the text of a configuration (docs/files.md)."""


def _several(option: str, texts: Any) -> List[Any]:
    """A list of texts or configurations; one text alone is a slip."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise TypeError(f"{option} is a list: write {option}=[{texts!r}]")
    return list(texts)


def _runs(sizes: Sequence[int]) -> None:
    """Refuses sizes that no run can have."""
    for size in sizes:
        if size > 1 << 30:
            raise ValueError(f"size={size}: a run has at most 2^30 agents")


def _parameter(option: str, given: Any, example: object) -> Tuple[str, Any]:
    """A pair of the name of a parameter and a value, or several."""
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[0], str):
        raise TypeError(f"{option}={given!r}: give the name of a parameter and {example!r}, or other values, as a pair")
    return (given[0], given[1])


class Protocol:
    """An algorithm with its parameters and layers. It is immutable; every verb is a method.

    >>> Protocol("fischer-jiang-complete").check(4).verdict
    'holds'
    >>> Protocol("yokota-ring", bound=8).parameters
    {'bound': '8'}

    ``layers`` wrap it: ``undirected``, ``distance``, ``timer``, ``alternator``, ``read-write``. ``oracle`` is the leader detector, for algorithms that ask
    one: ``perfect``, ``delayed:STEPS``, ``adversarial:STEPS`` (``simulate`` and ``elect``) or ``eventually-correct`` (``check`` and
    ``prove``).
    """

    def __init__(
        self,
        name: str,
        *,
        layers: Union[str, Sequence[str]] = (),
        oracle: Optional[str] = None,
        **parameters: Any,
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of an algorithm is a text, not {type(name).__name__}; Protocol.population takes functions")
        self._source: Tuple[str, Optional[str]] = (name, None)
        self._build(_engine.Algorithm.by_name(name), layers, oracle, parameters)

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._table is not None:
            raise TypeError("a protocol made of Python functions cannot be pickled: make it where it is used")
        return (_again, (self._source, self._layers, self._oracle, self._parameters))

    def _build(
        self,
        algorithm: _engine.Algorithm,
        layers: Union[str, Sequence[str]],
        oracle: Optional[str],
        parameters: Dict[str, Any],
        table: Optional[rules.Table] = None,
    ) -> "Protocol":
        self._algorithm = algorithm
        self._layers = [layers] if isinstance(layers, str) else list(layers)
        self._oracle = oracle
        self._parameters = dict(parameters)
        self._table = table
        self._card: Optional[Dict[str, Any]] = None
        self._states = States(table.objects if table is not None else None)
        return self

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        file: str = "protocol.ring",
        layers: Union[str, Sequence[str]] = (),
        oracle: Optional[str] = None,
        **parameters: Any,
    ) -> "Protocol":
        """A protocol in the text language (docs/language.md); ``file`` is its name in messages.

        >>> duel = Protocol.from_text('''
        ... protocol duel
        ... model population on complete
        ... state lead : bit
        ... show leader when lead = 1
        ... first:
        ...   1: l.lead = 1 and r.lead = 1 -> r.lead := 0
        ... goal one leader
        ... ''')
        >>> duel.check(3).holds  # without a leader there will never be one
        False
        """
        made = cls.__new__(cls)._build(_engine.Algorithm.by_text(text, file), layers, oracle, parameters)
        made._source = (text, file)
        return made

    @classmethod
    def load(
        cls,
        path: Union[str, Path],
        *,
        layers: Union[str, Sequence[str]] = (),
        oracle: Optional[str] = None,
        **parameters: Any,
    ) -> "Protocol":
        """The protocol in a file of the text language."""
        text = Path(path).read_text(encoding="utf-8")
        return cls.from_text(text, file=str(path), layers=layers, oracle=oracle, **parameters)

    @classmethod
    def population(
        cls,
        states: Iterable[Any],
        rule: Callable[..., Any],
        *,
        leader: Optional[Callable[[Any], bool]] = None,
        token: Optional[Callable[[Any], bool]] = None,
        graph: str = "complete",
        goal: rules.Goal = "one-leader",
        safe: Optional[Callable[[Tuple[Any, ...]], bool]] = None,
        detector: bool = False,
        scheduler: str = "random",
        name: Optional[str] = None,
        default_size: int = 4,
    ) -> "Protocol":
        """A population protocol whose rule is a Python function of two states, called once per pair.

        The rule returns the pair of new states; ``None`` if nothing changes; or, where coins decide, a dictionary of pairs and their
        weights. ``states`` are any hashable objects: texts, numbers, tuples, an enum, frozen dataclasses; :func:`product` makes all states of
        some variables. ``leader`` and ``token`` say which states output that. ``graph`` is ``complete``, ``ring``, ``undirected-ring`` or
        ``any``. The weights of a dictionary are whole numbers, or fractions and floats that sum to 1. ``goal`` and ``safe`` may be functions of a configuration (a tuple of states), for small sizes. With ``detector``, the rule gets
        a third argument: the pair of answers of the leader detector.

        >>> def rank(a, b):
        ...     "Equal ranks meet, one takes the next."
        ...     return (a, (b + 1) % 3) if a == b else None
        >>> ranks = Protocol.population(range(3), rank, leader=lambda r: r == 0)
        >>> ranks.check(3).expected_steps.to_really_safe.worst
        Fraction(7, 1)
        """
        described = rules.Described(states, rule, leader, token, goal, safe, scheduler, name, default_size)
        algorithm, table = rules.population(described, graph, detector)
        return cls.__new__(cls)._build(algorithm, (), None, {}, table)

    @classmethod
    def ring(
        cls,
        states: Iterable[Any],
        rule: Callable[..., Any],
        *,
        bottom: Optional[Callable[..., Any]] = None,
        reads: str = "left",
        leader: Optional[Callable[[Any], bool]] = None,
        token: Union[None, str, Callable[..., bool]] = None,
        goal: rules.Goal = "one-leader",
        safe: Optional[Callable[[Tuple[Any, ...]], bool]] = None,
        scheduler: str = "unfair",
        name: Optional[str] = None,
        default_size: int = 4,
    ) -> "Protocol":
        """An algorithm for a ring of processes, whose rule is a Python function, called once per neighbourhood.

        The rule gets the states of the left neighbour and of the process (with ``reads="both"`` also of the right neighbour) and returns the
        new state of the process; ``None`` if it stays; or a dictionary of states and their weights. ``bottom`` is the rule of process 0, if it
        has one of its own. ``token`` is a function of the same arguments, or ``"enabled"``: a process that can move has the token.

        >>> dijkstra = Protocol.ring(
        ...     range(4),
        ...     lambda left, own: left,
        ...     bottom=lambda left, own: (own + 1) % 4 if left == own else own,
        ...     token="enabled",
        ...     goal="one-token",
        ...     name="dijkstra",
        ... )
        >>> dijkstra.check(4).holds, dijkstra.check(6).holds
        (True, False)
        """
        described = rules.Described(states, rule, leader, token, goal, safe, scheduler, name, default_size)
        algorithm, table = rules.ring(described, bottom, reads)
        return cls.__new__(cls)._build(algorithm, (), None, {}, table)

    @property
    def name(self) -> str:
        """The name."""
        return self._algorithm.name

    @property
    def card(self) -> Dict[str, Any]:
        """The card: summary, citation, claim, topology, parameters, ..."""
        if self._card is None:
            self._card = json.loads(self._algorithm.card)
        assert self._card is not None
        return dict(self._card)

    @property
    def parameters(self) -> Dict[str, str]:
        """The given parameters."""
        return dict(_work.words(self._parameters))

    @property
    def bibtex(self) -> str:
        """The citation as a BibTeX entry.

        >>> print(Protocol("chang-roberts").bibtex.splitlines()[0])
        @article{chang1979,
        """
        entry = self._algorithm.bibtex
        if entry is None:
            raise ValueError(f"the card of {self.name} names no paper")
        return entry

    def __repr__(self) -> str:
        given = "".join(f", {name}={value}" for name, value in self.parameters.items())
        layers = f", layers={self._layers}" if self._layers else ""
        return f"Protocol({self.name!r}{given}{layers})"

    def _repr_html_(self) -> str:
        card = self.card
        pairs = [(key, card[key]) for key in ("claim", "model", "topology", "sizes", "assumes", "states", "citation") if card[key]]
        return f"<p><b>{escape(self.name)}</b>: {escape(card['summary'])}</p>" + results._rows(pairs)

    def supports(self, size: int) -> bool:
        """Whether the algorithm's paper claims that it is right at this size."""
        return self._algorithm.supports(size, self._setup()) is None

    def _setup(self, **changed: Any) -> Tuple[List[Tuple[str, str]], List[str], Optional[str]]:
        return (_work.words({**self._parameters, **changed}), list(self._layers), self._oracle)

    def _start(self, start: Start) -> str:
        """A start as the engine takes it: a name, or the text of a configuration."""
        if isinstance(start, str):
            return start
        if not isinstance(start, Iterable):
            raise TypeError(f"start={start!r}: give a configuration as a tuple of states, or a name such as 'clean'")
        texts = [self._states.text(state) for state in start]
        parameters = [f"parameter {name} {word}" for name, word in self.parameters.items()]
        agents = [f"agent {at}: {text}" for at, text in enumerate(texts)]
        lines = ["ringleader configuration 1", f"algorithm {self.name}", f"size {len(texts)}", *parameters, *agents]
        return "\n".join(lines) + "\n"

    def _condition(self, start: Union[None, str, Mapping[Any, int]], size: int) -> Optional[str]:
        """The starts of all runs as a condition of the text language."""
        if start is None or isinstance(start, str):
            return start
        if not isinstance(start, Mapping):
            raise TypeError(f"start={start!r}: give a condition, or a dictionary of states and numbers of agents; starts takes configurations")
        for state, count in start.items():
            _work.whole(f"start: {state!r}", count)
        if sum(start.values()) != size:
            raise ValueError(f"start has {sum(start.values())} agents, and the size is {size}")

        def is_in(state: Any) -> str:
            pairs = (pair.split("=", 1) for pair in self._states.text(state).split(" "))
            return " and ".join(f"{name}[i] = {word}" for name, word in pairs)

        return " and ".join(f"(count i : {is_in(state)}) = {count}" for state, count in start.items())

    def _ready(self, *sizes: int) -> None:
        """Fills the sets that Python functions define, for these sizes."""
        for size in sizes:
            if not isinstance(size, numbers.Integral) or isinstance(size, bool):
                raise TypeError(f"the size is an integer, not {type(size).__name__}")
            if size < 1:
                raise ValueError(f"size={size}: there is at least one agent")
            if size >= 1 << 63:
                raise ValueError(f"size={size}: no engine takes so many agents")
            if self._table is not None:
                if size > self._table.most_agents:
                    raise ValueError(f"size={size}: a protocol made of functions takes at most 2^24 agents on this graph")
                self._table.prepare(self._algorithm, size)

    def check(
        self,
        size: int,
        *,
        scheduler: Optional[str] = None,
        graph: Optional[Graph] = None,
        fairness_level: Optional[str] = None,
        coins: Optional[str] = None,
        symmetry: bool = True,
        merge: bool = True,
        goal_only: bool = False,
        count_rounds: bool = False,
        count_moves: bool = False,
        start: Union[None, str, Mapping[Any, int]] = None,
        starts: Sequence[Start] = (),
        invariants: Sequence[str] = (),
        eventually: Sequence[str] = (),
        recurring: Sequence[str] = (),
        response: Sequence[str] = (),
        channels: Optional[str] = None,
        reading: Optional[str] = None,
        within: Optional[int] = None,
        quantile: Optional[float] = None,
        against: Optional[Tuple[str, Any]] = None,
        width: Optional[float] = None,
        memory: Optional[float] = None,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> Any:
        """Checks every configuration and every schedule of a class: a verdict, exact times, or a counterexample.

        Returns a :class:`CheckResult`; for an algorithm that passes messages, a :class:`MessageCheckResult`.

        =================== ==========================================================================================================
        ``scheduler``       ``random``, ``globally-fair``, ``locally-fair``, ``fair``, ``unfair``, ``alternating``, ``synchronous``,
                            ``distributed``, ``locally-central``, ``random-partner`` or ``fair-random-partner``; by default the algorithm's own
        ``graph``           a family such as ``"star"`` or ``"grid:3x4"``, a list of arcs, or a graph of networkx. ``"all"`` and ``"trees"``:
                            every connected graph, every tree, of this size. The result is that of the first graph on which the
                            algorithm fails, or of the one on which it takes longest, and ``graphs`` counts them
        ``fairness_level``  the actions of ``locally-fair``: ``transition`` (the definition), ``rule`` or ``arc``
        ``coins``           under a daemon that chooses: ``fair`` (the default; the goal is reached with probability 1 against every
                            daemon) or ``adversarial`` (the daemon chooses the outcomes, too)
        ``symmetry``        ``False`` checks every configuration, not one of each class
        ``merge``           ``False`` distinguishes all local states, even if neither the question nor any rule does
        ``goal_only``       checks the goal only, and not the sets of the algorithm's proof
        ``count_rounds``    also counts the worst-case rounds of processes, under random or a daemon
        ``count_moves``     also counts the worst-case moves, where several processes step at once
        ``start``           the starts of all runs, if not every configuration: a condition such as ``"all i : leader[i]"``, or the number of
                            agents in each state: ``{"A": 3, "B": 2}``. Then the verdict is about runs from there only, and is no claim of
                            self-stabilization. ``"arbitrary"`` overrides the ``start = ...`` of a text
        ``starts``          configurations whose expected steps are computed, too: tuples of states, ``"clean"``, or texts
        ``invariants``      claims in the text language: no step leads out of the set where this holds
        ``eventually``      every execution reaches a configuration where this holds
        ``recurring``       in every execution this holds infinitely often, for every process ``i``: ``"token[i]"``
        ``response``        a condition is always followed by another: ``"x[i] = 0 leads to x[i] = 1"``
        ``within``          the probability of the goal within 0, 1, ... so many steps: from the worst start, and the mean over all
        ``quantile``        the number of steps within which the goal is reached with this probability, such as 0.99
        ``width``           the relative width of intervals, where a time is not computed exactly
        ``memory``          the most memory, in GiB
        ``threads``         the number of threads; by default one per core
        =================== ==========================================================================================================

        For algorithms that pass messages: ``channels`` (``bag`` or ``fifo``), ``reading``, and
        ``against=("variant", "b")``, the same for another value of a parameter. An algorithm with identities is checked in every order of
        them up to rotation, unless the parameter ``identities`` gives one.

        >>> result = Protocol("fischer-jiang-complete").check(3)
        >>> result.expected_steps.to_really_safe.worst
        Fraction(4, 1)
        >>> result = Protocol("gouda-haddix").check(3, scheduler="fair", recurring=["token[i]"])
        >>> result.claims[0].holds, result.claims[0].service.worst
        (True, 11)
        >>> result = Protocol("independent-set").check(4, graph="all")
        >>> result.holds, result.graphs.count, result.graphs.failing, result.steps.to_really_safe.worst
        (True, 6, 0, 5)
        """
        self._ready(size)
        if width is not None and not width > 0:
            raise ValueError(f"width={width}: give a positive number")
        if quantile is not None and not 0 < quantile <= 1:
            raise ValueError(f"quantile={quantile}: give a probability, greater than 0 and at most 1")
        _work.whole("within", within)
        asked = {
            **locals(),
            "setup": self._setup(),
            "graph": _work.graph(graph, size),
            "start": self._condition(start, size),
            "starts": [self._start(given) for given in _several("starts", starts)],
            "invariants": _several("invariants", invariants),
            "eventually": _several("eventually", eventually),
            "recurring": _several("recurring", recurring),
            "response": _several("response", response),
            "memory": _work.memory(memory),
            "against": None if against is None else _work.words(dict([_parameter("against", against, "b")]))[0],
        }
        found = _work.call(_engine.check, self._algorithm, asked, progress=progress)
        data = _work.data(found)
        return _work.unless_interrupted(found, _read.check(data, found, self._states) if "verdict" in data else data)

    def explore(
        self,
        size: int,
        *,
        scheduler: Optional[str] = None,
        graph: Optional[Graph] = None,
        rotation: bool = False,
        confluence: bool = False,
        channels: Optional[str] = None,
        reading: Optional[str] = None,
        minimize: Optional[str] = None,
        visible: Optional[str] = None,
        compact: Optional[bool] = None,
        verify: bool = False,
        memory: Optional[float] = None,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> ExploreResult:
        """Counts all configurations, or all reachable states of an algorithm that passes messages.

        >>> Protocol("fischer-jiang-ring").explore(3).configurations
        512
        """
        asked = self._exploration(locals())
        found, _ = _work.call(_engine.explore, self._algorithm, asked, progress=progress)
        data = _work.unless_interrupted(found, _work.data(found))
        return _read.result(ExploreResult, data, found, _make=functools.partial(self._chain, asked, progress))

    def chain(
        self,
        size: int,
        *,
        scheduler: Optional[str] = None,
        graph: Optional[Graph] = None,
        rotation: bool = False,
        channels: Optional[str] = None,
        reading: Optional[str] = None,
        memory: Optional[float] = None,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> Chain:
        """The Markov chain (scheduler ``random``) or decision process (daemons, and message passing) as sparse matrices.

        The default scheduler is that of ``check``, without its fairness, which no decision process expresses.
        """
        return self._chain(self._exploration(locals()), progress)

    def _exploration(self, options: Dict[str, Any]) -> Dict[str, Any]:
        """The options of an exploration; a chain has fewer."""
        size = options["size"]
        self._ready(size)
        graph, memory = _work.graph(options["graph"], size), _work.memory(options["memory"])
        fewer = {"confluence": False, "minimize": None, "visible": None, "compact": None, "verify": False, "columns": False}
        return {**fewer, **options, "setup": self._setup(), "graph": graph, "memory": memory}

    def _chain(self, asked: Dict[str, Any], progress: Progress) -> Chain:
        found, matrices = _work.call(_engine.explore, self._algorithm, {**asked, "columns": True}, progress=progress)
        if matrices is None:
            _work.unless_interrupted(found, _work.data(found))
            raise RuntimeError("the exploration ended without a result")
        try:
            return chain_of(matrices, self.name, self._states)
        except KeyboardInterrupt:
            known = {"phase": "reading the configurations", "done": 0, "known": [f"{matrices.states} states"]}
            raise Interrupted(known) from None

    def simulate(
        self,
        size: Optional[Sizes] = None,
        *,
        runs: int = 100,
        seed: Optional[int] = None,
        start: Optional[Start] = None,
        scheduler: Optional[str] = None,
        graph: Optional[Graph] = None,
        corrupt: Union[None, int, Sequence[int]] = None,
        repeat: int = 1,
        at: Optional[int] = None,
        within: Optional[int] = None,
        limit: Optional[int] = None,
        kernel: str = "auto",
        vary: Optional[Tuple[str, Sequence[Any]]] = None,
        system: Optional[str] = None,
        adversary: Optional[str] = None,
        crash: int = 0,
        restart: int = 0,
        partition: bool = False,
        eventually: bool = False,
        contents: Optional[str] = None,
        horizon: Optional[int] = None,
        links_over_time: bool = False,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> SimulateResult:
        """Runs many elections and measures how their time grows.

        ``size`` is one size or several. At one size, ``corrupt`` may be a list, or ``vary=("bound", [8, 16, 32])`` varies a parameter. The
        same seed gives the same runs as ``ringleader simulate``.

        >>> result = Protocol("fischer-jiang-complete").simulate([8, 16], runs=20, seed=1, start="all-leaders")
        >>> len(result.runs), result.reached
        (40, True)

        A loosely stabilizing algorithm gives a :class:`LooseResult`: each run is watched for ``limit`` steps, and the leader may be lost again.

        A run ends when the goal is reached for good: in the safe set of the algorithm's proof, or of ``safe``. Without a safe set it ends when
        the goal is met for the first time, and the goal may be lost later; ``check`` tells. Without ``limit``, a run that never reaches its goal
        does not end.

        A robust algorithm gives a :class:`NetworkResult`: it runs in random instances of a ``system`` (``s0`` to ``s5``) or against an
        ``adversary``, with processes that ``crash`` and ``restart``, a ``partition``, links that are timely only ``eventually``, and variables
        and links with the ``contents`` ``arbitrary``, ``clean``, ``low``, ``high`` or ``extremes``. ``horizon`` is the longest time to settle.

        >>> Protocol("robust-s5").simulate(4, runs=5, seed=1, crash=1).reached
        True
        """
        if isinstance(size, (str, float)):
            raise TypeError(f"size={size!r}: give an integer, or several")
        sizes = [self.card["default_size"]] if size is None else list(size) if isinstance(size, Iterable) else [size]
        if not sizes:
            raise ValueError("size=[]: give at least one size")
        self._ready(*sizes)
        _runs(sizes)
        if len(set(sizes)) != len(sizes):
            raise ValueError("a size is given twice: its runs would be counted twice")
        if runs < 1:
            raise ValueError(f"runs={runs}: there is at least one run")
        if at is not None and within is not None:
            raise ValueError("give at or within, not both")
        for name, given in (("limit", limit), ("at", at), ("within", within)):
            _work.whole(name, given)
        self._warn_if_flawed()
        if self.card["kind"] == "robust":
            elsewhere = (start, scheduler, graph, corrupt, at, within, limit, vary)
            if any(given is not None for given in elsewhere) or kernel != "auto":
                raise ValueError(
                    f"{self.name} runs in a timed network: start, scheduler, graph, corrupt, at, within, limit, kernel and vary are not for it "
                    "(contents is its start, horizon its limit)"
                )
            asked = {**locals(), "setup": self._setup(), "seed": _work.seed(seed)}
            found, settled = _work.call(_engine.settle, self._algorithm, asked, progress=progress)
            return _work.unless_interrupted(found, _read.settle(_work.data(found), found, settled, self.name, asked["seed"]))
        strange = [name for name, given in locals().items() if given and name in _NETWORK]
        if strange:
            raise ValueError(f"{', '.join(strange)}: not for {self.name}, only robust algorithms have links and crashes")
        faults = [] if corrupt is None else list(corrupt) if isinstance(corrupt, Iterable) else [corrupt]
        for fault in faults:
            _work.whole("corrupt", fault)
        several = [len(sizes) > 1, len(faults) > 1, vary is not None]
        if sum(several) > 1:
            raise ValueError("one of size, corrupt and vary takes a list")
        fault = faults[0] if faults else 0
        axis, settings = "size", [(n, self._setup(), fault, n) for n in sizes]
        if len(faults) > 1:
            axis, settings = "corrupt", [(sizes[0], self._setup(), k, k) for k in faults]
        if vary is not None:
            axis, values = _parameter("vary", vary, [8, 16, 32])
            settings = [(sizes[0], self._setup(**{axis: value}), fault, int(value)) for value in _several("vary", values)]
        said = [(name, str(value)) for name, value in (("scheduler", scheduler), ("limit", limit), ("at", at), ("within", within)) if value is not None]
        if faults:
            said += [("corrupt", ",".join(map(str, faults))), ("repeat", str(repeat))]
        if isinstance(graph, str):
            said.append(("graph", graph))
        asked = {
            **locals(),
            "seed": _work.seed(seed),
            "start": None if start is None else self._start(start),
            "graph": _work.graph(graph, sizes[0]),
            "repeat": repeat if faults else 0,
            "after": (at or 0, at if at is not None else within or 0),
            "said": said + _work.words(self._parameters),
        }
        along = [setting[3] for setting in settings]
        if _engine.loose(self._algorithm, settings[0][0], settings[0][1]):
            found, held = _work.call(_engine.hold, self._algorithm, asked, progress=progress)
            return _work.unless_interrupted(found, _read.loose(_work.data(found), found, held, axis, along))
        found, rows = _work.call(_engine.simulate, self._algorithm, asked, progress=progress)
        return _work.unless_interrupted(found, _read.simulate(_work.data(found), found, rows, along))

    def _warn_if_flawed(self) -> None:
        """A flawed algorithm runs, but not silently."""
        flaw = self.card["flaw"]
        if flaw:
            warnings.warn(f"{self.name} is known to be flawed: {flaw}", stacklevel=3)

    def elect(
        self,
        size: Optional[int] = None,
        *,
        seed: Optional[int] = None,
        start: Optional[Start] = None,
        scheduler: Optional[str] = None,
        graph: Optional[Graph] = None,
        channels: Optional[str] = None,
        corrupt: int = 0,
        faults: int = 1,
        limit: int = 1_000_000_000,
        rows: int = 200,
        progress: Progress = None,
    ) -> ElectResult:
        """Runs one election; the result shows itself as a space-time diagram of ``rows`` rows.

        >>> Protocol("yokota-ring").elect(8, seed=1).leaders
        (1,)
        """
        size = self.card["default_size"] if size is None else size
        self._ready(size)
        _runs([size])
        self._warn_if_flawed()
        for name, given in (("corrupt", corrupt), ("faults", faults), ("limit", limit), ("rows", rows)):
            _work.whole(name, given)
        if rows > _MOST_ROWS:
            raise ValueError(f"rows={rows}: a result has at most {_MOST_ROWS:,} rows")
        asked = {
            **locals(),
            "setup": self._setup(),
            "seed": _work.seed(seed),
            "start": None if start is None else self._start(start),
            "graph": _work.graph(graph, size),
        }
        found, samples = _work.call(_engine.elect, self._algorithm, asked, progress=progress)
        data = _work.data(found)
        if "ended" not in data:
            _work.unless_interrupted(found, data)
        return _work.unless_interrupted(found, _read.elect(data, found, samples, self._states))

    def prove(
        self,
        *,
        scheduler: Optional[str] = None,
        from_size: Optional[int] = None,
        multiple_of: Optional[int] = None,
        not_multiple_of: Optional[int] = None,
        hints: Optional[str] = None,
        budget: int = 600,
        progress: Progress = None,
    ) -> ProveResult:
        """Searches for a proof that the algorithm stabilizes at every size from some size on; ``budget`` is in seconds.

        ``hints`` is a text with a safe set and measures (docs/proving.md), which are checked instead of searched.

        >>> Protocol("fischer-jiang-complete").prove().proved
        True
        """
        if self._table is not None and self._table.has_functions_of_configurations:
            raise ValueError("a proof is about every size: leave goal and safe out, or give the goal by name")
        asked = {**locals(), "setup": self._setup(), "from": from_size}
        found, certificate = _work.call(_engine.prove, self._algorithm, asked, progress=progress)
        return _work.unless_interrupted(found, _read.prove(_work.data(found), found, certificate))


def _again(source: Tuple[str, Optional[str]], layers: List[str], oracle: Optional[str], parameters: Dict[str, Any]) -> Protocol:
    """The same protocol in another process."""
    text, file = source
    if file is None:
        return Protocol(text, layers=layers, oracle=oracle, **parameters)
    return Protocol.from_text(text, file=file, layers=layers, oracle=oracle, **parameters)


Named = Union[str, Protocol]
"""A protocol, or the name of one."""


def _ask(verb: Callable[..., T], named: Named, *arguments: Any, **options: Any) -> T:
    """Calls a verb. Options that it does not have are parameters of the algorithm."""
    if isinstance(named, Protocol):
        return verb(named, *arguments, **options)
    known = inspect.signature(verb).parameters
    # A slip in an option is no parameter of the algorithm.
    parameters = {parameter["name"].replace("-", "_") for parameter in Protocol(named).card["parameters"]}
    given = {name: options.pop(name) for name in list(options) if name not in known and name in {*parameters, "layers", "oracle"}}
    return verb(Protocol(named, **given), *arguments, **options)


def check(protocol: Named, size: int, **options: Any) -> Any:
    """``Protocol.check`` of a protocol or of a name; parameters of the algorithm are options, too."""
    return _ask(Protocol.check, protocol, size, **options)


def explore(protocol: Named, size: int, **options: Any) -> ExploreResult:
    """``Protocol.explore`` of a protocol or of a name."""
    return _ask(Protocol.explore, protocol, size, **options)


def chain(protocol: Named, size: int, **options: Any) -> Chain:
    """``Protocol.chain`` of a protocol or of a name."""
    return _ask(Protocol.chain, protocol, size, **options)


def simulate(protocol: Named, size: Optional[Sizes] = None, **options: Any) -> SimulateResult:
    """``Protocol.simulate`` of a protocol or of a name."""
    return _ask(Protocol.simulate, protocol, size, **options)


def elect(protocol: Named, size: Optional[int] = None, **options: Any) -> ElectResult:
    """``Protocol.elect`` of a protocol or of a name."""
    return _ask(Protocol.elect, protocol, size, **options)


def prove(protocol: Named, **options: Any) -> ProveResult:
    """``Protocol.prove`` of a protocol or of a name."""
    return _ask(Protocol.prove, protocol, **options)


def search(
    states: int,
    graph: str,
    sizes: Sequence[int],
    *,
    leaders: Optional[int] = None,
    detector: bool = False,
    symmetric: bool = False,
    scheduler: str = "random",
    top: Optional[int] = 10,
    fastest: bool = False,
    budget: Optional[float] = None,
    memory: Optional[float] = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> SearchResult:
    """Searches all population protocols of a family for those that elect a leader, the fastest first.

    >>> result = search(2, "complete", [2, 3], detector=True)
    >>> result.complete, len(result) > 0
    (True, True)
    >>> Protocol.from_text(result[0].text).check(3).holds
    True
    """
    asked = {**locals(), "sizes": list(sizes), "memory": _work.memory(memory)}
    found, texts = _work.call(_engine.search, asked, progress=progress)
    return _work.unless_interrupted(found, _read.search(_work.data(found), found, texts))
