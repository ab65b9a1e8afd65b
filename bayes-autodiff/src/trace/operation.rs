//! An elementary function as a plain value, so that a recording or an instruction can hold it.

use crate::function::{Binary, Function, Ternary};
use crate::lanes::Lane;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512};
use crate::simd::{InstructionSet, Portable, Simd, Work};
use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// Writes the function of the arguments, each of the same number of lanes.
type Value = fn(&[&[Lane]], &mut [Lane]);

/// Writes the function, and its partial derivatives one argument after another.
type First = fn(&[&[Lane]], &mut [Lane], &mut [Lane]);

/// A value, its first and its second derivatives.
type Curved = (f64, [f64; 3], [[f64; 3]; 3]);

/// The function of single numbers, and its derivatives. Arguments beyond the arity are not read; derivatives in them are 0.
#[derive(Clone, Copy)]
struct Scalars {
    value: fn([f64; 3]) -> f64,
    first: fn([f64; 3]) -> (f64, [f64; 3]),
    second: fn([f64; 3]) -> Curved,
}

/// An elementary function as a plain value: of single numbers with two derivatives, and of blocks of particles with one, compiled for
/// every instruction set.
///
/// Functions of this crate are compiled here once; a function of another crate is compiled in the program that uses it.
pub struct Operation {
    name: &'static str,
    /// The type of the function.
    function: TypeId,
    arity: usize,
    scalars: Scalars,
    /// The function by instruction set.
    values: [Value; 3],
    firsts: [First; 3],
}

impl Operation {
    /// A function of one argument.
    #[must_use]
    pub const fn unary<F: Function>() -> Self {
        Self::of::<One<F>>(F::NAME)
    }

    /// A function of two arguments.
    #[must_use]
    pub const fn binary<F: Binary>() -> Self {
        Self::of::<Two<F>>(F::NAME)
    }

    /// A function of three arguments.
    #[must_use]
    pub const fn ternary<F: Ternary>() -> Self {
        Self::of::<Three<F>>(F::NAME)
    }

    #[cfg(target_arch = "x86_64")]
    const fn of<F: Called>(name: &'static str) -> Self {
        Self {
            name,
            function: TypeId::of::<F>(),
            arity: F::ARITY,
            scalars: scalars::<F>(),
            values: [
                value::<Portable, F>(),
                value::<Avx2, F>(),
                value::<Avx512, F>(),
            ],
            firsts: [
                first::<Portable, F>(),
                first::<Avx2, F>(),
                first::<Avx512, F>(),
            ],
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    const fn of<F: Called>(name: &'static str) -> Self {
        Self {
            name,
            function: TypeId::of::<F>(),
            arity: F::ARITY,
            scalars: scalars::<F>(),
            values: [value::<Portable, F>(); 3],
            firsts: [first::<Portable, F>(); 3],
        }
    }

    /// The usual name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The function of single numbers; those beyond the arity are not read.
    #[must_use]
    pub fn at(&self, arguments: [f64; 3]) -> f64 {
        (self.scalars.value)(arguments)
    }

    /// [`Operation::at`], and the partial derivatives.
    #[must_use]
    pub fn slopes(&self, arguments: [f64; 3]) -> (f64, [f64; 3]) {
        (self.scalars.first)(arguments)
    }

    /// [`Operation::slopes`], and the second derivatives, `[3, 3]`.
    #[must_use]
    pub fn curvatures(&self, arguments: [f64; 3]) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        (self.scalars.second)(arguments)
    }

    /// Writes the function of the arguments. `S` is the instruction set that [`dispatch`](crate::simd::dispatch) entered.
    #[inline(always)]
    pub(super) fn value<S: Simd>(&self, arguments: &[&[Lane]], value: &mut [Lane]) {
        self.values[S::INSTRUCTION_SET as usize](arguments, value);
    }

    /// Writes the function and its partial derivatives, as [`Operation::value`].
    #[inline(always)]
    pub(super) fn first<S: Simd>(
        &self,
        arguments: &[&[Lane]],
        value: &mut [Lane],
        slopes: &mut [Lane],
    ) {
        self.firsts[S::INSTRUCTION_SET as usize](arguments, value, slopes);
    }
}

/// Two operations are equal if they are the same function. Addresses do not decide: the operation of a function from another crate may
/// have several addresses, and their number depends on the build.
impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl Eq for Operation {}

/// By the name, because addresses and type identifiers differ between processes and builds. The place of a node among the known ones
/// decides whether it is found again, so the trace, and the bits of a run, would differ too.
impl Hash for Operation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A function of any number of arguments, in lanes.
trait Called: 'static {
    const ARITY: usize;
    /// The function of single numbers.
    fn at(arguments: [f64; 3]) -> f64;
    /// The function and its partial derivatives; those beyond the arity are 0.
    fn slopes(arguments: [f64; 3]) -> (f64, [f64; 3]);
    /// The function, its partial derivatives and its second derivatives.
    fn curvatures(arguments: [f64; 3]) -> Curved;
    /// The function of lane group `k` of every argument.
    fn value<S: Simd>(arguments: &[&[Lane]], k: usize) -> S::Float;
    /// The function and its partial derivatives; those beyond the arity are 0.
    fn first<S: Simd>(arguments: &[&[Lane]], k: usize) -> (S::Float, [S::Float; 3]);
}

