//! The memory of a pass, kept by each thread.

use super::element::{Buffer, Element};
use super::stage::{Geometry, Kind, Pooling, Stage};
use super::{Inputs, Network};
use crate::simd::{LANES, Simd};
use std::ops::Range;

/// Maximum number of bytes for the activations of a chunk, so that they stay in the second-level cache.
const CACHE: usize = 768 << 10;
/// Maximum number of rows of a chunk; more than the matrix products need.
const MAX_ROWS: usize = 256;
/// Minimum number of rows of a chunk if the first layer is dense, for an efficient matrix product.
const MIN_DENSE_ROWS: usize = 64;

/// Memory for chunks of one network; see [`Workspace::prepare`].
#[derive(Debug)]
pub(super) struct Workspace<E> {
    /// Examples of a chunk: rows, or groups of eight rows for a particle alone.
    pub(super) chunk: usize,
    /// Stages of the network.
    pub(super) stages: usize,
    /// The weights in the precision of the layers.
    pub(super) weights: Buffer<E>,
    /// The rows as the first stage reads them: images with their zeros, else row by row.
    pub(super) data: Vec<E>,
    /// The rows transposed, `[elements, rows]`, for a dense first layer.
    pub(super) transposed: Vec<E>,
    /// The rows in all lanes, for a first stage without weights; eight rows in the lanes for a particle alone.
    pub(super) lifted: Buffer<E>,
    /// The output of each stage, `[rows, elements]`.
    pub(super) outputs: Vec<Buffer<E>>,
    /// The positions of the maxima of a stage with max pooling, `[rows, elements]`.
    pub(super) places: Vec<Buffer<E>>,
    /// Slopes of the outputs of the present stage, and of its inputs.
    pub(super) slopes: [Buffer<E>; 2],
    /// Slopes of one convolution, and the same with zeros around.
    pub(super) image: [Buffer<E>; 2],
    /// The gradient of the rows since it was last added in double precision.
    pub(super) partial: Buffer<E>,
    /// Number of rows in it.
    pub(super) partial_rows: usize,
    /// Outputs and slopes of one row in double precision.
    pub(super) row: [Buffer<f64>; 2],
    /// For a pooled convolution of the data, the windows of each row that see a pixel other than 0: first and end.
    pub(super) spans: Vec<[usize; 2]>,
    /// Offsets of the pixels of a pooling window, stage by stage.
    pub(super) windows: Vec<Vec<usize>>,
}

impl<E> Default for Workspace<E> {
    fn default() -> Self {
        Self {
            chunk: 0,
            stages: 0,
            weights: Buffer::default(),
            data: Vec::new(),
            transposed: Vec::new(),
            lifted: Buffer::default(),
            outputs: Vec::new(),
            places: Vec::new(),
            slopes: Default::default(),
            image: Default::default(),
            partial: Buffer::default(),
            partial_rows: 0,
            row: Default::default(),
            spans: Vec::new(),
            windows: Vec::new(),
        }
    }
}

impl<E: Element> Workspace<E> {
    /// Allocates memory for chunks of `network`; the flags say whether there is a gradient, and a gradient of the inputs.
    pub(super) fn prepare(
        &mut self,
        network: &Network,
        rows: usize,
        [gradient, inputs]: [bool; 2],
    ) {
        self.prepare_outputs(network, chunk_rows::<E>(&network.stages).min(rows));
        self.weights.resize(network.parameters());
        let stages = &network.stages;
        let read = stages[0].data_elements();
        self.data.clear();
        self.data.resize(self.chunk * read, E::default());
        self.transposed.clear();
        self.transposed
            .resize(self.chunk * network.input().elements(), E::default());
        let lifted = if stages[0].lifts() {
            self.data.len()
        } else {
            0
        };
        self.lifted.resize(lifted);
        if gradient {
            self.prepare_gradient(network, inputs);
        }
    }

    /// Allocates memory for chunks of examples with eight rows each, for one particle.
    pub(super) fn prepare_alone(&mut self, network: &Network, examples: usize) {
        let input = network.input().elements();
        let bytes = example_bytes::<E>(&network.stages) + input * size_of::<[E; LANES]>();
        let chunk = (CACHE / bytes).clamp(4, MAX_ROWS);
        self.prepare_outputs(network, chunk.min(examples));
        self.lifted.resize(self.chunk * input);
    }

