//! The same statements by hand, for eight particles in vector registers: rows in tiles, the product with the matrix, the family's log
//! density and slopes, and the product with the transposed matrix.

use bayes_autodiff::function::{Exp, Function, Ln, Ln1p, LnLogistic};
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use bayes_autodiff::special::{digamma, ln_gamma};
use nalgebra::DMatrix;

/// Number of rows computed together.
const TILE: usize = 32;
/// Largest number of parameters besides intercept and slopes.
const OTHERS: usize = 2;

/// Log densities of rows, without terms that do not depend on the parameters.
pub trait Family: Sync {
    /// Number of parameters besides intercept and slopes.
    const PARAMETERS: usize = 0;
    /// A parameter and its slope with respect to its coordinate; by default positive, `eᶻ`.
    fn parameter(z: f64) -> [f64; 2] {
        [z.exp(); 2]
    }
    /// The terms of the log density of all rows that depend on `parameters` only, and their slopes.
    fn common(&self, _parameters: [f64; OTHERS]) -> [f64; 1 + OTHERS] {
        [0.0; 1 + OTHERS]
    }
    /// The log density of row `i` and its slopes with respect to `eta` and the parameters.
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        parameters: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float;
}

/// The log density, and its slopes with respect to the parameters of the family.
pub struct Sums<S: Simd> {
    value: S::Float,
    slopes: [S::Float; OTHERS],
}

impl<S: Simd> Sums<S> {
    #[inline(always)]
    fn add(&mut self, value: S::Float) {
        self.value = S::add(self.value, value);
    }

    #[inline(always)]
    fn slope(&mut self, k: usize, slope: S::Float) {
        self.slopes[k] = S::add(self.slopes[k], slope);
    }
}

/// The gradients of the log likelihood of all particles, `[particles, dim]`, by hand.
pub fn gradients<F: Family>(
    family: &F,
    x: &DMatrix<f64>,
    positions: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let dim = 1 + x.ncols() + F::PARAMETERS;
    let mut value = 0.0;
    let blocks = positions.chunks_exact(LANES * dim);
    for (positions, gradient) in blocks.zip(gradient.chunks_exact_mut(LANES * dim)) {
        value += dispatch(
            InstructionSet::detect(),
            Eight {
                family,
                x,
                positions,
                gradient,
            },
        );
    }
    value
}

struct Eight<'a, F> {
    family: &'a F,
    x: &'a DMatrix<f64>,
    positions: &'a [f64],
    gradient: &'a mut [f64],
}

impl<F: Family> Work for Eight<'_, F> {
    /// The sum over particles of the log likelihood.
    type Output = f64;
    #[inline(always)]
    fn run<S: Simd>(self) -> f64 {
        let Self {
            family,
            x,
            positions,
            gradient,
        } = self;
        let (rows, columns) = (x.nrows(), x.ncols());
        let dim = positions.len() / LANES;
        let input = |k: usize| -> [f64; LANES] { std::array::from_fn(|l| positions[l * dim + k]) };
        let coefficients: Vec<S::Float> = (0..=columns).map(|k| S::load(&input(k))).collect();
        let mut parameters = [S::splat(0.0); OTHERS];
        let mut by_particle = [[0.0; OTHERS]; LANES];
        let mut jacobian = [[1.0; LANES]; OTHERS];
        for k in 0..F::PARAMETERS {
            let found = input(1 + columns + k).map(F::parameter);
            parameters[k] = S::load(&found.map(|x| x[0]));
            for (l, x) in found.iter().enumerate() {
                by_particle[l][k] = x[0];
                jacobian[k][l] = x[1];
            }
        }
        let common = by_particle.map(|of| family.common(of));
        let mut sums = Sums::<S> {
            value: S::load(&common.map(|of| of[0])),
            slopes: [
                S::load(&common.map(|of| of[1])),
                S::load(&common.map(|of| of[2])),
            ],
        };
        let mut slopes = vec![S::splat(0.0); columns + 1];
        let data = x.as_slice();
        let mut eta = [S::splat(0.0); TILE];
        for start in (0..rows).step_by(TILE) {
            let tile = TILE.min(rows - start);
            product::<S>(&coefficients, data, [rows, start], &mut eta[..tile]);
            for (i, eta) in eta[..tile].iter_mut().enumerate() {
                *eta = family.row::<S>(start + i, *eta, parameters, &mut sums);
            }
            add_transposed::<S>(&eta[..tile], data, [rows, start], &mut slopes);
        }
        for (k, jacobian) in jacobian.iter().enumerate().take(F::PARAMETERS) {
            slopes.push(S::mul(sums.slopes[k], S::load(jacobian)));
        }
        for (k, slope) in slopes.into_iter().enumerate() {
            for (l, slope) in S::array(slope).into_iter().enumerate() {
                gradient[l * dim + k] = slope;
            }
        }
        S::array(sums.value).iter().sum()
    }
}

