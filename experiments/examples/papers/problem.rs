//! The problems: Gaussian regressions and a mixture of two Gaussians, whose answers are exact, a softmax regression and a network.

use crate::bimnist::{self, BiMnist};
use crate::iris::{self, Iris};
use crate::statistics::divergence;
use bayes::density::{Block, LogDensity, Prior, Reference};
use bayes::nalgebra::{DMatrix, DMatrixView, DVector};
use bayes::rng::{Stream, stream};
use bayes_experiments::regression::Problem;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A problem given by size and noise, so that it can be part of a cell's settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Name {
    /// `y = X theta + N(0, noise² I)`, X and theta standard normal, `[rows, columns]`.
    Regression {
        rows: usize,
        columns: usize,
        noise: f64,
    },
    /// `y ~ N(X 1, I)` with 32 observations of 16 coefficients (figure 3).
    Ones,
    /// `0.2 N(1, I) + 0.8 N(-1, I)` in 16 dimensions, started from N(0, I) (figure 4).
    Mixture,
    /// Softmax regression of irises, whose estimate is a prediction.
    Iris,
    /// A network for zeros and ones, whose estimate is a prediction.
    BiMnist(bimnist::Size),
}

/// A few accurate observations of 16 coefficients (table 1 and the law): a noise of 0.01 for design rows of average length 1, here
/// written as 0.04 for rows of length 4.
///
/// The papers do not give the scale of the design; the autocorrelation time of pCN is proportional to its square. With this
/// scale the time is 180,000 steps, in the paper 72,160; with a noise of 0.01 it is sixteen times as long.
pub const ACCURATE: Name = Name::Regression {
    rows: 4,
    columns: 16,
    noise: 0.04,
};

/// Number of coordinates of the mixture.
const MIXTURE_DIM: usize = 16;

/// A posterior under the prior N(0, I), with its estimand.
pub struct Posterior {
    likelihood: Likelihood,
    normal: Normal,
    dim: usize,
    /// The true value of the estimand: the posterior mean of the coordinates, `[dim]`, or of [`Posterior::quantity`].
    pub truth: Vec<f64>,
    /// Sum of the posterior variances of the coordinates; NaN if it is not known.
    pub variance: f64,
}

enum Likelihood {
    Regression(Problem),
    Mixture,
    Iris(Iris),
    BiMnist(&'static BiMnist),
}

/// The prior N(0, I).
pub struct Normal(Reference);

impl Posterior {
    /// Makes the data of a problem with the random numbers of `seed`.
    pub fn new(name: Name, seed: u64) -> Self {
        let (rows, columns, noise) = match name {
            Name::Regression {
                rows,
                columns,
                noise,
            } => (rows, columns, noise),
            Name::Ones => (32, 16, 1.0),
            Name::Mixture => return Self::mixture(),
            Name::Iris => return Self::iris(),
            Name::BiMnist(size) => return Self::bimnist(size),
        };
        // one stream for each size, never used by a run
        let mut stream = stream((seed << 32) + (rows * 1000 + columns) as u64);
        let mut normal = || -> f64 { StandardNormal.sample(&mut stream) };
        let x = DMatrix::from_fn(rows, columns, |_, _| normal());
        let truth = DVector::from_fn(
            columns,
            |_, _| {
                if name == Name::Ones { 1.0 } else { normal() }
            },
        );
        let y = &x * truth + DVector::from_fn(rows, |_, _| noise * normal());
        let problem = Problem::new(x, y, noise);
        Self {
            normal: Normal::new(columns),
            dim: columns,
            truth: problem.mean.as_slice().to_vec(),
            variance: problem.variance.sum(),
            likelihood: Likelihood::Regression(problem),
        }
    }

    fn mixture() -> Self {
        // the modes are at distances 0.4 and 1.6 from the mean in every coordinate
        let between = 0.8 * 0.4 * 0.4 + 0.2 * 1.6 * 1.6;
        Self {
            likelihood: Likelihood::Mixture,
            normal: Normal::new(MIXTURE_DIM),
            dim: MIXTURE_DIM,
            truth: vec![-0.6; MIXTURE_DIM],
            variance: MIXTURE_DIM as f64 * (1.0 + between),
        }
    }

    fn iris() -> Self {
        Self {
            likelihood: Likelihood::Iris(Iris::new()),
            normal: Normal::new(iris::DIM),
            dim: iris::DIM,
            truth: Iris::truth().to_vec(),
            variance: f64::NAN,
        }
    }

    fn bimnist(size: bimnist::Size) -> Self {
        let problem = BiMnist::of(size);
        Self {
            likelihood: Likelihood::BiMnist(problem),
            normal: Normal::new(problem.dim()),
            dim: problem.dim(),
            truth: problem.truth().to_vec(),
            variance: f64::NAN,
        }
    }

    /// The regression, if it is one.
    pub fn regression(&self) -> Option<&Problem> {
        match &self.likelihood {
            Likelihood::Regression(problem) => Some(problem),
            _ => None,
        }
    }

