//! Every layer at every level and in both precisions, compared with the scalar network and its differences.

mod alone;
mod refused;

use super::{Activation, Layer, Network, NetworkError, Pass, Precision, Rows, Shape, forward};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{InstructionSet, LANES, Simd};
use crate::value::Value;
use nalgebra::DMatrix;

const RELU: Layer = Layer::Activation(Activation::Relu);
const GELU: Layer = Layer::Activation(Activation::Gelu);
const TANH: Layer = Layer::Activation(Activation::Tanh);
const SIGMOID: Layer = Layer::Activation(Activation::Sigmoid);

fn dense(inputs: usize, outputs: usize) -> Layer {
    Layer::Dense { inputs, outputs }
}

fn conv(inputs: usize, outputs: usize, kernel: usize, padding: usize) -> Layer {
    Layer::Conv2d {
        inputs,
        outputs,
        kernel,
        padding,
    }
}

fn image(channels: usize, height: usize, width: usize) -> Shape {
    Shape::Image {
        channels,
        height,
        width,
    }
}

/// The description of a network, the shape of its inputs, and its layers.
type Described = (&'static str, Shape, Vec<Layer>);

/// Networks that reach every kernel: on data and on lanes, full blocks of registers and remainders.
fn networks() -> Vec<Described> {
    let mut all = dense_networks();
    all.extend(image_networks());
    all
}

fn dense_networks() -> Vec<Described> {
    vec![
        ("linear", Shape::Flat(5), vec![dense(5, 3)]),
        ("one output", Shape::Flat(1), vec![dense(1, 1)]),
        (
            "dense relu",
            Shape::Flat(7),
            vec![dense(7, 9), RELU, dense(9, 5), RELU, dense(5, 2)],
        ),
        (
            "dense tanh",
            Shape::Flat(4),
            vec![dense(4, 6), TANH, dense(6, 3)],
        ),
        (
            "dense gelu",
            Shape::Flat(4),
            vec![dense(4, 6), GELU, dense(6, 3)],
        ),
        (
            "dense sigmoid",
            Shape::Flat(2),
            vec![dense(2, 20), SIGMOID, dense(20, 5), SIGMOID, dense(5, 1)],
        ),
        (
            "wide",
            Shape::Flat(3),
            vec![dense(3, 131), RELU, dense(131, 2)],
        ),
        ("activation first", Shape::Flat(3), vec![TANH, dense(3, 2)]),
    ]
}

fn image_networks() -> Vec<Described> {
    let max = |size| Layer::MaxPool { size };
    let average = |size| Layer::AveragePool { size };
    vec![
        (
            "digits",
            image(1, 8, 8),
            vec![conv(1, 4, 3, 1), RELU, max(2), dense(64, 10)],
        ),
        (
            "pool before relu, edges left over",
            image(2, 7, 5),
            vec![conv(2, 5, 2, 0), max(2), RELU, dense(30, 3)],
        ),
        (
            "windows of nine",
            image(1, 9, 6),
            vec![conv(1, 3, 1, 0), max(3), dense(18, 2)],
        ),
        (
            "two convolutions",
            image(1, 6, 7),
            vec![
                conv(1, 3, 3, 1),
                TANH,
                conv(3, 2, 3, 2),
                GELU,
                average(2),
                dense(32, 2),
            ],
        ),
        (
            "two pooled convolutions",
            image(1, 10, 10),
            vec![
                conv(1, 6, 3, 1),
                RELU,
                max(2),
                conv(6, 5, 3, 0),
                RELU,
                max(3),
                dense(5, 3),
            ],
        ),
        (
            "pools on data",
            image(2, 4, 4),
            vec![max(2), average(2), dense(2, 2), RELU],
        ),
    ]
}

/// Numbers without pattern in (-1, 1).
fn number(i: usize) -> f64 {
    let x = (i as f64 * 0.754_877_666 + 0.123).fract();
    2.0 * (x * 1013.0).fract() - 1.0
}

/// `Σ_k c_k tanh(output_k)` with a factor for each row and output: every output matters differently.
struct Weighted;

impl Weighted {
    fn factor(row: usize, k: usize) -> f64 {
        1.0 + 0.25 * number(row * 17 + k)
    }
}

impl Rows for Weighted {
    fn value<M: Mode>(&mut self, row: usize, outputs: &[Real<M>]) -> Real<M> {
        let term = |(k, y): (usize, &Real<M>)| Self::factor(row, k) * y.tanh();
        outputs.iter().enumerate().map(term).sum()
    }
    #[inline(always)]
    fn term<S: Simd>(
        &mut self,
        row: usize,
        outputs: &[[f64; LANES]],
        mut slopes: Option<&mut [[f64; LANES]]>,
    ) -> S::Float {
        let mut sum = [0.0; LANES];
        for (k, output) in outputs.iter().enumerate() {
            for lane in 0..LANES {
                let y = output[lane].tanh();
                sum[lane] += Self::factor(row, k) * y;
                if let Some(slopes) = &mut slopes {
                    slopes[k][lane] = Self::factor(row, k) * (1.0 - y * y);
                }
            }
        }
        S::load(&sum)
    }
}

/// The sum of [`Weighted`] by the scalar network for one particle.
fn reference(network: &Network, inputs: &DMatrix<f64>, weights: &[f64]) -> f64 {
    let weights: Vec<Real<Value>> = weights.iter().map(|x| Real(*x)).collect();
    let outputs = forward(network, inputs.into(), &weights);
    let mut sum = 0.0;
    for row in 0..inputs.nrows() {
        sum += Weighted.value(row, outputs.row(row)).0;
    }
    sum
}

/// Pixel `k` of example `i`: some images have margins of zeros, some nothing else.
fn pixel(shape: Shape, i: usize, k: usize) -> f64 {
    let Shape::Image { height, width, .. } = shape else {
        return number(i * 91 + k);
    };
    let (y, x) = (k / width % height, k % width);
    let ink = match i % 4 {
        0 => true,
        1 => (3..5).contains(&x),
        2 => y > 4 && x > 2,
        _ => false,
    };
    if ink { number(i * 91 + k) } else { 0.0 }
}

struct Case {
    name: &'static str,
    network: Network,
    inputs: DMatrix<f64>,
    weights: Vec<[f64; LANES]>,
}

fn cases(rows: usize) -> Vec<Case> {
    let networks = networks().into_iter();
    networks.map(|network| Case::of(network, rows)).collect()
}

impl Case {
    fn of((name, shape, layers): Described, rows: usize) -> Self {
        let network = Network::new(shape, &layers).expect("these layers fit");
        let weight = |i| std::array::from_fn(|lane| 0.7 * number(1000 + i * LANES + lane));
        Self {
            name,
            inputs: DMatrix::from_fn(rows, shape.elements(), |i, k| pixel(shape, i, k)),
            weights: (0..network.parameters()).map(weight).collect(),
            network,
        }
    }

    fn pass(&self, precision: Precision) -> Pass<'_> {
        Pass {
            network: &self.network,
            precision,
            inputs: (&self.inputs).into(),
            weights: &self.weights,
        }
    }

    fn gradient(
        &self,
        precision: Precision,
        level: InstructionSet,
    ) -> ([f64; LANES], Vec<[f64; LANES]>) {
        let mut gradient = vec![[0.0; LANES]; self.network.parameters()];
        let pass = self.pass(precision);
        let sum = pass.score(level, &mut Weighted, Some(&mut gradient));
        let plain = pass.score(level, &mut Weighted, None);
        let bits = |sum: [f64; LANES]| sum.map(f64::to_bits);
        assert_eq!(bits(plain), bits(sum), "{} without gradient", self.name);
        (sum, gradient)
    }
}

