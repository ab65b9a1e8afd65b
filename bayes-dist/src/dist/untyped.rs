//! Checks and draws of scalar families without their types: compiled once, not for every family and every kind of parameters.

use super::parameter::{check_shapes, common_shape};
use super::{CovarianceRoot, DataError, Drawn, Gaussian, ParameterError, ParameterInfo, Shape};
use crate::transform::Support;
use bayes_autodiff::Value;

/// The broken rule of an element's parameters together: the index of the wrong parameter, and what it must be.
type Rule<'a> = &'a dyn Fn(usize) -> Result<(), (usize, &'static str)>;

/// Checks the shapes and the values of parameters. `values` writes the parameters of an element.
pub(super) fn check_parameters(
    distribution: &'static str,
    infos: &[ParameterInfo],
    shapes: &[Shape],
    values: &dyn Fn(usize, &mut [f64]),
    rule: Rule<'_>,
) -> Result<(), ParameterError> {
    let names: Vec<&'static str> = infos.iter().map(|info| info.name).collect();
    check_shapes(distribution, &names, shapes)?;
    let mut all = vec![0.0; infos.len()];
    for i in 0..common_shape(shapes).elements() {
        values(i, &mut all);
        let wrong = |k: usize, allowed| ParameterError::Value {
            distribution,
            parameter: infos[k].name,
            index: (shapes[k] != Shape::Scalar).then_some(i),
            value: all[k],
            allowed,
        };
        for (k, info) in infos.iter().enumerate() {
            if !info.allowed.holds(all[k]) {
                return Err(wrong(k, info.allowed.words()));
            }
        }
        rule(i).map_err(|(k, allowed)| wrong(k, allowed))?;
    }
    Ok(())
}

/// Checks data of the shape `given`, element by element, under a distribution of the shape `shape` with these supports.
pub(super) fn check_data(
    distribution: &'static str,
    [shape, given]: [Shape; 2],
    datum: &dyn Fn(usize) -> f64,
    support: &dyn Fn(usize) -> Support<Value>,
) -> Result<(), DataError> {
    let length = given.elements();
    let wrong_length = |allowed| DataError::Length {
        distribution,
        length,
        allowed,
    };
    if shape != Shape::Scalar && length != shape.elements() {
        return Err(wrong_length(format!(
            "{}, the length of the parameters",
            shape.elements()
        )));
    }
    if length == 0 {
        return Err(wrong_length("at least 1".to_owned()));
    }
    for i in 0..length {
        let x = datum(i);
        let support = support(if shape == Shape::Scalar { 0 } else { i });
        if !support.contains(x) {
            return Err(DataError::Value {
                distribution,
                index: (given != Shape::Scalar).then_some(i),
                value: x,
                allowed: support.words(),
            });
        }
    }
    Ok(())
}

/// The draws of some elements or values, one after another.
pub(super) fn draw_each(count: usize, draw: &mut dyn FnMut(usize) -> Drawn) -> Drawn {
    let mut all = Drawn::default();
    for i in 0..count {
        all.extend(draw(i));
    }
    all
}

/// A number for each element.
pub(super) fn number_each(count: usize, number: &mut dyn FnMut(usize) -> f64) -> Vec<f64> {
    (0..count).map(number).collect()
}

/// The numbers of some values, one after another.
pub(super) fn append_each(count: usize, numbers: &mut dyn FnMut(usize) -> Vec<f64>) -> Vec<f64> {
    let mut all = Vec::new();
    for i in 0..count {
        all.extend(numbers(i));
    }
    all
}

/// The unconstrained coordinates of elements with these supports.
pub(super) fn unconstrain(elements: &[f64], support: &dyn Fn(usize) -> Support<Value>) -> Vec<f64> {
    let elements = elements.iter().enumerate();
    elements.map(|(i, x)| support(i).unconstrain(*x)).collect()
}

/// Independent Gaussian coordinates; `None` if one of them is not Gaussian.
pub(super) fn gaussian(
    dim: usize,
    element: &dyn Fn(usize) -> Option<(f64, f64)>,
) -> Option<Gaussian> {
    let (mut mean, mut sd) = (Vec::new(), Vec::new());
    for i in 0..dim {
        let (centre, width) = element(i)?;
        mean.push(centre);
        sd.push(width);
    }
    Some(Gaussian {
        mean,
        factor: CovarianceRoot::Diagonal(sd),
    })
}
