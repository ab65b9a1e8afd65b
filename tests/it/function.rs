//! `#[function]`: its accepted signatures, and the same bits as with generics written by hand.

use bayes::autodiff::{Dual, Mode, Value};
use bayes::model::{Evaluate, validate};
use bayes::prelude::*;

/// Predator and prey (Lotka and Volterra), its mode written by hand.
fn rhs_by_hand<M: Mode>(z: [Real<M>; 2], theta: &Vector<M>) -> [Real<M>; 2] {
    let [prey, predator] = z;
    [
        (theta[0] - theta[1] * predator) * prey,
        (theta[3] * prey - theta[2]) * predator,
    ]
}

/// A step of the classical method of Runge and Kutta, by hand.
fn step_by_hand<M: Mode>(z: [Real<M>; 2], theta: &Vector<M>, dt: f64) -> [Real<M>; 2] {
    let k1 = rhs_by_hand(z, theta);
    let k2 = rhs_by_hand([z[0] + 0.5 * dt * k1[0], z[1] + 0.5 * dt * k1[1]], theta);
    let k3 = rhs_by_hand([z[0] + 0.5 * dt * k2[0], z[1] + 0.5 * dt * k2[1]], theta);
    let k4 = rhs_by_hand([z[0] + dt * k3[0], z[1] + dt * k3[1]], theta);
    let next = |i: usize| z[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    [next(0), next(1)]
}

/// Predator and prey.
#[function]
pub fn rhs(z: [Real; 2], theta: &Vector) -> [Real; 2] {
    let [prey, predator] = z;
    [
        (theta[0] - theta[1] * predator) * prey,
        (theta[3] * prey - theta[2]) * predator,
    ]
}

/// A step of the classical method of Runge and Kutta, for any right side.
#[function]
fn step<const N: usize>(f: impl Fn([Real; N]) -> [Real; N], z: [Real; N], dt: f64) -> [Real; N] {
    let moved = |k: &[Real; N], dt: f64| std::array::from_fn(|i| z[i] + dt * k[i]);
    let k1 = f(z);
    let k2 = f(moved(&k1, 0.5 * dt));
    let k3 = f(moved(&k2, 0.5 * dt));
    let k4 = f(moved(&k3, dt));
    std::array::from_fn(|i| z[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

#[model]
fn hares_by_hand(counts: &[[f64; 2]]) {
    let theta = sample(LogNormal::new(-1.0, 0.3).iid(4));
    let mut z: [Real; 2] = [Real::from(10.0), Real::from(5.0)];
    for row in counts {
        for _ in 0..10 {
            z = step_by_hand(z, &theta, 0.1);
        }
        observe(row[0], LogNormal::new(z[0].ln(), 0.5));
        observe(row[1], LogNormal::new(z[1].ln(), 0.5));
    }
}

#[model]
fn hares(counts: &[[f64; 2]]) {
    let theta = sample(LogNormal::new(-1.0, 0.3).iid(4));
    let mut z: [Real; 2] = [Real::from(10.0), Real::from(5.0)];
    for row in counts {
        for _ in 0..10 {
            z = step(|z| rhs(z, &theta), z, 0.1);
        }
        observe(row[0], LogNormal::new(z[0].ln(), 0.5));
        observe(row[1], LogNormal::new(z[1].ln(), 0.5));
    }
}

#[test]
fn an_equation_solved_by_functions_has_the_bits_of_generics_by_hand() {
    let counts = [[8.0, 4.0], [7.0, 3.5], [6.5, 3.0]];
    let at = [0.1, -1.2, -0.7, -2.0];
    let (function, by_hand) = (hares(&counts), hares_by_hand(&counts));
    assert_eq!(
        densities::<Value>(&function, &at.map(Real::constant)).map(Real::primal),
        densities::<Value>(&by_hand, &at.map(Real::constant)).map(Real::primal)
    );
    let coordinates: [Real<Dual<4>>; 4] = std::array::from_fn(|i| Dual::variable(at[i], i));
    let [function, by_hand] = [
        densities(&function, &coordinates).map(Dual::gradient),
        densities(&by_hand, &coordinates).map(Dual::gradient),
    ];
    assert_eq!(function, by_hand);
    assert!(function[1].iter().all(|slope| *slope != 0.0));
}

/// `[log prior, log likelihood]`.
fn densities<M: Mode>(model: &impl Model, coordinates: &[Real<M>]) -> [Real<M>; 2] {
    let mut interpreter = Evaluate::new(coordinates);
    model.program::<M, _>(&mut interpreter);
    interpreter.densities()
}

/// The elements of a signature.
mod signatures {
    use bayes::prelude::*;

    /// A user's own state.
    #[derive(Clone, Copy)]
    pub struct State<M: Mode> {
        /// Position.
        pub position: Real<M>,
        /// Velocity.
        pub velocity: Real<M>,
    }

    /// A named mode also applies to bare types.
    #[function]
    pub fn energy<M: Mode>(state: &State<M>, mass: Real) -> Real {
        let total: Real = state.velocity.square() * mass + state.position.square();
        total * 0.5
    }

    /// The same with a `where` clause.
    #[function]
    pub fn start<M>(a: Real, b: Real) -> State<M>
    where
        M: Mode,
    {
        State {
            position: a,
            velocity: b,
        }
    }

    /// References, slices, vectors, tuples, options; lifetimes and type parameters; an attribute that is kept.
    #[function]
    #[must_use]
    pub(crate) fn longest<'a, T: AsRef<[f64]>>(
        parts: &'a [Real],
        (shift, scale): (Real, f64),
        last: Option<Real>,
        data: T,
    ) -> (&'a Real, Vec<Real>) {
        let mut shifted: Vec<Real> = vec![Real::from(0.0); data.as_ref().len()];
        for (i, x) in data.as_ref().iter().enumerate() {
            if i >= parts.len() {
                break;
            }
            shifted[i] = parts[i] * *x + shift * scale;
        }
        if let Some(last) = last {
            shifted.push(last);
        }
        (&parts[0], shifted)
    }

    /// Early return on data, a matrix, a mutable value.
    #[function]
    pub fn traces(m: &Matrix, mut total: Real, n: usize) -> Real {
        if n == 0 {
            return total;
        }
        for i in 0..n.min(m.nrows()) {
            total += m[(i, i)];
        }
        total
    }

    /// An argument that is changed in place.
    #[function]
    pub fn doubled(values: &mut [Real]) {
        for i in 0..values.len() {
            values[i] = values[i] * 2.0;
        }
    }

    /// A recursive function, which cannot be inlined.
    #[function]
    pub fn power(a: Real, n: u32) -> Real {
        if n == 0 {
            Real::from(1.0)
        } else {
            a * power(a, n - 1)
        }
    }

    /// A method.
    pub struct Spring {
        /// The stiffness.
        pub stiffness: f64,
    }

    impl Spring {
        /// Hooke's distribution.
        #[function]
        pub fn force(&self, x: Real) -> Real {
            -self.stiffness * x
        }
    }
}

#[model]
fn everything(y: &[f64]) {
    use signatures::*;
    #[function]
    fn link(a: Real) -> Real {
        (1.0 + a.exp()).ln()
    }
    let a = sample(Normal::new(0.0, 1.0));
    let cov = sample(Wishart::new(3.0, DMatrix::<f64>::identity(2, 2)));
    let state = start(a, link(a));
    let parts: Vec<Real> = vec![a, 2.0 * a];
    let (first, mut shifted) = longest(&parts, (a, 1.5), Some(a), y);
    doubled(&mut shifted);
    factor(-energy(&state, a.exp()) * 0.1 + traces(&cov, *first, 2) * 0.01 - power(a, 3).square());
    let spring = Spring { stiffness: 2.0 };
    observe(y, Normal::new(spring.force(shifted[0]), 1.0));
}

#[test]
fn any_signature_will_do() {
    let coordinates = [0.3, 0.1, -0.2, 0.4].map(Real::constant);
    let densities = densities::<Value>(&everything(&[0.5, 0.1]), &coordinates);
    assert!(densities.iter().all(|density| density.primal().is_finite()));
}

#[function]
fn third(values: &[Real; 2], at: usize) -> Real {
    values[at]
}

#[model]
fn too_far(y: &[f64]) {
    let a = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(third(&[a, a], y.len()), 1.0));
}

#[test]
fn an_index_out_of_range_in_a_function_names_what_is_indexed() {
    let error = validate(&too_far(&[1.0, 2.0])).unwrap_err().to_string();
    assert!(
        error.ends_with(": index 2 is out of range for `values`, which has 2 elements"),
        "{error}"
    );
}
