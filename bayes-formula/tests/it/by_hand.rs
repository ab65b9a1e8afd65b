//! Regressions equal the models that one would write by hand.

use crate::table;
use bayes::autodiff::{PlainValue, Value};
use bayes::model::Evaluate;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, formula};

/// `Reaction ~ Days + (1 + Days | Subject)`, in the same coordinates.
#[model]
fn sleep(days: &[f64], reaction: &[f64], subject: &[usize], subjects: usize, centre: f64) {
    let b = sample(Normal::new(0.0, 50.0));
    let at_mean = sample(StudentT::new(3.0, 288.7, 59.3));
    let sd = sample(HalfStudentT::new(3.0, 59.3).iid(2));
    let l = sample(LKJCholesky::new(2, 1.0));
    let z = sample(Normal::new(0.0, 1.0).iid((2, subjects)));
    let sigma = sample(HalfStudentT::new(3.0, 59.3));
    for i in 0..days.len() {
        let (z0, z1) = (z[(0, subject[i])], z[(1, subject[i])]);
        let intercept = sd[0] * z0;
        let slope = sd[1] * (l[(1, 0)] * z0 + l[(1, 1)] * z1);
        let mean = at_mean + b * (days[i] - centre) + intercept + slope * days[i];
        observe(reaction[i], Normal::new(mean, sigma));
    }
}

#[test]
fn correlated_effects_have_the_density_of_the_model_by_hand() {
    let table = table("sleepstudy");
    let regression = formula("Reaction ~ Days + (1 + Days | Subject)")
        .expect("it is a formula")
        .prior("b", Prior::normal(0.0, 50.0))
        .on(&table)
        .expect("it fits the table");
    let subject = table.categories("Subject").expect("labels");
    let (days, reaction) = (table.reals("Days"), table.reals("Reaction"));
    let (days, reaction) = (days.expect("numbers"), reaction.expect("numbers"));
    let by_hand = sleep(&days, &reaction, &subject.indices, subject.names.len(), 4.5);
    let run = Inference::nuts()
        .chains(2)
        .draws(20)
        .burn_in(20)
        .seed(1)
        .progress(false)
        .run(&regression);
    let a = run.expect("it runs");
    let dim = a.layout.dim;
    for group in &a.groups {
        for (k, position) in group.positions.chunks(dim).enumerate() {
            let coordinates: Vec<Real<Value>> =
                position.iter().map(|x| Real::constant(*x)).collect();
            let mut interpreter = Evaluate::new(&coordinates);
            by_hand.program::<Value, _>(&mut interpreter);
            let by_hand = interpreter.densities().map(PlainValue::plain_value);
            for (found, wanted) in [group.log_prior[k], group.log_likelihood[k]]
                .iter()
                .zip(by_hand)
            {
                assert!(
                    (found - wanted).abs() < 1e-9 * wanted.abs(),
                    "{found} {wanted}"
                );
            }
        }
    }
    // the correlation comes from the factor, and the intercept is at day 0
    let cor = a.mean("cor").expect("there is one")[0];
    assert!((cor - a.mean("l").expect("there is a factor")[2]).abs() < 1e-12);
    let [at_mean, slope, intercept] =
        ["intercept_at_means", "b", "intercept"].map(|name| a.mean(name).expect("it is there")[0]);
    assert!((intercept - (at_mean - 4.5 * slope)).abs() < 1e-9);
}

