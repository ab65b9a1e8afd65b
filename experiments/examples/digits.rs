//! Handwritten digits: a Bayesian convolutional network by SMC∥ and HMC∥.
//!
//! ```text
//! theta[k] ~ Normal(0, sqrt(2 / fan_in))    label[i] ~ Categorical(softmax(network(image[i], theta)))
//! ```
//!
//! The network of "Comparison of parallel SMC and MCMC for Bayesian deep learning", appendix D.4.1: a convolution of four
//! channels with 3 x 3 kernels, ReLU, max pooling of 2 x 2, and a linear layer to ten classes (d = 7890). It is trained
//! on the first 1000 digits of MNIST and tested on the first 1000 of its test set.
//!
//! `--data DIR` reads the idx files of MNIST from a folder instead of the shipped digits; `--rows N` takes more
//! than 1000 of them. `--tau`, `--islands`, `--particles`, `--mutations` and `--burn-in` are the paper's tau, P, N, M and B:
//! its table 5 has tau = 0.005, 0.02, 0.1 with N = 32, M = 20 and B = 900. `--chains` is N P by default; `--chains 0`
//! skips HMC∥. `--draws D` keeps the last D states of each chain instead of one: `--chains 16 --draws 400` is the
//! paper's reference, a long run of few chains.
//!
//! Two choices that the paper leaves open: `--pixels` are `unit`, from 0 to 1, or `standardised` by the usual mean and standard
//! deviation of MNIST. The variance of the `--prior` is two divided by the `fan-in` or the `fan-out` of a layer, or everywhere
//! the square of a given standard deviation.

use bayes::nn::{Sequential, WeightPrior};
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::classification::Scores;
use bayes_experiments::common::{Options, Report, fail, number};
use bayes_experiments::mnist::{Digits, network, standardise};
use serde_json::{Map, Value};

/// A Bayesian classifier of images.
#[model]
fn digits(net: &Sequential, images: &DMatrix<f64>, labels: &[usize]) {
    let theta = sample(net.prior());
    observe(labels, CategoricalLogit::new(net.forward(images, &theta)));
}

/// The digits 0 to 9.
const CLASSES: usize = 10;

/// The command-line options.
struct Settings {
    options: Options,
    data: Option<String>,
    rows: usize,
    tau: f64,
    islands: usize,
    particles: usize,
    mutations: usize,
    chains: usize,
    burn_in: usize,
    draws: usize,
    is_standardised: bool,
    prior: WeightPrior,
}

impl Settings {
    fn from_args() -> Self {
        let (
            options,
            [
                data,
                rows,
                tau,
                islands,
                particles,
                mutations,
                chains,
                burn_in,
                draws,
                pixels,
                prior,
            ],
        ) = Options::with([
            "--data",
            "--rows",
            "--tau",
            "--islands",
            "--particles",
            "--mutations",
            "--chains",
            "--burn-in",
            "--draws",
            "--pixels",
            "--prior",
        ]);
        let islands = number("--islands", islands, 1);
        let particles = number("--particles", particles, options.size(32, 8));
        Self {
            options,
            data,
            rows: number("--rows", rows, options.size(1000, 300)),
            tau: number("--tau", tau, 0.02),
            islands,
            particles,
            mutations: number("--mutations", mutations, options.size(5, 3)),
            chains: number("--chains", chains, islands * particles),
            burn_in: number("--burn-in", burn_in, options.size(100, 40)),
            draws: number("--draws", draws, 1),
            is_standardised: is_standardised(pixels.as_deref()),
            prior: weight_prior(prior.as_deref()),
        }
    }

    fn kernel(&self) -> Hmc {
        Hmc::new().integration_time(self.tau).mass(Mass::Identity)
    }

    fn smc<M: Model + AllSampled + Differentiable>(&self, model: &M) -> Result<Run, Error> {
        Inference::psmc()
            .islands(self.islands)
            .particles(self.particles)
            .kernel(self.kernel())
            // the paper's kernel has one step size
            .step_size_mixture(0.0)
            .mutations(self.mutations)
            .seed(self.options.seed)
            .run(model)
    }

    fn hmc<M: Model + AllSampled + Differentiable>(&self, model: &M) -> Result<Run, Error> {
        Inference::hmc()
            .chains(self.chains)
            .burn_in(self.burn_in)
            .draws(self.draws)
            .thin(1)
            .kernel(self.kernel())
            .seed(self.options.seed)
            .run(model)
    }
}

fn is_standardised(pixels: Option<&str>) -> bool {
    match pixels {
        None | Some("unit") => false,
        Some("standardised") => true,
        Some(other) => fail(&format!(
            "`--pixels` is `{other}`; it is `unit` or `standardised`"
        )),
    }
}

fn weight_prior(prior: Option<&str>) -> WeightPrior {
    match prior {
        None | Some("fan-in") => WeightPrior::Kaiming,
        Some("fan-out") => WeightPrior::KaimingFanOut,
        Some(sd) => match sd.parse() {
            Ok(sd) if sd > 0.0 => WeightPrior::Separate {
                weight_sd: sd,
                bias_sd: sd,
            },
            _ => fail(&format!(
                "`--prior` is `{sd}`; it is `fan-in`, `fan-out` or a standard deviation above 0"
            )),
        },
    }
}

fn main() -> Result<(), Error> {
    let settings = Settings::from_args();
    let read = |part: &str| {
        let (mut images, labels) = Digits::first(settings.data.as_deref(), part, settings.rows);
        if settings.is_standardised {
            standardise(&mut images);
        }
        (images, labels)
    };
    let ((images, labels), (test_images, test_labels)) = (read("train"), read("t10k"));

    let net = network(CLASSES, settings.prior);
    let model = digits(&net, &images, &labels);
    let mut report = Report::new("digits", settings.options);
    let mut all = Map::new();
    let mut score = |report: &Report, name: &str, run: &Run| {
        let scores = Scores::of(run, "theta", &net, &test_images, &test_labels);
        report.say(&scores.line(name, test_labels.len()));
        check(&scores, name);
        all.insert(name.to_owned(), scores.json());
    };
    let run = report.work("psmc", || settings.smc(&model));
    score(&report, "psmc", &run);
    if settings.chains > 0 {
        let run = report.work("hmc", || settings.hmc(&model));
        score(&report, "hmc", &run);
    }
    report.note("scores", Value::Object(all));
    report.finish();
    Ok(())
}

/// Asserts an accuracy above one half, a lower NLL than guessing, and uncertainty about the weights.
fn check(scores: &Scores, name: &str) {
    let chance = 0.1;
    assert!(scores.accuracy > 5.0 * chance, "{name}: {scores:?}");
    assert!(
        scores.negative_log_likelihood < 10f64.ln(),
        "{name}: {scores:?}"
    );
    assert!(scores.epistemic_entropy > 0.0, "{name}: {scores:?}");
}