    /// Allocates memory for the outputs of the stages.
    fn prepare_outputs(&mut self, network: &Network, chunk: usize) {
        let stages = &network.stages;
        self.stages = stages.len();
        self.chunk = chunk;
        self.outputs
            .resize_with(stages.len().max(self.outputs.len()), Buffer::default);
        self.places
            .resize_with(stages.len().max(self.places.len()), Buffer::default);
        self.windows
            .resize_with(stages.len().max(self.windows.len()), Vec::new);
        let mut image = [0; 2];
        for (i, stage) in stages.iter().enumerate() {
            let elements = self.chunk * stage.output.elements();
            self.outputs[i].resize(elements);
            self.places[i].resize(if stage.pools() { elements } else { 0 });
            image = stage.image_elements(image);
            if let Kind::ConvPool(geometry, pooling) = &stage.kind {
                pooling.window(geometry.padded[1], &mut self.windows[i]);
            }
        }
        for (buffer, elements) in self.image.iter_mut().zip(image) {
            buffer.resize(elements);
        }
        self.row
            .iter_mut()
            .for_each(|row| row.resize(network.outputs()));
    }

    fn prepare_gradient(&mut self, network: &Network, inputs: bool) {
        let outputs = network.stages.iter().map(|stage| stage.output.elements());
        let read = inputs.then(|| network.input().elements());
        let widest = outputs.chain(read).max();
        for slopes in &mut self.slopes {
            slopes.resize(self.chunk * widest.unwrap_or(0));
        }
        self.partial.resize(network.parameters());
        self.partial.fill([E::default(); LANES]);
        self.partial_rows = 0;
    }

    /// Copies the weights in the precision of the layers.
    #[inline(always)]
    pub(super) fn read_weights<S: Simd>(&mut self, weights: &[[f64; LANES]]) {
        for (own, weight) in self.weights.iter_mut().zip(weights) {
            E::store::<S>(E::narrow::<S>(S::load(weight)), own);
        }
    }

    /// Reads the next rows in the order that the first stage expects.
    pub(super) fn read_rows(&mut self, network: &Network, inputs: Inputs<'_>, rows: Range<usize>) {
        let elements = inputs.columns;
        let count = rows.len();
        for k in 0..elements {
            let column = &inputs.entries[k * inputs.rows..][rows.clone()];
            for (own, x) in self.transposed[k * count..][..count].iter_mut().zip(column) {
                *own = E::of(*x);
            }
        }
        match &network.stages[0].kind {
            Kind::Conv(geometry) | Kind::ConvPool(geometry, _) => self.read_images(geometry, count),
            _ => transpose(&self.transposed[..elements * count], count, &mut self.data),
        }
        if let Kind::ConvPool(geometry, pooling) = &network.stages[0].kind {
            self.spans.clear();
            for image in self
                .data
                .chunks_exact(geometry.padded_elements())
                .take(count)
            {
                pooling.spans(geometry, image, &mut self.spans);
            }
        }
        if network.stages[0].lifts() {
            for (lanes, x) in self.lifted.iter_mut().zip(&self.data) {
                lanes.fill(*x);
            }
        }
    }

    /// Reads rows for one particle, eight in the lanes of each example; the last row fills the leftover lanes.
    pub(super) fn read_alone(&mut self, inputs: Inputs<'_>, rows: Range<usize>) {
        let last = rows.end - 1;
        let examples = self.lifted.chunks_exact_mut(inputs.columns);
        for (first, example) in rows.step_by(LANES).zip(examples) {
            for (k, lanes) in example.iter_mut().enumerate() {
                let column = &inputs.entries[k * inputs.rows..][..inputs.rows];
                *lanes = std::array::from_fn(|lane| E::of(column[last.min(first + lane)]));
            }
        }
    }

    /// Images with zeros around them, from the transposed rows.
    fn read_images(&mut self, geometry: &Geometry, count: usize) {
        let [height, width] = geometry.image;
        let [rows, columns] = geometry.padded;
        for i in 0..count {
            let image =
                &mut self.data[i * geometry.padded_elements()..][..geometry.padded_elements()];
            for pixel in 0..geometry.inputs * height * width {
                let (channel, y, x) = (
                    pixel / (height * width),
                    pixel / width % height,
                    pixel % width,
                );
                let at = (channel * rows + y + geometry.padding) * columns + x + geometry.padding;
                image[at] = self.transposed[pixel * count + i];
            }
        }
    }
}

