//! Categories, vectors, series and small matrices in the scan: their distributions at parameters with slopes, as
//! `data/scan/structured.py` defines them.

use bayes_autodiff::{Dual, Matrix, Real, Vector};
use bayes_model::dist::*;

/// Slopes in nothing (as `x` has none here) and in four parameters.
type D = Dual<5>;
type Number = Real<D>;

/// The log density of `x`, or nothing for another family.
type Density = fn(&[Number], &[Number]) -> Number;

fn vector(x: &[Number]) -> Vector<D> {
    Vector::from(x.to_vec())
}

fn symmetric(x: &[Number]) -> Matrix<D> {
    Matrix::from_elements(2, 2, vec![x[0], x[1], x[1], x[2]])
}

fn lower(x: &[Number]) -> Matrix<D> {
    Matrix::from_elements(2, 2, vec![x[0], Real::constant(0.0), x[1], x[2]])
}

fn of(distribution: impl Distribution<D>, x: &[Number]) -> Number {
    distribution.log_density_of(x)
}

fn icar(x: &[Number], p: &[Number]) -> Number {
    let line = Neighbours::new(3, &[(0, 1), (1, 2)]).unwrap();
    of(Icar::new(&line, p[0]), x)
}

fn hidden_markov(x: &[Number], p: &[Number]) -> Number {
    let [stay, mean, sd] = [p[0], p[1], p[2]];
    let moves = Matrix::from_elements(2, 2, vec![stay, 1.0 - stay, 1.0 - stay, stay]);
    let emissions = [Normal::new(-mean, sd), Normal::new(mean, sd)];
    of(HiddenMarkov::new([0.5, 0.5], moves, emissions, 3), x)
}

fn mixture(x: &[Number], p: &[Number]) -> Number {
    let components = [Normal::new(p[1], p[3]), Normal::new(p[2], p[3])];
    of(Mixture::new(vector(&[p[0], 1.0 - p[0]]), components), x)
}

fn multinomial(x: &[Number], p: &[Number]) -> Number {
    let trials: f64 = x.iter().map(|k| k.primal()).sum();
    let shares = vector(&[p[0], p[1], 1.0 - p[0] - p[1]]);
    of(Multinomial::new(trials, shares), x)
}

const FAMILIES: &[(&str, Density)] = &[
    ("ordered_logistic", |x, p| {
        of(OrderedLogistic::new(p[0], vector(&p[1..])), x)
    }),
    ("ordered_probit", |x, p| {
        of(OrderedProbit::new(p[0], vector(&p[1..])), x)
    }),
    ("categorical_logit", |x, p| {
        of(CategoricalLogit::new(vector(p)), x)
    }),
    ("multinomial", multinomial),
    ("dirichlet", |x, p| of(Dirichlet::new(vector(p)), x)),
    ("multivariate_normal", |x, p| {
        of(MultivariateNormal::from_cholesky([0.0, 0.0], lower(p)), x)
    }),
    ("multivariate_student_t", |x, p| {
        let lower = lower(&p[1..]);
        of(
            MultivariateStudentT::from_cholesky(p[0], [0.0, 0.0], lower),
            x,
        )
    }),
    ("gaussian_random_walk", |x, p| {
        let start = Normal::new(0.0, p[0]);
        of(GaussianRandomWalk::new(start, p[1], 3).drift(p[2]), x)
    }),
    ("autoregressive", |x, p| {
        of(Autoregressive::stationary(vector(&p[..1]), p[1], 3), x)
    }),
    ("zero_sum_normal", |x, p| of(ZeroSumNormal::new(p[0], 3), x)),
    ("icar", icar),
    ("intrinsic_random_walk", |x, p| {
        of(IntrinsicRandomWalk::new(2, p[0], 3), x)
    }),
    ("hidden_markov", hidden_markov),
    ("state_space", |x, p| {
        of(
            StateSpace::new(Level::new(p[0]).start(0.0, p[2]), p[1], 3),
            x,
        )
    }),
    ("lkj", |x, p| of(LKJ::new(2, p[0]), x)),
    ("lkj_cholesky", |x, p| of(LKJCholesky::new(2, p[0]), x)),
    ("wishart", |x, p| {
        of(Wishart::new(p[0], symmetric(&p[1..])), x)
    }),
    ("inverse_wishart", |x, p| {
        of(InverseWishart::new(p[0], symmetric(&p[1..])), x)
    }),
    ("mixture", mixture),
];

/// The log density of `x` and its slopes, 0 for `x` and those in the parameters; `None` if the family is a scalar one.
pub fn got(family: &str, x: &[f64], parameters: &[f64]) -> Option<Vec<f64>> {
    let (_, density) = FAMILIES.iter().find(|(name, _)| *name == family)?;
    let x: Vec<Number> = x.iter().map(|x| Real::constant(*x)).collect();
    let parameters: Vec<Number> = (1..)
        .zip(parameters)
        .map(|(k, p)| Dual::variable(*p, k))
        .collect();
    let found = density(&x, &parameters);
    let slopes = Dual::gradient(found).into_iter().take(1 + parameters.len());
    Some(std::iter::once(found.primal()).chain(slopes).collect())
}
