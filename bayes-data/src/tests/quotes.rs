//! Quotes, and words for missing values.

use super::*;

#[test]
fn a_quote_that_does_not_close_loses_no_rows() {
    let refused = |text: &str| message(Table::from_csv(text.as_bytes()));
    assert_eq!(
        refused("dose,reply,site\n1.0,3,\"north\n2.0,5,south\n3.0,8,east\n"),
        "`the text`, line 2, field 3 (column `site`): the quote with which the field begins never closes: close it, or, if it is a part of the text, write the field as `\"\"\"text\"`"
    );
    // the second stray quote closes the first one
    let two = refused("dose,site\n1,\"a\n2,b\n3,\"c\n4,d\n");
    assert!(
        two.starts_with("`the text`, line 4, field 2 (column `site`): `c` follows the closing quote of the field that begins in line 2"),
        "{two}"
    );
    // in the header there are no columns yet
    let header = refused("\"dose,site\n1,a\n");
    assert!(
        header.starts_with("`the text`, line 1, field 1: "),
        "{header}"
    );
    let pipe = refused("size,y\n5\" pipe,1\n");
    assert!(
        pipe.starts_with("`the text`, line 2, field 1 (column `size`): there is a quote within"),
        "{pipe}"
    );
    let glued = refused("sex\n\"M\"x\n");
    assert!(
        glued.contains("line 2, field 1 (column `sex`): `x` follows"),
        "{glued}"
    );
}

#[test]
fn blanks_around_quotes_make_no_group_of_their_own() {
    let text = "id, sex\n1, \"M\"\n2,\"M\"\n3,M \n4,\"F\" \n";
    let table = Table::from_csv(text.as_bytes()).expect("it is a table");
    let sex = table.categories("sex").expect("names");
    assert_eq!(
        (sex.names, sex.indices),
        (vec!["F".to_owned(), "M".to_owned()], vec![1, 1, 1, 0])
    );
    let tabs = "id\tname\n1\t \"M\"\n2\t\"\"\"q\"\"\"\n";
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("data.tsv");
    std::fs::write(&path, tabs).expect("the folder can be written");
    let table = Table::read(&path).expect("it is a table");
    assert_eq!(table.texts("name").expect("texts"), ["M", "\"q\""]);
    std::fs::write(&path, "id\tname\n1\t\"M\n").expect("the folder can be written");
    assert!(message(Table::read(&path)).contains("line 2, field 2 (column `name`)"));
}

#[test]
fn a_quoted_word_is_a_text_and_missing_words_are_chosen() {
    let text = "country,dose\nZA,1\n\"NA\",NA\nBW,\n\"\",2\n";
    let table = Table::from_csv(text.as_bytes()).expect("it is a table");
    let africa = table.complete(["country"]).expect("a column");
    assert_eq!(
        africa.categories("country").expect("names").names,
        ["BW", "NA", "ZA"]
    );
    assert!(message(table.categories("country")).contains("no value in line 5: fill it in"));
    let dose = table.optional_reals("dose").expect("numbers");
    assert_eq!(dose, [Some(1.0), None, None, Some(2.0)]);
    // without quotes, by choice
    let plain = Table::from_csv(&b"country,dose\nNA,-99\nna,\nZA,3\n"[..]).expect("it is a table");
    let told = message(plain.categories("country"));
    assert!(
        told.contains("no value in lines 2, 3 (`NA`, `na`)") && told.contains("`with_missing`"),
        "{told}"
    );
    let chosen = plain.with_missing(["-99"]);
    assert_eq!(
        chosen.categories("country").expect("names").names,
        ["NA", "ZA", "na"]
    );
    assert_eq!(
        chosen.optional_reals("dose").expect("numbers"),
        [None, None, Some(3.0)]
    );
    assert_eq!(chosen.complete(["dose"]).expect("a column").rows(), 1);
    // the error about a quoted word among numbers says why it is not missing
    let quoted = Table::from_csv(&b"y\n1\n\"NA\"\n"[..]).expect("it is a table");
    assert_eq!(
        message(quoted.optional_reals("y")),
        "`the text`, line 3, column `y`: `\"NA\"` is not a finite number"
    );
}

#[test]
fn texts_of_json_are_texts() {
    let table = Table::from_json(r#"{"country": ["NA", "ZA", "none"], "y": [null, 1, 2]}"#);
    let table = table.expect("columns");
    assert_eq!(
        table.categories("country").expect("names").names,
        ["NA", "ZA", "none"]
    );
    assert_eq!(
        table.optional_reals("y").expect("numbers"),
        [None, Some(1.0), Some(2.0)]
    );
}
