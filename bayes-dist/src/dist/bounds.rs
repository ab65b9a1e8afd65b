//! Two bounds around a scalar distribution: of truncation or of censoring.

use super::parameter::{check_shapes, common_shape};
use super::{
    Cumulative, Data, DataError, Distribution, Domain, ParameterError, Parameters, Shape,
    Univariate,
};
use crate::transform::Support;
use bayes_autodiff::{Mode, PlainValue, Real, Value};

/// The names of the bounds in error messages.
pub(super) const NAMES: [&str; 2] = ["low", "high"];

/// A scalar family with bounds: one pair for all elements, or one pair per element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded<F, P, B, const K: usize> {
    pub(super) base: Univariate<F, P, K>,
    pub(super) bounds: B,
}

impl<F, P, B, const K: usize> Bounded<F, P, B, K> {
    /// The shape of parameters and bounds together.
    #[inline(always)]
    pub(super) fn shape<M: Mode>(&self) -> Shape
    where
        F: Cumulative<K>,
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        match Distribution::<M>::shape(&self.base) {
            Shape::Scalar => common_shape(&self.bounds.shapes()),
            shape => shape,
        }
    }

    /// The bounds of element `i`; `None` for an infinite bound in the data.
    #[inline(always)]
    pub(super) fn at<M: Mode>(&self, i: usize) -> [Option<Real<M>>; 2]
    where
        B: Parameters<M, 2>,
    {
        let ([low, high], [low_is_data, high_is_data]) = (self.bounds.at(i), B::DATA);
        [
            (!low_is_data || low.plain_value() > f64::NEG_INFINITY).then_some(low),
            (!high_is_data || high.plain_value() < f64::INFINITY).then_some(high),
        ]
    }

    /// Checks parameters and bounds: shapes, and that values of the distribution lie between the bounds.
    pub(super) fn check<M: Mode>(&self, name: &'static str) -> Result<(), ParameterError>
    where
        F: Cumulative<K>,
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        Distribution::<M>::check(&self.base)?;
        let shapes = self.bounds.shapes();
        check_shapes(name, &NAMES, &shapes)?;
        let (all, own) = (self.shape::<M>(), common_shape(&shapes));
        if own != Shape::Scalar && own != all {
            return Err(ParameterError::Length {
                distribution: name,
                parameter: NAMES[shapes.iter().position(|s| *s == own).unwrap_or(0)],
                length: own.elements(),
                allowed: format!("{}, the length of the parameters", all.elements()),
            });
        }
        for i in 0..all.elements() {
            let values = self.bounds.at(i).map(PlainValue::plain_value);
            let parameters = self.base.parameters().at(i).map(PlainValue::plain_value);
            if let Some((k, allowed)) = fault::<F, K>(values, parameters) {
                return Err(ParameterError::Value {
                    distribution: name,
                    parameter: NAMES[k],
                    index: (shapes[k] != Shape::Scalar).then_some(i),
                    value: values[k],
                    allowed,
                });
            }
        }
        Ok(())
    }

    /// Checks data against the distribution's support and against the bounds that do not depend on random values.
    pub(super) fn check_data<M: Mode, T>(&self, data: &T) -> Result<(), DataError>
    where
        F: Cumulative<K>,
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
        T: Data<F::Domain> + ?Sized,
    {
        Distribution::<M>::check_data(&self.base, data)?;
        let (length, shape) = (data.shape().elements(), self.shape::<M>());
        if shape != Shape::Scalar && length != shape.elements() {
            return Err(DataError::Length {
                distribution: F::NAME,
                length,
                allowed: format!("{}, the length of the bounds", shape.elements()),
            });
        }
        let (all, is_data) = (Support::<Value>::Real, B::DATA);
        for i in 0..length {
            let known: [f64; 2] = std::array::from_fn(|k| {
                let bound =
                    self.bounds.at(if shape == Shape::Scalar { 0 } else { i })[k].plain_value();
                if is_data[k] { bound } else { f64::NAN }
            });
            let finite = known.map(|x| x.is_finite().then_some(Real::constant(x)));
            let allowed = within::<Value>(all, finite);
            if !allowed.contains(data.at(i)) {
                return Err(DataError::Value {
                    distribution: F::NAME,
                    index: (data.shape() != Shape::Scalar).then_some(i),
                    value: data.at(i),
                    allowed: allowed.words(),
                });
            }
        }
        Ok(())
    }
}

/// The wrong bound, and what it must be.
fn fault<F: Cumulative<K>, const K: usize>(
    [low, high]: [f64; 2],
    parameters: [f64; K],
) -> Option<(usize, &'static str)> {
    let [first, last] = super::cumulative::extremes(F::support(parameters.map(Real::constant)));
    let whole = F::Domain::DISCRETE;
    let broken = |x: f64| whole && x.is_finite() && x.fract() != 0.0;
    let apart = |low: f64, high: f64| low < high || whole && low == high;
    if low.is_nan() || low == f64::INFINITY {
        Some((0, "a number, or minus infinity"))
    } else if high.is_nan() || high == f64::NEG_INFINITY {
        Some((1, "a number, or infinity"))
    } else if broken(low) {
        Some((0, "a whole number, or minus infinity"))
    } else if broken(high) {
        Some((1, "a whole number, or infinity"))
    } else if !apart(low, high) {
        Some((
            1,
            if whole {
                "at least `low`"
            } else {
                "above `low`"
            },
        ))
    } else if !apart(low, last) {
        Some((0, "below the largest value of the distribution"))
    } else if !apart(first, high) {
        Some((1, "above the smallest value of the distribution"))
    } else {
        None
    }
}

/// A value between the bounds: the nearest bound for a value beyond it.
pub(super) fn clamped(x: f64, [low, high]: [Option<f64>; 2]) -> f64 {
    let x = low.map_or(x, |low| x.max(low));
    high.map_or(x, |high| x.min(high))
}

/// The part of a support between the bounds.
#[inline(always)]
pub(super) fn within<M: Mode>(
    support: Support<M>,
    [low, high]: [Option<Real<M>>; 2],
) -> Support<M> {
    let (first, last) = match support {
        Support::Real => (None, None),
        Support::Above(first) => (Some(first), None),
        Support::Below(last) => (None, Some(last)),
        Support::Interval(first, last) => (Some(first), Some(last)),
        Support::Unit if low.is_none() && high.is_none() => return Support::Unit,
        Support::Unit => (Some(Real::constant(0.0)), Some(Real::constant(1.0))),
        Support::Integers {
            low: first,
            high: last,
        } => {
            return Support::Integers {
                low: low.map_or(first, |x| first.max(x)),
                high: high.map_or(last, |x| last.min(x)),
            };
        }
    };
    match (larger(first, low), smaller(last, high)) {
        (None, None) => Support::Real,
        (Some(low), None) => Support::Above(low),
        (None, Some(high)) => Support::Below(high),
        (Some(low), Some(high)) => Support::Interval(low, high),
    }
}

#[inline(always)]
fn larger<M: Mode>(a: Option<Real<M>>, b: Option<Real<M>>) -> Option<Real<M>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

#[inline(always)]
fn smaller<M: Mode>(a: Option<Real<M>>, b: Option<Real<M>>) -> Option<Real<M>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
