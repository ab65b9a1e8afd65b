"""Data frames of several libraries as tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Callable, Optional

from bayes import _lists
from bayes._errors import BayesInputError
from bayes._native import Table

#: The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_\d+__")


def read(frame: Any, used: Callable[[list[str]], list[str]]) -> Table:
    """The table of a frame. `used` says which of its columns are read, by the names of all."""
    names = _names(frame)
    asked = set(used(names))
    wanted = [name for name in names if name in asked]
    if isinstance(frame, Mapping):
        _check_indices({name: column for name, column in zip(names, frame.values()) if name in wanted})
        return _of_columns(names, list(frame.values()), wanted)
    if _is_polars(frame):
        return _of_polars(names, frame, wanted)
    if not _is_pandas(frame):
        return Table.of_arrow(names, wanted, frame)
    columns = [frame.iloc[:, place] for place in range(len(names))]
    if not (wanted and hasattr(frame, "__arrow_c_stream__")) or any(
        _is_read_by_values(column.dtype) for name, column in zip(names, columns) if name in wanted
    ):
        return _of_columns(names, columns, wanted)
    # a column that cannot be converted matters only where it is used
    return _of_arrow(names, columns, wanted, lambda: frame.iloc[:, [names.index(name) for name in wanted]])


def _of_polars(names: list[str], frame: Any, wanted: list[str]) -> Table:
    columns = frame.get_columns()
    if not wanted:
        return _of_columns(names, columns, wanted)
    return _of_arrow(names, columns, wanted, lambda: frame.select([columns[names.index(name)] for name in wanted]))


def _of_arrow(names: list[str], columns: list[Any], wanted: list[str], chosen: Callable[[], Any]) -> Table:
    """A table by the stream of a frame of the columns that are `wanted`, or value by value without pyarrow and where a column cannot be converted."""
    try:
        return Table.of_arrow(names, wanted, chosen())
    except (ImportError, ArithmeticError, NotImplementedError, ValueError):
        return _of_columns(names, columns, wanted)
    except TypeError as error:
        if str(error).startswith("column `"):
            raise
        return _of_columns(names, columns, wanted)


def refuse_index(frame: Any, used: Callable[[list[str]], list[str]]) -> None:
    """Refuses a frame of pandas that has a column of those that are `used` as its index, and says how to make a column of it."""
    if not _is_pandas(frame):
        return
    names = _names(frame)
    of_index = {str(name) for name in frame.index.names if name is not None}
    for name in used(names):
        if name in of_index and name not in names:
            raise BayesInputError(
                f"the table has no column `{name}`, which is the index of the frame; `frame.reset_index()` makes a column of it"
            )


def _check_indices(columns: dict[str, Any]) -> None:
    """Refuses series of pandas with different indices, which pandas would match by their labels, and a table by their places."""
    series = [(name, column) for name, column in columns.items() if _is_of("pandas", column) and hasattr(column, "iloc")]
    for name, column in series[1:]:
        first, other = series[0]
        if len(column) == len(other) and not column.index.equals(other.index):
            raise BayesInputError(
                f"the columns `{first}` and `{name}` are series of pandas with different indices; make a frame of them, `pandas.DataFrame(...)`, which"
                " matches rows by these, or take `.to_numpy()` of each"
            )


def _is_read_by_values(dtype: Any) -> bool:
    """Whether values of pandas are read one by one: objects, since Arrow makes numbers of the truth values among them, and categories that are intervals, as
    `pandas.cut` makes them, or dates, whose labels are the texts that pandas shows."""
    if dtype == object:
        return True
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
    if _is_polars(frame) or hasattr(frame, "__arrow_c_stream__"):
        names = list(frame.columns) if _is_polars(frame) else _names_of_arrow(frame)
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
    return _is_of("pandas", frame) and hasattr(frame, "columns")


def _is_polars(frame: Any) -> bool:
    return _is_of("polars", frame) and hasattr(frame, "get_columns")


def _is_of(package: str, value: Any) -> bool:
    """Whether a value is of a class of this package, or of one that is made from it."""
    return any(base.__module__.partition(".")[0] == package for base in type(value).__mro__)
