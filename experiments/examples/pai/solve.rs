//! One problem: parts, chains, all methods, for each seed.

use crate::Task;
use crate::problem::Problem;
use crate::score::{self, Score, Truth};
use bayes::combine::{
    Combination, Combine, Consensus, Nonparametric, Pai, Parametric, PartitionTrees, Parts,
    Semiparametric, Warning,
};
use bayes::density::{LogDensity, Posterior, Subposterior};
use bayes::prelude::*;
use bayes::run::Draws;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Number of islands of pSMC on all data.
const ISLANDS: usize = 4;
/// Number of particles of an island in the run that measures the cost of a particle.
const REHEARSAL: usize = 32;

/// Numbers of draws, chains and rounds.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Whether the effort is too small for most problems.
    pub is_quick: bool,
    /// Number of draws of every method, and of the truth.
    pub draws: usize,
    /// Number of draws of each of the four chains of a part, after as many burn-in steps.
    pub chain: usize,
    /// Number of draws used for the Wasserstein distance.
    pub transported: usize,
    /// Number of rounds of PAI in each of its two active stages.
    pub rounds: usize,
}

impl Effort {
    /// The paper's effort, or less with `--quick`.
    pub fn of(options: bayes_experiments::common::Options) -> Self {
        Self {
            is_quick: options.quick,
            draws: options.size(10_000, 2500),
            chain: options.size(500, 200),
            transported: options.size(1000, 200),
            rounds: options.size(25, 5),
        }
    }
}

/// The results of all seeds.
pub struct Solved {
    pub answers: Vec<Answer>,
    pub truth: Truth,
}

