//! The idx format (LeCun, Cortes and Burges 1998, "The MNIST database"): two zeros, a byte for the type of the elements, a byte for the
//! number of dimensions, the length of each in four bytes, the elements. All numbers have the highest byte first.

use super::{Content, Order, numbers};
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// The first bytes of a gzip file.
const COMPRESSED: &[u8] = &[0x1f, 0x8b];

/// The array in these bytes, compressed or not.
pub(super) fn parse(bytes: &[u8]) -> Result<Content, String> {
    if !bytes.starts_with(COMPRESSED) {
        return plain(bytes);
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes)
        .read_to_end(&mut unpacked)
        .map_err(|error| format!("it cannot be decompressed: {error}"))?;
    plain(&unpacked)
}

fn plain(bytes: &[u8]) -> Result<Content, String> {
    let &[0, 0, kind, dimensions, ref rest @ ..] = bytes else {
        return Err("it is not of the idx format".to_owned());
    };
    let (lengths, elements) = rest
        .split_at_checked(4 * usize::from(dimensions))
        .ok_or("it ends within its head")?;
    let length = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes) as usize;
    let shape = lengths.as_chunks().0.iter().map(length).collect();
    let values = match kind {
        0x08 => numbers::<u8, 1>(elements, Order::BigEndian),
        0x09 => numbers::<i8, 1>(elements, Order::BigEndian),
        0x0b => numbers::<i16, 2>(elements, Order::BigEndian),
        0x0c => numbers::<i32, 4>(elements, Order::BigEndian),
        0x0d => numbers::<f32, 4>(elements, Order::BigEndian),
        0x0e => numbers::<f64, 8>(elements, Order::BigEndian),
        _ => Err(format!("its elements are of the unknown type {kind:#04x}")),
    }?;
    Content::new(shape, values)
}
