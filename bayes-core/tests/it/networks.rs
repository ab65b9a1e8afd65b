//! Networks in models: mismatched layers, priors, and equal densities in every mode.
#![allow(missing_docs)]

use bayes_autodiff::batch::{Batch, values};
use bayes_autodiff::gradient::{Program, gradient};
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::trace::Trace;
use bayes_autodiff::{Mode, Real, Vector};
use bayes_core::dist::{BernoulliLogit, CategoricalLogit, Distribution, Normal};
use bayes_core::nn::{
    AveragePool, Conv2d, Dense, Gelu, MaxPool, Precision, Relu, Sequential, Tanh, WeightPrior,
};
use nalgebra::DMatrix;

/// A small network with every kind of layer, on images of 8 x 8.
fn network() -> Sequential {
    Sequential::image(1, 8, 8)
        .layer(Conv2d::new(1, 3, 3).padding(1))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Conv2d::new(3, 2, 2))
        .layer(Gelu)
        .layer(AveragePool::new(3))
        .layer(Dense::new(2, 3))
        .layer(Tanh)
        .layer(Dense::new(3, 4))
        .build()
        .expect("these layers fit")
}

fn number(i: usize) -> f64 {
    2.0 * ((i as f64 * 0.754_877_666).fract() * 1013.0).fract() - 1.0
}

/// The observations of the network's outputs.
#[derive(Clone, Copy, Debug)]
enum Likelihood {
    /// Categories, with the likelihood fused with the network.
    Fused,
    /// Categories, from the matrix of logits.
    Matrix,
    /// A real response to the first output.
    Normal,
    /// A binary response to the last output.
    Bernoulli,
}

struct Posterior {
    net: Sequential,
    images: DMatrix<f64>,
    labels: Vec<usize>,
    likelihood: Likelihood,
}

impl Posterior {
    fn new(net: Sequential, likelihood: Likelihood) -> Self {
        Self {
            net,
            images: DMatrix::from_fn(9, 64, |i, k| number(i * 64 + k)),
            labels: (0..9).map(|i| i % 4).collect(),
            likelihood,
        }
    }

    fn position(&self, particle: usize) -> Vec<f64> {
        (0..self.net.parameters())
            .map(|k| 0.5 * number(7919 * particle + k))
            .collect()
    }
}

impl Program for Posterior {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2] {
        let theta = Vector::from(position);
        let mut prior = Real::default();
        self.net.prior().add_density(&theta, &mut prior);
        let mut total = Real::default();
        let forward = self.net.forward(&self.images, &theta);
        match self.likelihood {
            Likelihood::Fused => {
                CategoricalLogit::new(forward).add_likelihood(&self.labels, &mut total);
            }
            Likelihood::Matrix => {
                CategoricalLogit::new(forward.matrix()).add_likelihood(&self.labels, &mut total);
            }
            Likelihood::Normal => {
                let y: Vec<f64> = self.labels.iter().map(|k| *k as f64).collect();
                Normal::new(forward.column(0), 0.7).add_likelihood(&y, &mut total);
            }
            Likelihood::Bernoulli => {
                let y: Vec<bool> = self.labels.iter().map(|k| *k > 1).collect();
                BernoulliLogit::new(forward.column(3)).add_likelihood(&y, &mut total);
            }
        }
        [prior, total]
    }
}

const LIKELIHOODS: [Likelihood; 4] = [
    Likelihood::Fused,
    Likelihood::Matrix,
    Likelihood::Normal,
    Likelihood::Bernoulli,
];

fn close(found: f64, want: f64, tolerance: f64, what: &str) {
    let bound = tolerance * (1.0 + want.abs());
    assert!(
        (found - want).abs() <= bound,
        "{what}: {found}, want {want}"
    );
}

/// Densities and gradients of `count` particles by the trace, the densities compared with plain values.
fn by_lanes(
    posterior: &Posterior,
    level: InstructionSet,
    weights: [f64; 2],
    count: usize,
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let dim = posterior.net.parameters();
    let positions: Vec<f64> = (0..count).flat_map(|i| posterior.position(i)).collect();
    let (mut prior, mut likelihood) = (vec![0.0; count], vec![0.0; count]);
    let mut slopes = vec![0.0; count * dim];
    let batch = Batch {
        dim,
        positions: &positions,
        log_prior: &mut prior,
        log_likelihood: &mut likelihood,
    };
    let trace = Trace::record(posterior, &[], &[&positions[..dim]]).expect("it has a trace");
    trace.gradients(level, weights, batch, &mut slopes);
    let (mut plain_prior, mut plain_likelihood) = (vec![0.0; count], vec![0.0; count]);
    let batch = Batch {
        dim,
        positions: &positions,
        log_prior: &mut plain_prior,
        log_likelihood: &mut plain_likelihood,
    };
    values(posterior, batch);
    for i in 0..count {
        close(
            plain_likelihood[i],
            likelihood[i],
            1e-12,
            "value without gradient",
        );
    }
    (prior, likelihood, slopes)
}

