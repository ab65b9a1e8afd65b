//! Interval censoring: against 60-digit references, sums, gradients and its errors.

use crate::reference::agrees;
use bayes_autodiff::{Dual, Real, Value};
use bayes_model::dist::*;

const INFINITY: f64 = f64::INFINITY;

/// The log probability of one interval.
fn log_probability<D: Distribution<Value>>(distribution: &D, interval: (f64, f64)) -> f64
where
    (f64, f64): Data<D::Domain>,
{
    distribution.check_data(&interval).expect("an interval");
    distribution.log_likelihood(&interval).primal()
}

/// Like [`log_probability`], for a discrete distribution.
fn log_mass<D: Distribution<Value, Domain = Discrete>>(
    distribution: &D,
    interval: (u64, u64),
) -> f64 {
    distribution.check_data(&interval).expect("an interval");
    distribution.log_likelihood(&interval).primal()
}

// computed with 60 digits as differences of distribution functions, rounded to the nearest doubles
#[test]
fn intervals_of_a_normal_agree_with_the_references() {
    let standard = Normal::new(0.0, 1.0).interval_censored();
    for (low, high, wanted) in [
        (30.0, 31.0, -454.321_243_956_343_27),
        (-40.0, -39.5, -784.720_879_106_624),
        (-1.0, 7.0, -0.172_753_779_024_971_05),
        (1.0, 1.001, -8.327_193_937_145_244),
        (30.0, 30.0001, -460.130_778_531_848_65),
        (37.0, INFINITY, -689.030_585_576_890_6),
    ] {
        let got = log_probability(&standard, (low, high));
        assert!(
            agrees(got, wanted),
            "normal, {low} to {high}: {got}, want {wanted}"
        );
    }
    let shifted = Normal::new(0.3, 2.0).interval_censored();
    assert!(agrees(
        log_probability(&shifted, (-1.0, 2.5)),
        -0.500_070_619_640_712_4
    ));
    assert!(agrees(
        log_probability(&shifted, (-INFINITY, -70.0)),
        -622.240_620_894_418_3
    ));
}

#[test]
fn intervals_of_others_agree_with_the_references() {
    let gamma = Gamma::new(2.5, 0.5).interval_censored();
    for (low, high, wanted) in [
        (0.0, 3.0, -1.203_925_591_702_561),
        (-1.0, 3.0, -1.203_925_591_702_561),
        (1.0, 3.0, -1.337_199_719_999_055_7),
        (200.0, 201.0, -94.306_244_094_408_87),
        (4.0, 4.01, -6.543_905_961_138_19),
        (0.0, INFINITY, 0.0),
    ] {
        let got = log_probability(&gamma, (low, high));
        assert!(
            agrees(got, wanted),
            "gamma, {low} to {high}: {got}, want {wanted}"
        );
    }
    let steep = Gamma::new(0.5, 1.0).interval_censored();
    assert!(agrees(
        log_probability(&steep, (1e-12, 1e-11)),
        -12.923_566_181_902_899
    ));
    let t = StudentT::new(3.0, 0.0, 1.0).interval_censored();
    for (low, high, wanted) in [
        (-1.0, 2.0, -0.308_108_061_507_474_94),
        (1e3, 2e3, -20.759_077_776_235_44),
        (-5.0, -4.0, -5.065_935_188_128_72),
    ] {
        let got = log_probability(&t, (low, high));
        assert!(
            agrees(got, wanted),
            "t, {low} to {high}: {got}, want {wanted}"
        );
    }
    let few = Poisson::new(3.0).interval_censored();
    for (low, high, wanted) in [
        (2, 5, -0.332_771_793_418_045_1),
        (40, 45, -69.300_309_636_412_89),
        (4, 4, -1.783_604_675_675_506_8),
    ] {
        let got = log_mass(&few, (low, high));
        assert!(
            agrees(got, wanted),
            "poisson, {low} to {high}: {got}, want {wanted}"
        );
    }
    let many = Poisson::new(200.0).interval_censored();
    assert!(agrees(log_mass(&many, (0, 100)), -33.224_074_384_068_05));
}

/// Pieces that cover the whole line have probability one.
#[test]
fn pieces_of_the_line_sum_to_one() {
    fn sum<D: Distribution<Value, Domain = Continuous>>(distribution: &D, cuts: &[f64]) -> f64 {
        let ends = [&[-INFINITY], cuts, &[INFINITY]].concat();
        ends.windows(2)
            .map(|w| log_probability(distribution, (w[0], w[1])).exp())
            .sum()
    }
    let cuts = [-20.0, -3.0, -0.5, 0.0, 0.1, 0.7, 2.0, 30.0];
    for (name, sum) in [
        (
            "normal",
            sum(&Normal::new(0.4, 0.7).interval_censored(), &cuts),
        ),
        (
            "cauchy",
            sum(&Cauchy::new(0.4, 0.7).interval_censored(), &cuts),
        ),
        (
            "laplace",
            sum(&Laplace::new(0.4, 0.7).interval_censored(), &cuts),
        ),
        (
            "weibull",
            sum(&Weibull::new(1.5, 2.0).interval_censored(), &cuts[3..]),
        ),
        (
            "beta",
            sum(&Beta::new(0.4, 0.7).interval_censored(), &cuts[4..6]),
        ),
    ] {
        assert!((sum - 1.0).abs() < 1e-13, "{name}: {sum}");
    }
}

