//! A group of restarts, which advance together from starting points to ends.

use super::Settings;
use super::data::{Data, Reader};
use super::edge::{is_cut_short, runs_to_the_edge};
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::chains::start::likeliest;
use crate::engine::common::Common;
use crate::error::Error;
use crate::model::rows::shuffled;
use crate::observe::{Losses, Observer};
use crate::optimise::{Descent, EarlyStopping, KeptWeights, Seen, Step};
use crate::rng::{Key, Purpose};
use crate::run::{Ended, Restart};
use std::ops::Range;

/// Number of restarts that advance together: they fill the SIMD lanes. Fixed, so that results do not depend on the number of threads.
pub(super) const GROUP: usize = bayes_autodiff::simd::LANES;

/// The explanation of a loss that is not a number where no statement is the cause.
const FAR_OUT: &str = "the position left the range in which the model can be evaluated; a smaller learning rate may keep it inside";

/// The common data of all groups of an optimisation.
pub(super) struct Trainer<'a> {
    pub(super) settings: &'a Settings,
    pub(super) data: &'a Data<'a>,
    pub(super) common: &'a Common,
    /// When to stop by the validation loss; there are validation rows.
    pub(super) stopping: Option<EarlyStopping>,
    pub(super) observer: &'a dyn Observer,
    pub(super) visit: Visit<'a>,
}

/// Receives the number of a restart, the epoch (from 0) and the position after it.
pub(super) type Visit<'a> = &'a (dyn Fn(usize, usize, &[f64]) + Sync);

/// A restart during the optimisation.
struct Member {
    position: Vec<f64>,
    descent: Box<dyn Descent>,
    losses: Vec<f64>,
    validation_losses: Vec<f64>,
    /// The epoch with the lowest validation loss, and the position after it.
    best: Option<(usize, Vec<f64>)>,
    ended: Option<Ended>,
}

impl Member {
    fn is_active(&self) -> bool {
        self.ended.is_none()
    }
}

/// A group of restarts with its memory.
struct Group {
    members: Vec<Member>,
    counts: Counts,
}

/// A density of some rows in an epoch.
struct Part<'a> {
    density: &'a dyn LogDensity,
    /// The share of the training rows in it.
    share: f64,
    /// The epoch, from 0, plus the finished share of it.
    epoch: f64,
}

