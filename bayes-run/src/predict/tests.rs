//! Generated quantities and predictive p-values, on exact draws of a conjugate posterior.
//!
//! Mutations seen: streams that do not depend on the draw; a strict inequality for the p-value of counts.

use crate::dist::{Normal, Poisson};
use crate::error::Error;
use crate::model::example::statement;
use crate::model::{
    Dim, Interpreter, Layout, Model, Statement, StatementDims, StatementKind, validate,
};
use crate::run::Run;
use crate::run::example::{chains, normals};
use bayes_autodiff::{Mode, Real};

/// `mu ~ Normal(0, 1)`, `y ~ Normal(mu, 1)`, and a count of mean 2 that does not depend on `mu`.
struct Single {
    y: [f64; 1],
    count: [u64; 1],
}

impl Model for Single {
    fn name(&self) -> &'static str {
        "single"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 3] = [
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Observe, "y"),
            statement(StatementKind::Observe, "count"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu: Real<M> = interpreter.at(0).sample(Normal::new(0.0, 1.0));
        interpreter
            .at(1)
            .observe_under(Normal::new(mu, 1.0), self.y);
        interpreter
            .at(2)
            .observe_under(Poisson::new(2.0), self.count);
    }
}

const MODEL: Single = Single {
    y: [2.0],
    count: [2],
};

/// 4 chains of 4000 exact draws of the posterior N(1, 1/2).
fn run() -> Run {
    let mut run = chains(4, 4000);
    for (c, chain) in run.groups.iter_mut().enumerate() {
        let exact = normals(7000 + c as u64, 4000);
        chain.draws = exact.iter().map(|z| 1.0 + z / 2f64.sqrt()).collect();
        chain.positions = chain.draws.clone();
        // a normal datum, and Poisson(2) at 2
        let normal = |mu: &f64| -0.5 * ((2.0 - mu).powi(2) + (2.0 * std::f64::consts::PI).ln());
        let terms = chain.draws.iter().map(|mu| normal(mu) + 2f64.ln() - 2.0);
        chain.log_likelihood = terms.collect();
    }
    run.layout = Layout {
        variables: run.layout.variables[..1].to_vec(),
        dim: 1,
    };
    run
}

fn within_errors(found: crate::diagnose::Estimate, exact: f64) {
    assert!(
        (found.mean - exact).abs() < 4.0 * found.se && found.se < 0.01,
        "{found}, exactly {exact}"
    );
}

#[test]
fn predictive_p_values_are_exact() {
    let run = run();
    // new data are N(1, 3/2), the datum is 2: P = 1 - Phi(1 / sqrt(1.5))
    let found = run
        .p_value(&MODEL, "y", |_, y| y[0])
        .expect("y is observed");
    within_errors(found.p, 0.207_108_089_121_262_6);
    assert_eq!((found.ties, found.observed), (0.0, 2.0));
    assert!((found.replicated - 1.0).abs() < 0.05);
    // a discrepancy that depends on mu: P(|z| > |w|) for w = 2 - mu ~ N(1, 1/2), by quadrature
    let squared = |draw: crate::run::DrawView<'_>, y: &[f64]| (y[0] - draw.scalar("mu")).powi(2);
    let found = run.p_value(&MODEL, "y", squared).expect("y is observed");
    within_errors(found.p, 0.376_644_272_795_688_1);
    // E w^2 = 3/2 in the data, 1 in new data
    assert!((found.observed - 1.5).abs() < 0.06 && (found.replicated - 1.0).abs() < 0.06);
}

#[test]
fn ties_of_counts_are_reported() {
    // Poisson(2): P(X >= 2) = 1 - 3 exp(-2), P(X = 2) = 2 exp(-2)
    let found = run()
        .p_value(&MODEL, "count", |_, y| y[0])
        .expect("it is observed");
    within_errors(found.p, 1.0 - 3.0 * (-2f64).exp());
    assert!((found.ties - 2.0 * (-2f64).exp()).abs() < 0.012);
    let undefined = run()
        .p_value(&MODEL, "count", |_, _| f64::NAN)
        .expect("it is observed");
    assert!(undefined.p.mean.is_nan());
    let error = run().p_value(&MODEL, "z", |_, y| y[0]).expect_err("no z");
    assert!(
        error.to_string().contains("it does not observe `z`"),
        "{error}"
    );
}

