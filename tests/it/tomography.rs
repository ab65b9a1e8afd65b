//! Quantum state tomography, by the model of the experiment `papers`: the prior is the Bures measure, unitary matrices follow Haar's
//! measure, probabilities agree with the projectors, and the posterior of a qubit is exact.
//!
//! Seen to fail: without `I + U` in the state (purity, Bloch ball); with Y conjugated (projectors, eigenstates, Bloch ball); without the
//! likelihood (Bloch ball, number of shots); a test has a decomposition without the positive diagonal built in.

use bayes::autodiff::Value;
use bayes::density::Posterior;
use bayes::prelude::*;
use bayes::rng::stream;
use bayes_experiments::tomography::{
    Measured, bures, expectations, mean_purity, normals, outcomes, state,
};

type State = ComplexMatrix<Value>;

fn plain(m: &State) -> DMatrix<Complex64> {
    let plain = |z: Complex<Value>| Complex64::new(z.re.primal(), z.im.primal());
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, k| plain(m[(i, k)]))
}

fn drawn(dim: usize, number: u64) -> State {
    let theta = normals(&mut stream(1000 * dim as u64 + number), 4 * dim * dim);
    bures(dim, &Vector::constant(&theta))
}

/// Mean and standard error.
fn estimate(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

#[test]
fn a_state_is_hermitian_positive_and_of_trace_one() {
    for dim in [2, 4, 8, 16] {
        for number in 0..4 {
            let rho = plain(&drawn(dim, number));
            assert_eq!(rho, rho.adjoint());
            assert!((rho.trace() - Complex64::ONE).norm() < 1e-12);
            let smallest = rho.symmetric_eigenvalues().min();
            assert!(smallest >= -1e-12, "{smallest}");
        }
    }
}

/// The mean purity agrees with the Bures measure, and the mean state is maximally mixed.
#[test]
fn the_prior_is_the_bures_measure() {
    for (dim, draws) in [(2, 4000), (4, 1500), (8, 300)] {
        let states: Vec<State> = (0..draws).map(|number| drawn(dim, number)).collect();
        let purities: Vec<f64> = states.iter().map(|s| s.norm_squared().primal()).collect();
        let (mean, error) = estimate(&purities);
        assert!(
            (mean - mean_purity(dim)).abs() < 4.0 * error,
            "{dim}: {mean} ± {error}"
        );
        for (i, k) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
            let entries: Vec<f64> = states.iter().map(|s| s[(i, k)].re.primal()).collect();
            let (mean, error) = estimate(&entries);
            let expected = if i == k { 1.0 / dim as f64 } else { 0.0 };
            assert!((mean - expected).abs() < 4.0 * error, "{dim}, {i}, {k}");
        }
    }
}

/// The means of `|Tr U|²`, `Re (Tr U)²` and `Re Tr U` over unitary matrices made from Gaussian ones by a decomposition.
fn traces(unitary: impl Fn(&State) -> DMatrix<Complex64>) -> [(f64, f64); 3] {
    let draws: Vec<Complex64> = (0..4000)
        .map(|number| {
            let parts = normals(&mut stream(90_000 + number), 32);
            let parts: Vec<Real<Value>> = parts.into_iter().map(Real::constant).collect();
            unitary(&State::from_parts(4, 4, &parts[..16], &parts[16..])).trace()
        })
        .collect();
    let mean = |of: fn(&Complex64) -> f64| estimate(&draws.iter().map(of).collect::<Vec<f64>>());
    [mean(|z| z.norm_sqr()), mean(|z| (z * z).re), mean(|z| z.re)]
}

#[test]
fn the_unitary_matrix_is_of_haars_measure() {
    let found = traces(|a| plain(&a.qr().0));
    for ((mean, error), expected) in found.into_iter().zip([1.0, 0.0, 0.0]) {
        assert!((mean - expected).abs() < 4.0 * error, "{mean} ± {error}");
    }
}

/// The test above detects a diagonal without the positive sign. Reflections that avoid cancellation give the first column the opposite sign
/// of the real part of its first element.
#[test]
fn a_decomposition_without_a_positive_diagonal_is_not_of_haars_measure() {
    let found = traces(|a| {
        let mut q = plain(&a.qr().0);
        let sign = -q[(0, 0)].re.signum();
        q.column_mut(0).apply(|z| *z *= sign);
        q
    });
    let (mean, error) = found[2];
    assert!(mean < -8.0 * error, "{mean} ± {error}");
}