fn close(found: f64, want: f64, scale: f64, tolerance: f64, what: &str) {
    assert!(
        (found - want).abs() <= tolerance * (want.abs() + scale),
        "{what}: {found}, want {want}"
    );
}

#[test]
fn sums_are_those_of_the_scalar_network() {
    for case in cases(11) {
        for level in InstructionSet::available() {
            for (precision, tolerance) in [(Precision::Double, 1e-13), (Precision::Single, 3e-5)] {
                let (sum, _) = case.gradient(precision, level);
                for lane in 0..LANES {
                    let weights: Vec<f64> = case.weights.iter().map(|w| w[lane]).collect();
                    let want = reference(&case.network, &case.inputs, &weights);
                    let what = format!("{} lane {lane} at {level}, {precision:?}", case.name);
                    close(sum[lane], want, 1.0, tolerance, &what);
                }
            }
        }
    }
}

#[test]
fn gradients_are_differences_of_the_scalar_network() {
    for case in cases(6) {
        for level in InstructionSet::available() {
            let (_, gradient) = case.gradient(Precision::Double, level);
            let step = 37.min(case.network.parameters());
            for i in (0..case.network.parameters()).step_by(1.max(step / 6)) {
                let lane = i % LANES;
                let at = |shift: f64| {
                    let mut weights: Vec<f64> = case.weights.iter().map(|w| w[lane]).collect();
                    weights[i] += shift;
                    reference(&case.network, &case.inputs, &weights)
                };
                let h = 1e-5;
                let slope = (at(h) - at(-h)) / (2.0 * h);
                let what = format!("{} slope {i} lane {lane} at {level}", case.name);
                close(gradient[i][lane], slope, 1.0, 2e-9, &what);
            }
        }
    }
}

