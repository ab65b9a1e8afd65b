//! Discrete families with a modified mass at zero.

use super::element_density::ElementDensity;
use super::{Constraint, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Value};
use rand::RngExt;
use std::marker::PhantomData;

/// How zeros are combined with counts: [`ZeroInflated`](super::ZeroInflated) or [`Hurdle`](super::Hurdle).
pub trait ZeroModel: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The name that users write.
    const NAME: &'static str;
    /// The log mass at zero, if the counts alone have log mass `log_zero`.
    fn at_zero<M: Mode>(pi: Real<M>, log_zero: Real<M>) -> Real<M>;
    /// The term added to the log mass of the counts at nonzero values.
    fn elsewhere<M: Mode>(pi: Real<M>, log_zero: Real<M>) -> Real<M>;
    /// Whether a draw of the counts is kept.
    fn keeps(x: f64) -> bool;
}

/// The discrete family `F` with zeros added by `Z`; its parameters are `pi` and the parameters of `F`.
#[derive(Clone, Copy, Debug)]
pub struct WithZeros<Z, F> {
    distribution: PhantomData<Z>,
    family: PhantomData<F>,
}

/// A discrete distribution of scalars to which zeros can be added with probability `W`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be zero-inflated",
    label = "expected a discrete distribution of scalars",
    note = "of one or two parameters, for example `Poisson::new(rate)` or `NegativeBinomial::mean_dispersion(mu, phi)`"
)]
pub trait Inflatable<Z, W> {
    /// The distribution with zeros.
    type Output;
    /// Adds the zeros.
    fn with_zeros(self, pi: W) -> Self::Output;
}

/// The log mass of the counts at `x`.
#[inline(always)]
fn log_mass<F: Family<K>, M: Mode, const K: usize>(
    x: Real<M>,
    parameters: [Real<M>; K],
) -> Real<M> {
    let log_mass = F::log_kernel(x, parameters) + F::log_normaliser(parameters) + F::log_base(x);
    F::covers(parameters).restrict(x, log_mass)
}

/// The log mass of the counts with zeros at `x`.
#[inline(always)]
fn log_mass_with_zeros<Z: ZeroModel, F: Family<K>, M: Mode, const K: usize>(
    x: Real<M>,
    pi: Real<M>,
    parameters: [Real<M>; K],
) -> Real<M> {
    let log_zero = log_mass::<F, M, K>(Real::constant(0.0), parameters);
    let elsewhere = log_mass::<F, M, K>(x, parameters) + Z::elsewhere(pi, log_zero);
    Real::select(x.abs().lt(0.5), Z::at_zero(pi, log_zero), elsewhere)
}

/// The log masses of data, each with a probability of an extra zero and the parameters of its counts. All are in the support.
#[inline(always)]
fn add_zeros_and_others<Z: ZeroModel, F: Family<K>, M: Mode, const K: usize>(
    len: usize,
    datum: impl Fn(usize) -> f64,
    parameters: impl Fn(usize) -> (Real<M>, [Real<M>; K]),
    total: &mut Real<M>,
) {
    let log_zero = |counts| log_mass::<F, M, K>(Real::constant(0.0), counts);
    let (zeros, others): (Vec<usize>, Vec<usize>) = (0..len).partition(|i| datum(*i) == 0.0);
    for i in zeros {
        let (pi, counts) = parameters(i);
        *total += Z::at_zero(pi, log_zero(counts));
    }
    for i in &others {
        let (pi, counts) = parameters(*i);
        *total += F::log_normaliser(counts) + Z::elsewhere(pi, log_zero(counts));
    }
    let (datum, counts) = (
        |k: usize| datum(others[k]),
        |k: usize| parameters(others[k]).1,
    );
    if !F::add_data(others.len(), datum, counts, total) {
        let density = ElementDensity::<F, K>::new(false, false);
        for k in 0..others.len() {
            *total += density.at_datum(counts(k), datum(k));
        }
    }
}

/// The whole numbers of the counts, and 0.
#[inline(always)]
fn support_with_zero<M: Mode>(support: Support<M>) -> Support<M> {
    match support {
        Support::Integers { low, high } => Support::Integers {
            low: low.min(0.0),
            high: high.max(0.0),
        },
        other => other,
    }
}

/// If rejecting zeros would take more draws on average, the counts are enumerated instead.
const MAX_REJECTIONS: f64 = 100.0;

