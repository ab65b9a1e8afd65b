//! Allocations inside a kernel step after warm-up, and the memory of a particle.

use super::block::Evaluation;
use super::clock::Ratio;
use super::table::{Promise, Row};
use super::{Context, models};
use bayes::density::{Particles, Posterior, Target};
use bayes::kernel::{Hmc, Kernel, Pcn, RandomWalk, Workspace};
use bayes::prelude::*;
use bayes::rng::{Key, Purpose, Stream};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of chains in a block.
const BLOCK: usize = 16;

/// The system's allocator with counters.
struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        let size = layout.size() as u64;
        MOST.fetch_max(BYTES.fetch_add(size, Relaxed) + size, Relaxed);
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let problems = &context.problems;
    let gauss = models::gauss(&problems.gauss.x, &problems.gauss.y, problems.gauss.noise);
    let credit = models::credit(&problems.credit.0, &problems.credit.1);
    let schools = models::eight_schools(&problems.schools.0, &problems.schools.1);
    let kernels: [&dyn Kernel; 3] = [
        &Hmc::new().leapfrog_steps(5),
        &RandomWalk::new(),
        &Pcn::new(),
    ];
    let mut found = Vec::new();
    for kernel in kernels {
        let counts = [
            steps(&gauss, kernel),
            steps(&credit, kernel),
            steps(&schools, kernel),
        ];
        found.push((kernel.name(), counts));
    }
    let most = found
        .iter()
        .flat_map(|(_, counts)| counts)
        .fold(0.0, |a, b| b.max(a));
    let each: Vec<String> = found
        .iter()
        .map(|(name, counts)| format!("{name} {counts:?}"))
        .collect();
    vec![
        Row::new(
            "allocations inside a kernel step of a block of 16",
            Ratio::of(vec![most]),
            Promise::AtMost(0.0, 0.0),
            format!("gauss, credit, eight_schools: {}", each.join("; ")),
        ),
        memory(),
    ]
}

/// Allocations of a step after a few warm-up steps.
fn steps<Mo: Model>(model: &Mo, kernel: &dyn Kernel) -> f64 {
    const STEPS: u64 = 20;
    let posterior = Posterior::new(model, 1).expect("the model fits its data");
    let dim = posterior.layout().dim;
    let target = Target::posterior(&posterior);
    let tuning = kernel.init(&posterior).expect("a model has a prior");
    let mut particles = Particles::new(BLOCK, dim);
    let mut workspace = Workspace::new(BLOCK, dim);
    let mut streams: Vec<Stream> = (0..BLOCK as u64).map(stream).collect();
    let mut block = particles.block();
    target.evaluate_gradient(&mut block, &mut workspace.counts);
    let mut moves = |count: u64| {
        for _ in 0..count {
            kernel.step(&tuning, target, &mut block, &mut streams, &mut workspace);
        }
    };
    moves(STEPS);
    let before = CALLS.load(Relaxed);
    moves(STEPS);
    (CALLS.load(Relaxed) - before) as f64 / STEPS as f64
}

fn stream(item: u64) -> Stream {
    let key = Key::new(1, Purpose::Move).item(item);
    key.stream()
}

/// The peak memory while a block's gradient is computed, beyond the memory used before.
fn memory() -> Row {
    let bytes = |d: usize| {
        let y = vec![0.5; d - 2];
        let sigma = vec![1.0; d - 2];
        let model = models::eight_schools(&y, &sigma);
        let before = BYTES.load(Relaxed);
        MOST.store(before, Relaxed);
        let mut evaluation = Evaluation::new(&model, BLOCK);
        evaluation.gradients();
        (MOST.load(Relaxed) - before) as f64 / (BLOCK * d * 8) as f64
    };
    let found = [100, 1000, 10_000].map(bytes);
    Row::new(
        "memory of a gradient, in positions of the particle, d = 10000",
        Ratio::of(vec![found[2]]),
        Promise::Nothing,
        format!(
            "{:.1} at 100, {:.1} at 1000, {:.1} at 10000",
            found[0], found[1], found[2]
        ),
    )
}
