//! The modes of a model by L-BFGS and by Adam, compared with a long optimisation.

use super::Trial;
use bayes::Error;
use bayes::density::ArithmeticSettings;
use bayes::prelude::*;
use bayes::run::Ended;
use bayes_experiments::AnyModel;
use serde_json::json;

/// Relative to the larger of 1 and the log density.
const TOLERANCE: f64 = 1e-6;

/// The columns of the table.
pub const HEADER: &str = concat!(
    "                                       mode of the coordinates                    mode of the values\n",
    "                               d    joint     log density    L-BFGS epochs     Adam    log density   L-BFGS"
);

/// The shortfall of the log density of `fit` below `long`, relative to the larger of 1 and `long`.
fn below(fit: &Fit, long: f64) -> f64 {
    (long - fit.log_density()) / long.abs().max(1.0)
}

/// The log density of a mode, or `no mode`.
fn written(fit: &Fit) -> String {
    match fit.ended() {
        Ended::NoMode => "no mode".to_owned(),
        _ => format!("{:.6}", fit.log_density()),
    }
}

/// The shortfalls of the log densities of `fits` below the mode of a long optimisation; `None` if there is no mode.
fn gaps(name: &str, long: &Fit, fits: &[&Fit]) -> Option<Vec<f64>> {
    let [ours, of_long] = [fits[0], long].map(|fit| *fit.ended() == Ended::NoMode);
    assert_eq!(ours, of_long, "{name}: one of them found a mode");
    if ours {
        return None;
    }
    let gaps: Vec<f64> = fits
        .iter()
        .map(|fit| below(fit, long.log_density()))
        .collect();
    assert!(
        gaps.iter().all(|gap| gap.abs() <= TOLERANCE),
        "{name}: {gaps:?}"
    );
    Some(gaps)
}

/// Finds the modes of a model, prints their distances from a long optimisation's modes, and asserts that they are near.
pub fn compare(trial: &mut Trial<'_>, model: &dyn AnyModel) -> Result<(), Error> {
    let (seed, name) = (trial.options.seed, trial.problem.name);
    // 64 other starting points, four times as many stored updates, to the limit of rounding
    let long = Inference::map()
        .seed(seed + 1000)
        .restarts(64)
        .epochs(20_000);
    let long = long.optimiser(Lbfgs::new().memory(80).tolerance(1e-15));
    let short = Inference::map().seed(seed);
    let adam = Adam::new(LearningRate::cosine(0.1, 0.0));
    let density = model.density(seed, ArithmeticSettings::default())?;
    let adam = short.clone().optimiser(adam).epochs(20_000);
    let adam = adam.run_on(&*density)?;
    let lbfgs = short.run_on(&*density)?;
    let of_coordinates = long.run_on(&*density)?;
    let density = model.density_of_values(seed)?;
    let (of_values, values) = (long.run_on(&*density)?, short.run_on(&*density)?);
    let coordinate_gaps = gaps(name, &of_coordinates, &[&lbfgs, &adam]);
    let value_gaps = gaps(name, &of_values, &[&values]);
    let show = |gaps: &Option<Vec<f64>>, i: usize| match gaps {
        Some(gaps) => format!("{:.0e}", gaps[i]),
        None => "-".to_owned(),
    };
    trial.report.say(&format!(
        "{:<38} {:>16} {:>9} {:>6} {:>8} {:>14} {:>8}",
        "",
        written(&of_coordinates),
        show(&coordinate_gaps, 0),
        lbfgs.restart().losses.len(),
        show(&coordinate_gaps, 1),
        written(&of_values),
        show(&value_gaps, 0),
    ));
    trial.figures[name]["modes"] = json!({
        "log_density": of_coordinates.log_density(),
        "gaps": coordinate_gaps,
        "log_density_of_values": of_values.log_density(),
        "gap_of_values": value_gaps,
    });
    Ok(())
}
