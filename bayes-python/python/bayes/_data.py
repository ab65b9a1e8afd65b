"""Data of Python as arguments of models in Rust: numbers of 8 bytes, and texts."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Set
from decimal import Decimal
from typing import Any, Callable, Optional

import numpy as np
import numpy.typing as npt

from bayes import _frame
from bayes._frame import _is_of
from bayes._lists import _is_missing

#: An argument for the native part: its shape, its numbers, and its texts.
Data = tuple[list[int], bytes, list[str]]
#: An argument of a model: its name, what its elements are, and its number of dimensions.
Argument = tuple[str, str, int]

_ELEMENTS = {
    "real": "numbers",
    "optional_real": "numbers, with None or NaN where one is missing",
    "count": "whole numbers from 0",
    "index": "whole numbers from 0",
    "whole": "whole numbers",
    "flag": "truth values, or 0 and 1",
    "text": "texts",
}
_ELEMENT = {
    "real": "a number",
    "optional_real": "a number, or None",
    "count": "a whole number from 0",
    "index": "a whole number from 0",
    "whole": "a whole number",
    "flag": "a truth value, or 0 or 1",
    "text": "a text",
}
#: The whole numbers that an argument can hold: the smallest one, the largest one, and the type of NumPy.
_WHOLES = {"count": (0, 2**64 - 1, np.uint64), "index": (0, 2**64 - 1, np.uint64), "whole": (-(2**63), 2**63 - 1, np.int64)}


def wanted(argument: Argument) -> str:
    """What an argument takes, in words."""
    _, element, dimensions = argument
    if dimensions == 0:
        return _ELEMENT[element]
    return f"{_ELEMENTS[element]}, {'[rows, columns]' if dimensions == 2 else '[n]'}"


def argument(argument: Argument, values: Any) -> Data:
    """The data of an argument.

    Raises TypeError for what is of another type, and ValueError for values that it cannot be; both name the argument and the first place.
    """
    name, element, dimensions = argument
    array = _array(argument, values)
    if element == "text":
        texts = [_text(argument, place, value) for place, value in _places(array)]
        return list(array.shape), b"", texts
    if element in _WHOLES:
        exact = _exact(argument, array)
    elif element == "flag":
        exact = _flags(argument, array)
    else:
        exact = _reals(argument, array)
    assert exact.ndim == dimensions, name
    return list(exact.shape), exact.tobytes(), []


def columns(frame: Any) -> tuple[list[str], Callable[[str], Any]]:
    """The names of the columns of a frame, and what finds a column by its name."""
    names = _frame._names(frame)
    if isinstance(frame, Mapping):
        return names, lambda name: next(value for key, value in frame.items() if str(key) == name)
    if _frame._is_pandas(frame):
        return names, lambda name: frame.iloc[:, _place(names, name)]
    if not hasattr(frame, "__getitem__"):
        raise TypeError(f"columns of a {type(frame).__name__} have no names to choose them by; give its columns by name")
    return names, lambda name: frame[_place(names, name) if _is_of("pyarrow", frame) else name]


def _place(names: list[str], name: str) -> int:
    if names.count(name) > 1:
        raise ValueError(f"{names.count(name)} columns of the frame are called `{name}`; columns need names of their own")
    return names.index(name)


def _wrong(argument: Argument, given: str) -> TypeError:
    return TypeError(f"`{argument[0]}` {given}; it must be {wanted(argument)}")


def _array(argument: Argument, values: Any) -> npt.NDArray[Any]:
    """The values as an array of the argument's number of dimensions, of any type of elements."""
    name, element, dimensions = argument
    if dimensions > 0 and (isinstance(values, (str, bytes, bytearray, Mapping, Set)) or not _is_list(values)):
        raise _wrong(argument, f"is a {type(values).__name__}")
    dtype = getattr(values, "dtype", None)
    is_categorical = getattr(dtype, "categories", None) is not None or str(dtype).startswith("Categorical")
    if is_categorical and element != "text":
        raise _wrong(
            argument,
            f"has the dtype {dtype}: labels are no numbers, and their codes are `.cat.codes`, or of polars `.to_physical()`",
        )
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(values)
        values = values.data
        if np.any(hidden):
            values = values.astype(object)
            values[hidden] = None
    if dimensions == 2:
        values = _of_rows(argument, values)
    if _is_of("pandas", values) and hasattr(values, "to_numpy"):
        # missing whole numbers and truth values stay as they are
        values = values.to_numpy()
    elif _is_of("pyarrow", values) and hasattr(values, "to_pylist") and getattr(values, "null_count", False):
        values = _objects(values.to_pylist())
    elif _is_of("polars", values) and hasattr(values, "to_list") and values.null_count():
        values = _objects(values.to_list())
    elif isinstance(values, (list, tuple)) and dimensions == 1:
        values = _of_list(argument, values)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise _wrong(argument, f"is no array: {error}") from None
    if array.ndim != dimensions:
        shape = "is a single value" if array.ndim == 0 else f"has the shape {array.shape}"
        raise _wrong(argument, shape)
    return array


