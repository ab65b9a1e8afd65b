//! The evidence lower bound as a density of the parameters of a Gaussian, for the usual optimisers.

use super::family::Family;
use crate::density::{Block, Description, LogDensity, Particles, Quantities};
use crate::engine::fit::map::{Batches, Reader};
use crate::error::Error;
use crate::model::NonFiniteTerm;
use crate::rng::{Key, Purpose};
use rand::RngExt;
use rand_distr::StandardNormal;

/// An estimate of the evidence lower bound, up to the log evidence, from a few draws of the Gaussian:
///
/// ```text
/// ELBO = E_q[ln p(x, y) − ln q(x)],   x = m + S z,  z ~ N(0, I)      Kucukelbir et al. (2017), equation 5
/// ```
///
/// Each draw is standard normal, but all draws are the same up to signs. The signs make the sums over the draws of `zᵢ`, and of `zᵢ zⱼ`
/// for two of draws/2 coordinates, exactly 0. Linear terms of `ln p` therefore add no noise, nor do the products that mean field does not
/// model. The draws are the same in every evaluation. The log prior of this density has the mean of `ln p(x) − ln q(x)`, its log
/// likelihood the mean of `ln p(y | x)`.
pub(super) struct Elbo<'a> {
    pub(super) density: &'a dyn LogDensity,
    pub(super) family: &'a Family,
    /// A power of 2, at least 2.
    pub(super) draws: usize,
    pub(super) key: Key,
}

impl Elbo<'_> {
    /// Standard normal numbers, `[draws, dim]`: one number for each coordinate, whose sign changes from draw to draw like the columns of
    /// a Hadamard matrix.
    fn normals(&self) -> Vec<f64> {
        let mut stream = self.key.stream();
        let first = (0..self.family.dim()).map(|_| stream.sample(StandardNormal));
        let first: Vec<f64> = first.collect();
        let half = self.draws / 2;
        let draw = |draw: usize| {
            // columns of the second half, in which draw `i + half` is the opposite of draw `i`
            let sign = move |i: usize| match (draw & (half + i % half)).count_ones() % 2 {
                0 => 1.0,
                _ => -1.0,
            };
            first.iter().enumerate().map(move |(i, z)| sign(i) * z)
        };
        (0..self.draws).flat_map(draw).collect()
    }

    /// The draws of the Gaussian, not evaluated.
    fn particles(&self, parameters: &[f64], normals: &[f64]) -> Particles {
        let dim = self.family.dim();
        let mut particles = Particles::new(self.draws, dim);
        let rows = particles.positions.chunks_exact_mut(dim);
        for (position, z) in rows.zip(normals.chunks_exact(dim)) {
            self.family.position(parameters, z, position);
        }
        particles
    }

    /// The two means over the draws.
    fn means(&self, parameters: &[f64], normals: &[f64], particles: &Particles) -> [f64; 2] {
        let (mut prior, mut likelihood) = (0.0, 0.0);
        for (i, z) in normals.chunks_exact(self.family.dim()).enumerate() {
            prior += particles.log_prior[i] - self.family.log_density(parameters, z);
            likelihood += particles.log_likelihood[i];
        }
        [prior, likelihood].map(|sum| sum / self.draws as f64)
    }
}

impl LogDensity for Elbo<'_> {
    fn dim(&self) -> usize {
        self.family.parameters()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        let normals = self.normals();
        block.fill(|parameters| {
            let mut particles = self.particles(parameters, &normals);
            self.density.evaluate(&mut particles.block());
            self.means(parameters, &normals, &particles)
        });
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        let dim = self.family.dim();
        let normals = self.normals();
        let share = [1.0 / self.draws as f64, weights[0]];
        block.fill_gradient(|parameters, gradient| {
            let mut particles = self.particles(parameters, &normals);
            let mut draws = particles.block();
            self.density.evaluate_gradient(weights, &mut draws);
            gradient.fill(0.0);
            let slopes = particles.gradient.chunks_exact(dim);
            for (z, slopes) in normals.chunks_exact(dim).zip(slopes) {
                self.family
                    .add_gradient(parameters, z, slopes, share, gradient);
            }
            self.means(parameters, &normals, &particles)
        });
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Quantities for Elbo<'_> {
    /// The statements of the density, with a vector of parameters as quantities.
    fn describe(&self) -> Option<Description> {
        let parameters = Description::unnamed(self.dim());
        Some(Description {
            layout: parameters.layout,
            discrete: parameters.discrete,
            params: parameters.params,
            ..self.density.describe()
        })
    }

    /// The terms of the first draw that has one.
    fn non_finite_terms(&self, parameters: &[f64], _: [f64; 2]) -> Vec<NonFiniteTerm> {
        let mut particles = self.particles(parameters, &self.normals());
        self.density.evaluate(&mut particles.block());
        let values = |i: &usize| [particles.log_prior[*i], particles.log_likelihood[*i]];
        let mut draws = 0..self.draws;
        let first = draws.find(|i| values(i).iter().any(|value| !value.is_finite()));
        first.map_or_else(Vec::new, |i| {
            let quantities = self.density.quantities();
            quantities.non_finite_terms(particles.position(i), values(&i))
        })
    }
}

/// Minibatches of a density, each with its own draws of the Gaussian; without minibatches every batch is the whole density.
pub(super) struct Noisy<'a> {
    pub(super) whole: Elbo<'a>,
    pub(super) batches: Option<&'a dyn Batches>,
}

impl Batches for Noisy<'_> {
    fn reader(&self) -> Result<Box<dyn Reader + '_>, Error> {
        let rows = self.batches.map(|batches| batches.reader()).transpose()?;
        Ok(Box::new(NoisyReader {
            from: self,
            rows,
            read: 0,
        }))
    }
}

struct NoisyReader<'a> {
    from: &'a Noisy<'a>,
    rows: Option<Box<dyn Reader + 'a>>,
    /// Number of batches so far.
    read: u64,
}

impl Reader for NoisyReader<'_> {
    fn read(&mut self, rows: &[usize], then: &mut dyn FnMut(&dyn LogDensity)) -> Result<(), Error> {
        self.read += 1;
        let key = Key::new(self.from.whole.key.seed, Purpose::Elbo).item(self.read);
        let mut on = |density: &dyn LogDensity| {
            then(&Elbo {
                density,
                key,
                ..self.from.whole
            });
        };
        match &mut self.rows {
            Some(reader) => reader.read(rows, &mut on),
            None => {
                on(self.from.whole.density);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A density that is never evaluated.
    struct Flat;

    impl LogDensity for Flat {
        fn dim(&self) -> usize {
            5
        }
        fn evaluate(&self, _: &mut Block<'_>) {}
    }

    #[test]
    fn signs_cancel_all_products_of_half_as_many_coordinates() {
        let family = Family {
            is_full: false,
            centre: vec![0.0; 5],
            unit: vec![1.0; 5],
        };
        for draws in [2, 8, 16] {
            let elbo = Elbo {
                density: &Flat,
                family: &family,
                draws,
                key: Key::new(1, Purpose::Elbo),
            };
            let normals = elbo.normals();
            let sum = |term: &dyn Fn(&[f64]) -> f64| normals.chunks_exact(5).map(term).sum::<f64>();
            for i in 0..5 {
                assert!(sum(&|z| z[i]).abs() < 1e-12);
                for j in 0..i {
                    let product = sum(&|z| z[i] * z[j]);
                    let same = i % (draws / 2) == j % (draws / 2);
                    assert_eq!(product.abs() > 1e-12, same, "{draws} draws, {i} and {j}");
                }
            }
        }
    }
}
