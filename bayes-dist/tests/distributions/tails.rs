//! Distribution functions that are sums and integrals, against 40-digit references in hard cases: edges within a
//! narrow range, large concentrations, U-shaped masses, far tails.

use bayes_autodiff::{Dual, Real};
use bayes_model::dist::*;

/// Relative tolerance 1e-12 on both sides.
fn check(name: &str, got: [f64; 2], wanted: [f64; 2]) {
    for (got, wanted) in got.into_iter().zip(wanted) {
        assert!(
            (got - wanted).abs() <= 1e-12 * wanted.abs(),
            "{name}: {got:e}, want {wanted:e}, {:.1e} off",
            (got / wanted - 1.0).abs()
        );
    }
}

// computed with 40 digits by integrals over the density, rounded to the nearest doubles
#[test]
fn skew_normal_tails_have_their_digits() {
    for (z, shape, log_cdf, log_sf) in [
        (0.001, 1000.0, -7.05352065389792, -0.0008647342549653016),
        (0.05, 1000.0, -3.221940223426453, -0.040694514809414724),
        (0.2, 1000.0, -1.8418781765876036, -0.17259234212164998),
        (2.0, 1000.0, -0.046567912292390164, -3.0900371531220867),
        (-0.002, 1000.0, -11.902332941821568, -6.774604600027447e-06),
        (-0.001, 50.0, -5.120277801948301, -0.005992280882287712),
        (0.001, -1000.0, -6.647826185442853e-05, -9.618668792096331),
        (-6.0, 0.3, -23.470964056628443, -6.407517858252847e-11),
        (6.0, 0.3, -1.909100113317252e-09, -20.076633851726115),
        (1.0, 2.0, -0.37920050430605007, -1.1533062178729716),
        (-8.0, -1.0, -34.320289979354605, -1.2441921148543572e-15),
    ] {
        let distribution = SkewNormal::new(0.0, 1.0, shape);
        check(
            &format!("{z}, {shape}"),
            [distribution.log_cdf(z), distribution.log_sf(z)],
            [log_cdf, log_sf],
        );
    }
    // computed as a difference of the normal distribution function and Owen's function, with 140 digits
    let far = SkewNormal::new(0.0, 1.0, 5.0).log_cdf(-3.0);
    check("-3, 5", [far; 2], [-125.22228881458466; 2]);
}

#[test]
fn von_mises_tails_have_their_digits() {
    for (angle, kappa, wanted) in [
        (-0.001, 1e6, -1.8410213908199635),
        (-3.0, 1e4, -19903.48590759427),
        (-1.0, 50.0, -25.703968347102126),
        (-3.1412, 5.0, -17.98514149946024),
        (-0.5, 0.0, -0.8664950532751428),
        (-3.0, 0.1, -3.8948426350699754),
        (-1e-3, 2.0, -0.6941794836816291),
    ] {
        let distribution = VonMises::new(0.0, kappa);
        check(
            &format!("{angle}, {kappa}"),
            [distribution.log_cdf(angle), distribution.log_sf(-angle)],
            [wanted; 2],
        );
    }
}

// exact fractions of whole numbers, rounded once
#[test]
fn hypergeometric_tails_have_their_digits() {
    for (population, successes, draws, x, log_cdf, log_sf) in [
        (20, 7, 12, 3.0, -1.3832031685502177, -0.28871459706597014),
        (20, 7, 12, 6.0, -0.010269267156860776, -4.583729854750222),
        (10, 6, 7, 3.0, -1.791759469228055, -0.18232155679395462),
        (
            1000,
            400,
            100,
            10.0,
            -26.527866575964428,
            -3.013657748874062e-12,
        ),
        (
            1000,
            400,
            100,
            70.0,
            -3.740403145340243e-11,
            -24.009242624464274,
        ),
        (
            1000,
            400,
            100,
            40.0,
            -0.6068483852675087,
            -0.7876029320467497,
        ),
        (
            100_000,
            400,
            1000,
            9.0,
            -0.007705266433570455,
            -4.8697013909205,
        ),
        (
            100_000,
            400,
            1000,
            1.0,
            -2.4074918159934326,
            -0.09435557125623756,
        ),
    ] {
        let distribution = Hypergeometric::new(population, successes, draws);
        let name = format!("{population}, {successes}, {draws}, {x}");
        check(
            &name,
            [distribution.log_cdf(x), distribution.log_sf(x)],
            [log_cdf, log_sf],
        );
    }
}

