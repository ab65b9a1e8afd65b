//! The spread of repeated estimates of several numbers.

use serde_json::{Value, json};

/// Variance and mean squared error over repeats, averaged over the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub variance: f64,
    /// Standard error of the variance, relative to it.
    pub error: f64,
    pub mean_squared_error: f64,
}

impl Spread {
    /// The spread of repeated estimates of the numbers in `truth`.
    pub fn of(repeats: &[Vec<f64>], truth: &[f64]) -> Self {
        let (count, width) = (repeats.len() as f64, truth.len() as f64);
        let mean = |k: usize| repeats.iter().map(|r| r[k]).sum::<f64>() / count;
        let means: Vec<f64> = (0..truth.len()).map(mean).collect();
        let distance = |repeat: &[f64], centre: &[f64]| -> f64 {
            let squares = repeat.iter().zip(centre).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>() / width
        };
        let squares: Vec<f64> = repeats.iter().map(|r| distance(r, &means)).collect();
        let average = squares.iter().sum::<f64>() / count;
        let spread = squares.iter().map(|s| (s - average).powi(2)).sum::<f64>() / count;
        let errors = repeats.iter().map(|r| distance(r, truth));
        Self {
            variance: average * count / (count - 1.0),
            error: (spread / count).sqrt() / average,
            mean_squared_error: errors.sum::<f64>() / count,
        }
    }

    /// Variance, its relative error in percent, and mean squared error.
    pub fn text(&self) -> String {
        let error = format!("± {:.0}%", 100.0 * self.error);
        format!(
            "{:>9.2e} {error:<7} {:>9.2e}      ",
            self.variance, self.mean_squared_error
        )
    }

    pub fn json(&self) -> Value {
        json!({
            "variance": self.variance,
            "relative_error": self.error,
            "mean_squared_error": self.mean_squared_error,
        })
    }
}
