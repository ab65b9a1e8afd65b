//! Any number of coordinates and particles: positions go into lanes and gradients come out of them by tiles of eight.

use super::check;
use crate::gradient::Program;
use crate::mode::Mode;
use crate::real::Real;

/// Every coordinate has its own weight, so that no two can be confused.
struct Weighted;

impl Program for Weighted {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [Real::<M>::constant(0.0); 2];
        for (k, x_k) in x.iter().enumerate() {
            sums[0] += x_k.sin() * (k + 1) as f64;
            sums[1] += *x_k * x[0] * (0.5 - k as f64);
        }
        sums
    }
}

/// Fails if the last tile of `fill` or `take` begins at `dim` rounded down to a multiple of eight, or if `take` writes a row too few.
#[test]
fn every_coordinate_of_every_particle_has_its_place() {
    for dim in [1, 2, 7, 8, 9, 15, 16, 17, 24, 31] {
        for particles in [1, 5, 8, 9, 16, 23, 31, 32, 33, 47] {
            let positions: Vec<f64> = (0..dim * particles)
                .map(|i| (0.7 * i as f64).sin() + 0.01 * i as f64)
                .collect();
            check(&Weighted, dim, &positions, [0.75, 1.5]);
        }
    }
}