/// The results of one seed.
pub struct Answer {
    pub scores: Vec<Score>,
    /// Draws by method in the coordinates of the problem.
    pub draws: Vec<(&'static str, Draws)>,
    /// For each part, the number of the four regions that its chains visited; empty without regions.
    pub seen: Vec<usize>,
    /// The number of parts for which a warning says that they missed a region.
    pub missed: usize,
    /// Evaluations by the chains of all parts, in units of evaluations of all data.
    pub evaluations: f64,
    /// Seconds of the slowest part's chains.
    pub chain_seconds: f64,
}

/// Makes the answer of a seed from the densities of the parts and the density of all data.
type Solve<'a> = &'a dyn Fn(&[&dyn LogDensity], &dyn LogDensity) -> Result<Answer, bayes::Error>;

/// All seeds of a problem that is a model with rows.
pub fn solve_model<Mo: Rows + Sync>(
    problem: &Problem,
    task: &Task,
    model: &Mo,
    truth: impl FnOnce(usize) -> Vec<Vec<f64>>,
) -> Result<Solved, bayes::Error> {
    solve_all(problem, task, truth, |seed, solve| {
        let rows = model.parts(problem.parts, seed)?;
        let parts = Subposterior::of_parts(&rows)?;
        let parts: Vec<&dyn LogDensity> = parts.iter().map(|part| part as _).collect();
        solve(&parts, &Posterior::new(model, seed)?)
    })
}

/// All seeds, in parallel; `densities` makes the densities of a seed.
pub fn solve_all(
    problem: &Problem,
    task: &Task,
    truth: impl FnOnce(usize) -> Vec<Vec<f64>>,
    densities: impl Fn(u64, Solve<'_>) -> Result<Answer, bayes::Error> + Sync,
) -> Result<Solved, bayes::Error> {
    let truth = Truth::new(truth(2 * task.effort.draws), task.effort.transported);
    let solve_seed = |seed| {
        densities(seed, &|parts, whole| {
            solve(problem, task, &truth, (parts, whole), seed)
        })
    };
    let answers = task.seeds.clone().into_par_iter().map(solve_seed);
    let answers = answers.collect::<Result<_, _>>()?;
    Ok(Solved { answers, truth })
}

fn solve(
    problem: &Problem,
    task: &Task,
    truth: &Truth,
    (densities, whole): (&[&dyn LogDensity], &dyn LogDensity),
    seed: u64,
) -> Result<Answer, bayes::Error> {
    let chains = |(part, density): (usize, &&dyn LogDensity)| {
        let mut engine = (problem.chains)(task.effort.chain);
        // each part has its own seed; otherwise their chains would start alike
        engine.common_mut().seed = 1000 * seed + part as u64;
        let start = Instant::now();
        let run = engine.run_on(*density);
        run.map(|run| (run, start.elapsed().as_secs_f64()))
    };
    let timed = densities.par_iter().enumerate().map(chains);
    let (runs, seconds): (Vec<Run>, Vec<f64>) =
        timed.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let mut answer = Answer {
        scores: Vec::new(),
        draws: Vec::new(),
        seen: seen(problem, &runs),
        missed: 0,
        evaluations: runs.iter().map(evaluations).sum::<f64>() / problem.parts as f64,
        chain_seconds: seconds.into_iter().fold(0.0, f64::max),
    };
    let parts = Parts::of_densities(densities.to_vec(), &runs)?;
    let parts = match problem.bounds {
        [] => parts,
        bounds => parts.bounded(bounds)?,
    };
    let is_missed = |warning: &&Warning| matches!(warning, Warning::MissedRegion { .. });
    answer.missed = parts.warnings().iter().filter(is_missed).count();
    let mut judge = Judge {
        problem,
        truth,
        answer,
    };
    match task.is_ablation {
        true => judge.stages(&parts, task.effort, seed)?,
        false => {
            judge.methods(&parts, task.effort, seed)?;
            judge.whole(whole, seed)?;
        }
    }
    Ok(judge.answer)
}

/// Evaluations of the density, with gradients or without.
fn evaluations(run: &Run) -> f64 {
    let counts = run.counts();
    (counts.density_evaluations + counts.gradient_evaluations) as f64
}

/// Whether the draws of a combination with this warning may lie at a wrong place.
fn is_grave(warning: &Warning) -> bool {
    use Warning::{CollapsedWeights, Unexpected};
    matches!(warning, Unexpected { .. } | CollapsedWeights { .. })
}

/// The number of regions that each run visited.
fn seen(problem: &Problem, runs: &[Run]) -> Vec<usize> {
    let of_run = |run: &Run| {
        let masses = score::masses(problem, &score::view(problem, run, true));
        masses.iter().filter(|mass| **mass > 0.0).count()
    };
    match problem.region {
        Some(_) => runs.iter().map(of_run).collect(),
        None => Vec::new(),
    }
}

/// Runs methods and stores their scores.
struct Judge<'a> {
    problem: &'a Problem,
    truth: &'a Truth,
    answer: Answer,
}

impl Judge<'_> {
    /// Runs all methods.
    fn methods(
        &mut self,
        parts: &Parts<'_>,
        effort: Effort,
        seed: u64,
    ) -> Result<(), bayes::Error> {
        let draws = effort.draws;
        let plain: [(&'static str, &dyn Combine); 5] = [
            ("consensus", &Consensus::new()),
            ("parametric", &Parametric::new().draws(draws).seed(seed)),
            (
                "semiparametric",
                &Semiparametric::new().draws(draws).seed(seed),
            ),
            (
                "nonparametric",
                &Nonparametric::new().draws(draws).seed(seed),
            ),
            (
                "partition_trees",
                &PartitionTrees::new().draws(draws).seed(seed),
            ),
        ];
        for (name, method) in plain {
            let start = Instant::now();
            match method.combine(parts) {
                Ok(combined) => self.keep(name, (parts, &combined), true, start.elapsed()),
                Err(error) => self.fail(name, error)?,
            }
        }
        let gp = Pai::gp().subsampling_rounds(effort.rounds);
        self.pair(["gp", "gp_dis"], gp.draws(draws).seed(seed), parts)?;
        let pai = Pai::new()
            .subsampling_rounds(effort.rounds)
            .refinement_rounds(effort.rounds);
        self.pair(["pai", "pai_dis"], pai.draws(draws).seed(seed), parts)
    }

    /// Runs PAI with and without some of its stages.
    fn stages(&mut self, parts: &Parts<'_>, effort: Effort, seed: u64) -> Result<(), bayes::Error> {
        let verified = Pai::new()
            .subsampling_rounds(effort.rounds)
            .refinement_rounds(effort.rounds)
            .draws(effort.draws)
            .seed(seed);
        // the paper's algorithm
        let all = verified.verification_rounds(0);
        let stages = [
            ("subsampling", all.sharing(false).refinement_rounds(0)),
            ("and refinement", all.sharing(false)),
            ("and sharing", all.refinement_rounds(0)),
            ("all stages", all),
            ("and verification", verified),
        ];
        for (name, method) in stages {
            let start = Instant::now();
            match method.combine(parts) {
                Ok(combined) => self.keep(name, (parts, &combined), true, start.elapsed()),
                Err(error) => self.fail(name, error)?,
            }
        }
        Ok(())
    }

    /// Scores a method with exact importance weights, and its draws without weights.
    fn pair(
        &mut self,
        names: [&'static str; 2],
        method: Pai,
        parts: &Parts<'_>,
    ) -> Result<(), bayes::Error> {
        let start = Instant::now();
        match method.importance(true).combine(parts) {
            Ok(combined) => {
                let elapsed = start.elapsed();
                self.keep(names[0], (parts, &combined), false, elapsed);
                self.keep(names[1], (parts, &combined), true, elapsed);
                Ok(())
            }
            Err(error) => {
                self.fail(names[0], error)?;
                let same = self.answer.scores.last().cloned();
                let named = |score| Score {
                    method: names[1],
                    ..score
                };
                self.answer.scores.extend(same.map(named));
                Ok(())
            }
        }
    }

    /// Runs pSMC on all data by random walks, with about as many evaluations of all data as the chains of all parts and PAI
    /// together.
    fn whole(&mut self, density: &dyn LogDensity, seed: u64) -> Result<(), bayes::Error> {
        let exact = self.answer.scores.iter().map(|score| score.evaluations);
        let limit = self.answer.evaluations + exact.fold(0.0, f64::max);
        let run = |particles: usize| {
            Inference::psmc()
                .kernel(RandomWalk::new())
                .islands(ISLANDS)
                .particles(particles)
                // all evaluations go into particles, none into more draws of each
                .posterior_states(4)
                .seed(seed)
                .progress(false)
                .run_on(density)
        };
        let start = Instant::now();
        let cost = evaluations(&run(REHEARSAL)?);
        // an island has at least two
        let run = run(((limit / cost * REHEARSAL as f64) as usize).max(2))?;
        let seconds = start.elapsed().as_secs_f64();
        let draws = score::view(self.problem, &run, true);
        self.add("psmc, all data", draws, seconds);
        if let Some(score) = self.answer.scores.last_mut() {
            score.evaluations = evaluations(&run);
        }
        Ok(())
    }

    /// A method that finds no draws gets the worst score; any other error ends the experiment.
    fn fail(&mut self, name: &'static str, error: bayes::Error) -> Result<(), bayes::Error> {
        if !matches!(error, bayes::Error::Combine(_)) {
            return Err(error);
        }
        self.answer.scores.push(Score::worst(name));
        Ok(())
    }

    fn keep(
        &mut self,
        name: &'static str,
        (parts, combined): (&Parts<'_>, &Combination),
        with_weights: bool,
        elapsed: Duration,
    ) {
        let seconds = elapsed.as_secs_f64();
        let draws = score::view(self.problem, &combined.run, with_weights);
        self.add(name, draws, seconds);
        if let Some(score) = self.answer.scores.last_mut() {
            let most = combined.evaluations.iter().max();
            score.evaluations = most.map_or(0.0, |most| *most as f64);
            score.ess = combined.ess.unwrap_or(f64::NAN);
            // those of the parts come first
            let own = &combined.warnings[parts.warnings().len()..];
            score.warnings = own.len();
            score.is_distrusted = own.iter().any(is_grave);
        }
    }

    fn add(&mut self, name: &'static str, draws: Draws, seconds: f64) {
        let score = Score {
            regions: score::masses(self.problem, &draws),
            seconds,
            ..self.truth.score(name, &draws)
        };
        self.answer.scores.push(score);
        self.answer.draws.push((name, draws));
    }
}