// computed with 40 digits as sums of all masses
#[test]
fn beta_binomial_tails_have_their_digits() {
    for (n, a, b, x, log_cdf, log_sf) in [
        (
            1000,
            0.01,
            500.0,
            3.0,
            -0.0011202913934055085,
            -6.794726548233524,
        ),
        (
            1000,
            50.0,
            50.0,
            200.0,
            -22.44077170004399,
            -1.7951332083850434e-10,
        ),
        (
            1000,
            50.0,
            50.0,
            800.0,
            -1.521062977794349e-10,
            -22.606441512077573,
        ),
        (
            10,
            100.0,
            0.01,
            9.0,
            -6.951542645192044,
            -0.0009576158275664792,
        ),
        (
            200,
            0.001,
            0.001,
            100.0,
            -0.6931371944967979,
            -0.6931571667228152,
        ),
        (
            5000,
            3.0,
            200.0,
            60.0,
            -0.8090141649272871,
            -0.5893221536324016,
        ),
    ] {
        let distribution = BetaBinomial::new(n, a, b);
        check(
            &format!("{n}, {a}, {b}, {x}"),
            [distribution.log_cdf(x), distribution.log_sf(x)],
            [log_cdf, log_sf],
        );
    }
}

/// The slope of `ln F` in `x` is `f/F`.
#[test]
fn slopes_of_integrals_are_densities() {
    let x = Dual::<1>::variable;
    let of = |distribution: &dyn Fn(Real<Dual<1>>) -> Real<Dual<1>>, at: f64| {
        Dual::gradient(distribution(x(at, 0)))[0]
    };
    for (z, shape) in [
        (-2.0, 3.0),
        (0.05, 40.0),
        (1.5, 3.0),
        (-1.5, -2.0),
        (2.0, -2.0),
    ] {
        let distribution = SkewNormal::new(0.4, 1.7, shape);
        let at = 0.4 + 1.7 * z;
        let slope = of(&|x| distribution.log_cdf_at(x), at);
        let wanted = (distribution
            .log_density_at(Real::<bayes_autodiff::Value>::constant(at))
            .primal()
            - distribution.log_cdf(at))
        .exp();
        assert!(
            (slope / wanted - 1.0).abs() < 1e-11,
            "{z}, {shape}: {slope}, want {wanted}"
        );
    }
    for (angle, kappa) in [(-2.0, 3.0), (-0.001, 200.0), (1.5, 0.2), (3.1, 8.0)] {
        let distribution = VonMises::new(0.0, kappa);
        let slope = of(&|x| distribution.log_cdf_at(x), angle);
        let wanted = (distribution
            .log_density_at(Real::<bayes_autodiff::Value>::constant(angle))
            .primal()
            - distribution.log_cdf(angle))
        .exp();
        assert!(
            (slope / wanted - 1.0).abs() < 1e-11,
            "{angle}, {kappa}: {slope}, want {wanted}"
        );
    }
}

/// With a dispersion this large it is a Poisson distribution, with nearly all mass below 40.
#[test]
fn truncated_counts_of_any_dispersion_end() {
    for phi in [1e17, 1e18, 1e19, 3e20, 1e21] {
        let distribution = NegativeBinomial::mean_dispersion(5.0, phi);
        let poisson = Poisson::new(5.0);
        check(
            &format!("{phi:e}"),
            [distribution.log_cdf(40.0), distribution.log_sf(40.0)],
            [poisson.log_cdf(40.0), poisson.log_sf(40.0)],
        );
        let plain = |x: f64| Real::<bayes_autodiff::Value>::constant(x);
        let truncated = distribution.truncated(0, 40).log_density_at(plain(7.0));
        let wanted = poisson.truncated(0, 40).log_density_at(plain(7.0));
        check("truncated", [truncated.primal(); 2], [wanted.primal(); 2]);
    }
}
