//! Gaussian fields with sparse precisions against dense normal distributions.

use crate::battery::stream;
use crate::vectors::{assert_gradient, compare};
use bayes_autodiff::fault::catch;
use bayes_autodiff::{Dual, PlainValue, Real, SparseMatrix, Value};
use bayes_model::dist::*;
use nalgebra::DMatrix;

/// Six places in two components.
fn map() -> Neighbours {
    Neighbours::new(6, &[(0, 2), (2, 4), (4, 5), (5, 0), (0, 4), (3, 1)]).unwrap()
}

fn dense(sparse: &SparseMatrix<Value>) -> DMatrix<f64> {
    let n = sparse.nrows();
    let mut matrix = DMatrix::zeros(n, n);
    for ([i, j], x) in sparse.pattern().entries().iter().zip(sparse.values()) {
        let (i, j) = (*i as usize, *j as usize);
        (matrix[(i, j)], matrix[(j, i)]) = (x.plain_value(), x.plain_value());
    }
    matrix
}

const X: [f64; 6] = [0.4, 0.9, -1.1, -0.9, 0.5, 2.2];
const MEAN: [f64; 6] = [0.1, -0.2, 0.0, 1.0, 0.3, 1.5];

/// Mutations meant to be detected: a determinant that counts twice, entries beside the diagonal that count once.
#[test]
fn the_density_is_that_of_the_normal_distribution() {
    let map = map();
    for precision in [map.car(1.7, 0.9), map.leroux(0.6, 0.4)] {
        let normal = MultivariateNormal::from_precision(MEAN, dense(&precision));
        let wanted: Real<Value> = normal.log_likelihood(&X);
        compare(GaussianField::new(MEAN, &precision), &X, wanted.primal());
    }
}

/// The matrices of the definitions.
#[test]
fn precisions_of_maps_are_those_of_their_definitions() {
    let map = map();
    let mut between = DMatrix::<f64>::zeros(6, 6);
    for [a, b] in map.edges() {
        (between[(*a, *b)], between[(*b, *a)]) = (1.0, 1.0);
    }
    let degrees = DMatrix::from_diagonal(&between.column_sum());
    let identity = DMatrix::<f64>::identity(6, 6);
    let car = (&degrees - &between * 0.9) * 1.7;
    assert!((dense(&map.car(1.7, 0.9)) - car).amax() < 1e-15);
    let leroux = ((degrees - between) * 0.4 + identity * 0.6) * 0.7;
    assert!((dense(&map.leroux(0.7, 0.4)) - leroux).amax() < 1e-15);
}

#[test]
fn gradients_agree_with_differences() {
    let (map, grid) = (map(), MaternGrid::new(2, 3, 0.5).unwrap());
    let car = |v: &[Real<Dual<4>>; 4]| {
        let precision = map.car(v[0].exp(), v[1].logistic());
        GaussianField::new(v[2], precision).log_likelihood(&X) + v[3]
    };
    assert_gradient(car, [0.3, 0.8, 0.4, 0.0]);
    let matern = |v: &[Real<Dual<4>>; 4]| {
        let precision = grid.precision(v[0].exp(), v[1].exp());
        let mut x = X.map(Real::constant);
        x[3] = v[3];
        GaussianField::new(v[2], precision).log_density_of(&x)
    };
    assert_gradient(matern, [0.3, 0.8, 0.4, -0.2]);
}

