//! The families, one file each, and the trait that a new univariate family implements.

// the families refer to the tools of `dist` by `super`
use super::*;
use crate::transform::Support;

pub use autoregressive::{Given, Past, Stationarity};
pub(super) use autoregressive::{check_finite, predictors};
pub use flat::FlatBelow;
pub use negative_binomial::NegativeBinomialFailures;
pub use wishart::{Scatter, ScatterDistribution};

/// Declares the module of each family and makes its type public.
macro_rules! declare {
    ($($file:ident: $family:ident { $($constructors:tt)* } $domain:ident $tests:ident;)*) => {
        $(mod $file;)*

        /// Every distribution that models can name.
        pub mod families {
            $(pub use super::$file::$family;)*
        }
    };
}
bayes_catalogue::distributions!(declare);

/// The values that a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// Any finite number.
    Finite,
    /// Finite and above zero.
    Positive,
    /// Finite and at least zero.
    NonNegative,
    /// Between 0 and 1, both included.
    Probability,
    /// A whole number, at least zero.
    Count,
    /// A whole number, also below zero.
    Integer,
}

impl Constraint {
    /// Whether `x` is allowed; never for NaN.
    #[must_use]
    pub fn holds(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Self::Finite => true,
                Self::Positive => x > 0.0,
                Self::NonNegative => x >= 0.0,
                Self::Probability => (0.0..=1.0).contains(&x),
                Self::Count => x >= 0.0 && x.fract() == 0.0,
                Self::Integer => x.fract() == 0.0,
            }
    }

    /// Whether the values are separate, so that the density has no derivative in the parameter.
    #[must_use]
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Count | Self::Integer)
    }

    /// The allowed values in words, for messages.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Finite => "a finite number",
            Self::Positive => "a finite number above 0",
            Self::NonNegative => "a finite number, at least 0",
            Self::Probability => "a number from 0 to 1",
            Self::Count => "a whole number, at least 0",
            Self::Integer => "a whole number",
        }
    }
}

/// A parameter's name and its allowed values.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// The name in the constructor.
    pub name: &'static str,
    /// The allowed values.
    pub allowed: Constraint,
}

impl ParameterInfo {
    /// A parameter called `name`.
    #[must_use]
    pub const fn new(name: &'static str, allowed: Constraint) -> Self {
        Self { name, allowed }
    }
}

