"""Arrays of numbers in memory, with shapes that are known when code for them is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayes._llvm_scalars import Unsupported


@dataclass
class Numbers:
    """Numbers in memory, or one number that stands for all; shapes and strides count elements."""

    kind: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    pointer: Any = None
    offset: int = 0
    value: Any = None

    def is_contiguous(self) -> bool:
        return self.pointer is not None and self.strides == contiguous(self.shape)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array without gaps, the last index fastest."""
    strides = [1]
    for length in reversed(shape[1:]):
        strides.append(strides[-1] * length)
    return tuple(reversed(strides)) if shape else ()


def broadcast(array: Numbers, shape: tuple[int, ...]) -> Numbers:
    """The array as one of this shape, in which its axes of length 1 repeat."""
    missing = len(shape) - len(array.shape)
    if missing < 0:
        raise Unsupported("an array has more axes than what it is broadcast to")
    strides = [0] * missing
    for length, wanted, stride in zip(array.shape, shape[missing:], array.strides):
        if length not in (1, wanted):
            raise Unsupported("arrays do not fit together")
        strides.append(stride if length == wanted and length != 1 else 0)
    return Numbers(array.kind, shape, tuple(strides), array.pointer, array.offset, array.value)


def view(array: Numbers, indices: Sequence[Any]) -> Numbers:
    """A part of an array, in the same memory."""
    offset, shape, strides = array.offset, [], []
    for index, length, stride in zip(indices, array.shape, array.strides):
        if isinstance(index, slice):
            places = range(*index.indices(length))
            offset += places.start * stride if len(places) else 0
            shape.append(len(places))
            strides.append(places.step * stride)
        elif -length <= index < length:
            offset += index % length * stride
        else:
            raise Unsupported("an index out of range")
    rest = len(indices)
    whole = (*shape, *array.shape[rest:]), (*strides, *array.strides[rest:])
    return Numbers(array.kind, *whole, array.pointer, offset, array.value)
