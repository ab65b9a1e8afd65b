"""Softmax functions of graphs and their gradients, as loops of LLVM: what `Dirichlet` has under its transform."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable

from bayes import _llvm_scalars as scalars
from bayes._llvm_scalars import DOUBLE


def softmax(function: Any, node: Any, shape: tuple[int, ...]) -> Any:
    """`exp(x)` over its sum along an axis, or along all."""
    given, target = function.array(node.inputs[0]), function.fresh(DOUBLE, shape)
    builder = function.builder
    largest, total = function.slot(DOUBLE), function.slot(DOUBLE)
    with _lines(function, shape, node.op.axis) as (along, at):
        _largest(function, given, along, at, largest)
        builder.store(DOUBLE(0.0), total)
        with function.places(along) as inner:
            shifted = builder.fsub(function.load(given, at(inner)), builder.load(largest, typ=DOUBLE))
            part = scalars.call(builder, "exp", shifted)
            function.store(target, at(inner), part)
            _add(builder, total, part)
        with function.places(along) as inner:
            share = builder.fdiv(function.load(target, at(inner)), builder.load(total, typ=DOUBLE))
            function.store(target, at(inner), share)
    return target


def log_softmax(function: Any, node: Any, shape: tuple[int, ...]) -> Any:
    """`x` less the logarithm of the sum of `exp(x)` along an axis, or along all."""
    given, target = function.array(node.inputs[0]), function.fresh(DOUBLE, shape)
    builder = function.builder
    largest, total = function.slot(DOUBLE), function.slot(DOUBLE)
    with _lines(function, shape, node.op.axis) as (along, at):
        _largest(function, given, along, at, largest)
        builder.store(DOUBLE(0.0), total)
        with function.places(along) as inner:
            shifted = builder.fsub(function.load(given, at(inner)), builder.load(largest, typ=DOUBLE))
            _add(builder, total, scalars.call(builder, "exp", shifted))
        log_total = scalars.call(builder, "log", builder.load(total, typ=DOUBLE))
        with function.places(along) as inner:
            shifted = builder.fsub(function.load(given, at(inner)), builder.load(largest, typ=DOUBLE))
            function.store(target, at(inner), builder.fsub(shifted, log_total))
    return target


def softmax_grad(function: Any, node: Any, shape: tuple[int, ...]) -> Any:
    """`s (g - sum(g s))` of the slopes `g` and the softmax `s`."""
    slopes, shares = (function.array(given) for given in node.inputs)
    builder, target, total = function.builder, function.fresh(DOUBLE, shape), function.slot(DOUBLE)
    with _lines(function, shape, node.op.axis) as (along, at):
        builder.store(DOUBLE(0.0), total)
        with function.places(along) as inner:
            _add(builder, total, builder.fmul(function.load(slopes, at(inner)), function.load(shares, at(inner))))
        with function.places(along) as inner:
            less = builder.fsub(function.load(slopes, at(inner)), builder.load(total, typ=DOUBLE))
            function.store(target, at(inner), builder.fmul(function.load(shares, at(inner)), less))
    return target


@contextmanager
def _lines(function: Any, shape: tuple[int, ...], axis: Any) -> Iterator[tuple[list[int], Callable[[list[Any]], list[Any]]]]:
    """Loops over all lines along an axis: the lengths along it, and the place of a place on a line. One line has all places without an axis."""
    axes = list(range(len(shape))) if axis is None else [axis % len(shape)]
    with function.places([length for k, length in enumerate(shape) if k not in axes]) as outer:

        def at(inner: list[Any]) -> list[Any]:
            known, rest = dict(zip(axes, inner)), iter(outer)
            return [known[k] if k in known else next(rest) for k in range(len(shape))]

        yield [shape[k] for k in axes], at


def _largest(function: Any, given: Any, along: list[int], at: Callable[[list[Any]], list[Any]], largest: Any) -> None:
    builder = function.builder
    builder.store(DOUBLE(-math.inf), largest)
    with function.places(along) as inner:
        number, before = function.load(given, at(inner)), builder.load(largest, typ=DOUBLE)
        builder.store(scalars.larger(builder, number, before, ">"), largest)


def _add(builder: Any, total: Any, number: Any) -> None:
    builder.store(builder.fadd(builder.load(total, typ=DOUBLE), number), total)
