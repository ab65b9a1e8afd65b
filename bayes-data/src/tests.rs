//! What is read, and the errors about what cannot be read.

mod quotes;
mod rows;

use super::*;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

const TEXT: &str = "\u{feff}school, effect,n,passed,year,x\n\
    \"Choate\",28.5, 3,yes,10,1\n\
    Deerfield,-1e1,0,no,9,NA\n\
    \n\
    \"Phillips, Andover\",0.5,12,TRUE,10,?\n";

fn table() -> Table {
    Table::from_csv(TEXT.as_bytes()).expect("it is a table")
}

fn message<T: std::fmt::Debug>(result: Result<T, bayes_core::Error>) -> String {
    result.expect_err("it cannot be read").to_string()
}

#[test]
fn columns_have_types() {
    let table = table();
    assert_eq!((table.rows(), table.columns()[0].as_str()), (3, "school"));
    assert_eq!(table.reals("effect").expect("numbers"), [28.5, -10.0, 0.5]);
    assert_eq!(table.counts("n").expect("counts"), [3, 0, 12]);
    assert_eq!(table.indices("n").expect("counts"), [3, 0, 12]);
    assert_eq!(table.flags("passed").expect("flags"), [true, false, true]);
    let years = table.categories("year").expect("names");
    assert_eq!(
        (years.indices, years.names),
        (vec![1, 0, 1], vec!["9".to_owned(), "10".to_owned()])
    );
    let schools = table.categories("school").expect("names");
    assert_eq!(schools.names[2], "Phillips, Andover");
    let matrix = table.matrix(["effect", "n"]).expect("numbers");
    assert_eq!(
        (matrix.shape(), matrix[(1, 0)], matrix[(2, 1)]),
        ((3, 2), -10.0, 12.0)
    );
    let counts = table.count_matrix(["n", "year"]).expect("counts");
    assert_eq!(
        (counts.shape(), counts[(0, 0)], counts[(1, 1)]),
        ((3, 2), 3, 9)
    );
    assert!(message(table.count_matrix(["n", "effect"])).contains("column `effect`"));
    assert_eq!(table.texts("x").expect("texts"), ["1", "NA", "?"]);
}

#[test]
fn missing_values_are_named_and_dropped_only_on_request() {
    let table = table();
    assert_eq!(
        message(table.reals("x")),
        "`the text`, column `x`: no value in lines 3, 5 (`?`, `NA`): fill it in or leave the row out (in Rust, `complete([\"x\"])` leaves such rows out and `optional_reals` keeps them); where `?` is a value, write it in quotes or choose the words that are missing (`with_missing`)"
    );
    assert_eq!(
        table.optional_reals("x").expect("numbers"),
        [Some(1.0), None, None]
    );
    let complete = table.complete(["school", "x"]).expect("columns");
    assert_eq!(
        (complete.rows(), complete.reals("x").expect("numbers")),
        (1, vec![1.0])
    );
}

#[test]
fn what_is_no_value_is_named_with_its_place() {
    let table = table();
    assert_eq!(
        message(table.counts("effect")),
        "`the text`, line 2, column `effect`: `28.5` is not a whole number from 0 on"
    );
    // the empty line counts
    let wrong = Table::from_csv(TEXT.replace("TRUE", "maybe").as_bytes()).expect("it is a table");
    assert_eq!(
        message(wrong.flags("passed")),
        "`the text`, line 5, column `passed`: `maybe` is not 0 or 1, true or false, yes or no"
    );
    let infinite = Table::from_csv("y\ninf\n".as_bytes()).expect("it is a table");
    assert_eq!(
        message(infinite.reals("y")),
        "`the text`, line 2, column `y`: `inf` is not a finite number"
    );
    assert!(message(infinite.optional_reals("y")).contains("`inf` is not a finite number"));
    assert_eq!(
        message(table.reals("efect")),
        "`the text` has no column `efect`, did you mean `effect`?; it has `school`, `effect`, `n`, `passed`, `year`, `x`"
    );
    assert!(message(table.complete(["z"])).contains("has no column `z`"));
}

// A table as R and pandas write it.
#[test]
fn names_of_rows_need_no_header() {
    let table = Table::from_csv(&b"\"\",\"y\"\n\"1\",2.5\n\"2\",3\n"[..]);
    let table = table.expect("it is a table");
    assert_eq!(table.columns(), ["(row)", "y"]);
    assert_eq!(table.reals("y").expect("numbers"), [2.5, 3.0]);
}