/// The number of channels in the network of Zhao et al. (2024) for MNIST, and average pooling after each convolution: more channels than
/// in the networks above, and too many to compare every case with scalars.
#[test]
fn many_channels_have_the_gradient_of_differences() {
    let average = Layer::AveragePool { size: 2 };
    let (first, second) = (conv(1, 32, 3, 1), conv(32, 64, 3, 1));
    let layers = vec![first, RELU, average, second, RELU, average, dense(64, 2)];
    let case = Case::of(("many channels", image(1, 4, 4), layers), 3);
    let at = |lane: usize, i: usize, shift: f64| {
        let mut weights: Vec<f64> = case.weights.iter().map(|w| w[lane]).collect();
        weights[i] += shift;
        reference(&case.network, &case.inputs, &weights)
    };
    let h = 1e-5;
    // weights and biases of each layer
    let places = [3, 300, 319, 320, 9000, 18_750, 18_815, 18_900, 18_945];
    let wanted = places.map(|i| (at(i % LANES, i, h) - at(i % LANES, i, -h)) / (2.0 * h));
    for level in InstructionSet::available() {
        for (precision, tolerance) in [(Precision::Double, 2e-9), (Precision::Single, 1e-3)] {
            let (sum, gradient) = case.gradient(precision, level);
            let what = format!("{} at {level}, {precision:?}", case.name);
            close(sum[4], at(4, 0, 0.0), 1.0, tolerance, &what);
            for (i, want) in places.into_iter().zip(wanted) {
                close(gradient[i][i % LANES], want, 1.0, tolerance, &what);
            }
        }
    }
}