struct One<F>(PhantomData<F>);
struct Two<F>(PhantomData<F>);
struct Three<F>(PhantomData<F>);

impl<F: Function> Called for One<F> {
    const ARITY: usize = 1;
    fn at([x, ..]: [f64; 3]) -> f64 {
        F::value(x)
    }
    fn slopes([x, ..]: [f64; 3]) -> (f64, [f64; 3]) {
        let (value, slope) = F::first(x);
        (value, [slope, 0.0, 0.0])
    }
    fn curvatures([x, ..]: [f64; 3]) -> Curved {
        let (value, slope, curvature) = F::second(x);
        let none = [0.0; 3];
        (
            value,
            [slope, 0.0, 0.0],
            [[curvature, 0.0, 0.0], none, none],
        )
    }
    #[inline(always)]
    fn value<S: Simd>(arguments: &[&[Lane]], k: usize) -> S::Float {
        F::lanes::<S>(S::load(&arguments[0][k].0))
    }
    #[inline(always)]
    fn first<S: Simd>(arguments: &[&[Lane]], k: usize) -> (S::Float, [S::Float; 3]) {
        let (value, slope) = F::lanes_first::<S>(S::load(&arguments[0][k].0));
        (value, [slope, S::splat(0.0), S::splat(0.0)])
    }
}

impl<F: Binary> Called for Two<F> {
    const ARITY: usize = 2;
    fn at([x, y, _]: [f64; 3]) -> f64 {
        F::value(x, y)
    }
    fn slopes([x, y, _]: [f64; 3]) -> (f64, [f64; 3]) {
        let (value, [fx, fy]) = F::first(x, y);
        (value, [fx, fy, 0.0])
    }
    fn curvatures([x, y, _]: [f64; 3]) -> Curved {
        let (value, [fx, fy], [xx, xy, yy]) = F::second(x, y);
        (
            value,
            [fx, fy, 0.0],
            [[xx, xy, 0.0], [xy, yy, 0.0], [0.0; 3]],
        )
    }
    #[inline(always)]
    fn value<S: Simd>(arguments: &[&[Lane]], k: usize) -> S::Float {
        F::lanes::<S>(S::load(&arguments[0][k].0), S::load(&arguments[1][k].0))
    }
    #[inline(always)]
    fn first<S: Simd>(arguments: &[&[Lane]], k: usize) -> (S::Float, [S::Float; 3]) {
        let (x, y) = (S::load(&arguments[0][k].0), S::load(&arguments[1][k].0));
        let (value, [fx, fy]) = F::lanes_first::<S>(x, y);
        (value, [fx, fy, S::splat(0.0)])
    }
}