#[test]
fn generated_quantities_are_drawn_once_for_each_draw() {
    let run = run();
    let generate = |seed| {
        let found = run.generate(seed, |draw, stream| {
            let z = Normal::new(draw.scalar("mu"), 1.0).draw_one(stream);
            vec![z, draw.scalar("mu")]
        });
        found.expect("two values for every draw")
    };
    let found = generate(1);
    assert_eq!((found.elements, found.rows().count()), (2, 16_000));
    assert_eq!(found.weights, run.draw_weights());
    // N(1, 3/2), whose mean has an error of 0.0097 from 16 000 draws
    let rows: Vec<&[f64]> = found.rows().collect();
    let mean = rows.iter().map(|row| row[0]).sum::<f64>() / 16_000.0;
    let square = rows.iter().map(|row| (row[0] - 1.0).powi(2)).sum::<f64>() / 16_000.0;
    assert!(
        (mean - 1.0).abs() < 0.04 && (square - 1.5).abs() < 0.07,
        "{mean}, {square}"
    );
    assert_eq!(rows[5][1], run.groups[0].draws[5]);
    assert_eq!(generate(1), found);
    assert!(generate(2).values != found.values);
    // a part of the run has the same draws as the whole
    let part = Run {
        groups: run.groups[2..].to_vec(),
        ..run.clone()
    };
    let of_part = part.generate(1, |draw, stream| {
        vec![Normal::new(draw.scalar("mu"), 1.0).draw_one(stream)]
    });
    assert_ne!(part.groups[0].index, 0);
    assert_eq!(of_part.expect("one value").values[0], rows[8000][0]);
}

#[test]
fn generated_quantities_have_one_length() {
    let error = run().generate(1, |draw, _| {
        vec![0.0; 1 + usize::from(draw.scalar("mu") > 3.0)]
    });
    let text = error.expect_err("some draws are above 3").to_string();
    assert!(
        text.contains("has 2 values for draw") && text.contains("and 1 for draw 0"),
        "{text}"
    );
}

/// Values censored from above, each at its own limit.
struct Study {
    time: Vec<f64>,
    end: Vec<f64>,
}

impl Model for Study {
    fn name(&self) -> &'static str {
        "study"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 2] = [
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Observe, "time"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu: Real<M> = interpreter.at(0).sample(Normal::new(0.0, 1.0));
        let end = self.end.as_slice();
        interpreter.at(1).observe_under(
            Normal::new(mu, 1.0).censored(f64::NEG_INFINITY, end),
            self.time.as_slice(),
        );
    }
}

#[test]
fn limits_that_are_infinite_for_some_rows_are_reported_and_the_end_of_the_study_for_all_is_not() {
    // draws of N(1, 1), censored at 1.5
    let time: Vec<f64> = normals(1, 40).iter().map(|z| (1.0 + z).min(1.5)).collect();
    let censored = time.iter().filter(|t| **t == 1.5).count();
    let ends = |of_observed: f64| {
        time.iter()
            .map(move |t| if *t < 1.5 { of_observed } else { 1.5 })
    };
    let [unknown, known] = [f64::INFINITY, 1.5].map(|of_observed| Study {
        time: time.clone(),
        end: ends(of_observed).collect(),
    });
    let mut run = run();
    // draws without a likelihood, which are not compared with the model's
    run.groups
        .iter_mut()
        .for_each(|group| group.log_likelihood.fill(f64::NAN));
    let largest = |model: &Study| {
        let largest =
            |_: crate::run::DrawView<'_>, y: &[f64]| y.iter().copied().fold(f64::MIN, f64::max);
        run.p_value(model, "time", largest).expect("it is observed")
    };
    let told = format!(
        "{} of 40 observations have no upper limit of censoring",
        40 - censored
    );
    let found = largest(&unknown);
    assert!(found.p.mean > 0.95 && found.replicated > 2.0, "{found}");
    assert!(found.to_string().contains(&told), "{found}");
    let prediction = run.predict(&unknown).expect("it observes");
    let text = prediction.to_string();
    assert!(text.contains(&format!("note: `time`: {told}")), "{text}");
    // with the limit of every row, new data end where the study ends
    let found = largest(&known);
    assert!(found.replicated <= 1.5 && !found.limits.differ(), "{found}");
    assert!(!found.to_string().contains("censoring"), "{found}");
    assert_eq!(run.predict(&known).expect("it observes").notes(), [""; 0]);
    // a study that truly has no end for half of its rows: the other rows include values observed before
    // their end
    let mut design = Study {
        time: time.clone(),
        end: known.end.clone(),
    };
    design.end[20..].fill(f64::INFINITY);
    assert_eq!(run.predict(&design).expect("it observes").notes(), [""; 0]);
    // the likelihood is the same
    let terms = |model: &Study| {
        let prediction = run.predict(model).expect("it observes");
        prediction.log_likelihood().expect("it is possible").values
    };
    assert_eq!(terms(&unknown), terms(&known));
}

