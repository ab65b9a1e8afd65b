//! The handwritten digits of MNIST, from a folder of idx files or the first thousand of each part, which are shipped, and a network for them.

use crate::common::{fail, or_fail};
use bayes::data::Array;
use bayes::nn::{Conv2d, Dense, MaxPool, Precision, Relu, Sequential, WeightPrior};
use nalgebra::DMatrix;
use std::path::Path;

/// Number of pixels of an image of 28 x 28.
pub const PIXELS: usize = 784;

/// The mean and standard deviation of a pixel of MNIST, often used to standardise its images.
const PIXEL: [f64; 2] = [0.1307, 0.3081];

/// Standardises images, `[rows, PIXELS]` with pixels from 0 to 1, by the usual mean and standard deviation of MNIST.
pub fn standardise(images: &mut DMatrix<f64>) {
    images.apply(|x| *x = (*x - PIXEL[0]) / PIXEL[1]);
}

/// A convolution of four channels with 3 x 3 kernels, ReLU, max pooling of 2 x 2 and a linear layer: 40 weights and biases, and 785 for each class.
///
/// # Panics
/// If there are no classes.
pub fn network(classes: usize, prior: WeightPrior) -> Sequential {
    let layers = Sequential::image(1, 28, 28)
        .layer(Conv2d::new(1, 4, 3).padding(1))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Dense::new(PIXELS, classes));
    let net = layers.prior(prior).precision(Precision::Single).build();
    net.expect("these layers fit")
}

/// A part of MNIST.
pub struct Digits {
    /// The digits, 0 to 9.
    pub labels: Vec<usize>,
    /// `[digits, PIXELS]`, 0 to 255.
    pixels: Vec<f64>,
}

impl Digits {
    /// The part `train` or `t10k`: from the idx files in `folder`, or the shipped digits. Ends the program if they cannot be read.
    pub fn read(folder: Option<&str>, part: &str) -> Self {
        let images = read_idx(folder, &format!("{part}-images-idx3-ubyte"));
        let labels = read_idx(folder, &format!("{part}-labels-idx1-ubyte"));
        if images.shape[1..] != [28, 28] || images.shape[0] != labels.values.len() {
            fail(&format!(
                "images of the shape {:?} with {} labels are not the part `{part}` of MNIST",
                images.shape,
                labels.values.len()
            ));
        }
        Self {
            labels: or_fail(labels.indices()),
            pixels: images.values,
        }
    }

    /// The first `rows` images, `[rows, PIXELS]` with pixels from 0 to 1, and their labels. Ends the program if there are fewer.
    pub fn first(folder: Option<&str>, part: &str, rows: usize) -> (DMatrix<f64>, Vec<usize>) {
        let digits = Self::read(folder, part);
        let available = digits.labels.len();
        if rows > available {
            fail(&format!(
                "`--rows` is {rows}, but there are {available} {part} digits; `--data DIR` reads the full set"
            ));
        }
        let places: Vec<usize> = (0..rows).collect();
        (digits.images(&places), digits.labels[..rows].to_vec())
    }

    /// The images at these indices, `[places, PIXELS]` with pixels from 0 to 1.
    pub fn images(&self, places: &[usize]) -> DMatrix<f64> {
        let pixel = |i: usize, k: usize| self.pixels[places[i] * PIXELS + k] / 255.0;
        DMatrix::from_fn(places.len(), PIXELS, pixel)
    }
}

/// An idx file, compressed or not: from `folder`, or the shipped part of it.
fn read_idx(folder: Option<&str>, name: &str) -> Array {
    let Some(folder) = folder.map(Path::new) else {
        return or_fail(Array::from_idx(shipped(name)));
    };
    let plain = folder.join(name);
    let path = match plain.exists() {
        true => plain,
        false => folder.join(format!("{name}.gz")),
    };
    Array::read_idx(path).unwrap_or_else(|error| {
        fail(&format!(
            "{error}; `--data` expects a folder with the four idx files of MNIST (LeCun, Cortes, Burges 1998), compressed or not"
        ))
    })
}

/// The first 1000 items of a file of MNIST.
fn shipped(name: &str) -> &'static [u8] {
    match name {
        "train-images-idx3-ubyte" => {
            include_bytes!("../../examples/data/mnist/train-images-idx3-ubyte.gz")
        }
        "train-labels-idx1-ubyte" => {
            include_bytes!("../../examples/data/mnist/train-labels-idx1-ubyte.gz")
        }
        "t10k-images-idx3-ubyte" => {
            include_bytes!("../../examples/data/mnist/t10k-images-idx3-ubyte.gz")
        }
        _ => include_bytes!("../../examples/data/mnist/t10k-labels-idx1-ubyte.gz"),
    }
}
