use super::*;
use crate::diagnose::Warning;
use crate::diagnose::warning::testing::assert_warned;
use crate::model::Recipe;
use crate::run::example::{approximation, chains, of_chain, of_draws};

fn maximum(climbs: u64, log_density: f64, log_mass: f64, draws: u64) -> Maximum {
    Maximum {
        climbs,
        log_density,
        values: vec![0.1, 0.2, -40.0],
        log_mass,
        se: 0.1,
        draws,
    }
}

/// An exact approximation, with the maximum where its draws are and another.
fn with(other: Maximum) -> Run {
    let mut run = approximation(1000, 1.0);
    let own = maximum(5, -1.0, own(), 900);
    of_draws(&mut run.groups[0]).climbs = Some(Climbs {
        number: 8,
        maxima: vec![own, other],
        ..Climbs::default()
    });
    run
}

fn own() -> f64 {
    let run = approximation(1000, 1.0);
    run.log_mass_of_approximation().expect("it is one")
}

#[test]
fn a_maximum_without_draws_is_named_with_its_share() {
    // a quarter of the mass: a third of what the draws have
    let run = with(maximum(3, -2.0, own() - 3f64.ln(), 0));
    let whole = own() + (4.0f64 / 3.0).ln();
    assert_warned(
        &run,
        &format!(
            "3 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = \
             0.1000, `beta[0]` = 0.2000, with the log density -2.000, and about 25% of the posterior is around it; with it the log \
             evidence is about {whole:.2}, and not {:.2}. Means, intervals and the evidence lack this part, and neither k-hat nor the \
             weights show it: use an engine that finds several modes, such as `Inference::psmc()`.",
            own()
        ),
    );
}

/// Would detect a maximum that is left out because its mass is imprecise, and a share of what is unknown.
#[test]
fn a_maximum_of_unknown_mass_is_named() {
    let imprecise = Maximum {
        se: 0.6,
        ..maximum(3, -2.0, own() - 5.0, 0)
    };
    let slight = Maximum {
        log_mass: own() - 6.0,
        ..imprecise.clone()
    };
    assert!(with(slight).warnings().is_empty());
    let mut run = with(imprecise);
    assert_warned(
        &run,
        "3 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = 0.1000, \
         `beta[0]` = 0.2000, with the log density -2.000, and how much of the posterior is around it is unknown. If it is much, means, \
         intervals and the evidence lack it, and neither k-hat nor the weights show it: use an engine that finds several modes, such as \
         `Inference::psmc()`.",
    );
    let climbs = of_draws(&mut run.groups[0]).climbs.as_mut();
    let climbs = climbs.expect("it has some");
    climbs.maxima.push(maximum(0, -3.0, own() - 3f64.ln(), 0));
    let text = run.warnings()[0].to_string();
    assert!(text.contains("and at least about 25% of the posterior is around them; with them the log evidence is at least about"), "{text}");
}

/// Would detect hidden coordinates among the elements, and in the number of the others.
#[test]
fn what_a_formula_hides_is_not_named() {
    let mut run = with(maximum(3, -1.0, own(), 0));
    let other = maximum(1, -2.0, own() - 1.0, 0);
    let climbs = &mut of_draws(&mut run.groups[0]).climbs;
    climbs.as_mut().expect("it has some").maxima.push(other);
    run.recipe = Some(Recipe {
        hidden: vec!["beta".to_owned()],
        ..Recipe::default()
    });
    let text = run.warnings()[0].to_string();
    assert!(
        text.contains("one is at `mu` = 0.1000, with the log density"),
        "{text}"
    );
    assert!(text.contains("; with them the log evidence"), "{text}");
    assert!(
        text.contains("terms that are alike change places"),
        "{text}"
    );
    assert!(!text.contains("sample("), "{text}");
}

/// Chains whose draws are all in one mode: 0.9 of them in its ellipsoid, which has 0.9 of its mass.
fn of_chains(others: [Maximum; 2]) -> Run {
    let mut run = chains(4, 250);
    let mut maxima = vec![maximum(5, -1.0, 0.0, 900)];
    maxima.extend(others);
    of_chain(&mut run.groups[0]).climbs = Some(Climbs {
        number: 8,
        maxima,
        ..Climbs::default()
    });
    run
}

