//! Parquet files: reads tables of data, writes draws. With the feature `parquet`.

use crate::cells::Cells;
use crate::field::Field;
use crate::table::Table;
use bayes_core::Error;
use bayes_core::model::VariableKind;
use bayes_core::report::Format;
use bayes_core::run::{FileError, Run, TableError};
use parquet::basic::{Compression, Repetition, Type as Kind};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{self, Row};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

impl Table {
    /// Reads a Parquet file of columns of numbers, booleans and texts. In messages the number of a row, from 1, is its line.
    ///
    /// Files that are uncompressed or compressed by Snappy, gzip or LZ4 are read. The error for Zstandard says so (polars:
    /// `write_parquet(.., compression="snappy")`).
    ///
    /// # Errors
    /// [`TableError`]: a file that cannot be read or is not a Parquet file, or columns with the same name. A column that holds lists or
    /// groups is an error when the model uses it.
    pub fn read_parquet(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| crate::table::unread(&name, &error))?;
        let format = |reason: String| TableError::Format {
            table: name.clone(),
            reason,
        };
        // the reader panics at values of a few rare types
        let read = catch_unwind(AssertUnwindSafe(|| read(file)));
        let panicked = |_| Err("it has a column of a type that is not read".to_owned());
        let Content { columns, cells } = read.unwrap_or_else(panicked).map_err(format)?;
        crate::table::check_header(&name, &columns)?;
        let rows = cells.first().map_or(0, Cells::len);
        let lines = (1..=rows as u64).collect();
        Ok(Self::new(name, columns, lines, cells))
    }
}

/// Columns, and their values.
struct Content {
    columns: Vec<String>,
    cells: Vec<Cells>,
}

fn read(file: File) -> Result<Content, String> {
    let reader = SerializedFileReader::new(file).map_err(reason)?;
    let schema = reader.metadata().file_metadata().schema();
    let columns = schema.get_fields().iter();
    let columns: Vec<String> = columns.map(|field| field.name().to_owned()).collect();
    let mut cells = vec![Cells::default(); columns.len()];
    for row in reader.get_row_iter(None).map_err(reason)? {
        let row: Row = row.map_err(reason)?;
        for (cells, (_, field)) in cells.iter_mut().zip(row.get_column_iter()) {
            cells.push(cell(field).cell());
        }
    }
    Ok(Content { columns, cells })
}

/// The fault of a file, with advice on a compression that cannot be read.
fn reason(error: ParquetError) -> String {
    match error.to_string() {
        text if text.contains("zstd") => format!(
            "{text}: it is compressed by Zstandard; write it again with Snappy, in polars `write_parquet(.., compression=\"snappy\")`"
        ),
        text => text,
    }
}

/// A value as a field from which the same value is read; texts become quoted. A value that no argument of a model can take becomes a text
/// that says so, because the column may not be used.
fn cell(field: &record::Field) -> Field {
    match field {
        record::Field::Null => Field::plain(""),
        record::Field::Str(text) => Field::quoted(text),
        record::Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => Field::quoted(text),
            Err(_) => Field::quoted("(bytes)"),
        },
        record::Field::Double(value) => (*value).into(),
        // the same number, as opposed to its shortest text in single precision
        record::Field::Float(value) => f64::from(*value).into(),
        record::Field::Float16(value) => f64::from(*value).into(),
        record::Field::Group(_)
        | record::Field::ListInternal(_)
        | record::Field::MapInternal(_) => Field::quoted("(a list or group)"),
        other => Field::plain(other.to_string()),
    }
}

/// Writes draws as a Parquet file: the columns of [`Csv`](bayes_core::report::Csv), compressed by Snappy. The model, engine, seed and
/// version are among the file's properties. Discrete quantities are whole numbers.
///
/// ```no_run
/// # use bayes_core::run::Run;
/// # fn save(run: &Run) -> Result<(), bayes_core::Error> {
/// bayes_data::Parquet.save(run, "draws.parquet")?; // pandas, polars, DuckDB, R's arrow
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Parquet;

impl Parquet {
    /// Writes the draws of a run to a file.
    ///
    /// # Errors
    /// [`FileError`] with the system's error.
    pub fn save(self, run: &Run, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        // an existing file stays as it is if the draws cannot be encoded
        let bytes = bytes(run).map_err(io::Error::other);
        let written = bytes.and_then(|bytes| std::fs::write(path, bytes));
        written.map_err(|error| FileError::system(path, "written", &error).into())
    }
}

impl Format for Parquet {
    fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()> {
        let bytes = bytes(run).map_err(io::Error::other)?;
        writer.write_all(&bytes)
    }
}

