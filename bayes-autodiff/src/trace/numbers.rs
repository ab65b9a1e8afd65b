//! Data of operations on vectors: references to numbers of the program, and copies of others.

/// The place of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// The index among the program's data; `None` for a copy.
    data: Option<usize>,
    start: usize,
    len: usize,
}

impl Numbers {
    /// The start of these numbers.
    pub(super) fn start(self) -> usize {
        self.start
    }
}

/// The data that [`Numbers`] refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) data: &'a [&'a [f64]],
    pub(super) copied: &'a [f64],
}

impl<'a> Source<'a> {
    #[inline(always)]
    pub(super) fn numbers(self, at: Numbers) -> &'a [f64] {
        let all = at.data.map_or(self.copied, |k| self.data[k]);
        &all[at.start..at.start + at.len]
    }
}

/// The copies, and the addresses of the program's data.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// The start and the length of each of the program's data. Addresses only: they are compared and never followed.
    data: Vec<(usize, usize)>,
    pub(super) copied: Vec<f64>,
    /// During the comparison with a further evaluation: number of copied values that it has requested.
    compared: Option<usize>,
}

impl Copies {
    pub(super) fn new(data: &[&[f64]]) -> Self {
        let place = |x: &&[f64]| (x.as_ptr().addr(), x.len());
        Self {
            data: data.iter().map(place).collect(),
            ..Self::default()
        }
    }

    /// Begins to compare another evaluation with the same data.
    pub(super) fn compare(&mut self) {
        self.compared = Some(0);
    }

    /// Refers to some numbers: to the program's own, if they are among them, otherwise to a copy.
    pub(super) fn refer(&mut self, x: &[f64]) -> Numbers {
        let address = x.as_ptr().addr();
        for (k, (start, len)) in self.data.iter().enumerate() {
            let Some(bytes) = address.checked_sub(*start) else {
                continue;
            };
            let first = bytes / size_of::<f64>();
            if first + x.len() <= *len {
                let (data, start, len) = (Some(k), first, x.len());
                return Numbers { data, start, len };
            }
        }
        let start = self.copy(x);
        let (data, len) = (None, x.len());
        Numbers { data, start, len }
    }

    /// The start of the copy: a new one, or the next one if it has the same numbers.
    fn copy(&mut self, x: &[f64]) -> usize {
        if let Some(start) = self.compared {
            let next = self.copied[start..].iter().map(|x| x.to_bits());
            if next.take(x.len()).eq(x.iter().map(|x| x.to_bits())) {
                self.compared = Some(start + x.len());
                return start;
            }
        }
        let start = self.copied.len();
        self.copied.extend_from_slice(x);
        start
    }
}
