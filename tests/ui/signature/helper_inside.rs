use bayes::prelude::*;

#[model]
fn rates(counts: &[u64]) {
    fn link(a: Real) -> Real {
        (1.0 + a.exp()).ln()
    }
    let a = sample(Normal::new(0.0, 1.0));
    observe(counts, Poisson::new(link(a)));
}

fn main() {}