/// `out[i, k] = transposed[k, i]` for `rows` rows `i`.
fn transpose<E: Copy>(transposed: &[E], rows: usize, out: &mut [E]) {
    let elements = transposed.len() / rows;
    for (k, column) in transposed.chunks_exact(rows).enumerate() {
        for (i, x) in column.iter().enumerate() {
            out[i * elements + k] = *x;
        }
    }
}

/// Number of rows of a chunk: as many as stay in the cache with all their data; a multiple of 4.
///
/// The same with and without a gradient, so that the value does not depend on it.
fn chunk_rows<E>(stages: &[Stage]) -> usize {
    let rows = CACHE / example_bytes::<E>(stages).max(1);
    let least = match stages[0].kind {
        Kind::Dense => MIN_DENSE_ROWS,
        _ => 4,
    };
    (rows / 4 * 4).clamp(least, MAX_ROWS)
}

/// Bytes of all data of an example.
fn example_bytes<E>(stages: &[Stage]) -> usize {
    let of = |stage: &Stage| stage.output.elements() * (1 + usize::from(stage.pools()));
    let kept: usize = stages.iter().map(of).sum();
    let widest = stages
        .iter()
        .map(|stage| stage.output.elements())
        .max()
        .unwrap_or(0);
    (kept + 2 * widest) * size_of::<[E; LANES]>()
}

impl Stage {
    /// Whether the stage keeps the places of its maxima.
    fn pools(&self) -> bool {
        matches!(self.kind, Kind::ConvPool(..) | Kind::MaxPool(_))
    }

    /// Whether, as the first stage, it needs the data in lanes.
    pub(super) fn lifts(&self) -> bool {
        !matches!(self.kind, Kind::ConvPool(..) | Kind::Conv(_) | Kind::Dense)
    }

    /// Numbers of one example that the stage reads, if it is the first.
    fn data_elements(&self) -> usize {
        match &self.kind {
            Kind::Conv(geometry) | Kind::ConvPool(geometry, _) => geometry.padded_elements(),
            _ => self.input.elements(),
        }
    }

    /// Lane vectors needed for one image, and for one image with padding, if more than `before`.
    fn image_elements(&self, [plain, padded]: [usize; 2]) -> [usize; 2] {
        match &self.kind {
            Kind::Conv(geometry) | Kind::ConvPool(geometry, _) => {
                let back = geometry.outputs * geometry.back.padded[0] * geometry.back.padded[1];
                [
                    plain.max(geometry.outputs * geometry.pixels()),
                    padded.max(geometry.padded_elements()).max(back),
                ]
            }
            _ => [plain, padded],
        }
    }
}

impl Pooling {
    /// Appends, for every row of windows, the windows with a nonzero pixel of `image`: first and end.
    fn spans<E: Element>(self, geometry: &Geometry, image: &[E], out: &mut Vec<[usize; 2]>) {
        let [rows, columns] = geometry.padded;
        let windows = geometry.result.map(|n| n / self.size);
        // rows and columns of a window
        let reach = self.size + rows - geometry.result[0];
        let seen = |row: usize, column: usize| {
            let inks = |y: usize| image[y * columns + column] != E::default();
            (0..geometry.inputs).any(|channel| {
                let top = channel * rows + row * self.size;
                (top..top + reach).any(inks)
            })
        };
        for row in 0..windows[0] {
            let first = (0..columns).find(|column| seen(row, *column));
            let last = (0..columns).rfind(|column| seen(row, *column));
            out.push(match (first, last) {
                (Some(first), Some(last)) => [
                    (first + 1).saturating_sub(reach).div_ceil(self.size),
                    windows[1].min(last / self.size + 1),
                ],
                _ => [0, 0],
            });
        }
    }

    /// Writes the offsets of a window's pixels in an image of `columns` columns.
    fn window(self, columns: usize, out: &mut Vec<usize>) {
        out.clear();
        out.extend((0..self.size * self.size).map(|p| p / self.size * columns + p % self.size));
    }
}
