use super::*;
use crate::density::Block;
use crate::rng::{Key, Purpose};

/// `exp(−x⁴)`.
struct Quartic;

impl LogDensity for Quartic {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, -x[0].powi(4)]);
    }
}

/// `E_q[−x⁴] + ½ ln(2π e v)` for q = N(m, v), with `E x⁴ = m⁴ + 6 m² v + 3 v²`; the error is the Monte Carlo error of the estimate.
/// Would detect a ratio of the wrong sign, and a density that is not normalised.
#[test]
fn the_elbo_is_the_mean_log_ratio() {
    let key = Key::new(1, Purpose::Elbo);
    for (mean, variance) in [(0.0f64, 0.2f64), (0.7, 0.05)] {
        let mut curvature = Curvature::new(1, 6);
        let vector = |x| DVector::from_vec(vec![x]);
        curvature.learn(vector(1.0), vector(1.0 / variance));
        let normal = curvature.normal(&vector(mean), &vector(0.0));
        let mut walker = Walker::new(vec![mean], 6, key);
        let found = vec![(&mut walker, normal.expect("it is regular"))];
        let (draws, mut counts) = (40_000, Counts::default());
        judge(Target::posterior(&Quartic), draws, found, &mut counts);
        assert_eq!(counts.density_evaluations, draws as u64);
        let fourth = mean.powi(4) + 6.0 * mean * mean * variance + 3.0 * variance * variance;
        let wanted = 0.5 * (std::f64::consts::TAU * std::f64::consts::E * variance).ln() - fourth;
        let best = walker.best.expect("it has a finite density");
        // the log ratio is a polynomial of order 4 whose standard deviation is below 1 here
        let se = 1.0 / (draws as f64).sqrt();
        assert!(
            (best.elbo - wanted).abs() < 4.0 * se,
            "{}, want {wanted}",
            best.elbo
        );
        assert_eq!(best.score, (draws, best.elbo));
    }
}

fn normal_at(mean: f64) -> Normal {
    let mut curvature = Curvature::new(1, 6);
    let vector = |x| DVector::from_vec(vec![x]);
    curvature.learn(vector(1.0), vector(1.0));
    let normal = curvature.normal(&vector(mean), &vector(0.0));
    normal.expect("it is regular")
}

#[test]
fn the_best_gaussian_has_the_fewest_draws_without_density() {
    let mut walker = Walker::new(vec![0.0], 6, Key::new(1, Purpose::Elbo));
    let mut best_of = |ratios: &[f64]| {
        walker.numbers[1] += 1;
        walker.keep(normal_at(0.0), ratios);
        walker.best.as_ref().map(|best| (best.iterate, best.elbo))
    };
    let lost = f64::NEG_INFINITY;
    assert_eq!(best_of(&[lost, lost]), None);
    assert_eq!(best_of(&[lost, 5.0]), Some((2, lost)));
    assert_eq!(best_of(&[-3.0, -5.0]), Some((3, -4.0)));
    assert_eq!(best_of(&[9.0, lost]), Some((3, -4.0)));
    assert_eq!(best_of(&[-2.0, -2.0]), Some((5, -2.0)));
    assert_eq!(best_of(&[-2.0, -2.0]), Some((5, -2.0)));
}

/// Would detect that draws are blamed where there was no Gaussian to draw from.
#[test]
fn a_failed_path_says_what_it_lacks() {
    let failure = |walker| end(walker).path.failure;
    assert_eq!(failure(None), Some(PathFailure::NoStart));
    let walker = || Walker::new(vec![0.0], 6, Key::new(1, Purpose::Elbo));
    assert_eq!(failure(Some(walker())), Some(PathFailure::NoStep));
    // a curvature whose inverse overflows
    let mut flat = walker();
    let vector = |x| DVector::from_vec(vec![x]);
    flat.curvature.learn(vector(1.0), vector(1e-320));
    assert!(!flat.curvature.is_empty());
    let normal = flat.curvature.normal(&vector(0.0), &vector(0.0));
    assert!(normal.is_none());
    assert_eq!(failure(Some(flat)), Some(PathFailure::NoGaussian));
    // up a parabola, without any draw
    let mut climbed = walker();
    let step = |_| {
        let x = climbed.position[0] - 1.0;
        let normal = climbed.step(-2.0 * x * x, &[-4.0 * x], PathSettings::new());
        normal.is_some()
    };
    assert!((0..20).any(step));
    assert_eq!(failure(Some(climbed)), Some(PathFailure::NoDraw));
}