def _is_list(values: Any) -> bool:
    return hasattr(values, "__len__") or hasattr(values, "__array__")


def _objects(values: Any) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _of_list(argument: Argument, values: Any) -> Any:
    """A list as an array. NumPy would make numbers of texts that stand among them, and round whole numbers among others."""
    if all(type(value) is float for value in values):
        return values
    for place, value in enumerate(values):
        if _is_list(value) and not isinstance(value, (str, bytes)) and np.ndim(value) > 0:
            raise _wrong(argument, f"holds a {type(value).__name__} in place {place}")
    return _objects(values)


def _of_rows(argument: Argument, values: Any) -> Any:
    """A list of rows or a frame as an array of two dimensions, with elements as its rows or columns have them; NumPy would make one type of all."""
    name, element, _ = argument
    if isinstance(values, (list, tuple)):
        axis, place, pieces = 0, "{}", list(values)
    else:
        axis, place, pieces = 1, ":, {}", _columns_of(values)
    if not pieces:
        return values
    arrays = []
    for k, piece in enumerate(pieces):
        part = (f"{name}[{place.format(k)}]", element, 1)
        array = _array(part, piece)
        _checked_kind(part, array)
        arrays.append(array)
        if len(array) != len(arrays[0]):
            raise _wrong(argument, f"is no array: row 0 has {len(arrays[0])} elements, and row {k} has {len(array)}")
    if len({array.dtype for array in arrays}) > 1:
        arrays = [_as_reals(array) for array in arrays]
    if len({array.dtype for array in arrays}) > 1:
        arrays = [_objects(list(array)) for array in arrays]
    return np.stack(arrays, axis=axis)


def _columns_of(values: Any) -> list[Any]:
    """The columns of a frame; none of other data."""
    if _frame._is_pandas(values):
        return [values.iloc[:, k] for k in range(values.shape[1])]
    if _frame._is_polars(values):
        return list(values.get_columns())
    return list(values.columns) if _is_of("pyarrow", values) and hasattr(values, "columns") else []


def _as_reals(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers with fractions of 64 bits, if they hold all of these numbers."""
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        return array
    exact = array.astype(np.float64)
    return array if array.dtype.kind != "f" and np.any(_is_rounded(array, exact)) else exact


def _places(array: npt.NDArray[Any]) -> Any:
    """The elements with their places in words: `[3]`, `[2, 0]`; nothing for the only one."""
    for place in np.ndindex(array.shape):
        yield ("" if not place else f"[{', '.join(map(str, place))}]"), array[place]


def _first(array: npt.NDArray[Any], where: npt.NDArray[Any]) -> tuple[str, Any]:
    """The first element where a condition holds, with its place."""
    place = tuple(int(k) for k in np.argwhere(where)[0]) if array.ndim else ()
    return ("" if not place else f"[{', '.join(map(str, place))}]"), array[place]


def _refused(argument: Argument, place: str, value: Any) -> Exception:
    name = argument[0]
    is_number = isinstance(value, (numbers.Real, np.number, Decimal)) and not isinstance(value, (bool, np.bool_))
    of_type = ValueError if is_number and argument[1] != "text" else TypeError
    kind = f", of the type {type(value).__name__}" if of_type is TypeError else ""
    return of_type(f"`{name}{place}` is {_shown(value)}{kind}; `{name}` must be {wanted(argument)}")


def _shown(value: Any) -> str:
    # the types of NumPy write themselves too
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _missing(argument: Argument, array: npt.NDArray[Any], where: npt.NDArray[Any]) -> ValueError:
    place, _ = _first(array, where)
    count, name = int(np.sum(where)), argument[0]
    many = f" and {count - 1} more" if count > 1 else ""
    return ValueError(f"`{name}{place}`{many} has no value; fill it in, or leave such rows out of all data")


def _checked_kind(argument: Argument, array: npt.NDArray[Any]) -> None:
    """Refuses types of NumPy that hold no numbers."""
    if array.ndim == 0 and array.dtype.kind not in ("biufO" if argument[1] == "flag" else "iufO"):
        raise _refused(argument, "", array.item())
    if array.dtype.kind in "mM":
        raise _wrong(argument, f"has the dtype {array.dtype}: make numbers of dates, such as the days since a first one")
    if array.dtype.kind not in "biufO":
        raise _wrong(argument, f"has the dtype {array.dtype}")


def _reals(argument: Argument, array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    _checked_kind(argument, array)
    if array.dtype.kind == "b":
        raise _wrong(argument, "holds truth values; `.astype(float)` makes numbers of them")
    if array.dtype.kind == "O":
        numbers_of = [_real(argument, place, value) for place, value in _places(array)]
        exact = np.array(numbers_of, dtype=np.float64).reshape(array.shape)
    else:
        with np.errstate(over="ignore"):
            exact = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
        is_lost = np.isinf(exact) & ~np.isinf(array) if array.dtype.kind == "f" else _is_rounded(array, exact)
        if np.any(is_lost):
            place, value = _first(array, is_lost)
            raise ValueError(f"`{argument[0]}{place}` is {_shown(value)}, which no number of 64 bits with a fraction holds")
    where = np.isnan(exact)
    if argument[1] == "real" and np.any(where):
        raise _missing(argument, exact, where)
    return exact


def _is_rounded(array: npt.NDArray[Any], exact: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Where a whole number changed: beyond 2^53 some do."""
    if array.dtype.itemsize < 8 or array.dtype.kind == "b":
        return np.zeros(array.shape, dtype=bool)
    large = np.abs(exact) >= 2.0**53
    found = np.zeros(array.shape, dtype=bool)
    for place in np.argwhere(large):
        found[tuple(place)] = int(exact[tuple(place)]) != int(array[tuple(place)])
    return found


def _real(argument: Argument, place: str, value: Any) -> float:
    if _is_nothing(value):
        return float("nan")
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.number, Decimal)):
        raise _refused(argument, place, value)
    try:
        number = float(value)
    except (TypeError, OverflowError):
        raise _refused(argument, place, value) from None
    if isinstance(value, numbers.Integral) and int(number) != int(value):
        raise ValueError(f"`{argument[0]}{place}` is {_shown(value)}, which no number of 64 bits with a fraction holds")
    return number


