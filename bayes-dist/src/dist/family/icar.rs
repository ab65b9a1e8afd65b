//! Intrinsic conditional autoregressions.

use super::elementary::HALF_LN_TAU;
use super::rows::{check_number, check_rows};
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Iid, Neighbours, NonCentred, Parameter,
    ParameterError, Shape, Standardised,
};
use crate::rng::Stream;
use crate::transform::zero_sum;
use bayes_autodiff::{Buffer, Mode, PlainValue, Real, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Effects of places on a map, each near the mean of its neighbours: the intrinsic conditional autoregression (Besag, York and Mollié
/// 1991), on the plane where the effects of each connected component sum to zero.
///
/// ```text
/// ln p(x) = -½ Σ_{i ~ j} (x_i - x_j)²/sd² - (n - c) (ln sd + ½ ln 2π) + ½ ln |Q|,    Σ_{i in component} x_i = 0
/// ```
///
/// `Q` is the Laplacian of the map, `c` the number of components and `|Q|` the product of the eigenvalues that are not 0. The density is
/// that on the plane, so it is proper and an evidence is right. A map that is a line is a random walk about its mean. Elsewhere: `ICAR`
/// (PyMC), `besag` (R-INLA).
#[derive(Clone, Copy, Debug)]
pub struct Icar<'a, S> {
    neighbours: &'a Neighbours,
    sd: S,
    is_scaled: bool,
}

const NAME: &str = "Icar";

/// The largest sum of elements that is rounding, per sum of their absolute values.
const TOLERANCE: f64 = 1e-8;

impl<'a, S> Icar<'a, S> {
    /// `neighbours`: the map; `sd`: a number, finite and above zero, the standard deviation of the difference of two places whose only
    /// neighbours are each other.
    pub fn new(neighbours: &'a Neighbours, sd: S) -> Self {
        Self {
            neighbours,
            sd,
            is_scaled: false,
        }
    }

    /// With `sd` the geometric mean of the standard deviations of the places of each component, whatever the map is (Sørbye and Rue 2014;
    /// Freni-Sterrantino et al. 2018): the structured effect of a BYM2 model (Riebler et al. 2016).
    #[must_use]
    pub fn scaled(self) -> Self {
        Self {
            is_scaled: true,
            ..self
        }
    }

    /// The same distribution whose coordinates do not depend on `sd`.
    pub fn non_centred(self) -> NonCentred<Self> {
        NonCentred::new(self)
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// The factor of the precision of a component.
    fn precision(&self, variance: f64) -> f64 {
        match self.is_scaled {
            true => variance,
            false => 1.0,
        }
    }

    /// The number of coordinates.
    fn free(&self) -> usize {
        self.neighbours.len() - self.neighbours.components()
    }

    /// The log density at 0 for `sd` 1.
    fn log_normaliser(&self) -> f64 {
        let of_component = |component: &super::neighbours::Component| {
            let free = (component.places.len() - 1) as f64;
            let scale = self.precision(component.variance).ln() * free;
            0.5 * (component.log_determinant + scale) - HALF_LN_TAU * free
        };
        self.neighbours.each().iter().map(of_component).sum()
    }

    /// The root of the precision of each edge's difference.
    fn weights(&self) -> Vec<f64> {
        let mut of_place = vec![1.0; self.neighbours.len()];
        for component in self.neighbours.each() {
            for place in &component.places {
                of_place[*place] = self.precision(component.variance).sqrt();
            }
        }
        let edges = self.neighbours.edges().iter();
        edges.map(|[a, _]| of_place[*a]).collect()
    }

    /// Values from coordinates `[n - c]`.
    #[inline(always)]
    fn values<M: Mode>(&self, coordinates: &[Real<M>]) -> Vector<M> {
        let mut x = Vector::zeros(self.neighbours.len());
        let mut rest = coordinates;
        for component in self.neighbours.each() {
            let (own, others) = rest.split_at(component.places.len() - 1);
            rest = others;
            for (place, value) in component.places.iter().zip(&zero_sum::constrain(own)) {
                x[*place] = *value;
            }
        }
        x
    }

    /// Whether the sum of each component of a value is 0; the sum that is not.
    fn first_sum(&self, x: &[f64]) -> Option<(usize, f64)> {
        let sum = |places: &[usize]| {
            let own = || places.iter().map(|place| x[*place]);
            (own().sum::<f64>(), own().map(f64::abs).sum::<f64>())
        };
        let sums = self
            .neighbours
            .each()
            .iter()
            .map(|c| (c.places[0], sum(&c.places)));
        let mut wrong = sums.filter(|(_, (sum, size))| sum.abs() > TOLERANCE * size);
        wrong.next().map(|(place, (sum, _))| (place, sum))
    }
}

impl<M: Mode, S: Parameter<M>> Distribution<M> for Icar<'_, S> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.neighbours.len())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.free()
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_number(NAME, "sd", &self.sd, Constraint::Positive)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let sd = self.sd.at(0);
        let log_normaliser = -sd.ln() * self.free() as f64 + self.log_normaliser();
        let weights = self.weights();
        let mut sum = Real::constant(0.0);
        for x in elements.chunks_exact(self.neighbours.len()) {
            let edges = self.neighbours.edges().iter().zip(&weights);
            let steps: Buffer<Real<M>> = edges.map(|([a, b], w)| (x[*a] - x[*b]) * *w).collect();
            let log_density = log_normaliser - M::dot_random(&steps, &steps) / sd / sd * 0.5;
            let mut density = log_density;
            for component in self.neighbours.each() {
                let (mut total, mut size) = (Real::constant(0.0), Real::constant(0.0));
                for place in &component.places {
                    total += x[*place];
                    size += x[*place].abs();
                }
                let inside = total.abs().le(size * TOLERANCE);
                density = Real::select(inside, density, f64::NEG_INFINITY);
            }
            sum += density;
        }
        sum
    }

    #[inline(always)]
    fn add_sample(&self, coordinates: &[Real<M>], _: bool, total: &mut Real<M>) -> Vector<M> {
        // the transform keeps lengths, and its values sum to 0
        let (x, sd) = (self.values(coordinates), self.sd.at(0));
        let edges = self.neighbours.edges().iter().zip(self.weights());
        let steps: Vec<Real<M>> = edges.map(|([a, b], w)| (x[*a] - x[*b]) * w).collect();
        *total += self.log_normaliser() - sd.ln() * self.free() as f64;
        let zero = Real::constant(0.0);
        M::add_normal_terms(total, steps.len(), |i| steps[i], |_| zero, |_| sd);
        x
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        (self.values(coordinates), Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let components = self.neighbours.each().iter();
        let own = components.flat_map(|component| {
            let own: Vec<f64> = component.places.iter().map(|i| elements[*i]).collect();
            zero_sum::unconstrain(&own)
        });
        own.collect()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let sd = self.sd.at(0).plain_value();
        let mut x = vec![0.0; self.neighbours.len()];
        for component in self.neighbours.each() {
            let free = 1..component.places.len();
            let z = free.map(|_| StandardNormal.sample(stream)).collect();
            let scale = sd / self.precision(component.variance).sqrt();
            for (place, value) in component.places.iter().zip(component.values(z)) {
                x[*place] = scale * value;
            }
        }
        x
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let n = self.neighbours.len();
        check_rows(NAME, n, data)?;
        for start in (0..data.shape().elements()).step_by(n) {
            let own: Vec<f64> = (start..start + n).map(|i| data.at(i)).collect();
            if let Some((place, sum)) = self.first_sum(&own) {
                return Err(DataError::Value {
                    distribution: NAME,
                    index: Some(start + place),
                    value: sum,
                    allowed: "effects that sum to 0 in each connected component (the value shown is the sum)".to_owned(),
                });
            }
        }
        Ok(())
    }
}

impl<M: Mode, S: Parameter<M>> Standardised<M> for Icar<'_, S> {
    type Standard<'b>
        = Icar<'b, f64>
    where
        Self: 'b;

    #[inline(always)]
    fn standard(&self) -> Icar<'_, f64> {
        Icar {
            neighbours: self.neighbours,
            sd: 1.0,
            is_scaled: self.is_scaled,
        }
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let sd = self.sd.at(0);
        let mut elements = Buffer::new();
        for own in z.chunks_exact(self.free().max(1)) {
            for x in &self.values(own) {
                elements.push(*x * sd);
            }
        }
        (Vector::from(elements), sd.ln() * z.len() as f64)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        let sd = self.sd.at(0).plain_value();
        let values = elements.chunks_exact(self.neighbours.len());
        let coordinates = values.flat_map(|own| Distribution::<M>::unconstrain(self, own));
        coordinates.map(|z| z / sd).collect()
    }
}
