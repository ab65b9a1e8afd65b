//! Rows: the model of some observations in any order, sums over parts, and errors.

use bayes::Error;
use bayes::autodiff::{Real, Value};
use bayes::density::{LogDensity, Particles, Posterior, Subposterior};
use bayes::model::{Evaluate, validate};
use bayes::prelude::*;
use bayes::rows::{RowCount, RowData, RowsError, partition};
use proptest::prelude::*;

/// Arguments of every kind with rows, among others without.
#[model]
fn kinds<'t>(
    #[rows] x: &DMatrix<f64>,
    prior_sd: f64,
    #[rows] y: &[bool],
    #[rows] weights: Vec<f64>,
    names: &'t str,
    #[rows] offset: &'t DVector<f64>,
    #[rows] seen: Option<&[f64]>,
    levels: Vec<f64>,
) {
    let beta = sample(Normal::new(0.0, prior_sd).iid(x.ncols()));
    let extra: &'t DVector<f64> = offset;
    observe(y, BernoulliLogit::new(x * &beta + extra));
    for i in 0..weights.len() {
        factor(beta[0] * weights[i] * levels[names.len() % levels.len()]);
    }
    if let Some(seen) = seen {
        observe(*seen, Normal::new(beta[0], 1.0));
    }
}

struct Fixture {
    x: DMatrix<f64>,
    y: Vec<bool>,
    weights: Vec<f64>,
    offset: DVector<f64>,
    seen: Vec<f64>,
}

fn fixture(rows: usize) -> Fixture {
    let number = |i: usize, k: usize| ((7 * i + 3 * k) as f64).sin();
    Fixture {
        x: DMatrix::from_fn(rows, 2, number),
        y: (0..rows).map(|i| i % 3 == 1).collect(),
        weights: (0..rows).map(|i| number(i, 5)).collect(),
        offset: DVector::from_fn(rows, |i, _| number(i, 9)),
        seen: (0..rows).map(|i| number(i, 2)).collect(),
    }
}

impl Fixture {
    fn model(&self) -> kinds<'_, '_, '_, '_> {
        let seen = Some(self.seen.as_slice());
        kinds(
            &self.x,
            2.0,
            &self.y,
            self.weights.clone(),
            "ab",
            &self.offset,
            seen,
            vec![0.5, 1.5],
        )
    }
}

/// `[log prior, log likelihood]` at unconstrained coordinates.
fn densities(model: &impl Model, coordinates: &[f64]) -> [f64; 2] {
    let coordinates: Vec<Real<Value>> = coordinates.iter().map(|x| Real::constant(*x)).collect();
    let mut interpreter = Evaluate::new(&coordinates);
    model.program::<Value, _>(&mut interpreter);
    interpreter.densities().map(|density| density.primal())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    /// The likelihoods of parts add up to the likelihood of the whole, and each part has the prior of the whole.
    #[test]
    fn parts_add_up(rows in 2_usize..40, share in 0.0..1.0_f64, seed in 0_u64..1000) {
        let parts = 1 + (share * (rows - 1) as f64) as usize;
        let data = fixture(rows);
        let model = data.model();
        let at = [0.3, -0.7];
        let whole = densities(&model, &at);
        let parts = model.parts(parts, seed).unwrap();
        let likelihood: f64 = parts.iter().map(|part| densities(part, &at)[1]).sum();
        prop_assert!(close(likelihood, whole[1]), "{likelihood} {}", whole[1]);
        prop_assert!(parts.iter().all(|part| densities(part, &at)[0].to_bits() == whole[0].to_bits()));
        prop_assert_eq!(parts.iter().map(|part| part.rows().unwrap()).sum::<usize>(), rows);
    }

    /// The product of the subposteriors is the posterior.
    #[test]
    fn subposteriors_multiply(rows in 2_usize..40, share in 0.0..1.0_f64, seed in 0_u64..1000) {
        let parts = 1 + (share * (rows - 1) as f64) as usize;
        let data = fixture(rows);
        let model = data.model();
        let at = [0.3, -0.7];
        let log_density = |density: &dyn LogDensity| {
            let mut particle = Particles::new(1, at.len());
            particle.positions.copy_from_slice(&at);
            density.evaluate(&mut particle.block());
            particle.log_prior[0] + particle.log_likelihood[0]
        };
        let subsets = model.parts(parts, seed).unwrap();
        let parts = Subposterior::of_parts(&subsets).unwrap();
        let product: f64 = parts.iter().map(|part| log_density(part)).sum();
        let whole = log_density(&Posterior::new(&model, 1).unwrap());
        prop_assert!(close(product, whole), "{product} {whole}");
    }

    /// A subset equals the model of these rows written out, to the last bit, even if its memory held other rows before.
    #[test]
    fn a_subset_is_the_model_of_its_rows(rows in prop::collection::vec(0_usize..9, 0..20)) {
        let data = fixture(9);
        let model = data.model();
        let pick = |from: &[f64]| rows.iter().map(|row| from[*row]).collect::<Vec<_>>();
        let written = Fixture {
            x: data.x.select_rows(&rows),
            y: rows.iter().map(|row| data.y[*row]).collect(),
            weights: pick(&data.weights),
            offset: DVector::from_vec(pick(data.offset.as_slice())),
            seen: pick(&data.seen),
        };
        let at = [1.2, 0.4];
        let expected = densities(&written.model(), &at);
        prop_assert_eq!(densities(&model.subset(&rows).unwrap(), &at), expected);
        let mut subset = model.subset(&[8, 0, 3, 3]).unwrap();
        subset.select(&rows).unwrap();
        prop_assert_eq!(densities(&subset, &at), expected);
        prop_assert_eq!(subset.indices(), &rows);
    }
}

