use super::*;
use crate::density::Product;
use crate::diagnose::warning::testing::{assert_warned, healthy_trajectories, with_trajectories};
use crate::model::StatementInfo;
use crate::run::example::of_chain;

const OTHERS: &str = "`Inference::walnuts()`, whose steps fit the place, is another way; so is `Inference::tempering()`, whose chains enter such places from the prior, which must be proper.";

/// The advice where no hierarchy is seen.
fn remedy() -> String {
    format!(
        "Raise `target_acceptance` (now 0.95, step size 0.3000), as by `.kernel(Nuts::new().target_acceptance(0.99))`, which takes smaller steps; if divergences remain, change the parametrisation: quantities \
         that the data bound only together, such as the factors of a product, make places that are hard to enter. {OTHERS}"
    )
}

/// The kernel's settings in a run. `kernel/nuts.rs` tests that they have this form.
fn nuts(target_acceptance: f64) -> String {
    format!(
        "Nuts {{ step_size: None, target_acceptance: {target_acceptance:?}, max_depth: 10, mass: Variance }}"
    )
}

/// Chains whose divergent trajectories started at these points.
fn diverging(starts: Vec<f64>) -> Run {
    let mut run = with_trajectories(&healthy_trajectories());
    run.kernel = "nuts".to_owned();
    let kernel = nuts(0.95);
    run.settings.insert("kernel".to_owned(), kernel);
    let trajectories = of_chain(&mut run.groups[2]).trajectories.as_mut();
    let trajectories = trajectories.expect("there are some");
    trajectories.divergent = starts.len() as u64 / 3;
    trajectories.divergent_starts = starts;
    run
}

#[test]
fn few_divergences_are_reported_without_a_place() {
    let run = diverging(vec![0.1, -3.0, 0.0, -0.1, -4.0, 0.0]);
    assert_warned(
        &run,
        &format!(
            "2 of 2000 trajectories between draws diverged. Part of the posterior may be missing. {}",
            remedy()
        ),
    );
    assert_eq!(run.divergences("beta"), Ok(vec![-3.0, 0.0, -4.0, 0.0]));
    assert_eq!(run.divergences("mu"), Ok(vec![0.1, -0.1]));
}

#[test]
fn divergences_are_reported_with_their_place() {
    let starts =
        (0..8).flat_map(|i| [0.1 * f64::from(i % 3) - 0.1, -3.0 - 0.1 * f64::from(i), 0.0]);
    let run = diverging(starts.collect());
    let mean = short(rhat::mean(&run.column(1).concat()));
    assert_warned(
        &run,
        &format!(
            "8 of 2000 trajectories between draws diverged: at their starting points `beta[0]` averages -3.350 (posterior mean {mean}). Part of the \
             posterior near these points may be missing. {} `run.divergences(name)` gives the starting points of divergent \
             trajectories.",
            remedy()
        ),
    );
}

#[test]
fn chains_of_walnuts_are_not_sent_to_walnuts() {
    let mut run = diverging(vec![0.1, -3.0, 0.0]);
    run.kernel = "walnuts".to_owned();
    let kernel = "Walnuts { step_size: None, target_acceptance: 0.8, max_depth: 10 }";
    run.settings.insert("kernel".to_owned(), kernel.to_owned());
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).expect("it diverged");
    let text = found.remedy_here();
    assert!(!text.contains("Inference::walnuts") && text.contains("`Inference::tempering()`"));
    assert!(text.contains("Walnuts::new().halvings(13)") && !text.contains("Raise"));
}

/// Mutation meant to be detected: settings of this library for chains of CmdStan, whose kernel is called `nuts` too.
#[test]
fn chains_of_another_program_have_no_kernel_to_set() {
    let mut run = diverging(vec![0.1, -3.0, 0.0]);
    run.settings.remove("kernel");
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).expect("it diverged");
    let text = found.remedy_here();
    assert!(
        text.contains("Raise `target_acceptance` (step size"),
        "{text}"
    );
    assert!(!text.contains("Nuts::new()"), "{text}");
}

/// Mutation meant to be detected: a field that a warning of an earlier version lacks.
#[test]
fn a_saved_warning_without_newer_fields_is_read() {
    let text = r#"{"divergent": 2, "trajectories": 2000, "region": null, "is_nuts": true}"#;
    let found: Divergences = serde_json::from_str(text).expect("an old warning");
    assert_eq!(found.moved_by, MovedBy::Other);
    assert!(found.remedy_here().starts_with("Part of the posterior"));
}

/// Would detect chains of tempering that are advised to use tempering.
#[test]
fn chains_of_tempering_are_not_sent_to_tempering() {
    let mut run = diverging(vec![0.1, -3.0, 0.0]);
    let exchanges = crate::run::example::tempered(1, 4, 0.5, 9).groups[0]
        .exchanges()
        .cloned();
    of_chain(&mut run.groups[0]).exchanges = exchanges;
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).expect("it diverged");
    let text = found.remedy_here();
    assert!(
        text.contains("`Inference::psmc()`") && !text.contains("tempering"),
        "{text}"
    );
}