/// The projectors `⊗ ½ (I ± sigma)` one by one, in the order of `outcomes`.
fn projectors(qubits: usize) -> Vec<Vec<DMatrix<Complex64>>> {
    let (zero, one, i) = (Complex64::ZERO, Complex64::ONE, Complex64::i());
    let axes = [
        DMatrix::from_row_slice(2, 2, &[zero, one, one, zero]),
        DMatrix::from_row_slice(2, 2, &[zero, -i, i, zero]),
        DMatrix::from_row_slice(2, 2, &[one, zero, zero, -one]),
    ];
    let mut all = vec![vec![DMatrix::identity(1, 1)]];
    for _ in 0..qubits {
        let further = |setting: &Vec<DMatrix<Complex64>>, axis: &DMatrix<Complex64>| {
            let signs = |p: &DMatrix<Complex64>| {
                [1.0, -1.0].map(|sign| {
                    let projector = DMatrix::identity(2, 2) + axis * Complex64::from(sign);
                    p.kronecker(&(projector * Complex64::from(0.5)))
                })
            };
            setting.iter().flat_map(signs).collect()
        };
        all = all
            .iter()
            .flat_map(|setting| axes.iter().map(move |axis| further(setting, axis)))
            .collect();
    }
    all
}

#[test]
fn probabilities_are_those_of_the_projectors_and_sum_to_one() {
    for qubits in 1..=3 {
        let rho = drawn(1 << qubits, 7);
        let (ours, matrix) = (outcomes(&expectations(&rho)), plain(&rho));
        let projectors = projectors(qubits);
        assert_eq!(ours.len(), projectors.len());
        for (ours, projectors) in ours.iter().zip(&projectors) {
            let total: f64 = ours.iter().map(|p| p.primal()).sum();
            assert!((total - 1.0).abs() < 1e-12);
            assert_eq!(ours.len(), projectors.len());
            for (p, projector) in ours.iter().zip(projectors) {
                let expected = (&matrix * projector).trace().re;
                assert!((p.primal() - expected).abs() < 1e-12, "{p:?} {expected}");
            }
        }
    }
}

/// A pure state is measured along its own axis with certainty: the fast method has the right signs.
#[test]
fn eigenstates_of_the_axes_are_certain() {
    let half = 0.5_f64.sqrt();
    let states = [
        [half.into(), half.into()],
        [half.into(), Complex64::new(0.0, half)],
    ];
    for (axis, vector) in states.iter().enumerate() {
        let vector = ComplexVector::<Value>::constant(vector);
        let p = outcomes(&expectations(&vector.outer(&vector)));
        assert!((p[axis][0].primal() - 1.0).abs() < 1e-15, "{axis}");
        assert!((p[2][0].primal() - 0.5).abs() < 1e-15);
    }
}

/// The state does not depend on the scales of A and C, so the likelihood does not either.
#[test]
fn the_scale_of_the_numbers_does_not_matter() {
    let theta = normals(&mut stream(3), 64);
    let scaled: Vec<f64> = theta
        .iter()
        .enumerate()
        .map(|(k, x)| x * if k < 32 { 3.0 } else { 0.2 })
        .collect();
    for (a, b) in state(4, &theta).iter().zip(state(4, &scaled)) {
        assert!((a - b).abs() < 1e-14);
    }
}

/// The gradient of the trace agrees with differences of its values.
#[test]
fn the_gradient_of_two_qubits_agrees_with_differences() {
    let measured = Measured::new(2, 100, 1, 0);
    let model = measured.model();
    let posterior = Posterior::new(&model, 1).unwrap();
    let theta = normals(&mut stream(5), 64);
    let at = |position: &[f64]| {
        let mut one = bayes::density::Particles::new(1, 64);
        one.positions.copy_from_slice(position);
        let block = &mut one.block();
        bayes::density::LogDensity::evaluate_gradient(&posterior, [0.0, 1.0], block);
        (block.log_likelihood[0], block.gradient.to_vec())
    };
    let (_, gradient) = at(&theta);
    for i in 0..64 {
        let central = |h: f64| {
            let moved = |h: f64| {
                let mut moved = theta.clone();
                moved[i] += h;
                at(&moved).0
            };
            (moved(h) - moved(-h)) / (2.0 * h)
        };
        let expected = (4.0 * central(5e-4) - central(1e-3)) / 3.0;
        assert!(
            (gradient[i] - expected).abs() < 1e-5 * (1.0 + expected.abs()),
            "{i}: {} {expected}",
            gradient[i]
        );
    }
}

