//! The prior of cutpoints.

use crate::class::Class;
use crate::design::Design;
use crate::family::Family;
use crate::prior::{Each, Prior};
use bayes::dist::{Continuous, Data, DataError, Distribution, Drawn, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;
use bayes::transform::ordered;

/// Independent cutpoints, each with its own prior; for the family `cumulative`, whose probabilities need it, given that they are in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutpoints<'a> {
    priors: &'a [Prior],
    are_ordered: bool,
    /// The log probability of the order under the priors; 0 without an order.
    log_order: f64,
}

/// The smallest probability of the order: draws of the prior are found by trying.
pub(crate) const LEAST_ORDER: f64 = 1e-3;

/// Quantiles of each prior in the sums for the probability of the order, whose error is about the inverse of the square of this number.
const QUANTILES: usize = 4000;

/// The log probability that independent draws of these priors are in increasing order.
///
/// ```text
/// F_1 = G_1,    F_k(x) = ∫_{-∞}^x F_{k-1} dG_k,    p = F_n(∞)
/// ```
///
/// where `G_k` is the distribution function of the prior `k`.
pub(crate) fn log_order(priors: &[Prior]) -> f64 {
    if priors.windows(2).all(|pair| pair[0] == pair[1]) {
        return -(1..=priors.len()).map(|k| (k as f64).ln()).sum::<f64>();
    }
    let quantiles = |prior: &Prior| -> Vec<f64> {
        let shares = (1..QUANTILES).map(|k| k as f64 / QUANTILES as f64);
        shares.map(|share| prior.quantile(share)).collect()
    };
    let mut points: Vec<f64> = priors.iter().flat_map(quantiles).collect();
    points.sort_by(f64::total_cmp);
    // the last one stands for infinity
    let at = |prior: &Prior, k: usize| points.get(k).map_or(1.0, |x| prior.cdf(*x));
    let all = 0..=points.len();
    let mut below: Vec<f64> = all.clone().map(|k| at(&priors[0], k)).collect();
    for prior in &priors[1..] {
        let (mut sum, mut last) = (0.0, [0.0, 0.0]);
        for k in all.clone() {
            let next = [at(prior, k), below[k]];
            sum += f64::midpoint(last[1], next[1]) * (next[0] - last[0]);
            below[k] = sum;
            last = next;
        }
    }
    below[points.len()].ln()
}

impl<'a> Cutpoints<'a> {
    pub(crate) fn of(d: &'a Design) -> Self {
        Self {
            priors: d.priors.of(Class::Cutpoint),
            are_ordered: d.first().family == Family::Cumulative,
            log_order: d.priors.log_order,
        }
    }

    fn each(&self) -> Each<'a> {
        Each(self.priors)
    }
}

impl<M: Mode> Distribution<M> for Cutpoints<'_> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Cutpoints"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.priors.len())
    }

    fn dim(&self) -> usize {
        self.priors.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&self.each())
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        if !self.are_ordered {
            return self.each().log_density_of(elements);
        }
        let mut sum = Real::constant(0.0);
        for own in elements.chunks_exact(self.priors.len()) {
            let mut log_density = self.each().log_density_of(own) - self.log_order;
            for k in 1..own.len() {
                let increasing = own[k - 1].le(own[k]);
                log_density = Real::select(increasing, log_density, f64::NEG_INFINITY);
            }
            sum += log_density;
        }
        sum
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        match self.are_ordered {
            true => ordered::constrain(coordinates),
            false => self.each().constrain(coordinates),
        }
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        match self.are_ordered {
            true => ordered::unconstrain(elements),
            false => Distribution::<M>::unconstrain(&self.each(), elements),
        }
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    /// Draws in order: sorted ones of one prior, and otherwise the first ones that are in order.
    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let each = self.each();
        let mut drawn = Distribution::<M>::draw_with_coordinates(&each, stream);
        if !self.are_ordered {
            return drawn;
        }
        if self.priors.windows(2).all(|pair| pair[0] == pair[1]) {
            drawn.elements.sort_by(f64::total_cmp);
        }
        while !drawn.elements.is_sorted() {
            drawn = Distribution::<M>::draw_with_coordinates(&each, stream);
        }
        drawn.coordinates = ordered::unconstrain(&drawn.elements);
        drawn
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&self.each(), data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes::autodiff::{PlainValue, Value};
    use bayes::rng::{Key, Purpose};

    /// Equal priors have a closed form; of two normal variables the difference is normal; three by scipy (`quad` over the middle one).
    #[test]
    fn the_probability_of_the_order_is_that_of_the_priors() {
        let normal = Prior::normal;
        let cases: [(&[Prior], f64); 4] = [
            (&[normal(0.0, 1.0); 4], 1.0 / 24.0),
            (
                &[normal(0.0, 1.0), normal(1.0, 1.0)],
                0.760_249_938_906_523_3,
            ),
            (&[normal(0.0, 0.01), Prior::cauchy(0.0, 5.0)], 0.5),
            (
                &[
                    normal(-1.0, 1.0),
                    Prior::student_t(3.0, 0.5, 2.0),
                    normal(2.0, 0.5),
                ],
                0.462_782_051_928_85,
            ),
        ];
        for (priors, wanted) in cases {
            let found = log_order(priors).exp();
            assert!((found - wanted).abs() < 1e-6, "{found}, {wanted}");
        }
    }

    /// The mutations that it detects: no normaliser, draws that are sorted where the priors differ.
    #[test]
    fn ordered_cutpoints_have_a_density_and_its_draws() {
        let priors = [Prior::normal(0.0, 1.0), Prior::normal(1.0, 0.5)];
        let cutpoints = Cutpoints {
            priors: &priors,
            are_ordered: true,
            log_order: log_order(&priors),
        };
        const STEP: f64 = 0.02;
        let (mut total, mut first) = (0.0, 0.0);
        for i in -400..400 {
            for k in -400..400 {
                let at = [i, k].map(|j| (f64::from(j) + 0.5) * STEP);
                let density = cutpoints.log_density_of(&at.map(Real::<Value>::constant));
                let mass = density.plain_value().exp() * STEP * STEP;
                total += mass;
                first += at[0] * mass;
            }
        }
        // the grid cuts the cells at the edge of the order in halves
        assert!((total - 1.0).abs() < 1e-2, "{total}");
        let mut stream = Key::new(1, Purpose::Initial).stream();
        let draws = (0..4000).map(|_| Distribution::<Value>::draw(&cutpoints, &mut stream));
        let draws: Vec<Vec<f64>> = draws.collect();
        assert!(draws.iter().all(|draw| draw.is_sorted()));
        let mean = draws.iter().map(|draw| draw[0]).sum::<f64>() / 4000.0;
        // four standard errors, of a standard deviation of at most 1, and the error of the grid
        assert!(
            (mean - first).abs() < 4.0 / 4000.0_f64.sqrt() + 1e-2,
            "{mean}, {first}"
        );
    }
}