/// The rows of `intercept + x · slopes` from `start` on, of a matrix with `rows` rows.
#[inline(always)]
fn product<S: Simd>(
    coefficients: &[S::Float],
    data: &[f64],
    [rows, start]: [usize; 2],
    eta: &mut [S::Float],
) {
    // eight rows at a time, in registers
    for (first, eta) in eta.chunks_mut(8).enumerate() {
        let mut sums = [coefficients[0]; 8];
        for (k, coefficient) in coefficients[1..].iter().enumerate() {
            let column = &data[k * rows + start + 8 * first..][..eta.len()];
            for (sum, x) in sums.iter_mut().zip(column) {
                *sum = S::mul_add(*coefficient, S::splat(*x), *sum);
            }
        }
        eta.copy_from_slice(&sums[..eta.len()]);
    }
}

/// Adds the slopes of these rows to the slopes of the coefficients.
#[inline(always)]
fn add_transposed<S: Simd>(
    eta: &[S::Float],
    data: &[f64],
    [rows, start]: [usize; 2],
    slopes: &mut [S::Float],
) {
    for slope in eta {
        slopes[0] = S::add(slopes[0], *slope);
    }
    for (k, to) in slopes[1..].iter_mut().enumerate() {
        let column = &data[k * rows + start..][..eta.len()];
        // four independent sums: a single one would wait for each addition
        let mut four = [S::splat(0.0); 4];
        for (eta, x) in eta.chunks(4).zip(column.chunks(4)) {
            for ((sum, slope), x) in four.iter_mut().zip(eta).zip(x) {
                *sum = S::mul_add(*slope, S::splat(*x), *sum);
            }
        }
        let [a, b, c, d] = four;
        *to = S::add(*to, S::add(S::add(a, b), S::add(c, d)));
    }
}

pub struct Bernoulli<'a>(pub &'a [bool]);

impl Family for Bernoulli<'_> {
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        _: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        let sign = S::splat(if self.0[i] { 1.0 } else { -1.0 });
        let (value, slope) = LnLogistic::lanes_first::<S>(S::mul(sign, eta));
        sums.add(value);
        S::mul(sign, slope)
    }
}

/// Counts of successes among nine trials.
pub struct Binomial<'a>(pub &'a [u64]);

impl Family for Binomial<'_> {
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        _: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        // k η + n ln σ(-η)
        let (count, trials) = (S::splat(self.0[i] as f64), S::splat(9.0));
        let (value, slope) = LnLogistic::lanes_first::<S>(S::neg(eta));
        sums.add(S::mul_add(count, eta, S::mul(trials, value)));
        S::sub(count, S::mul(trials, slope))
    }
}

pub struct Poisson<'a>(pub &'a [u64]);

impl Family for Poisson<'_> {
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        _: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        let (count, rate) = (S::splat(self.0[i] as f64), Exp::lanes::<S>(eta));
        sums.add(S::sub(S::mul(count, eta), rate));
        S::sub(count, rate)
    }
}

/// With mean `e^η` and dispersion φ.
pub struct NegativeBinomial<'a>(pub &'a [u64]);

impl Family for NegativeBinomial<'_> {
    const PARAMETERS: usize = 1;
    fn common(&self, [phi, _]: [f64; OTHERS]) -> [f64; 1 + OTHERS] {
        let mut sums = [0.0; 1 + OTHERS];
        // there are few different counts
        for (count, rows) in (0..5).map(|k| (k, self.0.iter().filter(|y| **y == k).count())) {
            let at = phi + count as f64;
            let value = ln_gamma(at) - ln_gamma(phi) + phi * phi.ln();
            let slope = digamma(at) - digamma(phi) + phi.ln() + 1.0;
            sums[0] += rows as f64 * value;
            sums[1] += rows as f64 * slope;
        }
        sums
    }
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        [phi, _]: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        // k η - (k + φ) ln(μ + φ)
        let (count, mean) = (S::splat(self.0[i] as f64), Exp::lanes::<S>(eta));
        let (both, total) = (S::add(count, phi), S::add(mean, phi));
        let (log, share) = (Ln::lanes::<S>(total), S::div(both, total));
        sums.add(S::sub(S::mul(count, eta), S::mul(both, log)));
        sums.slope(0, S::neg(S::add(log, share)));
        S::sub(count, S::mul(share, mean))
    }
}

pub struct ZeroInflated<'a>(pub &'a [u64]);

