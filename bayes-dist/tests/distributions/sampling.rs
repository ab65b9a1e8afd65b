//! Draws against the density: a chi-square test over bins, in the unconstrained coordinate.

use crate::battery::{Subject, stream};
use crate::integration::{coordinates, density_of_coordinate, half_line, smallest};

const DRAWS: usize = 20_000;
const BINS: usize = 16;

pub fn draws_follow_the_density(subject: &Subject) {
    for case in subject.cases().iter().filter(|case| !case.out_of_reach) {
        let parameters = case.parameters.as_slice();
        // The edges come from other draws than the counted ones, so that the counts are
        // multinomial.
        let pilot = coordinates(subject, parameters, 1000, 2);
        let mut edges: Vec<f64> = (1..BINS).map(|b| pilot[b * pilot.len() / BINS]).collect();
        if subject.is_discrete() {
            edges.iter_mut().for_each(|e| *e += 0.5);
        }
        edges.dedup();
        let draws = coordinates(subject, parameters, DRAWS, 3);
        let masses = if subject.is_discrete() {
            discrete_masses(subject, parameters, &edges)
        } else {
            continuous_masses(subject, parameters, &edges, pilot[750] - pilot[250])
        };
        let mut from = 0;
        let mut statistic = 0.0;
        for (bin, mass) in masses.iter().enumerate() {
            let to = edges
                .get(bin)
                .map_or(DRAWS, |edge| draws.partition_point(|u| u <= edge));
            let (observed, expected) = ((to - from) as f64, mass * DRAWS as f64);
            from = to;
            if observed != expected {
                statistic += (observed - expected).powi(2) / expected.max(1e-3);
            }
        }
        // at most 15 degrees of freedom: beyond 60 with probability 3e-7
        assert!(
            statistic < 60.0,
            "{parameters:?}: chi-square {statistic} over {edges:?}"
        );
    }
}

fn continuous_masses(subject: &Subject, parameters: &[f64], edges: &[f64], scale: f64) -> Vec<f64> {
    let density = |u| density_of_coordinate(subject, u, parameters);
    let mut masses = vec![half_line(density, edges[0], -scale)];
    masses.extend(
        edges
            .windows(2)
            .map(|pair| simpson(density, pair[0], pair[1])),
    );
    masses.push(half_line(density, edges[edges.len() - 1], scale));
    masses
}

fn simpson(density: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let panels = 200;
    let width = (high - low) / f64::from(panels);
    let at = |k: f64| density(low + k * width);
    (0..panels)
        .map(f64::from)
        .map(|k| width / 6.0 * (at(k) + 4.0 * at(k + 0.5) + at(k + 1.0)))
        .sum()
}

fn discrete_masses(subject: &Subject, parameters: &[f64], edges: &[f64]) -> Vec<f64> {
    let mut masses = Vec::new();
    let mut x = smallest(subject, parameters);
    for edge in edges {
        let mut mass = 0.0;
        while x <= *edge {
            mass += subject.log_density(x, parameters).exp();
            x += 1.0;
        }
        masses.push(mass);
    }
    let below: f64 = masses.iter().sum();
    // integrates_to_one has shown that the rest is the complement
    masses.push((1.0 - below).max(0.0));
    masses
}

/// A draw lies inside the support, with a finite coordinate that leads back to it.
pub fn draws_survive_the_transform(subject: &Subject) {
    for case in subject.cases() {
        let parameters = case.parameters.as_slice();
        let distribution = subject.distribution(parameters);
        let mut stream = stream(4);
        for _ in 0..1000 {
            let x = distribution.draw(&mut stream);
            let log_density = distribution.log_density(&x);
            assert!(
                log_density.is_finite(),
                "{parameters:?}: log density {log_density} at the draw {}",
                x[0]
            );
            let u = distribution.unconstrain(&x);
            assert!(
                u[0].is_finite(),
                "{parameters:?}: coordinate {} of the draw {}",
                u[0],
                x[0]
            );
            let (back, log_jacobian) = distribution.constrain(u[0]);
            assert!(log_jacobian.is_finite());
            assert!(
                (back - x[0]).abs() <= 1e-12 * x[0].abs().max(f64::MIN_POSITIVE * 1e13),
                "{parameters:?}: {} came back as {back}",
                x[0]
            );
        }
    }
}
