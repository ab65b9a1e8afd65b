//! Data of posteriordb, read by name.

use bayes::prelude::*;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::path::Path;

/// One data set: numbers and nested lists of them by name.
pub struct Data {
    name: String,
    fields: Value,
    /// Steps of a differential equation from one time to the next.
    pub steps: usize,
}

impl Data {
    /// Reads `NAME.json.gz` of a folder; `None` if there is no such file.
    ///
    /// # Errors
    /// A file that is no packed JSON.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Self>, String> {
        let path = folder.join(format!("{name}.json.gz"));
        let Ok(file) = File::open(&path) else {
            return Ok(None);
        };
        let fields = serde_json::from_reader(GzDecoder::new(file));
        let fields = fields.map_err(|error| format!("{}: {error}", path.display()))?;
        let name = name.to_owned();
        let steps = 4;
        Ok(Some(Self {
            name,
            fields,
            steps,
        }))
    }

    /// A number.
    pub fn number(&self, field: &str) -> f64 {
        self.vector(field)[0]
    }

    /// A whole number.
    pub fn size(&self, field: &str) -> usize {
        self.number(field) as usize
    }

    /// The numbers of a nested list, the last index fastest.
    pub fn vector(&self, field: &str) -> Vec<f64> {
        let value = &self.fields[field];
        assert!(!value.is_null(), "`{}` has no `{field}`", self.name);
        let mut numbers = Vec::new();
        flatten(value, &mut numbers);
        numbers
    }

    /// A list of counts.
    pub fn counts(&self, field: &str) -> Vec<u64> {
        self.vector(field).iter().map(|x| *x as u64).collect()
    }

    /// A list of zeros and ones.
    pub fn flags(&self, field: &str) -> Vec<bool> {
        self.vector(field).iter().map(|x| *x != 0.0).collect()
    }

    /// A list of indices: from 1 in the file, from 0 here.
    pub fn places(&self, field: &str) -> Vec<usize> {
        self.vector(field).iter().map(|x| *x as usize - 1).collect()
    }

    /// A list of rows.
    pub fn matrix(&self, field: &str) -> DMatrix<f64> {
        let rows = self.fields[field].as_array().map_or(0, Vec::len);
        let numbers = self.vector(field);
        DMatrix::from_row_slice(rows, numbers.len() / rows.max(1), &numbers)
    }

    /// A list of rows of counts.
    pub fn count_matrix(&self, field: &str) -> DMatrix<u64> {
        self.matrix(field).map(|x| x as u64)
    }

    /// The matrices of a list.
    pub fn matrices(&self, field: &str) -> Vec<DMatrix<f64>> {
        let matrices = self.fields[field].as_array().map_or(&[][..], Vec::as_slice);
        let one = |value: &Value| {
            let rows = value.as_array().map_or(0, Vec::len);
            let mut numbers = Vec::new();
            flatten(value, &mut numbers);
            DMatrix::from_row_slice(rows, numbers.len() / rows.max(1), &numbers)
        };
        matrices.iter().map(one).collect()
    }
}

fn flatten(value: &Value, numbers: &mut Vec<f64>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten(value, numbers)),
        other => numbers.push(other.as_f64().unwrap_or(f64::NAN)),
    }
}

/// The columns of a matrix.
pub fn columns<const K: usize>(columns: [&[f64]; K]) -> DMatrix<f64> {
    DMatrix::from_fn(columns[0].len(), K, |i, k| columns[k][i])
}

/// A column of ones, and more columns.
pub fn design<const K: usize>(columns: [&[f64]; K]) -> DMatrix<f64> {
    let rows = columns[0].len();
    DMatrix::from_fn(rows, K + 1, |i, k| match k {
        0 => 1.0,
        _ => columns[k - 1][i],
    })
}

/// The function of each element.
pub fn map(x: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    x.iter().map(|x| f(*x)).collect()
}

/// The function of each pair of elements.
pub fn zip(x: &[f64], y: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
}

/// The products of the elements.
pub fn product(x: &[f64], y: &[f64]) -> Vec<f64> {
    zip(x, y, |x, y| x * y)
}

/// The mean.
pub fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// The standard deviation of a sample.
pub fn sd(x: &[f64]) -> f64 {
    let centre = mean(x);
    let squares: f64 = x.iter().map(|x| (x - centre).powi(2)).sum();
    (squares / (x.len() - 1) as f64).sqrt()
}

/// The elements less their mean.
pub fn centred(x: &[f64]) -> Vec<f64> {
    let centre = mean(x);
    map(x, |x| x - centre)
}
