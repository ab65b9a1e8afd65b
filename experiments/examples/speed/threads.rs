//! One thread compared with two.

use super::clock::{Clock, interleave_by};
use super::table::{Promise, Row};
use super::{Context, models, on_threads};
use bayes::prelude::*;

/// The answer.
pub fn rows(context: &Context) -> Vec<Row> {
    let (work, promise) = (
        "HMC chains on credit: 1 thread / 2 threads",
        Promise::AtLeast(1.9, 1.97),
    );
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return vec![Row::missing(work, promise, "this machine has one core")];
    }
    let credit = &context.problems.credit;
    let model = models::credit(&credit.0, &credit.1);
    let sampler = Inference::hmc()
        .chains(64)
        .burn_in(0)
        .draws(1)
        .thin(context.options.size(100, 10))
        .kernel(Hmc::new().leapfrog_steps(10).step_size(0.1))
        .seed(context.options.seed)
        .progress(false);
    let run = |threads| {
        on_threads(threads, || {
            std::hint::black_box(sampler.run(&model).expect("the model can be run"))
        });
    };
    let times = interleave_by(
        Clock::Wall,
        &mut [&mut || run(1), &mut || run(2)],
        2 * context.options.budget(),
    );
    let note = format!(
        "{:.1} ms and {:.1} ms",
        times[0].best() * 1e3,
        times[1].best() * 1e3
    );
    vec![Row::new(work, times[0].over(&times[1]), promise, note)]
}
