//! Runs across the processes of an MPI program. With the feature `mpi`.
//!
//! Islands, and groups of chains, never communicate. So a run is divided into parts as by [`Shard`]. The first process hands out the
//! parts to idle processes and merges the results: the bytes equal those of one process, whichever process computed a part.
//! `tests/mpi.sh` compares them.

use super::{Engine, Shard};
use crate::codec;
use crate::density::{LogDensity, Posterior};
use crate::error::Error;
use crate::model::Model;
use crate::run::Run;
use mpi::Threading;
use mpi::collective::Root;
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, MatchedReceiveVec, Message, Source, Status};
use mpi::topology::{Communicator, Process};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// Number of parts per process, so that a process with quick islands takes more of them.
const PARTS: usize = 4;
/// Time between two checks for messages while the first process computes.
const PAUSE: Duration = Duration::from_millis(2);
/// The longest message in bytes, below MPI's limit of 2^31 elements.
const CHUNK: usize = 1 << 30;

/// A process wants a part.
const ASK: i32 = 1;
/// The number of bytes of a finished part, which follow; the process then wants another part.
const DONE: i32 = 2;
const BYTES: i32 = 3;
/// The reason in words why a process failed; it wants no other part.
const FAILED: i32 = 4;
/// The number of a part, or [`NONE`].
const PART: i32 = 5;
const NONE: u64 = u64::MAX;

/// The processes of an MPI program.
///
/// ```text
/// let mpi = Mpi::start().expect("MPI is started once");
/// let engine = Inference::psmc().islands(128).seed(1);
/// if let Some(run) = mpi.run(engine, &model)? {
///     println!("{run}"); // in the first process; the others have none
/// }
/// ```
///
/// `mpirun -n 64 program` starts it. Each process uses all cores that it sees, unless the environment variable `RAYON_NUM_THREADS` is set
/// or `mpirun` binds the process to some cores.
pub struct Mpi {
    universe: Universe,
}

impl Mpi {
    /// Starts MPI in this process; `None` if it was started before.
    #[must_use]
    pub fn start() -> Option<Self> {
        // one thread of each process calls MPI
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        Some(Self { universe })
    }

    /// The number of this process, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.universe.world().rank() as usize
    }

    /// The number of processes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.universe.world().size() as usize
    }

    /// Runs an engine on a model: the run in the first process, `None` in the others. The run has the bytes of [`Engine::run_on`] in one
    /// process.
    ///
    /// All processes call this method with the same engine, model and data. The islands or groups of chains are divided into four parts
    /// for each process, or fewer if there are not enough. Each part examines the model and makes its pilot run separately. With
    /// `.checkpoint(..)` every part is saved, and the same command continues from there, over any number of processes.
    ///
    /// # Errors
    /// The errors of the engine; [`Error::Process`] in the first process if a part failed in another. [`Error::Setting`] with a shard, or
    /// with a limit of time or gradients.
    pub fn run<Mo: Model>(
        &self,
        mut engine: impl Engine,
        model: &Mo,
    ) -> Result<Option<Run>, Error> {
        let common = engine.common();
        let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
        self.run_on(&mut engine, &posterior)
    }

    /// [`Mpi::run`] on a density.
    ///
    /// # Errors
    /// As [`Mpi::run`].
    pub fn run_on(
        &self,
        engine: &mut dyn Engine,
        density: &dyn LogDensity,
    ) -> Result<Option<Run>, Error> {
        let common = engine.common_mut();
        let given = format!("{:?}", common.shard);
        let allowed = "none: MPI deals the parts out";
        Error::setting("shard", given, common.shard.is_none(), allowed)?;
        common.progress &= self.rank() == 0;
        let parts = self.parts(engine);
        if self.rank() == 0 {
            return self.lead(engine, density, parts).map(Some);
        }
        self.follow(engine, density, parts).map(|()| None)
    }

    /// The number of parts of the run: the number of saved parts, so that any number of processes can continue them. The first process
    /// decides, because the others may read a folder that it has begun to write to.
    fn parts(&self, engine: &dyn Engine) -> usize {
        let saved = engine.common().saved_parts();
        let wanted = saved.unwrap_or(PARTS * self.size());
        let mut parts = engine.units().min(wanted).max(1) as u64;
        let world = self.universe.world();
        world.process_at_rank(0).broadcast_into(&mut parts);
        parts as usize
    }

    /// The first process: one thread computes parts; this one hands out other parts and receives their runs.
    fn lead(
        &self,
        engine: &mut dyn Engine,
        density: &dyn LogDensity,
        parts: usize,
    ) -> Result<Run, Error> {
        let deck = Deck::new(parts);
        let (own, taken) = thread::scope(|scope| {
            let own = scope.spawn(|| own_parts(engine, density, &deck));
            let taken = self.serve(&deck);
            let own = own
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (own, taken)
        });
        let runs = own?.into_iter().chain(taken?);
        Ok(Run::merge(runs)?)
    }

    /// Answers the other processes until each knows that there is no part left.
    fn serve(&self, deck: &Deck) -> Result<Vec<Run>, Error> {
        let world = self.universe.world();
        let (mut working, mut runs, mut failure) = (self.size() - 1, Vec::new(), None);
        while working > 0 {
            let Some(found) = world.any_process().immediate_matched_probe() else {
                thread::sleep(PAUSE);
                continue;
            };
            let process = world.process_at_rank(found.1.source_rank());
            // a failed process has ended and waits for no answer
            let has_failed = found.1.tag() == FAILED;
            match take(found, &process) {
                Ok(run) => runs.extend(run),
                Err(error) => {
                    deck.clear();
                    failure.get_or_insert(error);
                }
            }
            if has_failed {
                working -= 1;
                continue;
            }
            let part = deck.next();
            working -= usize::from(part.is_none());
            let part = part.map_or(NONE, |part| part as u64);
            process.send_with_tag(&part, PART);
        }
        match failure {
            None => Ok(runs),
            Some(error) => Err(error),
        }
    }

    /// Any other process: asks for parts until there is none.
    fn follow(
        &self,
        engine: &mut dyn Engine,
        density: &dyn LogDensity,
        parts: usize,
    ) -> Result<(), Error> {
        let world = self.universe.world();
        let first = world.process_at_rank(0);
        first.send_with_tag::<[u64]>(&[], ASK);
        loop {
            let (part, _) = first.receive_with_tag::<u64>(PART);
            if part == NONE {
                return Ok(());
            }
            match of_part(engine, density, part as usize, parts) {
                Ok(run) => send(&first, &run),
                Err(error) => {
                    let text = error.to_string();
                    first.send_with_tag(text.as_bytes(), FAILED);
                    return Err(error);
                }
            }
        }
    }
}

