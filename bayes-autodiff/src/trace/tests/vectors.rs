//! Operations on whole vectors: products with data, log odds, networks.

use super::super::{Recorded, Trace, Untraceable};
use super::{Numbers, check};
use crate::function::Deviance;
use crate::gradient::Program;
use crate::simd::InstructionSet;
use crate::{Mode, PlainValue, Real};
use nalgebra::DMatrix;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A regression on the columns of a matrix; the first coordinate is the intercept.
struct Regression {
    x: DMatrix<f64>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Log odds of outcomes.
    Logits,
    /// Means of counts, which differ with the seed.
    Counts(u32),
    /// A function of each row, and a term with it.
    Functions,
    /// Every element of the product is needed twice, also without the intercept.
    Twice,
    /// The rows are terms themselves.
    Rows,
}

impl Program for Regression {
    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        show(self.x.as_slice());
    }

    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [Real::<M>::constant(0.0); 2];
        for z in z {
            sums[0] += -0.5 * z.square();
        }
        let theta: Vec<Real<M>> = z.iter().map(|z| 0.7 * z).collect();
        let product = M::matrix_vector(&self.x, &theta[1..]);
        let eta: Vec<Real<M>> = product.iter().map(|x| theta[0] + *x).collect();
        let outcome = |i: usize| f64::from(u8::from(i.is_multiple_of(3)));
        let [_, sum] = &mut sums;
        match self.kind {
            Kind::Logits => {
                M::add_logit_terms(sum, eta.len(), outcome, |i| eta[i]);
            }
            Kind::Counts(seed) => {
                let means: Vec<Real<M>> = eta.iter().map(|eta| eta.exp()).collect();
                let datum = |i: usize| ((i as u32 * seed) % 5).into();
                let base = |i: usize| 0.1 * f64::from(seed) * i as f64;
                M::add_function_terms::<Deviance>(sum, eta.len(), -0.7, datum, |i| means[i], base);
            }
            Kind::Functions => {
                for (i, eta) in eta.iter().enumerate() {
                    let term = outcome(i) * eta - eta.exp() + (1.0 + eta.square()).ln();
                    *sum += term;
                }
            }
            Kind::Rows => {
                for eta in eta {
                    *sum += eta;
                }
            }
            Kind::Twice => {
                for (eta, x) in eta.iter().zip(&product) {
                    let term = eta.tanh() * x.sin();
                    *sum += term;
                }
            }
        }
        sums
    }
}

/// Checks that the recording of the first program serves the second; at positions of 21 particles.
fn follows<P: Program>([first, other]: &[P; 2], positions: &[f64]) {
    let dim = positions.len() / 21;
    let recorded = Recorded::new(first, &super::data(first), &[&positions[..dim]]);
    let recorded = recorded.expect("it can be traced");
    let data = super::data(other);
    let again = recorded.on(other, &data, &positions[..dim]);
    let again = again.expect("the operations are the same").trace(&data);
    let level = InstructionSet::detect();
    let weights = [1.0; 2];
    let found = super::replayed(level, &again, weights, positions);
    let anew = check(other, dim, positions, weights);
    assert_eq!(found, super::replayed(level, &anew, weights, positions));
}

/// Meant to detect: data of the earlier recording, in a copy or by reference; numbers of it confused with the next.
#[test]
fn what_was_recorded_serves_other_data_but_no_other_numbers() {
    let positions = Numbers(3).positions(6 * 21);
    let programs = [5, 6].map(|seed| NormalVariables {
        x: DMatrix::from_fn(40, 5, |i, k| {
            (i as f64 * 0.7 + f64::from(seed) * k as f64).sin()
        }),
        y: (0..40)
            .map(|i| (f64::from(i) * f64::from(seed)).cos())
            .collect(),
        kind: Deviations::Rows,
        is_random: true,
    });
    follows(&programs, &positions);

    let programs = [2, 3].map(|seed| regression(40, 3, Kind::Counts(seed)));
    follows(&programs, &positions[..4 * 21]);

    let scalars = |seed: f64| NormalVariables {
        x: DMatrix::zeros(40, 5),
        y: (0..40).map(|i| (f64::from(i) * seed).cos()).collect(),
        kind: Deviations::Scalars,
        is_random: true,
    };
    let (first, other) = (scalars(1.0), scalars(2.0));
    let recorded = Recorded::new(&first, &super::data(&first), &[&positions[..6]]);
    let recorded = recorded.expect("it can be traced");
    let again = recorded.on(&other, &super::data(&other), &positions[..6]);
    let differs = Untraceable::Differs { statement: None };
    assert_eq!(again.expect_err("its numbers are others"), differs);

    let recorded = Recorded::new(&Data(1.5, false), &[], &[&[0.5]]).expect("it can be traced");
    let again = recorded.on(&Data(2.5, false), &[], &[0.5]);
    assert_eq!(
        again.expect_err("its likelihood is another number"),
        differs
    );
    let recorded = Recorded::new(&Data(1.5, false), &[], &[&[0.5]]).expect("it can be traced");
    let again = recorded.on(&Data(1.5, true), &[], &[0.5]);
    assert_eq!(
        again.expect_err("it looks"),
        Untraceable::Steered { statement: None }
    );
}

