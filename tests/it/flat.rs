//! Flat priors: chains run under them and find the textbook posteriors; methods that need a proper prior return an error first.

use bayes::density::{LogDensity, Subposterior};
use bayes::engine::Chains;
use bayes::prelude::*;

/// `mu | y ~ Normal(mean(y), sd/√n)`.
#[model]
fn location(y: &[f64], sd: f64) {
    let mu = sample(Flat::new());
    observe(y, Normal::new(mu, sd));
}

/// `sd² | y ~ InverseGamma((n-1)/2, Σy²/2)`.
#[model]
fn scale(y: &[f64]) {
    let sd = sample(Flat::above(0.0));
    observe(y, Normal::new(0.0, sd));
}

/// Given three uniform draws below `high`, `high | y` has a density proportional to `high⁻³` above the largest.
#[model]
fn bounded(y: &[f64], largest: f64) {
    let high = sample(Flat::above(largest));
    observe(y, Uniform::new(0.0, high));
}

/// Without data the posterior is the prior: `low` and `high` are two ordered uniform numbers between 0 and 1.
#[model]
#[expect(unused_variables)]
fn nested() {
    let high = sample(Flat::between(0.0, 1.0));
    let low = sample(Flat::between(0.0, high));
}

/// Vectors of bounds, copies, and ordered values, each with a normal likelihood.
#[model]
fn vectors(y: &[f64], bounds: &[f64]) {
    let free = sample(Flat::new().iid(y.len()));
    let ordered = sample(Flat::new().iid(2).ordered());
    let above = sample(Flat::above(bounds));
    let below = sample(Flat::below(bounds));
    observe(y, Normal::new(&free, 1.0));
    observe(y, Normal::new(&above, 1.0));
    observe(y, Normal::new(&below, 1.0));
    observe([0.0, 0.0], Normal::new(&ordered, 1.0));
}

#[model]
fn half_proper(y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    let middle = sample(Flat::new());
    let shifts = sample(Mixture::new([0.5, 0.5], [Flat::new(), Flat::new()]));
    observe(y, Normal::new(middle + shifts, sd));
}

const Y: [f64; 8] = [1.2, -0.4, 2.2, 0.7, 1.9, 0.1, -1.3, 0.9];

fn chains() -> Chains<Hmc> {
    Inference::hmc().draws(2000).seed(5).progress(false)
}

fn random_walk() -> Chains<RandomWalk> {
    Inference::random_walk().draws(2000).seed(5).progress(false)
}

