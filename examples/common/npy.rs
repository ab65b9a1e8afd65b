//! NumPy files (format 1.0, C order) of half-precision numbers and of bytes.

use crate::common::fail;
use nalgebra::DMatrix;
use std::path::Path;

/// The numbers of a file of half-precision numbers, `[rows, columns]`. Ends the program if it cannot be read.
pub fn halves(path: &Path, columns: usize) -> DMatrix<f64> {
    let bytes = read(path, "<f2");
    let rows = bytes.len() / (2 * columns);
    DMatrix::from_fn(rows, columns, |i, k| {
        let at = 2 * (i * columns + k);
        half(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
    })
}

/// The bytes of a file of them. Ends the program if it cannot be read.
pub fn bytes(path: &Path) -> Vec<u8> {
    read(path, "|u1")
}

/// The numbers of a NumPy file (format 1.0, C order) of the given type, as bytes.
fn read(path: &Path, kind: &str) -> Vec<u8> {
    let bytes = std::fs::read(path)
        .unwrap_or_else(|error| fail(&format!("{}: {error}; see `--data`", path.display())));
    let wrong = || -> ! {
        fail(&format!(
            "{} is not a NumPy file of `{kind}`",
            path.display()
        ))
    };
    if bytes.len() < 10 || !bytes.starts_with(b"\x93NUMPY\x01\x00") {
        wrong();
    }
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    match bytes.get(10..start).map(String::from_utf8_lossy) {
        Some(header) if header.contains(kind) && header.contains("'fortran_order': False") => {
            bytes[start..].to_vec()
        }
        _ => wrong(),
    }
}

/// An IEEE half-precision number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    sign * size
}