#[test]
fn data_that_are_missing_are_neither_summarised_nor_scored() {
    let run = run();
    let known = run.predict(&MODEL).expect("the same model");
    assert!(known.to_string().contains("data"));
    let unknown = Single {
        y: [f64::NAN],
        ..MODEL
    };
    let prediction = run.predict(&unknown).expect("NaN has a length too");
    let summary = prediction.summary().expect("there is memory");
    let data: Vec<Option<f64>> = summary.rows.iter().map(|row| row.data).collect();
    assert_eq!(data, [None, Some(2.0)]);
    assert_eq!(prediction.draws("y"), known.draws("y"));
    let blind = run.predict(&MODEL).expect("the same model").without_data();
    let text = blind.to_string();
    let header = text.lines().next().unwrap_or_default();
    let header: Vec<&str> = header.split_whitespace().collect();
    assert_eq!(header, ["mean", "mcse", "sd", "5%", "50%", "95%"]);
    assert!(!text.contains("NaN"), "{text}");
    assert_eq!(blind.draws("y"), known.draws("y"));
    let error = blind.log_likelihood().expect_err("there are no data");
    assert!(error.to_string().contains("no data after `without_data()`"));
    assert!(!blind.is_of_prior());
}

/// Counts whose rate is above the largest number in about half of the draws.
struct Overflow;

impl Model for Overflow {
    fn name(&self) -> &'static str {
        "overflow"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 2] = [
            statement(StatementKind::Sample, "eta"),
            statement(StatementKind::Observe, "count"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let eta: Real<M> = interpreter.at(0).sample(Normal::new(709.78, 1.0));
        interpreter
            .at(1)
            .observe_under(Poisson::new(eta.exp()), [1_u64, 2]);
    }
}

/// Mutation seen: no note, so that a row of `-` appeared without a reason.
#[test]
fn draws_that_are_nan_are_reported() {
    let prediction = crate::predict::prior_predictive(&Overflow, 200).expect("it can be drawn");
    let summary = prediction.summary().expect("there is memory");
    let draws = prediction.draws("count").expect("it is observed");
    let undrawn = draws.rows().filter(|row| row[0].is_nan()).count();
    assert!((60..140).contains(&undrawn), "{undrawn}");
    assert!(summary.rows[0].mean.mean.is_nan());
    let note = &summary.notes[0];
    let expected = format!("`count`: {undrawn} of 200 draws of an element are NaN, because");
    assert!(note.starts_with(&expected), "{note}");
    assert!(summary.to_string().contains("note: `count`"), "{summary}");
    assert!(
        run()
            .predict(&MODEL)
            .expect("its model")
            .summary()
            .expect("there is memory")
            .notes
            .is_empty()
    );
}

