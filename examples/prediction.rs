//! Predictions at covariates without data: how far does a car go before it stops, also at speeds that nobody measured?
//!
//! ```text
//! reaction ~ HalfNormal(5)    braking ~ HalfNormal(1)    spread ~ HalfNormal(3)
//! distance[i] ~ Normal(reaction speed[i] + braking speed[i]², spread speed[i])
//! ```
//!
//! The data are 50 stops of cars (Ezekiel 1930), in miles per hour and feet. The rows to predict follow, with NaN for their distances.

use bayes::plot;
use bayes::prelude::*;

/// Stopping distances: the distance during the reaction plus the braking distance.
#[model]
fn stopping(speed: &[f64], distance: &[f64]) {
    let reaction = sample(HalfNormal::new(5.0));
    let braking = sample(HalfNormal::new(1.0));
    let spread = sample(HalfNormal::new(3.0));
    for i in 0..speed.len() {
        let mean = (reaction + braking * speed[i]) * speed[i];
        observe(distance[i], Normal::new(mean, spread * speed[i]));
    }
}

const SPEED: [f64; 50] = [
    4.0, 4.0, 7.0, 7.0, 8.0, 9.0, 10.0, 10.0, 10.0, 11.0, 11.0, 12.0, 12.0, 12.0, 12.0, 13.0, 13.0,
    13.0, 13.0, 14.0, 14.0, 14.0, 14.0, 15.0, 15.0, 15.0, 16.0, 16.0, 17.0, 17.0, 17.0, 18.0, 18.0,
    18.0, 18.0, 19.0, 19.0, 19.0, 20.0, 20.0, 20.0, 20.0, 20.0, 22.0, 23.0, 24.0, 24.0, 24.0, 24.0,
    25.0,
];
const DISTANCE: [f64; 50] = [
    2.0, 10.0, 4.0, 22.0, 16.0, 10.0, 18.0, 26.0, 34.0, 17.0, 28.0, 14.0, 20.0, 24.0, 28.0, 26.0,
    34.0, 34.0, 46.0, 26.0, 36.0, 60.0, 80.0, 20.0, 26.0, 54.0, 32.0, 40.0, 32.0, 40.0, 50.0, 42.0,
    56.0, 76.0, 84.0, 36.0, 46.0, 68.0, 32.0, 48.0, 52.0, 56.0, 64.0, 66.0, 54.0, 70.0, 92.0, 93.0,
    120.0, 85.0,
];

fn main() -> Result<(), bayes::Error> {
    let run = Inference::nuts()
        .draws(1000)
        .seed(1)
        .run(&stopping(&SPEED, &DISTANCE))?;
    println!("{run}");

    // the data, then speeds from 1 to 30 without data
    let speed: Vec<f64> = SPEED.into_iter().chain((1..=30).map(f64::from)).collect();
    let mut distance = DISTANCE.to_vec();
    distance.resize(speed.len(), f64::NAN);
    let prediction = run.predict(stopping(&speed, &distance))?;
    let picture = std::env::temp_dir().join("stopping.svg");
    plot::band(&prediction, "distance", ("speed", &speed))?.save(&picture)?;
    println!("picture: {}", picture.display());

    // nine in ten data points lie between the quantiles, ±2 standard errors of a binomial share
    let rows = prediction.summary()?.rows;
    let data = rows.iter().filter_map(|row| Some((row, row.data?)));
    let inside = data.filter(|(row, y)| (row.q5..row.q95).contains(y));
    let share = inside.count() as f64 / DISTANCE.len() as f64;
    println!("{share:.2} of the data are within the 90% band");
    assert!((0.815..0.985).contains(&share));

    // at an unmeasured speed the mean is the value of the curve
    let row = rows.last().expect("there are rows");
    let curve =
        run.estimate(|draw| 30.0 * (draw.scalar("reaction") + 30.0 * draw.scalar("braking")));
    println!(
        "mean distance at a speed of 30: {}, by the curve {curve}",
        row.mean
    );
    assert!((row.mean.mean - curve.mean).abs() < 5.0 * row.mean.se);
    Ok(())
}
