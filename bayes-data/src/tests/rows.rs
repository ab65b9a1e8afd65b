//! Rows by a condition, new columns and dates.

use super::*;

#[test]
fn rows_are_chosen_by_a_condition() {
    let text = "site,age,born\nnorth,17,1990-01-01\nsouth,NA,1985-06-01\nnorth,52,1960-02-03\n";
    let table = Table::from_csv(text.as_bytes()).expect("it is a table");
    let north = table
        .filter(|row| Ok(row.text("site")? == "north"))
        .expect("a condition");
    assert_eq!(north.counts("age").expect("counts"), [17, 52]);
    let missing = message(table.filter(|row| Ok(row.real("age")? > 18.0)));
    assert!(
        missing.contains("column `age`: no value in line 3 (`NA`)"),
        "{missing}"
    );
    let known = table.filter(|row| Ok(row.optional_real("age")?.is_some_and(|age| age > 18.0)));
    assert_eq!(
        known.expect("a condition").texts("site").expect("texts"),
        ["north"]
    );
    let wrong = message(table.filter(|row| row.flag("site")));
    assert!(
        wrong.contains("line 2, column `site`: `north` is not 0 or 1"),
        "{wrong}"
    );
    assert!(
        message(table.filter(|row| Ok(row.count("agee")? > 1))).contains("did you mean `age`?")
    );
    let born = table.filter(|row| Ok(row.date("born")?.decimal_year() < 1980.0));
    // the lines of the file are kept
    assert!(message(born.expect("a condition").reals("site")).contains("line 4"));
}

#[test]
fn columns_are_added_and_replaced() {
    let table = Table::from_csv(&b"x,y\n1,2\n3,4\n"[..]).expect("it is a table");
    let sum = table
        .reals("x")
        .expect("numbers")
        .into_iter()
        .zip(table.reals("y").expect("numbers"));
    let table = table
        .with_column("sum", sum.map(|(x, y)| x + y))
        .expect("two values");
    assert_eq!(table.columns(), ["x", "y", "sum"]);
    assert_eq!(table.counts("sum").expect("counts"), [3, 7]);
    let table = table.with_column("x", ["NA", "b"]).expect("two values");
    assert_eq!(table.categories("x").expect("names").names, ["NA", "b"]);
    assert_eq!(table.reals("y").expect("numbers"), [2.0, 4.0]);
    let table = table
        .with_column("z", [Some(f64::NAN), Some(1e300)])
        .expect("two values");
    assert_eq!(
        table.optional_reals("z").expect("numbers"),
        [None, Some(1e300)]
    );
    let dates = table
        .with_column("y", ["2024-03-01", "2024-03-02"])
        .expect("two values");
    let dates = dates.dates("y").expect("dates");
    let table = table.with_column("day", dates).expect("two values");
    assert_eq!(
        table.dates("day").expect("dates")[1].to_string(),
        "2024-03-02"
    );
    assert_eq!(
        message(table.with_column("w", [1u64])),
        "the new column `w` has 1 values, `the text` has 2 rows"
    );
    assert!(message(table.with_column("", [1.0, 2.0])).contains("has no clear header"));
}

#[test]
fn dates_of_a_column_are_named_by_their_line() {
    let table = Table::from_csv(&b"day\n2024-03-01\n2023-02-29\n"[..]).expect("it is a table");
    assert_eq!(
        message(table.dates("day")),
        "`the text`, line 3, column `day`: `2023-02-29` is not a day of the calendar, with a time before 24:00 if it has one"
    );
    assert!(
        message(table.dates_as("day", "%d.%m.%Y"))
            .contains("line 2, column `day`: `2024-03-01` is not a date in the given format")
    );
    assert!(
        message(table.dates_as("day", "%d.%m"))
            .starts_with("the format `%d.%m` of dates does not say")
    );
}