/// `Q = s (κ² h² I + G)²` by dense matrices, and the variance and correlation of the Matérn covariance far from the edges.
#[test]
fn a_matern_grid_has_the_precision_of_its_equation_and_about_the_covariance() {
    let (rows, columns, side, sd, range) = (19, 20, 0.25, 1.3, 1.5);
    let matern = MaternGrid::new(rows, columns, side).unwrap();
    let precision: SparseMatrix<Value> = matern.precision(sd, range);
    let grid = Neighbours::grid(rows, columns).unwrap();
    let n = rows * columns;
    let mut operator = DMatrix::<f64>::zeros(n, n);
    for [a, b] in grid.edges() {
        operator[(*a, *a)] += 1.0;
        operator[(*b, *b)] += 1.0;
        operator[(*a, *b)] -= 1.0;
        operator[(*b, *a)] -= 1.0;
    }
    let own = 8.0 * side * side / (range * range);
    operator += DMatrix::identity(n, n) * own;
    let scale = 1.0 / (4.0 * std::f64::consts::PI * own * sd * sd);
    let wanted = &operator * &operator * scale;
    let found = dense(&precision);
    assert!((&found - &wanted).amax() < 1e-14 * wanted.amax());
    let covariance = found.cholesky().unwrap().inverse();
    let (i, j) = (9 * columns + 10, 9 * columns + 13);
    // three cells are half a range: the correlation √2 K₁(√2) is .4443 there; the grid is coarse, by 8% and .03
    let variance = covariance[(i, i)];
    assert!((variance / (sd * sd) - 1.0).abs() < 0.09, "{variance}");
    let correlation = covariance[(i, j)] / variance;
    assert!((correlation - 0.4443).abs() < 0.03, "{correlation}");
}

/// Draws have the covariance of the dense inverse.
#[test]
fn draws_have_the_inverse_as_their_covariance() {
    let (map, n) = (map(), 40_000);
    let precision: SparseMatrix<Value> = map.car(1.7, 0.9);
    let covariance = dense(&precision).cholesky().unwrap().inverse();
    let field = GaussianField::new(MEAN, precision);
    let mut stream = stream(5);
    let mut found = DMatrix::<f64>::zeros(6, 6);
    for _ in 0..n {
        let draw = field.draw(&mut stream);
        let from_mean: Vec<f64> = draw.iter().zip(MEAN).map(|(x, mean)| x - mean).collect();
        for i in 0..6 {
            for j in 0..6 {
                found[(i, j)] += from_mean[i] * from_mean[j] / f64::from(n);
            }
        }
    }
    for i in 0..6 {
        for j in 0..6 {
            let both = covariance[(i, i)] * covariance[(j, j)] + covariance[(i, j)].powi(2);
            let error = (both / f64::from(n)).sqrt();
            let off = (found[(i, j)] - covariance[(i, j)]).abs();
            assert!(off < 4.5 * error, "({i}, {j}): {off}, {error}");
        }
    }
}

#[test]
fn grids_without_cells_with_too_many_or_without_a_side_are_errors() {
    let message = |rows, columns, side| {
        let error = MaternGrid::new(rows, columns, side).expect_err("no grid");
        error.to_string()
    };
    for (rows, columns) in [(0, 3), (3, 0), (usize::MAX, 2), (1 << 16, 1 << 16)] {
        let wanted = format!(
            "MaternGrid: parameter `rows, columns` is {rows} x {columns}, must be at least 1 x 1, of fewer than 4294967295 cells"
        );
        assert_eq!(message(rows, columns, 1.0), wanted);
    }
    for side in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(message(2, 2, side).ends_with("must be a finite number above 0"));
    }
    let error = Neighbours::grid(1 << 33, 1 << 33).expect_err("too large");
    assert!(error.to_string().contains("has too many cells"), "{error}");
}

/// Without a share of its own each place has no mean, and the determinant is 0.
#[test]
fn intrinsic_precisions_are_errors() {
    let map = Neighbours::grid(9, 11).unwrap();
    for precision in [map.car::<Value>(1.7, 1.0), map.leroux(0.3, 1.0)] {
        let field = GaussianField::new(0.0, precision);
        assert!(field.check().is_err());
        let x = Distribution::<Value>::draw(&field, &mut stream(3));
        assert!(x.iter().all(|x| x.is_nan()));
    }
}

