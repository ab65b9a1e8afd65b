//! Smooth surfaces of two columns: `t2(x, z)`.
//!
//! The bases of both columns consist of a constant, a straight line and curves with equal penalties. Their products fall into four parts (Wood, Scheipl
//! & Faraway 2013): constants and lines, which have coefficients; curves of `x` that differ along the line of `z`; curves of `z` that differ
//! along the line of `x`; and products of curves. Each of the last three has a standard deviation of its own.

use super::{By, Smoothed, basis};
use crate::columns::{Evaluator, Learnt, deviation};
use crate::design::{Curve, place};
use crate::syntax::Node;
use crate::terms::Smooth;
use bayes::Error;
use nalgebra::DMatrix;

/// The parts of a column's basis.
struct Margin {
    /// The column less its mean.
    line: Vec<f64>,
    /// The line over its standard deviation, after a constant of 1.
    straight: [Vec<f64>; 2],
    curves: Vec<Vec<f64>>,
}

/// A smooth surface on a table.
pub(super) fn smoothed(
    smooth: &Smooth,
    z: &Node,
    evaluator: &mut Evaluator<'_>,
) -> Result<Smoothed, Error> {
    if smooth.x.to_string() == z.to_string() {
        let message = format!("`{z}` is there twice; for a curve of one column write `s({z})`");
        return Err(evaluator.wrong(&smooth.node, message));
    }
    let [x, z] = [
        margin(smooth, &smooth.x, evaluator)?,
        margin(smooth, z, evaluator)?,
    ];
    let name = smooth.node.to_string();
    let mut all = Smoothed::default();
    let lines = [x.line.clone(), z.line.clone(), product(&x.line, &z.line)];
    for (k, line) in lines.into_iter().enumerate() {
        all.columns.push((format!("{name}:{}", k + 1), line));
    }
    let parts = [
        products(&x.curves, &z.straight),
        products(&x.straight, &z.curves),
        products(&x.curves, &z.curves),
    ];
    for (k, mut columns) in parts.into_iter().enumerate() {
        let name = format!("{name}:{}", k + 1);
        let scale = scale(&name, smooth, &columns, evaluator)?;
        columns
            .iter_mut()
            .flatten()
            .for_each(|value| *value /= scale);
        all.curves.push(Curve {
            name: place(&name),
            short: place(&name),
            z: DMatrix::from_fn(x.line.len(), columns.len(), |i, j| columns[j][i]),
        });
    }
    Ok(all)
}

/// The basis of a column, from the first table.
fn margin(smooth: &Smooth, column: &Node, evaluator: &mut Evaluator<'_>) -> Result<Margin, Error> {
    let values = evaluator.numbers(column)?;
    let whole = By {
        name: format!(" {column}"),
        factor: Vec::new(),
        rows: (0..values.len()).collect(),
        has_level: false,
    };
    let basis = basis((smooth, column), &values, &whole, evaluator)?;
    let key = format!("{} {column} line", smooth.node);
    if evaluator.learns {
        let learnt = Learnt::Scale([basis.centre(), deviation(&values)]);
        evaluator.memory.insert(key.clone(), learnt);
    }
    let Some(Learnt::Scale([_, spread])) = evaluator.memory.get(&key).cloned() else {
        return Err(evaluator.wrong(&smooth.node, "its scale is not known"));
    };
    let line: Vec<f64> = values.iter().map(|x| x - basis.centre()).collect();
    let scaled = line.iter().map(|x| x / spread).collect();
    Ok(Margin {
        straight: [vec![1.0; line.len()], scaled],
        curves: basis.columns(&values),
        line,
    })
}

/// The divisor of the functions of a part: with it the standard deviation of their coefficients is that of the part, on average over the rows of
/// the first table.
fn scale(
    name: &str,
    smooth: &Smooth,
    columns: &[Vec<f64>],
    evaluator: &mut Evaluator<'_>,
) -> Result<f64, Error> {
    let key = format!("{name} scale");
    if evaluator.learns {
        let squares: f64 = columns.iter().flatten().map(|x| x * x).sum();
        let rows = evaluator.table.rows() as f64;
        let learnt = Learnt::Scale([0.0, (squares / rows).sqrt()]);
        evaluator.memory.insert(key.clone(), learnt);
    }
    match evaluator.memory.get(&key) {
        Some(Learnt::Scale([_, scale])) if *scale > 0.0 => Ok(*scale),
        _ => Err(evaluator.wrong(&smooth.node, "its columns have no surface")),
    }
}

/// All products of a column from each list.
fn products(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let of = |a: &Vec<f64>| -> Vec<Vec<f64>> { right.iter().map(|b| product(a, b)).collect() };
    left.iter().flat_map(of).collect()
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}