#[test]
fn a_subset_has_rows_itself_and_a_complement() {
    let data = fixture(10);
    let model = data.model();
    let at = [0.1, 0.2];
    let even = model.subset(&[0, 2, 4, 6, 8]).unwrap();
    assert_eq!(even.rows().unwrap(), 5);
    let last = even.subset(&[4, 3]).unwrap();
    assert_eq!(
        densities(&last, &at),
        densities(&model.subset(&[8, 6]).unwrap(), &at)
    );
    let odd = even.complement();
    assert_eq!(odd.indices(), [1, 3, 5, 7, 9]);
    assert!(close(
        densities(&even, &at)[1] + densities(&odd, &at)[1],
        densities(&model, &at)[1]
    ));
    assert_eq!(
        even.row_counts()[0],
        RowCount {
            name: "x".to_owned(),
            rows: 5
        }
    );
    assert_eq!(
        format!("{even:?}"),
        "Subset { model: \"kinds\", rows: 5, of: 10 }"
    );
}

#[test]
fn no_rows_leave_the_prior() {
    let data = fixture(4);
    let model = data.model();
    assert_eq!(densities(&model.subset(&[]).unwrap(), &[0.1, 0.2])[1], 0.0);
}

/// A survey, with rows in some of its fields.
#[derive(Debug, Clone, PartialEq, RowData)]
struct Survey {
    #[rows]
    outcome: Vec<f64>,
    #[rows]
    answers: Answers,
    groups: usize,
}

/// Fields with rows in a field with rows.
#[derive(Debug, Clone, PartialEq, RowData)]
struct Answers {
    #[rows]
    age: DMatrix<f64>,
    #[rows]
    r#type: Vec<[usize; 2]>,
}

/// A struct by reference.
#[model]
fn survey(#[rows] data: &Survey, scale: f64) {
    let effects = sample(Normal::new(0.0, 1.0).iid(data.groups));
    let slope = sample(Normal::new(0.0, scale));
    for i in 0..data.outcome.len() {
        let group = data.answers.r#type[i][0];
        observe(
            data.outcome[i],
            Normal::new(effects[group] + slope * data.answers.age[(i, 0)], 1.0),
        );
    }
}

fn surveyed() -> Survey {
    Survey {
        outcome: vec![1.0, 2.0, 3.0, 4.0],
        answers: Answers {
            age: DMatrix::from_column_slice(4, 1, &[0.1, 0.2, 0.3, 0.4]),
            r#type: vec![[0, 0], [1, 0], [2, 0], [0, 0]],
        },
        groups: 3,
    }
}

#[test]
fn fields_have_rows() {
    let data = surveyed();
    let model = survey(&data, 1.0);
    assert_eq!(model.rows().unwrap(), 4);
    let at = [0.1, 0.2, 0.3, 0.4];
    let (first, last) = (
        model.subset(&[3, 1]).unwrap(),
        model.subset(&[0, 2]).unwrap(),
    );
    let sum = densities(&first, &at)[1] + densities(&last, &at)[1];
    assert!(close(sum, densities(&model, &at)[1]));
    let mut part = data.gather(&[2]);
    data.refill(&[1, 1], &mut part);
    assert_eq!(part, data.gather(&[1, 1]));
    assert_eq!((part.groups, part.outcome), (3, vec![2.0, 2.0]));
}