#[test]
fn what_is_no_table_is_refused() {
    let refusal = |text: &[u8]| message(Table::from_csv(text));
    assert_eq!(
        refusal(b"a,b\n1,2\n\n3\n"),
        "`the text` is not a table: line 4 has 1 fields, the header has 2"
    );
    assert!(refusal(b"a\n\xff\n").starts_with("`the text` is not a table: line 2 is not UTF-8"));
    assert_eq!(
        refusal(b"a,a\n"),
        "`the text` has no clear header: column 2 is called `a`; columns need names of their own"
    );
    assert!(
        message(Table::read_csv("no such file.csv"))
            .starts_with("`no such file.csv` cannot be read")
    );
    assert!(refusal(b"a,\n1,2\n").contains("column 2 is called ``"));
    let nothing = Table::without_columns();
    assert!(message(nothing.reals("y")).contains("has no column `y`"));
    let empty = Table::from_csv("y\n".as_bytes()).expect("a header is a table");
    assert_eq!(empty.reals("y").expect("no numbers"), [0.0; 0]);
}

#[test]
fn other_delimiters_are_read_from_files() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("data.csv");
    std::fs::write(&path, "x;y\n1;2\n3;4,5\n").expect("the folder can be written");
    let table = Table::read_delimited(&path, b';').expect("it is a table");
    assert_eq!(table.reals("x").expect("numbers"), [1.0, 3.0]);
    let error = message(table.reals("y"));
    assert!(
        error.contains(".csv`, line 3, column `y`: `4,5` is not a finite number"),
        "{error}"
    );
}

#[test]
fn whole_numbers_may_be_written_with_a_point() {
    let text = "n,m\n2.0,1.0\n2.,0.0\n2e0,1\n";
    let table = Table::from_csv(text.as_bytes()).expect("it is a table");
    assert_eq!(table.counts("n").expect("counts"), [2, 2, 2]);
    assert_eq!(table.indices("n").expect("counts"), [2, 2, 2]);
    assert_eq!(table.flags("m").expect("flags"), [true, false, true]);
    let large = Table::from_csv(&b"n\n1\n99999999999999999999\n"[..]).expect("it is a table");
    assert_eq!(
        message(large.counts("n")),
        "`the text`, line 3, column `n`: `99999999999999999999` is not a whole number up to 2^64 - 1: it is larger"
    );
}

#[test]
fn a_file_with_other_delimiters_or_nothing_says_so() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let read = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("the folder can be written");
        Table::read(path)
    };
    let refused = |name: &str, text: &str, wanted: &str| {
        let error = message(read(name, text));
        assert!(error.contains(wanted), "{error}");
    };
    refused(
        "a.csv",
        "x;y\n1;2,5\n",
        "a.csv` is not a table: its first line has no comma, but semicolons; write the file with commas",
    );
    refused(
        "b.csv",
        "\n\"x\"\ty\n1\t2\n",
        "b.csv` is not a table: its first line has no comma, but tabs; call the file .tsv",
    );
    for name in ["c.csv", "c.tsv", "c.json"] {
        refused(name, "", "` is not a table: it is empty");
        refused(name, "\n\n", "` is not a table: it is empty");
    }
    let of_bytes = message(Table::from_csv(&b""[..]));
    assert!(
        of_bytes.contains("the text` is not a table: it is empty"),
        "{of_bytes}"
    );
    // separators within a name
    let quoted = read("d.csv", "\"x;\ty\"\n1\n").expect("one column");
    assert_eq!(quoted.columns(), ["x;\ty"]);
    assert_eq!(
        read("e.tsv", "x;y\tz\n1\t2\n")
            .expect("tabs")
            .columns()
            .len(),
        2
    );
}

/// An array that NumPy wrote (`tests/data/arrays.py`).
fn array(name: &str) -> Result<Array, bayes_core::Error> {
    Array::read_npy(format!(
        "{}/tests/data/{name}.npy",
        env!("CARGO_MANIFEST_DIR")
    ))
}

#[test]
fn arrays_of_numpy_are_read_row_by_row() {
    let reals = array("reals").expect("numbers");
    assert_eq!((&reals.shape[..], reals.values[4]), (&[2, 3][..], 4.5));
    assert_eq!(reals.matrix().expect("two dimensions")[(1, 0)], 3.5);
    // stored column by column, in single precision
    let columns = array("columns").expect("numbers").reals().expect("finite");
    assert_eq!(columns, [0.25, 1.25, 2.25, 3.25, 4.25, 5.25]);
    assert_eq!(
        array("flags").expect("flags").counts().expect("0 and 1"),
        [1, 0, 1]
    );
    assert_eq!(array("big_endian").expect("numbers").values, [258.0, -1.0]);
    // the smallest and the largest number of half precision
    let halves = array("halves").expect("numbers").values;
    assert_eq!(
        halves[..5],
        [0.5, -1.75, 2f64.powi(-24), 65504.0, f64::INFINITY]
    );
    assert!(halves[5].is_nan());
    let number = array("number").expect("a number");
    assert_eq!((number.shape.len(), number.values), (0, vec![3.5]));
}

