//! Priors of the cutpoints between grades.

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Family, Formula, Prior, Regression, formula};

const ROWS: &str = "y,x\n1,0.1\n2,0.9\n3,1.1\n1,-0.4\n2,0.2\n4,2\n3,0.7\n";

fn with(family: Family, priors: &[&str]) -> Result<Regression, bayes::Error> {
    let made = formula("y ~ x")?.family(family);
    let made = priors
        .iter()
        .try_fold(made, |made: Formula, prior| made.prior_of_text(prior));
    made?.on(&of(ROWS))
}

#[test]
fn each_cutpoint_may_have_its_own_prior() {
    let made = with(
        Family::Cumulative,
        &[
            "cutpoints ~ normal(0, 2)",
            "cutpoints[1] ~ normal(-1, 1)",
            "Intercept[3] ~ cauchy(2, 1)",
        ],
    );
    let priors = made.expect("it fits").priors().to_string();
    for line in [
        "cutpoints[1] ~ normal(-1, 1)",
        "cutpoints[2] ~ normal(0, 2)",
        "cutpoints[3] ~ cauchy(2, 1)",
        "(the cutpoints are in increasing order)",
    ] {
        assert!(priors.contains(line), "{line}: {priors}");
    }
    // without an order every prior of a real number is one
    let made = with(Family::SequentialRatio, &["cutpoints[2] ~ exponential(1)"]);
    let priors = made.expect("it fits").priors().to_string();
    assert!(priors.contains("cutpoints[2] ~ exponential(1)"), "{priors}");
    assert!(!priors.contains("order"), "{priors}");
}

#[test]
fn priors_that_cutpoints_cannot_have_are_refused() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["cutpoints[4] ~ normal(0, 1)"],
            "`cutpoints` has no `4`; it has 1, 2, 3",
        ),
        (
            &["cutpoints[2] ~ exponential(1)"],
            "need priors on the whole line, and exponential(1) is none",
        ),
        (
            &["intercept ~ normal(0, 1)"],
            "this regression has no `intercept` but `cutpoints`",
        ),
        (
            &[
                "cutpoints[1] ~ normal(5, 1)",
                "cutpoints[3] ~ normal(-5, 1)",
            ],
            "give later cutpoints larger locations",
        ),
    ];
    for (priors, wanted) in cases {
        let found = with(Family::Cumulative, priors)
            .err()
            .expect("it is refused")
            .to_string();
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
}

/// The evidence of 5, 3 and 4 responses of three grades, by a sum over a grid of both cutpoints. The mutations that it detects: no probability of
/// the order, one prior for both cutpoints.
#[test]
fn evidence_has_the_priors_of_cutpoints_in_order() {
    let counts = [5.0, 3.0, 4.0];
    let rows = "1\n1\n1\n1\n1\n2\n2\n2\n3\n3\n3\n3\n";
    let regression = formula("y ~ 1")
        .expect("it is a formula")
        .family(Family::Cumulative)
        .prior("cutpoints[1]", Prior::normal(0.5, 0.5))
        .prior("cutpoints[2]", Prior::normal(0.0, 1.5))
        .on(&of(&format!("y\n{rows}")))
        .expect("it fits");
    let engine = Inference::psmc().islands(8).particles(128).seed(4);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let found = run.log_evidence_estimate().expect("it has one");
    let share = |x: f64| 1.0 / (1.0 + (-x).exp());
    let normal = |x: f64, mean: f64, sd: f64| (-0.5 * ((x - mean) / sd).powi(2)).exp();
    const STEP: f64 = 0.005;
    let (mut evidence, mut prior) = (0.0, 0.0);
    for i in -800..800 {
        for k in i..1600 {
            let [a, b] = [i, k].map(|j| (f64::from(j) + 0.5) * STEP);
            // a cell on the diagonal is in order in one half
            let half = if i == k { 0.5 } else { 1.0 };
            let own = half * normal(a, 0.5, 0.5) * normal(b, 0.0, 1.5);
            prior += own;
            let shares = [share(a), share(b) - share(a), 1.0 - share(b)];
            let likelihood = shares
                .iter()
                .zip(counts)
                .map(|(p, n): (&f64, f64)| p.powf(n));
            evidence += own * likelihood.product::<f64>();
        }
    }
    let wanted = (evidence / prior).ln();
    assert!(
        (found.mean - wanted).abs() < 4.0 * found.se + 1e-3,
        "{found:?}, {wanted}"
    );
}
