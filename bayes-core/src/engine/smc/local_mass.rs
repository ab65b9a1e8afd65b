//! A second opinion on an island: the mass of the posterior near modes, by climbs and importance sampling.
//!
//! Tempering goes from the prior to the posterior by densities between them. A narrow and high mode appears in these at the very end,
//! where no particle is near it: a first-order transition. Then all islands agree on a wrong evidence. A climb from a particle or a prior
//! draw is independent of this path. So each island climbs from some of both, and from the places where its moves lost most energy
//! ([`Fall`]), and takes the Gaussian with the curvature of each mode (Tierney & Kadane 1986). It then measures the mass in the ellipsoid of this Gaussian by importance sampling. The rule
//! [`MissedMass`](crate::diagnose::warning::MissedMass) compares the mass with the evidence and with the share of the draws there.
//!
//! Nested islands are asked too. A scale that becomes far smaller than its prior expects leaves few states in the neck of a funnel at the levels
//! below the posterior, and their evidence is too low, but draws at the posterior have the right share around the mode.
//!
//! It does not find a mode that no climb reaches, or a mode that is not a peak: a ring, a ridge. A narrow mode far from the bulk of all
//! temperatures is reached only if a leapfrog step ends in it by chance (experiments/figures.md).

use super::island::Island;
use super::resample::Resampling;
use super::sampler::Sampler;
use super::walks::CALLS_OF_A_GRADIENT;
use crate::density::{Counts, GradientMode, LogDensity, Particles, Prior};
use crate::engine::ascent::{Climb, PEAK_DRAWS, Peak, Points, climbs, prior_draws};
use crate::kernel::Fall;
use crate::rng::{Key, Purpose};
use crate::run::{LocalDraws, LocalMass, Weights};

/// Maximum number of coordinates: the Hessian takes two gradients for each, and the ellipsoid has one axis for each.
const MAX_DIM: usize = 100;
/// The evaluations of the search, as a share of the gradients of the island.
const SHARE: f64 = 0.04;
/// A small island may spend this share, up to this number of gradients.
const SHARE_OF_SMALL: f64 = 0.125;
const LEAST_BUDGET: f64 = 1000.0;
/// Number of climbs from particles, and of climbs from prior draws; together they fill the SIMD lanes.
const CLIMBS: usize = 4;
/// A search needs at least this number of rounds of the climbs.
const ROUNDS: usize = 20;
/// The number of gradients that a climb from a fall may take, to decide the number of these climbs.
const OF_A_CLIMB: usize = 30;
/// The number of places whose curvature is examined.
const PLACES: usize = 3;
/// A mode with a smaller Laplace mass, relative to the evidence, is not measured.
const LEAST: f64 = 0.02;

impl Sampler<'_> {
    /// The masses near modes that climbs find from the island's particles and from prior draws.
    pub(super) fn local_masses(&self, island: &mut Island) -> Vec<LocalMass> {
        if island.log_evidence == f64::NEG_INFINITY {
            return Vec::new();
        }
        let weights = match island.log_weights.as_slice() {
            [] => Weights::equal(island.particles.len()),
            log_weights => Weights::from_logs(log_weights),
        };
        let (found, counts) = find(
            self.density,
            &At {
                particles: &island.particles,
                weights: &weights,
                ancestors: &island.ancestors,
                moved: island
                    .history
                    .last()
                    .map_or(island.particles.len(), |stage| stage.particles),
                falls: &island.falls,
                log_evidence: island.log_evidence,
                gradients: self.worth(island),
            },
            self.key(island, Purpose::Approximation, 0),
        );
        island.counts.merge(&counts);
        found
    }

    /// The work of an island in gradients.
    fn worth(&self, island: &Island) -> u64 {
        let evaluations = match self.kernel.needs_gradient() {
            true => 1.0,
            false => price(self.density),
        };
        (self.work(island) / evaluations) as u64
    }
}

/// The evaluations of the density that cost as much as a gradient: a few by a trace in reverse; a density without a gradient of its own takes two for
/// each coordinate.
fn price(density: &dyn LogDensity) -> f64 {
    match density.describe().arithmetic.gradient {
        GradientMode::Reverse => CALLS_OF_A_GRADIENT,
        _ => (2 * density.dim() + 1) as f64,
    }
}

