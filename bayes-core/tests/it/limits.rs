//! A limit of time holds in whatever phase a run is, and what is finished by then is the result.
//!
//! Densities sleep, which costs no processor.

use bayes_core::Error;
use bayes_core::density::{Block, LogDensity, Prior, Quantities};
use bayes_core::engine::{Engine, Inference, Smc};
use bayes_core::kernel::Hmc;
use bayes_core::observe::Observer;
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;
use bayes_core::until::Precision;
use rand_distr::StandardNormal;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

mod ends;

fn psmc() -> Smc<Hmc> {
    Inference::psmc().particles(64).seed(5).progress(false)
}

/// A standard normal likelihood with evaluations and outputs that take this long.
struct Slow {
    evaluation: Duration,
    output: Duration,
}

impl Slow {
    fn new(evaluation: u64, output: u64) -> Self {
        let [evaluation, output] = [evaluation, output].map(Duration::from_millis);
        Self { evaluation, output }
    }
}

impl Quantities for Slow {
    fn output(&self, position: &[f64]) -> Vec<f64> {
        std::thread::sleep(self.output);
        position.to_vec()
    }
}

impl LogDensity for Slow {
    fn dim(&self) -> usize {
        1
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        std::thread::sleep(self.evaluation);
        block.fill(|x| [-0.5 * x[0] * x[0], -500.0 * (x[0] - 1.0).powi(2)]);
    }
    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        for i in 0..block.len() {
            let x = block.positions[i];
            block.gradient[i] = -prior * x - 1000.0 * likelihood * (x - 1.0);
        }
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Slow {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.sample(StandardNormal);
    }
}

/// Without a check of the clock, the rehearsal, the pilot and the burn-in take minutes.
#[test]
fn a_limit_that_is_too_short_is_reported_in_time() {
    let slow = Slow::new(5, 0);
    let limit = Duration::from_secs(3);
    let psmc = || {
        let psmc = psmc().time_limit(limit).mutations(100);
        psmc.check_propriety(false)
    };
    let nuts = Inference::nuts()
        .burn_in(20_000)
        .seed(5)
        .progress(false)
        .check_propriety(false);
    let outcomes = [
        ("first island was at the power", psmc().run_on(&slow)),
        ("pilot was not finished", psmc().pilot(64).run_on(&slow)),
        (
            "20000 steps of the burn-in",
            nuts.time_limit(limit).run_on(&slow),
        ),
    ];
    for (wanted, outcome) in outcomes {
        let text = outcome
            .map(|_| ())
            .expect_err("nothing is ready")
            .to_string();
        assert!(
            text.starts_with("the time limit of 3s for `density` was over"),
            "{text}"
        );
        assert!(text.contains(wanted), "{text}");
    }
}

/// The rehearsal is the result if it leaves no time for another island.
#[test]
fn a_run_whose_time_is_over_after_the_first_island_has_one() {
    let slow = Slow::new(2, 0);
    let free = Instant::now();
    psmc().islands(1).run_on(&slow).expect("a valid run");
    let limit = free.elapsed().mul_f64(0.9);
    match psmc().time_limit(limit).run_on(&slow) {
        Ok(run) => {
            // more islands, if the machine became less busy
            assert_eq!(run.groups[0].index, 0);
            assert!(run.log_evidence().is_some_and(f64::is_finite));
            // in two coordinates particles may walk, without gradients
            assert!(run.counts().density_evaluations + run.counts().gradient_evaluations > 0);
        }
        // a machine that became busier
        Err(error) => assert!(matches!(error, Error::TimeLimit { .. }), "{error}"),
    }
}

