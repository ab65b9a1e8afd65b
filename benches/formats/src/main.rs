//! Size, writing time and reading time of a run's draws in several file formats.
//!
//! ```text
//! cargo run --release --manifest-path benches/formats/Cargo.toml
//! ```
//!
//! The draws are random numbers in full precision: 8 islands of 2048 draws at 200 coordinates, 53 MB. Times are medians of 7,
//! in memory.

use parquet::column::writer::ColumnWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

const ISLANDS: usize = 8;
const DRAWS: usize = 2048;
const COORDINATES: usize = 200;

/// The stored data of an island, with lists of numbers.
#[derive(Serialize, Deserialize)]
struct Lists {
    index: u64,
    draws: Vec<f64>,
    positions: Vec<f64>,
    log_prior: Vec<f64>,
    log_likelihood: Vec<f64>,
    ancestors: Vec<u32>,
}

/// The same with each list as bytes, as the library writes it.
#[derive(Serialize, Deserialize)]
struct Bytes {
    index: u64,
    draws: serde_bytes::ByteBuf,
    positions: serde_bytes::ByteBuf,
    log_prior: serde_bytes::ByteBuf,
    log_likelihood: serde_bytes::ByteBuf,
    ancestors: Vec<u32>,
}

fn main() -> Result<(), Failure> {
    let mut state = 1_u64;
    let islands: Vec<Lists> = (0..ISLANDS).map(|index| island(index, &mut state)).collect();
    println!("{:<38} {:>8} {:>9} {:>8}", "", "MB", "write ms", "read ms");
    row("MessagePack, lists as bytes (Run::save)", || packed(&islands), |b| unpacked(b))?;
    row("MessagePack, lists of numbers", || Ok(rmp_serde::to_vec_named(&islands)?), |b| {
        Ok(black_box(rmp_serde::from_slice::<Vec<Lists>>(b)?).len())
    })?;
    let cbor = || {
        let mut bytes = Vec::new();
        ciborium::into_writer(&islands, &mut bytes)?;
        Ok(bytes)
    };
    row("CBOR (ciborium)", cbor, |b| {
        Ok(black_box(ciborium::from_reader::<Vec<Lists>, _>(b)?).len())
    })?;
    row("postcard", || Ok(postcard::to_stdvec(&islands)?), |b| {
        Ok(black_box(postcard::from_bytes::<Vec<Lists>>(b)?).len())
    })?;
    let config = bincode::config::standard();
    row("bincode", || Ok(bincode::serde::encode_to_vec(&islands, config)?), |b| {
        let (read, _) = bincode::serde::decode_from_slice::<Vec<Lists>, _>(b, config)?;
        Ok(black_box(read).len())
    })?;
    row("JSON (Run::to_json)", || Ok(serde_json::to_vec(&islands)?), |b| {
        Ok(black_box(serde_json::from_slice::<Vec<Lists>>(b)?).len())
    })?;
    row("Parquet, a column for each coordinate", || columns(&islands), |b| rows(b))
}

/// Numbers in full precision, by a generator of Marsaglia (2003).
fn island(index: usize, state: &mut u64) -> Lists {
    let mut numbers = |count: usize| {
        let mut one = |_| {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..count).map(&mut one).collect::<Vec<f64>>()
    };
    Lists {
        index: index as u64,
        draws: numbers(DRAWS * COORDINATES),
        positions: numbers(DRAWS * COORDINATES),
        log_prior: numbers(DRAWS),
        log_likelihood: numbers(DRAWS),
        ancestors: (0..DRAWS as u32).collect(),
    }
}

/// Prints the size and the times of writing and reading.
fn row(
    name: &str,
    write: impl Fn() -> Result<Vec<u8>, Failure>,
    read: impl Fn(&[u8]) -> Result<usize, Failure>,
) -> Result<(), Failure> {
    let bytes = write()?;
    let (mut writing, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        let start = Instant::now();
        black_box(write()?);
        writing.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        black_box(read(&bytes)?);
        reading.push(start.elapsed().as_secs_f64());
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        1e3 * times[times.len() / 2]
    };
    let size = bytes.len() as f64 / 1e6;
    println!("{name:<38} {size:>8.1} {:>9.0} {:>8.0}", median(&mut writing), median(&mut reading));
    Ok(())
}

fn packed(islands: &[Lists]) -> Result<Vec<u8>, Failure> {
    let bytes = |list: &[f64]| {
        serde_bytes::ByteBuf::from(list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
    };
    let islands: Vec<Bytes> = islands
        .iter()
        .map(|island| Bytes {
            index: island.index,
            draws: bytes(&island.draws),
            positions: bytes(&island.positions),
            log_prior: bytes(&island.log_prior),
            log_likelihood: bytes(&island.log_likelihood),
            ancestors: island.ancestors.clone(),
        })
        .collect();
    let mut packed = rmp_serde::to_vec_named(&islands)?;
    packed.extend(crc32fast::hash(&packed).to_le_bytes());
    Ok(packed)
}

fn unpacked(bytes: &[u8]) -> Result<usize, Failure> {
    let (content, checksum) = bytes.split_last_chunk::<4>().ok_or("it is too short")?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return Err("the checksum differs".into());
    }
    let numbers = |bytes: &[u8]| {
        bytes.as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)).collect::<Vec<f64>>()
    };
    let islands: Vec<Bytes> = rmp_serde::from_slice(content)?;
    let lists = |island: Bytes| Lists {
        index: island.index,
        draws: numbers(&island.draws),
        positions: numbers(&island.positions),
        log_prior: numbers(&island.log_prior),
        log_likelihood: numbers(&island.log_likelihood),
        ancestors: island.ancestors,
    };
    Ok(black_box(islands.into_iter().map(lists).collect::<Vec<Lists>>()).len())
}

/// The draws only, with the positions as columns; an island is a row group.
fn columns(islands: &[Lists]) -> Result<Vec<u8>, Failure> {
    let names = (0..2 * COORDINATES).map(|i| format!("REQUIRED DOUBLE c{i};"));
    let schema = format!("message run {{ {} }}", names.collect::<String>());
    let schema = Arc::new(parse_message_type(&schema)?);
    let properties = WriterProperties::builder().set_dictionary_enabled(false);
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties.build()))?;
    for island in islands {
        let mut group = file.next_row_group()?;
        let mut number = 0;
        while let Some(mut column) = group.next_column()? {
            let list = if number < COORDINATES { &island.draws } else { &island.positions };
            let place = number % COORDINATES;
            let values: Vec<f64> = list.iter().skip(place).step_by(COORDINATES).copied().collect();
            if let ColumnWriter::DoubleColumnWriter(writer) = column.untyped() {
                writer.write_batch(&values, None, None)?;
            }
            column.close()?;
            number += 1;
        }
        group.close()?;
    }
    file.close()?;
    Ok(bytes)
}

fn rows(bytes: &[u8]) -> Result<usize, Failure> {
    let file = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes))?;
    let mut read = 0;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        for column in 0..group.num_columns() {
            let mut reader = group.get_column_reader(column)?;
            if let parquet::column::reader::ColumnReader::DoubleColumnReader(reader) = &mut reader {
                let mut values: Vec<f64> = Vec::with_capacity(DRAWS);
                read += reader.read_records(DRAWS, None, None, &mut values)?.0;
                black_box(&values);
            }
        }
    }
    Ok(read)
}