/// An island at the posterior.
struct At<'a> {
    particles: &'a Particles,
    weights: &'a Weights,
    /// The initial particles from which the particles descend.
    ancestors: &'a [u32],
    /// The number of particles that moved; of each, several states may be kept.
    moved: usize,
    /// The deepest first.
    falls: &'a [Fall],
    log_evidence: f64,
    /// The gradients of the island so far.
    gradients: u64,
}

impl At<'_> {
    /// The shares of the particles at a mode.
    fn draws_there(&self, mass: &LocalMass) -> LocalDraws {
        let particles = self.particles;
        let positions = (0..particles.len()).map(|i| particles.position(i));
        mass.draws_of(positions, self.weights, self.ancestors, self.moved)
    }
}

/// The masses near the modes that climbs find, and the evaluations of the search.
///
/// There is no search where it would cost more than a 25th of the island (of a small island an eighth), in more than 100 coordinates, or for whole numbers. There is
/// also none where the prior is not known to integrate to 1: the evidence does not depend on its constant, but the mass does.
fn find(density: &dyn LogDensity, at: &At<'_>, key: Key) -> (Vec<LocalMass>, Counts) {
    let dim = at.particles.dim;
    let description = density.describe();
    let is_continuous =
        !description.discrete.contains(&true) && !description.params.contains(&true);
    let is_normalised = density.prior().is_some_and(Prior::is_normalised);
    let gradients = at.gradients as f64;
    let budget = (SHARE * gradients).max(LEAST_BUDGET.min(SHARE_OF_SMALL * gradients)) as usize;
    // a density costs a third of a gradient
    let measures = PLACES * (2 * dim + PEAK_DRAWS / 3);
    let left = budget.checked_sub(measures);
    let Some(left) = left.filter(|left| *left >= ROUNDS * 2 * CLIMBS) else {
        return Default::default();
    };
    if !(1..=MAX_DIM).contains(&dim) || !is_continuous || !is_normalised {
        return Default::default();
    }
    let mut search = Search {
        points: Points::of(density, left),
        from_falls: (left / OF_A_CLIMB).saturating_sub(2 * CLIMBS),
        key,
        found: Vec::new(),
        densities: 0,
    };
    search.run(at);
    for mass in &mut search.found {
        mass.draws = Some(at.draws_there(mass));
    }
    let counts = Counts {
        gradient_evaluations: search.points.taken() as u64,
        density_evaluations: search.densities,
        ..Counts::default()
    };
    (search.found, counts)
}

struct Search<'a> {
    points: Points<'a>,
    /// Number of climbs from falls.
    from_falls: usize,
    key: Key,
    found: Vec<LocalMass>,
    /// Evaluations of the density alone.
    densities: u64,
}