fn draw<Z: ZeroModel, F: Family<K>, const K: usize>(
    pi: f64,
    parameters: [f64; K],
    stream: &mut Stream,
) -> f64 {
    if stream.random::<f64>() < pi {
        return 0.0;
    }
    let plain = parameters.map(Real::<Value>::constant);
    let other = -log_mass::<F, Value, K>(Real::constant(0.0), plain)
        .primal()
        .exp_m1();
    if other.is_nan() {
        return f64::NAN;
    }
    if Z::keeps(0.0) || other * MAX_REJECTIONS > 1.0 {
        loop {
            let x = F::draw(parameters, stream);
            if Z::keeps(x) {
                return x;
            }
        }
    }
    let Support::Integers { low, high } = F::support(plain) else {
        return f64::NAN;
    };
    let mut left = stream.random::<f64>() * other;
    let mut x = low.primal();
    while x < high.primal() {
        if x != 0.0 {
            let mass = log_mass::<F, Value, K>(Real::constant(x), plain)
                .primal()
                .exp();
            left -= mass;
            // in the far tail the masses round to zero, and the remainder may too
            if left < 0.0 || mass == 0.0 && x > 0.0 {
                return x;
            }
        }
        x += 1.0;
    }
    x
}

macro_rules! with_zeros {
    ($($count:literal from $inner:literal, [$($k:literal),*], ($($parameter:ident: $type:ident),*);)*) => {$(
        impl<Z: ZeroModel, F: Family<$inner, Domain = Discrete>> Family<$count> for WithZeros<Z, F> {
            const NAME: &'static str = Z::NAME;
            const PARAMETERS: [ParameterInfo; $count] =
                [ParameterInfo::new("pi", Constraint::Probability), $(F::PARAMETERS[$k]),*];
            // at zero the normaliser is inside a logarithm
            const NORMALISED_BY: [bool; $count] = [false; $count];
            const BOUNDED_BY: [bool; $count] = [false, $(F::BOUNDED_BY[$k]),*];
            type Domain = Discrete;

            fn check([_, $($parameter),*]: [f64; $count]) -> Result<(), (usize, &'static str)> {
                let parameters = [$($parameter),*];
                F::check(parameters).map_err(|(k, allowed)| (k + 1, allowed))?;
                let plain = parameters.map(Real::<Value>::constant);
                let log_zero = log_mass::<F, Value, $inner>(Real::constant(0.0), plain).primal();
                if Z::keeps(0.0) || log_zero < 0.0 {
                    Ok(())
                } else {
                    Err((1, "such that values other than 0 are possible"))
                }
            }

            #[inline(always)]
            fn log_normaliser<M: Mode>(_: [Real<M>; $count]) -> Real<M> {
                Real::constant(0.0)
            }

            #[inline(always)]
            fn log_kernel<M: Mode>(x: Real<M>, [pi, $($parameter),*]: [Real<M>; $count]) -> Real<M> {
                log_mass_with_zeros::<Z, F, M, $inner>(x, pi, [$($parameter),*])
            }

            /// The zeros among the data are known, so each datum has only one of the two forms.
            #[inline(always)]
            fn add_data<M: Mode>(
                len: usize,
                datum: impl Fn(usize) -> f64,
                parameters: impl Fn(usize) -> [Real<M>; $count],
                total: &mut Real<M>,
            ) -> bool {
                let counts = |i| {
                    let [pi, $($parameter),*] = parameters(i);
                    (pi, [$($parameter),*])
                };
                add_zeros_and_others::<Z, F, M, $inner>(len, datum, counts, total);
                true
            }

            #[inline(always)]
            fn support<M: Mode>([_, $($parameter),*]: [Real<M>; $count]) -> Support<M> {
                support_with_zero(F::support([$($parameter),*]))
            }

            fn draw([pi, $($parameter),*]: [f64; $count], stream: &mut Stream) -> f64 {
                draw::<Z, F, $inner>(pi, [$($parameter),*], stream)
            }
        }

        impl<Z, F: Family<$inner, Domain = Discrete>, W, $($type),*> Inflatable<Z, W>
            for Univariate<F, ($($type,)*), $inner>
        {
            type Output = Univariate<WithZeros<Z, F>, (W, $($type),*), $count>;
            fn with_zeros(self, pi: W) -> Self::Output {
                let ($($parameter,)*) = self.parameters;
                Univariate::from_parameters((pi, $($parameter),*))
            }
        }
    )*};
}

with_zeros! {
    2 from 1, [0], (a: A);
    3 from 2, [0, 1], (a: A, b: B);
}
