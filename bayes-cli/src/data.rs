//! The data of a program: a table, and arrays by name.

use bayes_core::Error;
use bayes_data::{Array, Table};
use clap::ArgMatches;
use std::path::{Path, PathBuf};

/// The files of `--data`; none for a model without data, which lacks this option.
pub(crate) fn files(matches: &ArgMatches) -> impl Iterator<Item = &PathBuf> {
    let files = matches.try_get_many::<PathBuf>("data").ok().flatten();
    files.unwrap_or_default()
}

/// The table of these files: at most one file is a table, the others are `NAME=FILE`. `None` if there are two
/// tables.
pub(crate) fn table<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<Option<Table>, Error> {
    let (mut table, mut arrays) = (None, Vec::new());
    for file in files {
        match named(file) {
            Some((name, path)) => arrays.push((name, Array::read(path)?)),
            None if table.is_some() => return Ok(None),
            None => table = Some(Table::read(file)?),
        }
    }
    let table = table.unwrap_or_else(Table::without_columns);
    let with = |table: Table, (name, array)| table.with_array(name, array);
    Ok(Some(arrays.into_iter().fold(table, with)))
}

/// The name and the path of `NAME=FILE`, unless a file with this whole name exists.
fn named(file: &Path) -> Option<(&str, &Path)> {
    let (name, path) = file.to_str()?.split_once('=')?;
    let is_name = !name.is_empty() && !name.contains(std::path::is_separator);
    (is_name && !file.exists()).then_some((name, Path::new(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Failure, Program};
    use crate::task::{Outcome, Task};
    use std::fs;

    /// The table and the arrays that a model finds in the data of these options.
    fn seen(files: &[&str]) -> Result<String, Failure> {
        let program = Program {
            version: "1.2.3",
            data: Some(&["model(..)"]),
        };
        let mut arguments = vec!["model", "check"];
        files
            .iter()
            .for_each(|file| arguments.extend(["--data", file]));
        let arguments = arguments.into_iter().map(Into::into);
        let model = |table: &Table, _: &mut Task| {
            let images = table.array("images").and_then(|images| images.matrix());
            let labels = table.array("labels").and_then(|labels| labels.indices());
            let last = images.map(|x| x[(1, 2)]);
            Ok(Outcome::of(format!(
                "{:?} {last:?} {labels:?}",
                table.reals("y")
            )))
        };
        let outcome = program.work(arguments, None, &mut Some(model))?;
        Ok(outcome.text)
    }

    /// 2 images of 3 pixels, in bytes.
    fn idx() -> Vec<u8> {
        vec![0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6]
    }

    /// 2 labels, in bytes.
    fn npy() -> Vec<u8> {
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        npy.extend((header.len() as u16).to_le_bytes());
        npy.extend(header.bytes().chain([7, 0]));
        npy
    }

    #[test]
    fn data_are_a_table_and_arrays_by_name() {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let file = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).expect("the folder is there");
            path.display().to_string()
        };
        let (table, odd) = (file("t.csv", b"y\n1\n2\n"), file("a=b", b"y\n3\n"));
        let images = format!("images={}", file("images", &idx()));
        let labels = format!("labels={}", file("labels.npy", &npy()));
        assert_eq!(
            seen(&[&images, &table, &labels]).expect("they fit"),
            "Ok([1.0, 2.0]) Ok(6.0) Ok([7, 0])"
        );
        let alone = seen(&[&labels]).expect("a table is not needed");
        for wanted in ["has no column `y`", "has no array `images`"] {
            assert!(alone.contains(wanted), "{alone}");
        }
        // a file whose name contains `=`
        let found = seen(&[&odd]).expect("it is a table");
        assert!(found.starts_with("Ok([3.0])"), "{found}");
        let two = seen(&[&table, &odd]).expect_err("two tables");
        assert!(
            two.code == 2 && two.message.contains("two tables"),
            "{two:?}"
        );
        let none = seen(&["images=nowhere"]).expect_err("there is none");
        let told = none.message.contains("`nowhere` cannot be read");
        assert!(none.code == 2 && told, "{none:?}");
    }
}
