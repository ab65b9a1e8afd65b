//! The handwritten digits of MNIST, from a folder of idx files or the first thousand of each part, which are shipped.

use crate::common::fail;
use flate2::read::GzDecoder;
use nalgebra::DMatrix;
use std::io::Read;
use std::path::Path;

/// Numbers of an image of 28 x 28 pixels.
pub const PIXELS: usize = 784;

/// A part of MNIST.
pub struct Digits {
    /// The digits, 0 to 9.
    pub labels: Vec<usize>,
    /// `[digits, PIXELS]`.
    pixels: Vec<u8>,
}

impl Digits {
    /// The part `train` or `t10k`: from the idx files in `folder`, or what is shipped. Ends the program if they cannot be read.
    pub fn read(folder: Option<&str>, part: &str) -> Self {
        let pixels = read_idx(folder, &format!("{part}-images-idx3-ubyte"));
        let labels = read_idx(folder, &format!("{part}-labels-idx1-ubyte"));
        let available = labels.len().min(pixels.len() / PIXELS);
        let labels = labels[..available].iter().map(|label| usize::from(*label));
        Self {
            labels: labels.collect(),
            pixels,
        }
    }

    /// The images at these places, `[places, PIXELS]` with pixels from 0 to 1.
    pub fn images(&self, places: &[usize]) -> DMatrix<f64> {
        let pixel = |i: usize, k: usize| f64::from(self.pixels[places[i] * PIXELS + k]) / 255.0;
        DMatrix::from_fn(places.len(), PIXELS, pixel)
    }
}

/// The items of an idx file of bytes, compressed or not: from `folder`, or the part of it that is shipped.
fn read_idx(folder: Option<&str>, name: &str) -> Vec<u8> {
    let bytes = match folder {
        Some(folder) => read_file(Path::new(folder), name),
        None => unpack(shipped(name)),
    };
    // magic number: two zeros, 8 for bytes, the number of dimensions; then each dimension in four bytes
    let header = 4 + 4 * usize::from(bytes.get(3).copied().unwrap_or(0));
    if !bytes.starts_with(&[0, 0, 8]) || bytes.len() < header {
        fail(&format!("`{name}` is not an idx file of bytes"));
    }
    bytes[header..].to_vec()
}

fn read_file(folder: &Path, name: &str) -> Vec<u8> {
    if let Ok(bytes) = std::fs::read(folder.join(name)) {
        return bytes;
    }
    let path = folder.join(format!("{name}.gz"));
    let packed = std::fs::read(&path).unwrap_or_else(|error| {
        fail(&format!(
            "{}: {error}; `--data` expects a folder with the four idx files of MNIST (LeCun, Cortes, Burges 1998), \
             compressed or not",
            path.display()
        ))
    });
    unpack(&packed)
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let outcome = GzDecoder::new(packed).read_to_end(&mut bytes);
    outcome.unwrap_or_else(|error| fail(&format!("the compressed digits: {error}")));
    bytes
}

/// The first 1000 items of a file of MNIST.
fn shipped(name: &str) -> &'static [u8] {
    match name {
        "train-images-idx3-ubyte" => include_bytes!("../data/mnist/train-images-idx3-ubyte.gz"),
        "train-labels-idx1-ubyte" => include_bytes!("../data/mnist/train-labels-idx1-ubyte.gz"),
        "t10k-images-idx3-ubyte" => include_bytes!("../data/mnist/t10k-images-idx3-ubyte.gz"),
        _ => include_bytes!("../data/mnist/t10k-labels-idx1-ubyte.gz"),
    }
}
