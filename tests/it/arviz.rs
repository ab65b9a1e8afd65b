//! The files for ArviZ that a run and its model write together.

use bayes::prelude::*;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

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

/// An empty folder for one test, and a path in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir();
    let folder = folder.expect("the system has a folder for temporary files");
    let place = folder.path().join("run.zarr");
    (folder, place)
}

/// The bytes of a compressed chunk.
fn bytes(file: &Path) -> Vec<u8> {
    let compressed = fs::read(file).expect("the array is there");
    let mut bytes = Vec::new();
    let mut reader = flate2::read::ZlibDecoder::new(compressed.as_slice());
    reader.read_to_end(&mut bytes).expect("it is zlib");
    bytes
}

fn reals(file: &Path) -> Vec<f64> {
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes(file).chunks_exact(8).map(number).collect()
}

fn wholes(file: &Path) -> Vec<i64> {
    let number = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes(file).chunks_exact(8).map(number).collect()
}

#[test]
fn data_predictions_and_the_prior_are_written() {
    let model = model();
    let run = Inference::nuts().chains(2).draws(40).seed(1).run(&model);
    let run = run.expect("the model is sound");
    let (_folder, place) = place();
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    let array = |path: &str| place.join(path);
    assert_eq!(reals(&array("observed_data/effect/0")), [28.0, 8.0, -3.5]);
    // counts are whole numbers
    assert_eq!(wholes(&array("observed_data/passed/0")), [1, 0, 2, 1]);
    let prediction = run.predict(model).expect("the same model");
    let wanted = |name: &str| prediction.draws(name).expect("it is predicted").values;
    let predicted = |path: &str| reals(&array(&format!("posterior_predictive/{path}")));
    assert_eq!(predicted("effect/0.0.0"), wanted("effect"));
    assert_eq!(predicted("ninth/0.0"), wanted("ninth"));
    let terms = prediction.log_likelihood().expect("the data are possible");
    let of_counts: Vec<f64> = terms.rows().flat_map(|row| row[3..].to_vec()).collect();
    assert_eq!(reals(&array("log_likelihood/passed/0.0.0")), of_counts);
    let prior = reals(&array("prior/theta/0.0.0"));
    // N(0, 50), whose variance has an error of 3 from 500 draws of two scales
    let square = prior.iter().map(|x| x * x).sum::<f64>() / prior.len() as f64;
    assert_eq!(prior.len(), 1500);
    assert!((square - 50.0).abs() < 10.0, "{square}");
    // the prior's data are drawn given the prior's draws
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
}

#[test]
fn islands_keep_the_draws_of_their_weights_together() {
    let model = model();
    let engine = Inference::psmc()
        .islands(2)
        .particles(16)
        .posterior_states(1);
    let run = engine.seed(1).run(&model).expect("the model is sound");
    let (_folder, place) = place();
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
    let (_folder, place) = place();
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    assert!(place.join("posterior_predictive/y").exists() && !place.join("prior").exists());
    run.to_arviz_with(&model, &place)
        .expect("its own folder is replaced");
    fs::remove_file(place.join(".zmetadata")).expect("it was written");
    let again = run
        .to_arviz_with(&model, &place)
        .expect_err("it is foreign");
    assert!(again.to_string().contains("is there already"), "{again}");
}

#[model]
fn coin(heads: u64, throws: u64, y: &[f64], scale: f64) {
    let p = sample(Beta::new(1.0, 1.0));
    let fitted = deterministic(Vector::from_fn(y.len(), |i| p * y[i]));
    observe(heads, Binomial::new(throws, p));
    observe(y[0] / scale, Normal::new(p, 1.0));
}

#[test]
fn single_numbers_and_expressions_are_written_and_other_data_refused() {
    let run = Inference::nuts()
        .chains(1)
        .draws(10)
        .run(&coin(6, 9, &[1.0, 2.0], 2.0));
    let run = run.expect("the model is sound");
    // fewer rows than in the run, so the deterministic quantities have another length
    let fewer = coin(6, 9, &[1.0], 2.0);
    let (_folder, place) = place();
    run.to_arviz_with(&fewer, &place)
        .expect("the folder can be written");
    assert_eq!(wholes(&place.join("observed_data/heads/0")), [6]);
    assert_eq!(reals(&place.join("observed_data/y[0] _ scale/0")), [0.5]);
    let p = reals(&place.join("prior/p/0.0"));
    let fitted = reals(&place.join("prior/fitted/0.0.0"));
    assert_eq!((p.len(), fitted[3]), (500, p[3]));
    let other = run.to_arviz_with(&coin(7, 9, &[1.0], 2.0), &place);
    let other = other.expect_err("7 heads are not the run's").to_string();
    assert!(other.contains("observes other values"), "{other}");
}

