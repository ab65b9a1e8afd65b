"""Operations of PyTensor on single numbers, as instructions of LLVM. Numbers are doubles and 64-bit integers; truth values are the integers 0 and 1."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
from llvmlite import ir

DOUBLE, INT = ir.DoubleType(), ir.IntType(64)
#: Functions of the C library, by the names of classes in PyTensor.
_OF_C = {
    **{name: name.lower() for name in ("Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Sqrt", "Erf", "Erfc")},
    **{name: name.lower() for name in ("Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Ceil", "Floor", "Trunc")},
    "ArcTan": "atan",
    "ArcSin": "asin",
    "ArcCos": "acos",
    "Abs": "fabs",
    "GammaLn": "lgamma",
}
#: Those for which LLVM has an instruction of its own.
_INTRINSIC = {"sqrt", "fabs", "exp", "log", "ceil", "floor", "trunc"}
_COMPARISONS = {"LT": "<", "GT": ">", "LE": "<=", "GE": ">=", "EQ": "==", "NEQ": "!="}
_ARITHMETIC = {"Add": ("fadd", "add"), "Mul": ("fmul", "mul"), "Sub": ("fsub", "sub")}
_BITS = {"AND": "and_", "OR": "or_", "XOR": "xor"}


class Unsupported(Exception):
    """What is not known here; numba compiles such a graph."""


def kind(variable: Any) -> Any:
    """The type of the numbers of a variable."""
    dtype = variable.type.dtype
    if dtype in ("float64", "float32"):
        return DOUBLE
    if dtype == "bool" or (dtype.startswith(("int", "uint")) and dtype != "uint64"):
        return INT
    raise Unsupported(f"numbers of the type {dtype}")


def constant(variable: Any) -> Any:
    """The value of a constant as doubles or 64-bit integers; single precision is exact as double."""
    data = getattr(variable, "data", None)
    if data is None or not hasattr(variable.type, "dtype"):
        raise Unsupported("a part of the graph that is no constant")
    data = np.asarray(data)
    if data.dtype.kind == "f" and data.dtype.itemsize <= 8:
        return data.astype(np.float64)
    if data.dtype.kind in "biu" and data.dtype != np.uint64:
        return data.astype(np.int64)
    raise Unsupported(f"numbers of the type {data.dtype}")


def indices(given: Sequence[Any], listed: Any) -> list[Any]:
    """The constant indices of a part of an array."""
    from pytensor.tensor.subtensor import indices_from_subtensor

    def number(index: Any) -> Any:
        return None if index is None else int(constant(index)) if hasattr(index, "type") else int(index)

    return [
        slice(number(index.start), number(index.stop), number(index.step)) if isinstance(index, slice) else number(index)
        for index in indices_from_subtensor(given, listed)
    ]


def is_scalar(op: Any) -> bool:
    """Whether an operation is one of single numbers."""
    from pytensor.scalar.basic import ScalarOp

    return isinstance(op, ScalarOp)


def node(op: Any, of: Any) -> Any:
    """The application of an operation to single numbers of these types."""
    from pytensor.scalar.basic import get_scalar_type

    if of.op is op:
        return of
    return op.make_node(*(get_scalar_type(dtype=given.type.dtype)() for given in of.inputs))


def applied(builder: Any, node: Any, given: Sequence[Any]) -> list[Any]:
    """The outputs of an operation on numbers."""
    if type(node.op).__name__ == "Composite":
        graph = node.op.fgraph
        known = dict(zip(graph.inputs, given))
        for inner in graph.toposort():
            found = applied(builder, inner, [_known(known, variable) for variable in inner.inputs])
            known.update(zip(inner.outputs, found))
        return [_known(known, variable) for variable in graph.outputs]
    wanted, dtype = kind(node.outputs[0]), node.outputs[0].type.dtype
    # what chooses among numbers does not leave their range
    if dtype not in ("float64", "float32", "int64", "bool") and type(node.op).__name__ not in ("Identity", "Second", "Switch"):
        raise Unsupported(f"arithmetic of numbers of the type {dtype}")
    found = converted(builder, _one(builder, node, list(given), wanted), wanted)
    if dtype == "float32":
        # constants of PyMC, such as the logarithm of 2
        found = builder.fpext(builder.fptrunc(found, ir.FloatType()), DOUBLE)
    return [found]


def _known(known: dict[Any, Any], variable: Any) -> Any:
    if variable not in known:
        number = constant(variable)
        known[variable] = DOUBLE(float(number)) if number.dtype == np.float64 else INT(int(number))
    return known[variable]


def _one(builder: Any, node: Any, given: list[Any], wanted: Any) -> Any:
    """An operation with one result, which may still be of another type."""
    name = type(node.op).__name__
    if name in _ARITHMETIC:
        first, *others = (converted(builder, number, wanted) for number in given)
        method = _ARITHMETIC[name][wanted is INT]
        if node.outputs[0].type.dtype == "bool":
            # NumPy takes the sum of truth values as whether one is true
            method = {"Add": "or_", "Mul": "and_"}[name]
        for other in others:
            first = getattr(builder, method)(first, other)
        return first
    if name in _COMPARISONS:
        return _compared(builder, _COMPARISONS[name], *given)
    if name in _BITS and wanted is INT:
        return getattr(builder, _BITS[name])(*(converted(builder, number, INT) for number in given))
    if name == "Invert" and node.outputs[0].type.dtype == "bool":
        return builder.xor(given[0], INT(1))
    if name == "Switch":
        condition, *values = given
        values = [converted(builder, value, wanted) for value in values]
        return builder.select(_is_true(builder, condition), *values)
    if name == "Cast":
        return _cast(builder, node, given[0])
    if name in ("Identity", "Second"):
        return given[-1]
    if wanted is DOUBLE:
        return _of_doubles(builder, name, [converted(builder, number, DOUBLE) for number in given])
    if name in ("IsNan", "IsInf"):
        x = converted(builder, given[0], DOUBLE)
        if name == "IsNan":
            return builder.fcmp_unordered("uno", x, x)
        return builder.fcmp_ordered("==", call(builder, "fabs", x), DOUBLE(math.inf))
    raise Unsupported(f"the operation {name} of whole numbers")


def _cast(builder: Any, node: Any, given: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    if dtype == "bool":
        return _is_true(builder, given)
    if dtype == "int64" and given.type == DOUBLE:
        raise Unsupported("a conversion to whole numbers")
    return given


def _is_true(builder: Any, number: Any) -> Any:
    if number.type == DOUBLE:
        return builder.fcmp_unordered("!=", number, DOUBLE(0.0))
    return builder.icmp_signed("!=", number, number.type(0))


def _compared(builder: Any, sign: str, left: Any, right: Any) -> Any:
    if left.type == DOUBLE or right.type == DOUBLE:
        both = [converted(builder, number, DOUBLE) for number in (left, right)]
        # NaN differs from all
        return builder.fcmp_unordered(sign, *both) if sign == "!=" else builder.fcmp_ordered(sign, *both)
    return builder.icmp_signed(sign, left, right)


def converted(builder: Any, number: Any, wanted: Any) -> Any:
    """A number as a double or an integer; only truth values and integers change."""
    if number.type == wanted:
        return number
    if number.type == ir.IntType(1):
        number = builder.zext(number, INT)
        return number if wanted == INT else builder.sitofp(number, DOUBLE)
    if wanted == DOUBLE:
        return builder.sitofp(number, DOUBLE)
    raise Unsupported("a double as an integer")


def call(builder: Any, name: str, *given: Any) -> Any:
    """A function of the C library, or LLVM's own."""
    name = f"llvm.{name}.f64" if name in _INTRINSIC else name
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(DOUBLE, [DOUBLE] * len(given)), name)
    return builder.call(function, given)


