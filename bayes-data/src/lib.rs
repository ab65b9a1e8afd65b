//! Tables of data: columns of CSV files, and arrays of NumPy, as the typed arguments of models.
//!
//! ```
//! use bayes_data::Table; // with the crate `bayes`: `use bayes::data::Table;`
//!
//! let text = "school,effect,error\nA,28,15\nB,8,10\nC,,16\n";
//! let table = Table::from_csv(text.as_bytes())?; // `Table::read_csv("schools.csv")?` reads a file
//!
//! // a missing value is named, never dropped in silence
//! let error = table.reals("effect").unwrap_err();
//! assert!(error.to_string().contains("column `effect`: no value in line 4"));
//!
//! let table = table.complete(["effect"])?;
//! let (y, sigma) = (table.reals("effect")?, table.reals("error")?);
//! let schools = table.categories("school")?;
//! assert_eq!((y, sigma), (vec![28.0, 8.0], vec![15.0, 10.0]));
//! assert_eq!((schools.indices, schools.names), (vec![0, 1], vec!["A".to_owned(), "B".to_owned()]));
//! # Ok::<(), bayes_core::Error>(())
//! ```

#![forbid(unsafe_code)]

mod array;
mod arrays;
mod blocks;
mod categories;
mod cells;
mod column;
mod date;
mod field;
mod json;
mod memory;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod separated;
mod table;
#[cfg(test)]
mod tests;
mod whole;

pub use array::Array;
pub use bayes_core::run::{QuoteFault, RowUnit, TableError};
pub use categories::Categories;
pub use date::Date;
pub use field::Field;
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use rows::Row;
pub use table::Table;