#[test]
fn levels_and_precisions_agree() {
    let first = InstructionSet::available()
        .next()
        .expect("a level is available");
    for case in cases(9) {
        let (_, wanted) = case.gradient(Precision::Double, first);
        for level in InstructionSet::available() {
            for (precision, tolerance) in [(Precision::Double, 1e-12), (Precision::Single, 1e-4)] {
                let (_, gradient) = case.gradient(precision, level);
                for (i, (found, want)) in gradient.iter().zip(&wanted).enumerate() {
                    for lane in 0..LANES {
                        let what = format!("{} slope {i} at {level}, {precision:?}", case.name);
                        close(found[lane], want[lane], 1.0, tolerance, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn many_rows_are_the_sum_of_their_parts() {
    // 700 rows are several chunks, and more than one partial gradient
    for case in cases(700) {
        for precision in [Precision::Double, Precision::Single] {
            let level = InstructionSet::detect();
            let (sum, gradient) = case.gradient(precision, level);
            let mut parts = [0.0; LANES];
            let mut part_gradient = vec![[0.0; LANES]; gradient.len()];
            for start in [0, 100, 400] {
                let count = [100, 300, 300][start.min(200) / 100];
                let inputs = case.inputs.rows(start, count).into_owned();
                let pass = Pass {
                    inputs: (&inputs).into(),
                    ..case.pass(precision)
                };
                let mut shifted = Shifted(start);
                let sums = pass.score(level, &mut shifted, Some(&mut part_gradient));
                parts
                    .iter_mut()
                    .zip(sums)
                    .for_each(|(sum, part)| *sum += part);
            }
            let tolerance = if precision == Precision::Double {
                1e-12
            } else {
                1e-4
            };
            for lane in 0..LANES {
                close(sum[lane], parts[lane], 1.0, tolerance, case.name);
                for (a, b) in gradient.iter().zip(&part_gradient) {
                    close(a[lane], b[lane], 10.0, tolerance, case.name);
                }
            }
        }
    }
}

/// [`Weighted`] for rows that start at another row.
struct Shifted(usize);

impl Rows for Shifted {
    fn value<M: Mode>(&mut self, row: usize, outputs: &[Real<M>]) -> Real<M> {
        Weighted.value(self.0 + row, outputs)
    }
    #[inline(always)]
    fn term<S: Simd>(
        &mut self,
        row: usize,
        outputs: &[[f64; LANES]],
        slopes: Option<&mut [[f64; LANES]]>,
    ) -> S::Float {
        Weighted.term::<S>(self.0 + row, outputs, slopes)
    }
}

#[test]
fn a_lane_does_not_depend_on_its_place() {
    for mut case in cases(70) {
        for weight in &mut case.weights {
            *weight = [weight[3]; LANES];
        }
        for level in InstructionSet::available() {
            for precision in [Precision::Double, Precision::Single] {
                let (sum, gradient) = case.gradient(precision, level);
                assert_eq!(sum, [sum[0]; LANES], "{} at {level}", case.name);
                for slope in &gradient {
                    assert_eq!(*slope, [slope[0]; LANES], "{} at {level}", case.name);
                }
            }
        }
    }
}

#[test]
fn outputs_and_their_adjoints_are_those_of_the_sum() {
    for case in cases(10) {
        let level = InstructionSet::detect();
        let each = case.network.outputs();
        let mut out = vec![[0.0; LANES]; 10 * each];
        case.pass(Precision::Double).outputs(level, &mut out);
        let weights: Vec<Real<Value>> = case.weights.iter().map(|w| Real(w[5])).collect();
        let scalar = forward(&case.network, (&case.inputs).into(), &weights);
        for (found, want) in out.iter().zip(scalar.elements()) {
            close(found[5], want.0, 1.0, 1e-13, case.name);
        }
        let mut adjoints = vec![[0.0; LANES]; 10 * each];
        for row in 0..10 {
            let (from, to) = (row * each, (row + 1) * each);
            Weighted.term::<crate::simd::Portable>(
                row,
                &out[from..to],
                Some(&mut adjoints[from..to]),
            );
        }
        let mut pulled = vec![[1.0; LANES]; case.network.parameters()];
        case.pass(Precision::Double)
            .pull_back(level, &adjoints, &mut pulled);
        let (_, gradient) = case.gradient(Precision::Double, level);
        for (found, want) in pulled.iter().zip(&gradient) {
            close(found[2], 1.0 + want[2], 1.0, 1e-13, case.name);
        }
    }
}

#[test]
fn a_weight_that_is_not_a_number_is_seen_in_its_own_lane_alone() {
    for mut case in cases(5) {
        for i in [0, case.network.parameters() - 1] {
            let own = case.weights[i][6];
            case.weights[i][6] = f64::NAN;
            let (sum, _) = case.gradient(Precision::Double, InstructionSet::detect());
            assert!(sum[6].is_nan(), "{} weight {i}", case.name);
            assert!(sum[5].is_finite(), "{} weight {i}", case.name);
            case.weights[i][6] = own;
        }
    }
}
