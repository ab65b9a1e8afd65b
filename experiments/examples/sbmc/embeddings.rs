//! Softmax regressions on frozen embeddings: film reviews (IMDb) and photographs (CIFAR-10).

use crate::task::{Labelled, Predicted, Settings, Start, Stop, Strange, Task};
use bayes::nn::{Dense, Precision, Sequential, WeightPrior};
use bayes_experiments::common::fail;
use bayes_experiments::frozen::{CIFAR, Files, IMDB};
use std::path::Path;

/// Sets out of distribution: their names here, and the prefixes of their files' names.
type StrangeFiles = [(&'static str, &'static str)];

const STRANGE_REVIEWS: &StrangeFiles = &[
    ("appliances", "ood_appliances"),
    ("products", "ood_amazon_cells"),
    ("lorem ipsum", "ood_lipsum"),
];
const STRANGE_PHOTOGRAPHS: &StrangeFiles = &[("digits", "ood_mnist"), ("white noise", "ood_noise")];

/// Film reviews; `variance` is v, the prior variance of a weight.
pub fn imdb(name: &'static str, folder: Option<&str>, variance: f64) -> Task {
    let settings = Settings {
        batch: 64,
        most_in_ensemble: 80,
        moves: 1,
        steps: 26,
        scales: vec![0.1],
        start: Start::Prior,
        stop: Stop::Last,
    };
    task(name, (&IMDB, STRANGE_REVIEWS), folder, variance, settings)
}

/// Photographs.
pub fn cifar(name: &'static str, folder: Option<&str>) -> Task {
    let settings = Settings {
        batch: 128,
        most_in_ensemble: 20,
        moves: 1,
        steps: 200,
        scales: vec![0.1],
        start: Start::Prior,
        stop: Stop::Last,
    };
    task(name, (&CIFAR, STRANGE_PHOTOGRAPHS), folder, 0.2, settings)
}

fn task(
    name: &'static str,
    (files, strange): (&Files, &StrangeFiles),
    folder: Option<&str>,
    variance: f64,
    settings: Settings,
) -> Task {
    let Some(folder) = folder.map(Path::new) else {
        fail(&format!(
            "`--data DIR` is missing: a folder with embeddings of {}; out of distribution those of {}",
            files.what,
            strange
                .iter()
                .map(|set| format!("{}_{}_f16.npy", set.1, files.model))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    };
    let data = labelled(files, folder, "train");
    let known = labelled(files, folder, "test");
    let mut sets = Vec::new();
    for (name, file) in strange {
        let inputs = files.embeddings(folder, file);
        sets.push(Strange {
            name,
            // one half to measure entropies, the other for the meta-classifier
            measured: inputs.nrows() / 2,
            inputs,
        });
    }
    let more: usize = sets
        .iter()
        .map(|set| set.inputs.nrows() - set.measured)
        .sum();
    let meta = [2 * more / 5, more / 5, 2 * more / 5];
    let test = known.labels.len() - meta.iter().sum::<usize>();
    let sd = variance.sqrt();
    let net = Sequential::flat(files.width)
        .layer(Dense::new(files.width, files.classes))
        .prior(WeightPrior::Separate {
            weight_sd: sd,
            bias_sd: sd,
        })
        .precision(Precision::Single)
        .build();
    Task {
        name,
        net: net.expect("a layer fits"),
        settings,
        // the paper holds out a fifth
        training: data.labels.len() * 4 / 5,
        data,
        predicted: Predicted::new(&known, test, meta, &sets),
    }
}

fn labelled(files: &Files, folder: &Path, part: &str) -> Labelled {
    let (inputs, labels) = files.labelled(folder, part, None);
    Labelled { inputs, labels }
}