/// The remaining parts.
struct Deck(Mutex<std::ops::Range<usize>>, usize);

impl Deck {
    fn new(parts: usize) -> Self {
        Self(Mutex::new(0..parts), parts)
    }

    fn next(&self) -> Option<usize> {
        self.lock().next()
    }

    /// A run that failed needs no other part.
    fn clear(&self) {
        *self.lock() = 0..0;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, std::ops::Range<usize>> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The parts that the first process computes itself.
fn own_parts(
    engine: &mut dyn Engine,
    density: &dyn LogDensity,
    deck: &Deck,
) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    while let Some(part) = deck.next() {
        let run = of_part(engine, density, part, deck.1);
        if run.is_err() {
            deck.clear();
        }
        runs.push(run?);
    }
    Ok(runs)
}

fn of_part(
    engine: &mut dyn Engine,
    density: &dyn LogDensity,
    index: usize,
    of: usize,
) -> Result<Run, Error> {
    // with a single part, the run is whole
    engine.common_mut().shard = (of > 1).then_some(Shard { index, of });
    engine.run_on(density)
}

/// Sends a run: its length, then its bytes.
fn send(process: &Process<'_>, run: &Run) {
    let bytes = codec::encode(run).expect("runs are MessagePack");
    process.send_with_tag(&(bytes.len() as u64), DONE);
    for chunk in bytes.chunks(CHUNK) {
        process.send_with_tag(chunk, BYTES);
    }
}

/// The content of a message: a run, nothing, or the failure of its process.
fn take(found: (Message, Status), process: &Process<'_>) -> Result<Option<Run>, Error> {
    let failed = |message: String| Error::Process {
        rank: process.rank() as usize,
        message,
    };
    match found.1.tag() {
        FAILED => {
            let (text, _) = found.matched_receive_vec::<u8>();
            Err(failed(String::from_utf8_lossy(&text).into_owned()))
        }
        DONE => {
            let (length, _) = found.0.matched_receive::<u64>();
            let mut bytes = Vec::with_capacity(length as usize);
            while bytes.len() < length as usize {
                bytes.extend(process.receive_vec_with_tag::<u8>(BYTES).0);
            }
            let run = codec::decode(&bytes);
            run.map(Some).map_err(|error| failed(error.to_string()))
        }
        _ => {
            found.matched_receive_vec::<u64>();
            Ok(None)
        }
    }
}
