//! Deep ensembles of a model, and everything that reads their runs.

use crate::point_estimates::{assert_refused, data, exact, line};
use bayes::Error;
use bayes::prelude::*;

/// Everything that reads a run reads this one of `line`.
fn assert_is_a_run(run: &Run, name: &str) -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    assert_eq!(run.summary().rows.len(), 2);
    let prediction = run.predict(&model)?.draws("y")?;
    let scores = bayes::metrics::regression(&prediction, &y)?;
    // the noise has a standard deviation of 0.5
    let rmse = scores.rmse.value;
    assert!((0.2..0.6).contains(&rmse), "{scores}");
    let loo = run.loo(&model)?;
    assert!(loo.pointwise.len() == 40 && loo.elpd().is_finite());
    let mut text = Vec::new();
    run.to_json(&mut text)?;
    let read = Run::from_json(std::str::from_utf8(&text).expect("JSON is text"))?;
    assert_eq!(read.to_string(), run.to_string());
    let name = format!("bayes-approximations-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    run.to_arviz(&folder)?;
    let written = std::fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_some());
    assert!(written);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn an_ensemble_is_a_run() -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    let (mean, ..) = exact(&x, &y);
    let ensemble = Inference::ensemble(9).adam(0.05).epochs(200).seed(2);
    let run = ensemble.minibatch(8).validation(0.2).run(&model)?;
    for k in 0..2 {
        // eight rows are held out, and minibatches are noisy
        assert!((run.mean("beta")?[k] - mean[k]).abs() < 0.15);
        assert!(run.sd("beta")?[k] < 0.1);
    }
    assert_eq!(run.settings["members"], "9");
    assert_is_a_run(&run, "ensemble")
}

#[test]
fn minibatches_larger_than_the_data_are_refused() {
    let (x, y) = data();
    let model = line(&x, &y);
    assert_refused([(
        Inference::ensemble(3).adam(0.1).minibatch(41).run(&model),
        "setting `minibatch` is 41, must be from 1 to 40",
    )]);
}
