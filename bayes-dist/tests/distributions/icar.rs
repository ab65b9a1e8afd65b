//! Intrinsic autoregressions against the normal distribution on their plane, by the eigenvalues of the Laplacian.

use crate::battery::stream;
use crate::reference::agrees;
use crate::vector_errors::{data_error, parameter_error};
use crate::vectors::{assert_gradient, compare};
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::{DMatrix, SymmetricEigen};

/// Four places in a square with a diagonal, and two others.
const EDGES: [(usize, usize); 7] = [(0, 2), (2, 4), (4, 5), (5, 0), (0, 4), (3, 1), (1, 3)];

fn map() -> Neighbours {
    Neighbours::new(6, &EDGES).unwrap()
}

/// The pseudo-inverse of the Laplacian, and the logarithm of the product of its eigenvalues that are not 0.
fn pseudo_inverse() -> (DMatrix<f64>, f64) {
    let mut laplacian = DMatrix::<f64>::zeros(6, 6);
    for (a, b) in &EDGES[..6] {
        laplacian[(*a, *a)] += 1.0;
        laplacian[(*b, *b)] += 1.0;
        laplacian[(*a, *b)] -= 1.0;
        laplacian[(*b, *a)] -= 1.0;
    }
    let eigen = SymmetricEigen::new(laplacian);
    let positive: Vec<usize> = (0..6).filter(|i| eigen.eigenvalues[*i] > 1e-9).collect();
    assert_eq!(positive.len(), 4, "two components");
    let mut inverse = DMatrix::zeros(6, 6);
    for i in &positive {
        let v = eigen.eigenvectors.column(*i);
        inverse += v * v.transpose() / eigen.eigenvalues[*i];
    }
    (
        inverse,
        positive.iter().map(|i| eigen.eigenvalues[*i].ln()).sum(),
    )
}

/// Effects that sum to 0 in each component.
const EFFECTS: [f64; 6] = [0.4, 0.9, -1.1, -0.9, 0.5, 0.2];

/// Mutations meant to be detected: a pair that counts twice, one null direction for two components, a determinant of another minor.
#[test]
fn the_density_is_that_of_the_normal_distribution_on_the_plane() {
    let (_, log_determinant) = pseudo_inverse();
    let square: f64 = EDGES[..6]
        .iter()
        .map(|(a, b)| (EFFECTS[*a] - EFFECTS[*b]).powi(2))
        .sum();
    let sd = 0.7_f64;
    let wanted = -0.5 * square / (sd * sd) - 4.0 * (sd.ln() + 0.5 * std::f64::consts::TAU.ln())
        + 0.5 * log_determinant;
    let map = map();
    compare(Icar::new(&map, sd), &EFFECTS, wanted);
    let elements = EFFECTS.map(Real::<Value>::constant);
    let coordinates = Distribution::<Value>::unconstrain(&Icar::new(&map, sd), &EFFECTS);
    let coordinates: Vec<Real<Value>> = coordinates.into_iter().map(Real::constant).collect();
    let mut total = Real::constant(0.0);
    let value: Vector<Value> = Icar::new(&map, sd).add_sample(&coordinates, true, &mut total);
    assert!(
        agrees(total.primal(), wanted),
        "{}, not {wanted}",
        total.primal()
    );
    for (got, wanted) in value.iter().zip(elements) {
        assert!((got.primal() - wanted.primal()).abs() < 1e-14);
    }
}

/// Mutations meant to be detected: draws that are not centred, and variances of the wrong factor.
#[test]
fn draws_have_the_pseudo_inverse_as_covariance() {
    let (inverse, _) = pseudo_inverse();
    let (map, n) = (map(), 40_000);
    let distribution = Icar::new(&map, 0.7);
    let mut stream = stream(2);
    let draws: Vec<Vec<f64>> = (0..n)
        .map(|_| Distribution::<Value>::draw(&distribution, &mut stream))
        .collect();
    for i in 0..6 {
        for k in 0..=i {
            let found = draws.iter().map(|x| x[i] * x[k]).sum::<f64>() / n as f64;
            let wanted = 0.49 * inverse[(i, k)];
            let error = 0.49
                * ((inverse[(i, i)] * inverse[(k, k)] + inverse[(i, k)].powi(2)) / n as f64).sqrt();
            assert!(
                (found - wanted).abs() < 4.5 * error,
                "{i}, {k}: {found}, not {wanted}"
            );
        }
    }
    assert!(draws.iter().all(|x| (x[1] + x[3]).abs() < 1e-14));
}

