//! Table 1 of the paper: a function with noise, and two moons.

use crate::Lab;
use crate::learn::Method;
use crate::table::{self, OF_CLASSES, OF_NUMBERS, Study};
use crate::task::{Points, Targets, Task, narrow, partial};
use bayes::nn::{Dense, Gelu, Sequential, Sigmoid};
use bayes::prelude::*;
use bayes::rng::{RngExt, Stream, stream};
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::Value;

fn function(x: f64) -> f64 {
    x * (x * x.tanh()).sin()
}

fn curve(stream: &mut Stream) -> Points {
    let x: Vec<f64> = (0..100).map(|_| stream.random_range(-6.0..6.0)).collect();
    let truth: Vec<f64> = x.iter().map(|x| function(*x)).collect();
    let noise = |f: &f64| Normal::new(*f, 1.0).draw_one(stream);
    let y = truth.iter().map(noise).collect();
    Points {
        x: DMatrix::from_vec(100, 1, x),
        targets: Targets::Numbers(y, truth),
    }
}

/// Half circles of radius 1 around (0, 0) and (1, 1/2), with noise of standard deviation 0.3: scikit-learn's `make_moons`.
fn two_moons(stream: &mut Stream) -> Points {
    let label: Vec<usize> = (0..100).map(|i| i % 2).collect();
    let mut x = DMatrix::zeros(100, 2);
    for (i, label) in label.iter().enumerate() {
        let angle = std::f64::consts::PI * (i / 2) as f64 / 49.0;
        let at = match label {
            0 => [angle.cos(), angle.sin()],
            _ => [1.0 - angle.cos(), 0.5 - angle.sin()],
        };
        for (k, at) in at.into_iter().enumerate() {
            x[(i, k)] = Normal::new(at, 0.3).draw_one(stream);
        }
    }
    Points {
        x,
        targets: Targets::Classes(label),
    }
}

fn task(
    layers: bayes::nn::Builder,
    sampled: usize,
    seed: u64,
    draw: fn(&mut Stream) -> Points,
) -> Task {
    let mut data = stream(seed);
    let [train, validation, test] = std::array::from_fn(|_| draw(&mut data));
    Task {
        narrow: narrow(layers.clone(), sampled),
        net: partial(layers, sampled),
        train,
        validation,
        test,
        minibatch: 20,
        rate: 0.01,
    }
}

fn study<'a>(
    lab: &Lab,
    name: &'a str,
    methods: &'a [Method],
    published: &'a dyn Fn(Method) -> String,
) -> Study<'a> {
    let (scores, epochs): (&[&str], usize) = match name {
        "regression" => (&OF_NUMBERS, 200),
        _ => (&OF_CLASSES, 100),
    };
    Study {
        name,
        methods,
        scores,
        published,
        repeats: lab.size("--repeats", &lab.repeats, 5, 1),
        particles: lab.size("--particles", &lab.particles, 1000, 50),
        epochs: lab.size("--epochs", &lab.epochs, epochs, 5),
    }
}

pub fn regression(lab: &Lab) -> Value {
    let published = |method: Method| {
        let text = match method {
            Method::MapHmc => "1.53 (.09)  .59 (.11)",
            Method::Ohsmc => "1.49 (.07)  .53 (.07)",
            Method::SgsmcHmc => "1.65 (.16)  .75 (.14)",
            Method::Swag => "1.71 (.14)  .82 (.16)",
            Method::Variational => "2.13 (.15)  1.46 (.46)",
            Method::OhsmcKeepingPrior => "",
        };
        text.to_owned()
    };
    let methods = lab.methods(&table::all_but_one());
    let found = table::run(
        lab,
        &study(lab, "regression", &methods, &published),
        |seed| {
            let layers = Sequential::flat(1)
                .layer(Dense::new(1, 20))
                .layer(Gelu)
                .layer(Dense::new(20, 10))
                .layer(Gelu)
                .layer(Dense::new(10, 1));
            task(layers, 1, seed, curve)
        },
    );
    draw(lab, "regression", &methods, &found);
    // no predictive density exceeds the noise's density except by chance; predicting only the mean of y has an NLPD of 3.1
    let worst = lab.options.size(17, 40) as f64 / 10.0;
    table::require_nlpd(&found, 1.2..worst);
    found
}

pub fn moons(lab: &Lab) -> Value {
    let published = |method: Method| {
        let text = match method {
            Method::MapHmc => ".28 (.06)  .07 (.01)  .87 (.02)",
            Method::Ohsmc => ".28 (.07)  .06 (.01)  .88 (.02)",
            Method::SgsmcHmc => ".32 (.08)  .08 (.01)  .86 (.03)",
            Method::Swag => ".31 (.06)  .07 (.01)  .86 (.03)",
            Method::Variational => ".29 (.05)  .08 (.01)  .86 (.03)",
            Method::OhsmcKeepingPrior => "",
        };
        text.to_owned()
    };
    let methods = lab.methods(&table::all_but_one());
    let found = table::run(lab, &study(lab, "moons", &methods, &published), |seed| {
        let layers = Sequential::flat(2)
            .layer(Dense::new(2, 100))
            .layer(Gelu)
            .layer(Dense::new(100, 20))
            .layer(Gelu)
            .layer(Dense::new(20, 5))
            .layer(Sigmoid)
            .layer(Dense::new(5, 2));
        task(layers, 2, seed, two_moons)
    });
    draw(lab, "moons", &methods, &found);
    let worst = if lab.options.quick { 0.75 } else { 0.4 };
    table::require_nlpd(&found, 0.0..worst);
    found
}

/// Scores with their errors, one panel for each, methods by number.
fn draw(lab: &Lab, name: &str, methods: &[Method], found: &Value) {
    const METHOD: Quantity = Quantity::linear("method, in the order of the table");
    let panel = |(k, title, y): (usize, &str, Quantity)| Panel {
        title: format!("{name}: {title}"),
        x: METHOD,
        y,
        curves: methods
            .iter()
            .enumerate()
            .map(|(i, method)| {
                let score = &found[method.name()][k];
                let number = |j: usize| score[j].as_f64().unwrap_or(0.0);
                let point = Point {
                    x: i as f64 + 1.0,
                    y: number(0),
                    error: number(1),
                };
                Curve {
                    name: method.name().to_owned(),
                    points: vec![point],
                }
            })
            .collect(),
    };
    let second = match name {
        "regression" => (1, "RMSE of a particle", Quantity::linear("RMSE")),
        _ => (2, "accuracy of a particle", Quantity::linear("accuracy")),
    };
    let panels = [(0, "NLPD", Quantity::linear("NLPD")), second].map(panel);
    lab.draw(name, &panels);
}
