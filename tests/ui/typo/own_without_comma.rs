use bayes::dist::{Constraint, Continuous, Family, ParameterInfo};
use bayes::prelude::*;
use bayes::rng::Stream;
use bayes::transform::Support;

#[derive(Clone, Copy, Debug)]
struct Own;

impl Family<1> for Own {
    const NAME: &'static str = "Own";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("rate", Constraint::Positive)];
    type Domain = Continuous;
    fn log_kernel<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        rate.ln() - rate * x
    }
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::positive()
    }
    fn draw([rate]: [f64; 1], _: &mut Stream) -> f64 {
        1.0 / rate
    }
}

#[model]
fn waits(y: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    observe(y, Own::at(rate));
}

fn main() {}