/// Mutation meant to be detected: one scale for all components, or its inverse.
#[test]
fn scaled_effects_have_variances_with_geometric_mean_one() {
    let (inverse, log_determinant) = pseudo_inverse();
    let mean = |places: &[usize]| {
        (places.iter().map(|i| inverse[(*i, *i)].ln()).sum::<f64>() / places.len() as f64).exp()
    };
    let scales = [mean(&[0, 2, 4, 5]), mean(&[1, 3])];
    let square: f64 = EDGES[..6]
        .iter()
        .map(|(a, b)| {
            (EFFECTS[*a] - EFFECTS[*b]).powi(2)
                * if *a % 2 == 1 && *b % 2 == 1 {
                    scales[1]
                } else {
                    scales[0]
                }
        })
        .sum();
    let free = 0.5 * (3.0 * scales[0].ln() + scales[1].ln());
    let wanted = -0.5 * square - 2.0 * std::f64::consts::TAU.ln() + 0.5 * log_determinant + free;
    let map = map();
    compare(Icar::new(&map, 1.0).scaled(), &EFFECTS, wanted);
    let mut stream = stream(3);
    let draws: Vec<Vec<f64>> = (0..20_000)
        .map(|_| Distribution::<Value>::draw(&Icar::new(&map, 1.0).scaled(), &mut stream))
        .collect();
    let variance = |i: usize| draws.iter().map(|x| x[i] * x[i]).sum::<f64>() / draws.len() as f64;
    for places in [vec![0, 2, 4, 5], vec![1, 3]] {
        let logs: f64 = places.iter().map(|i| variance(*i).ln()).sum::<f64>() / places.len() as f64;
        assert!(logs.abs() < 0.05, "{logs}");
    }
}

#[test]
fn gradients_agree_with_differences() {
    let map = map();
    let density = |v: &[Real<Dual<5>>; 5]| {
        let mut total = Real::constant(0.0);
        let icar = Icar::new(&map, v[4].exp());
        let x: Vector<Dual<5>> = icar.add_sample(&v[..4], true, &mut total);
        let z: Vector<Dual<5>> = icar.non_centred().add_sample(&v[..4], true, &mut total);
        total + (x[0] * 0.3 + z[2]).sin()
    };
    assert_gradient(density, [0.3, -0.4, 0.9, 0.2, -0.3]);
}

#[test]
fn errors_name_the_place() {
    let text =
        |n: usize, edges: &[(usize, usize)]| Neighbours::new(n, edges).unwrap_err().to_string();
    assert_eq!(
        text(3, &[(0, 1), (1, 3)]),
        "edge 1 has place 3, must be below 3, the number of places"
    );
    assert_eq!(
        text(3, &[(0, 1), (2, 2)]),
        "edge 1 makes place 2 its own neighbour"
    );
    assert_eq!(
        text(3, &[(0, 1)]),
        "place 2 has no neighbours: give it an effect of its own, or neighbours"
    );
    assert_eq!(text(0, &[]), "there are no places");
    let map = map();
    assert_eq!(
        parameter_error(Icar::new(&map, 0.0)),
        "Icar: parameter `sd` is 0, must be a finite number above 0"
    );
    assert_eq!(
        data_error(Icar::new(&map, 1.0), &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        "Icar: observation at index 1 is 1, must be effects that sum to 0 in each connected component (the value shown is the sum)"
    );
}

/// The eigenvalues of the Laplacian of a grid are known. The map is too large for a dense factor in a test.
#[test]
fn a_large_grid_has_the_determinant_of_its_eigenvalues() {
    let (rows, columns) = (60, 80);
    let grid = Neighbours::grid(rows, columns).unwrap();
    let wave = |i: usize, n: usize| 2.0 - 2.0 * (std::f64::consts::PI * i as f64 / n as f64).cos();
    let places = (1..rows * columns).map(|k| (k / columns, k % columns));
    let eigenvalues = places.map(|(i, j)| wave(i, rows) + wave(j, columns));
    let logs: f64 = eigenvalues
        .map(|x| 0.5 * (x / std::f64::consts::TAU).ln())
        .sum();
    let zeros = vec![0.0; rows * columns];
    let found: Real<Value> = Icar::new(&grid, 1.0).log_likelihood(&zeros);
    let off = (found.primal() - logs).abs();
    assert!(off < 1e-11 * logs.abs(), "{} and {logs}", found.primal());
}
