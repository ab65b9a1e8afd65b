//! The ordered probit distribution: categories in order, cut from a normal variable.

use super::ordinal::{Ordinal, OrdinalLink};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};

/// Ordered probit distribution: the interval, out of `K` numbered from 0, that contains a normal variable about `eta` with
/// standard deviation 1.
///
/// ```text
/// p(k) = Φ(c_{k+1} - η) - Φ(c_k - η),    c_0 = -∞,  c_K = ∞,    k = 0..K-1
/// ```
///
/// `η` is a number, or a vector with one for each observation; the `K - 1` finite cutpoints are shared by all. In the tails
/// the mass is a difference of the smaller probabilities. McKelvey and Zavoina (1975). Elsewhere: `ordered_probit` in Stan,
/// `OrderedProbit` in PyMC; NumPyro has none.
#[derive(Clone, Copy, Debug)]
pub struct OrderedProbit;

impl OrderedProbit {
    /// `eta`: a finite number, or a vector of them; `cutpoints`: a vector of increasing finite numbers, one fewer than the
    /// categories.
    pub fn new<A, C>(eta: A, cutpoints: C) -> Ordinal<Self, A, C> {
        Ordinal::of(eta, cutpoints)
    }
}

impl OrdinalLink for OrderedProbit {
    const NAME: &'static str = "OrderedProbit";

    #[inline(always)]
    fn log_below<M: Mode>(z: Real<M>) -> Real<M> {
        z.ln_norm_cdf()
    }

    #[inline(always)]
    fn log_between<M: Mode>(eta: Real<M>, low: Real<M>, high: Real<M>) -> Real<M> {
        let (low, high) = (low - eta, high - eta);
        let (under_low, under_high) = (low.ln_norm_cdf(), high.ln_norm_cdf());
        let (over_low, over_high) = ((-low).ln_norm_cdf(), (-high).ln_norm_cdf());
        let above = over_low.log_diff_exp(over_high);
        let below = under_high.log_diff_exp(under_low);
        let around = under_low.log_add_exp(over_high).log1m_exp();
        Real::select(
            low.gt(0.0),
            // beyond 1e15 both ends are one double, and the interval has the mass of the tail that begins with it
            Real::select(low.lt(high), above, over_low),
            Real::select(
                high.lt(0.0),
                Real::select(low.lt(high), below, under_high),
                around,
            ),
        )
    }

    fn draw(stream: &mut Stream) -> f64 {
        StandardNormal.sample(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::OrderedProbit;
    use crate::dist::{Distribution, Normal};
    use crate::rng::stream;
    use bayes_autodiff::{Dual, Real, Value, Vector};

    fn log_mass(eta: f64, cutpoints: &[f64], k: usize) -> f64 {
        Distribution::<Value>::log_likelihood(&OrderedProbit::new(eta, cutpoints), &[k]).primal()
    }

    /// References computed with mpmath at 60 digits, rounded to the nearest doubles.
    #[test]
    fn masses_agree_with_the_references() {
        let cutpoints = [-1.0, 0.5, 2.0];
        for (eta, k, wanted) in REFERENCES {
            let got = log_mass(eta, &cutpoints, k);
            let close = (got - wanted).abs() <= 1e-12 * wanted.abs();
            assert!(close, "category {k} at {eta}: {got}, want {wanted}");
        }
    }

    const REFERENCES: [(f64, usize, f64); 12] = [
        (0.25, 0, -2.247625677214318),
        (0.25, 1, -0.7071314015463913),
        (0.25, 2, -1.0182278987348108),
        (0.25, 3, -3.217397995800274),
        (-9.0, 0, -6.220960574271786e-16),
        (-9.0, 1, -35.013438846876525),
        (-9.0, 2, -48.30601948102793),
        (-9.0, 3, -63.82493409442372),
        (14.0, 0, -116.1313848457117),
        (14.0, 1, -94.6520418817524),
        (14.0, 2, -75.41067300597008),
        (14.0, 3, -1.776482112077679e-33),
    ];

    #[test]
    fn masses_sum_to_one_and_draws_follow_them() {
        let cutpoints = [-1.0, 0.5, 2.0];
        let distribution = OrderedProbit::new(0.3, cutpoints);
        let masses: Vec<f64> = (0..4).map(|k| log_mass(0.3, &cutpoints, k).exp()).collect();
        assert!((masses.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let mut stream = stream(3);
        let draws: Vec<f64> = (0..20_000)
            .map(|_| Distribution::<Value>::draw(&distribution, &mut stream)[0])
            .collect();
        for (k, mass) in masses.iter().enumerate() {
            let share = draws.iter().filter(|x| **x == k as f64).count() as f64 / 20_000.0;
            let error = (mass * (1.0 - mass) / 20_000.0).sqrt();
            assert!(
                (share - mass).abs() < 4.5 * error,
                "{k}: {share}, want {mass}"
            );
        }
        let below = Normal::new(0.3, 1.0).cdf(-1.0);
        assert!((masses[0] - below).abs() < 1e-15);
    }

    /// Checks the gradients in `eta` and the cutpoints against central differences, in the middle and far out.
    #[test]
    fn gradients_agree_with_differences() {
        type D = Dual<3>;
        for at in [[0.2, -0.4, 0.9], [9.0, -0.4, 0.9], [-12.0, -0.4, 0.1]] {
            let variables: [Real<D>; 3] = std::array::from_fn(|k| D::variable(at[k], k));
            let cutpoints = Vector::from(vec![variables[1], variables[2]]);
            for category in 0..3_usize {
                let distribution = OrderedProbit::new(variables[0], &cutpoints);
                let slopes = Dual::gradient(distribution.log_likelihood(&[category]));
                for (k, slope) in slopes.into_iter().enumerate() {
                    let value = |step: f64| {
                        let mut z = at;
                        z[k] += step;
                        log_mass(z[0], &z[1..], category)
                    };
                    let difference = (value(1e-5) - value(-1e-5)) / 2e-5;
                    let close = (slope - difference).abs() < 1e-6 * slope.abs().max(1.0);
                    assert!(
                        close,
                        "slope {k} at {at:?}: {slope}, by differences {difference}"
                    );
                }
            }
        }
    }

    #[test]
    fn wrong_parameters_and_data_are_named() {
        let error = |distribution| {
            Distribution::<Value>::check(&distribution)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error(OrderedProbit::new(f64::NAN, [0.0, 1.0])),
            "OrderedProbit: parameter `eta` is NaN, must be a finite number"
        );
        assert_eq!(
            error(OrderedProbit::new(0.0, [0.0, 0.0])),
            "OrderedProbit: parameter `cutpoints` at index 1 is 0, must be above the one before it"
        );
        let distribution = OrderedProbit::new(0.0, [0.0, 1.0]);
        let data = Distribution::<Value>::check_data(&distribution, &[0_usize, 3]).unwrap_err();
        assert_eq!(
            data.to_string(),
            "OrderedProbit: observation at index 1 is 3, must be a whole number from 0 to 2"
        );
    }
}
