//! A column of names as numbers, and as dummy columns.

use crate::table::Table;
use bayes_core::Error;
use bayes_core::run::TableError;
use nalgebra::DMatrix;
use std::collections::{BTreeMap, BTreeSet};

/// A column of names as numbers.
///
/// The first name is the baseline of the [dummy columns](Self::dummies). [`of`](Self::of) gives another table the same numbers and
/// columns:
///
/// ```
/// use bayes_data::Table;
///
/// let table = Table::from_csv(&b"site\nnorth\nsouth\neast\n"[..])?;
/// let site = table.categories("site")?.baseline("north")?;
/// assert_eq!(site.names, ["north", "east", "south"]);
/// assert_eq!(site.dummies().row(1).iter().collect::<Vec<_>>(), [&0.0, &1.0]); // east, south
///
/// let new = Table::from_csv(&b"site\nsouth\n"[..])?;
/// assert_eq!(site.of(&new)?.dummies().row(0), site.dummies().row(1));
/// # Ok::<(), bayes_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    /// The column from which the names come.
    pub column: String,
    /// The number of each row's name, `[rows]`, from 0.
    pub indices: Vec<usize>,
    /// The names in the order of their numbers: alphabetical, with whole numbers by size, unless a [baseline](Self::baseline) was chosen.
    pub names: Vec<String>,
}

impl Table {
    /// A column of names, each with a number; pass the names to [`Run::with_dims`](bayes_core::run::Run::with_dims).
    ///
    /// # Errors
    /// [`TableError::Column`]; [`TableError::Missing`].
    pub fn categories(&self, column: &str) -> Result<Categories, Error> {
        let texts = self.filled(column)?;
        // one by one: most rows have a name that is there already, and all of them need not be sorted
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for text in &texts {
            known.insert(text);
        }
        let mut names: Vec<&str> = known.into_iter().collect();
        names.sort_by(|a, b| match (a.parse::<i64>(), b.parse::<i64>()) {
            // `007` and `7` are two names
            (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
            // numbers before words
            (Ok(_), Err(_)) => std::cmp::Ordering::Less,
            (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
            (Err(_), Err(_)) => a.cmp(b),
        });
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let numbers = numbers(&names);
        Ok(Categories {
            column: column.to_owned(),
            indices: texts.into_iter().map(|text| numbers[text]).collect(),
            names,
        })
    }
}

impl Categories {
    /// The same categories with this name first, as the baseline of the dummy columns; the others keep their order.
    ///
    /// # Errors
    /// [`TableError::Baseline`] for a name that does not occur.
    pub fn baseline(self, name: &str) -> Result<Self, Error> {
        let Some(first) = self.names.iter().position(|known| known == name) else {
            return Err(Error::from(TableError::Baseline {
                column: self.column,
                wanted: name.to_owned(),
                names: self.names,
            }));
        };
        let mut names = self.names;
        names[..=first].rotate_right(1);
        let moved = |k: usize| match k.cmp(&first) {
            std::cmp::Ordering::Less => k + 1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => k,
        };
        Ok(Self {
            indices: self.indices.into_iter().map(moved).collect(),
            names,
            column: self.column,
        })
    }

    /// The same column of another table, such as one to predict: the same names with the same numbers, even if some do not occur.
    ///
    /// # Errors
    /// [`TableError::UnknownCategory`] for a name that is not among them; [`TableError::Column`]; [`TableError::Missing`].
    pub fn of(&self, table: &Table) -> Result<Self, Error> {
        let texts = table.filled(&self.column)?;
        let numbers = numbers(&self.names);
        let number = |(text, line): (&&str, &u64)| {
            let known = numbers.get(text).copied();
            known.ok_or_else(|| TableError::UnknownCategory {
                table: table.name.clone(),
                unit: table.unit,
                line: *line,
                column: self.column.clone(),
                found: (*text).to_owned(),
                names: self.names.clone(),
            })
        };
        let indices = texts.iter().zip(&table.lines).map(number);
        Ok(Self {
            indices: indices.collect::<Result<_, _>>()?,
            column: self.column.clone(),
            names: self.names.clone(),
        })
    }

    /// Dummy columns, `[rows, names - 1]`, one for each name except the first, the baseline: 1 if the row has the name, otherwise 0.
    #[must_use]
    pub fn dummies(&self) -> DMatrix<f64> {
        let width = self.names.len().saturating_sub(1);
        DMatrix::from_fn(self.indices.len(), width, |row, k| {
            f64::from(u8::from(self.indices[row] == k + 1))
        })
    }
}

/// The number of each name.
fn numbers(names: &[String]) -> BTreeMap<&str, usize> {
    let numbered = names.iter().enumerate();
    numbered.map(|(k, name)| (name.as_str(), k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table::from_csv(text.as_bytes()).expect("it is a table")
    }

    #[test]
    fn a_new_table_has_the_same_numbers_and_columns() {
        let old = table("site,year\nwest,10\nnorth,9\neast,10\nsouth,11\nnorth,9\n");
        let site = old.categories("site").expect("names");
        assert_eq!(site.indices, [3, 1, 0, 2, 1]);
        let site = site.baseline("south").expect("it is there");
        assert_eq!(site.names, ["south", "east", "north", "west"]);
        assert_eq!(site.indices, [3, 2, 1, 0, 2]);
        let dummies = site.dummies();
        assert_eq!(dummies.shape(), (5, 3));
        let wanted = [
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
        ];
        assert_eq!(dummies, DMatrix::from_fn(5, 3, |i, k| wanted[i][k]));
        // fewer names, in another order
        let new = site
            .of(&table("site\nwest\neast\n"))
            .expect("they are known");
        assert_eq!((&new.names, &new.indices[..]), (&site.names, &[3, 1][..]));
        assert_eq!(new.dummies().row(0), dummies.row(0));
        assert_eq!(new.dummies().row(1), dummies.row(2));
    }

    // Seen to detect: names compared by their numbers alone, so that equal names are not neighbours and stay.
    #[test]
    fn names_of_one_number_are_each_there_once() {
        let id = table("id\n007\n7\n007\n+7\n7\n")
            .categories("id")
            .expect("names");
        assert_eq!(id.names, ["+7", "007", "7"]);
        assert_eq!(id.indices, [1, 2, 1, 0, 2]);
    }

    #[test]
    fn names_that_are_not_known_are_refused() {
        let site = table("site\nnorth\nsouth\n")
            .categories("site")
            .expect("names");
        let error = site
            .of(&table("site\nsouth\n\nSouth\n"))
            .expect_err("it is new");
        let text = error.to_string();
        assert!(
            text.starts_with("`the text`, line 4, column `site`: `South` is not among the names")
                && text.contains("did you mean `south`?; they are `north`, `south`"),
            "{text}"
        );
        let error = site.baseline("nord").expect_err("there is none");
        assert_eq!(
            error.to_string(),
            "column `site` has no category `nord`, did you mean `north`?; it has `north`, `south`"
        );
    }
}