def functions_of(text: str) -> list[str]:
    """The functions of the C library that a module calls."""
    declared = re.findall(r'declare [^@]*@"?([\w.]+)"?\(', text)
    of_llvm = {f"llvm.{name}.f64": name for name in _INTRINSIC}
    return [of_llvm.get(name, name) for name in declared]


def larger(builder: Any, x: Any, y: Any, sign: str) -> Any:
    """The larger, or the smaller, of two; NaN if one is."""
    is_first = builder.or_(builder.fcmp_ordered(sign, x, y), builder.fcmp_unordered("uno", x, x))
    return builder.select(is_first, x, y)


def _clipped(builder: Any, x: Any, low: Any, high: Any) -> Any:
    """A number within bounds; the lower one first where they are crossed, and none that is NaN."""
    above = builder.select(builder.fcmp_ordered(">", x, high), high, x)
    return builder.select(builder.fcmp_ordered("<", x, low), low, above)


def _softplus(builder: Any, x: Any) -> Any:
    """`log(1 + exp(x))` without overflow."""
    small = call(builder, "log1p", call(builder, "exp", builder.fneg(call(builder, "fabs", x))))
    return builder.fadd(builder.select(builder.fcmp_ordered(">", x, DOUBLE(0.0)), x, DOUBLE(0.0)), small)


def _log1mexp(builder: Any, x: Any) -> Any:
    """`log(1 - exp(x))` by the form that keeps the digits (Mächler 2012)."""
    is_far = builder.fcmp_ordered("<", x, DOUBLE(-math.log(2)))
    far = call(builder, "log1p", builder.fneg(call(builder, "exp", x)))
    near = call(builder, "log", builder.fneg(call(builder, "expm1", x)))
    return builder.select(is_far, far, near)


def _sign(builder: Any, x: Any) -> Any:
    # that of -0 is 0
    low = builder.select(builder.fcmp_ordered("<", x, DOUBLE(0.0)), DOUBLE(-1.0), builder.fadd(x, DOUBLE(0.0)))
    return builder.select(builder.fcmp_ordered(">", x, DOUBLE(0.0)), DOUBLE(1.0), low)