impl Family for ZeroInflated<'_> {
    const PARAMETERS: usize = 1;
    fn parameter(z: f64) -> [f64; 2] {
        let share = 1.0 / (1.0 + (-z).exp());
        [share, share * (1.0 - share)]
    }
    fn common(&self, [zeros, _]: [f64; OTHERS]) -> [f64; 1 + OTHERS] {
        let positive = self.0.iter().filter(|y| **y > 0).count() as f64;
        [
            positive * (1.0 - zeros).ln(),
            -positive / (1.0 - zeros),
            0.0,
        ]
    }
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        [zeros, _]: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        let (count, rate) = (S::splat(self.0[i] as f64), Exp::lanes::<S>(eta));
        if self.0[i] > 0 {
            sums.add(S::sub(S::mul(count, eta), rate));
            return S::sub(count, rate);
        }
        // ln(p + (1 - p) e^-λ)
        let (one, none) = (S::splat(1.0), Exp::lanes::<S>(S::neg(rate)));
        let own = S::mul(S::sub(one, zeros), none);
        let total = S::add(zeros, own);
        sums.add(Ln::lanes::<S>(total));
        let inverse = S::div(one, total);
        sums.slope(0, S::mul(S::sub(one, none), inverse));
        S::neg(S::mul(S::mul(own, inverse), rate))
    }
}

pub struct Normal<'a>(pub &'a [f64]);

impl Family for Normal<'_> {
    const PARAMETERS: usize = 1;
    fn common(&self, [sd, _]: [f64; OTHERS]) -> [f64; 1 + OTHERS] {
        let rows = self.0.len() as f64;
        [-rows * sd.ln(), -rows / sd, 0.0]
    }
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        [sd, _]: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        // the compiler moves this out of the loop
        let inverse = S::div(S::splat(1.0), sd);
        let z = S::mul(S::sub(S::splat(self.0[i]), eta), inverse);
        let square = S::mul(z, z);
        sums.add(S::mul(S::splat(-0.5), square));
        sums.slope(0, S::mul(square, inverse));
        S::mul(z, inverse)
    }
}

/// With a standard deviation and degrees of freedom.
pub struct StudentT<'a>(pub &'a [f64]);

impl Family for StudentT<'_> {
    const PARAMETERS: usize = 2;
    fn common(&self, [sd, nu]: [f64; OTHERS]) -> [f64; 1 + OTHERS] {
        let rows = self.0.len() as f64;
        let half = 0.5 * (nu + 1.0);
        let value = ln_gamma(half) - ln_gamma(0.5 * nu) - 0.5 * nu.ln() - sd.ln();
        let slope = 0.5 * (digamma(half) - digamma(0.5 * nu) - 1.0 / nu);
        [rows * value, -rows / sd, rows * slope]
    }
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        [sd, nu]: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        // -½ (ν + 1) ln(1 + z² / ν)
        let (one, half) = (S::splat(1.0), S::splat(0.5));
        let (inverse, inverse_nu) = (S::div(one, sd), S::div(one, nu));
        let more = S::mul(half, S::add(nu, one));
        let z = S::mul(S::sub(S::splat(self.0[i]), eta), inverse);
        let ratio = S::mul(S::mul(z, z), inverse_nu);
        let log = Ln1p::lanes::<S>(ratio);
        sums.add(S::neg(S::mul(more, log)));
        // the derivative in ½ z²
        let weight = S::div(
            S::mul(S::splat(2.0), S::mul(more, inverse_nu)),
            S::add(one, ratio),
        );
        let own = S::mul(weight, z);
        sums.slope(0, S::mul(S::mul(own, z), inverse));
        let along = S::mul(S::mul(half, weight), S::mul(ratio, S::splat(1.0)));
        sums.slope(1, S::sub(along, S::mul(half, log)));
        S::mul(own, inverse)
    }
}

/// With a shape, and the rate `e^η`.
pub struct Gamma<'a> {
    pub y: &'a [f64],
    pub logarithms: Vec<f64>,
}

impl Family for Gamma<'_> {
    const PARAMETERS: usize = 1;
    fn common(&self, [shape, _]: [f64; OTHERS]) -> [f64; 1 + OTHERS] {
        let (rows, logarithms) = (self.y.len() as f64, self.logarithms.iter().sum::<f64>());
        [
            (shape - 1.0) * logarithms - rows * ln_gamma(shape),
            logarithms - rows * digamma(shape),
            0.0,
        ]
    }
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        i: usize,
        eta: S::Float,
        [shape, _]: [S::Float; OTHERS],
        sums: &mut Sums<S>,
    ) -> S::Float {
        let scaled = S::mul(S::splat(self.y[i]), Exp::lanes::<S>(eta));
        sums.add(S::sub(S::mul(shape, eta), scaled));
        sums.slope(0, eta);
        S::sub(shape, scaled)
    }
}
