"""Small tables of results, which print as text and as HTML."""

from __future__ import annotations

import html
from typing import Any, Iterator, Optional

import numpy as np
import numpy.typing as npt

#: Rows that are printed of a long table.
_SHOWN = 60


class ResultTable:
    """A table of numbers with a name for each row.

    `table["mean"]` is a column, `[rows]`; `table.row("b[x]")` a row. `to_dict()` is what a data frame is made of:
    `pandas.DataFrame(table.to_dict()).set_index("name")`.
    """

    def __init__(
        self,
        names: list[str],
        columns: dict[str, npt.NDArray[Any]],
        printed: Optional[list[list[str]]] = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        #: The names of the rows.
        self.names = names
        self._columns = columns
        self._printed = printed
        self._notes = notes

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column, `[rows]`."""
        try:
            return self._columns[column]
        except KeyError:
            raise KeyError(f"there is no column {column!r}; there are {', '.join(self._columns)}") from None

    def row(self, name: str) -> dict[str, Any]:
        """The numbers of a row by their columns."""
        if name not in self.names:
            raise KeyError(f"there is no row {name!r}; there are {', '.join(self.names[:20])}")
        place = self.names.index(name)
        return {column: values[place] for column, values in self._columns.items()}

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, after `name`, the names of the rows."""
        numbers = {column: values.tolist() for column, values in self._columns.items()}
        return {"name": list(self.names), **numbers}

    def _cells(self) -> list[list[str]]:
        """The rows that are printed, each with its name."""
        printed = self._printed
        if printed is None:
            columns = [[_number(value) for value in values] for values in self._columns.values()]
            printed = [list(row) for row in zip(*columns)]
        rows = [[name, *cells] for name, cells in zip(self.names, printed)]
        if len(rows) <= _SHOWN:
            return rows
        left_out = [f"... {len(rows) - _SHOWN} more", *[""] * len(self._columns)]
        return [*rows[: _SHOWN // 2], left_out, *rows[-_SHOWN // 2 :]]

    def __repr__(self) -> str:
        rows = [["", *self._columns], *self._cells()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *self._notes])

    def _repr_html_(self) -> str:
        def line(cells: list[str], tag: str) -> str:
            first = f"<th style='text-align:left'>{html.escape(cells[0])}</th>"
            rest = "".join(f"<{tag} style='text-align:right'>{html.escape(cell)}</{tag}>" for cell in cells[1:])
            return f"<tr>{first}{rest}</tr>"

        body = "".join(line(cells, "td") for cells in self._cells())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes)
        return f"<table><thead>{line(['', *self._columns], 'th')}</thead><tbody>{body}</tbody></table>{notes}"


def _number(value: Any) -> str:
    if not isinstance(value, (float, np.floating)):
        return str(value)
    return "" if np.isnan(value) else f"{value:.4g}"
