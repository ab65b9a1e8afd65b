//! The distribution of coefficients, each with its own prior or shrunk together.

use crate::class::Class;
use crate::defaults::Priors;
use crate::prior::{Each, Prior};
use crate::shrinkage::Shrunk;
use bayes::autodiff::PlainValue;
use bayes::dist::{Continuous, Data, DataError, Distribution, Drawn, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;

/// The coefficients: each with its own prior, or normal with a random scale. The latter are non-centred: their coordinates are standard normal.
pub(crate) struct Coefficients<'a, M: Mode> {
    priors: &'a [Prior],
    shrunk: Option<&'a Shrunk>,
    /// The scales of the shrunk coefficients.
    scales: Vector<M>,
}

/// The logarithm of the square root of 2π.
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;

impl<'a, M: Mode> Coefficients<'a, M> {
    pub(crate) fn new(priors: &'a Priors, scales: Vector<M>) -> Self {
        Self {
            priors: priors.of(Class::Coefficient),
            shrunk: priors.shrunk.as_ref(),
            scales,
        }
    }

    /// The random scale of a coefficient, if it is shrunk.
    fn scale(&self, k: usize) -> Option<Real<M>> {
        let place = self.shrunk?.of.binary_search(&k).ok()?;
        Some(self.scales[place])
    }

    fn own(&self, k: usize) -> Each<'a> {
        Each(&self.priors[k..=k])
    }

    /// All priors, if none is shrunk.
    fn plain(&self) -> Option<Each<'a>> {
        self.shrunk.is_none().then_some(Each(self.priors))
    }
}

fn standard<M: Mode>(z: Real<M>) -> Real<M> {
    -0.5 * z.square() - HALF_LN_TAU
}

impl<M: Mode> Distribution<M> for Coefficients<'_, M> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Coefficients"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.priors.len())
    }

    fn dim(&self) -> usize {
        self.priors.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&Each(self.priors))
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        if let Some(all) = self.plain() {
            return all.log_density_of(elements);
        }
        let mut total = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            let k = i % self.priors.len();
            total += match self.scale(k) {
                Some(scale) => standard(*x / scale) - scale.ln(),
                None => self.own(k).log_density_of(std::slice::from_ref(x)),
            };
        }
        total
    }

    /// The density of the standard coordinates avoids the rounding of small scales.
    fn add_sample(
        &self,
        coordinates: &[Real<M>],
        jacobian: bool,
        total: &mut Real<M>,
    ) -> Vector<M> {
        if let Some(all) = self.plain() {
            return all.add_sample(coordinates, jacobian, total);
        }
        Vector::from_fn(self.priors.len(), |k| {
            let z = coordinates[k];
            let Some(scale) = self.scale(k) else {
                return self.own(k).add_sample(&[z], jacobian, total)[0];
            };
            *total += standard(z);
            if !jacobian {
                *total -= scale.ln();
            }
            scale * z
        })
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        if let Some(all) = self.plain() {
            return all.constrain(coordinates);
        }
        let mut log_jacobian = Real::constant(0.0);
        let value = Vector::from_fn(self.priors.len(), |k| {
            let z = coordinates[k];
            let (value, jacobian) = match self.scale(k) {
                Some(scale) => (scale * z, scale.ln()),
                None => {
                    let (value, jacobian) = self.own(k).constrain(&[z]);
                    (value[0], jacobian)
                }
            };
            log_jacobian += jacobian;
            value
        });
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let one = |(k, x): (usize, &f64)| match self.scale(k) {
            Some(scale) => *x / scale.plain_value(),
            None => Distribution::<M>::unconstrain(&self.own(k), &[*x])[0],
        };
        elements.iter().enumerate().map(one).collect()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        if let Some(all) = self.plain() {
            return Distribution::<M>::draw_with_coordinates(&all, stream);
        }
        let mut all = Drawn::default();
        let standard = [Prior::normal(0.0, 1.0)];
        for k in 0..self.priors.len() {
            let scale = self.scale(k).map(PlainValue::plain_value);
            let prior = if scale.is_some() {
                Each(&standard)
            } else {
                self.own(k)
            };
            let one = Distribution::<M>::draw_with_coordinates(&prior, stream);
            all.elements
                .extend(one.elements.iter().map(|x| x * scale.unwrap_or(1.0)));
            all.coordinates.extend(one.coordinates);
            all.rounding = f64::max(all.rounding, one.rounding);
            all.lost |= one.lost;
        }
        all
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&Each(self.priors), data)
    }
}
