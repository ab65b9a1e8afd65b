//! Elliptical slice sampling (Murray, Adams and MacKay 2010).

use super::{Kernel, Population, Trajectory, Tuning, Workspace, require_continuous};
use crate::density::{Block, LogDensity, Reference, Target};
use crate::error::Error;
use crate::rng::Stream;
use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Elliptical slice sampling: the next state is a point of the ellipse through the present state and a draw of the Gaussian reference. It
/// never rejects and has nothing to tune.
///
/// With u the state and ν ~ N(0, I) in the whitened variable of the reference measure, as for [`Pcn`](super::Pcn):
///
/// ```text
/// log y = L(u) + ln U,    φ ~ U(0, 2π),    u' = u cos φ + ν sin φ;    accept if L(u') > log y,
/// otherwise shrink the bracket of φ towards 0 and draw φ again
/// L = log target − log reference, which is λ ℓ for a Gaussian prior
/// ```
///
/// The best choice for models whose prior is Gaussian and not much wider than the posterior, such as latent Gaussian
/// processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct EllipticalSlice;

impl EllipticalSlice {
    /// The kernel, which has no settings.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// The explanation of why it needs a proper prior.
const NEEDS_PRIOR: &str = "elliptical slices are drawn from a Gaussian fitted to prior draws";

/// Maximum number of points on an ellipse. The bracket halves on average, so after this number of points it is far below rounding, and
/// the state stays.
const MOST: usize = 200;

/// The reference measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Gaussian(Reference);

/// Memory for a block.
struct Scratch {
    /// Whitened states and draws, `[particles, dim]` each.
    states: [Vec<f64>; 2],
    /// A point of an ellipse, whitened, `[dim]`.
    point: Vec<f64>,
    /// The ellipse of each particle, `[particles]`.
    ellipses: Vec<Ellipse>,
}

/// The bracket of a particle's angle, and the level that its next state must exceed.
#[derive(Clone, Copy, Debug, Default)]
struct Ellipse {
    level: f64,
    angle: f64,
    bracket: [f64; 2],
    done: bool,
}

impl Ellipse {
    /// A new angle from the bracket, shrunk to exclude the present one.
    fn shrink(&mut self, stream: &mut Stream) {
        self.bracket[usize::from(self.angle >= 0.0)] = self.angle;
        let [low, high] = self.bracket;
        self.angle = low + (high - low) * stream.random::<f64>();
    }
}

impl Kernel for EllipticalSlice {
    fn name(&self) -> &'static str {
        "elliptical_slice"
    }

    fn needs_proper_prior(&self) -> Option<&'static str> {
        Some(NEEDS_PRIOR)
    }

    fn target_acceptance(&self) -> Option<f64> {
        None
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        require_continuous(self.name(), density)
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let reference = density.reference(NEEDS_PRIOR)?;
        Ok(Tuning::new(1.0, Gaussian(reference)))
    }

    fn fit(&self, _: &mut Tuning, _: Population<'_>) {}

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Gaussian>()
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let Gaussian(reference) = tuning.shape();
        let Workspace {
            proposal,
            acceptance,
            trajectories,
            counts,
            scratch,
            ..
        } = workspace;
        let scratch = scratch.of(|| Scratch::new(block));
        scratch.begin(reference, target, block, streams);
        acceptance.fill(0.0);
        trajectories.fill(Trajectory::default());
        let mut proposal = proposal.block();
        for _ in 0..MOST {
            scratch.propose(reference, block, &mut proposal);
            target.evaluate(&mut proposal, counts);
            for (i, stream) in streams.iter_mut().enumerate() {
                let ellipse = &mut scratch.ellipses[i];
                if ellipse.done {
                    continue;
                }
                let u = &scratch.states[0][block.row(i)];
                let v = &scratch.states[1][block.row(i)];
                point(u, v, ellipse.angle, &mut scratch.point);
                if target.log_ratio_to_reference(&proposal, i, &scratch.point) > ellipse.level {
                    block.accept(i, &proposal);
                    (ellipse.done, acceptance[i]) = (true, 1.0);
                } else {
                    ellipse.shrink(stream);
                }
            }
            if scratch.ellipses.iter().all(|ellipse| ellipse.done) {
                break;
            }
        }
    }
}

impl Scratch {
    fn new(block: &Block<'_>) -> Self {
        Self {
            states: [0; 2].map(|_| vec![0.0; block.positions.len()]),
            point: vec![0.0; block.dim],
            ellipses: vec![Ellipse::default(); block.len()],
        }
    }

