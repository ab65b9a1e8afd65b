//! Log densities and gradients of loops: replayed from a trace, and by hand in eight lanes; µs per particle.
//!
//! `cargo bench -p bayes-benches --bench trace`, or with some of the names: `.. --bench trace -- schools`

#![allow(
    missing_docs,
    clippy::needless_range_loop,
    reason = "lanes and coordinates are counted, as one writes by hand"
)]

mod ark;
mod contest;
mod garch;
mod markov;
mod rk4;
mod schools;
mod state_space;

use ark::Ark;
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::{Mode, Real};
use contest::contest;
use garch::Garch;
use markov::Markov;
use rk4::{EVERY, Ode, STEPS};
use schools::Schools;
use state_space::StateSpace;

const LOG_ROOT_TAU: f64 = 0.918_938_533_204_672_7;

/// Adds the log density of a normal observation.
#[inline(always)]
fn normal<M: Mode>(sum: &mut Real<M>, y: f64, mean: Real<M>, sd: Real<M>) {
    let z = (y - mean) / sd;
    *sum += z * z * -0.5 - sd.ln() - LOG_ROOT_TAU;
}

/// Standard normal in every coordinate, up to a constant.
#[inline(always)]
fn prior<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut sum = Real::<M>::constant(0.0);
    for x in x {
        sum += *x * *x * -0.5;
    }
    sum
}

fn main() {
    let level = InstructionSet::detect();
    println!(
        "{level}; µs a particle for value and gradient, ratio to eight lanes by hand in brackets"
    );
    let series = |n: usize| -> Vec<f64> {
        (0..n)
            .map(|t| (0.37 * t as f64).sin() + 0.2 * (1.9 * t as f64).cos())
            .collect()
    };
    let pairs = |n: usize| {
        (0..n)
            .map(|t| [1.0 + 0.3 * (t as f64).sin(), 0.8])
            .collect()
    };
    let ode = Ode {
        y: pairs(STEPS / EVERY),
    };
    contest("rk4", &ode, 4);
    contest("ark", &Ark { y: series(200) }, 7);
    for n in [8, 256] {
        let schools = Schools {
            y: series(n),
            sigma: series(n).iter().map(|x| 1.0 + x * x).collect(),
        };
        contest(&format!("schools {n}"), &schools, 2 + n);
    }
    contest("garch", &Garch { y: series(200) }, 4);
    contest("markov", &Markov { y: series(200) }, 5);
    contest("state space", &StateSpace { y: pairs(100) }, 204);
}