#[test]
fn traces_and_duals_agree() {
    for likelihood in LIKELIHOODS {
        let posterior = Posterior::new(network(), likelihood);
        let dim = posterior.net.parameters();
        for level in InstructionSet::available() {
            // eleven particles do not fill the lanes
            for weights in [[1.0, 0.3], [0.5, 0.0]] {
                let (prior, log_likelihood, slopes) = by_lanes(&posterior, level, weights, 11);
                for particle in [0, 3, 10] {
                    let what = format!("{likelihood:?} particle {particle} at {level}");
                    let mut dual = vec![0.0; dim];
                    let position = posterior.position(particle);
                    let [p, l] = gradient(&posterior, &position, weights, &mut dual);
                    close(prior[particle], p, 1e-12, &what);
                    close(log_likelihood[particle], l, 1e-12, &what);
                    for k in 0..dim {
                        close(slopes[particle * dim + k], dual[k], 1e-10, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn single_precision_is_close_to_double() {
    let single = Sequential::image(1, 8, 8)
        .layer(Conv2d::new(1, 4, 3).padding(1))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Dense::new(64, 4));
    let double = single.clone().build().expect("these layers fit");
    let single = single
        .precision(Precision::Single)
        .build()
        .expect("these layers fit");
    let level = InstructionSet::detect();
    let [(_, a, x), (_, b, y)] = [double, single]
        .map(|net| by_lanes(&Posterior::new(net, Likelihood::Fused), level, [1.0; 2], 8));
    assert_ne!(a, b, "single precision is another arithmetic");
    for (a, b) in a.iter().zip(&b).chain(x.iter().zip(&y)) {
        close(*b, *a, 1e-4, "single precision");
    }
}

#[test]
fn predictions_are_those_of_the_model() {
    let net = network();
    let images = DMatrix::from_fn(5, 64, |i, k| number(i * 64 + k));
    let draws: Vec<Vec<f64>> = (0..10)
        .map(|i| (0..net.parameters()).map(|k| number(31 * i + k)).collect())
        .collect();
    let views: Vec<&[f64]> = draws.iter().map(Vec::as_slice).collect();
    let together = net.predict(&images, &views);
    assert_eq!(together.len(), 10);
    for (i, draw) in views.iter().enumerate() {
        let alone = net.predict(&images, &[draw]);
        assert_eq!(alone[0], together[i], "draw {i}");
    }
    assert_eq!(together[3].shape(), (5, 4));
}

#[test]
fn the_prior_has_the_variances_of_the_papers() {
    let sds = |prior| {
        let net = Sequential::image(2, 4, 4)
            .layer(Conv2d::new(2, 3, 3).padding(1))
            .layer(MaxPool::new(2))
            .layer(Dense::new(12, 5))
            .prior(prior)
            .build()
            .expect("these layers fit");
        let gaussian = Distribution::<bayes_autodiff::Value>::gaussian(&net.prior());
        let gaussian = gaussian.expect("independent normals");
        assert!(gaussian.mean.iter().all(|mean| *mean == 0.0));
        match gaussian.factor {
            bayes_core::dist::CovarianceRoot::Diagonal(sd) => sd,
            other => panic!("{other:?}"),
        }
    };
    let kaiming = sds(WeightPrior::Kaiming);
    assert_eq!(kaiming.len(), 54 + 3 + 60 + 5);
    assert!(kaiming[..57].iter().all(|sd| *sd == (2.0 / 18.0f64).sqrt()));
    assert!(kaiming[57..].iter().all(|sd| *sd == (2.0 / 12.0f64).sqrt()));
    assert_eq!(sds(WeightPrior::FanIn { variance: 2.0 }), kaiming);
    let quarter = sds(WeightPrior::FanIn { variance: 0.5 });
    assert!(quarter.iter().zip(&kaiming).all(|(a, b)| *a == 0.5 * b));
    let out = sds(WeightPrior::KaimingFanOut);
    assert!(out[..57].iter().all(|sd| *sd == (2.0 / 27.0f64).sqrt()));
    assert!(out[57..].iter().all(|sd| *sd == (2.0 / 5.0f64).sqrt()));
    let separate = sds(WeightPrior::Separate {
        weight_sd: 0.1,
        bias_sd: 0.01,
    });
    assert!(separate[..54].iter().all(|sd| *sd == 0.1));
    assert!(separate[54..57].iter().all(|sd| *sd == 0.01));
    assert!(separate[57..117].iter().all(|sd| *sd == 0.1));
    assert!(separate[117..].iter().all(|sd| *sd == 0.01));
}

#[test]
fn layers_that_do_not_fit_are_an_error_at_construction() {
    let error = Sequential::image(1, 28, 28)
        .layer(Conv2d::new(1, 4, 3))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Dense::new(784, 10))
        .build()
        .expect_err("13 x 13 pixels are left");
    assert_eq!(
        error.to_string(),
        "layer 3 `Dense(784, 10)` expects 784 inputs, but layer 2 `MaxPool(2)` gives 4 x 13 x 13"
    );
}

#[test]
fn data_that_do_not_fit_the_network_are_a_fault() {
    use bayes_autodiff::{Value, fault};
    let net = network();
    let theta = Vector::<Value>::zeros(net.parameters());
    let images = DMatrix::zeros(3, 63);
    let fault =
        fault::catch(|| net.forward(&images, &theta).column(0).len()).expect_err("63 pixels");
    assert_eq!(
        fault.to_string(),
        "shapes do not fit: network on 1 x 8 x 8 applied to matrix 3 x 63"
    );
    let few = Vector::<Value>::zeros(3);
    let images = DMatrix::zeros(3, 64);
    let fault = fault::catch(|| net.forward(&images, &few).column(0).len()).expect_err("3 weights");
    assert!(
        fault
            .to_string()
            .ends_with("weights with vector of length 3"),
        "{fault}"
    );
}
