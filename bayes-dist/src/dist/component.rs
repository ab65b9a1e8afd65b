//! The components of a mixture: several distributions of one type or of different types.

use super::{Data, DataError, Distribution, Domain, ParameterError, Quantity, Shape};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real, Task};

/// An object-safe [`Distribution`], so that distributions of different types can be components of one mixture.
pub trait Component<M: Mode, V, D: Domain> {
    /// As [`Distribution::shape`].
    fn shape(&self) -> Shape;
    /// As [`Distribution::dim`].
    fn dim(&self) -> usize;
    /// As [`Distribution::check`].
    ///
    /// # Errors
    /// The first parameter that is not allowed.
    fn check(&self) -> Result<(), ParameterError>;
    /// As [`Distribution::log_density_of`].
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M>;
    /// As [`Distribution::constrain`].
    fn constrain(&self, coordinates: &[Real<M>]) -> (V, Real<M>);
    /// As [`Distribution::unconstrain`].
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64>;
    /// As [`Distribution::is_proper`].
    fn is_proper(&self) -> bool;
    /// As [`Distribution::unnormalised`].
    fn unnormalised(&self) -> Option<&'static str>;
    /// As [`Distribution::is_of_data`].
    fn is_of_data(&self) -> bool;
    /// As [`Distribution::random_support`].
    fn random_support(&self, element: usize) -> Option<[f64; 2]>;
    /// As [`Distribution::draw`].
    fn draw(&self, stream: &mut Stream) -> Vec<f64>;
    /// As [`Distribution::check_data`].
    ///
    /// # Errors
    /// The first datum outside the support, or a mismatched length.
    fn check_data(&self, data: &dyn Data<D>) -> Result<(), DataError>;
    /// Adds the log density of observation `i` of `data` to `terms[i * step]`.
    fn add_terms(&self, data: &dyn Data<D>, terms: &mut [Real<M>], step: usize);
}

/// [`Distribution::log_density_of`] as a task: code behind a dynamic call must enter the SIMD
/// instructions itself.
struct LogDensityOf<'a, M: Mode, C> {
    distribution: &'a C,
    elements: &'a [Real<M>],
}

impl<M: Mode, C: Distribution<M>> Task for LogDensityOf<'_, M, C> {
    type Output = Real<M>;
    #[inline(always)]
    fn run(self) -> Real<M> {
        self.distribution.log_density_of(self.elements)
    }
}

/// [`Component::add_terms`] as a task.
struct AddTerms<'a, M: Mode, C: Distribution<M>> {
    distribution: &'a C,
    data: &'a dyn Data<C::Domain>,
    terms: &'a mut [Real<M>],
    step: usize,
}

impl<M: Mode, C: Distribution<M>> Task for AddTerms<'_, M, C> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (terms, mut at) = (self.terms, 0);
        self.distribution.for_each_term(self.data, |term| {
            terms[at] += term;
            at += self.step;
        });
    }
}

impl<M: Mode, C: Distribution<M>> Component<M, C::Value, C::Domain> for C {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Distribution::shape(self)
    }
    #[inline(always)]
    fn dim(&self) -> usize {
        Distribution::dim(self)
    }
    fn check(&self) -> Result<(), ParameterError> {
        Distribution::check(self)
    }
    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        M::call(LogDensityOf {
            distribution: self,
            elements,
        })
    }
    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (C::Value, Real<M>) {
        Distribution::constrain(self, coordinates)
    }
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        Distribution::unconstrain(self, elements)
    }
    fn is_proper(&self) -> bool {
        Distribution::is_proper(self)
    }
    fn unnormalised(&self) -> Option<&'static str> {
        Distribution::unnormalised(self)
    }
    fn is_of_data(&self) -> bool {
        Distribution::is_of_data(self)
    }
    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        Distribution::random_support(self, element)
    }
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::draw(self, stream)
    }
    fn check_data(&self, data: &dyn Data<C::Domain>) -> Result<(), DataError> {
        Distribution::check_data(self, data)
    }
    fn add_terms(&self, data: &dyn Data<C::Domain>, terms: &mut [Real<M>], step: usize) {
        M::call(AddTerms {
            distribution: self,
            data,
            terms,
            step,
        });
    }
}

