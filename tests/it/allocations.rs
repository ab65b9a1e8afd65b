//! A kernel step allocates nothing after a few warm-up steps.
//!
//! Allocations are counted on the measuring thread only, because the test harness has its own threads.

use bayes::density::{Block, LogDensity, Particles, Posterior, Target};
use bayes::kernel::{
    Hmc, Kernel, Mala, Mams, Mass, Nuts, Pcn, Population, RandomWalk, Walnuts, Workspace,
};
use bayes::prelude::*;
use bayes::rng::{Key, Purpose, Stream};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system's allocator; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A parameter of each kind: a scalar, a vector under a matrix product, transforms, a loop.
#[model]
fn growth(x: &DMatrix<f64>, y: &[f64], group: &[usize]) {
    let scale = sample(HalfNormal::new(1.0));
    let shares = sample(Dirichlet::new([2.0, 3.0, 4.0]));
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let level = (x * &beta).exp();
    observe(y, Normal::new(x * &beta, scale));
    for i in 0..y.len() {
        observe(y[i], Normal::new(level[i] + shares[group[i]], 2.0));
    }
}

const N: usize = 32;

fn streams() -> Vec<Stream> {
    let key = |item| Key::new(5, Purpose::Move).item(item);
    (0..N as u64).map(|item| key(item).stream()).collect()
}

/// Allocations of ten steps of `kernel` after three warm-up steps.
fn allocations(kernel: &dyn Kernel, density: &dyn LogDensity) -> usize {
    let dim = density.dim();
    let mut particles = Particles::new(N, dim);
    let mut streams = streams();
    for (position, stream) in particles.positions.chunks_exact_mut(dim).zip(&mut streams) {
        density.draw_start(stream, position);
        // near the centre, where every density is finite
        position.iter_mut().for_each(|x| *x *= 0.1);
    }
    let mut tuning = kernel.init(density).expect("the prior is there");
    let mut workspace = Workspace::new(N, dim);
    let target = Target::tempered(density, 0.7);
    target.evaluate_gradient(&mut particles.block(), &mut workspace.counts);
    let population = Population {
        positions: &particles.positions,
        gradients: &particles.gradient,
        chains: &[],
    };
    kernel.fit(&mut tuning, population);
    tuning.step_size *= 0.01;
    let mut block: Block<'_> = particles.block();
    let mut step = || {
        kernel.step(&tuning, target, &mut block, &mut streams, &mut workspace);
    };
    (0..3).for_each(|_| step());
    let before = ALLOCATIONS.get();
    (0..10).for_each(|_| step());
    let counted = ALLOCATIONS.get() - before;
    assert!(workspace.acceptance.iter().any(|a| *a > 0.0));
    // reporting which statement was not finite takes memory
    let counts = &workspace.counts;
    assert!(counts.non_finite.is_empty() && counts.non_finite_gradients == 0);
    counted
}

#[test]
fn allocations_are_counted() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![1.0; 8]));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}

#[test]
fn a_step_of_any_kernel_allocates_nothing() {
    let x = DMatrix::from_fn(12, 5, |i, k| ((3 * i + k) as f64).sin());
    let y: Vec<f64> = (0..12).map(|i| f64::from(i).cos()).collect();
    let group: Vec<usize> = (0..12).map(|i| i % 3).collect();
    let model = growth(&x, &y, &group);
    let posterior = Posterior::new(&model, 1).expect("the model is valid");
    let kernels: [Box<dyn Kernel>; 11] = [
        Box::new(Mala::new()),
        Box::new(Nuts::new().max_depth(3)),
        Box::new(Nuts::new().max_depth(3).mass(Mass::Covariance)),
        Box::new(Nuts::new().max_depth(3).mass(Mass::LowRank)),
        Box::new(Walnuts::new().max_depth(3).energy_tolerance(0.1)),
        Box::new(Mams::new()),
        Box::new(Hmc::new().leapfrog_steps(3)),
        Box::new(Hmc::new().leapfrog_steps(3).mass(Mass::Variance)),
        Box::new(Pcn::new()),
        Box::new(Pcn::new().unpreconditioned()),
        Box::new(RandomWalk::new()),
    ];
    for kernel in &kernels {
        let counted = allocations(kernel.as_ref(), &posterior);
        assert_eq!(counted, 0, "allocations of {kernel:?}");
    }
}
