"""Columns that are lists, arrays of NumPy, or series."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Set
from typing import Any, Optional

from bayes._errors import BayesInputError

#: The kinds of NumPy's types that are read: truth values, whole numbers, numbers, texts of a fixed and of any length, and objects that are such.
_KINDS = "biufUTO"
_ADVICE = "numbers, truth values, texts and categories are read"
_OF_DATES = "; make a number of it, such as the days since a first one"


def column(name: str, values: Any) -> tuple[list[Any], Optional[list[str]]]:
    """The values of a column, and the order of its labels if it has one.

    Raises TypeError for what is no column of values that are read, and BayesInputError for categories that have the same label.
    """
    if isinstance(values, (Set, Mapping)):
        # a set has no order, and a dict would be its keys
        raise TypeError(f"column `{name}` is a {type(values).__name__}; it must be a list or an array, one value for each row")
    dtype = getattr(values, "dtype", None)
    if str(dtype).startswith("period["):
        raise TypeError(f"column `{name}` has the dtype {dtype}; {_ADVICE}{_OF_DATES}")
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        order = [_label(category) for category in list(categories)]
        _refuse_twins(name, order)
        values = [value if _is_missing(value) else _label(value) for value in list(values)]
        return values, order
    kind = getattr(dtype, "kind", None)
    if isinstance(kind, str) and kind not in _KINDS:
        raise TypeError(f"column `{name}` has the dtype {dtype}; {_ADVICE}{_OF_DATES if kind in 'mM' else ''}")
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) != 1:
        raise TypeError(f"column `{name}` has the shape {tuple(shape)}; a column has one dimension")
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(values, method):
            return _without_dates(name, getattr(values, method)()), None
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"column `{name}` is a {type(values).__name__}; it must be a list or an array, one value for each row")
    return _without_dates(name, list(values)), None


def _refuse_twins(name: str, order: list[str]) -> None:
    twins = [label for place, label in enumerate(order) if label in order[:place]]
    if twins:
        raise BayesInputError(
            f"column `{name}` has two categories that are both written `{twins[0]}`, such as a number and a text; give them names of their own"
        )


def _without_dates(name: str, values: Any) -> list[Any]:
    """The values of a column. Raises TypeError if the first of them is a date or a time."""
    first = next(((row, value) for row, value in enumerate(values) if value is not None), None)
    if first is not None and isinstance(first[1], (datetime.date, datetime.time, datetime.timedelta)):
        row, value = first
        raise TypeError(
            f"column `{name}` has a value of the type {type(value).__name__} in row {row} (from 0); {_ADVICE}{_OF_DATES}"
        )
    return list(values)


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _label(value: Any) -> str:
    """A category as a label: 3 and not 3.0, as formulas call labels that are numbers."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