/// A phase of a run: its name, the engine whose time is limited, and a density with which this phase takes many times the limit.
type Phase = (&'static str, Box<dyn Engine>, Slow);

fn phase(name: &'static str, engine: impl Engine + 'static, slow: Slow) -> Phase {
    (name, Box::new(engine), slow)
}

/// The search before the run: dozens of evaluations of the climbs.
fn searches(limit: Duration) -> Vec<Phase> {
    let slow = || Slow::new(400, 0);
    let nuts = Inference::nuts().progress(false).time_limit(limit);
    let tempering = Inference::tempering().progress(false).time_limit(limit);
    let nested = Inference::nested().progress(false).time_limit(limit);
    vec![
        phase("the search, psmc", psmc().time_limit(limit), slow()),
        phase("the search, nuts", nuts, slow()),
        phase("the search, tempering", tempering, slow()),
        phase("the search, nested", nested, slow()),
    ]
}

/// Moves: 200 of 200 ms or more at a temperature, and a window of thousands of steps.
fn moves(limit: Duration) -> Vec<Phase> {
    let smc = || {
        psmc()
            .mutations(200)
            .check_propriety(false)
            .time_limit(limit)
    };
    let nested = Inference::nested().mutations(200).check_propriety(false);
    let nested = nested.progress(false).time_limit(limit);
    let nuts = Inference::nuts().burn_in(100_000).progress(false);
    let tempering = Inference::tempering().progress(false).time_limit(limit);
    vec![
        phase("a temperature of the rehearsal", smc(), Slow::new(100, 0)),
        phase(
            "a temperature of the pilot",
            smc().pilot(64),
            Slow::new(100, 0),
        ),
        phase("a level of nested sampling", nested, Slow::new(100, 0)),
        phase(
            "a window of the burn-in",
            nuts.time_limit(limit),
            Slow::new(2, 0),
        ),
        phase("the scans of tempering", tempering, Slow::new(2, 0)),
    ]
}

/// The outputs of draws, of 20 ms each, and rounds of islands.
fn draws(limit: Duration) -> Vec<Phase> {
    let nuts = Inference::nuts().burn_in(20).draws(10_000).progress(false);
    let tempering = Inference::tempering().burn_in(20).progress(false);
    let until = psmc()
        .time_limit(limit)
        .until(Precision::log_evidence(1e-9));
    vec![
        phase(
            "the outputs of an island",
            psmc().time_limit(limit),
            Slow::new(0, 20),
        ),
        phase(
            "the outputs of chains",
            nuts.time_limit(limit),
            Slow::new(0, 20),
        ),
        phase(
            "the outputs of tempering",
            tempering.time_limit(limit),
            Slow::new(0, 20),
        ),
        phase("rounds of islands", until, Slow::new(0, 0)),
    ]
}

/// A density whose evaluations, and outputs, begin only before the deadline or are counted.
struct Late<'a> {
    inner: &'a dyn LogDensity,
    deadline: Instant,
    /// Evaluations and outputs that began after the deadline.
    late: AtomicUsize,
}

impl<'a> Late<'a> {
    /// Counts what begins later than this after now.
    fn after(time: Duration, inner: &'a dyn LogDensity) -> Self {
        Self {
            inner,
            deadline: Instant::now() + time,
            late: AtomicUsize::new(0),
        }
    }

    fn count(&self) {
        let is_late = Instant::now() >= self.deadline;
        self.late.fetch_add(usize::from(is_late), Ordering::Relaxed);
    }
}

impl Quantities for Late<'_> {
    fn output(&self, position: &[f64]) -> Vec<f64> {
        self.count();
        self.inner.quantities().output(position)
    }
}

impl LogDensity for Late<'_> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.count();
        self.inner.evaluate(block);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.count();
        self.inner.evaluate_gradient(weights, block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        self.inner.prior()
    }
}

/// Number of evaluations that may begin after twice the limit in whatever phase: each of two threads may have looked at the clock before a
/// pause, or may make the next draw of 4 chains. Hundreds follow where a phase does not look at the clock.
const AT_WORK: usize = 8;

/// The engines run one after the other, and what begins after the deadline is counted: the clock of a busy machine says nothing about
/// them. Would detect a density that is evaluated after the deadline, and draws of chains without a limit.
#[test]
fn no_phase_begins_work_after_the_deadline() {
    let limit = Duration::from_secs(1);
    let phases = [searches(limit), moves(limit), draws(limit)];
    for (name, engine, slow) in phases.into_iter().flatten() {
        // one and a half times the limit, and a pause for a busy machine
        let late = Late::after(2 * limit, &slow);
        // sleep leaves the processor to the others, but not a thread of a common pool
        let outcome = own_threads().install(|| engine.run_on(&late));
        let counted = late.late.into_inner();
        assert!(counted <= AT_WORK, "{name}: {counted} evaluations too late");
        match outcome {
            Ok(run) => {
                let numbers = run.groups.iter().flat_map(|group| &group.draws);
                assert!(
                    numbers.into_iter().all(|x| x.is_finite() && *x != 0.0),
                    "{name}"
                );
                assert!(run.mean("x").expect("it has x")[0] > 0.9, "{name}");
            }
            Err(error) => assert!(matches!(error, Error::TimeLimit { .. }), "{name}: {error}"),
        }
    }
}

/// A density that is quick at first: after `quick` evaluations or outputs each takes `then`.
struct Slowing {
    inner: Slow,
    quick: usize,
    then: Duration,
    made: Arc<AtomicUsize>,
    of_outputs: bool,
}

impl Slowing {
    fn wait(&self, is_output: bool) {
        if is_output == self.of_outputs && self.made.fetch_add(1, Ordering::Relaxed) >= self.quick {
            std::thread::sleep(self.then);
        }
    }
}

impl Quantities for Slowing {
    fn output(&self, position: &[f64]) -> Vec<f64> {
        self.wait(true);
        position.to_vec()
    }
}

impl LogDensity for Slowing {
    fn dim(&self) -> usize {
        1
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.wait(false);
        self.inner.evaluate(block);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.wait(false);
        self.inner.evaluate_gradient(weights, block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(&self.inner)
    }
}

fn slowing(quick: usize, milliseconds: u64, of_outputs: bool) -> Slowing {
    Slowing {
        inner: Slow::new(0, 0),
        quick,
        then: Duration::from_millis(milliseconds),
        made: Arc::new(AtomicUsize::new(0)),
        of_outputs,
    }
}

/// Two threads that wait for no density of another test.
fn own_threads() -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    pool.expect("there are threads")
}

