//! The problems, with the published figures of each.

use crate::problem::Name;
use crate::trial::Moves;

/// A problem with `rows` observations and `columns` coefficients, and its published figures.
pub struct Size {
    pub problem: Name,
    pub rows: usize,
    pub columns: usize,
    /// Moves M at each temperature; for pCN, if both kernels are run.
    mutations: usize,
    /// Burn-in of the chain; for pCN, if both kernels are run.
    burn_in: usize,
    /// Mean squared error at the crossover with its error, number of nodes, seconds.
    pub published: (&'static str, usize, &'static str),
}

const fn size(
    [rows, columns]: [usize; 2],
    mutations: usize,
    burn_in: usize,
    published: (&'static str, usize, &'static str),
) -> Size {
    Size {
        problem: Name::Regression {
            rows,
            columns,
            noise: 0.01,
        },
        rows,
        columns,
        mutations,
        burn_in,
        published,
    }
}

pub const SIZES: [Size; 9] = [
    size([16, 4], 4, 10_000, ("2(±0.1)e-8", 22, "5.2e-2")),
    size([8, 8], 10, 10_000, ("1(±0.2)e-4", 20, "8.6e-2")),
    size([4, 16], 10, 5_000, ("3(±0.2)e0", 1, "6.8e-2")),
    size([64, 16], 16, 10_000, ("8(±1)e-7", 1, "2.9e-1")),
    size([32, 32], 32, 10_000, ("4(±1)e-1", 1, "1.0e0")),
    size([16, 64], 64, 10_000, ("2(±0.3)e1", 1, "1.9e0")),
    size([128, 32], 32, 50_000, ("6(±0.7)e-7", 1, "1.5e0")),
    size([64, 64], 64, 50_000, ("6(±2)e-3", 1, "2.3e1")),
    size([32, 128], 128, 100_000, ("5(±0.5)e1", 1, "1.1e1")),
];

/// Softmax regression of irises, by HMC with one move at each temperature.
pub const IRIS: Size = Size {
    problem: Name::Iris,
    rows: 50,
    columns: 15,
    mutations: 1,
    burn_in: 1000,
    published: ("2(±0.5)e-3", 12, "2.2e-1"),
};

/// Networks for zeros and ones, by HMC with one move at each temperature.
pub const BIMNIST: [Size; 2] = [
    bimnist([50, 1177], 5, ("2(±0.8)e-2", 1, "3.5e0")),
    bimnist([100, 3587], 10, ("9(±8)e-7", 1, "1.2e1")),
];

/// The smaller network with a tenth of its digits, for the quick mode.
pub const QUICK_BIMNIST: Size = bimnist([5, 1177], 5, BIMNIST[0].published);

const fn bimnist(
    [rows, columns]: [usize; 2],
    channels: usize,
    published: (&'static str, usize, &'static str),
) -> Size {
    Size {
        problem: Name::BiMnist(crate::bimnist::Size { channels, rows }),
        rows,
        columns,
        mutations: 1,
        burn_in: 1000,
        published,
    }
}

/// Moves of HMC at each temperature, and burn-in of its chain.
const HMC_MUTATIONS: usize = 10;
const HMC_BURN_IN: usize = 1000;

impl Size {
    pub fn title(&self) -> String {
        format!("{} x {}", self.rows, self.columns)
    }

    pub fn mutations(&self, kernel: Moves) -> usize {
        match kernel {
            Moves::Hmc => HMC_MUTATIONS,
            _ => self.mutations,
        }
    }

    pub fn burn_in(&self, kernel: Moves, quick: bool) -> usize {
        let burn_in = match kernel {
            Moves::Hmc => HMC_BURN_IN,
            _ => self.burn_in,
        };
        burn_in.min(self.most_steps(quick))
    }

    /// The number of single chains that run together: more than one for networks, which evaluate eight particles in the time of one.
    pub fn chains_together(&self) -> usize {
        match self.problem {
            Name::BiMnist(_) => 8,
            _ => 1,
        }
    }

    /// Largest number of steps of a chain, and of its burn-in.
    pub fn most_steps(&self, quick: bool) -> usize {
        match self.problem {
            Name::BiMnist(_) if quick => 32,
            _ => 1 << 19,
        }
    }

    /// The name of the file of a cell.
    pub fn file(&self, what: &str) -> String {
        let name = match self.problem {
            Name::Iris => "iris",
            Name::BiMnist(_) => "bimnist",
            _ => "crossovers",
        };
        format!("{name}-{}x{}-{what}", self.rows, self.columns)
    }
}
