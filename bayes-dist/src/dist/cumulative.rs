//! Distribution functions, survival functions and quantiles of scalar families.

use super::elementary::Floor;
use super::point::scalar;
use super::quantile::{Tail, invert};
use super::{Distribution, Domain, Family, Parameters, Point, ScalarForm, Univariate};
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Task, Value};
use std::f64::consts::LN_2;
use std::marker::PhantomData;

/// A family with a known distribution function; it can be truncated and censored.
///
/// Both tails are on the log scale, and each is accurate where it is small:
///
/// ```text
/// log_cdf = ln P(X ≤ x),    log_sf = ln P(X > x)
/// ```
///
/// Callers handle values outside the support: here `x` is in the (closed) support, finite, and a whole number if the family
/// is discrete.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no distribution function in this crate",
    label = "it cannot be truncated or censored",
    note = "`Normal`, `Gamma`, `StudentT`, `Poisson`, ... can: see `bayes::dist::Cumulative`"
)]
pub trait Cumulative<const K: usize>: Family<K> {
    /// `ln P(X ≤ x)`.
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; K]) -> Real<M>;

    /// `ln P(X > x)`.
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; K]) -> Real<M>;

    /// The quantile of a tail: the point `x`, or for a discrete family the smallest whole number `x`, with
    /// `ln P(X ≤ x) ≥ l` for `Lower(l)`, `ln P(X > x) ≤ l` for `Upper(l)`.
    ///
    /// Computed by Newton's method within a bracket if a family has no closed form.
    fn quantile(tail: Tail, parameters: [f64; K]) -> f64 {
        invert::<Self, K>(tail, parameters)
    }
}

/// The ends of a support; the largest finite numbers if it is unbounded.
#[inline(always)]
fn ends<M: Mode>(support: Support<M>) -> [Real<M>; 2] {
    let (lowest, highest) = (Real::constant(f64::MIN), Real::constant(f64::MAX));
    match support {
        Support::Real => [lowest, highest],
        Support::Above(low) => [low, highest],
        Support::Below(high) => [lowest, high],
        Support::Interval(low, high) => [low, high],
        Support::Unit => [Real::constant(0.0), Real::constant(1.0)],
        Support::Integers { low, high } => [low, high.min(f64::MAX)],
    }
}

/// The ends of a support of plain numbers; infinite if it is unbounded.
pub(super) fn extremes(support: Support<Value>) -> [f64; 2] {
    let infinite = |x: f64| if x.abs() == f64::MAX { x * 2.0 } else { x };
    ends(support).map(|end| infinite(end.primal()))
}

/// The largest whole number up to `x`, for a discrete domain; else `x`.
#[inline(always)]
fn settled<M: Mode, D: Domain>(x: Real<M>) -> Real<M> {
    if D::DISCRETE {
        Real(M::unary::<Floor>(x.0))
    } else {
        x
    }
}