    /// An ellipse and a first angle for every particle.
    fn begin(
        &mut self,
        reference: &Reference,
        target: Target<'_>,
        block: &Block<'_>,
        streams: &mut [Stream],
    ) {
        for (i, stream) in streams.iter_mut().enumerate() {
            let u = &mut self.states[0][block.row(i)];
            reference.whiten(&block.positions[block.row(i)], u);
            let level =
                target.log_ratio_to_reference(block, i, u) + (1.0 - stream.random::<f64>()).ln();
            let draw = &mut self.states[1][block.row(i)];
            draw.iter_mut()
                .for_each(|v| *v = StandardNormal.sample(stream));
            let angle = TAU * stream.random::<f64>();
            self.ellipses[i] = Ellipse {
                level,
                angle,
                bracket: [angle - TAU, angle],
                done: false,
            };
        }
    }

    /// The points of the ellipses at their present angles; particles that have moved keep their state.
    fn propose(&mut self, reference: &Reference, block: &Block<'_>, proposal: &mut Block<'_>) {
        for (i, ellipse) in self.ellipses.iter().enumerate() {
            let row = block.row(i);
            if ellipse.done {
                proposal.positions[row.clone()].copy_from_slice(&block.positions[row]);
                continue;
            }
            let (u, v) = (&self.states[0][row.clone()], &self.states[1][row.clone()]);
            point(u, v, ellipse.angle, &mut self.point);
            reference.unwhiten(&self.point, &mut proposal.positions[row]);
        }
    }
}

/// `u cos φ + v sin φ`.
fn point(u: &[f64], v: &[f64], angle: f64, point: &mut [f64]) {
    let (sin, cos) = angle.sin_cos();
    for (k, x) in point.iter_mut().enumerate() {
        *x = u[k] * cos + v[k] * sin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Particles, Prior};
    use crate::rng::{Key, Purpose};

    /// Two standard normals whose sum is observed as 1 with noise of variance 1/4.
    struct Sum;

    impl LogDensity for Sum {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| {
                let prior = -0.5 * (x[0] * x[0] + x[1] * x[1]);
                [prior, -2.0 * (x[0] + x[1] - 1.0).powi(2)]
            });
        }
        fn prior(&self) -> Option<&dyn Prior> {
            Some(self)
        }
    }

    impl Prior for Sum {
        fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
            let normals = position.iter_mut();
            normals.for_each(|x| *x = StandardNormal.sample(stream));
        }
    }

    const N: usize = 20_000;

    /// Draws of the sum before and after five moves from the tempered posterior itself.
    ///
    /// The reference is fitted to prior draws, so it is not exactly the prior.
    fn sums(lambda: f64) -> [Vec<f64>; 2] {
        // the sum and the difference are independent; the prior variance of each is 2
        let variance = 1.0 / (0.5 + 4.0 * lambda);
        let mean = 4.0 * lambda * variance;
        let mut particles = Particles::new(N, 2);
        let key = Key::new(3, Purpose::Validation);
        for (i, x) in particles.positions.chunks_exact_mut(2).enumerate() {
            let stream = &mut key.item(i as u64).stream();
            let [a, b]: [f64; 2] = [StandardNormal.sample(stream), StandardNormal.sample(stream)];
            let (sum, difference) = (mean + variance.sqrt() * a, f64::sqrt(2.0) * b);
            (x[0], x[1]) = (0.5 * (sum + difference), 0.5 * (sum - difference));
        }
        let sums = |particles: &Particles| {
            let rows = particles.positions.chunks_exact(2);
            rows.map(|x| x[0] + x[1]).collect::<Vec<f64>>()
        };
        let before = sums(&particles);
        let kernel = EllipticalSlice::new();
        let tuning = kernel.init(&Sum).expect("it has a prior");
        let key = Key::new(3, Purpose::Move);
        let mut streams: Vec<Stream> = (0..N as u64).map(|i| key.item(i).stream()).collect();
        let target = Target::tempered(&Sum, lambda);
        let mut workspace = Workspace::new(N, 2);
        target.evaluate(&mut particles.block(), &mut workspace.counts);
        for _ in 0..5 {
            let block = &mut particles.block();
            kernel.step(&tuning, target, block, &mut streams, &mut workspace);
            assert!(workspace.acceptance.iter().all(|a| *a == 1.0));
        }
        [before, sums(&particles)]
    }

    /// Seen to detect: no `ln U` in the level, and brackets that do not shrink towards the present state.
    #[test]
    fn it_leaves_the_tempered_posterior_invariant() {
        for lambda in [0.1, 1.0] {
            let variance = 1.0 / (0.5 + 4.0 * lambda);
            let mean = 4.0 * lambda * variance;
            let [before, after] = sums(lambda);
            let n = N as f64;
            let found = after.iter().sum::<f64>() / n;
            let spread = after.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n;
            assert!((found - mean).abs() < 5.0 * (variance / n).sqrt());
            assert!((spread / variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
            let pairs = before.iter().zip(&after);
            let together = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / n;
            assert!(together < 0.9 * variance, "it hardly moves");
        }
    }
}
