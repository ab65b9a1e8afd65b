//! The uniform distribution of directions.

use super::rows::check_measure;
use super::square::UNIT_TOLERANCE;
use super::{Continuous, Data, DataError, Distribution, Iid, ParameterError, Shape};
use crate::rng::Stream;
use crate::transform::unit_vector;
use bayes_autodiff::special::ln_gamma;
use bayes_autodiff::{Mode, Real, Vector};
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::{LN_2, PI};

/// Uniform distribution of unit vectors `[d]`.
///
/// ```text
/// ln p(x) = ln Γ(d/2) - ln 2 - d/2 ln π,    |x| = 1
/// ```
///
/// The density is with respect to the surface of the sphere.
#[derive(Clone, Copy, Debug)]
pub struct UniformSphere {
    d: usize,
}

const NAME: &str = "UniformSphere";

impl UniformSphere {
    /// `d`: the length of the vectors, at least 2.
    #[must_use]
    pub fn new(d: usize) -> Self {
        Self { d }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }
}

impl<M: Mode> Distribution<M> for UniformSphere {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.d)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.d.saturating_sub(1)
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.d >= 2 {
            return Ok(());
        }
        Err(ParameterError::Value {
            distribution: NAME,
            parameter: "d",
            index: None,
            value: self.d as f64,
            allowed: "a whole number, at least 2",
        })
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let half = 0.5 * self.d as f64;
        let log_density = ln_gamma(half) - LN_2 - half * PI.ln();
        let mut sum = Real::constant(0.0);
        for x in elements.chunks_exact(self.d.max(1)) {
            let off = M::dot_random(x, x) - 1.0;
            let inside = off.abs().le(UNIT_TOLERANCE);
            sum += Real::select(inside, log_density, f64::NEG_INFINITY);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        unit_vector::constrain(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        unit_vector::unconstrain(elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let z: Vec<f64> = (0..self.d).map(|_| StandardNormal.sample(stream)).collect();
        let length = z.iter().fold(0.0, |length: f64, z| length.hypot(*z));
        z.iter().map(|z| z / length).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let square = |x: &[f64]| {
            let square = x.iter().map(|x| x.powi(2)).sum::<f64>();
            (square, (square - 1.0).abs() <= UNIT_TOLERANCE)
        };
        let allowed = "a vector of length 1 (the value shown is the square of its length)";
        check_measure(NAME, self.d, data, square, allowed)
    }
}
