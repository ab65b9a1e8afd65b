//! Frozen embeddings of texts and photographs, from a folder of NumPy files that are not shipped.

use crate::common::{fail, or_fail};
use bayes::data::Array;
use nalgebra::DMatrix;
use std::path::Path;

/// A data set of embeddings.
pub struct Files {
    /// The contents and the names of the files.
    pub what: &'static str,
    /// The end of the file names of embeddings, before `_f16.npy`.
    pub model: &'static str,
    /// Length of an embedding.
    pub width: usize,
    /// Number of classes.
    pub classes: usize,
}

/// Film reviews.
pub const IMDB: Files = Files {
    what: "the Large Movie Review Dataset (Maas et al. 2011) by the sentence transformer all-MiniLM-L6-v2: train_minilm384_f16.npy, \
           test_minilm384_f16.npy, train_labels_u8.npy, test_labels_u8.npy",
    model: "minilm384",
    width: 384,
    classes: 2,
};

/// Photographs.
pub const CIFAR: Files = Files {
    what: "CIFAR-10 (Krizhevsky 2009) by EfficientNet-Lite0, pooled after its last convolution: train_effnetlite0_f16.npy, \
           test_effnetlite0_f16.npy, train_labels_u8.npy, test_labels_u8.npy",
    model: "effnetlite0",
    width: 1280,
    classes: 10,
};

impl Files {
    /// Embeddings whose file's name begins with `part`, `[rows, width]`. Ends the program if they cannot be read.
    pub fn embeddings(&self, folder: &Path, part: &str) -> DMatrix<f64> {
        let file = folder.join(format!("{part}_{}_f16.npy", self.model));
        let found = or_fail(Array::read_npy(&file).and_then(|array| array.matrix()));
        if found.ncols() != self.width {
            fail(&format!(
                "{} has {} columns, not {}",
                file.display(),
                found.ncols(),
                self.width
            ));
        }
        found
    }

    /// The first `rows` embeddings of the part `train` or `test` with their labels, or all. Ends the program if they cannot be read.
    pub fn labelled(
        &self,
        folder: &Path,
        part: &str,
        rows: Option<usize>,
    ) -> (DMatrix<f64>, Vec<usize>) {
        let x = self.embeddings(folder, part);
        let labels = folder.join(format!("{part}_labels_u8.npy"));
        let mut labels = or_fail(Array::read_npy(labels).and_then(|array| array.indices()));
        let available = labels.len();
        if available != x.nrows() {
            fail(&format!(
                "the part `{part}` has {} embeddings, but {available} labels",
                x.nrows()
            ));
        }
        let rows = rows.unwrap_or(available);
        if rows > available {
            fail(&format!(
                "{rows} rows are asked for, but the part `{part}` has {available}"
            ));
        }
        labels.truncate(rows);
        (x.rows(0, rows).into_owned(), labels)
    }
}
