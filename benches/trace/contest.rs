//! Compares a program replayed from its trace with the same program by hand.

use bayes_autodiff::batch::Batch;
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use bayes_autodiff::trace::Trace;
use std::time::Instant;

const PARTICLES: usize = 32;
const GROUPS: usize = PARTICLES / LANES;

/// Inputs and outputs for eight particles.
pub struct Eight<'a> {
    dim: usize,
    /// `[8, dim]`
    positions: &'a [f64],
    /// `[8, dim]`
    gradient: &'a mut [f64],
    /// Log prior and log likelihood.
    values: &'a mut [[f64; LANES]; 2],
}

impl Eight<'_> {
    /// Coordinate `k` of the particles.
    #[inline(always)]
    pub fn input<S: Simd>(&self, k: usize) -> S::Float {
        let mut lanes = [0.0; LANES];
        for l in 0..LANES {
            lanes[l] = self.positions[l * self.dim + k];
        }
        S::load(&lanes)
    }

    /// The first coordinates.
    #[inline(always)]
    pub fn inputs<S: Simd, const D: usize>(&self) -> [S::Float; D] {
        let mut x = [S::splat(0.0); D];
        for k in 0..D {
            x[k] = self.input::<S>(k);
        }
        x
    }

    /// Sets slope `k`.
    #[inline(always)]
    pub fn slope<S: Simd>(&mut self, k: usize, slope: S::Float) {
        let slope = S::array(slope);
        for l in 0..LANES {
            self.gradient[l * self.dim + k] = slope[l];
        }
    }

    /// Sets the log likelihood, and the log prior from the sum of squares of all coordinates.
    #[inline(always)]
    pub fn values<S: Simd>(&mut self, squares: S::Float, log_likelihood: S::Float) {
        let log_prior = S::mul(squares, S::splat(-0.5));
        S::store(log_prior, &mut self.values[0]);
        S::store(log_likelihood, &mut self.values[1]);
    }
}

/// A program with value and gradient by hand, whose prior is standard normal in every coordinate.
pub trait ByHand: Program + Sync {
    /// Log densities and slopes of eight particles.
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>);
}

/// The sum of squares.
#[inline(always)]
pub fn squares<S: Simd>(x: &[S::Float]) -> S::Float {
    let mut sum = S::splat(0.0);
    for x in x {
        sum = S::mul_add(*x, *x, sum);
    }
    sum
}

/// Gradients, `[particles, dim]`, and log densities of a block.
struct Found {
    gradient: Vec<f64>,
    values: [[[f64; LANES]; 2]; GROUPS],
}

impl Found {
    fn new(dim: usize) -> Self {
        Self {
            gradient: vec![0.0; PARTICLES * dim],
            values: [[[0.0; LANES]; 2]; GROUPS],
        }
    }

    /// Checks that all numbers agree to 1e-9.
    fn agrees(&self, other: &Self, name: &str) {
        let all = |found: &Self| {
            [
                &found.gradient[..],
                found.values.as_flattened().as_flattened(),
            ]
            .concat()
        };
        for (k, (a, b)) in all(self).iter().zip(all(other)).enumerate() {
            let error = (a - b).abs();
            assert!(
                error < b.abs().max(1.0) * 1e-9,
                "{name} {k}: {a}, by hand {b}"
            );
        }
    }
}

struct All<'a, P>(&'a P, &'a [f64], &'a mut Found);

impl<P: ByHand> Work for All<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let size = self.1.len() / GROUPS;
        let groups = self
            .1
            .chunks_exact(size)
            .zip(self.2.gradient.chunks_exact_mut(size));
        for ((positions, gradient), values) in groups.zip(&mut self.2.values) {
            let mut eight = Eight {
                dim: size / LANES,
                positions,
                gradient,
                values,
            };
            self.0.eight::<S>(&mut eight);
        }
    }
}

/// Work to be timed.
type Task<'a> = Box<dyn FnMut() + 'a>;