    /// Fills the log likelihoods; with `weights` also the gradients.
    fn fill(&self, block: &mut Block<'_>, weights: Option<[f64; 2]>) {
        // a network includes its prior
        if !matches!(self.likelihood, Likelihood::BiMnist(_)) {
            fill_normal(block, weights);
        }
        let weight = weights.map(|[_, likelihood]| likelihood);
        match &self.likelihood {
            Likelihood::Regression(problem) => add_regression(problem, block, weight),
            Likelihood::Mixture => add_mixture(block, weight),
            Likelihood::Iris(iris) => iris.add(block, weight),
            Likelihood::BiMnist(network) => network.fill(block, weights),
        }
    }
}

/// The Gaussian log likelihood of all particles by one matrix product, and `weight` times its gradient by another.
fn add_regression(problem: &Problem, block: &mut Block<'_>, weight: Option<f64>) {
    let particles = block.len();
    let positions = DMatrixView::from_slice(block.positions, block.dim, particles);
    let mut residuals = &problem.x * positions;
    let variance = problem.noise * problem.noise;
    let constant = problem.y.len() as f64 * (std::f64::consts::TAU * variance).ln();
    for (i, mut residual) in residuals.column_iter_mut().enumerate() {
        residual -= &problem.y;
        block.log_likelihood[i] = -0.5 * (residual.norm_squared() / variance + constant);
    }
    if let Some(weight) = weight {
        let slopes = problem.x.tr_mul(&residuals);
        let pairs = block.gradient.iter_mut().zip(slopes.as_slice());
        pairs.for_each(|(gradient, slope)| *gradient -= weight / variance * slope);
    }
}

/// `log(0.2 exp(s) + 0.8 exp(-s)) - d / 2` with s the sum of the coordinates: the mixture over N(0, I).
fn add_mixture(block: &mut Block<'_>, weight: Option<f64>) {
    for i in 0..block.len() {
        let row = block.row(i);
        let sum: f64 = block.positions[row.clone()].iter().sum();
        let logs = [0.2f64.ln() + sum, 0.8f64.ln() - sum];
        let largest = logs[0].max(logs[1]);
        let [right, left] = logs.map(|log| (log - largest).exp());
        block.log_likelihood[i] = largest + (right + left).ln() - 0.5 * row.len() as f64;
        if let Some(weight) = weight {
            let slope = weight * (right - left) / (right + left);
            block.gradient[row].iter_mut().for_each(|g| *g += slope);
        }
    }
}

/// An estimand: the posterior mean of a quantity whose true mean is known.
pub trait Estimand: Sync {
    /// The quantity at a position.
    fn quantity<'a>(&self, position: &'a [f64]) -> Cow<'a, [f64]>;
    /// The error of an estimate of its mean.
    fn error(&self, estimate: &[f64]) -> f64;
}

/// The sum of squared differences.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

impl Estimand for Posterior {
    /// The position, or its predictions.
    fn quantity<'a>(&self, position: &'a [f64]) -> Cow<'a, [f64]> {
        match &self.likelihood {
            Likelihood::Iris(iris) => Cow::Owned(iris.predict(position)),
            Likelihood::BiMnist(problem) => Cow::Owned(problem.predict(position)),
            _ => Cow::Borrowed(position),
        }
    }
    /// The sum of squared errors; for predictions the Kullback-Leibler divergence from the truth.
    fn error(&self, estimate: &[f64]) -> f64 {
        match self.likelihood {
            Likelihood::Iris(_) => divergence(&self.truth, estimate, iris::NEW),
            Likelihood::BiMnist(_) => divergence(&self.truth, estimate, bimnist::NEW),
            _ => squared_distance(estimate, &self.truth),
        }
    }
}

impl Normal {
    pub fn new(dim: usize) -> Self {
        Self(Reference::gaussian(&vec![0.0; dim], &vec![1.0; dim]))
    }
}

/// Fills the log densities of N(0, I); with `weights` also the gradients.
pub fn fill_normal(block: &mut Block<'_>, weights: Option<[f64; 2]>) {
    let constant = block.dim as f64 * std::f64::consts::TAU.ln();
    for i in 0..block.len() {
        let squares: f64 = block.positions[block.row(i)].iter().map(|x| x * x).sum();
        block.log_prior[i] = -0.5 * (squares + constant);
    }
    if let Some([prior, _]) = weights {
        let pairs = block.gradient.iter_mut().zip(block.positions.iter());
        pairs.for_each(|(gradient, x)| *gradient = -prior * x);
    }
}

impl Prior for Normal {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let normal = |x: &mut f64| *x = StandardNormal.sample(stream);
        position.iter_mut().for_each(normal);
    }
    fn reference(&self) -> Option<&Reference> {
        Some(&self.0)
    }
}

impl LogDensity for Posterior {
    fn dim(&self) -> usize {
        self.dim
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.fill(block, None);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.fill(block, Some(weights));
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(&self.normal)
    }
}

/// A posterior for chains that start at one draw from the prior, as in the papers.
///
/// A chain of the library starts at the likeliest of ten draws. Here the whole density counts as prior, so all ten draws are
/// equally likely.
pub struct PriorStart<'a>(pub &'a dyn LogDensity);

impl LogDensity for PriorStart<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.0.evaluate(block);
        move_to_prior(block);
    }
    fn evaluate_gradient(&self, [prior, _]: [f64; 2], block: &mut Block<'_>) {
        self.0.evaluate_gradient([prior, prior], block);
        move_to_prior(block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        self.0.prior()
    }
}

fn move_to_prior(block: &mut Block<'_>) {
    let likelihoods = block.log_likelihood.iter_mut();
    for (prior, likelihood) in block.log_prior.iter_mut().zip(likelihoods) {
        *prior += std::mem::take(likelihood);
    }
}