/// Mutation meant to be detected: values that are known to be impossible told by the pivot of a row alone.
#[test]
fn impossible_values_of_a_map_are_named_while_a_model_is_validated() {
    let map = map();
    let refused = |tau: f64, rho: f64, is_leroux: bool| {
        let precision = || match is_leroux {
            true => map.leroux::<Value>(tau, rho),
            false => map.car::<Value>(tau, rho),
        };
        catch(|| drop(precision()))
            .expect_err("it is impossible")
            .to_string()
    };
    assert_eq!(
        refused(1.0, 1.5, false),
        "Neighbours::car: argument `rho` is 1.5, must be below 1, where the field has no density (`Icar` is its limit)"
    );
    assert_eq!(
        refused(-2.0, 0.5, false),
        "Neighbours::car: argument `tau` is -2, must be above 0"
    );
    assert!(refused(1.0, 1.0, true).starts_with("Neighbours::leroux: argument `rho` is 1,"));
    assert!(refused(0.0, 0.5, true).contains("argument `tau` is 0"));
    // a map may allow it
    let allowed = catch(|| drop(map.car::<Value>(1.0, -0.3)));
    assert_eq!(allowed, Ok(()));
    // a random value may be rounded to the boundary, and no further
    let of_random = |tau: f64, rho: f64| {
        let [tau, rho] = [tau, rho].map(Real::<Value>::constant);
        catch(|| drop((map.car(tau, rho), map.leroux(tau, rho))))
    };
    assert_eq!(of_random(0.0, 0.5), Ok(()));
    assert_eq!(of_random(1.0, 1.0), Ok(()));
    assert!(of_random(-1e-9, 0.5).is_err() && of_random(1.0, 1.0 + 1e-9).is_err());
}

#[test]
fn errors_name_the_row() {
    let map = map();
    let field = GaussianField::new(0.0, map.car::<Value>(1.0, 1.5));
    let text = field.check().expect_err("no distribution").to_string();
    assert!(
        text.starts_with("GaussianField: parameter `precision` at index ")
            && text.ends_with(
                "must be above 0 by more than rounding for a positive definite matrix (the value shown is the pivot of this row)"
            ),
        "{text}"
    );
    let field = GaussianField::new([0.0, 1.0], map.car::<Value>(1.0, 0.5));
    assert_eq!(
        field.check().expect_err("six places").to_string(),
        "GaussianField: parameter `mean` has length 2, must be 6, the number of rows of `precision`"
    );
    let field = GaussianField::new(0.0, map.car::<Value>(f64::NAN, 0.5));
    let text = field.check().expect_err("no number").to_string();
    assert!(text.contains("`precision` at index 0 is NaN"), "{text}");
}

/// On a grid of 100 x 100 cells the eigenvalues of the Laplacian are known, and with them the determinant and its derivatives.
#[test]
fn a_large_grid_has_the_determinant_of_its_eigenvalues() {
    let side = 100;
    let grid = Neighbours::grid(side, side).unwrap();
    let wave = |i: usize| 2.0 - 2.0 * (std::f64::consts::PI * i as f64 / side as f64).cos();
    let (tau, rho) = (1.7, 0.97);
    let places = (0..side * side).map(|k| wave(k / side) + wave(k % side));
    let each = places.map(|x| {
        let own = rho * x + 1.0 - rho;
        [
            0.5 * (tau * own / std::f64::consts::TAU).ln(),
            0.5 / tau,
            0.5 * (x - 1.0) / own,
        ]
    });
    let wanted = each.fold([0.0; 3], |sum, x| std::array::from_fn(|k| sum[k] + x[k]));
    let at = [tau, rho];
    let [tau, rho]: [Real<Dual<2>>; 2] = std::array::from_fn(|k| Dual::variable(at[k], k));
    let field = GaussianField::new(0.0, grid.leroux(tau, rho));
    let found = field.log_likelihood(&vec![0.0; side * side]);
    let slopes = Dual::gradient(found);
    for (found, wanted) in [found.primal(), slopes[0], slopes[1]]
        .into_iter()
        .zip(wanted)
    {
        let off = (found - wanted).abs();
        assert!(off < 1e-10 * wanted.abs(), "{found} and {wanted}");
    }
}
