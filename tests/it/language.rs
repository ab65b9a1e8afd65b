//! The meaning of a model's statements, by the resulting values.

use bayes::prelude::*;

/// A user's own function.
fn doubled<M: Mode>(value: Real<M>) -> Real<M> {
    value * 2.0
}

struct Survey {
    y: Vec<f64>,
    flags: Vec<bool>,
}

#[model]
fn kept(data: &Survey) {
    let mu = sample(Normal::new(0.0, 1.0));
    let shift = |value: Real| value + 1.0;
    let twice = deterministic(doubled(mu));
    let shifted = deterministic(shift(mu));
    observe(&data.y, Normal::new(shifted - 1.0 + 0.0 * twice, 1.0));
    observe(&data.flags, BernoulliLogit::new(mu));
}

#[model]
fn walk(y: &[f64]) {
    let mut previous: Real = Real::from(0.0);
    for t in 0..y.len() {
        let x = sample(Normal::new(previous, 1.0));
        let step = deterministic(x - previous);
        observe(y[t], Normal::new(x + 0.0 * step, 0.5));
        previous = x;
    }
}

#[model]
fn constrained(counts: &[u64]) {
    let p = sample(Dirichlet::new([1.0, 2.0, 3.0]));
    let cuts = sample(Normal::new(0.0, 2.0).iid(3).ordered());
    observe(counts, Multinomial::new(counts.iter().sum::<u64>(), &p));
    factor(-0.5 * cuts.dot(&cuts));
}

#[model]
fn hidden(y: f64) {
    let n = sample_discrete(Poisson::new(3.0));
    observe(y, Normal::new(n, 0.5));
}

mod other {
    use bayes::prelude::*;

    /// Another model with the same name.
    #[model]
    pub fn walk(y: &[u64]) {
        let rate = sample(Gamma::new(2.0, 1.0));
        observe(y, Poisson::new(rate));
    }
}

fn solve<Mo: Model + AllSampled + Differentiable>(model: &Mo) -> Run {
    let engine = Inference::psmc().islands(4).particles(128).seed(41);
    engine.progress(false).run(model).expect("a valid model")
}

/// Asserts a property of the values of every draw.
fn assert_every_draw(run: &Run, holds: impl Fn(DrawView<'_>) -> bool) {
    let all = run.map_draws(|draw| f64::from(u8::from(holds(draw))));
    assert!(run.total_draws() >= 512);
    assert!(all.iter().flatten().all(|held| *held == 1.0));
}

#[test]
fn deterministic_quantities_are_computed_from_their_draw() {
    let survey = Survey {
        y: vec![0.5, 1.5],
        flags: vec![true, false, true],
    };
    let run = solve(&kept(&survey));
    assert_every_draw(&run, |draw| {
        let mu = draw.scalar("mu");
        draw.scalar("twice") == mu * 2.0 && draw.scalar("shifted") == mu + 1.0
    });
}

#[test]
fn a_statement_in_a_loop_gives_a_vector() {
    let run = solve(&walk(&[0.3, 1.0, 0.2]));
    let wanted = ["x[0]", "x[1]", "x[2]", "step[0]", "step[1]", "step[2]"];
    assert_eq!(run.layout.element_names(), wanted);
    assert_every_draw(&run, |draw| {
        let (x, step) = (draw.vector("x"), draw.vector("step"));
        step[0] == x[0] && step[1] == x[1] - x[0] && step[2] == x[2] - x[1]
    });
}

#[test]
fn simplices_sum_to_one_and_ordered_vectors_rise() {
    let run = solve(&constrained(&[3, 1, 4]));
    assert_every_draw(&run, |draw| {
        let (p, cuts) = (draw.vector("p"), draw.vector("cuts"));
        let sums = (p.iter().sum::<f64>() - 1.0).abs() < 1e-12;
        sums && p.iter().all(|p| *p > 0.0) && cuts.is_sorted_by(|a, b| a < b)
    });
}

#[test]
fn discrete_draws_are_whole_numbers() {
    let engine = Inference::psmc().islands(4).particles(128).seed(42);
    let engine = engine.progress(false).kernel(RandomWalk::new());
    let run = engine.run(&hidden(4.2)).expect("a valid model");
    assert_every_draw(&run, |draw| {
        draw.scalar("n").fract() == 0.0 && draw.scalar("n") >= 0.0
    });
}

/// Gamma(2, 1) with the counts 2 and 4 gives Gamma(8, 3).
#[test]
fn models_of_one_name_are_told_apart_by_their_module() {
    let run = solve(&other::walk(&[2, 4]));
    let found = run.estimate(|draw| draw.scalar("rate"));
    assert!((found.mean - 8.0 / 3.0).abs() < 5.0 * found.se, "{found:?}");
}