#[test]
fn elements_that_are_no_data_are_named_by_their_indices() {
    let found = |name: &str| message(array(name).and_then(|array| array.counts()));
    assert!(
        found("whole")
            .ends_with("whole.npy`, element [0, 0]: `-1` is not a whole number from 0 on")
    );
    assert!(found("reals").contains("element [0, 0]: `0.5` is not"));
    let missing = array("missing").expect("numbers");
    assert!(message(missing.reals()).ends_with("element [1, 1]: `NaN` is not a finite number"));
    assert!(message(missing.matrix()).contains("element [1, 1]"));
    assert!(
        message(array("flags").and_then(|array| array.matrix()))
            .ends_with("it has 1 dimensions, a matrix has 2")
    );
    assert!(
        message(array("texts"))
            .ends_with("is not a table: its elements are of the type `<U2`, not numbers")
    );
    assert!(
        message(array("large"))
            .ends_with("it has whole numbers of 2^53 or more, which are not all doubles")
    );
    assert!(message(array("arrays")).contains("cannot be read"));
}

#[test]
fn files_that_are_cut_are_refused() {
    let path = format!("{}/tests/data/reals.npy", env!("CARGO_MANIFEST_DIR"));
    let whole = std::fs::read(path).expect("it is there");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let cut = folder.path().join("data.npy");
    for length in 0..whole.len() {
        std::fs::write(&cut, &whole[..length]).expect("the folder can be written");
        let error = message(Array::read_npy(&cut));
        assert!(error.contains("is not a table: it"), "{length}: {error}");
    }
}

/// An idx file of one type of elements.
fn idx(kind: u8, lengths: &[u32], elements: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, lengths.len() as u8];
    bytes.extend(lengths.iter().flat_map(|length| length.to_be_bytes()));
    bytes.extend(elements);
    bytes
}

#[test]
fn idx_files_are_read_compressed_or_not() {
    let plain = idx(8, &[2, 1, 2], &[0, 255, 7, 8]);
    let array = Array::from_idx(&plain).expect("bytes");
    assert_eq!(
        (&array.shape[..], &array.values[..]),
        (&[2, 1, 2][..], &[0.0, 255.0, 7.0, 8.0][..])
    );
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("data.idx.gz");
    let file = std::fs::File::create(&path).expect("the folder can be written");
    let mut packed = GzEncoder::new(file, Compression::default());
    packed
        .write_all(&plain)
        .and_then(|()| packed.finish())
        .expect("the folder can be written");
    assert_eq!(Array::read_idx(&path).expect("bytes").values, array.values);

    let values = |kind, elements: &[u8]| {
        Array::from_idx(&idx(kind, &[1], elements))
            .expect("a number")
            .values[0]
    };
    assert_eq!(values(9, &(-3i8).to_be_bytes()), -3.0);
    assert_eq!(values(11, &(-300i16).to_be_bytes()), -300.0);
    assert_eq!(values(12, &(70_000i32).to_be_bytes()), 70_000.0);
    assert_eq!(values(13, &1.5f32.to_be_bytes()), 1.5);
    assert_eq!(values(14, &(-0.1f64).to_be_bytes()), -0.1);
}

#[test]
fn a_table_has_arrays_by_name() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("labels-idx1-ubyte");
    std::fs::write(&path, idx(8, &[3], &[4, 0, 9])).expect("the folder can be written");
    let labels = Array::read(&path).expect("bytes");
    let reals = format!("{}/tests/data/reals.npy", env!("CARGO_MANIFEST_DIR"));
    let reals = Array::read(reals).expect("it is of NumPy");
    let table = table()
        .with_array("labels", labels)
        .with_array("x", reals.clone());
    let kept = table.complete(table.columns()[..0].iter());
    for table in [&table, &kept.expect("no column is asked for")] {
        let labels = table.array("labels").expect("it is there");
        assert_eq!(labels.indices().expect("whole numbers"), [4, 0, 9]);
        assert_eq!(table.array("x").expect("it is there"), &reals);
    }
    let unknown = message(table.array("label"));
    assert!(
        unknown.contains("has no array `label`, did you mean `labels`?"),
        "{unknown}"
    );
}