/// A group of 16 chains and a group of 4, which makes more draws in the same time. Would detect chains that keep all their draws.
#[test]
fn all_groups_of_chains_are_cut_to_the_shortest() {
    let nuts = Inference::nuts().chains(20).burn_in(20).draws(10_000);
    let nuts = nuts.progress(false).check_propriety(false);
    let nuts = nuts.time_limit(Duration::from_secs(1));
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let to_file = nuts.clone();
    let pool = own_threads();
    let density = || slowing(40, 10, true);
    let run = pool.install(|| nuts.run_on(&density()));
    let path = folder.path().join("all.run");
    let file = pool.install(|| to_file.run_to_file_on(&density(), &path));
    let file = file.expect("it has draws");
    let read = Run::load(file.path()).expect("a run");
    for run in [run.expect("it has draws"), read] {
        assert_eq!(run.groups.len(), 20);
        let draws = run.draws_per_group();
        assert!((1..10_000).contains(&draws), "{draws} draws");
        for group in &run.groups {
            let lists = [&group.draws, &group.log_prior, &group.statistics.energy];
            assert!(lists.iter().all(|list| list.len() == draws));
        }
        assert_eq!(run.settings["draws"], draws.to_string());
    }
}

/// Makes a density slow when the second round of a run begins. The number of evaluations of the first one differs from run to run.
#[derive(Debug)]
struct SlowSecondRound {
    rounds: AtomicUsize,
    made: Arc<AtomicUsize>,
}

const QUICK: usize = 1 << 40;

impl Observer for SlowSecondRound {
    fn start(&self, _groups: usize) {
        if self.rounds.fetch_add(1, Ordering::Relaxed) == 1 {
            self.made.store(QUICK, Ordering::Relaxed);
        }
    }
}

/// Would detect a file that is lost with the islands of the first round when the time is over at the start of the second.
#[test]
fn a_late_round_leaves_the_islands_of_the_first_in_the_file() {
    let limited = || {
        let psmc = psmc().islands(16).check_propriety(false);
        // the first round takes a tenth of a second on an idle machine
        psmc.time_limit(Duration::from_secs(6))
    };
    let until = |psmc: Smc<Hmc>| psmc.until(Precision::log_evidence(1e-9));
    let quick = slowing(QUICK, 0, false);
    let pool = own_threads();
    let first = pool.install(|| until(limited()).at_most(16).run_on(&quick));
    let first = first.expect("islands");
    assert_eq!(first.groups.len(), 16);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("all.run");
    let slow = slowing(QUICK, 300, false);
    let observer = SlowSecondRound {
        rounds: AtomicUsize::new(0),
        made: Arc::clone(&slow.made),
    };
    let until = until(limited().observer(Arc::new(observer)));
    let file = pool
        .install(|| until.run_to_file_on(&slow, &path))
        .expect("16 islands");
    let run = Run::load(file.path()).expect("a run");
    assert!(run.is_stopped);
    assert_eq!(
        serde_json::to_string(&run.groups).expect("runs are JSON"),
        serde_json::to_string(&first.groups).expect("runs are JSON")
    );
}

/// Chains that are slower than their burn-in end in time, with the draws that they have.
#[test]
fn chains_end_with_fewer_draws_than_were_forecast() {
    let limit = Duration::from_secs(3);
    let nuts = Inference::nuts().burn_in(20).draws(10_000).progress(false);
    let run = nuts
        .time_limit(limit)
        .run_on(&Slow::new(0, 20))
        .expect("it has draws");
    let draws = run.draws_per_group();
    // 4 outputs of 20 ms for each
    assert!((2..=56).contains(&draws), "{draws} draws");
    assert!(run.groups.iter().all(|group| group.draws.len() == draws));
    assert_eq!(run.settings["draws"], draws.to_string());
    let tempering = Inference::tempering().burn_in(20).progress(false);
    let run = tempering
        .time_limit(limit)
        .run_on(&Slow::new(0, 20))
        .expect("it has draws");
    let draws = run.draws_per_group();
    // 8 outputs of 20 ms for each
    assert!((2..=19).contains(&draws), "{draws} draws");
    assert_eq!(run.settings["draws"], draws.to_string());
}

#[test]
fn two_samplers_of_an_evidence_share_a_limit() {
    let limit = Duration::from_secs(4);
    let evidence = Inference::evidence().progress(false).time_limit(limit);
    let slow = Slow::new(20, 0);
    let late = Late::after(2 * limit, &slow);
    let outcome = own_threads().install(|| evidence.run_on(&late));
    let counted = late.late.into_inner();
    assert!(counted <= AT_WORK, "{counted} evaluations too late");
    assert!(matches!(outcome, Err(Error::TimeLimit { .. })));
}