/// The posterior mean of the Bloch vector of a qubit by quadrature: density `1 / √(1 - r²)` in the volume of the Bloch ball (Hall 1998).
fn bloch_mean(shots: u64, counts: &[u64]) -> [f64; 3] {
    // r = sin(a) turns r² dr / √(1 - r²) into sin² a da; midpoints in a, in the cosine of the polar angle, and in the azimuth
    let (radii, cosines, angles) = (160, 80, 80);
    let mut terms = Vec::new();
    for a in 0..radii {
        let a = std::f64::consts::FRAC_PI_2 * (a as f64 + 0.5) / radii as f64;
        for c in 0..cosines {
            let z = 2.0 * (c as f64 + 0.5) / cosines as f64 - 1.0;
            for b in 0..angles {
                let b = std::f64::consts::TAU * (b as f64 + 0.5) / angles as f64;
                let (radius, plane) = (a.sin(), (1.0 - z * z).sqrt());
                let bloch = [
                    radius * plane * b.cos(),
                    radius * plane * b.sin(),
                    radius * z,
                ];
                let mut log = 2.0 * a.sin().ln();
                for (axis, r) in bloch.iter().enumerate() {
                    let up = counts[2 * axis] as f64;
                    log +=
                        up * (0.5 * (1.0 + r)).ln() + (shots as f64 - up) * (0.5 * (1.0 - r)).ln();
                }
                terms.push((log, bloch));
            }
        }
    }
    let largest = terms.iter().map(|t| t.0).fold(f64::MIN, f64::max);
    let mut sums = [0.0; 4];
    for (log, bloch) in terms {
        let weight = (log - largest).exp();
        sums[3] += weight;
        (0..3).for_each(|k| sums[k] += weight * bloch[k]);
    }
    [0, 1, 2].map(|k| sums[k] / sums[3])
}

/// The Bloch vector from a run: `(2 Re rho01, -2 Im rho01, rho00 - rho11)` and its standard errors.
fn posterior_bloch(run: &Run) -> [(f64, f64); 3] {
    [0, 1, 2].map(|k| {
        let estimate = run.estimate(|draw| {
            let rho = state(2, draw.vector("theta"));
            [2.0 * rho[1], -2.0 * rho[5], rho[0] - rho[3]][k]
        });
        (estimate.mean, estimate.se)
    })
}

#[test]
fn the_posterior_of_a_qubit_is_that_of_quadrature_over_the_bloch_ball() {
    let measured = Measured::new(1, 20, 2, 0);
    let model = measured.model();
    let exact = bloch_mean(20, &measured.counts);
    let smc = Inference::psmc()
        .islands(8)
        .particles(512)
        .seed(1)
        .progress(false);
    let pcn = smc.clone().kernel(Pcn::new());
    let nuts = Inference::nuts()
        .chains(4)
        .draws(1000)
        .seed(1)
        .progress(false);
    let runs = [smc.run(&model), pcn.run(&model), nuts.run(&model)];
    for run in runs {
        let run = run.unwrap();
        for ((mean, error), exact) in posterior_bloch(&run).into_iter().zip(exact) {
            assert!(
                (mean - exact).abs() < 4.0 * error && error < 0.02,
                "{}: {mean} ± {error}, {exact}",
                run.engine
            );
        }
    }
}

/// More measurements bring the posterior mean nearer to the state.
#[test]
fn the_error_of_the_state_falls_with_the_number_of_shots() {
    let error = |shots: u64| {
        let each = (0..4).map(|number| {
            let measured = Measured::new(1, shots, 3, number);
            let smc = Inference::smc().particles(512).kernel(Pcn::new()).seed(1);
            let run = smc.progress(false).run(&measured.model()).unwrap();
            let bloch = posterior_bloch(&run);
            let rho = &measured.truth;
            let truth = [2.0 * rho[1], -2.0 * rho[5], rho[0] - rho[3]];
            let squares = bloch.iter().zip(truth).map(|((m, _), t)| (m - t).powi(2));
            squares.sum::<f64>()
        });
        each.sum::<f64>() / 4.0
    };
    let [few, more, most] = [10, 100, 1000].map(error);
    assert!(few > 2.0 * more && more > 2.0 * most, "{few} {more} {most}");
}

#[test]
fn a_vector_of_the_wrong_length_is_an_error_of_the_model() {
    #[model]
    fn wrong(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0).iid(2));
        let state = ComplexVector::from_parts(&mu[..1], &mu[..]);
        observe(y, Normal::new(state.norm_squared(), 1.0));
    }
    let error = Inference::smc()
        .run(&wrong(&[0.1]))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("complex vector of length 1 with imaginary parts vector of length 2"),
        "{error}"
    );
}
