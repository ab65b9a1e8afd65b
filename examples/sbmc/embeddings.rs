//! Softmax regressions on frozen embeddings: film reviews (IMDb) and photographs (CIFAR-10).

use crate::common::{fail, or_fail};
use crate::task::{Labelled, Predicted, Settings, Start, Stop, Strange, Task};
use bayes::data::Array;
use bayes::nn::{Dense, Precision, Sequential, WeightPrior};
use bayes::prelude::*;
use std::path::Path;

/// The files of a data set.
struct Files {
    /// What the program says if no folder was given.
    what: &'static str,
    /// The end of the names of embeddings, before `_f16.npy`.
    model: &'static str,
    width: usize,
    classes: usize,
    /// Sets out of distribution: their names here, and the beginnings of their files' names.
    strange: &'static [(&'static str, &'static str)],
}

const IMDB: Files = Files {
    what: "the Large Movie Review Dataset (Maas et al. 2011) by the sentence transformer all-MiniLM-L6-v2: train_minilm384_f16.npy, \
           test_minilm384_f16.npy, train_labels_u8.npy, test_labels_u8.npy; out of distribution ood_appliances_minilm384_f16.npy, \
           ood_amazon_cells_minilm384_f16.npy, ood_lipsum_minilm384_f16.npy",
    model: "minilm384",
    width: 384,
    classes: 2,
    strange: &[
        ("appliances", "ood_appliances"),
        ("products", "ood_amazon_cells"),
        ("lorem ipsum", "ood_lipsum"),
    ],
};

const CIFAR: Files = Files {
    what: "CIFAR-10 (Krizhevsky 2009) by EfficientNet-Lite0, pooled after its last convolution: train_effnetlite0_f16.npy, \
           test_effnetlite0_f16.npy, train_labels_u8.npy, test_labels_u8.npy; out of distribution ood_mnist_effnetlite0_f16.npy, \
           ood_noise_effnetlite0_f16.npy",
    model: "effnetlite0",
    width: 1280,
    classes: 10,
    strange: &[("digits", "ood_mnist"), ("white noise", "ood_noise")],
};

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
    task(name, &IMDB, folder, variance, settings)
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
    task(name, &CIFAR, folder, 0.2, settings)
}

fn task(
    name: &'static str,
    files: &Files,
    folder: Option<&str>,
    variance: f64,
    settings: Settings,
) -> Task {
    let Some(folder) = folder.map(Path::new) else {
        fail(&format!(
            "`--data DIR` is missing: a folder with embeddings of {}",
            files.what
        ));
    };
    let data = labelled(files, folder, "train");
    let known = labelled(files, folder, "test");
    let mut sets = Vec::new();
    for (name, file) in files.strange {
        let inputs = embeddings(files, folder, file);
        sets.push(Strange {
            name,
            // a half to measure entropies, the others for the meta-classifier
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
    let labels = folder.join(format!("{part}_labels_u8.npy"));
    Labelled {
        inputs: embeddings(files, folder, part),
        labels: or_fail(Array::read_npy(labels).and_then(|array| array.indices())),
    }
}

/// Embeddings, `[rows, width]`.
fn embeddings(files: &Files, folder: &Path, part: &str) -> DMatrix<f64> {
    let file = folder.join(format!("{part}_{}_f16.npy", files.model));
    let found = or_fail(Array::read_npy(&file).and_then(|array| array.matrix()));
    if found.ncols() != files.width {
        fail(&format!(
            "{} has {} columns, not {}",
            file.display(),
            found.ncols(),
            files.width
        ));
    }
    found
}