impl Trainer<'_> {
    fn dim(&self) -> usize {
        self.data.all.dim()
    }

    /// The weights of the prior and of the likelihood of a share of the rows.
    fn weights(&self, share: f64) -> [f64; 2] {
        let [prior, likelihood] = self.settings.weights();
        [prior, likelihood / share]
    }

    /// The restarts with these numbers, from start to end.
    pub(super) fn run(&self, numbers: Range<usize>) -> Result<(Vec<Restart>, Counts), Error> {
        let (first, number) = (numbers.start, numbers.start / GROUP);
        let mut group = self.start(numbers)?;
        let mut reader = match &self.data.batches {
            Some((_, batches)) => Some(batches.reader()?),
            None => None,
        };
        for epoch in 0..self.settings.training.epochs {
            if self.common.is_stopped() {
                let (finished, units) = (0, self.settings.restarts.div_ceil(GROUP));
                return Err(Error::Stopped { finished, units });
            }
            match &mut reader {
                Some(reader) => self.minibatches(&mut group, epoch, number, &mut **reader)?,
                None => self.all_rows(&mut group, epoch),
            }
            for (place, member) in group.members.iter().enumerate() {
                if member.is_active() {
                    (self.visit)(first + place, epoch, &member.position);
                }
            }
            self.validate(&mut group, epoch);
            self.show(&group, epoch, number);
            if !group.members.iter().any(Member::is_active) {
                break;
            }
        }
        self.observer.finish(number);
        Ok(self.finish(group))
    }

    /// The starting points: the given ones, or for each restart the likeliest of some prior draws.
    fn start(&self, numbers: Range<usize>) -> Result<Group, Error> {
        let dim = self.dim();
        let mut counts = Counts::default();
        let mut members = Vec::with_capacity(numbers.len());
        for number in numbers {
            let position = match &self.settings.starts {
                Some(starts) => starts[number].clone(),
                None => {
                    let key = Key::new(self.common.seed, Purpose::Initial).item(number as u64);
                    let candidates = self.settings.candidates;
                    likeliest(self.data.all, key, candidates, &mut counts)?.positions
                }
            };
            members.push(Member {
                position,
                descent: self.settings.training.optimiser.start(dim),
                losses: Vec::new(),
                validation_losses: Vec::new(),
                best: None,
                ended: None,
            });
        }
        Ok(Group { members, counts })
    }

    /// One step with the gradient of all rows.
    fn all_rows(&self, group: &mut Group, epoch: usize) {
        let part = Part {
            density: self.data.all,
            share: 1.0,
            epoch: epoch as f64,
        };
        let losses = self.step(group, &part);
        let only_accepted = !self.settings.training.optimiser.takes_minibatches();
        for (member, loss) in group.members.iter_mut().zip(losses) {
            let Some(loss) = loss else { continue };
            // a line search also tries positions that it then rejects
            let least = member.losses.last().copied().filter(|_| only_accepted);
            member.losses.push(loss.min(least.unwrap_or(f64::INFINITY)));
        }
    }

    /// Steps with all minibatches of an epoch, in a random order.
    fn minibatches(
        &self,
        group: &mut Group,
        epoch: usize,
        number: usize,
        reader: &mut dyn Reader,
    ) -> Result<(), Error> {
        let (rows, size) = (
            self.data.rows,
            self.data.batches.as_ref().map_or(1, |b| b.0),
        );
        let key = Key::new(self.common.seed, Purpose::Minibatch);
        let key = key.group(number as u64).stage(epoch as u32);
        let order = shuffled(rows, key);
        let mut sums = vec![(0.0, 0.0); group.members.len()];
        for (done, batch) in order.chunks(size).enumerate() {
            reader.read(batch, &mut |density| {
                let part = Part {
                    density,
                    share: batch.len() as f64 / rows as f64,
                    epoch: epoch as f64 + (done * size) as f64 / rows as f64,
                };
                let losses = self.step(group, &part);
                for ((sum, share), loss) in sums.iter_mut().zip(losses) {
                    if let Some(loss) = loss {
                        *sum += part.share * loss;
                        *share += part.share;
                    }
                }
            })?;
        }
        for (member, (sum, share)) in group.members.iter_mut().zip(sums) {
            if share > 0.0 {
                member.losses.push(sum / share);
            }
        }
        Ok(())
    }

    /// Every active restart makes a step by the loss of these rows. Returns the losses per row, of active restarts only.
    fn step(&self, group: &mut Group, part: &Part<'_>) -> Vec<Option<f64>> {
        let target = Target::weighted(part.density, self.weights(part.share));
        let mut particles = gather(&group.members, self.dim());
        let mut block = particles.block();
        target.evaluate_gradient(&mut block, &mut group.counts);
        let scale = -1.0 / self.data.rows as f64;
        block.gradient.iter_mut().for_each(|g| *g *= scale);
        let losses: Vec<f64> = (0..block.len())
            .map(|i| scale * target.log_density(&block, i))
            .collect();
        let mut place = 0;
        let advance = |member: &mut Member| {
            if !member.is_active() {
                return None;
            }
            let loss = losses[place];
            let seen = Seen {
                loss,
                gradient: &particles.gradient[place * particles.dim..][..particles.dim],
                epoch: part.epoch,
                epochs: self.settings.training.epochs as f64,
            };
            let step = member.descent.step(seen, &mut member.position);
            member.ended = ended(step, part, particles.position(place));
            place += 1;
            Some(loss)
        };
        group.members.iter_mut().map(advance).collect()
    }

    /// The validation losses after an epoch, and the resulting decisions.
    fn validate(&self, group: &mut Group, epoch: usize) {
        let (Some((density, rows)), Some(rule)) = (self.data.validation, self.stopping) else {
            return;
        };
        let mut particles = gather(&group.members, self.dim());
        let mut block = particles.block();
        let target = Target::posterior(density);
        target.evaluate(&mut block, &mut group.counts);
        let active = group.members.iter_mut().filter(|member| member.is_active());
        for (member, log_likelihood) in active.zip(&particles.log_likelihood) {
            member.validation_losses.push(-log_likelihood / rows as f64);
            let verdict = rule.verdict(&member.validation_losses);
            if verdict.is_best {
                member.best = Some((epoch + 1, member.position.clone()));
            }
            if verdict.stops {
                member.ended = Some(Ended::Stopped { kept: epoch + 1 });
            }
        }
    }

    /// Shows the losses of the restart with the lowest loss.
    fn show(&self, group: &Group, epoch: usize, number: usize) {
        let last = |member: &Member| Losses {
            training: member.losses.last().copied().unwrap_or(f64::INFINITY),
            validation: member.validation_losses.last().copied(),
        };
        let losses = group.members.iter().map(last);
        let best = losses.min_by(|a, b| a.training.total_cmp(&b.training));
        if let Some(best) = best {
            let epochs = self.settings.training.epochs;
            self.observer.epoch(number, epoch + 1, epochs, best);
        }
    }

    /// The restarts at the kept positions, evaluated on all training rows.
    fn finish(&self, group: Group) -> (Vec<Restart>, Counts) {
        let Group {
            mut members,
            mut counts,
        } = group;
        let keeps_best = self
            .stopping
            .is_some_and(|rule| rule.kept() == KeptWeights::Best);
        let dim = self.dim();
        let mut particles = Particles::new(members.len(), dim);
        for (member, row) in members.iter_mut().zip(particles.positions.chunks_mut(dim)) {
            match &member.best {
                Some((epoch, best)) if keeps_best => {
                    member.position.clone_from(best);
                    // also after the last epoch
                    if matches!(member.ended, None | Some(Ended::Stopped { .. })) {
                        member.ended = Some(Ended::Stopped { kept: *epoch });
                    }
                }
                _ if member.is_active() => member.descent.settle(&mut member.position),
                _ => {}
            }
            row.copy_from_slice(&member.position);
        }
        let target = Target::weighted(self.data.all, self.weights(1.0));
        target.evaluate_gradient(&mut particles.block(), &mut counts);
        let restarts = members.into_iter().enumerate();
        let restarts = restarts.map(|(i, member)| self.restart(member, &mut particles, i));
        (restarts.collect(), counts)
    }

    /// Whether an optimisation by all rows that did not converge ran towards the edge of the space.
    fn runs_away(&self, position: &[f64], losses: &[f64]) -> bool {
        let data = self.data;
        data.batches.is_none() && runs_to_the_edge(data.all, position, losses, data.rows)
    }

    fn restart(&self, member: Member, particles: &mut Particles, i: usize) -> Restart {
        let density = self.data.all;
        let block = particles.block();
        let target = Target::weighted(density, self.weights(1.0));
        let ended = match member.ended.unwrap_or(Ended::AllEpochs) {
            Ended::AllEpochs if is_cut_short(&member.losses) => Ended::AllEpochs,
            Ended::AllEpochs | Ended::Stalled
                if self.runs_away(&member.position, &member.losses) =>
            {
                Ended::NoMode
            }
            ended => ended,
        };
        let gradient = &block.gradient[block.row(i)];
        Restart {
            values: density.quantities().output(&member.position),
            log_prior: block.log_prior[i],
            log_likelihood: block.log_likelihood[i],
            log_density: target.log_density(&block, i),
            gradient_norm: gradient.iter().map(|g| g * g).sum::<f64>().sqrt(),
            position: member.position,
            losses: member.losses,
            validation_losses: member.validation_losses,
            ended,
            maximum: None,
        }
    }
}

/// The positions of the active restarts.
fn gather(members: &[Member], dim: usize) -> Particles {
    let active: Vec<&Member> = members.iter().filter(|member| member.is_active()).collect();
    let mut particles = Particles::new(active.len(), dim);
    for (row, member) in particles.positions.chunks_mut(dim).zip(active) {
        row.copy_from_slice(&member.position);
    }
    particles
}

/// Why a restart ends after a step that was made from `position`, if it does.
fn ended(step: Step, part: &Part<'_>, position: &[f64]) -> Option<Ended> {
    match step {
        Step::Moved => None,
        Step::Converged => Some(Ended::Converged),
        Step::Unattained => Some(Ended::NoMode),
        Step::Stalled => Some(Ended::Stalled),
        Step::NotFinite => {
            let statement = part.density.first_non_finite(position);
            Some(Ended::NotFinite {
                epoch: part.epoch as usize + 1,
                statement: statement.unwrap_or_else(|| FAR_OUT.to_owned()),
            })
        }
    }
}
