"""Tables of results, for polars, pandas and pyarrow."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from . import _arrow


class Table:
    """Columns of equal length. polars and pyarrow take a table as it is, through the Arrow C stream interface.

    >>> table = Table({"size": [8, 16], "mean": [1.5, None]})
    >>> table["size"], len(table)
    ([8, 16], 2)
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns: Dict[str, List[Any]] = {name: list(values) for name, values in columns.items()}
        if len({len(values) for values in self._columns.values()}) > 1:
            raise ValueError("the columns of a table have one length")

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> "Table":
        """A table of dictionaries; a key that a row lacks is ``None`` there."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        return cls({name: [row.get(name) for row in rows] for name in names})

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> List[Any]:
        return list(self._columns[name])

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """The rows, as dictionaries."""
        for values in zip(*self._columns.values()):
            yield dict(zip(self._columns, values))

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __eq__(self, other: object) -> bool:
        return self._columns == other._columns if isinstance(other, Table) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self._columns)})"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow C stream of the table; see the Arrow PyCapsule interface."""
        return _arrow.stream(self._columns)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``; integers with gaps are nullable."""
        import pandas

        def column(values: List[Any]) -> Any:
            whole = all(value is None or (isinstance(value, int) and not isinstance(value, bool)) for value in values)
            gaps = any(value is None for value in values)
            return pandas.array(values, dtype="Int64") if whole and gaps else values

        return pandas.DataFrame({name: column(values) for name, values in self._columns.items()})

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def to_dict(self) -> Dict[str, List[Any]]:
        """The columns as lists."""
        return {name: list(values) for name, values in self._columns.items()}

    def _repr_html_(self) -> str:
        shown = 50
        head = "".join(f"<th>{escape(name)}</th>" for name in self._columns)

        def cell(value: Any) -> str:
            if value is None:
                return "<td></td>"
            return f"<td>{escape(f'{value:,.6g}' if isinstance(value, float) else str(value))}</td>"

        rows = list(zip(*self._columns.values()))
        body = "".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows[:shown])
        more = f"<p>… {len(rows) - shown:,} more rows</p>" if len(rows) > shown else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
