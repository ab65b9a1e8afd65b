"""Graphs of PyTensor as C functions, by LLVM alone.

numba compiles a graph operation by operation, each with its types, its arrays and its own module: seconds for eight schools. Here every shape is known, an
operation is a loop over numbers in memory that is set aside once, and LLVM compiles them all at once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Callable

import numpy as np
from llvmlite import ir

from bayes import _llvm_scalars as scalars
from bayes import _llvm_softmax
from bayes._arrays import Array
from bayes._llvm_arrays import Numbers, broadcast, contiguous, view
from bayes._llvm_scalars import DOUBLE, INT, Unsupported

#: A sum may be split over the lanes of the processor; its order is fixed when it is compiled.
_IN_ANY_ORDER = ("reassoc", "nsz")
_VOID = ir.VoidType()


def check(graph: Any) -> None:
    """Raises Unsupported for a graph with an operation that is not known here."""
    for node in graph.apply_nodes:
        name = type(node.op).__name__
        if name != "Elemwise" and name not in _OPERATIONS and not scalars.is_scalar(node.op):
            raise Unsupported(f"the operation {name}")


def joint(graph: Any, shapes: dict[Any, tuple[int, ...]], lengths: Sequence[int]) -> tuple[int, int, Any]:
    """The addresses of two C functions of blocks, of values and of gradients too, and their owner.

    graph: an optimised `FunctionGraph` of a vector and two weights, whose outputs are the log prior, the log likelihood, and the parts of the gradient of
        their weighted sum, which have these lengths. shapes: of all its variables.

    Raises Unsupported for an operation that is not known here.
    """
    module = ir.Module("densities")
    kept: list[Any] = []
    for name, count in (("values", 2), ("gradients", len(graph.outputs))):
        one, scratch = _Function(module, name, kept).of_one(graph, shapes, lengths[: count - 2], count)
        _of_block(module, f"of_{name}", one, scratch)
    engine = _engine(str(module))
    addresses = [engine.get_function_address(f"of_{name}") for name in ("values", "gradients")]
    return addresses[0], addresses[1], (engine, kept)


def _engine(text: str) -> Any:
    """The machine code of a module for this processor."""
    import llvmlite.binding as llvm

    if not hasattr(llvm, "create_pass_builder"):
        raise Unsupported("an older llvmlite")
    from numba.core.codegen import get_host_cpu_features

    # a loop that copies becomes a call; a function that is not found would end the process
    for name in (*scalars.functions_of(text), "memcpy", "memset"):
        if not llvm.address_of_symbol(name):
            raise Unsupported(f"the C library has no `{name}`")
    # numba has initialised LLVM
    try:
        return _compiled(llvm, text, get_host_cpu_features())
    except RuntimeError as error:
        # what llvmlite raises for all that LLVM refuses
        raise Unsupported(f"LLVM: {error}") from error


def _compiled(llvm: Any, text: str, features: str) -> Any:
    """The machine code of a module for a processor with these features."""
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(opt=3, cpu=llvm.get_host_cpu_name(), features=features)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def _of_block(module: Any, name: str, one: Any, scratch: int) -> None:
    """The function of a block: `(particles, dim, positions, weights, log_prior, log_likelihood, gradient)`. Without memory it leaves all as it was."""
    pointer = DOUBLE.as_pointer()
    function = ir.Function(module, ir.FunctionType(_VOID, [INT, INT, *[pointer] * 5]), name)
    particles, dim, x, weights, prior, likelihood, gradient = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    memory = builder.call(_of_c(module, "malloc", pointer, INT), [INT(8 * max(scratch, 1))])
    is_there = builder.icmp_signed("!=", builder.ptrtoint(memory, INT), INT(0))
    with builder.if_then(builder.and_(is_there, builder.icmp_signed(">", particles, INT(0)))):
        with _loop(builder, particles) as i:
            row = builder.mul(i, dim)
            at = [_moved(builder, array, by) for array, by in ((x, row), (prior, i), (likelihood, i), (gradient, row))]
            builder.call(one, [at[0], weights, memory, *at[1:]])
    builder.call(_of_c(module, "free", _VOID, pointer), [memory])
    builder.ret_void()


def _of_c(module: Any, name: str, result: Any, argument: Any) -> Any:
    """A function of the C library."""
    known = module.globals.get(name)
    return known or ir.Function(module, ir.FunctionType(result, [argument]), name)


def _moved(builder: Any, pointer: Any, by: Any) -> Any:
    return builder.gep(pointer, [by], source_etype=DOUBLE)


@contextmanager
def _loop(builder: Any, count: Any) -> Iterator[Any]:
    """A loop with this number of turns, 1 or more; its counter."""
    before = builder.block
    head, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(INT)
    index.add_incoming(INT(0), before)
    yield index
    following = builder.add(index, INT(1))
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, count), head, after)
    builder.position_at_end(after)


class _Function:
    """The function of one position, operation by operation. Memory is written once: what a graph computes in place has a place of its own here."""

    def __init__(self, module: Any, name: str, kept: list[Any]) -> None:
        pointer = DOUBLE.as_pointer()
        self._function = ir.Function(module, ir.FunctionType(_VOID, [pointer] * 6), name)
        self._function.linkage = "internal"
        # no two of them overlap
        for argument in self._function.args:
            argument.add_attribute("noalias")
        self.builder = ir.IRBuilder(self._function.append_basic_block("entry"))
        self._scratch = 0
        self._kept = kept
        self._known: dict[Any, Numbers] = {}

    def of_one(self, graph: Any, shapes: dict[Any, tuple[int, ...]], lengths: Sequence[int], count: int) -> tuple[Any, int]:
        """The function of the first `count` outputs, and how many numbers it needs as scratch."""
        x, weights, _, prior, likelihood, gradient = self._function.args
        for variable, pointer in zip(graph.inputs, (x, weights)):
            shape = shapes[variable]
            self._known[variable] = Numbers(DOUBLE, shape, contiguous(shape), pointer)
        wanted = graph.outputs[:count]
        needed = _ancestors(wanted)
        for node in graph.toposort():
            if node in needed:
                self._operation(node, shapes)
        for variable, pointer in zip(wanted, (prior, likelihood)):
            self.store(Numbers(DOUBLE, (), (), pointer), [], self.load(self._at_zero(variable), []))
        begin = 0
        for variable, length in zip(wanted[2:], lengths):
            part = self.array(variable)
            if int(np.prod(part.shape)) != length:
                raise Unsupported("a part of the gradient has another length than its variable")
            at = Numbers(DOUBLE, part.shape, contiguous(part.shape), gradient, begin)
            self._copy(part, at)
            begin += length
        self.builder.ret_void()
        return self._function, self._scratch

    def _at_zero(self, variable: Any) -> Numbers:
        """A number, as the array without dimensions."""
        array = self.array(variable)
        if any(length != 1 for length in array.shape):
            raise Unsupported("a log density is no number")
        return Numbers(array.kind, (), (), array.pointer, array.offset, array.value)

    def array(self, variable: Any) -> Numbers:
        found = self._known.get(variable)
        if found is None:
            found = self._known[variable] = self._constant(scalars.constant(variable))
        return found

    def _constant(self, data: Any) -> Numbers:
        kind = DOUBLE if data.dtype == np.float64 else INT
        if data.size == 1:
            number = data.reshape(-1)[0]
            value = DOUBLE(float(number)) if kind is DOUBLE else INT(int(number))
            return Numbers(kind, data.shape, (0,) * data.ndim, value=value)
        whole = np.ascontiguousarray(data)
        self._kept.append(whole)
        pointer = INT(whole.ctypes.data).inttoptr(kind.as_pointer())
        return Numbers(kind, whole.shape, contiguous(whole.shape), pointer)

    def fresh(self, kind: Any, shape: tuple[int, ...]) -> Numbers:
        """Memory of its own."""
        begin = self._scratch
        self._scratch += int(np.prod(shape))
        return Numbers(kind, shape, contiguous(shape), self._function.args[2], begin)

    def slot(self, kind: Any) -> Any:
        """A place for a total, which LLVM keeps in a register."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind)

    def _address(self, array: Numbers, places: Sequence[Any]) -> Any:
        builder, at = self.builder, INT(array.offset)
        for place, stride in zip(places, array.strides):
            if stride:
                at = builder.add(at, builder.mul(place, INT(stride)))
        pointer = builder.bitcast(array.pointer, array.kind.as_pointer())
        return builder.gep(pointer, [at], source_etype=array.kind)

    def load(self, array: Numbers, places: Sequence[Any]) -> Any:
        if array.value is not None:
            return array.value
        return self.builder.load(self._address(array, places), typ=array.kind)

    def store(self, array: Numbers, places: Sequence[Any], value: Any) -> None:
        self.builder.store(scalars.converted(self.builder, value, array.kind), self._address(array, places))

    @contextmanager
    def places(self, shape: Sequence[int]) -> Iterator[list[Any]]:
        """Loops over all places of a shape. Raises Unsupported for one that has none, since a loop makes at least one turn."""
        if 0 in shape:
            raise Unsupported("an array is empty")
        with ExitStack() as stack:
            yield [INT(0) if n == 1 else stack.enter_context(_loop(self.builder, INT(n))) for n in shape]

    def _copy(self, source: Numbers, target: Numbers) -> None:
        source = broadcast(source, target.shape)
        with self.places(target.shape) as places:
            self.store(target, places, self.load(source, places))

    def _copied(self, source: Numbers) -> Numbers:
        target = self.fresh(source.kind, source.shape)
        self._copy(source, target)
        return target

    def _operation(self, node: Any, shapes: dict[Any, tuple[int, ...]]) -> None:
        """Computes the outputs of a node."""
        outputs = [shapes[output] for output in node.outputs]
        if any(0 in shape for shape in outputs):
            raise Unsupported("an array is empty")
        name = type(node.op).__name__
        if name == "Elemwise":
            found = self._elementwise(node, node.op.scalar_op, outputs[0])
        elif scalars.is_scalar(node.op):
            found = self._elementwise(node, node.op, ())
        elif name in _OPERATIONS:
            found = _OPERATIONS[name](self, node, outputs)
        else:
            raise Unsupported(f"the operation {name}")
        for variable, array, shape in zip(node.outputs, found, outputs):
            if array.shape != shape or array.kind != scalars.kind(variable):
                raise Unsupported(f"the operation {name} of an array of another shape or type")
            self._known[variable] = array

    def _elementwise(self, node: Any, op: Any, shape: tuple[int, ...]) -> list[Numbers]:
        inputs = [broadcast(self.array(given), shape) for given in node.inputs]
        kinds = [scalars.kind(output) for output in node.outputs]
        inner = scalars.node(op, node)
        if all(length == 1 for length in shape):
            found = scalars.applied(self.builder, inner, [self.load(array, [INT(0)] * len(shape)) for array in inputs])
            return [Numbers(kind, shape, (0,) * len(shape), value=value) for kind, value in zip(kinds, found)]
        outputs = [self.fresh(kind, shape) for kind in kinds]
        with self.places(shape) as places:
            found = scalars.applied(self.builder, inner, [self.load(array, places) for array in inputs])
            for array, value in zip(outputs, found):
                self.store(array, places, value)
        return outputs

    def _reduced(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        """A sum, a product, the largest or the smallest number, or whether all or any are true, over some axes."""
        [given] = (self.array(given) for given in node.inputs)
        kind = scalars.kind(node.outputs[0])
        axes = range(len(given.shape)) if node.op.axis is None else [axis % len(given.shape) for axis in node.op.axis]
        start, together = scalars.reduction(self.builder, node.op.scalar_op, kind, _IN_ANY_ORDER)
        total, target = self.slot(kind), self.fresh(kind, outputs[0])
        with self.places(target.shape) as kept:
            self.builder.store(start, total)
            with self.places([given.shape[axis] for axis in axes]) as reduced:
                remaining, inner = iter(kept), dict(zip(axes, reduced))
                places = [inner[axis] if axis in inner else next(remaining) for axis in range(len(given.shape))]
                value = scalars.converted(self.builder, self.load(given, places), kind)
                self.builder.store(together(self.builder.load(total, typ=kind), value), total)
            self.store(target, kept, self.builder.load(total, typ=kind))
        return [target]

    def _product(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        """The product of two vectors or matrices."""
        left, right = (self.array(given) for given in node.inputs)
        if left.kind is not DOUBLE or right.kind is not DOUBLE:
            raise Unsupported("a product of whole numbers")
        builder, target = self.builder, self.fresh(DOUBLE, outputs[0])
        rows, between = len(left.shape) - 1, left.shape[-1]

        def added(kept: list[Any], k: Any, total: Any) -> None:
            """The product at `k` into the total, which is in memory."""
            product = builder.fmul(self.load(left, [*kept[:rows], k]), self.load(right, [k, *kept[rows:]]))
            builder.store(builder.fadd(builder.load(total, typ=DOUBLE), product, flags=_IN_ANY_ORDER), total)

        # the inner loop is over what lies side by side
        if rows and left.strides[-1] != 1 and left.value is None:
            self._copy(Numbers(DOUBLE, (), (), value=DOUBLE(0.0)), target)
            with self.places([between, *target.shape]) as (k, *kept):
                added(kept, k, self._address(target, kept))
            return [target]
        total = self.slot(DOUBLE)
        with self.places(target.shape) as kept:
            builder.store(DOUBLE(0.0), total)
            with self.places([between]) as [k]:
                added(kept, k, total)
            self.store(target, kept, builder.load(total, typ=DOUBLE))
        return [target]

    def _gathered(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        """Rows by their places."""
        given, index = self.array(node.inputs[0]), self._rows(node.inputs[1], node.inputs[0])
        target = self.fresh(given.kind, outputs[0])
        with self.places(target.shape) as places:
            row = self.load(index, places[:1])
            self.store(target, places, self.load(given, [row, *places[1:]]))
        return [target]

    def _rows(self, variable: Any, of: Any) -> Numbers:
        """Places of rows, from the first on."""
        length = self.array(of).shape[0]
        rows = scalars.constant(variable)
        if rows.dtype.kind not in "i" or rows.ndim != 1 or (rows < -length).any() or (rows >= length).any():
            raise Unsupported("an index that is no vector of places")
        return self._constant(np.where(rows < 0, rows + length, rows).astype(np.int64))

    def _scattered(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        """An array in which rows by their places were set, or added to."""
        given, rows = self.array(node.inputs[0]), self._rows(node.inputs[2], node.inputs[0])
        target = self._copied(given)
        shape = (*rows.shape, *given.shape[1:])
        added = broadcast(self.array(node.inputs[1]), shape)
        with self.places(shape) as places:
            at = [self.load(rows, places[:1]), *places[1:]]
            self._changed(node, target, at, self.load(added, places))
        return [target]

    def _changed(self, node: Any, target: Numbers, places: Sequence[Any], value: Any) -> None:
        """Sets a number, or adds to it."""
        if not node.op.set_instead_of_inc:
            before = self.load(target, places)
            value = scalars.converted(self.builder, value, target.kind)
            value = self.builder.fadd(before, value) if target.kind is DOUBLE else self.builder.add(before, value)
        self.store(target, places, value)

    def _part(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        return [view(self.array(node.inputs[0]), scalars.indices(node.inputs[1:], node.op.idx_list))]

    def _part_changed(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        """An array in which a part was set, or added to."""
        target = self._copied(self.array(node.inputs[0]))
        part = view(target, scalars.indices(node.inputs[2:], node.op.idx_list))
        added = broadcast(self.array(node.inputs[1]), part.shape)
        with self.places(part.shape) as places:
            self._changed(node, part, places, self.load(added, places))
        return [target]

    def _joined(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        parts = [self.array(given) for given in node.inputs[1:]]
        axis = int(scalars.constant(node.inputs[0])) % len(outputs[0])
        target, begin = self.fresh(scalars.kind(node.outputs[0]), outputs[0]), 0
        for part in parts:
            end = begin + part.shape[axis]
            self._copy(part, view(target, [slice(None)] * axis + [slice(begin, end)]))
            begin = end
        return [target]

    def _split(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        given, axis = self.array(node.inputs[0]), int(scalars.constant(node.inputs[1])) % len(outputs[0])
        ends = np.cumsum([shape[axis] for shape in outputs])
        before: list[Any] = [slice(None)] * axis
        return [view(given, [*before, slice(end - shape[axis], end)]) for shape, end in zip(outputs, ends)]

    def _vector(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        target = self.fresh(scalars.kind(node.outputs[0]), outputs[0])
        for place, given in enumerate(node.inputs):
            self.store(target, [INT(place)], self.load(self._at_zero(given), []))
        return [target]

    def _reshaped(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        given = self.array(node.inputs[0])
        if given.value is not None:
            return [Numbers(given.kind, outputs[0], (0,) * len(outputs[0]), value=given.value)]
        whole = given if given.is_contiguous() else self._copied(given)
        return [Numbers(whole.kind, outputs[0], contiguous(outputs[0]), whole.pointer, whole.offset)]

    def _filled(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        return [broadcast(self.array(node.inputs[0]), outputs[0])]

    def _shuffled(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        given = self.array(node.inputs[0])
        order = node.op.new_order
        strides = tuple(0 if axis == "x" else given.strides[axis] for axis in order)
        shape = tuple(1 if axis == "x" else given.shape[axis] for axis in order)
        return [Numbers(given.kind, shape, strides, given.pointer, given.offset, given.value)]

    def _empty(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        return [self.fresh(scalars.kind(node.outputs[0]), outputs[0])]

    def _softmax(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        return [_SOFTMAX[type(node.op).__name__](self, node, outputs[0])]

    def _same(self, node: Any, outputs: list[tuple[int, ...]]) -> list[Numbers]:
        return [self.array(node.inputs[0])]


def _ancestors(variables: Sequence[Any]) -> set[Any]:
    """The nodes that variables depend on."""
    found: set[Any] = set()
    waiting = list(variables)
    while waiting:
        node = waiting.pop().owner
        if node is not None and node not in found:
            found.add(node)
            waiting.extend(node.inputs)
    return found


_SOFTMAX: dict[str, Callable[..., Numbers]] = {
    "LogSoftmax": _llvm_softmax.log_softmax,
    "Softmax": _llvm_softmax.softmax,
    "SoftmaxGrad": _llvm_softmax.softmax_grad,
}
#: Operations on arrays by the names of their classes in PyTensor.
_OPERATIONS: dict[str, Callable[..., list[Numbers]]] = {
    **dict.fromkeys(("CAReduce", "Sum", "Prod", "All", "Any", "Max", "Min"), _Function._reduced),
    **dict.fromkeys(_SOFTMAX, _Function._softmax),
    **dict.fromkeys(("DeepCopyOp", "ViewOp", "ScalarFromTensor", "TensorFromScalar", "SpecifyShape"), _Function._same),
    "AdvancedIncSubtensor1": _Function._scattered,
    "AdvancedSubtensor1": _Function._gathered,
    "Alloc": _Function._filled,
    "AllocEmpty": _Function._empty,
    "DimShuffle": _Function._shuffled,
    "Dot": _Function._product,
    "IncSubtensor": _Function._part_changed,
    "Join": _Function._joined,
    "MakeVector": _Function._vector,
    "Reshape": _Function._reshaped,
    "Split": _Function._split,
    "Subtensor": _Function._part,
}

#: The type of both functions in C.
_OF_BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 5)


def evaluated(compiled: tuple[int, int, Any], positions: Array, weights: Array) -> list[tuple[float, float, Array]]:
    """What the functions of `joint` are at positions, `[particles, dim]`: the log prior and the log likelihood, by both NaN if they differ, and the gradient."""
    n, dim = positions.shape
    found = []
    for address in compiled[:2]:
        values, gradient = np.full((2, n), np.nan), np.full((n, dim), np.nan)
        arrays = (np.ascontiguousarray(positions), weights, values[0], values[1], gradient)
        _OF_BLOCK(address)(n, dim, *(array.ctypes.data for array in arrays))
        found.append((values, gradient))
    (alone, _), (values, gradient) = found
    # both are compiled with sums in any order, whose rounding differs by a few units in the last place of each term
    values = np.where(np.isclose(alone, values, rtol=1e-12, atol=1e-12, equal_nan=True), values, np.nan)
    return [(values[0, i], values[1, i], gradient[i]) for i in range(n)]
