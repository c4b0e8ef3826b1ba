"""Builds the results from the engine's JSON and columns. Each field is read by its type."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Container, Dict, Iterable, List, Mapping, Optional, Sequence, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from ._engine import Found
from .experiments import ElectResult, LooseResult, NetworkResult, SimulateResult
from .results import CheckResult, Counterexample, FoundProtocol, MessageCheckResult, ProveResult, Quantile, Range, Result, SearchResult, State, States, Step
from .tables import Table
from .values import Interval, Value, bounds, value

R = TypeVar("R", bound=Result)
_TEXTS = States()


def read(kind: Any, data: Any, states: States = _TEXTS) -> Any:
    """The value of a type that JSON stands for. The type of a local state is ``Any``."""
    # A long counterexample is mostly states.
    if kind is State:
        return states.one(data)
    parts = get_args(kind)
    if kind == Value:
        return value(data)
    if kind == Interval:
        return bounds(value(data))
    if kind == Range:
        return (data["low"], data["high"])
    if get_origin(kind) is Union:
        # An optional value: what is left without None is one of the types above or below.
        return None if data is None else read(Union[tuple(part for part in parts if part is not type(None))], data, states)
    if get_origin(kind) is tuple:
        return tuple(read(parts[0], one, states) for one in data)
    if get_origin(kind) is dict:
        return data if parts[1] is Any else {name: read(parts[1], one, states) for name, one in data.items()}
    if kind is Step and data.get("all"):
        data = {**data, "processes": range(len(data["states"]))}
    has_fields = dataclasses.is_dataclass(kind)
    return kind(**_fields(kind, data, states)) if has_fields else data


_types = functools.lru_cache(maxsize=None)(get_type_hints)


def _fields(kind: Any, data: Mapping[str, Any], states: States, known: Container[str] = ()) -> Dict[str, Any]:
    """The fields that are in the JSON, under their own names or those of their metadata, and not known already."""
    keys = {field.name: field.metadata.get("json", field.name) for field in dataclasses.fields(kind) if field.name not in known}
    return {name: read(_types(kind)[name], data[key], states) for name, key in keys.items() if key in data}


def result(kind: Type[R], data: Dict[str, Any], found: Found, states: States = _TEXTS, /, **known: Any) -> R:
    """The result of a verb; fields that are known are not read."""
    known = {"json": data, "text": found.text, "svg": found.svg(), "tikz": found.tikz(), **known}
    return kind(**_fields(kind, data, states, known), **known)


def check(data: Dict[str, Any], found: Found, states: States) -> Union[CheckResult, MessageCheckResult]:
    """The result of a check."""
    if "properties" in data:
        curves = [_curve(curve["min_uniform_max"]) for curve in data.get("within") or []]
        return result(MessageCheckResult, data, found, **dict(zip(("within", "against"), [*curves, None, None])))
    run, within = read(Optional[Counterexample], data.get("counterexample"), states), data.get("within")
    known: Dict[str, Any] = {"starts": tuple(states.all(start["states"]) for start in data.get("starts", ()))}
    if run is not None:
        known["counterexample"] = dataclasses.replace(run, trace=found.trace, svg=found.svg(), tikz=found.tikz())
    if within is not None:
        known.update(within=_within(within), quantile=read(Optional[Quantile], within.get("quantile")))
    return result(CheckResult, data, found, states, **known)


def _curve(points: Sequence[Sequence[float]]) -> Table:
    return Table({"t": range(len(points)), **_columns("min uniform max", points)})


def _within(data: Dict[str, Any]) -> Table:
    def middle(interval: Dict[str, float]) -> float:
        # A bound of 0 or 1 is certain; the middle of the interval would miss it.
        low, high = interval["low"], interval["high"]
        return 0.0 if low == 0 else 1.0 if high == 1 else (low + high) / 2

    columns: Dict[str, Sequence[Any]] = {"t": range(len(data["least"]))}
    for points, suffix in ((data["least"], ""), (data.get("greatest", ()), " max")):
        if points:
            columns.update({name + suffix: [middle(point[name]) for point in points] for name in ("worst", "mean")})
            for at in range(len(points[0].get("from", ()))):
                columns[f"from {at + 1}{suffix}"] = [middle(point["from"][at]) for point in points]
    return Table(columns)


def prove(data: Dict[str, Any], found: Found, certificate: Optional[str]) -> ProveResult:
    """The outcome of a search for a proof."""
    return result(ProveResult, data, found, measures=tuple(map(str, data.get("measures", ()))), certificate=certificate)


def search(data: Dict[str, Any], found: Found, texts: Sequence[str]) -> SearchResult:
    """The result of a search."""

    def protocol(one: Dict[str, Any], text: str) -> FoundProtocol:
        times = {time["size"]: value(time["worst"]) for time in one["times"]}
        return FoundProtocol(**_fields(FoundProtocol, one, _TEXTS, {"text", "times"}), text=text, times=times)

    return result(SearchResult, data, found, found=tuple(map(protocol, data["found"], texts)))


_FIRST = "size runs reached not_reached mean_steps ci95_low ci95_high median p90 p99 max".split()
"""The statistics that everybody reads, in this order; the others follow."""


def _flat(row: Dict[str, Any]) -> Dict[str, Any]:
    """The statistics of one size as columns: intervals and nested objects become several, lists are left out."""
    flat: Dict[str, Any] = {}
    for key, said in row.items():
        if key.endswith("ci95") and isinstance(said, list):
            flat[key + "_low"], flat[key + "_high"] = said
        elif isinstance(said, dict):
            flat.update({f"{key}_{name}": value for name, value in said.items() if not isinstance(value, (dict, list))})
        elif not isinstance(said, list):
            flat[key] = said
    # The columns do not depend on whether every run reached its goal.
    return {**{name: flat.get(name) for name in _FIRST}, **flat}


def _columns(names: str, rows: Iterable[Sequence[Any]]) -> Dict[str, List[Any]]:
    """Rows as columns with these names."""
    return dict(zip(names.split(), map(list, zip(*rows)))) or {name: [] for name in names.split()}


def _placed(data: Dict[str, Any], axis: str, values: Sequence[int], rows: Sequence[Any]) -> Dict[str, List[Any]]:
    """The columns of the settings of runs: their sizes, and their values where something else varies. A row begins with the number of its setting."""
    columns = {"size": [data["sizes"][row[0]]["size"] for row in rows]}
    return columns if axis == "size" else {**columns, axis: [values[row[0]] for row in rows]}


def simulate(data: Dict[str, Any], found: Found, rows: Sequence[Any], values: Sequence[int]) -> SimulateResult:
    """The result of an experiment, and every run. ``values`` has the value of each setting along the axis."""
    placed = functools.partial(_placed, data, data["axis"], values)
    columns = _columns("run reached steps last_output_change messages rounds", [row[1:7] for row in rows])
    # Only algorithms that pass messages have the last two.
    used = {name: column for name, column in columns.items() if name not in ("messages", "rounds") or any(v is not None for v in column)}
    healed = [(row[0], row[1], fault, steps) for row in rows for fault, steps in enumerate(row[7])]
    return result(
        SimulateResult,
        data,
        found,
        sizes=Table.of_rows([_flat(row) for row in data["sizes"]]),
        runs=Table({**placed(rows), **used, "cpu_seconds": [row[9] for row in rows]}),
        recoveries=Table({**placed(healed), **_columns("run fault steps", [row[1:] for row in healed])}),
    )


def loose(data: Dict[str, Any], found: Found, rows: Sequence[Any], axis: str, values: Sequence[int]) -> LooseResult:
    """The result of watching leaders. ``values`` has the value of each setting along the axis."""
    sizes = [{"size": row["size"], axis: at, **_flat(row)} for row, at in zip(data["sizes"], values)]
    runs = _columns("run reached steps held lost", [(run, steps is not None, steps, held, lost) for _, run, steps, held, lost in rows])
    return result(
        LooseResult,
        data,
        found,
        axis=axis,
        sizes=Table.of_rows(sizes),
        runs=Table({**_placed(data, axis, values, rows), **runs}),
        interrupted=found.interrupted is not None,
    )


def settle(data: Dict[str, Any], found: Found, rows: Sequence[Any], algorithm: str, seed: int) -> NetworkResult:
    """The result of campaigns, one per size."""
    columns = _columns("size run settling_deltas leader_changes messages deliveries links", rows)
    return result(
        NetworkResult,
        data,
        found,
        algorithm=algorithm,
        seed=seed,
        sizes=Table.of_rows([_flat(row) for row in data.get("sizes", [data])]),
        runs=Table({**columns, "reached": [after is not None for after in columns["settling_deltas"]]}),
        interrupted=found.interrupted is not None,
    )


def elect(data: Dict[str, Any], found: Found, samples: Sequence[Any], states: States) -> ElectResult:
    """The result of one election."""
    counts = _columns("steps leaders", [(steps, len(leaders)) for steps, _, leaders in samples])
    moments = tuple((steps, states.all(texts)) for steps, texts, _ in samples)
    return result(ElectResult, data, found, states, samples=moments, leaders_over_time=Table(counts))