fn text(error: Result<impl Sized, Error>) -> String {
    error.err().expect("an error").to_string()
}

#[test]
fn lengths_that_differ_are_named_before_sampling() {
    let mut data = surveyed();
    data.answers.r#type.pop();
    let model = survey(&data, 1.0);
    let expected = "the rows of the model `survey`: `data.outcome` has 4 rows, `data.answers.age` has 4 rows, \
                    `data.answers.type` has 3 rows; data marked `#[rows]` have one row for each observation";
    assert_eq!(text(model.rows()), expected);
    assert_eq!(text(model.subset(&[0])), expected);
    assert_eq!(text(model.parts(2, 1)), expected);
    assert_eq!(text(validate(&model)), expected);
}

#[test]
fn a_missing_argument_has_no_number_of_rows() {
    let data = fixture(3);
    let model = kinds(
        &data.x,
        2.0,
        &data.y,
        data.weights.clone(),
        "",
        &data.offset,
        None,
        vec![1.0],
    );
    assert_eq!(model.rows().unwrap(), 3);
    assert!(densities(&model.subset(&[2]).unwrap(), &[0.0, 0.0])[1].is_finite());
}

#[test]
fn a_row_out_of_range_is_named_and_changes_nothing() {
    let data = fixture(5);
    let model = data.model();
    let expected = "the rows of the model `kinds`: row 5 is out of range, the data have 5 rows, counted from 0";
    assert_eq!(text(model.subset(&[0, 5, 7])), expected);
    let mut subset = model.subset(&[1, 2]).unwrap();
    assert_eq!(text(subset.select(&[5])), expected);
    assert_eq!(subset.indices(), [1, 2]);
    let inner = text(subset.subset(&[2]));
    assert!(
        inner.ends_with("row 2 is out of range, the data have 2 rows, counted from 0"),
        "{inner}"
    );
}

#[test]
fn more_parts_than_rows_are_refused() {
    let data = fixture(3);
    assert_eq!(
        text(data.model().parts(4, 0)),
        "the rows of the model `kinds`: 3 rows cannot be divided into 4 parts"
    );
    assert_eq!(
        partition(3, 0, 0).unwrap_err(),
        RowsError::Parts { parts: 0, rows: 3 }
    );
}

#[test]
fn parts_must_hold_each_row_once() {
    let (data, other) = (fixture(6), fixture(6));
    let (model, other) = (data.model(), other.model());
    let refused = |chunks: &[&[usize]]| {
        let subsets = chunks.iter().map(|rows| model.subset(rows));
        let subsets: Vec<_> = subsets.collect::<Result<_, _>>().unwrap();
        text(Subposterior::of_parts(&subsets))
    };
    let whole = "; every row must be in exactly one part";
    let start = "the rows of the model `kinds`: ";
    assert_eq!(
        refused(&[&[0, 1, 2], &[4, 2, 3, 5]]),
        format!("{start}row 2 is in part 0 and in part 1{whole}")
    );
    assert_eq!(
        refused(&[&[0, 1, 0], &[4, 2, 3, 5]]),
        format!("{start}row 0 is twice in part 0{whole}")
    );
    assert_eq!(
        refused(&[&[0], &[4, 2, 5]]),
        format!("{start}row 1 and 1 other are in no part{whole}")
    );
    assert_eq!(
        refused(&[&[0, 1, 2, 3, 4, 5], &[]]),
        format!("{start}part 1 has no rows; every part needs at least one")
    );
    let mixed = [model.subset(&[0, 1, 2]), other.subset(&[3, 4, 5])].map(Result::unwrap);
    let message = text(Subposterior::of_parts(&mixed));
    assert!(
        message.contains("part 1 and part 0 are of different models"),
        "{message}"
    );
}

/// A random value for each row.
#[model]
fn latent(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let z = sample(Normal::new(mu, 1.0).iid(y.len()));
    observe(y, Normal::new(&z, 1.0));
}

/// Two random values for each row.
#[model]
fn twice_latent(#[rows] y: &[f64]) {
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let mu = sample(Normal::new(0.0, 1.0));
    let spread = sample(HalfNormal::new(1.0).iid(y.len()));
    observe(y, Normal::new(mu + &z, &spread));
}