/// Would detect a mass that is not divided by the share of the draws inside, and an evidence that chains do not have.
#[test]
fn a_mode_that_chains_miss_is_named_with_its_share() {
    let light = maximum(1, -9.0, -9.0, 0);
    let run = of_chains([maximum(2, -2.0, -3f64.ln(), 0), light.clone()]);
    assert_warned(
        &run,
        "2 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = 0.1000, \
         `beta[0]` = 0.2000, with the log density -2.000, and about 25% of the posterior is around it. Means and intervals lack this part, \
         and R-hat does not show it, because no chain is there: use an engine that finds several modes, such as `Inference::psmc()`.",
    );
    // few draws are in the ellipsoid of their maximum, so that little is known of their mass
    let mut run = of_chains([maximum(2, -2.0, -3f64.ln(), 0), light.clone()]);
    let climbs = &mut of_chain(&mut run.groups[0]).climbs;
    climbs.as_mut().expect("it has some").maxima[0].draws = 90;
    assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    // a part that a thousand draws would meet only now and then
    let run = of_chains([maximum(2, -2.0, -5.0, 0), light]);
    assert!(run.warnings().is_empty(), "{:?}", run.warnings());
}

/// Would detect maxima that are left out of chains because their mass is unknown.
#[test]
fn a_high_maximum_of_unknown_mass_that_chains_miss_is_named() {
    let light = maximum(0, -9.0, -9.0, 0);
    let imprecise = |log_density: f64| Maximum {
        se: 0.7,
        ..maximum(2, log_density, -2.0, 0)
    };
    for log_density in [3.0, -1.5, -3.5] {
        assert_warned(
            &of_chains([imprecise(log_density), light.clone()]),
            &format!(
                "2 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = \
                 0.1000, `beta[0]` = 0.2000, with the log density {}, and how much of the posterior is around it is unknown. If it is much, \
                 means and intervals lack it, and R-hat does not show it, because no chain is there: use an engine that finds several \
                 modes, such as `Inference::psmc()`.",
                short(log_density)
            ),
        );
    }
    let low = of_chains([imprecise(-4.5), light]);
    assert!(low.warnings().is_empty(), "{:?}", low.warnings());
}

/// The draws of one part of a merged run may be where those of the other are missing.
#[test]
fn climbs_of_merged_chains_are_not_told() {
    let one = of_chains([maximum(2, -2.0, -1.0, 0), maximum(1, -9.0, -9.0, 0)]);
    let mut run = one.clone();
    run.groups.extend(one.groups);
    let is_other = |warning: &Warning| matches!(warning, Warning::OtherMaxima(_));
    assert!(!run.warnings().iter().any(is_other), "{:?}", run.warnings());
}

#[test]
fn copies_are_told_from_other_maxima() {
    let run = with(maximum(3, -1.0 - 1e-9, own(), 0));
    let [warning] = &run.warnings()[..] else {
        panic!("{:?}", run.warnings());
    };
    assert!(warning.remedy().contains("change places"), "{warning}");
}

#[test]
fn maxima_that_do_not_matter_are_not_told() {
    // little mass; draws nearby, whose weights tell
    for other in [
        maximum(3, -2.0, own() - 6.0, 0),
        maximum(3, -2.0, own(), 100),
    ] {
        let run = with(other);
        assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    }
}

/// Would detect a number of draws that does not depend on all, and a maximum with draws of which it is said that none is near.
#[test]
fn few_draws_are_few_of_all() {
    let of = |number: usize, draws: u64| {
        let mut run = approximation(number, 1.0);
        let log_mass = run.log_mass_of_approximation().expect("it is one");
        let maxima = vec![
            maximum(5, -1.0, log_mass, number as u64 / 2),
            maximum(3, -2.0, log_mass, draws),
        ];
        of_draws(&mut run.groups[0]).climbs = Some(Climbs {
            number: 8,
            maxima,
            ..Climbs::default()
        });
        let told = run.warnings().first().map(Warning::problem);
        told.unwrap_or_default()
    };
    assert!(of(1000, 4).contains("that hardly any draw is near"));
    assert!(of(1000, 5).is_empty());
    assert!(of(100, 0).contains("that no draw is near"));
    assert!(of(100, 1).contains("that hardly any draw is near"));
    assert!(of(100, 2).is_empty());
}

/// Draws that are too wide in each coordinate are hardly ever in the ellipsoid of the only maximum.
#[test]
fn the_maximum_of_draws_that_are_too_wide_is_theirs() {
    let of = |scale: f64| {
        let mut run = approximation(1000, scale);
        let log_mass = run.log_mass_of_approximation().expect("it is one");
        let maxima = vec![maximum(8, -1.0, log_mass, 0)];
        of_draws(&mut run.groups[0]).climbs = Some(Climbs {
            number: 8,
            maxima,
            ..Climbs::default()
        });
        run.warnings()
    };
    let is_other = |warning: &Warning| matches!(warning, Warning::OtherMaxima(_));
    // k-hat is 0.9, and 0
    let poor = of(0.6);
    assert!(matches!(poor[0], Warning::ApproximationPoor(_)), "{poor:?}");
    assert!(!poor.iter().any(is_other), "{poor:?}");
    assert!(of(1.0).iter().any(is_other));
}