/// The remedy for a run of a model with these statements and products that diverged where the first scalar is `there`.
fn remedy_of(
    statements: &[&str],
    products: &[(&str, &str)],
    (there, target_acceptance): (f64, f64),
) -> String {
    let mut run = diverging((0..8).flat_map(|_| [there, 0.0, 0.0]).collect());
    let product = |(vector, scale): &(&str, &str)| Product {
        vector: (*vector).to_owned(),
        scale: (*scale).to_owned(),
    };
    run.products = products.iter().map(product).collect();
    let kernel = nuts(target_acceptance);
    run.settings.insert("kernel".to_owned(), kernel);
    of_chain(&mut run.groups[1]).history = vec![crate::run::example::stage(1.0, 1)];
    let statement = |text: &&str| StatementInfo {
        text: (*text).to_owned(),
        line: 1,
        improper: false,
        words: None,
    };
    run.statements = statements.iter().map(statement).collect();
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).expect("they diverged");
    found.remedy_here().into_owned()
}

#[test]
fn the_other_form_is_advised_and_not_that_of_the_model() {
    let scale = "let mu = sample(HalfNormal::new(1.0))";
    let centred = remedy_of(
        &[scale, "let beta = sample(Normal::new(0.0, mu).iid(2))"],
        &[],
        (-2.5, 0.9),
    );
    assert!(
        centred.contains("(now 0.9, step size 0.3000)")
            && centred.contains(
                "the prior of `beta` has random parameters, of which `mu` averages less there"
            )
            && centred.contains("write it in the non-centred form"),
        "{centred}"
    );
    let plain = "let beta = sample(Normal::new(0.0, 1.0).iid(2))";
    let other = remedy_of(&[scale, plain], &[("beta", "mu")], (2.5, 0.99));
    assert!(
        other.contains("The setting `target_acceptance` is 0.99 already (step size 0.3000)")
            && other.contains("`mu`, which multiplies `beta`, averages more there; with much data for each element write `beta` in the centred form")
            && !other.contains("write it in the non-centred form")
            && !other.contains("Raise"),
        "{other}"
    );
    for prior in ["Normal::new(0.0, 5.0)", "LogNormal::new(0.0, 1.0)"] {
        let vector = format!("let beta = sample({prior}.iid(2))");
        let neither = remedy_of(&[scale, &vector], &[], (-2.5, 0.9));
        assert!(!neither.contains("centred"), "{neither}");
    }
    // a standard normal vector that nothing multiplies is not an effect of groups
    let plain = remedy_of(&[scale, plain], &[], (2.5, 0.9));
    assert!(!plain.contains("`beta`"), "{plain}");
}

#[test]
fn the_scale_at_which_trajectories_diverge_decides_between_forms() {
    // `mu` multiplies `z`, while the prior of `beta` has other parameters
    let statements = [
        "let mu = sample(HalfNormal::new(1.0))",
        "let beta = sample(Normal::new(0.0, other).iid(2))",
    ];
    let mut run = diverging((0..8).flat_map(|_| [2.5, 0.0, 0.0]).collect());
    run.layout.variables.push(Variable {
        name: "other".to_owned(),
        offset: 2,
        ..run.layout.variables[0].clone()
    });
    run.layout.variables[1].shape = Shape::Vector(1);
    run.products = vec![Product {
        vector: "z".to_owned(),
        scale: "mu".to_owned(),
    }];
    run.statements = statements
        .map(|text| StatementInfo {
            text: text.to_owned(),
            line: 1,
            improper: false,
            words: None,
        })
        .to_vec();
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).expect("they diverged");
    let Form::NonCentred { at: Some(at), .. } = &found.forms[0] else {
        panic!("{:?}", found.forms);
    };
    assert_eq!(at.element, "mu");
    assert!(matches!(&found.forms[1], Form::Centred { at: None, .. }));
    // with too few starting points for a region all forms are listed, multiplied vectors first
    let trajectories = of_chain(&mut run.groups[2]).trajectories.as_mut();
    let starts = &mut trajectories.expect("there are some").divergent_starts;
    starts.truncate(6);
    let few = find(&run, &ColumnDiagnostics::of_run(&run)).expect("they diverged");
    let text = few.remedy_here();
    let [product, prior] = [
        "`z`, which `mu` multiplies, is the non-centred form",
        "the prior of `beta` has random parameters",
    ]
    .map(|part| text.find(part).unwrap_or_else(|| panic!("{text}")));
    assert!(product < prior);
}

#[test]
fn a_scalar_that_stands_out_is_named_before_an_element_that_does() {
    let run = diverging((0..8).flat_map(|_| [-2.5, -3.0, 0.0]).collect());
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).and_then(|found| found.region);
    assert_eq!(found.map(|region| region.element), Some("mu".to_owned()));
}

#[test]
fn a_quantity_that_is_nan_is_no_place() {
    let run = diverging((0..8).flat_map(|_| [f64::NAN, -3.0, 0.0]).collect());
    let found = find(&run, &ColumnDiagnostics::of_run(&run)).and_then(|found| found.region);
    assert_eq!(
        found.map(|region| region.element),
        Some("beta[0]".to_owned())
    );
}

#[test]
fn starting_points_like_the_draws_have_no_place_however_many_elements_there_are() {
    let mut named = 0;
    for first in 0..200 {
        let draws = with_trajectories(&healthy_trajectories()).groups[1]
            .draws
            .clone();
        // eight draws apart from each other
        let starts = (0..8).flat_map(|i| draws[3 * (first + 37 * i)..][..3].to_vec());
        let run = diverging(starts.collect());
        let found = find(&run, &ColumnDiagnostics::of_run(&run)).expect("they diverged");
        named += usize::from(found.region.is_some());
    }
    // 1% of 200 is 2; the largest of the three elements has |z| > 1 almost always
    assert!(named <= 7, "{named} of 200");
}