/// A univariate family with `K` parameters, given by formulas without state.
///
/// The log density is the sum of three parts, so that each part is computed as rarely as possible:
///
/// ```text
/// ln f(x | θ) = log_normaliser(θ) + log_kernel(x, θ) + log_base(x)
/// ```
///
/// Callers enforce the support, so none of the parts needs to handle an `x` outside of it.
///
/// A user-defined family needs a name, one to four parameters, a log density, a support and draws. Derivatives in every mode, vector
/// parameters, checks and error messages follow from them:
///
/// ```text
/// #[derive(Clone, Copy, Debug)]
/// struct WaveHeight;
///
/// impl Family<1> for WaveHeight {
///     const NAME: &'static str = "WaveHeight";
///     const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("scale", Constraint::Positive)];
///     type Domain = Continuous;
///     fn log_kernel<M: Mode>(x: Real<M>, [scale]: [Real<M>; 1]) -> Real<M> {
///         x.ln() - 2.0 * scale.ln() - (x / scale).square() / 2.0
///     }
///     fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
///         Support::positive()
///     }
///     fn draw([scale]: [f64; 1], stream: &mut Stream) -> f64 {
///         scale * (-2.0 * (1.0 - stream.random::<f64>()).ln()).sqrt()
///     }
/// }
/// ```
///
/// In a model it is `observe(y, self::WaveHeight::at((scale,)))`; the documentation of `bayes::model` has the whole program.
pub trait Family<const K: usize>: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The name that users write.
    const NAME: &'static str;
    /// The parameters in the order of the constructor.
    const PARAMETERS: [ParameterInfo; K];
    /// Whether [`Family::log_normaliser`] depends on each parameter. If the parameters on which it depends are scalars, the normaliser
    /// is computed once, even if another parameter is a vector.
    const NORMALISED_BY: [bool; K] = [true; K];
    /// Whether [`Family::covers`] depends on each parameter.
    const BOUNDED_BY: [bool; K] = [false; K];
    /// Whether the density is proper, so that draws exist.
    const PROPER: bool = true;
    /// Whether values are angles ([`Distribution::is_angle`](super::Distribution::is_angle)).
    const ANGLE: bool = false;
    /// The number of categories, if a value is a category ([`Distribution::categories`](super::Distribution::categories)).
    const CATEGORIES: Option<usize> = None;
    /// Continuous or discrete.
    type Domain: Domain;

    /// The distribution at `parameters`, a tuple in the order of [`Family::PARAMETERS`].
    #[inline(always)]
    fn at<P>(parameters: P) -> Univariate<Self, P, K> {
        Univariate::from_parameters(parameters)
    }

    /// Rules for several parameters together (`low < high`).
    ///
    /// # Errors
    /// The index of the wrong parameter, and what it must be.
    fn check(_parameters: [f64; K]) -> Result<(), (usize, &'static str)> {
        Ok(())
    }

    /// The part of the log density that does not involve `x`; computed once for many observations.
    #[inline(always)]
    fn log_normaliser<M: Mode>(_parameters: [Real<M>; K]) -> Real<M> {
        Real::constant(0.0)
    }

    /// The part that involves both `x` and the parameters. It is never NaN for `x` in the support.
    fn log_kernel<M: Mode>(x: Real<M>, parameters: [Real<M>; K]) -> Real<M>;

    /// The part that does not involve the parameters; for data it is computed on plain numbers.
    #[inline(always)]
    fn log_base<M: Mode>(_x: Real<M>) -> Real<M> {
        Real::constant(0.0)
    }

    /// Adds [`Family::log_kernel`] and [`Family::log_base`] of many data at once, each with its parameters. The caller has added the
    /// normalisers. Returns `false`, and adds nothing, if the family has no faster way than one by one. All data are in the support.
    #[inline(always)]
    fn add_data<M: Mode>(
        _len: usize,
        _datum: impl Fn(usize) -> f64,
        _parameters: impl Fn(usize) -> [Real<M>; K],
        _total: &mut Real<M>,
    ) -> bool {
        false
    }

    /// Like [`Family::add_data`], for random elements, which are in the support.
    #[inline(always)]
    fn add_random<M: Mode>(
        _elements: &[Real<M>],
        _parameters: impl Fn(usize) -> [Real<M>; K],
        _total: &mut Real<M>,
    ) -> bool {
        false
    }

    /// The set where the density is positive; outside it is zero.
    fn support<M: Mode>(parameters: [Real<M>; K]) -> Support<M>;

    /// The set of possible observations: the support, unless different values are equivalent, like angles.
    #[inline(always)]
    fn covers<M: Mode>(parameters: [Real<M>; K]) -> Support<M> {
        Self::support(parameters)
    }

    /// One draw; for an improper family ([`Family::PROPER`]), a starting point for chains.
    fn draw(parameters: [f64; K], stream: &mut Stream) -> f64;

    /// One draw as its unconstrained coordinate ([`Support::constrain`]), if [`Family::draw`] may round to an end of the support or to
    /// infinity: the rounded value has lost its place, but the coordinate keeps it. Otherwise `None`, and nothing is drawn.
    fn draw_coordinate(_parameters: [f64; K], _stream: &mut Stream) -> Option<f64> {
        None
    }

    /// Mean and standard deviation of the unconstrained coordinate if its distribution is exactly Gaussian.
    fn gaussian(_parameters: [f64; K]) -> Option<(f64, f64)> {
        None
    }
}
