//! The held-out rows: the loss that chooses the params.

use super::population::Population;
use crate::density::{AtParams, Counts, Particles, Target};
use crate::engine::fit::map::{Batches, ByRow, Reader};
use crate::engine::mover;
use crate::error::Error;
use crate::numeric::log_sum_exp;
use crate::parallel;

/// Number of particles whose log likelihoods by row are kept at a time.
const TOGETHER: usize = 64;
/// Number of particles that are tried before rows are read one by one for good.
const TRIED: usize = 8;
/// The largest relative difference that rounding of a network in single precision can make.
const ROUNDING: f64 = 1e-4;

/// Held-out rows.
pub(super) struct HeldOut<'a> {
    reader: Box<dyn Reader + 'a>,
    rows: usize,
    /// Evaluates all rows in one pass for each particle; `None` if the result differs from the density of single rows.
    by_row: Option<ByRow<'a>>,
}

impl<'a> HeldOut<'a> {
    /// The first `rows` rows of `from`. Compares one pass with all rows one by one, at params, at the first of the particles `tried`
    /// where the density is finite.
    pub(super) fn new(
        from: &'a dyn Batches,
        rows: usize,
        (at, tried): (&AtParams<'_>, &Particles),
        counts: &mut Counts,
    ) -> Result<Self, Error> {
        let mut held_out = Self {
            reader: from.reader()?,
            rows,
            by_row: None,
        };
        let by_row = from.by_row();
        let together = |j: usize| {
            let position = at.whole(tried.position(j));
            by_row.as_ref()?(&position).map(|found| (j, found))
        };
        let Some((j, together)) = (0..tried.len().min(TRIED)).find_map(together) else {
            return Ok(held_out);
        };
        let mut particle = at.particles(&tried.select(&[j as u32]));
        let mut agree = true;
        for (row, together) in together.into_iter().enumerate() {
            held_out.read(row, &mut particle, counts)?;
            let alone = particle.log_likelihood[0];
            agree = agree && (alone - together).abs() <= ROUNDING * (1.0 + alone.abs());
        }
        held_out.by_row = by_row.filter(|_| agree);
        Ok(held_out)
    }

    /// `−1/n Σ_i ln Σ_j w_j p(y_i | φ_j; ψ)` over the rows.
    pub(super) fn loss(
        &mut self,
        at: &AtParams<'_>,
        population: &Population,
        counts: &mut Counts,
    ) -> Result<f64, Error> {
        let sum = match self.in_one_pass(at, population) {
            Some(sum) => {
                counts.density_evaluations += population.particles.len() as u64;
                sum
            }
            None => self.one_by_one(at, population, counts)?,
        };
        Ok(-sum / self.rows as f64)
    }

    /// `None` if a log likelihood is not finite; the density of its row then counts it.
    fn in_one_pass(&self, at: &AtParams<'_>, population: &Population) -> Option<f64> {
        let by_row = self.by_row.as_ref()?;
        let (particles, log_weights) = (&population.particles, &population.log_weights);
        let numbers: Vec<usize> = (0..particles.len()).collect();
        let mut totals = vec![f64::NEG_INFINITY; self.rows];
        for group in numbers.chunks(TOGETHER) {
            let of_particle = |j: &usize| by_row(&at.whole(particles.position(*j)));
            let found = parallel::map(group, of_particle);
            let found: Vec<Vec<f64>> = found.into_iter().collect::<Option<_>>()?;
            for (row, total) in totals.iter_mut().enumerate() {
                let terms = group.iter().zip(&found);
                let terms = terms.map(|(j, of_rows)| log_weights[*j] + of_rows[row]);
                let terms: Vec<f64> = terms.chain([*total]).collect();
                *total = log_sum_exp(&terms);
            }
        }
        Some(totals.iter().sum())
    }

    fn one_by_one(
        &mut self,
        at: &AtParams<'_>,
        population: &Population,
        counts: &mut Counts,
    ) -> Result<f64, Error> {
        // with the params, so that they are joined once and not for every row
        let mut particles = at.particles(&population.particles);
        let mut sum = 0.0;
        for row in 0..self.rows {
            self.read(row, &mut particles, counts)?;
            let terms = population.log_weights.iter().zip(&particles.log_likelihood);
            let terms: Vec<f64> = terms.map(|(w, l)| w + l).collect();
            sum += log_sum_exp(&terms);
        }
        Ok(sum)
    }

    /// Evaluates the density of one row at the particles.
    fn read(
        &mut self,
        row: usize,
        particles: &mut Particles,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        self.reader.read(&[row], &mut |density| {
            counts.merge(&mover::evaluate(particles, Target::posterior(density)));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Effects;
    use super::*;

    /// Random effects that also return the log likelihoods of all rows in one pass, changed by `change`.
    struct Told<'a> {
        effects: &'a Effects,
        change: fn(&mut Vec<f64>),
    }

    impl Batches for Told<'_> {
        fn reader(&self) -> Result<Box<dyn Reader + '_>, Error> {
            self.effects.reader()
        }
        fn by_row(&self) -> Option<ByRow<'_>> {
            Some(Box::new(|position| {
                let (shift, scale) = (position[0], position[1].exp());
                let term = |(group, y): &(usize, f64)| {
                    let r = y - shift - scale * position[2 + group];
                    -0.5 * (r * r + std::f64::consts::TAU.ln())
                };
                let mut terms = self.effects.rows.iter().map(term).collect();
                (self.change)(&mut terms);
                Some(terms)
            }))
        }
    }

