//! The files for ArviZ that a run and its model write together.

use bayes::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

#[model]
fn schools(school: &[&str], effect: &[f64], error: &[f64], passed: &[u64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    #[dims(school)]
    let theta = sample(Normal::new(mu, 5.0).iid(effect.len()));
    #[dims(school)]
    observe(effect, Normal::new(&theta, error));
    for &count in passed {
        observe(count, Poisson::new((0.1 * mu).exp()));
    }
    let ninth = generate(Normal::new(mu, 5.0));
}

const SCHOOLS: [&str; 3] = ["Choate", "Deerfield", "Exeter"];

fn model() -> schools<'static, 'static, 'static, 'static, 'static> {
    schools(
        &SCHOOLS,
        &[28.0, 8.0, -3.5],
        &[15.0, 10.0, 16.0],
        &[1, 0, 2, 1],
    )
}

/// A place where there is nothing.
fn place(name: &str) -> PathBuf {
    let place =
        std::env::temp_dir().join(format!("bayes-arviz-{name}-{}.zarr", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    place
}

fn reals(file: &Path) -> Vec<f64> {
    let bytes = fs::read(file).expect("the array is there");
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes.chunks_exact(8).map(number).collect()
}

fn wholes(file: &Path) -> Vec<i64> {
    let bytes = fs::read(file).expect("the array is there");
    let number = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes.chunks_exact(8).map(number).collect()
}

#[test]
fn data_predictions_and_the_prior_are_written() {
    let model = model();
    let run = Inference::nuts().chains(2).draws(40).seed(1).run(&model);
    let run = run.expect("the model is sound");
    let place = place("groups");
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    let array = |path: &str| place.join(path);
    assert_eq!(reals(&array("observed_data/effect/0")), [28.0, 8.0, -3.5]);
    // counts are whole numbers
    assert_eq!(wholes(&array("observed_data/count/0")), [1, 0, 2, 1]);
    let prediction = run.predict(&model).expect("the same model");
    let wanted = |name: &str| prediction.draws(name).expect("it is predicted").values;
    let predicted = |path: &str| reals(&array(&format!("posterior_predictive/{path}")));
    assert_eq!(predicted("effect/0.0.0"), wanted("effect"));
    assert_eq!(predicted("ninth/0.0"), wanted("ninth"));
    let terms = prediction.log_likelihood().expect("the data are possible");
    let of_counts: Vec<f64> = terms.rows().flat_map(|row| row[3..].to_vec()).collect();
    assert_eq!(reals(&array("log_likelihood/count/0.0.0")), of_counts);
    let prior = reals(&array("prior/theta/0.0.0"));
    // N(0, 50), whose variance has an error of 3 from 500 draws of two scales
    let square = prior.iter().map(|x| x * x).sum::<f64>() / prior.len() as f64;
    assert_eq!(prior.len(), 1500);
    assert!((square - 50.0).abs() < 10.0, "{square}");
    // the data of the prior are drawn given its draws
    let data = reals(&array("prior_predictive/effect/0.0.0"));
    let residual = |j: usize| {
        (0..500)
            .map(|i| (data[3 * i + j] - prior[3 * i + j]).powi(2))
            .sum::<f64>()
            / 500.0
    };
    assert!(
        (residual(1).sqrt() - 10.0).abs() < 1.2,
        "{}",
        residual(1).sqrt()
    );
    let metadata = fs::read_to_string(array(".zmetadata")).expect("it is there");
    assert!(metadata.contains("log_likelihood/school/.zarray"));
    fs::remove_dir_all(place).expect("it was made here");
}

#[test]
fn islands_keep_the_draws_of_their_weights_together() {
    let model = model();
    let engine = Inference::psmc()
        .islands(2)
        .particles(16)
        .posterior_states(1);
    let run = engine.seed(1).run(&model).expect("the model is sound");
    let place = place("weighted");
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    let theta = reals(&place.join("posterior/theta/0.0.0"));
    let terms = reals(&place.join("log_likelihood/effect/0.0.0"));
    let error = [15.0f64, 10.0, 16.0];
    for (i, (theta, term)) in theta.iter().zip(&terms).enumerate() {
        let (y, sd) = ([28.0, 8.0, -3.5][i % 3], error[i % 3]);
        let wanted = -0.5 * ((y - theta) / sd).powi(2) - sd.ln() - 0.918_938_533_204_672_8;
        assert!((term - wanted).abs() < 1e-12);
    }
    fs::remove_dir_all(place).expect("it was made here");
}

#[test]
fn an_improper_prior_is_left_out() {
    #[model]
    fn line(y: &[f64]) {
        let mu = sample(Flat::new());
        observe(y, Normal::new(mu, 1.0));
    }
    let model = line(&[0.5, 1.5]);
    let run = Inference::nuts()
        .chains(1)
        .draws(10)
        .run(&model)
        .expect("the model is sound");
    let place = place("improper");
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    assert!(place.join("posterior_predictive/y").exists() && !place.join("prior").exists());
    let again = run.to_arviz_with(&model, &place).expect_err("it is there");
    assert!(again.to_string().contains("is there already"), "{again}");
    fs::remove_dir_all(place).expect("it was made here");
}

/// With `BAYES_PYTHON` set to a Python that has ArviZ and zarr, ArviZ finds the same leave-one-out estimate, and saves it all as NetCDF.
#[test]
fn arviz_reads_all_groups() {
    let Ok(python) = std::env::var("BAYES_PYTHON") else {
        println!("skipped: BAYES_PYTHON is not set");
        return;
    };
    let model = model();
    let run = Inference::nuts()
        .seed(1)
        .run(&model)
        .expect("the model is sound");
    let place = place("python");
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    let loo = run.loo(&model).expect("the data are possible");
    let status = std::process::Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/read_all_groups.py"))
        .arg(&place)
        .arg(loo.elpd().to_string())
        .arg(run.relative_efficiency().to_string())
        .status();
    assert!(status.expect("BAYES_PYTHON is a program").success());
    fs::remove_dir_all(place).expect("it was made here");
}