#[test]
fn known_values_bounds_and_intervals_stand_in_one_statement() {
    let (lower, upper) = ([0.5, -INFINITY, 1.5, 0.3], [0.5, 0.2, INFINITY, 0.9]);
    let (mean, sd) = ([0.1, 0.2, 0.3, 0.4], 1.3);
    let distribution = Normal::new(mean, sd).interval_censored();
    assert_eq!(
        Distribution::<Value>::shape(&distribution),
        Shape::Matrix(4, 2)
    );
    let one = |i: usize| Normal::new(mean[i], sd);
    let density = one(0).log_density_at(Real::<Value>::constant(0.5)).primal();
    let terms = [
        density,
        one(1).log_cdf(0.2),
        one(2).log_sf(1.5),
        (one(3).cdf(0.9) - one(3).cdf(0.3)).ln(),
    ];
    let got: Real<Value> = distribution.log_likelihood(&(&lower, &upper));
    assert!((got.primal() - terms.iter().sum::<f64>()).abs() < 1e-13);
    let mut each = Vec::new();
    distribution.for_each_term(&(lower, upper), |term: Real<Value>| {
        each.push(term.primal())
    });
    assert!(
        each.iter().zip(terms).all(|(a, b)| (a - b).abs() < 1e-13),
        "{each:?}"
    );

    // a matrix of two columns gives the same
    let rows = nalgebra::DMatrix::from_fn(4, 2, |i, k| if k == 0 { lower[i] } else { upper[i] });
    let again: Real<Value> = distribution.log_likelihood(&rows);
    assert_eq!(again.primal(), got.primal());
}

/// In the mean and the scale of a normal, and the shape of a gamma, against central differences.
#[test]
fn gradients_are_those_of_the_probabilities() {
    let intervals = (
        [-INFINITY, 0.3, 2.0, 1.0, -9.0],
        [-2.0, 0.9, INFINITY, 1.0, -8.5],
    );
    let value = |mean: f64, sd: f64| -> f64 {
        let distribution = Normal::new(mean, sd).interval_censored();
        Distribution::<Value>::log_likelihood(&distribution, &intervals).primal()
    };
    let distribution = Normal::new(Dual::<2>::variable(0.2, 0), Dual::<2>::variable(0.8, 1));
    let slopes = Dual::gradient(distribution.interval_censored().log_likelihood(&intervals));
    let step = 1e-5;
    let differences = [
        (value(0.2 + step, 0.8) - value(0.2 - step, 0.8)) / (2.0 * step),
        (value(0.2, 0.8 + step) - value(0.2, 0.8 - step)) / (2.0 * step),
    ];
    for (slope, difference) in slopes.iter().zip(differences) {
        assert!(
            (slope - difference).abs() < 1e-7 * difference.abs().max(1.0),
            "{slope}, {difference}"
        );
    }
    let positive = ([0.0, 0.3, 2.0], [0.4, 0.9, INFINITY]);
    let value = |shape: f64| -> f64 {
        let distribution = Gamma::new(shape, 1.3).interval_censored();
        Distribution::<Value>::log_likelihood(&distribution, &positive).primal()
    };
    let distribution = Gamma::new(Dual::<1>::variable(0.8, 0), 1.3).interval_censored();
    let slope = Dual::gradient(distribution.log_likelihood(&positive))[0];
    let difference = (value(0.8 + step) - value(0.8 - step)) / (2.0 * step);
    assert!((slope - difference).abs() < 1e-7, "{slope}, {difference}");
}

#[test]
fn wrong_intervals_are_located() {
    let normal = Normal::new(0.0, 1.0).interval_censored();
    let complaint = |data: &dyn Fn() -> Result<(), DataError>| {
        data().expect_err("a wrong interval").to_string()
    };
    let of = |lower: [f64; 2], upper: [f64; 2]| {
        complaint(&|| Distribution::<Value>::check_data(&normal, &(lower, upper)))
    };
    assert_eq!(
        of([0.0, 2.0], [1.0, 1.0]),
        "Normal: observation at index 1 is 1, must be at least its lower end 2"
    );
    assert_eq!(
        of([f64::NAN, 2.0], [1.0, 3.0]),
        "Normal: observation at index 0 is NaN, must be a number, or minus infinity"
    );
    assert_eq!(
        of([0.0, 2.0], [1.0, f64::NAN]),
        "Normal: observation at index 1 is NaN, must be a number, or infinity"
    );
    let gamma = Gamma::new(1.0, 1.0).interval_censored();
    assert_eq!(
        complaint(&|| Distribution::<Value>::check_data(&gamma, &(-2.0, -1.0))),
        "Gamma: observation is -1, must be at least 0, the smallest value of the distribution"
    );
    assert_eq!(
        complaint(&|| Distribution::<Value>::check_data(&normal, &[1.0, 2.0, 3.0])),
        "Normal: got 3 observations, must be pairs of a lower and an upper end"
    );
    let three = Normal::new([0.0, 1.0, 2.0], 1.0).interval_censored();
    assert_eq!(
        complaint(&|| Distribution::<Value>::check_data(&three, &([0.0; 2], [1.0; 2]))),
        "Normal: got 4 observations, must be 6, two for each of the parameters"
    );
}