def _sigmoid(builder: Any, x: Any) -> Any:
    return builder.fdiv(DOUBLE(1.0), builder.fadd(DOUBLE(1.0), call(builder, "exp", builder.fneg(x))))


#: Coefficients `B_2k / 2k` of the asymptotic series of the digamma function in powers of `1 / x²` (Abramowitz and Stegun 1964, 6.3.18).
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _psi(builder: Any, x: Any) -> Any:
    """The digamma function: by reflection below 0, by recurrence to 10, from where the series has all digits; NaN at 0, -1, -2, ..."""
    function = builder.module.globals.get("digamma")
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(DOUBLE, [DOUBLE]), "digamma")
        function.linkage = "internal"
        _define_psi(ir.IRBuilder(function.append_basic_block("entry")), function.args[0])
    return builder.call(function, [x])


def _define_psi(builder: Any, x: Any) -> None:
    function = builder.function
    is_low = builder.fcmp_ordered("<=", x, DOUBLE(0.0))
    start = builder.select(is_low, builder.fsub(DOUBLE(1.0), x), x)
    before = builder.block
    head, body, after = (function.append_basic_block(name) for name in ("head", "body", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    y, total = builder.phi(DOUBLE), builder.phi(DOUBLE)
    builder.cbranch(builder.fcmp_ordered("<", y, DOUBLE(10.0)), body, after)
    builder.position_at_end(body)
    less = builder.fsub(total, builder.fdiv(DOUBLE(1.0), y))
    more = builder.fadd(y, DOUBLE(1.0))
    builder.branch(head)
    for phi, first, following in ((y, start, more), (total, DOUBLE(0.0), less)):
        phi.add_incoming(first, before)
        phi.add_incoming(following, body)
    builder.position_at_end(after)
    inverse = builder.fdiv(DOUBLE(1.0), y)
    square = builder.fmul(inverse, inverse)
    series = DOUBLE(0.0)
    for coefficient in reversed(_DIGAMMA):
        series = builder.fmul(square, builder.fadd(DOUBLE(coefficient), series))
    found = builder.fsub(call(builder, "log", y), builder.fadd(builder.fmul(DOUBLE(0.5), inverse), series))
    found = builder.fadd(found, total)
    reflected = builder.fdiv(DOUBLE(math.pi), call(builder, "tan", builder.fmul(DOUBLE(math.pi), x)))
    is_pole = builder.and_(is_low, builder.fcmp_ordered("==", x, call(builder, "floor", x)))
    found = builder.select(is_low, builder.fsub(found, reflected), found)
    builder.ret(builder.select(is_pole, DOUBLE(math.nan), found))


#: Operations on doubles that are none of the C library.
_OTHERS: dict[str, Callable[..., Any]] = {
    "Clip": _clipped,
    "Log1mexp": _log1mexp,
    "Maximum": lambda b, x, y: larger(b, x, y, ">"),
    "Minimum": lambda b, x, y: larger(b, x, y, "<"),
    "Neg": lambda b, x: b.fneg(x),
    "Pow": lambda b, x, y: call(b, "pow", x, y),
    "Psi": _psi,
    "Reciprocal": lambda b, x: b.fdiv(DOUBLE(1.0), x),
    "Sigmoid": _sigmoid,
    "Sign": _sign,
    "Softplus": _softplus,
    "Sqr": lambda b, x: b.fmul(x, x),
    "TrueDiv": lambda b, x, y: b.fdiv(x, y),
}


def _of_doubles(builder: Any, name: str, given: list[Any]) -> Any:
    if name in _OF_C:
        return call(builder, _OF_C[name], *given)
    if name in _OTHERS:
        return _OTHERS[name](builder, *given)
    raise Unsupported(f"the operation {name}")


def reduction(builder: Any, op: Any, wanted: Any, flags: Sequence[str]) -> tuple[Any, Callable[[Any, Any], Any]]:
    """The first value of a reduction, and what takes another number into it."""
    name = type(op).__name__
    if wanted is DOUBLE and name in ("Add", "Mul"):
        method = builder.fadd if name == "Add" else builder.fmul
        return DOUBLE(0.0 if name == "Add" else 1.0), lambda total, number: method(total, number, flags=flags)
    if wanted is DOUBLE and name in ("Maximum", "Minimum"):
        sign = ">" if name == "Maximum" else "<"
        return DOUBLE(-math.inf if sign == ">" else math.inf), lambda total, number: larger(builder, number, total, sign)
    if wanted is INT and name in ("Add", "Mul", "AND", "OR"):
        method = getattr(builder, _ARITHMETIC[name][1] if name in _ARITHMETIC else _BITS[name])
        # all bits of -1 are set
        return INT({"Mul": 1, "AND": -1}.get(name, 0)), method
    raise Unsupported(f"a reduction by {name}")
