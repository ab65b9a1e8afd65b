//! Random effects of groups, whose marginal likelihood is known in closed form.

use super::super::*;
use crate::density::{
    Block, BlockFactor, Description, Prior, Quantities, Reference, ReferenceBlock,
};
use crate::dist::Shape;
use crate::model::{Layout, Variable};
use crate::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};
use std::sync::OnceLock;

const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
/// `z_g ~ N(0, 1)` for each group g, `y_n ~ N(shift + exp(log_scale) z_g(n), 1)`: the params are `shift` and `log_scale`.
#[derive(Clone)]
pub(in super::super) struct Effects {
    groups: usize,
    pub(in super::super) rows: Vec<(usize, f64)>,
    reference: OnceLock<Reference>,
}

impl Effects {
    pub(in super::super) fn of(groups: usize, rows: Vec<(usize, f64)>) -> Self {
        Self {
            groups,
            rows,
            reference: OnceLock::new(),
        }
    }

    /// `each` rows of every group, simulated at the scale 1.5 and the shift 0.4.
    pub(in super::super) fn simulated(groups: usize, each: usize, seed: u64) -> Self {
        let mut stream = crate::rng::stream(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut stream) };
        let mut rows = Vec::new();
        for group in 0..groups {
            let effect = 0.4 + 1.5 * normal();
            rows.extend((0..each).map(|_| (group, effect + normal())));
        }
        Self::of(groups, rows)
    }

    /// Number, sum and sum of squares of the residuals of each group.
    pub(in super::super) fn sums(&self, shift: f64) -> Vec<[f64; 3]> {
        let mut sums = vec![[0.0; 3]; self.groups];
        for (group, y) in &self.rows {
            let r = y - shift;
            let of_group = &mut sums[*group];
            [1.0, r, r * r]
                .iter()
                .zip(of_group)
                .for_each(|(x, sum)| *sum += x);
        }
        sums
    }

    /// The log marginal likelihood and its gradient: y of a group is `N(shift, I + τ² 11ᵀ)`.
    pub(in super::super) fn exact(&self, [shift, log_scale]: [f64; 2]) -> (f64, [f64; 2]) {
        let variance = (2.0 * log_scale).exp();
        let (mut log_likelihood, mut gradient) = (0.0, [0.0; 2]);
        for [n, sum, squares] in self.sums(shift) {
            let total = 1.0 + n * variance;
            log_likelihood -= n * HALF_LN_TAU + 0.5 * total.ln();
            log_likelihood -= 0.5 * (squares - variance * sum * sum / total);
            gradient[0] += sum / total;
            gradient[1] += variance * ((sum / total).powi(2) - n / total);
        }
        (log_likelihood, gradient)
    }
}

impl Effects {
    /// The maximum of the marginal likelihood, for groups of equal size n: the shift is the mean, and `τ² = Σ (ȳ_g − ȳ)² / G − 1/n`.
    pub(in super::super) fn maximum(&self) -> [f64; 2] {
        let (groups, each) = (self.groups as f64, (self.rows.len() / self.groups) as f64);
        let sums = self.sums(0.0);
        let means: Vec<f64> = sums.iter().map(|[n, sum, _]| sum / n).collect();
        let shift = means.iter().sum::<f64>() / groups;
        let spread: f64 = means.iter().map(|m| (m - shift).powi(2)).sum();
        [shift, 0.5 * (spread / groups - 1.0 / each).ln()]
    }
}

impl LogDensity for Effects {
    fn dim(&self) -> usize {
        self.groups + 2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let mut slopes = vec![0.0; self.dim()];
        block.fill(|x| self.densities(x, [0.0; 2], &mut slopes));
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|x, slopes| self.densities(x, weights, slopes));
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Effects {
    fn densities(&self, x: &[f64], weights: [f64; 2], slopes: &mut [f64]) -> [f64; 2] {
        let (shift, scale, z) = (x[0], x[1].exp(), &x[2..]);
        slopes.fill(0.0);
        for (slope, z) in slopes[2..].iter_mut().zip(z) {
            *slope = -weights[0] * z;
        }
        let mut log_likelihood = 0.0;
        for (group, y) in &self.rows {
            let r = y - shift - scale * z[*group];
            log_likelihood -= HALF_LN_TAU + 0.5 * r * r;
            slopes[0] += weights[1] * r;
            slopes[1] += weights[1] * r * scale * z[*group];
            slopes[2 + group] += weights[1] * r * scale;
        }
        let prior = z.iter().map(|z| -HALF_LN_TAU - 0.5 * z * z).sum();
        [prior, log_likelihood]
    }
}

impl Prior for Effects {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        self.draw_at_params(stream, position);
        (position[0], position[1]) = (0.0, 0.0);
    }
    fn draw_at_params(&self, stream: &mut Stream, position: &mut [f64]) {
        let random = &mut position[2..];
        random
            .iter_mut()
            .for_each(|z| *z = StandardNormal.sample(stream));
    }
    fn reference(&self) -> Option<&Reference> {
        Some(self.reference.get_or_init(|| Reference {
            blocks: vec![ReferenceBlock {
                offset: 2,
                mean: vec![0.0; self.groups],
                factor: BlockFactor::Diagonal(vec![1.0; self.groups]),
            }],
            is_gaussian_prior: true,
        }))
    }
}

impl Quantities for Effects {
    fn describe(&self) -> Option<Description> {
        let variable = |name: &str, shape, kind, offset| Variable {
            dims: Vec::new(),
            turns: Vec::new(),
            is_angle: false,
            name: name.to_owned(),
            shape,
            kind,
            offset,
        };
        let variables = vec![
            variable("shift", Shape::Scalar, VariableKind::Param, 0),
            variable("log_scale", Shape::Scalar, VariableKind::Param, 1),
            variable("z", Shape::Vector(self.groups), VariableKind::Continuous, 2),
        ];
        let mut description = Description::unnamed(self.dim());
        description.name = "effects".to_owned();
        description.layout = Layout {
            variables,
            dim: self.dim(),
        };
        (description.params[0], description.params[1]) = (true, true);
        Some(description)
    }
}

impl Batches for Effects {
    fn reader(&self) -> Result<Box<dyn Reader + '_>, Error> {
        Ok(Box::new(self.clone()))
    }
}

impl Reader for Effects {
    fn read(&mut self, rows: &[usize], then: &mut dyn FnMut(&dyn LogDensity)) -> Result<(), Error> {
        let rows = rows.iter().map(|row| self.rows[*row]).collect();
        then(&Self::of(self.groups, rows));
        Ok(())
    }
}
