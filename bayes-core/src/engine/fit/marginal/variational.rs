//! Draws of a Gaussian with independent coordinates, which is learnt together with the params.

use super::population::Population;
use super::training::{Estimate, State, Trainer};
use crate::density::{AtParams, LogDensity, Particles};
use crate::engine::fit::map::Reader;
use crate::error::Error;
use crate::optimise::{Descent, Optimiser, Seen, Step};
use crate::rng::{Key, Purpose};
use bayes_autodiff::special::HALF_LN_TAU;
use rand_distr::{Distribution as _, StandardNormal};

/// The Gaussian q of `φ = centre + unit ∘ (a + exp(ρ) ∘ z)` with standard normal z.
///
/// It starts at the prior, or at a Gaussian fitted to prior draws where the prior is not Gaussian. With the units, steps of one length
/// suit all coordinates.
pub(super) struct Approximation {
    centre: Vec<f64>,
    unit: Vec<f64>,
    /// a, then ρ, `[2 dim]`.
    parameters: Vec<f64>,
    descent: Box<dyn Descent>,
}

impl Approximation {
    /// # Errors
    /// [`Error::NoPrior`] without a prior.
    pub(super) fn start(at: &AtParams<'_>, optimiser: &dyn Optimiser) -> Result<Self, Error> {
        let density: &dyn LogDensity = at;
        let reference =
            density.reference("the Gaussian of variational EM starts from the prior")?;
        let mut centre = vec![0.0; at.dim()];
        reference.unwhiten(&vec![0.0; at.dim()], &mut centre);
        Ok(Self {
            centre,
            unit: reference.sd(),
            parameters: vec![0.0; 2 * at.dim()],
            descent: optimiser.start(2 * at.dim()),
        })
    }

    fn dim(&self) -> usize {
        self.centre.len()
    }

    /// The draws at rows of standard normal numbers, `[particles, dim]`.
    fn particles(&self, normals: &[f64]) -> Particles {
        let (dim, (a, rho)) = (self.dim(), self.parameters.split_at(self.dim()));
        let mut particles = Particles::new(normals.len() / dim, dim);
        for (k, (position, z)) in particles.positions.iter_mut().zip(normals).enumerate() {
            let i = k % dim;
            *position = self.centre[i] + self.unit[i] * (a[i] + rho[i].exp() * z);
        }
        particles
    }

    /// The mean of `−ln q`.
    fn entropy(&self, normals: &[f64]) -> f64 {
        let rho = &self.parameters[self.dim()..];
        let scales = self.unit.iter().zip(rho).map(|(unit, rho)| unit.ln() + rho);
        let scales: f64 = scales.map(|scale| scale + HALF_LN_TAU).sum();
        let squares: f64 = normals.iter().map(|z| z * z).sum();
        scales + 0.5 * squares * self.dim() as f64 / normals.len() as f64
    }

    /// The gradient of the mean of `ln p − ln q` over the draws, where `particles` has the slopes of `ln p`. It goes only through the
    /// draws (Roeder, Wu and Duvenaud 2017), so it has no noise where q is the posterior.
    fn gradient(&self, particles: &Particles, normals: &[f64]) -> Vec<f64> {
        let dim = self.dim();
        let share = 1.0 / particles.len() as f64;
        let mut gradient = vec![0.0; 2 * dim];
        for (k, (slope, z)) in particles.gradient.iter().zip(normals).enumerate() {
            let i = k % dim;
            let scale = self.parameters[dim + i].exp();
            let through = share * (self.unit[i] * slope + z / scale);
            gradient[i] += through;
            gradient[dim + i] += through * scale * z;
        }
        gradient
    }

    fn step(&mut self, seen: Seen<'_>) -> Step {
        self.descent.step(seen, &mut self.parameters)
    }
}

impl Trainer<'_> {
    /// A step of the Gaussian by the evidence lower bound of the minibatch, and the gradient of the same bound in the params.
    pub(super) fn vary(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
        epoch: f64,
    ) -> Result<Estimate, Error> {
        let Some(mut q) = state.approximation.take() else {
            unreachable!("the state of variational EM starts with a Gaussian")
        };
        let key = Key::new(self.seed, Purpose::Elbo).item(state.steps());
        let mut stream = key.stream();
        let count = self.settings.particles * q.dim();
        let normals: Vec<f64> = (0..count)
            .map(|_| StandardNormal.sample(&mut stream))
            .collect();
        state.population = Population::new(q.particles(&normals));
        let weights = &mut |population: &mut Population| population.weights();
        let of_params = self.mean_gradient(state, batch, reader, weights)?;
        let particles = &state.population.particles;
        let (all, some) = (self.data.rows as f64, batch.len() as f64);
        let log_prior = particles.log_prior.iter().sum::<f64>() / particles.len() as f64;
        let bound =
            log_prior + q.entropy(&normals) + all / some * state.population.mean_log_likelihood();
        let gradient = q.gradient(particles, &normals);
        let gradient: Vec<f64> = gradient.iter().map(|g| -g / all).collect();
        q.step(Seen {
            loss: -bound / all,
            gradient: &gradient,
            epoch,
            epochs: self.settings.training.epochs as f64,
        });
        state.approximation = Some(q);
        Ok(Estimate {
            log_likelihood: bound * some / all,
            gradient: of_params,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Effects, data};
    use crate::engine::MarginalLikelihood;
    use crate::optimise::{Adam, LearningRate};

    /// The groups are independent given the params, so the Gaussian can equal the posterior and the bound the marginal likelihood.
    ///
    /// Seen to detect: no entropy in the bound, the prior left out of the gradient, and N/M inverted.
    #[test]
    fn variational_em_is_exact_where_its_gaussian_is_the_posterior() {
        let effects = Effects::simulated(6, 4, 8);
        let wanted = effects.maximum();
        let learn = |minibatch, epochs| {
            let engine = MarginalLikelihood::variational()
                .epochs(epochs)
                .seed(2)
                .optimiser(Adam::new(LearningRate::cosine(0.1, 0.0)));
            engine.learn(&data(&effects, minibatch)).unwrap()
        };
        let learnt = learn(24, 300);
        let value = |name| learnt.fit.value(name).unwrap()[0];
        let found = [value("shift"), value("log_scale")];
        // with 100 draws the gradient has an error of 0.1 of its curvature; the steps of a falling rate average over it
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 0.02, "{found:?}, {wanted}");
        }
        let (exact, _) = effects.exact(found);
        let bound = learnt.fit.log_density();
        // the draws of one step estimate the bound; ln p − ln q has no variance at the posterior, which is not quite reached
        assert!((bound - exact).abs() < 0.05, "{bound}, {exact}");
        let scale = found[1].exp();
        let precision = 1.0 + 4.0 * scale * scale;
        let particles = &learnt.particles;
        let (mean, sd) = (particles.mean("z").unwrap(), particles.sd("z").unwrap());
        for (group, [_, sum, _]) in effects.sums(found[0]).into_iter().enumerate() {
            let exact = scale * sum / precision;
            // the mean and the standard deviation of 100 draws
            let error = precision.powf(-0.5) / 10.0;
            assert!((mean[group] - exact).abs() < 4.0 * error, "{group}");
            assert!((sd[group] - 10.0 * error).abs() < 4.0 * error, "{group}");
        }
        // minibatches stand for all rows: the result is near the same maximum, up to their noise
        let part = learn(8, 300);
        for (name, wanted) in ["shift", "log_scale"].into_iter().zip(wanted) {
            let found = part.fit.value(name).unwrap()[0];
            assert!((found - wanted).abs() < 0.1, "{name}: {found}, {wanted}");
        }
    }
}