/// A likelihood that does not depend on the position, but may look at it.
struct Data(f64, bool);

impl Program for Data {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        if self.1 {
            assert!(x[0].plain_value().is_finite());
        }
        [x[0] * -0.5, Real::constant(self.0)]
    }
}

/// Normal variables: a prior on coordinates, and data or coordinates with means given by `kind`.
struct NormalVariables {
    x: DMatrix<f64>,
    y: Vec<f64>,
    kind: Deviations,
    /// Whether the standard deviation is the exponential of the last coordinate; otherwise a number.
    is_random: bool,
}

#[derive(Clone, Copy)]
enum Deviations {
    /// Data about one quantity.
    Mean,
    /// Coordinates about one quantity.
    Coordinates,
    /// Data about the rows of a product with an intercept.
    Rows,
    /// Data about multiples of functions.
    Functions,
    /// Data about scalars without places.
    Scalars,
}

impl Program for NormalVariables {
    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        show(self.x.as_slice());
        show(&self.y);
    }

    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [Real::<M>::constant(0.0); 2];
        let number = |x: f64| Real::<M>::constant(x);
        let [prior, sum] = &mut sums;
        M::add_normal_terms(
            prior,
            z.len(),
            |i| z[i],
            |_| number(0.25),
            |i| number(1.5 + 0.2 * i as f64),
        );
        let sd = if self.is_random {
            z[z.len() - 1].exp()
        } else {
            number(0.7)
        };
        let slopes = &z[..self.x.ncols()];
        let product = M::matrix_vector(&self.x, slopes);
        let y = |i: usize| number(self.y[i]);
        let mut add =
            |len: usize, x: &dyn Fn(usize) -> Real<M>, mean: &dyn Fn(usize) -> Real<M>| {
                M::add_normal_terms(sum, len, x, mean, |_| sd);
            };
        let len = self.y.len();
        match self.kind {
            Deviations::Mean => add(len, &y, &|_| z[0]),
            Deviations::Coordinates => add(slopes.len(), &|i| slopes[i], &|_| z[0].sin()),
            Deviations::Rows => add(len, &y, &|i| z[0] + product[i]),
            Deviations::Functions => add(len, &|i| product[i].sin() * 0.3, &y),
            Deviations::Scalars => add(len, &y, &|i| z[0] * self.y[i] + z[1]),
        }
        // totals that are not terms themselves
        let mut total = number(0.0);
        M::add_normal_terms(&mut total, len, |i| product[i], y, |_| number(2.0));
        M::add_logit_terms(&mut total, len, |i| (i % 2) as f64, |i| product[i]);
        sums[0] += (total * 0.01).tanh();
        sums
    }
}

/// Meant to detect: a wrong sign of the mean's or the data's adjoint, a scale or a multiple left out, the last rows of a tile lost.
#[test]
fn normal_variables_have_the_gradients_of_forward_mode() {
    for (rows, columns) in [(1, 3), (4, 4), (33, 5), (70, 6)] {
        let mut numbers = Numbers(11);
        let positions = numbers.positions((columns + 1) * 21);
        let x = DMatrix::from_fn(rows, columns, |_, _| numbers.symmetric());
        let y: Vec<f64> = (0..rows).map(|_| numbers.symmetric()).collect();
        for kind in [
            Deviations::Mean,
            Deviations::Coordinates,
            Deviations::Rows,
            Deviations::Functions,
            Deviations::Scalars,
        ] {
            for is_random in [false, true] {
                let (x, y) = (x.clone(), y.clone());
                let program = NormalVariables {
                    x,
                    y,
                    kind,
                    is_random,
                };
                for weights in [[0.5, 1.0], [1.0, 0.0]] {
                    check(&program, columns + 1, &positions, weights);
                }
            }
        }
    }
}

