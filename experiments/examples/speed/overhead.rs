//! The cost of a sampler relative to its gradients.

use super::block::Evaluation;
use super::clock::interleave;
use super::table::{Promise, Row};
use super::{Context, models};
use bayes::prelude::*;

/// Number of chains that move together.
const BLOCK: usize = 16;

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let problems = &context.problems;
    let gauss = models::gauss(&problems.gauss.x, &problems.gauss.y, problems.gauss.noise);
    let credit = models::credit(&problems.credit.0, &problems.credit.1);
    let steps = context.options.size(60, 10);
    vec![
        row(
            context,
            "gauss",
            &gauss,
            4 * steps,
            Promise::AtMost(1.5, 1.2),
        ),
        row(
            context,
            "credit",
            &credit,
            steps / 2,
            Promise::AtMost(1.1, 1.03),
        ),
    ]
}

fn row<Mo: Model + AllSampled + Differentiable>(
    context: &Context,
    name: &str,
    model: &Mo,
    steps: usize,
    promise: Promise,
) -> Row {
    let sampler = Inference::hmc()
        .chains(4 * BLOCK)
        .burn_in(steps)
        .draws(1)
        .thin(steps)
        .kernel(Hmc::new().leapfrog_steps(10))
        .seed(context.options.seed)
        .progress(false);
    let run = || sampler.run(model).expect("the model can be run");
    let gradients = run().counts().gradient_evaluations;
    let mut evaluation = Evaluation::new(model, BLOCK);
    let times = interleave(
        &mut [
            &mut || {
                std::hint::black_box(run());
            },
            &mut || (0..gradients / BLOCK as u64).for_each(|_| evaluation.gradients()),
        ],
        context.options.budget(),
    );
    Row::new(
        format!("HMC chains on {name}: whole run / its gradients alone"),
        times[0].over(&times[1]),
        promise,
        format!(
            "{} chains, {gradients} gradients in {:.1} ms",
            4 * BLOCK,
            times[0].best() * 1e3
        ),
    )
}
