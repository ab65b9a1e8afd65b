//! The model of all regressions: one `#[model]`, for any engine.

use crate::class::Class;
use crate::design::{Design, Group};
use crate::likelihood::{Given, OfCounts, OfNumbers, Others, Part, known_errors, with_exposures};
use crate::prior::Each;
use bayes::prelude::*;

/// A cutpoint below which no linear predictor is: the probability of the grade below it is e^-1e5.
const BELOW_ALL: f64 = -1e5;

/// The effects of all groups, coefficient after coefficient: standard deviations times correlated standard values.
#[function]
fn effects(groups: &[Group], sd: &Vector, cholesky: &[Matrix], z: &Vector) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    let mut cholesky = cholesky.iter();
    let (mut scale, mut start) = (0, 0);
    for group in groups {
        let (levels, columns) = (group.levels.len(), group.columns.len());
        let l = if group.is_correlated() {
            cholesky.next()
        } else {
            None
        };
        for k in 0..columns {
            for level in 0..levels {
                let value: Real = match l {
                    Some(l) => {
                        let mut sum: Real = Real::from(0.0);
                        for j in 0..=k {
                            sum += l[(k, j)] * z[start + j * levels + level];
                        }
                        sum
                    }
                    None => z[start + k * levels + level],
                };
                all.push(sd[scale + k] * value);
            }
        }
        scale += columns;
        start += columns * levels;
    }
    Vector::from(all)
}

/// The correlations below the diagonal, row after row.
#[function]
fn correlations(cholesky: &[Matrix]) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    for l in cholesky {
        for i in 1..l.nrows() {
            for j in 0..i {
                let mut sum: Real = Real::from(0.0);
                for k in 0..=j {
                    sum += l[(i, k)] * l[(j, k)];
                }
                all.push(sum);
            }
        }
    }
    Vector::from(all)
}

/// A regression: a linear predictor of terms and of the effects of groups, and a family for the response.
///
/// The columns of the terms are centred, so that `intercept_at_means` is hardly correlated with `b`; `intercept` is that of the columns as they
/// are. Effects of groups are not centred: a standard `z`, times a standard deviation.
#[model]
pub(crate) fn regression(#[rows] d: Design) {
    let mut eta: Vector = Vector::constant(&d.offset);

    // terms
    #[dims(coefficient = d.coefficients.iter())]
    let b = sample(Each(d.priors.of(Class::Coefficient)));
    if !d.coefficients.is_empty() {
        eta += &d.x * &b;
    }
    for prior in d.priors.of(Class::Intercept) {
        let intercept_at_means = sample(*prior);
        eta = eta + intercept_at_means;
        let mut at_zero: Real = intercept_at_means;
        for (k, mean) in d.means.iter().enumerate() {
            at_zero -= *mean * b[k];
        }
        let intercept = deterministic(at_zero);
    }

    // groups
    #[dims(scale = d.scales())]
    let sd = sample(Each(d.priors.of(Class::Deviation)));
    let mut cholesky: Vec<Matrix> = Vec::new();
    for group in d.correlated() {
        let l = sample(LKJCholesky::new(group.columns.len(), d.priors.correlation));
        cholesky.push(l);
    }
    #[dims(effect = d.effects())]
    let z = sample(Normal::new(0.0, 1.0).iid(d.number_of_effects()));
    #[dims(effect = d.effects())]
    let r = deterministic(effects(&d.groups, &sd, &cholesky, &z));
    #[dims(pair = d.correlations())]
    let cor = deterministic(correlations(&cholesky));
    let mut start = 0;
    for group in &d.groups {
        for (k, (_, column)) in group.columns.iter().enumerate() {
            let places: Vec<usize> = group.of.iter().map(|level| start + level).collect();
            let effect: Vector = r.at(&places);
            eta += if k == 0 && group.has_intercept {
                effect
            } else {
                effect.component_mul(&Vector::constant(column))
            };
            start += group.levels.len();
        }
    }

    // what a family has beside the linear predictor; each has a statement of its own, since the name of a statement is that of its quantity
    let mut scale: Real = Real::from(1.0);
    for prior in d.priors.of(Class::Sigma) {
        let sigma = sample(*prior);
        scale = sigma;
    }
    let mut tail: Real = Real::from(1.0);
    for prior in d.priors.of(Class::Nu) {
        let nu = sample(*prior);
        tail = nu;
    }
    let mut form: Real = Real::from(1.0);
    for prior in d.priors.of(Class::Shape) {
        let shape = sample(*prior);
        form = shape;
    }
    let mut precision: Real = Real::from(1.0);
    for prior in d.priors.of(Class::Phi) {
        let phi = sample(*prior);
        precision = phi;
    }
    let mut zeros: Real = Real::from(0.5);
    for prior in d.priors.of(Class::ZeroInflation) {
        let zi = sample(*prior);
        zeros = zi;
    }
    for prior in d.priors.of(Class::Hurdle) {
        let hu = sample(*prior);
        zeros = hu;
    }
    let mut cuts: Vector = Vector::zeros(0);
    for _ in 0..usize::from(d.family.has_cutpoints()) {
        let cutpoints_at_means = sample(StudentT::new(3.0, 0.0, 2.5).iid(d.grades - 1).ordered());
        let mut shift: Real = Real::from(0.0);
        for (k, mean) in d.means.iter().enumerate() {
            shift += *mean * b[k];
        }
        let cutpoints = deterministic(&cutpoints_at_means + shift);
        // no grade is 0, so the grades of the table and of predictions begin with 1
        let mut all: Vec<Real> = vec![Real::from(BELOW_ALL)];
        all.extend(cutpoints_at_means.iter().copied());
        cuts = Vector::from(all);
    }

    let others = Others {
        scale: known_errors(d, Part::One(scale)),
        tail: Part::One(tail),
        form: with_exposures(d, Part::One(form)),
        precision: Part::One(precision),
        zeros: Part::One(zeros),
        cuts,
    };
    let given = Given::new(d, &eta, others);
    if d.family.response().is_real() {
        let y = &d.y;
        observe(y, OfNumbers(given));
    } else {
        let y = &d.counts;
        observe(y, OfCounts(given));
    }
}
