//! The network on one particle in any arithmetic, layer by layer: for duals and Hessians.

use super::layer::{Activation, Layer, Shape};
use super::{Inputs, Network};
use crate::matrix::Matrix;
use crate::mode::Mode;
use crate::real::Real;

/// The outputs of `network` for every row of `inputs`, `[rows, outputs]`, at `weights`, `[parameters]`.
///
/// # Panics
/// If the inputs or the weights do not have the sizes of the network.
pub fn forward<M: Mode>(network: &Network, inputs: Inputs<'_>, weights: &[Real<M>]) -> Matrix<M> {
    assert_eq!(
        weights.len(),
        network.parameters(),
        "as many weights as the network has"
    );
    let mut elements = Vec::with_capacity(inputs.rows * network.outputs());
    for i in 0..inputs.rows {
        let mut x: Vec<Real<M>> = (0..inputs.columns)
            .map(|k| Real::constant(inputs.entries[k * inputs.rows + i]))
            .collect();
        let mut rest = weights;
        for (layer, shape) in network.layers().iter().zip(network.shapes()) {
            let (own, others) = rest.split_at(layer.parameters());
            rest = others;
            x = apply(*layer, *shape, own, &x);
        }
        elements.extend(x);
    }
    Matrix::from_elements(inputs.rows, network.outputs(), elements)
}

/// One layer on one example of shape `shape`.
fn apply<M: Mode>(layer: Layer, shape: Shape, weights: &[Real<M>], x: &[Real<M>]) -> Vec<Real<M>> {
    match layer {
        Layer::Dense { inputs, outputs } => {
            let sum = |o| {
                (0..inputs)
                    .map(|i| x[i] * weights[i * outputs + o])
                    .sum::<Real<M>>()
            };
            (0..outputs)
                .map(|o| weights[inputs * outputs + o] + sum(o))
                .collect()
        }
        Layer::Conv2d {
            outputs,
            kernel,
            padding,
            ..
        } => convolve([outputs, kernel, padding], shape, weights, x),
        Layer::MaxPool { size } => pool(size, shape, x, |window| {
            window[1..].iter().fold(window[0], |a, b| a.max(*b))
        }),
        Layer::AveragePool { size } => pool(size, shape, x, |window| {
            window.iter().sum::<Real<M>>() / window.len() as f64
        }),
        Layer::Activation(activation) => x.iter().map(|x| activate(activation, *x)).collect(),
    }
}

fn activate<M: Mode>(activation: Activation, x: Real<M>) -> Real<M> {
    match activation {
        Activation::Relu => x.max(0.0),
        Activation::Gelu => x * x.norm_cdf(),
        Activation::Tanh => x.tanh(),
        Activation::Sigmoid => x.logistic(),
    }
}

fn image(shape: Shape) -> [usize; 3] {
    match shape {
        Shape::Image {
            channels,
            height,
            width,
        } => [channels, height, width],
        Shape::Flat(_) => unreachable!("a network is checked before it is evaluated"),
    }
}

fn convolve<M: Mode>(
    [outputs, kernel, padding]: [usize; 3],
    shape: Shape,
    weights: &[Real<M>],
    x: &[Real<M>],
) -> Vec<Real<M>> {
    let [channels, height, width] = image(shape);
    let (kernels, biases) = weights.split_at(outputs * channels * kernel * kernel);
    let rows = height + 2 * padding + 1 - kernel;
    let columns = width + 2 * padding + 1 - kernel;
    let mut out = Vec::with_capacity(outputs * rows * columns);
    for (kernel_weights, bias) in kernels.chunks_exact(channels * kernel * kernel).zip(biases) {
        for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            let mut sum = *bias;
            for (tap, weight) in kernel_weights.iter().enumerate() {
                let channel = tap / (kernel * kernel);
                let y = (row + tap / kernel % kernel).wrapping_sub(padding);
                let z = (column + tap % kernel).wrapping_sub(padding);
                // the index of a pixel in the padding wraps around or exceeds the image
                if y < height && z < width {
                    sum += x[(channel * height + y) * width + z] * weight;
                }
            }
            out.push(sum);
        }
    }
    out
}

fn pool<M: Mode>(
    size: usize,
    shape: Shape,
    x: &[Real<M>],
    f: impl Fn(&[Real<M>]) -> Real<M>,
) -> Vec<Real<M>> {
    let [channels, height, width] = image(shape);
    let mut out = Vec::new();
    for channel in 0..channels {
        for (row, column) in (0..height / size).flat_map(|r| (0..width / size).map(move |c| (r, c)))
        {
            let corner = (channel * height + row * size) * width + column * size;
            let window: Vec<_> = (0..size * size)
                .map(|p| x[corner + p / size * width + p % size])
                .collect();
            out.push(f(&window));
        }
    }
    out
}