/// Asserts `wanted` within five standard errors, which must be small.
fn assert_mean(run: &Run, function: impl Fn(DrawView<'_>) -> f64, wanted: f64) {
    let estimate = run.estimate(function);
    let error = (estimate.mean - wanted).abs();
    assert!(
        error < 5.0 * estimate.se && estimate.se < 0.1,
        "{} ± {}, wanted {wanted}",
        estimate.mean,
        estimate.se
    );
}

#[test]
fn a_location_has_its_textbook_posterior() {
    let mean = Y.iter().sum::<f64>() / 8.0;
    let by_hmc = chains().run(&location(&Y, 2.0)).unwrap();
    let by_random_walk = random_walk().run(&location(&Y, 2.0)).unwrap();
    for run in [by_hmc, by_random_walk] {
        let improper: Vec<bool> = run.statements.iter().map(|s| s.improper).collect();
        assert_eq!(improper, [true, false], "advice on the run depends on it");
        assert_mean(&run, |draw| draw.scalar("mu"), mean);
        assert_mean(&run, |draw| (draw.scalar("mu") - mean).powi(2), 0.5);
    }
}

#[test]
fn a_scale_has_its_textbook_posterior() {
    let y = [&Y[..], &Y[..]].concat();
    let squares: f64 = y.iter().map(|y| y * y).sum();
    let run = random_walk().run(&scale(&y)).unwrap();
    assert_mean(&run, |draw| draw.scalar("sd").powi(2), squares / 13.0);
}

#[test]
fn bounds_may_be_data_or_random() {
    let run = chains().run(&bounded(&[0.3, 1.5, 0.9], 1.5)).unwrap();
    assert_mean(&run, |draw| 1.0 / draw.scalar("high"), 2.0 / 4.5);
    let run = chains().run(&nested()).unwrap();
    assert_mean(&run, |draw| draw.scalar("high"), 2.0 / 3.0);
    assert_mean(&run, |draw| draw.scalar("low"), 1.0 / 3.0);
}

#[test]
fn vectors_are_flat_in_every_element() {
    let half_normal = (2.0 / std::f64::consts::PI).sqrt();
    let first_of_two = -1.0 / std::f64::consts::PI.sqrt();
    let run = chains().run(&vectors(&Y, &Y)).unwrap();
    for (i, y) in Y.into_iter().enumerate() {
        assert_mean(&run, |draw| draw.vector("free")[i], y);
        assert_mean(&run, |draw| draw.vector("above")[i], y + half_normal);
        assert_mean(&run, |draw| draw.vector("below")[i], y - half_normal);
    }
    assert_mean(&run, |draw| draw.vector("ordered")[0], first_of_two);
    assert_mean(&run, |draw| draw.vector("ordered")[1], -first_of_two);
}

/// A flat scale without information from the data, so no start is likelier than another.
#[model]
fn unseen(y: &[f64]) {
    let sd = sample(Flat::above(0.0));
    factor(sd * 0.0);
    observe(y, Normal::new(0.0, 1.0));
}

/// A start is a coordinate from -2 to 2: without burn-in and with steps too small to matter, chains stay where they began.
#[test]
fn chains_start_uniformly_in_the_coordinate() {
    let still = Hmc::new().step_size(1e-9).leapfrog_steps(1);
    let run = Inference::hmc()
        .chains(400)
        .burn_in(0)
        .draws(1)
        .kernel(still);
    let model = unseen(&Y);
    let refused = run.clone().progress(false).run(&model).unwrap_err();
    assert!(
        refused.to_string().contains("as `sd` goes to infinity"),
        "{refused}"
    );
    let run = run.seed(3).progress(false).check_propriety(false);
    let run = run.run(&model).unwrap();
    let starts: Vec<f64> = run.map_draws(|draw| draw.scalar("sd").ln()).concat();
    assert!(starts.iter().all(|u| (-2.0..2.0).contains(u)));
    let quarter = |k: f64| {
        let inside = |u: &&f64| (-2.0 + k..-1.0 + k).contains(*u);
        starts.iter().filter(inside).count()
    };
    // 100 expected in each, with a standard deviation of 8.7
    for count in [0.0, 1.0, 2.0, 3.0].map(quarter) {
        assert!((60..140).contains(&count), "{count} of 400");
    }
}

/// The list of quantities in the error when a proper prior is needed.
fn listed(needed_for: &str) -> String {
    let line = |text: &str| {
        let source = include_str!("flat.rs").lines();
        1 + source
            .take_while(|line| line.trim() != format!("{text};"))
            .count()
    };
    let problem = |name: &str, text: &str, is: &str, instead: &str| {
        format!(
            "\n  - `{name}` in `{text}` (tests/it/flat.rs:{}): its {is}, but {needed_for}; {instead}",
            line(text)
        )
    };
    let middle = problem(
        "middle",
        "let middle = sample(Flat::new())",
        "prior is improper",
        "use a proper prior (it may be wide), or `Inference::nuts()`",
    );
    let component = "give each component a density that integrates to 1, such as `Uniform` instead of `Flat`, or use `Inference::nuts()`";
    let shifts = "let shifts = sample(Mixture::new([0.5, 0.5], [Flat::new(), Flat::new()]))";
    format!(
        "the model `half_proper` cannot be run:{middle}{}",
        problem("shifts", shifts, "density is not normalised", component)
    )
}

#[test]
fn engines_that_start_from_the_prior_name_what_is_improper() {
    let model = half_proper(&Y);
    let wanted = listed("SMC starts from prior draws, and the evidence needs a normalised prior");
    for engine in [Inference::smc(), Inference::psmc()] {
        let refusal = engine.progress(false).run(&model).expect_err("no draws");
        assert_eq!(refusal.to_string(), wanted);
    }
    let refusal = Inference::pcn().progress(false).run(&model);
    let wanted = listed("pCN proposes from a Gaussian fitted to prior draws");
    assert_eq!(refusal.expect_err("no reference").to_string(), wanted);
}

#[test]
fn bounds_that_cross_are_named() {
    #[model]
    #[expect(unused_variables)]
    fn crossed() {
        let x = sample(Flat::between(1.0, -1.0));
    }
    let refusal = chains().run(&crossed()).expect_err("an empty interval");
    let wanted = "Flat: parameter `high` is -1, must be above `low`";
    assert!(refusal.to_string().ends_with(wanted), "{refusal}");
}

/// A mean and a scale.
#[model]
fn spread(#[rows] y: &[f64]) {
    let mean = sample(Normal::new(0.0, 10.0));
    let sd = sample(HalfNormal::new(5.0));
    observe(y, Normal::new(mean, sd));
}

/// Would detect a search of the whole that counts for its rows: with equal data the likelihood has no bound as `sd` goes to 0.
#[test]
fn a_part_of_the_rows_is_searched_although_the_whole_is_proper() {
    let model = spread(&[3.0, 3.0, 2.4, 3.9, 3.3]);
    let nuts = || Inference::nuts().draws(20).burn_in(20).progress(false);
    let fold = model.subset(&[0, 1]).expect("rows of the model");
    let part = model.subset(&[0, 2, 3]).expect("rows of the model");
    for _ in 0..2 {
        nuts().run(&model).expect("the data differ");
        nuts().run(&part).expect("the data differ");
        let refused = nuts().run(&fold).expect_err("equal data");
        assert!(
            matches!(refused, bayes::Error::Improper { .. }),
            "{refused}"
        );
    }
}

/// What is found for one of them may not hold for another. Would detect a subset with the hash of its model.
#[test]
fn a_model_and_its_subsets_have_different_identities() {
    let model = spread(&[0.3, 1.2, -0.4, 0.8]);
    let identity = Model::identity(&model);
    assert!(identity.is_some());
    assert_eq!(Model::identity(&spread(&[0.3, 1.2, -0.4, 0.8])), identity);
    let subset = model.subset(&[0, 1, 3]).expect("rows of the model");
    let inner = subset.subset(&[0, 1]).expect("rows of the subset");
    let again = model.subset(&[0, 1, 3]).expect("rows of the model");
    assert!(subset.identity().is_some() && subset.identity() == again.identity());
    assert!(subset.identity() != identity && inner.identity() != identity);
    assert_ne!(inner.identity(), subset.identity());
    // other data
    assert_ne!(Model::identity(&spread(&[0.3, 1.2, -0.4, 0.9])), identity);
    let parts = [model.subset(&[0, 1]), model.subset(&[2, 3])];
    let parts = parts.map(|part| part.expect("rows of the model"));
    let parts = Subposterior::of_parts(&parts).expect("each row once");
    let [a, b] = [&parts[0], &parts[1]].map(|part| part.quantities().identity());
    assert!(a.is_some() && a != b && a != identity);
}
