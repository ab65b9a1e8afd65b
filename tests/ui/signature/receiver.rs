use bayes::prelude::*;

struct Survey {
    y: Vec<f64>,
}

impl Survey {
    #[model]
    fn mean(&self) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(&self.y, Normal::new(mu, 1.0));
    }
}

fn main() {}