#[test]
fn what_is_no_idx_file_is_refused() {
    let whole = idx(11, &[2, 3], &[0; 12]);
    for length in 0..whole.len() {
        let error = message(Array::from_idx(&whole[..length]));
        assert!(
            error.starts_with("`the bytes` is not a table: it"),
            "{length}: {error}"
        );
    }
    let refused = |bytes: &[u8]| message(Array::from_idx(bytes));
    assert!(refused(&idx(10, &[1], &[0])).ends_with("unknown type 0x0a"));
    assert!(
        refused(&idx(8, &[3, 2], &[0; 5])).ends_with("its shape is [3, 2], but it has 5 numbers")
    );
    assert!(refused(&[0x1f, 0x8b, 8, 0]).contains("it cannot be decompressed"));
    assert!(message(Array::read_idx("no such file")).contains("cannot be read"));
}

#[test]
fn json_has_columns_by_name_or_rows() {
    let stan = r#"{"N": 2, "effect": [28, 8.5], "group": ["a", null], "ok": [true, false], "x": [[1, 2, 3], [4, 5, 6]]}"#;
    let table = Table::from_json(stan).expect("columns");
    assert_eq!(
        table.columns(),
        ["N", "effect", "group", "ok", "x[0]", "x[1]", "x[2]"]
    );
    assert_eq!(table.counts("N").expect("a number in every row"), [2, 2]);
    assert_eq!(table.reals("effect").expect("numbers"), [28.0, 8.5]);
    assert_eq!(table.flags("ok").expect("flags"), [true, false]);
    assert_eq!(
        table.matrix(["x[0]", "x[2]"]).expect("numbers")[(1, 1)],
        6.0
    );
    assert!(
        message(table.categories("group"))
            .contains("column `group`: no value in element 1 (from 0)")
    );
    let rows = Table::from_json(r#"[{"y": 1, "z": 1e3}, {"z": -2.5}]"#).expect("rows");
    assert_eq!(rows.reals("z").expect("numbers"), [1000.0, -2.5]);
    assert!(message(rows.reals("y")).contains("no value in element 1 (from 0)"));
    assert_eq!(
        message(rows.counts("z")),
        "`the text`, element 1 (from 0), column `z`: `-2.5` is not a whole number from 0 on"
    );
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("data.json");
    std::fs::write(&path, stan).expect("the folder can be written");
    assert_eq!(Table::read(&path).expect("columns").rows(), 2);
}

// Seen to detect: whole numbers that are parsed as numbers of 64 bits, so that both rows have 9007199254740992.
#[test]
fn whole_numbers_that_would_be_rounded_are_refused_and_labels_keep_them() {
    let csv = Table::from_csv(&b"key\n9007199254740992\n9007199254740993\n"[..]).expect("a table");
    let error = message(csv.reals("key"));
    assert!(
        error.starts_with(
            "`the text`, line 3, column `key`: `9007199254740993` is not a number that 64 bits hold"
        ),
        "{error}"
    );
    assert_eq!(message(csv.optional_reals("key")), error);
    assert_eq!(message(csv.matrix(["key"])), error);
    let labels = csv.categories("key").expect("labels").names;
    assert_eq!(labels, ["9007199254740992", "9007199254740993"]);
    let counts = csv.counts("key").expect("counts");
    assert_eq!(counts, [9_007_199_254_740_992, 9_007_199_254_740_993]);
    let json = r#"{"key": [1, -9007199254740993], "x": [1e300, 9007199254740993.0]}"#;
    let json = Table::from_json(json).expect("columns");
    assert!(message(json.reals("key")).contains("element 1 (from 0), column `key`"));
    assert_eq!(
        json.reals("x").expect("measurements"),
        [1e300, 9_007_199_254_740_992.0]
    );
}

#[test]
fn what_is_no_table_of_json_is_refused() {
    let refused = |text: &str, wanted: &str| {
        let error = message(Table::from_json(text));
        assert!(
            error.starts_with("`the text` is not a table: ") && error.ends_with(wanted),
            "{error}"
        );
    };
    refused(r#"{"y": [1, 2], "z": [1]}"#, "`z` has 1 values, `y` has 2");
    refused(
        r#"{"x": [[1, 2], [1]]}"#,
        "element 1 (from 0) of `x` has 1 values, the first has 2",
    );
    refused(r#"{"x": [[1, 2], 3]}"#, "`x` has rows and values");
    refused(r#"{"x": [1, [2]]}"#, "a value of `x` is `[2]`");
    refused(
        r#"[{"y": 1}, {"y": 2, "z": 3}]"#,
        "element 1 (from 0) has `z`, the first has not",
    );
    refused("[1]", "element 0 (from 0) is not an object");
    refused("3", "neither an object of columns nor an array of rows");
    refused("\n", "it is empty");
    assert!(message(Table::from_json("{")).contains("EOF"));
    assert!(message(Table::read_json("no such file.json")).contains("cannot be read"));
}