impl<F: Ternary> Called for Three<F> {
    const ARITY: usize = 3;
    fn at([x, y, z]: [f64; 3]) -> f64 {
        F::value(x, y, z)
    }
    fn slopes([x, y, z]: [f64; 3]) -> (f64, [f64; 3]) {
        F::first(x, y, z)
    }
    fn curvatures([x, y, z]: [f64; 3]) -> Curved {
        F::second(x, y, z)
    }
    #[inline(always)]
    fn value<S: Simd>(arguments: &[&[Lane]], k: usize) -> S::Float {
        let (x, y) = (S::load(&arguments[0][k].0), S::load(&arguments[1][k].0));
        F::lanes::<S>(x, y, S::load(&arguments[2][k].0))
    }
    #[inline(always)]
    fn first<S: Simd>(arguments: &[&[Lane]], k: usize) -> (S::Float, [S::Float; 3]) {
        let (x, y) = (S::load(&arguments[0][k].0), S::load(&arguments[1][k].0));
        F::lanes_first::<S>(x, y, S::load(&arguments[2][k].0))
    }
}

struct ValueWork<'a, F> {
    arguments: &'a [&'a [Lane]],
    value: &'a mut [Lane],
    function: PhantomData<F>,
}

impl<F: Called> Work for ValueWork<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        for k in 0..self.value.len() {
            S::store(F::value::<S>(self.arguments, k), &mut self.value[k].0);
        }
    }
}

struct FirstWork<'a, F> {
    arguments: &'a [&'a [Lane]],
    value: &'a mut [Lane],
    slopes: &'a mut [Lane],
    function: PhantomData<F>,
}

impl<F: Called> Work for FirstWork<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let lanes = self.value.len();
        for k in 0..lanes {
            let (value, slopes) = F::first::<S>(self.arguments, k);
            S::store(value, &mut self.value[k].0);
            for (i, slope) in slopes.into_iter().enumerate().take(F::ARITY) {
                S::store(slope, &mut self.slopes[i * lanes + k].0);
            }
        }
    }
}

const fn scalars<F: Called>() -> Scalars {
    Scalars {
        value: F::at,
        first: F::slopes,
        second: F::curvatures,
    }
}

const fn is_compiled<S: Simd>() -> bool {
    S::INSTRUCTION_SET.is_compiled()
}

const fn value<S: Simd, F: Called>() -> Value {
    if is_compiled::<S>() {
        |arguments, value| {
            S::call(ValueWork {
                arguments,
                value,
                function: PhantomData::<F>,
            });
        }
    } else {
        |_, _| not_compiled(S::INSTRUCTION_SET)
    }
}

const fn first<S: Simd, F: Called>() -> First {
    if is_compiled::<S>() {
        |arguments, value, slopes| {
            S::call(FirstWork {
                arguments,
                value,
                slopes,
                function: PhantomData::<F>,
            });
        }
    } else {
        |_, _, _| not_compiled(S::INSTRUCTION_SET)
    }
}

#[cold]
#[inline(never)]
fn not_compiled(level: InstructionSet) -> ! {
    unreachable!("`dispatch` does not enter {level}, which is not compiled")
}

#[cfg(test)]
mod tests {
    use super::Operation;
    use crate::function::{Exp, Ln};
    use rustc_hash::FxBuildHasher;
    use std::hash::BuildHasher as _;

    static HERE: Operation = Operation::unary::<Exp>();
    static THERE: [Operation; 2] = [Operation::unary::<Ln>(), Operation::unary::<Exp>()];

    /// Meant to detect: a hash or an equality of addresses, which made traces differ between processes.
    #[test]
    fn operations_are_known_by_their_function_and_not_by_their_address() {
        let hash = |operation: &Operation| FxBuildHasher.hash_one(operation);
        assert!(!std::ptr::eq(&raw const HERE, &raw const THERE[1]));
        assert_eq!(HERE, THERE[1]);
        assert_ne!(HERE, THERE[0]);
        assert_eq!(hash(&HERE), hash(&THERE[1]));
        assert_ne!(hash(&HERE), hash(&THERE[0]));
    }
}