macro_rules! tail_task {
    ($(#[$doc:meta])* $type:ident, $tail:ident) => {
        $(#[$doc])*
        struct $type<M: Mode, F, const K: usize> {
            x: Real<M>,
            parameters: [Real<M>; K],
            family: PhantomData<F>,
        }
        impl<M: Mode, F: Cumulative<K>, const K: usize> Task for $type<M, F, K> {
            type Output = Real<M>;
            #[inline(always)]
            fn run(self) -> Real<M> {
                F::$tail(self.x, self.parameters)
            }
        }
    };
}

tail_task! {
    /// [`Cumulative::log_cdf`] in a separate function, because it is long and a model may use it often.
    LogCdf, log_cdf
}

tail_task! {
    /// [`Cumulative::log_sf`] in a separate function.
    LogSf, log_sf
}

/// `ln P(X ≤ x)` for any `x`.
#[inline(always)]
pub(super) fn log_cdf<M: Mode, F: Cumulative<K>, const K: usize>(
    x: Real<M>,
    parameters: [Real<M>; K],
) -> Real<M> {
    let [low, high] = ends(F::support(parameters));
    let x = settled::<M, F::Domain>(x);
    let inside = M::call(LogCdf::<M, F, K> {
        x: x.max(low).min(high),
        parameters,
        family: PhantomData,
    });
    let below_the_end = Real::select(high.le(x), 0.0, inside);
    Real::select(x.lt(low), f64::NEG_INFINITY, below_the_end)
}

/// `ln P(X > x)` for any `x`.
#[inline(always)]
pub(super) fn log_sf<M: Mode, F: Cumulative<K>, const K: usize>(
    x: Real<M>,
    parameters: [Real<M>; K],
) -> Real<M> {
    let [low, high] = ends(F::support(parameters));
    let x = settled::<M, F::Domain>(x);
    let inside = M::call(LogSf::<M, F, K> {
        x: x.max(low).min(high),
        parameters,
        family: PhantomData,
    });
    let below_the_end = Real::select(high.le(x), f64::NEG_INFINITY, inside);
    Real::select(x.lt(low), 0.0, below_the_end)
}

/// `ln P(X ≥ x)` for any `x`.
#[inline(always)]
pub(super) fn log_from<M: Mode, F: Cumulative<K>, const K: usize>(
    x: Real<M>,
    parameters: [Real<M>; K],
) -> Real<M> {
    log_sf::<M, F, K>(before::<M, F::Domain>(x), parameters)
}

/// The largest value below `x` for a discrete domain; `x` itself for a continuous domain.
#[inline(always)]
fn before<M: Mode, D: Domain>(x: Real<M>) -> Real<M> {
    if D::DISCRETE {
        -settled::<M, D>(-x) - 1.0
    } else {
        x
    }
}

/// `ln P(low ≤ X ≤ high)`; a bound that is `None` is infinite.
#[inline(always)]
pub(super) fn log_mass<M: Mode, F: Cumulative<K>, const K: usize>(
    bounds: [Option<Real<M>>; 2],
    parameters: [Real<M>; K],
) -> Real<M> {
    match bounds {
        [None, None] => Real::constant(0.0),
        [Some(low), None] => log_from::<M, F, K>(low, parameters),
        [None, Some(high)] => log_cdf::<M, F, K>(high, parameters),
        [Some(low), Some(high)] => M::call(LogBetween::<M, F, K> {
            ends: [before::<M, F::Domain>(low), high],
            parameters,
            family: PhantomData,
        }),
    }
}

/// `ln P(low < X ≤ high)` in a separate function.
struct LogBetween<M: Mode, F, const K: usize> {
    ends: [Real<M>; 2],
    parameters: [Real<M>; K],
    family: PhantomData<F>,
}

impl<M: Mode, F: Cumulative<K>, const K: usize> Task for LogBetween<M, F, K> {
    type Output = Real<M>;
    #[inline(always)]
    fn run(self) -> Real<M> {
        log_between::<M, F, K>(self.ends, self.parameters)
    }
}

#[inline(always)]
fn log_between<M: Mode, F: Cumulative<K>, const K: usize>(
    [low, high]: [Real<M>; 2],
    parameters: [Real<M>; K],
) -> Real<M> {
    let (under_low, over_low) = (
        log_cdf::<M, F, K>(low, parameters),
        log_sf::<M, F, K>(low, parameters),
    );
    let (under_high, over_high) = (
        log_cdf::<M, F, K>(high, parameters),
        log_sf::<M, F, K>(high, parameters),
    );
    // a difference of the small tails, so that no digits are lost
    let above_median = over_low.log_diff_exp(over_high);
    let below_median = under_high.log_diff_exp(under_low);
    let around_median = under_low.log_add_exp(over_high).log1m_exp();
    let other = Real::select(under_high.lt(over_high), below_median, around_median);
    Real::select(over_low.lt(under_low), above_median, other)
}

/// Probabilities and quantiles at plain numbers; NaN if a parameter is not allowed.
///
/// ```
/// use bayes_dist::dist::{Normal, Poisson};
///
/// let standard = Normal::new(0.0, 1.0);
/// assert!((standard.cdf(1.96) - 0.975).abs() < 1e-4);
/// assert!((standard.quantile(0.975) - 1.96).abs() < 1e-4);
/// assert!((standard.log_sf(40.0) + 804.608).abs() < 1e-3);
/// assert_eq!(Poisson::new(2.0).quantile(0.5), 2.0);
/// assert!(standard.quantile(1.5).is_nan());
/// ```
impl<F, P, const K: usize> Univariate<F, P, K>
where
    F: Cumulative<K>,
    P: Parameters<Value, K, Form = ScalarForm>,
{
    /// `P(X ≤ x)`.
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        self.log_cdf(x).exp()
    }

    /// `P(X > x)`, accurate where it is small.
    #[must_use]
    pub fn sf(&self, x: f64) -> f64 {
        self.log_sf(x).exp()
    }

    /// `ln P(X ≤ x)`, accurate in both tails.
    #[must_use]
    pub fn log_cdf(&self, x: f64) -> f64 {
        self.evaluated(x, |parameters| {
            log_cdf::<Value, F, K>(Real::constant(x), parameters).primal()
        })
    }

    /// `ln P(X > x)`, accurate in both tails.
    #[must_use]
    pub fn log_sf(&self, x: f64) -> f64 {
        self.evaluated(x, |parameters| {
            log_sf::<Value, F, K>(Real::constant(x), parameters).primal()
        })
    }

    /// The inverse of [`Univariate::cdf`]; for a discrete distribution the smallest `x` with `P(X ≤ x) ≥ p`.
    ///
    /// The ends of the support for `p` = 0 and 1, NaN for `p` outside of `[0, 1]`. A discrete `P(X ≤ x)` that is less than
    /// `p` by at most 64 roundings counts as equal, so that `quantile(cdf(k)) = k` if `P(X = k)` is larger than that.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        const ROUNDING: f64 = 64.0 * f64::EPSILON;
        self.evaluated(p, |parameters| {
            let [low, high] = extremes(F::support(parameters));
            let parameters = parameters.map(Real::primal);
            match p {
                0.0 => low,
                1.0 => high,
                p if !(0.0..=1.0).contains(&p) => f64::NAN,
                p if F::Domain::DISCRETE => F::quantile(Tail::Lower(p.ln() - ROUNDING), parameters),
                p if p <= 0.5 => F::quantile(Tail::Lower(p.ln()), parameters),
                p => F::quantile(Tail::Upper((-p).ln_1p()), parameters),
            }
        })
    }

    /// `f` of the parameters; NaN if a parameter or the argument is NaN or not allowed.
    fn evaluated(&self, argument: f64, f: impl FnOnce([Real<Value>; K]) -> f64) -> f64 {
        match Distribution::<Value>::check(self) {
            Ok(()) if !argument.is_nan() => f(self.parameters().at(0)),
            _ => f64::NAN,
        }
    }
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// `ln P(X ≤ x)` in any mode, with scalar parameters, at data or a random value: `factor(distribution.log_cdf_at(limit))`.
    #[inline(always)]
    #[must_use]
    pub fn log_cdf_at<M: Mode>(&self, x: impl Point<M, Real<M>>) -> Real<M>
    where
        F: Cumulative<K>,
        P: Parameters<M, K, Form = ScalarForm>,
    {
        log_cdf::<M, F, K>(scalar(x), self.parameters().at(0))
    }

    /// `ln P(X > x)` in any mode, with scalar parameters, at data or a random value.
    #[inline(always)]
    #[must_use]
    pub fn log_sf_at<M: Mode>(&self, x: impl Point<M, Real<M>>) -> Real<M>
    where
        F: Cumulative<K>,
        P: Parameters<M, K, Form = ScalarForm>,
    {
        log_sf::<M, F, K>(scalar(x), self.parameters().at(0))
    }
}

/// Formulas that many families share.
impl Tail {
    /// `ln P(X ≤ x)`.
    pub(super) fn log_lower(self) -> f64 {
        match self {
            Self::Lower(log_p) => log_p,
            Self::Upper(log_p) => complement(log_p),
        }
    }

    /// `ln P(X > x)`.
    pub(super) fn log_upper(self) -> f64 {
        match self {
            Self::Lower(log_p) => complement(log_p),
            Self::Upper(log_p) => log_p,
        }
    }

    /// Whether the lower tail is the smaller one.
    pub(super) fn is_below_median(self) -> bool {
        match self {
            Self::Lower(log_p) => log_p <= -LN_2,
            Self::Upper(log_p) => log_p > -LN_2,
        }
    }
}

/// `ln(1 - eˡ)`.
fn complement(log_p: f64) -> f64 {
    Real::<Value>::constant(log_p).log1m_exp().primal()
}