/// Times the tasks in turn: the shortest of many times, in µs per particle.
fn best<const N: usize>(mut tasks: [Task<'_>; N]) -> [f64; N] {
    let mut times = [f64::INFINITY; N];
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 1.5 {
        for (time, task) in times.iter_mut().zip(&mut tasks) {
            let begin = Instant::now();
            for _ in 0..20 {
                task();
            }
            *time = time.min(begin.elapsed().as_secs_f64() * 1e6 / 20.0 / PARTICLES as f64);
        }
    }
    times
}

/// A program's trace, at the positions of a block of particles.
struct Contest<'a, P> {
    name: &'a str,
    program: &'a P,
    dim: usize,
    positions: Vec<f64>,
    level: InstructionSet,
    trace: Trace<'static>,
    /// Milliseconds to record the trace.
    recorded: f64,
}

/// Times a program if the command line names it, or names none.
pub fn contest<P: ByHand>(name: &str, program: &P, dim: usize) {
    let mut chosen = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .peekable();
    if chosen.peek().is_some() && !chosen.any(|chosen| name.contains(&chosen)) {
        return;
    }
    Contest::new(name, program, dim).run();
}

impl<'a, P: ByHand> Contest<'a, P> {
    fn new(name: &'a str, program: &'a P, dim: usize) -> Self {
        let positions: Vec<f64> = (0..PARTICLES * dim)
            .map(|k| 0.3 * (1.7 * (k / dim) as f64 + 2.3 * (k % dim) as f64 + 0.5).sin())
            .collect();
        let start = Instant::now();
        let trace = Trace::record(program, &[], &[&positions[..dim]]).expect("it can be traced");
        Self {
            name,
            program,
            dim,
            positions,
            level: InstructionSet::detect(),
            trace,
            recorded: start.elapsed().as_secs_f64() * 1e3,
        }
    }

    /// Evaluates by the trace, `width` particles at a time.
    fn traced(&self, width: usize, found: &mut Found) {
        let parts = found.gradient.chunks_mut(width * self.dim);
        for ((i, part), values) in parts
            .enumerate()
            .zip(found.values.chunks_mut(width / LANES))
        {
            let (mut log_prior, mut log_likelihood) = ([0.0; PARTICLES], [0.0; PARTICLES]);
            let batch = Batch {
                dim: self.dim,
                positions: &self.positions[i * width * self.dim..][..width * self.dim],
                log_prior: &mut log_prior[..width],
                log_likelihood: &mut log_likelihood[..width],
            };
            self.trace.gradients(self.level, [1.0, 1.0], batch, part);
            for (w, values) in values.iter_mut().enumerate() {
                let range = w * LANES..(w + 1) * LANES;
                values[0].copy_from_slice(&log_prior[range.clone()]);
                values[1].copy_from_slice(&log_likelihood[range]);
            }
        }
    }

    /// Evaluates log densities only, by the trace.
    fn values(&self) {
        let (mut log_prior, mut log_likelihood) = ([0.0; PARTICLES], [0.0; PARTICLES]);
        let batch = Batch {
            dim: self.dim,
            positions: &self.positions,
            log_prior: &mut log_prior,
            log_likelihood: &mut log_likelihood,
        };
        self.trace.values(self.level, batch);
    }

    /// Times all ways, checks that they agree, and prints a line.
    fn run(&self) {
        let [mut block, mut eights, mut hand] = [(); 3].map(|()| Found::new(self.dim));
        let times = best([
            Box::new(|| self.traced(PARTICLES, &mut block)),
            Box::new(|| self.traced(LANES, &mut eights)),
            Box::new(|| dispatch(self.level, All(self.program, &self.positions, &mut hand))),
            Box::new(|| self.values()),
        ]);
        block.agrees(&hand, self.name);
        eights.agrees(&hand, self.name);
        self.print(times);
    }

    fn print(&self, [trace, eights, hand, values]: [f64; 4]) {
        println!(
            "{:12} trace {trace:.4} ({:.2})  in eights {eights:.4} ({:.2})  by hand {hand:.4}  \
             values {values:.4}; {} instructions, {} segments, {} carried, {:.0} kB, {} kB of workspace, \
             traced in {:.2} ms",
            self.name,
            trace / hand,
            eights / hand,
            self.trace.len(),
            self.trace.segments(),
            self.trace.carried(),
            self.trace.bytes() as f64 / 1e3,
            bayes_autodiff::trace::memory() / 1000,
            self.recorded,
        );
    }
}
