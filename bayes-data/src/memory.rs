//! Tables of columns in memory, such as a data frame's.

use crate::cells::Cells;
use crate::field::Field;
use crate::table::{Table, check_header};
use bayes_core::Error;
use bayes_core::run::{RowUnit, TableError};

impl Table {
    /// A table of these columns, each with one value for each row. Messages call the table `name` and number the rows from 0.
    ///
    /// ```
    /// use bayes_data::{Field, Table};
    ///
    /// let dose = vec![Field::from(1.5), Field::from(f64::NAN)];
    /// let site = vec![Field::from("north"), Field::from("NA")];
    /// let table = Table::of_columns("the frame", [("dose", dose), ("site", site)])?;
    /// assert_eq!(table.optional_reals("dose")?, [Some(1.5), None]);
    /// assert_eq!(table.categories("site")?.names, ["NA", "north"]);
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError::Length`] for a column with another length than the first; [`TableError::Header`] for an empty or repeated name.
    pub fn of_columns<N: Into<String>>(
        name: impl Into<String>,
        columns: impl IntoIterator<Item = (N, Vec<Field>)>,
    ) -> Result<Self, Error> {
        let name = name.into();
        let columns = columns
            .into_iter()
            .map(|(column, values)| (column.into(), values));
        let (names, columns): (Vec<String>, Vec<Vec<Field>>) = columns.unzip();
        check_header(&name, &names)?;
        let rows = columns.first().map_or(0, Vec::len);
        if let Some(other) = columns.iter().position(|values| values.len() != rows) {
            return Err(Error::from(TableError::Length {
                table: name,
                column: names[other].clone(),
                found: columns[other].len(),
                rows,
            }));
        }
        let cells = columns.into_iter().map(Cells::from_iter).collect();
        let mut table = Self::new(name, names, (0..rows as u64).collect(), cells);
        table.unit = RowUnit::Element;
        Ok(table)
    }

    /// The table with this order of the labels of a column, such as the order of a data frame's categories. Formulas code the labels in
    /// this order. It may contain labels that no row has.
    ///
    /// # Errors
    /// [`TableError::Column`] if there is no such column.
    pub fn with_order<S: Into<String>>(
        mut self,
        column: &str,
        labels: impl IntoIterator<Item = S>,
    ) -> Result<Self, Error> {
        self.place(column)?;
        let labels = labels.into_iter().map(Into::into).collect();
        self.orders.insert(column.to_owned(), labels);
        Ok(self)
    }

    /// The order of the labels of a column, if [one was given](Self::with_order).
    #[must_use]
    pub fn order(&self, column: &str) -> Option<&[String]> {
        self.orders.get(column).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(values: &[f64]) -> Vec<Field> {
        values.iter().copied().map(Field::from).collect()
    }

    #[test]
    fn columns_are_those_of_the_same_text() {
        let table = Table::of_columns(
            "the frame",
            [
                ("x", fields(&[0.1, 2.0])),
                ("y", fields(&[1e-300, f64::NAN])),
            ],
        );
        let table = table.expect("its columns are as long as each other");
        let text = Table::from_csv(&b"x,y\n0.1,1e-300\n2,\n"[..]).expect("it is a table");
        assert_eq!(
            table.reals("x").expect("numbers"),
            text.reals("x").expect("numbers")
        );
        let optional = |table: &Table| table.optional_reals("y").expect("numbers");
        assert_eq!(optional(&table), optional(&text));
        let error = table.reals("y").expect_err("a value is missing");
        let words = "`the frame`, column `y`: no value in element 1 (from 0)";
        assert!(error.to_string().starts_with(words), "{error}");
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        let columns = [("x", fields(&[1.0, 2.0])), ("y", fields(&[1.0]))];
        let error = Table::of_columns("the frame", columns).expect_err("y is shorter");
        let text = error.to_string();
        assert!(
            text.contains("`y`") && text.contains('1') && text.contains('2'),
            "{text}"
        );
    }

    #[test]
    fn an_order_stays_with_the_rows_and_goes_with_the_column() {
        let sites = ["b", "c", "b"].map(Field::from).to_vec();
        let table = Table::of_columns("the frame", [("site", sites)]).expect("a table");
        let table = table
            .with_order("site", ["c", "b", "a"])
            .expect("there is a site");
        let kept = table.kept(&[true, false, true]);
        let wanted = ["c", "b", "a"].map(str::to_owned);
        assert_eq!(kept.order("site"), Some(&wanted[..]));
        let replaced = table
            .with_column("site", ["x", "y", "z"])
            .expect("three rows");
        assert_eq!(replaced.order("site"), None);
        assert!(table.with_order("town", ["a"]).is_err());
    }
}