#[test]
fn observations_block_by_block_are_those_of_all_draws() {
    let run = run();
    let mut prediction = run.predict(&MODEL).expect("the same model");
    let all = prediction.log_likelihood().expect("it is possible");
    let new = prediction.draws("y").expect("it is observed");
    for (room, step) in [(usize::MAX, 1), (1, 1), (1, 3)] {
        prediction.room = room;
        let used = prediction.every(step);
        assert!((used.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let places = |values: Vec<f64>| -> Vec<f64> {
            let groups = values.chunks(run.draws_per_group());
            groups
                .flat_map(|group| group.iter().step_by(step).copied())
                .collect()
        };
        let found = prediction.map_observations(&used, 0..all.observations, false, |at| {
            (at.observation, at.log_likelihood.to_vec(), at.new.len())
        });
        let found = found.expect("there is room");
        assert_eq!(found.len(), all.observations);
        for (i, (observation, terms, new)) in found.into_iter().enumerate() {
            assert_eq!(
                (i, terms, new),
                (observation, places(all.observation(i)), 0)
            );
        }
        let found = prediction.map_observations(&used, 0..1, true, |at| at.new.to_vec());
        let first: Vec<f64> = new.rows().map(|row| row[0]).collect();
        assert_eq!(found.expect("there is room"), [places(first)]);
    }
    assert_eq!(
        prediction
            .log_predictive_densities()
            .expect("it is possible"),
        all.log_predictive_densities()
    );
}

/// Would detect a limit of the run that does not reach its questions, and a limit as advised that is not enough.
#[test]
fn a_memory_limit_reaches_what_is_asked_of_the_run() {
    let mut run = run();
    let free = run.loo(&MODEL).expect("the data of the run");
    run.memory_limit = Some(1000);
    type Ask = fn(&Run) -> Option<Error>;
    let asked: &[Ask] = &[
        |run| run.loo(&MODEL).err(),
        |run| run.waic(&MODEL).err(),
        |run| run.loo_pit(&MODEL, "y").err(),
        |run| run.predict(&MODEL).ok()?.draws("y").err(),
        |run| run.predict(&MODEL).ok()?.log_likelihood().err(),
        |run| run.predict(&MODEL).ok()?.summary().err(),
        #[cfg(feature = "io")]
        |run| {
            let folder = tempfile::tempdir().expect("a folder for temporary files");
            run.to_arviz_with(&MODEL, folder.path().join("run.zarr"))
                .err()
        },
    ];
    for (number, ask) in asked.iter().enumerate() {
        let mut run = run.clone();
        let refused = ask(&run);
        let Some(Error::Memory { limit, fits, .. }) = &refused else {
            panic!("{number}: {refused:?}");
        };
        assert_eq!(*limit, 1000);
        let advised: String = fits[0].chars().filter(char::is_ascii_digit).collect();
        run.memory_limit = advised.parse().ok();
        let found = ask(&run);
        assert!(found.is_none(), "{number}: {found:?} at {}", fits[0]);
        // the least that is enough may be evaluated one observation after the other
        if number == 0 {
            let found = run.loo(&MODEL).expect("as advised");
            assert_eq!(found.pointwise, free.pointwise);
        }
    }
}

/// Seen to detect blocks that begin at the first element again.
#[test]
fn a_summary_in_blocks_is_that_of_all_elements() {
    let run = run();
    let mut prediction = run.predict(&MODEL).expect("the same model");
    let all = prediction.summary();
    assert!(all.as_ref().is_ok_and(|all| all.rows.len() > 1));
    prediction.room = 1;
    assert_eq!(prediction.summary(), all);
}

/// `mu ~ Normal(0, 1)`, and values with gaps of `Normal(mu, 1)`; with the missing ones named by their numbers or not at all.
struct Gapped {
    x: Vec<f64>,
    is_numbered: bool,
}

impl Model for Gapped {
    fn name(&self) -> &'static str {
        "gapped"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 3] = [
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Observe, "x"),
            statement(StatementKind::Sample, "x"),
        ];
        &ALL
    }
    fn dims(&self) -> Vec<StatementDims> {
        let missing = self.x.iter().enumerate().filter(|(_, x)| x.is_nan());
        let row = StatementDims {
            statement: 2,
            dims: vec![Dim::new("row", missing.map(|(i, _)| i))],
            of_rows: false,
            is_part: false,
            rows: None,
        };
        if self.is_numbered {
            vec![row]
        } else {
            Vec::new()
        }
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu: Real<M> = interpreter.at(0).sample(Normal::new(0.0, 1.0));
        interpreter
            .at(1)
            .impute(2, Normal::new(mu, 1.0), self.x.as_slice());
    }
}

/// Would detect missing values of one table that are taken for those of another one with as many, or with the same numbers of rows.
#[test]
fn missing_values_without_names_are_those_of_the_same_data_alone() {
    let nan = f64::NAN;
    for is_numbered in [false, true] {
        let of = |x: &[f64]| Gapped {
            x: x.to_vec(),
            is_numbered,
        };
        let model = of(&[1.0, nan, 2.0, nan]);
        let mut run = chains(4, 10);
        run.layout = validate(&model).expect("it is a model").layout;
        assert_eq!(run.layout.element_names(), ["mu", "x[1]", "x[3]"]);
        assert!(run.predict(&model).is_ok());
        for other in [[1.0, nan, 3.0, nan], [nan, 1.0, 2.0, nan]] {
            let refused = run.predict(of(&other)).err().map(|error| error.to_string());
            let text = refused.expect("other data have other rows");
            assert!(text.contains("these are not the data of the run"), "{text}");
        }
        let found = run.predict(&model).expect("the same data");
        assert_eq!(found.observation_names(), ["x[0]", "x[2]"]);
    }
}