/// The mutation that it detects: the first quantity alone is named.
#[test]
fn all_quantities_that_depend_on_the_rows_are_named() {
    let message = text(twice_latent(&[1.0, 2.0, 3.0]).subset(&[0, 1]));
    assert!(message.contains("`z` in `let z = sample("), "{message}");
    assert!(
        message.contains("of them, and `spread` changes with the rows too; the rows"),
        "{message}"
    );
}

/// As many random values as the rows say.
#[model]
fn grouped(#[rows] group: &[usize], #[rows] y: &[f64]) {
    let groups = group.iter().max().map_or(1, |last| last + 1);
    let effect = sample(Normal::new(0.0, 1.0).iid(groups));
    for (i, &group) in group.iter().enumerate() {
        observe(y[i], Normal::new(effect[group], 1.0));
    }
}

#[test]
fn random_values_that_depend_on_the_rows_are_refused() {
    let error = latent(&[1.0, 2.0, 3.0]).subset(&[0, 1]).unwrap_err();
    let Error::Rows {
        source:
            RowsError::Quantity {
                name,
                whole,
                part,
                rows,
                ..
            },
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!((*name, *whole, *part, *rows), ("z", 3, 2, 2));
    let message = error.to_string();
    assert!(
        message.starts_with("the rows of the model `latent`: `z` in `let z = sample("),
        "{message}"
    );
    assert!(
        message.ends_with(
            "has 3 elements with all rows and 2 with 2 of them; the rows of a model with a random value for each of them, \
             as `impute` makes for missing ones, cannot be chosen from"
        ),
        "{message}"
    );
    // these rows give the same number, others would not
    let (group, y) = ([0, 1, 1], [0.1, 0.2, 0.3]);
    let message = text(grouped(&group, &y).subset(&[1, 2]));
    assert!(
        message.contains("has 2 elements with all rows and 1 with 1 of them"),
        "{message}"
    );
}

/// A model that needs two rows.
#[model]
fn differences(#[rows] y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    let first = y[1] - y[0];
    observe(first, Normal::new(0.0, sd));
}

#[test]
fn a_model_that_stops_says_with_how_many_rows() {
    let y = [1.0, 2.0, 4.0];
    let model = differences(&y);
    assert_eq!(model.subset(&[2, 0]).unwrap().rows().unwrap(), 2);
    let message = text(model.subset(&[1]));
    assert!(message.contains("with 1 row: line "), "{message}");
    assert!(
        message.ends_with("index 1 is out of range for `y`, which has 1 element"),
        "{message}"
    );
}

/// A user's own data without the derive; a row is one day.
struct Days(Vec<(f64, f64)>);

impl RowData for Days {
    type Owned = Self;
    type View<'s> = &'s Self;

    fn rows(&self) -> usize {
        self.0.len()
    }
    fn gather(&self, rows: &[usize]) -> Self {
        Self(rows.iter().map(|row| self.0[*row]).collect())
    }
    fn view<'s>(&'s self, owned: &'s Self) -> &'s Self {
        owned
    }
}

/// Data owned by the model.
#[model]
fn weather<const N: usize>(#[rows] days: Days, #[rows] powers: &[[f64; N]]) {
    let mean = sample(Normal::new(0.0, 10.0));
    for (day, power) in days.0.iter().zip(powers) {
        observe(day.0, Normal::new(mean, day.1 * power[N - 1]));
    }
}

#[test]
fn data_of_ones_own_have_rows() {
    let days = || Days(vec![(1.0, 0.5), (2.0, 0.5), (4.0, 1.0)]);
    let powers = [[1.0, 2.0], [3.0, 1.0], [1.0, 0.5]];
    let model = weather(days(), &powers);
    let parts = model.parts(3, 2).unwrap();
    let sum: f64 = parts.iter().map(|part| densities(part, &[1.5])[1]).sum();
    assert!(close(sum, densities(&model, &[1.5])[1]));
}

#[test]
fn forward_mode_stays_forward_mode_without_jacobians() {
    let data = fixture(6);
    let model = data.model();
    let settings = bayes::density::ArithmeticSettings {
        gradient: bayes::prelude::GradientMode::Forward,
        ..Default::default()
    };
    let density = Posterior::with(&model, 1, settings).expect("the model fits its data");
    let reverse = Posterior::new(&model, 1).expect("the model fits its data");
    for (density, mode) in [(density, "forward"), (reverse, "reverse")] {
        let without = density.jacobian(false);
        let arithmetic = without
            .quantities()
            .describe()
            .expect("a model has a description")
            .arithmetic;
        assert_eq!(arithmetic.gradient.name(), mode);
    }
}