/// The likelihood of `lme4`'s fit (Bates et al. 2015, table 1) and its estimates, by restricted maximum likelihood.
#[test]
fn sleepstudy_has_the_published_estimates() {
    let table = table("sleepstudy");
    let regression = formula("Reaction ~ Days + (1 + Days | Subject)").expect("it is a formula");
    let regression = regression.on(&table).expect("it fits the table");
    let run = Inference::nuts()
        .draws(500)
        .seed(1)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    let near = |name: &str, k: usize, wanted: f64, within: f64| {
        let found = run.mean(name).expect("it is there")[k];
        assert!(
            (found - wanted).abs() < within,
            "{name}[{k}]: {found}, {wanted}"
        );
    };
    near("intercept", 0, 251.405, 0.5);
    near("b", 0, 10.467, 0.15);
    near("sigma", 0, 25.592, 0.6);
    // the means of the right-skewed posteriors of standard deviations lie above the modes
    near("sd", 0, 24.74, 3.0);
    near("sd", 1, 5.92, 0.9);
    near("cor", 0, 0.07, 0.06);
    let names = run.layout.element_names();
    for name in [
        "b[Days]",
        "sd[Subject:Days]",
        "r[Subject:308:Days]",
        "cor[Subject:Intercept:Days]",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
}

/// A logistic regression of labels and numbers.
#[model]
fn birth(x: &DMatrix<f64>, low: &[u64], scales: &[f64]) {
    let b = sample(Normal::new(0.0, scales));
    let at_means = sample(StudentT::new(3.0, 0.0, 2.5));
    observe(low, BernoulliLogit::new(at_means + x * &b));
}

#[test]
fn coefficients_have_the_evidence_of_the_model_by_hand() {
    let table = table("birthwt");
    let regression = formula("low ~ age + factor(race) + smoke:ht").expect("it is a formula");
    let regression = regression
        .family(Family::Bernoulli)
        .prior("b", Prior::normal(0.0, 2.0))
        .prior("b[age]", Prior::normal(0.0, 0.5));
    let regression = regression.on(&table).expect("it fits the table");
    let column = |name: &str| table.reals(name).expect("numbers");
    let (age, race, smoke, ht) = (column("age"), column("race"), column("smoke"), column("ht"));
    let is = |level: f64| {
        race.iter()
            .map(move |race| f64::from(u8::from(*race == level)))
    };
    let columns = [
        age,
        is(2.0).collect(),
        is(3.0).collect(),
        smoke.iter().zip(&ht).map(|(a, b)| a * b).collect(),
    ];
    let centred = |x: &Vec<f64>| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        DVector::from_iterator(x.len(), x.iter().map(|x| x - mean))
    };
    let x = DMatrix::from_columns(&columns.each_ref().map(centred));
    let low = table.counts("low").expect("whole numbers");
    let by_hand = birth(&x, &low, &[0.5, 2.0, 2.0, 2.0]);
    let engine = Inference::smc().particles(64).seed(3).progress(false);
    let [a, b] = [engine.run(&regression), engine.run(&by_hand)].map(|run| run.expect("it runs"));
    let [a, b] = [a, b].map(|run| run.log_evidence().expect("it has an evidence"));
    assert!((a - b).abs() < 1e-6, "{a}, {b}");
}

/// Proper priors in large units: climbs from prior draws end long before the peak; the posterior is still proper. Seen to detect: a search
/// that looks 6 units beyond the end of a climb.
#[test]
fn wide_proper_priors_in_large_units_are_no_improper_posteriors() {
    let sleep = table("sleepstudy");
    for sd in [50.0, 300.0, 1000.0] {
        let regression = formula("Reaction ~ Days + (1 | Subject)").expect("it is a formula");
        let regression = regression
            .prior("intercept", Prior::normal(0.0, sd))
            .on(&sleep);
        runs(&regression.expect("it fits the table"));
    }
    let quine = table("quine");
    let regression = formula("Days ~ Eth * Sex + Age + Lrn").expect("it is a formula");
    let regression = regression
        .family(Family::NegativeBinomial)
        .prior("b", Prior::normal(0.0, 1000.0));
    runs(&regression.on(&quine).expect("it fits the table"));
}

/// Starts runs of some seeds.
fn runs(regression: &bayes_formula::Regression) {
    for seed in 0..8 {
        let engine = Inference::nuts().chains(1).draws(4).burn_in(4);
        let run = engine.seed(seed).progress(false).run(regression);
        run.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
