//! The time of an iteration of OHSMC on the network for digits, compared with JAX.
//!
//! The variable `PEERS_PYTHON` names a Python with JAX, which then alternates with bayes. Both use all available cores: `taskset -c 0`
//! before the command gives them one.

use crate::Lab;
use crate::digits;
use crate::models::classification;
use crate::task::Targets;
use bayes::observe::{Losses, Observer};
use bayes::prelude::*;
use bayes_experiments::common::{fail, or_fail};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Number of digits of a minibatch, as in the paper.
const DIGITS: usize = 20;

/// The end times of epochs.
#[derive(Debug, Default)]
struct Clock(Mutex<Vec<Instant>>);

impl Observer for Clock {
    fn epoch(&self, _: usize, _: usize, _: usize, _: Losses) {
        self.0
            .lock()
            .expect("no observer panics")
            .push(Instant::now());
    }
}

/// Seconds of an iteration: an epoch of a single minibatch, without the first one.
fn ours(lab: &Lab, particles: usize, iterations: usize) -> f64 {
    let (net, points) = (digits::network(), digits::points(lab, "train", 0..DIGITS));
    let Targets::Classes(labels) = &points.targets else {
        unreachable!("digits are classes")
    };
    let clock = Arc::new(Clock::default());
    let engine = Inference::ohsmc()
        .particles(particles)
        .epochs(iterations + 1);
    let engine = engine.minibatch(DIGITS).adam(0.002).observer(clock.clone());
    or_fail(engine.run(&classification(&net, &points.x, labels)));
    let ends = clock.0.lock().expect("no observer panics");
    (ends[iterations] - ends[0]).as_secs_f64() / iterations as f64
}

/// The same by JAX.
fn theirs(python: &str, particles: usize, iterations: usize) -> f64 {
    let peer = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pbnn/peer.py");
    let mut command = Command::new(python);
    let command = command
        .arg(peer)
        .args([iterations, particles].map(|n| n.to_string()));
    let output = match command.stderr(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) => fail(&format!("cannot run `{python}`: {error}")),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds = text.trim().parse();
    seconds.unwrap_or_else(|_| fail(&format!("`{python} {peer}` prints no number: `{text}`")))
}

pub fn run(lab: &Lab) -> Value {
    let particles = lab.size("--particles", &lab.particles, 8, 8);
    let (iterations, repeats) = (
        lab.options.size(5, 1),
        lab.size("--repeats", &lab.repeats, 3, 1),
    );
    let python = std::env::var("PEERS_PYTHON").ok();
    let (mut bayes, mut jax) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        bayes.push(ours(lab, particles, iterations));
        jax.extend(
            python
                .as_ref()
                .map(|python| theirs(python, particles, iterations)),
        );
    }
    let least = |seconds: &[f64]| seconds.iter().copied().reduce(f64::min);
    lab.say(&format!(
        "{particles} particles, {DIGITS} digits, the best of {repeats}"
    ));
    for (name, seconds) in [("bayes", least(&bayes)), ("JAX", least(&jax))] {
        if let Some(seconds) = seconds {
            lab.say(&format!("{name:10}{seconds:8.3} s an iteration"));
        }
    }
    let ratio = least(&jax)
        .zip(least(&bayes))
        .map(|(jax, bayes)| jax / bayes);
    if let Some(ratio) = ratio {
        lab.say(&format!("JAX / bayes {ratio:6.2}"));
    }
    match lab.options.times {
        true => json!({ "bayes": least(&bayes), "jax": least(&jax), "ratio": ratio }),
        false => json!({ "particles": particles }),
    }
}
