//! The format of NumPy (NumPy enhancement proposal 1).

use super::half::Half;
use super::{Content, EXACT, Order, numbers};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The fields of a file's header.
struct Head {
    kind: String,
    is_by_columns: bool,
    shape: Vec<usize>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Content, String> {
    let (head, content) = head(bytes)?;
    let mut content = Content::new(head.shape, values(&head.kind, content)?)?;
    if head.is_by_columns {
        content.values = by_rows(&content.values, &content.shape);
    }
    Ok(content)
}

/// The header of a file, and the rest.
fn head(bytes: &[u8]) -> Result<(Head, &[u8]), String> {
    let cut = || "it ends within its head".to_owned();
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("it is not of NumPy's format")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        (u64::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        (u64::from(u32::from_le_bytes(*length)), rest)
    };
    let (text, content) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
    let text = String::from_utf8_lossy(text);
    let kind = field(&text, "'descr':").and_then(|rest| rest.strip_prefix('\''));
    let kind = kind.and_then(|rest| rest.split('\'').next());
    let shape = field(&text, "'shape':").and_then(|rest| rest.strip_prefix('('));
    let shape = shape.and_then(|rest| rest.split(')').next());
    let (Some(kind), Some(shape), Some(order)) = (kind, shape, field(&text, "'fortran_order':"))
    else {
        return Err("its head does not say what it holds".to_owned());
    };
    let lengths = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
    let lengths: Result<Vec<usize>, _> = lengths.map(str::parse).collect();
    let head = Head {
        kind: kind.to_owned(),
        is_by_columns: order.starts_with("True"),
        shape: lengths.map_err(|_| format!("its shape is ({shape})"))?,
    };
    Ok((head, content))
}

/// The text after a key of the header.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_once(key).map(|(_, rest)| rest.trim_start())
}

/// The numbers in these bytes, whose type is written as `<f8`, for example.
fn values(kind: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    let order = match kind.as_bytes().first() {
        Some(b'>') => Order::BigEndian,
        _ => Order::LittleEndian,
    };
    let found = match kind.trim_start_matches(['<', '>', '|', '=']) {
        "f8" => numbers::<f64, 8>(bytes, order),
        "f4" => numbers::<f32, 4>(bytes, order),
        "f2" => numbers::<Half, 2>(bytes, order),
        "i8" => numbers::<i64, 8>(bytes, order),
        "i4" => numbers::<i32, 4>(bytes, order),
        "i2" => numbers::<i16, 2>(bytes, order),
        "i1" => numbers::<i8, 1>(bytes, order),
        "u8" => numbers::<u64, 8>(bytes, order),
        "u4" => numbers::<u32, 4>(bytes, order),
        "u2" => numbers::<u16, 2>(bytes, order),
        "u1" | "b1" => numbers::<u8, 1>(bytes, order),
        _ => Err(format!(
            "its elements are of the type `{kind}`, not numbers"
        )),
    }?;
    let is_long = kind.ends_with("i8") || kind.ends_with("u8");
    if is_long && found.iter().any(|value| value.abs() >= EXACT) {
        return Err("it has whole numbers of 2^53 or more, which are not all doubles".to_owned());
    }
    Ok(found)
}

/// Reorders numbers whose first index is fastest, so that the last index is fastest.
fn by_rows(numbers: &[f64], shape: &[usize]) -> Vec<f64> {
    let place = |mut place: usize| {
        // the index in the file of the number with this row-major index
        let (mut found, mut stride) = (0, numbers.len());
        for length in shape.iter().rev() {
            stride /= length;
            found += place % length * stride;
            place /= length;
        }
        numbers[found]
    };
    (0..numbers.len()).map(place).collect()
}