/// A column of the file.
enum Column {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

fn bytes(run: &Run) -> Result<Vec<u8>, ParquetError> {
    let columns = columns(run);
    let field = |(name, column): &(String, Column)| {
        let kind = match column {
            Column::Whole(_) => Kind::INT64,
            Column::Real(_) => Kind::DOUBLE,
        };
        let field = Type::primitive_type_builder(name, kind);
        field
            .with_repetition(Repetition::REQUIRED)
            .build()
            .map(Arc::new)
    };
    let fields: Vec<_> = columns.iter().map(field).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("draws")
        .with_fields(fields)
        .build()?;
    let facts = [
        ("model", run.model.clone()),
        ("engine", run.engine.clone()),
        ("seed", run.seed.to_string()),
        ("created_by", format!("bayes {}", run.version)),
    ];
    let facts = facts.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(facts.to_vec()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut rows = file.next_row_group()?;
    for (_, column) in &columns {
        write_column(&mut rows, column)?;
    }
    rows.close()?;
    file.into_inner()
}

fn write_column(
    rows: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    column: &Column,
) -> Result<(), ParquetError> {
    let Some(mut writer) = rows.next_column()? else {
        return Ok(());
    };
    match column {
        Column::Whole(values) => writer
            .typed::<Int64Type>()
            .write_batch(values, None, None)?,
        Column::Real(values) => writer
            .typed::<DoubleType>()
            .write_batch(values, None, None)?,
    };
    writer.close()
}

/// The columns: the group and the number of each draw, its log weight, and its elements.
fn columns(run: &Run) -> Vec<(String, Column)> {
    let elements = run.layout.elements();
    let draws = || {
        let groups = run.groups.iter();
        groups.flat_map(|group| (0..group.len(elements)).map(move |draw| (group, draw)))
    };
    let weights = run.draw_weights();
    let mut columns = vec![
        (
            format!(".{}", run.kind.name()),
            Column::Whole(draws().map(|(group, _)| group.index as i64).collect()),
        ),
        (
            ".draw".to_owned(),
            Column::Whole(draws().map(|(_, draw)| draw as i64).collect()),
        ),
        (
            ".log_weight".to_owned(),
            Column::Real(weights.iter().map(|weight| weight.ln()).collect()),
        ),
    ];
    for variable in &run.layout.variables {
        for (element, name) in variable.range().zip(variable.element_names()) {
            let values = draws().map(|(group, draw)| group.draws[draw * elements + element]);
            columns.push((
                name,
                match variable.kind {
                    VariableKind::Discrete => Column::Whole(values.map(|x| x as i64).collect()),
                    _ => Column::Real(values.collect()),
                },
            ));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes_core::density::{Block, LogDensity};
    use bayes_core::engine::Inference;

    struct Bell;

    impl LogDensity for Bell {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -0.5 * x.iter().map(|x| x * x).sum::<f64>()]);
        }
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("the system has a folder for temporary files")
    }

    fn run() -> Run {
        let engine = Inference::nuts().chains(2).draws(30).progress(false);
        engine.run_on(&Bell).expect("the density is sound")
    }

    #[test]
    fn draws_come_back_with_the_same_bits() {
        let run = run();
        let folder = folder();
        let path = folder.path().join("draws.parquet");
        Parquet.save(&run, &path).expect("the file can be written");
        let table = Table::read_parquet(&path).expect("it was written");
        let names = run.layout.element_names();
        assert_eq!(table.columns()[..3], [".chain", ".draw", ".log_weight"]);
        assert_eq!(table.columns()[3..], names);
        for (element, name) in names.iter().enumerate() {
            let wanted = run
                .groups
                .iter()
                .flat_map(|g| g.draws.iter().skip(element).step_by(2).copied());
            assert_eq!(
                table.reals(name).expect("numbers"),
                wanted.collect::<Vec<f64>>()
            );
        }
        assert_eq!(
            table.indices(".chain").expect("whole numbers")[29..31],
            [0, 1]
        );
    }

    #[test]
    fn what_is_no_parquet_file_is_named() {
        let folder = folder();
        let path = folder.path().join("text.parquet");
        std::fs::write(&path, "effect,error\n28,15\n").expect("the folder can be written");
        let text = Table::read_parquet(&path)
            .expect_err("it is text")
            .to_string();
        assert!(
            text.contains("is not a table") && text.contains("Parquet"),
            "{text}"
        );
        let text = Table::read_parquet("nowhere.parquet")
            .expect_err("there is none")
            .to_string();
        assert!(text.contains("`nowhere.parquet`"), "{text}");
    }

    /// With `BAYES_PYTHON` set to a Python that has pandas and pyarrow: both read our file, and we read theirs.
    #[test]
    fn pandas_reads_and_writes_the_same() {
        let Ok(python) = std::env::var("BAYES_PYTHON") else {
            println!("skipped: BAYES_PYTHON is not set");
            return;
        };
        let run = run();
        let folder = folder();
        let [ours, theirs] =
            ["ours.parquet", "theirs.parquet"].map(|name| folder.path().join(name));
        Parquet.save(&run, &ours).expect("the file can be written");
        let script = "import pandas, sys\n\
            t = pandas.read_parquet(sys.argv[1])\n\
            assert list(t.columns[:3]) == ['.chain', '.draw', '.log_weight'], t.columns\n\
            assert len(t) == 60 and t['.chain'].dtype == 'int64'\n\
            t['name'] = ['a', None] * 30\n\
            t['country'] = ['NA', 'ZA'] * 30\n\
            t['day'] = pandas.to_datetime(['2024-03-01', '2024-03-02 06:00'] * 30)\n\
            t['flag'] = t['.draw'] > 3\n\
            t['single'] = t.iloc[:, 3].astype('float32')\n\
            t.to_parquet(sys.argv[2], index=False)";
        let mut command = std::process::Command::new(python);
        let status = command
            .args(["-c", script])
            .arg(&ours)
            .arg(&theirs)
            .status();
        assert!(status.expect("BAYES_PYTHON is a program").success());
        let table = Table::read_parquet(&theirs).expect("pandas wrote it");
        let name = &run.layout.element_names()[0];
        assert_eq!(
            table.reals(name).expect("numbers")[0],
            run.groups[0].draws[0]
        );
        assert_eq!(
            table.reals("single").expect("numbers")[0],
            f64::from(run.groups[0].draws[0] as f32)
        );
        assert_eq!(
            table.flags("flag").expect("truth values")[3..5],
            [false, true]
        );
        let countries = table.categories("country").expect("texts");
        assert_eq!(countries.names, ["NA", "ZA"]);
        let days = table.dates("day").expect("dates");
        assert_eq!(days[1].days_since(days[0]), 1.25);
        let text = table
            .categories("name")
            .expect_err("half are missing")
            .to_string();
        assert!(text.contains("column `name`: no value in line"), "{text}");
    }
}
