"""Data frames of several libraries as tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Callable, Optional

from bayes import _lists
from bayes._native import Table

#: The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_\d+__")


def read(frame: Any, used: Callable[[list[str]], list[str]]) -> Table:
    """The table of a frame. `used` says which of its columns are read, by the names of all."""
    names = _names(frame)
    wanted = [name for name in used(names) if name in names]
    if isinstance(frame, Mapping):
        return _of_columns(names, list(frame.values()), wanted)
    if not _is_pandas(frame):
        return Table.of_arrow(names, wanted, frame)
    columns = [frame.iloc[:, place] for place in range(len(names))]
    if not (wanted and hasattr(frame, "__arrow_c_stream__")) or any(
        _has_odd_labels(column.dtype) for name, column in zip(names, columns) if name in wanted
    ):
        return _of_columns(names, columns, wanted)
    try:
        # a column that cannot be converted matters only where it is used
        return Table.of_arrow(names, wanted, frame.iloc[:, [names.index(name) for name in wanted]])
    except (ImportError, ArithmeticError, NotImplementedError, ValueError):
        # without pyarrow, or with a column that it cannot convert, which is found here
        return _of_columns(names, columns, wanted)
    except TypeError as error:
        if str(error).startswith("column `"):
            raise
        return _of_columns(names, columns, wanted)


def _has_odd_labels(dtype: Any) -> bool:
    """Whether the categories of pandas are intervals, as `pandas.cut` makes them, or dates: their labels are the texts that pandas shows."""
    categories = getattr(dtype, "categories", None)
    return categories is not None and str(categories.dtype).startswith(("interval", "datetime64", "timedelta64", "period"))


def _of_columns(names: list[str], columns: list[Any], used: list[str]) -> Table:
    """A table of lists, arrays and series, of which those that are used are read."""
    read = {name: _lists.column(name, columns[names.index(name)]) for name in used}
    lengths = [len(values) for values, _ in read.values()]
    lengths += [len(values) for values in columns if hasattr(values, "__len__")]
    return Table.of_lists(names, lengths[0] if lengths else 0, read)


def _names(frame: Any) -> list[str]:
    """The names of the columns of a frame."""
    if isinstance(frame, Mapping):
        return [_text(name) for name in frame]
    if _is_pandas(frame):
        return [_text(name) for name in frame.columns]
    if hasattr(frame, "__arrow_c_stream__"):
        names = _names_of_arrow(frame)
        if names is not None:
            names = [name for name in names if not _INDEX.fullmatch(name)]
            # as in a file, where R writes the names of rows
            return ["(row)" if place == 0 and name == "" else name for place, name in enumerate(names)]
    kind = f"{type(frame).__module__}.{type(frame).__qualname__}".removeprefix("builtins.")
    raise TypeError(
        f"`frame` is a {kind}; it must be a data frame of pandas or polars, a table of pyarrow, or a dict "
        "of columns, which are lists or arrays of NumPy"
    )


def _names_of_arrow(frame: Any) -> Optional[list[str]]:
    """The names of a stream of Arrow; None if it is none of columns. What is read once, as a reader of pyarrow, says them itself."""
    schema: Any = getattr(frame, "schema", None)
    if hasattr(schema, "names") and not callable(schema.names):
        return [str(name) for name in schema.names]
    try:
        return Table.names_of_arrow(frame)
    except ValueError:
        return None


def _text(name: Any) -> str:
    if isinstance(name, tuple):
        raise TypeError(f"the column {name!r} has a name of several levels; give the frame one level of names")
    return str(name)


def _is_pandas(frame: Any) -> bool:
    is_of_pandas = any(base.__module__.partition(".")[0] == "pandas" for base in type(frame).__mro__)
    return is_of_pandas and hasattr(frame, "columns")