/// The prior has a finite gradient where the likelihood has none, because its standard deviation is 0.
#[test]
fn normal_variables_of_weight_zero_are_left_out() {
    let program = NormalVariables {
        x: DMatrix::from_element(5, 3, 0.5),
        y: vec![1.0; 5],
        kind: Deviations::Rows,
        is_random: true,
    };
    let position = [0.3, -0.2, 0.1, -1e4];
    for weights in [[1.0, 0.0], [1.0, 1.0]] {
        let trace = Trace::record(&program, &super::data(&program), &[&position]);
        let trace = trace.expect("it can be traced");
        let found = super::replayed(InstructionSet::detect(), &trace, weights, &position);
        let is_finite = found.gradient.iter().all(|x| x.is_finite());
        assert_eq!(is_finite, weights[1] == 0.0, "{:?}", found.gradient);
    }
}

fn regression(rows: usize, columns: usize, kind: Kind) -> Regression {
    let mut numbers = Numbers(7);
    let x = DMatrix::from_fn(rows, columns, |_, _| numbers.symmetric());
    Regression { x, kind }
}

/// Meant to detect: a row or column of the last, incomplete tile left out, adjoints of the intercept lost, a product computed again in a
/// segment other than the one that needs it.
#[test]
fn products_with_data_have_the_gradients_of_forward_mode() {
    for (rows, columns) in [(1, 1), (15, 3), (16, 8), (47, 7), (100, 13)] {
        let positions = Numbers(3).positions((columns + 1) * 21);
        let kinds = [Kind::Logits, Kind::Functions, Kind::Twice, Kind::Rows];
        for kind in kinds.into_iter().chain([Kind::Counts(2)]) {
            let program = regression(rows, columns, kind);
            check(&program, columns + 1, &positions, [0.5, 1.0]);
        }
    }
}

#[test]
fn an_intercept_is_part_of_the_product_and_nothing_passes_between_tiles() {
    let positions = Numbers(3).positions(4 * 9);
    let program = regression(1000, 3, Kind::Logits);
    let trace = check(&program, 4, &positions, [1.0, 1.0]);
    assert_eq!(trace.carried(), 4, "the scaled parameters alone");
    assert_eq!(trace.kinds().sums, 4, "the scaled parameters alone");
    let program = regression(1000, 3, Kind::Twice);
    let trace = check(&program, 4, &positions, [1.0, 1.0]);
    assert_eq!(
        trace.kinds().sums,
        1003,
        "each row plus the intercept, and the three scaled slopes"
    );
}

#[test]
fn data_of_the_program_are_not_copied() {
    let positions = Numbers(3).positions(31);
    let program = regression(1000, 30, Kind::Logits);
    let bytes = check(&program, 31, &positions, [1.0, 1.0]).bytes();
    let matrix = size_of_val(program.x.as_slice());
    assert!(bytes < matrix / 3, "{bytes} bytes, the matrix {matrix}");
}

#[test]
fn equal_functions_side_by_side_are_one_call_each_of_many() {
    let positions = Numbers(3).positions(4 * 9);
    let program = regression(64, 3, Kind::Functions);
    let trace = check(&program, 4, &positions, [1.0, 1.0]);
    assert_eq!(trace.kinds().functions, 2 * 64);
    let calls = trace.code.instructions.iter().map(|x| x.count()).max();
    assert!(calls >= Some(16), "the rows of a tile together: {calls:?}");
}

/// A product with another matrix at every evaluation.
struct Restless(AtomicUsize);

impl Program for Restless {
    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let turn = self.0.fetch_add(1, Ordering::Relaxed);
        let matrix = DMatrix::from_element(3, 1, turn as f64);
        let product = M::matrix_vector(&matrix, z);
        [product[0], M::sum(&product)]
    }
}

/// A product with a matrix that is made again each time, but is always the same.
struct Made;

impl Program for Made {
    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let matrix = DMatrix::from_element(3, 1, f64::NAN);
        let product = M::matrix_vector(&matrix, z);
        [M::matrix_vector(&matrix, &product[..1])[1], z[0]]
    }
}

#[test]
fn data_that_change_are_seen() {
    let at: [&[f64]; 3] = [&[1.0], &[2.0], &[3.0]];
    let changing = Trace::record(&Restless(0.into()), &[], &at);
    assert_eq!(
        changing.expect_err("it changes"),
        Untraceable::Differs { statement: None }
    );
    Trace::record(&Made, &[], &at).expect("it does not change");
}