    /// The loss of 150 particles, with the counts, and whether one pass was used.
    fn loss(effects: &Effects, from: &dyn Batches, rows: usize) -> (f64, Counts, bool) {
        let mut counts = Counts::default();
        let mut particles = Particles::new(150, 3);
        for (i, x) in particles.positions.iter_mut().enumerate() {
            *x = (i as f64 * 0.7).sin();
        }
        let log_weights: Vec<f64> = (0..150).map(|j| -0.01 * j as f64).collect();
        let total = log_sum_exp(&log_weights);
        let population = Population {
            log_weights: log_weights.iter().map(|w| w - total).collect(),
            particles,
        };
        let is_param = [true, true, false, false, false];
        let at = AtParams::new(effects, &is_param, &[0.2, -0.3]);
        let tried = (&at, &population.particles);
        let mut held_out = HeldOut::new(from, rows, tried, &mut counts).unwrap();
        let loss = held_out.loss(&at, &population, &mut counts);
        (loss.unwrap(), counts, held_out.by_row.is_some())
    }

    /// Seen to detect: a mixture of the last group of particles alone, weights of the first group for all.
    #[test]
    fn one_pass_finds_the_loss_of_one_row_after_another() {
        let effects = Effects::simulated(3, 4, 5);
        let told = Told {
            effects: &effects,
            change: |_| {},
        };
        let ((wanted, slowly, false), (found, counts, true)) =
            (loss(&effects, &effects, 12), loss(&effects, &told, 12))
        else {
            panic!("only the second knows how to evaluate all rows in one pass");
        };
        assert!((wanted - found).abs() < 1e-12, "{wanted} and {found}");
        assert_eq!(slowly.density_evaluations, 12 * 150);
        // all rows at one particle, then one pass for each
        assert_eq!(counts.density_evaluations, 12 + 150);
    }

    /// Seen to detect: no comparison.
    #[test]
    fn one_pass_that_finds_something_else_is_not_used() {
        let effects = Effects::simulated(3, 4, 5);
        let wanted = loss(&effects, &effects, 12).0;
        let changes: [fn(&mut Vec<f64>); 4] = [
            |terms| terms[0] += 0.01,
            |terms| terms[7] += 0.01,
            |terms| terms.swap(1, 3),
            |terms| terms.reverse(),
        ];
        for change in changes {
            let told = Told {
                effects: &effects,
                change,
            };
            let (found, _, used) = loss(&effects, &told, 12);
            assert_eq!((found, used), (wanted, false));
        }
    }
}