/// Distributions of one kind of value: an array or `Vec` of one type, or a tuple of up to four types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the components of a mixture",
    label = "expected an array, a `Vec` or a tuple (of two to four) of distributions",
    note = "all components must be distributions of the same kind of value: all of reals, all of vectors, all of counts"
)]
pub trait Components<M: Mode> {
    /// The type of a draw.
    type Value: Quantity<M>;
    /// Continuous or discrete values.
    type Domain: Domain;
    /// The number of components.
    fn count(&self) -> usize;
    /// Component `k`.
    fn get(&self, k: usize) -> &dyn Component<M, Self::Value, Self::Domain>;
}

/// Whether all components are proper.
pub(super) fn are_proper<M: Mode, C: Components<M>>(components: &C) -> bool {
    (0..components.count()).all(|k| components.get(k).is_proper())
}

/// [`Distribution::unnormalised`] of a mixture. The constant of a flat component counts: it weighs the component against the others.
pub(super) fn unnormalised<M: Mode, C: Components<M>>(components: &C) -> Option<&'static str> {
    let mut own = (0..components.count()).filter_map(|k| components.get(k).unnormalised());
    own.next().or_else(|| {
        let instead = "give each component a density that integrates to 1, such as `Uniform` instead of `Flat`";
        (!are_proper(components)).then_some(instead)
    })
}

/// Whether one of the components is a distribution for data only.
pub(super) fn are_of_data<M: Mode, C: Components<M>>(components: &C) -> bool {
    (0..components.count()).any(|k| components.get(k).is_of_data())
}

/// Checks data. They are allowed if any component allows them.
pub(super) fn check_any<M: Mode, C: Components<M>>(
    components: &C,
    data: &dyn Data<C::Domain>,
) -> Result<(), DataError> {
    let mut errors = (0..components.count()).map(|k| components.get(k).check_data(data).err());
    let first = errors.next().flatten();
    match first.filter(|_| errors.all(|error| error.is_some())) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Whether component `k` has the support of component 0; then both map the same coordinates to the same values.
pub(super) fn shares_support<M: Mode, C: Components<M>>(components: &C, k: usize) -> bool {
    // Two points distinguish any two transforms of this crate, because each has at most two bounds.
    [-0.7, 0.4].iter().all(|u| {
        let values = |k: usize| {
            let component = components.get(k);
            component
                .constrain(&vec![Real::constant(*u); component.dim()])
                .0
        };
        let (first, other) = (values(0), values(k));
        let mut pairs = first
            .elements()
            .iter()
            .zip(other.elements())
            .map(|(a, b)| (a.plain_value(), b.plain_value()));
        pairs.all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
    })
}

impl<M: Mode, C: Distribution<M>, const N: usize> Components<M> for [C; N] {
    type Value = C::Value;
    type Domain = C::Domain;
    #[inline(always)]
    fn count(&self) -> usize {
        N
    }
    #[inline(always)]
    fn get(&self, k: usize) -> &dyn Component<M, C::Value, C::Domain> {
        &self[k]
    }
}

impl<M: Mode, C: Distribution<M>> Components<M> for Vec<C> {
    type Value = C::Value;
    type Domain = C::Domain;
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn get(&self, k: usize) -> &dyn Component<M, C::Value, C::Domain> {
        &self[k]
    }
}

macro_rules! tuples {
    ($(($first:ident, $($other:ident = $index:tt),*), $last:ident = $last_index:tt;)*) => {$(
        impl<M, $first, $($other,)* $last> Components<M> for ($first, $($other,)* $last)
        where
            M: Mode,
            $first: Distribution<M>,
            $($other: Distribution<M, Value = $first::Value, Domain = $first::Domain>,)*
            $last: Distribution<M, Value = $first::Value, Domain = $first::Domain>,
        {
            type Value = $first::Value;
            type Domain = $first::Domain;
            #[inline(always)]
            fn count(&self) -> usize {
                $last_index + 1
            }
            #[inline(always)]
            fn get(&self, k: usize) -> &dyn Component<M, $first::Value, $first::Domain> {
                match k {
                    0 => &self.0,
                    $($index => &self.$index,)*
                    _ => &self.$last_index,
                }
            }
        }
    )*};
}

tuples! {
    (A,), B = 1;
    (A, B = 1), C = 2;
    (A, B = 1, C = 2), D = 3;
}
