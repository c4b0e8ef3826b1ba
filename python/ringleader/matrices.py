"""State spaces as sparse matrices, and for other tools: numpy, scipy, networkx, stormpy."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import _engine
from .results import Result, States, _rows
from .tables import Table


@dataclass(frozen=True, repr=False)
class ExploreResult(Result):
    """All configurations of a population protocol or a ring, or all reachable states of message passing, counted."""

    algorithm: str = ""
    size: int = 0
    parameters: Dict[str, str] = field(default_factory=dict)
    scheduler: Optional[str] = None
    channels: Optional[str] = None
    configurations: Optional[int] = None
    states: Optional[int] = None
    transitions: Optional[int] = None
    stored: int = 0
    deadlocks: Optional[int] = None
    depth: Optional[int] = None
    correct: Optional[int] = None
    own_safe: Optional[int] = None
    really_safe: Optional[int] = None
    rotation: bool = False
    confluence: bool = False
    reading: Optional[str] = None
    quotient: Optional[Dict[str, Any]] = None
    verified: Optional[Dict[str, Any]] = None
    seconds: float = 0.0
    _make: Optional[Callable[[], "Chain"]] = field(default=None, repr=False, compare=False)

    def chain(self) -> "Chain":
        """The Markov chain or decision process. It is explored once more and read into matrices."""
        assert self._make is not None
        return self._make()


@dataclass(frozen=True, repr=False, eq=False)
class Chain:
    """A Markov chain, or a Markov decision process, with labels. numpy is needed to make one, scipy for :attr:`matrix`."""

    algorithm: str
    is_chain: bool
    """Whether the scheduler is random: then every state has one row."""
    states: int
    start: Optional[int]
    """The state in which runs start, if there is only one; every state if ``None``."""
    groups: Any
    """The first row of each state, and the number of rows."""
    labels: Dict[str, Any]
    """Boolean vectors over the states: ``correct``, ``own_safe``, ``really_safe``, or ``elected``; and the closed sets of a proof."""
    costs: Dict[str, Any]
    """Vectors over the rows: ``steps``, and ``messages`` where messages are passed."""
    choice_names: List[str]
    configurations: List[Tuple[Any, ...]]
    """The local states of each state, if there are not too many."""
    _csr: Tuple[Any, Any, Any] = field(repr=False)

    def __repr__(self) -> str:
        kind = "Markov chain" if self.is_chain else "Markov decision process"
        rows = "" if self.is_chain else f", {int(self.groups[-1]):,} choices"
        return f"{self.algorithm}: {kind} of {self.states:,} states{rows}, {len(self._csr[1]):,} transitions; labels {', '.join(self.labels)}"

    def _repr_html_(self) -> str:
        pairs: List[Tuple[str, object]] = [("states", f"{self.states:,}")]
        if not self.is_chain:
            pairs.append(("choices", f"{int(self.groups[-1]):,}"))
        pairs.append(("transitions", f"{len(self._csr[1]):,}"))
        pairs += [(name, f"{int(bits.sum()):,} states") for name, bits in self.labels.items()]
        kind = "Markov chain" if self.is_chain else "Markov decision process"
        return f"<p><b>{escape(self.algorithm)}</b>: {kind}</p>" + _rows(pairs)

    @property
    def matrix(self) -> Any:
        """The transition probabilities, as a ``scipy.sparse.csr_matrix``: a row per state, or per choice of a state."""
        from scipy.sparse import csr_matrix

        pointers, targets, probabilities = self._csr
        return csr_matrix((probabilities, targets, pointers), shape=(int(self.groups[-1]), self.states))

    def expected_steps(self, label: str = "really_safe") -> Any:
        """The expected steps from each state of a chain to a labelled set, by solving linear equations with scipy.

        States from which the set may never be reached get infinity.
        """
        import numpy
        from scipy.sparse import identity
        from scipy.sparse.linalg import spsolve

        if not self.is_chain:
            raise ValueError("expected steps depend on the scheduler of a decision process: check gives their bounds")
        goal = self._label(label)
        steps = numpy.full(self.states, numpy.inf)
        steps[goal] = 0.0
        if not goal.any():
            return steps
        matrix = self.matrix
        # Backwards from the set, then backwards from the states that cannot reach it.
        lost = _can_reach(matrix, ~_can_reach(matrix, goal))
        open_ = ~goal & ~lost
        if open_.any():
            inner = matrix[open_][:, open_]
            steps[open_] = spsolve((identity(inner.shape[0]) - inner).tocsc(), numpy.ones(inner.shape[0]))
        return steps

    def _label(self, label: str) -> Any:
        if label not in self.labels:
            raise ValueError(f"no set is called {label!r}: there are {', '.join(self.labels)}")
        return self.labels[label]

    def transitions(self) -> Table:
        """All transitions: ``state``, ``choice``, ``target``, ``probability``."""
        import numpy

        pointers, targets, probabilities = self._csr
        rows = numpy.repeat(numpy.arange(len(pointers) - 1), numpy.diff(pointers))
        owner = numpy.repeat(numpy.arange(self.states), numpy.diff(self.groups))
        return Table(
            {
                "state": owner[rows].tolist(),
                "choice": rows.tolist(),
                "target": targets.tolist(),
                "probability": probabilities.tolist(),
            }
        )

    def to_networkx(self, most: int = 20_000) -> Any:
        """A ``networkx.MultiDiGraph`` of at most ``most`` states: nodes have ``configuration`` and labels, edges ``probability``."""
        import networkx

        if self.states > most:
            raise ValueError(f"{self.states:,} states are too many for networkx: at most {most:,}, or say most=...")
        graph = networkx.MultiDiGraph(name=self.algorithm)
        for state in range(self.states):
            shown: Dict[str, Any] = {name: bool(bits[state]) for name, bits in self.labels.items()}
            if self.configurations:
                shown["configuration"] = self.configurations[state]
            graph.add_node(state, **shown)
        pointers, targets, probabilities = self._csr
        for state in range(self.states):
            for row in range(int(self.groups[state]), int(self.groups[state + 1])):
                named = {} if self.is_chain else {"choice": self.choice_names[row]}
                for at in range(int(pointers[row]), int(pointers[row + 1])):
                    graph.add_edge(state, int(targets[at]), probability=float(probabilities[at]), **named)
        return graph

    def to_drn(self, path: Union[str, Path]) -> None:
        """Writes the model in Storm's explicit format, as ``ringleader explore --export FILE.drn`` does."""
        pointers, targets, probabilities = self._csr
        choices = sum(max(1, int(self.groups[s + 1]) - int(self.groups[s])) for s in range(self.states))
        with open(path, "w", encoding="utf-8") as out:
            kind = "DTMC" if self.is_chain else "MDP"
            out.write(f"@type: {kind}\n@parameters\n\n@reward_models\n{' '.join(self.costs)}\n")
            out.write(f"@nr_states\n{self.states}\n@nr_choices\n{choices}\n@model\n")

            def listed(costs: List[float]) -> str:
                return f" [{', '.join(map(repr, costs))}]" if costs else ""

            for state in range(self.states):
                names = [name for name, bits in self.labels.items() if bits[state]]
                if self.start is None or self.start == state:
                    names.insert(0, "init")
                out.write(" ".join([f"state {state}{listed([0.0] * len(self.costs))}", *names]) + "\n")
                rows = range(int(self.groups[state]), int(self.groups[state + 1]))
                for row in rows:
                    name = "step" if self.is_chain else self.choice_names[row]
                    out.write(f"\taction {name}{listed([float(cost[row]) for cost in self.costs.values()])}\n")
                    for at in range(int(pointers[row]), int(pointers[row + 1])):
                        out.write(f"\t\t{targets[at]} : {float(probabilities[at])!r}\n")
                if not rows:
                    # Storm requires a choice in every state.
                    out.write(f"\taction stays{listed([0.0] * len(self.costs))}\n\t\t{state} : 1\n")

    def to_stormpy(self) -> Any:
        """The model as an object of stormpy: a ``SparseDtmc`` or a ``SparseMdp``, with labels and the costs as reward models."""
        import stormpy

        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model.drn")
            self.to_drn(path)
            return stormpy.build_model_from_drn(path)


