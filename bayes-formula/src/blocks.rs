//! Coefficients of groups that are correlated: in one term, or in all terms with one id, `(1 | p | g)`, in any linear predictor.

use crate::design::{Design, Group};

/// Terms whose coefficients have one correlation matrix.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The numbers of the terms over all linear predictors.
    groups: Vec<usize>,
    /// For each coefficient the place of its first standard value among all.
    starts: Vec<usize>,
    are_correlated: bool,
}

impl Block {
    /// The number of coefficients.
    pub(crate) fn size(&self) -> usize {
        self.starts.len()
    }

    /// The places of the first standard values of the coefficients.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Whether there are correlations; with one coefficient there are none.
    pub(crate) fn is_correlated(&self) -> bool {
        self.are_correlated && self.size() > 1
    }

    /// The place of a term's first coefficient in the block; `None` for terms of other blocks.
    pub(crate) fn place(&self, term: usize, groups: &[&Group]) -> Option<usize> {
        let place = self.groups.iter().position(|group| *group == term)?;
        let before = self.groups[..place].iter();
        Some(before.map(|group| groups[*group].columns.len()).sum())
    }

    /// The names of the correlations: `subject:Intercept:days`, and `subject:Intercept:sigma:Intercept` of several linear predictors.
    fn names(&self, groups: &[&Group]) -> Vec<String> {
        let first = groups[self.groups[0]];
        let mut columns = Vec::new();
        for group in self.groups.iter().map(|group| groups[*group]) {
            // the name of a single term has that of its linear predictor already
            let prefix = if self.groups.len() > 1 {
                group.prefix.as_str()
            } else {
                ""
            };
            let names = group.columns.iter();
            columns.extend(names.map(|(name, _)| format!("{prefix}{name}")));
        }
        let by = match self.groups.len() {
            1 => &first.name,
            _ => &first.by,
        };
        let pairs = (1..columns.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .map(|(i, j)| format!("{by}:{}:{}", columns[j], columns[i]))
            .collect()
    }
}

impl Design {
    /// The terms by their blocks, each block where its first term is.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut ids: Vec<(&str, usize)> = Vec::new();
        let mut start = 0;
        for (k, group) in self.groups().enumerate() {
            let id = group.id.as_deref();
            let known = ids.iter().find(|(known, _)| Some(*known) == id);
            let place = known.map_or(blocks.len(), |(_, place)| *place);
            if place == blocks.len() {
                ids.extend(id.map(|id| (id, place)));
                blocks.push(Block {
                    groups: Vec::new(),
                    starts: Vec::new(),
                    are_correlated: group.correlated,
                });
            }
            blocks[place].groups.push(k);
            for _ in &group.columns {
                blocks[place].starts.push(start);
                start += group.levels.len();
            }
        }
        blocks
    }

    /// Whether effects of groups are correlated.
    pub(crate) fn has_correlations(&self) -> bool {
        self.blocks().iter().any(Block::is_correlated)
    }

    /// The names of the correlations.
    pub(crate) fn correlations(&self) -> Vec<String> {
        let groups: Vec<&Group> = self.groups().collect();
        let blocks = self.blocks().into_iter().filter(Block::is_correlated);
        blocks.flat_map(|block| block.names(&groups)).collect()
    }

    /// The message for two terms with one id and different groups.
    pub(crate) fn fault_of_ids(&self) -> Option<String> {
        let groups: Vec<&Group> = self.groups().collect();
        for block in self.blocks() {
            let first = groups[block.groups[0]];
            let other = block.groups.iter().map(|group| groups[*group]);
            if let Some(other) = other.into_iter().find(|other| other.by != first.by) {
                return Some(format!(
                    "the id `{}` joins coefficients of the groups `{}` and `{}`; terms with one id have the same groups",
                    first.id.as_deref().unwrap_or_default(),
                    first.by,
                    other.by
                ));
            }
        }
        None
    }
}
