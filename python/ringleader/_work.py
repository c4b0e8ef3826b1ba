"""What every verb does around the engine: limits, seeds, progress, interruption."""

from __future__ import annotations

import json
import numbers
import random
import re
import sys
import time
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Protocol as Shape, Sequence, TypeVar, Union

from . import _engine
from .errors import Interrupted

Progress = Union[bool, None, Callable[[str, int, Optional[int]], object]]
"""``True`` or ``False`` to show progress or not, ``None`` to show it if somebody watches, or a function of phase, done and total."""

Graph = Union[str, Sequence["tuple[int, int]"], Any]
"""A family of graphs by name (``ring``, ``complete``, ``star``, ``grid:3x4``, ...), a list of arcs, or a graph of networkx."""

T = TypeVar("T")
_PATIENCE = 2.0  # Work that takes less time shows no progress.


def memory(gib: float | None) -> int:
    """The most bytes to use: the given GiB, or four fifths of the memory that is free."""
    if gib is not None:
        if isinstance(gib, bool) or not isinstance(gib, (int, float)):
            raise TypeError(f"memory={gib!r}: give a number of GiB")
        if not 0 < gib < float("inf"):
            raise ValueError(f"memory={gib}: give a positive number of GiB")
        return int(min(gib, 2.0**30) * 2**30)
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        free = 8 * 2**30
    return free // 5 * 4


def seed(given: int | None) -> int:
    """The given seed, or a fresh short one, which every result has."""
    if given is None:
        return random.SystemRandom().randrange(1_000_000)
    whole("seed", given)
    return given


def whole(name: str, given: Any) -> None:
    """Refuses an option that is no whole number of 64 bits. None stands for the default."""
    if given is None:
        return
    if not isinstance(given, numbers.Integral) or isinstance(given, bool):
        raise TypeError(f"{name}={given!r}: give a whole number")
    if not 0 <= int(given) < 1 << 64:
        raise ValueError(f"{name}={given}: give a number from 0 to 2^64 - 1")


def graph(given: Graph | None, size: int | None = None) -> Any:
    """A graph as the engine takes it."""
    if given is None or isinstance(given, str):
        return given
    if hasattr(given, "edges") and hasattr(given, "nodes"):
        network: Any = given
        nodes = list(network.nodes)
        place = {node: at for at, node in enumerate(nodes)}
        arcs = [(place[a], place[b]) for a, b in network.edges()]
        if not network.is_directed():
            arcs += [(b, a) for a, b in arcs]
        return (len(nodes), arcs)
    pairs = list(given) if isinstance(given, Iterable) else None
    fits = pairs is not None and all(isinstance(arc, (tuple, list)) and len(arc) == 2 and all(isinstance(end, numbers.Integral) and int(end) >= 0 for end in arc) for arc in pairs)
    if pairs is None or not fits:
        raise TypeError(f"graph={given!r}: give the name of a family, a list of arcs such as [(0, 1), (1, 2)], or a graph of networkx")
    arcs = [(int(a), int(b)) for a, b in pairs]
    return (size if size is not None else 1 + max((max(arc) for arc in arcs), default=0), arcs)


class _Bar(Shape):
    n: int
    total: Optional[float]

    def set_description_str(self, desc: Optional[str] = None, refresh: Optional[bool] = True) -> None: ...
    def refresh(self) -> object: ...
    def close(self) -> None: ...


class Shown:
    """Progress on standard error: a bar of tqdm if it is installed, else one line."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._bar: _Bar | None = None
        self._line = 0
        # The output of a notebook that shows the progress: one, not a new one for each line.
        self._cell: Any = None

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        if time.monotonic() - self._begun < _PATIENCE:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._say(f"{phase}: {done:,}" + (f" of {total:,}" if total else ""))
            return
        if self._bar is None:
            self._bar = tqdm(total=total, leave=False)
        bar = self._bar
        if bar is not None:
            bar.n, bar.total = done, total
            bar.set_description_str(phase, refresh=False)
            bar.refresh()

    def _say(self, line: str) -> None:
        if self._cell is None and _in_notebook():
            from IPython.display import display

            self._cell = display({"text/plain": ""}, raw=True, display_id=True)
        if self._cell is not None:
            self._cell.update({"text/plain": line}, raw=True)
            self._line = len(line)
            return
        sys.stderr.write("\r" + line.ljust(self._line))
        sys.stderr.flush()
        self._line = len(line)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._line:
            self._say("")
            if self._cell is None:
                sys.stderr.write("\r")


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def _watched() -> bool:
    return sys.stderr.isatty() or "IPython" in sys.modules


def call(verb: Callable[..., T], *asked: Any, progress: Progress) -> T:
    """Calls a verb of the engine and shows its progress. The engine takes its options from a dictionary by name, and ignores other keys."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress={progress!r}: give True, False, or a function of the phase, the work done and the total")
    shown = Shown() if progress is True or (progress is None and _watched()) else None
    try:
        return verb(*asked, progress if callable(progress) else shown)
    except TypeError as raised:
        # The engine names the option; its cause says what is wrong.
        option = re.fullmatch(r"failed to extract field Asked\.(\w+)", str(raised))
        if option is None:
            raise
        raise TypeError(f"{option[1]}: {raised.__cause__}") from None
    finally:
        if shown is not None:
            shown.close()


def data(found: _engine.Found) -> Dict[str, Any]:
    """The JSON of a result."""
    loaded: Dict[str, Any] = json.loads(found.json)
    return loaded


def unless_interrupted(found: _engine.Found, result: T) -> T:
    """Returns the result. If the work was interrupted, raises that exception with the partial result."""
    raised = found.interrupted
    if raised is None:
        return result
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(result) from None
    raise raised


def words(parameters: Mapping[str, Any]) -> "list[tuple[str, str]]":
    """Parameters as the engine takes them."""

    def word(value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, (list, tuple)):
            return ",".join(map(str, value))
        return str(value)

    return [(name.replace("_", "-"), word(value)) for name, value in parameters.items()]