_PART = 1 << 12


def _can_reach(matrix: Any, goal: Any) -> Any:
    """The states from which a set can be reached."""
    import numpy

    reached = goal.copy()
    while True:
        more = reached | (numpy.asarray(matrix @ reached.astype(float)).ravel() > 0)
        if (more == reached).all():
            return reached
        reached = more


def chain_of(matrices: _engine.Matrices, algorithm: str, states: States) -> Chain:
    """The matrices of the engine as numpy arrays, which share the engine's bytes."""
    import numpy

    def configuration(parts: List[str]) -> Tuple[Any, ...]:
        return tuple(states.one(part.split(": ", 1)[1]) for part in parts)

    # A part at a time, so that Ctrl-C ends it.
    parts = (matrices.texts(at, at + _PART) for at in range(0, matrices.states, _PART))
    # Message passing adds the waiting messages to the text of a process.
    plain = "elected" not in dict(matrices.labels)
    return Chain(
        algorithm=algorithm,
        is_chain=matrices.is_chain,
        states=matrices.states,
        start=matrices.start,
        groups=numpy.frombuffer(matrices.groups, numpy.int64),
        labels={name: numpy.frombuffer(bits, numpy.uint8).astype(bool) for name, bits in matrices.labels},
        costs={name: numpy.frombuffer(bits, numpy.float64) for name, bits in matrices.costs},
        choice_names=matrices.choice_names,
        configurations=[configuration(text) if plain else tuple(text) for part in parts for text in part],
        _csr=(
            numpy.frombuffer(matrices.pointers, numpy.int64),
            numpy.frombuffer(matrices.targets, numpy.int32),
            numpy.frombuffer(matrices.probabilities, numpy.float64),
        ),
    )
