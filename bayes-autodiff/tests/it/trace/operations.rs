//! Every bulk operation against forward duals, with all, some and none of its operands random.

use super::run::{assert_agrees, numbers};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::{Matrix, MatrixFunction, Mode, Real, Vector};
use nalgebra::DMatrix;

/// Some quantities made from others.
trait Operation {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M>;
    fn data<'a>(&'a self, _show: &mut dyn FnMut(&'a [f64])) {}
}

/// An operation in a log density in which every output has a slope of its own.
struct Inside<O> {
    operation: O,
    /// Every how many of the operands are constants, from the first on; none if 0.
    constants: usize,
}

impl<O: Operation> Program for Inside<O> {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut operands: Vec<Real<M>> = x.iter().map(|x| x.sin() + x).collect();
        for (k, operand) in operands.iter_mut().enumerate() {
            if self.constants > 0 && k % self.constants == 0 {
                *operand = Real::constant(0.3 + 0.1 * k as f64);
            }
        }
        let mut sums = [x[0] * 0.1, Real::constant(0.0)];
        for (k, y) in self.operation.apply(&operands).iter().enumerate() {
            sums[0] += y.tanh() * (1.0 + k as f64);
            sums[1] += *y * x[k % x.len()] / (2.0 + k as f64);
        }
        sums
    }
    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.operation.data(show);
    }
}

/// At eleven random points: a full group of lanes, and one in part.
fn check<O: Operation + Clone>(operation: &O, dim: usize) {
    let positions = numbers(11 * dim);
    for constants in [0, 3, 1] {
        let operation = operation.clone();
        assert_agrees(
            &Inside {
                operation,
                constants,
            },
            &positions,
            dim,
        );
    }
}

#[derive(Clone)]
struct DotData(Vec<f64>);

impl Operation for DotData {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        vec![M::dot(&self.0, x)].into()
    }
}

#[derive(Clone)]
struct DotRandom;

impl Operation for DotRandom {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let (left, right) = x.split_at(x.len() / 2);
        let data = vec![Real::constant(0.7); x.len()];
        // the square has every parent twice; the products with constants have one side without parents
        let products = [(left, right), (x, x), (&data, x), (x, &data)];
        let products = products.map(|(a, b)| M::dot_random(a, b));
        products.into_iter().collect()
    }
}

#[derive(Clone)]
struct Sum;

impl Operation for Sum {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        vec![M::sum(x), M::sum(&x[..1]), M::sum(&[])].into()
    }
}

#[derive(Clone)]
struct LogSumExp;

impl Operation for LogSumExp {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let large: Vec<Real<M>> = x.iter().map(|x| 300.0 * x).collect();
        vec![
            M::log_sum_exp(x),
            M::log_sum_exp(&x[..1]),
            M::log_sum_exp(&large),
        ]
        .into()
    }
}

#[derive(Clone)]
struct Softmax;

impl Operation for Softmax {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        M::softmax(x)
    }
}

/// Of `B Bᵀ + dim I`, where `B` is what is given.
#[derive(Clone)]
struct Cholesky(usize);

impl Operation for Cholesky {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let dim = self.0;
        let mut entries = Vector::zeros(dim * dim);
        for i in 0..dim {
            for k in 0..dim {
                entries[i * dim + k] = Real::constant(if i == k { dim as f64 } else { 0.0 });
                for j in 0..dim {
                    entries[i * dim + k] += x[i * dim + j] * x[k * dim + j];
                }
            }
        }
        M::cholesky(dim, &mut entries);
        let lower = (0..dim * dim).filter(|i| i % dim <= i / dim);
        lower.map(|i| entries[i]).collect()
    }
}

/// With a factor whose diagonal is away from zero, and the last `dim` of what is given on the right.
#[derive(Clone)]
struct SolveLower(usize);

impl Operation for SolveLower {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let (factor, right) = x.split_at(self.0 * self.0);
        let (mut factor, mut right) = (factor.to_vec(), right.to_vec());
        for i in 0..self.0 {
            factor[i * self.0 + i] = factor[i * self.0 + i].square() + 1.5;
        }
        M::solve_lower(&factor, &mut right);
        right.into()
    }
}

/// Of what is given, with a diagonal that keeps inverses finite and eigenvalues apart.
#[derive(Clone)]
struct Square(MatrixFunction, usize);

impl Operation for Square {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let dim = self.1;
        let mut matrix = Matrix::<M>::from_elements(dim, dim, x);
        for i in 0..dim {
            matrix[(i, i)] += 3.0 * i as f64 - 4.0;
        }
        M::matrix_function(self.0, dim, matrix.elements()).into()
    }
}

/// Systems with several right sides, random and data.
#[derive(Clone)]
struct Solve(usize);

impl Operation for Solve {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let dim = self.0;
        let matrix = Matrix::<M>::from_elements(dim, dim, x) + 5.0 * Matrix::identity(dim);
        let data = DMatrix::from_fn(dim, 2, |i, k| (i + k) as f64);
        let solved = [
            matrix.solve(&data),
            matrix.solve_upper(&matrix),
            matrix.solve_lower(&data),
        ];
        let quadratic = matrix.quadratic_form(&solved[0].column(1));
        let all = solved.iter().flat_map(|x| x.elements().to_vec());
        all.chain([quadratic, matrix.log_determinant()]).collect()
    }
}

#[derive(Clone)]
struct MatrixVector {
    matrix: DMatrix<f64>,
    /// Whether the program says that the matrix is its own.
    shown: bool,
}

impl Operation for MatrixVector {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        M::matrix_vector(&self.matrix, x)
    }
    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        if self.shown {
            show(self.matrix.as_slice());
        }
    }
}

/// A product with a matrix that is gone when the trace is replayed.
#[derive(Clone)]
struct Passing(DMatrix<f64>);

impl Operation for Passing {
    fn apply<M: Mode>(&self, x: &[Real<M>]) -> Vector<M> {
        let mut matrix = self.0.map(|x| 2.0 * x);
        let product = M::matrix_vector(&matrix, x);
        matrix.fill(f64::NAN);
        product
    }
}

#[test]
fn products_and_sums_agree_with_forward_mode() {
    for dim in [2, 9] {
        check(&DotData(numbers(dim)), dim);
        check(&DotRandom, 2 * dim);
        check(&Sum, dim);
    }
}

#[test]
fn shares_agree_with_forward_mode() {
    for dim in [1, 2, 9] {
        check(&LogSumExp, dim);
        check(&Softmax, dim);
    }
}

#[test]
fn factors_agree_with_forward_mode() {
    for dim in [1, 2, 5] {
        check(&Cholesky(dim), dim * dim);
        check(&SolveLower(dim), dim * dim + dim);
    }
}

#[test]
fn functions_of_matrices_agree_with_forward_mode() {
    let all = [
        MatrixFunction::Inverse,
        MatrixFunction::Exponential,
        MatrixFunction::Eigen,
    ];
    for function in all {
        for dim in [1, 2, 3, 5] {
            check(&Square(function, dim), dim * dim);
        }
    }
    for dim in [1, 4] {
        check(&Solve(dim), dim * dim);
    }
}

/// Columns are swept in blocks of eight, of four and one by one.
#[test]
fn products_with_a_matrix_agree_with_forward_mode() {
    for (rows, columns) in [(1, 1), (5, 4), (3, 8), (9, 15), (0, 3)] {
        let matrix = DMatrix::from_vec(rows, columns, numbers(rows * columns));
        for shown in [false, true] {
            let matrix = matrix.clone();
            check(&MatrixVector { matrix, shown }, columns);
        }
        check(&Passing(matrix), columns);
    }
}