def _is_nothing(value: Any) -> bool:
    try:
        return bool(_is_missing(value))
    except (TypeError, ValueError):
        return False


def _exact(argument: Argument, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers as they are, or as numbers without a fraction."""
    low, high, kind = _WHOLES[argument[1]]
    _checked_kind(argument, array)
    if array.dtype.kind == "b":
        raise _wrong(argument, "holds truth values; `.astype(int)` makes numbers of them")
    if array.dtype.kind == "f" and np.any(np.isnan(array)):
        raise _missing(argument, array, np.isnan(array))
    if array.dtype.kind in "iu" and (array.size == 0 or low <= int(array.min()) and int(array.max()) <= high):
        return np.ascontiguousarray(array).astype(kind).reshape(array.shape)
    wholes = [_whole(argument, place, value, low, high) for place, value in _places(array)]
    return np.array(wholes, dtype=kind).reshape(array.shape)


def _whole(argument: Argument, place: str, value: Any, low: int, high: int) -> int:
    if _is_nothing(value):
        raise ValueError(f"`{argument[0]}{place}` has no value; fill it in, or leave such rows out of all data")
    is_number = isinstance(value, (numbers.Real, np.number, Decimal)) and not isinstance(value, (bool, np.bool_))
    if not is_number or not _is_finite(value) or int(value) != value or not low <= int(value) <= high:
        raise _refused(argument, place, value)
    return int(value)


def _is_finite(value: Any) -> bool:
    try:
        return int(value) is not None
    except (OverflowError, ValueError, TypeError):
        return False


def _flags(argument: Argument, array: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    _checked_kind(argument, array)
    if array.dtype.kind == "f" and np.any(np.isnan(array)):
        raise _missing(argument, array, np.isnan(array))
    for place, value in _places(array):
        if _is_nothing(value):
            raise ValueError(f"`{argument[0]}{place}` has no value; fill it in, or leave such rows out of all data")
        if isinstance(value, str) or not np.ndim(value) == 0 or value not in (0, 1):
            raise _refused(argument, place, value)
    return np.ascontiguousarray(array).astype(bool).astype(np.uint64).reshape(array.shape)


def _text(argument: Argument, place: str, value: Any) -> str:
    if _is_nothing(value):
        raise ValueError(f"`{argument[0]}{place}` has no value; fill it in, or leave such rows out of all data")
    if not isinstance(value, str):
        raise _refused(argument, place, value)
    return str(value)


def given(arguments: list[Argument], frame: Optional[Any], keywords: Mapping[str, Any], function: str) -> list[Any]:
    """The data of all arguments: of keywords, and the others of the columns of a frame.

    Raises TypeError for an argument that is missing or does not exist.
    """
    names = [name for name, _, _ in arguments]
    for name in keywords:
        if name not in names:
            takes = ", ".join(f"`{known}`" for known in names) or "no data"
            raise TypeError(f"`{function}` has no argument `{name}`; it takes {takes}")
    of_frame, column = ([], None) if frame is None else columns(frame)
    found = []
    for name in names:
        if name in keywords:
            found.append(keywords[name])
        elif column is not None and name in of_frame:
            found.append(column(name))
        else:
            where = "" if frame is None else f"; the frame has the columns {', '.join(of_frame) or 'of nothing'}"
            needed = wanted(next(argument for argument in arguments if argument[0] == name))
            raise TypeError(f"`{function}` needs `{name}`: {needed}{where}")
    return found