impl Search<'_> {
    fn run(&mut self, at: &At<'_>) {
        let mut stream = self.key.item(u64::MAX).stream();
        let chosen = Resampling::Systematic.ancestors(at.weights.as_slice(), CLIMBS, &mut stream);
        let start = |i: &u32| at.particles.position(*i as usize).to_vec();
        let mut starts: Vec<Vec<f64>> = chosen.iter().map(start).collect();
        starts.extend(prior_draws(&self.points, self.key, CLIMBS));
        let falls = at.falls.iter().take(self.from_falls);
        starts.extend(falls.map(|fall| fall.position.clone()));
        let mut places = 0;
        for climb in climbs(&self.points, starts) {
            // the higher maxima are known: one that is lower and in the ellipsoid of a higher one has less mass, or is the same
            let is_known = |mass: &LocalMass| mass.contains(&climb.end.position);
            if places == PLACES || self.found.iter().any(is_known) {
                continue;
            }
            places += 1;
            let found = self.measure(&climb, at.log_evidence);
            self.found.extend(found);
        }
    }

    /// The mass around the end of a climb; `None` if the end is not a mode, or if the mode does not matter.
    fn measure(&mut self, climb: &Climb, log_evidence: f64) -> Option<LocalMass> {
        let peak = Peak::of(&self.points, &climb.end)?;
        if peak.log_mass() < log_evidence + LEAST.ln() {
            return None;
        }
        let key = self.key.item(u64::MAX - 1 - self.found.len() as u64);
        peak.measured(self.points.density, key, &mut self.densities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Block, Description, Quantities};
    use crate::rng::Stream;
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// A prior N(0, I) in the plane with a likelihood that makes the posterior a Gaussian with correlation 0.9 and scales 1 and 0.1; its
    /// evidence is e^-2.
    struct Correlated;

    const LOG_EVIDENCE: f64 = -2.0;

    fn log_posterior(x: &[f64]) -> f64 {
        let (a, b) = (x[0], x[1] / 0.1);
        let quadratic = (a * a - 1.8 * a * b + b * b) / 0.19;
        LOG_EVIDENCE - 0.5 * (quadratic + 0.19_f64.ln()) - 0.1_f64.ln() - std::f64::consts::TAU.ln()
    }

    impl LogDensity for Correlated {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| {
                let prior = -0.5 * (x[0] * x[0] + x[1] * x[1]) - std::f64::consts::TAU.ln();
                [prior, log_posterior(x) - prior]
            });
        }
        fn prior(&self) -> Option<&dyn Prior> {
            Some(self)
        }
    }

    impl Prior for Correlated {
        fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
            position.fill_with(|| stream.sample(StandardNormal));
        }
        fn is_normalised(&self) -> bool {
            true
        }
    }

    fn searched(gradients: u64) -> (Vec<LocalMass>, Counts) {
        let particles = Particles::of_prior(64, 2, &Correlated, Key::new(1, Purpose::Initial));
        let ancestors: Vec<u32> = (0..64).collect();
        let at = At {
            particles: &particles,
            weights: &Weights::equal(64),
            ancestors: &ancestors,
            moved: 64,
            falls: &[],
            log_evidence: LOG_EVIDENCE,
            gradients,
        };
        find(&Correlated, &at, Key::new(1, Purpose::Approximation))
    }

    /// Seen to detect a factor that is packed by columns.
    #[test]
    fn the_mass_of_a_correlated_gaussian_is_that_of_its_draws_inside() {
        let (found, counts) = searched(1_000_000);
        let [mass] = &found[..] else {
            panic!("{found:?}");
        };
        // Wilson and Hilferty's quantile in two dimensions
        let inside = 1.0 - (-0.5 * mass.radius.powi(2)).exp();
        assert!((inside - 0.9).abs() < 0.01, "{inside}");
        assert!((mass.log_mass - LOG_EVIDENCE - inside.ln()).abs() < 4.0 * mass.se);
        assert!((0.005..0.03).contains(&mass.se), "{}", mass.se);
        // of the prior draws, a tenth lies as near to the long axis
        let there = mass.draws.expect("the particles are counted");
        assert!((0.02..0.3).contains(&there.inside), "{there:?}");
        let independent = (there.inside * (1.0 - there.inside) / 63.0).sqrt();
        assert!((there.se - independent).abs() < 1e-12, "{there:?}");
        assert!((there.inside..0.9).contains(&there.near) && there.near > there.inside);
        let mut stream = Key::new(2, Purpose::User).stream();
        let draws = (0..4000).filter(|_| {
            let [a, z]: [f64; 2] = std::array::from_fn(|_| stream.sample(StandardNormal));
            mass.contains(&[a, 0.1 * (0.9 * a + 0.19_f64.sqrt() * z)])
        });
        // the error is 0.005
        assert!((draws.count() as f64 / 4000.0 - inside).abs() < 0.02);
        assert!(counts.gradient_evaluations > 0 && counts.density_evaluations <= PEAK_DRAWS as u64);
    }

    /// A density in 20 coordinates with gradients in this mode.
    struct InMode(GradientMode);

    impl LogDensity for InMode {
        fn dim(&self) -> usize {
            20
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|_| [0.0, 0.0]);
        }
        fn quantities(&self) -> &dyn Quantities {
            self
        }
    }

    impl Quantities for InMode {
        fn describe(&self) -> Option<Description> {
            let mut description = Description::unnamed(20);
            description.arithmetic.gradient = self.0;
            Some(description)
        }
    }

    /// Would detect a gradient in reverse that is priced as by differences: 41 densities.
    #[test]
    fn a_gradient_costs_what_its_mode_takes() {
        assert_eq!(price(&InMode(GradientMode::Reverse)), 3.0);
        assert_eq!(price(&InMode(GradientMode::Automatic)), 41.0);
        assert_eq!(price(&InMode(GradientMode::Forward)), 41.0);
    }

    #[test]
    fn a_search_that_would_cost_too_much_is_not_begun() {
        assert_eq!(searched(5_000), Default::default());
        for (gradients, most) in [(8_000, 1000.0), (100_000, 100_000.0 * SHARE)] {
            let (found, counts) = searched(gradients);
            assert_eq!(found.len(), 1);
            let taken = counts.gradient_evaluations + counts.density_evaluations / 3;
            assert!(taken as f64 <= most, "{taken}");
        }
    }
}