#[test]
fn nothing_is_left_after_an_error() {
    // file names have at most sixty letters
    #[model]
    fn clash(y: f64, s: f64) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(
            y / s
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(1.0),
            Normal::new(mu, 1.0),
        );
        observe(
            y / s
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(s)
                .max(2.0),
            Normal::new(mu, 1.0),
        );
    }
    let model = clash(0.5, 1.0);
    let run = Inference::nuts()
        .chains(1)
        .draws(10)
        .run(&model)
        .expect("the model is sound");
    let (folder, place) = place();
    for _ in 0..2 {
        let error = run
            .to_arviz_with(&model, &place)
            .expect_err("two of one name");
        let wanted = "two arrays would be called `observed_data/y / s.max(s)";
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let beside = fs::read_dir(folder.path()).expect("it is there");
    assert_eq!(beside.count(), 0);
}

#[model]
fn games(y: &[f64]) {
    let draw = sample(Normal::new(0.0, 1.0));
    let chain = sample(Normal::new(0.0, 1.0).iid(2));
    observe(y, Normal::new(draw + chain[0] - chain[1], 1.0));
}

#[test]
fn a_quantity_that_is_called_as_a_coordinate_is_written_and_read_back() {
    let model = games(&[0.5]);
    let run = Inference::nuts().chains(2).draws(10).run(&model);
    let run = run.expect("the model is sound");
    let (_folder, place) = place();
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    // the coordinates are those of the draws in every group
    assert_eq!(
        wholes(&place.join("posterior/draw/0")),
        (0..10).collect::<Vec<_>>()
    );
    assert_eq!(wholes(&place.join("prior/chain/0")), [0]);
    let written = reals(&place.join("posterior/draw_/0.0"));
    assert_eq!(written, run.draws("draw").expect("it is there").values);
    assert_eq!(reals(&place.join("prior/draw_/0.0")).len(), 500);
    let back = Run::from_arviz(&place).expect("it was written");
    assert_eq!(
        back.layout.element_names(),
        ["draw", "chain[0]", "chain[1]"]
    );
    for name in ["draw", "chain"] {
        let [theirs, ours] = [&back, &run].map(|run| run.draws(name).expect("it is there").values);
        assert_eq!(theirs, ours);
    }
}

/// The chains of a merged run may differ in length.
#[test]
fn chains_of_other_lengths_keep_their_predictions() {
    let model = model();
    let run = Inference::nuts().chains(2).draws(6).seed(1).run(&model);
    let mut run = run.expect("the model is sound");
    let (dim, elements) = (run.layout.dim, run.layout.elements());
    let first = &mut run.groups[0];
    first.draws.truncate(4 * elements);
    first.positions.truncate(4 * dim);
    first.log_prior.truncate(4);
    first.log_likelihood.truncate(4);
    first.statistics = Default::default();
    let (_folder, place) = place();
    run.to_arviz_with(&model, &place)
        .expect("the folder can be written");
    let theta = reals(&place.join("posterior/theta/0.0.0"));
    let terms = reals(&place.join("log_likelihood/effect/0.0.0"));
    assert_eq!((theta.len(), terms.len()), (2 * 4 * 3, 2 * 4 * 3));
    let wanted = |theta: f64| {
        -0.5 * ((28.0 - theta) / 15.0f64).powi(2) - 15f64.ln() - 0.918_938_533_204_672_8
    };
    for draw in 0..8 {
        assert!((terms[3 * draw] - wanted(theta[3 * draw])).abs() < 1e-12);
    }
}

/// With `BAYES_PYTHON` set to a Python with ArviZ and zarr, ArviZ finds the same leave-one-out estimate, and saves everything as NetCDF.
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
    let (_folder, place) = place();
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
}
