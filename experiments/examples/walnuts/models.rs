//! Funnels: a log scale that is normal, so that its mean and standard deviation are known.

use bayes::prelude::*;

/// Neal's funnel (Neal 2003, section 8): a log scale and `x` of this width, with `scale = exp(steepness v)`.
#[model]
pub fn funnel(sd: f64, steepness: f64, width: usize) {
    let v = sample(Normal::new(0.0, sd));
    let _x = sample(Normal::new(0.0, (steepness * v).exp()).iid(width));
}

/// Two funnels side by side: where one is narrow the other may be wide.
#[model]
pub fn two_funnels(sd: f64, width: usize) {
    let v = sample(Normal::new(0.0, sd).iid(2));
    let _x = sample(Normal::new(0.0, (0.5 * v[0]).exp()).iid(width));
    let _y = sample(Normal::new(0.0, (0.5 * v[1]).exp()).iid(width));
}
