//! The cells of the tables: each is run once, in parallel with others, and saved in a folder if one is given.

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A cell of a table: a name for its file, and the settings that determine its result.
pub struct Cell<S> {
    /// The name of the cell's file, without the extension.
    pub name: String,
    /// The settings that determine the cell's result, besides the seed.
    pub settings: S,
}

/// A name in small letters, digits and single dashes.
pub fn file_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_lowercase()
}

/// A file of a cell.
#[derive(Serialize, Deserialize)]
struct Saved {
    seed: u64,
    settings: Value,
    result: Value,
    /// [`checksum`] of the three fields above.
    checksum: u64,
}

/// Runs cells and saves their results.
pub struct Cells {
    /// The seed of every cell.
    pub seed: u64,
    /// The folder for results, if any.
    pub folder: Option<PathBuf>,
}

impl Cells {
    /// The results of the cells, in their order. `work` gets the settings.
    pub fn run<S, T>(&self, cells: &[Cell<S>], work: impl Fn(&S) -> T + Sync) -> Vec<T>
    where
        S: Serialize + Sync,
        T: Serialize + DeserializeOwned + Send,
    {
        let mut results: Vec<Option<T>> = cells.iter().map(|cell| self.saved(cell)).collect();
        let open: Vec<usize> = (0..cells.len()).filter(|i| results[*i].is_none()).collect();
        // in the order of the cells, so that the long ones may come first
        let found: Vec<(usize, T)> = open
            .into_iter()
            .par_bridge()
            .map(|i| {
                let result = alone(|| work(&cells[i].settings));
                self.save(&cells[i], &result);
                (i, result)
            })
            .collect();
        for (i, result) in found {
            results[i] = Some(result);
        }
        results.into_iter().flatten().collect()
    }

    /// The file of a cell: named after the cell, or, if that file has another seed or other settings, a new file beside it.
    fn file<S: Serialize>(&self, cell: &Cell<S>) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let named = folder.join(format!("{}.json", cell.name));
        let text = std::fs::read_to_string(&named).unwrap_or_default();
        let settings = json!(cell.settings);
        let is_of_another = serde_json::from_str(&text)
            .is_ok_and(|saved: Saved| saved.seed != self.seed || saved.settings != settings);
        if !is_of_another {
            return Some(named);
        }
        let number = checksum(self.seed, &settings, &Value::Null);
        Some(folder.join(format!("{}-{number:016x}.json", cell.name)))
    }

    /// The result of a cell that is in the folder; a message names a file that cannot be used.
    fn saved<S: Serialize, T: DeserializeOwned>(&self, cell: &Cell<S>) -> Option<T> {
        let file = self.file(cell).filter(|file| file.exists())?;
        match self.read(&file, cell) {
            Ok(result) => Some(result),
            Err(problem) => {
                eprintln!("{}: {problem}; the cell is run again", file.display());
                None
            }
        }
    }

    fn read<S: Serialize, T: DeserializeOwned>(
        &self,
        file: &Path,
        cell: &Cell<S>,
    ) -> Result<T, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let saved: Saved =
            serde_json::from_str(&text).map_err(|error| format!("damaged: {error}"))?;
        if checksum(saved.seed, &saved.settings, &saved.result) != saved.checksum {
            return Err("damaged: its checksum is wrong".to_owned());
        }
        if saved.seed != self.seed || saved.settings != json!(cell.settings) {
            return Err("of another seed or other settings".to_owned());
        }
        serde_json::from_value(saved.result).map_err(|error| format!("of another form: {error}"))
    }

    /// Saves a result; a file is written completely or not at all.
    fn save<S: Serialize, T: Serialize>(&self, cell: &Cell<S>, result: &T) {
        let Some(file) = self.file(cell) else { return };
        let (settings, result) = (json!(cell.settings), json!(result));
        let saved = Saved {
            checksum: checksum(self.seed, &settings, &result),
            seed: self.seed,
            settings,
            result,
        };
        let part = file.with_extension("part");
        let written = std::fs::write(&part, json!(saved).to_string() + "\n")
            .and_then(|()| std::fs::rename(&part, &file));
        if let Err(error) = written {
            crate::common::fail(&format!("cannot write {}: {error}", file.display()));
        }
    }
}

/// The FNV-1a hash of a file's content (Fowler, Noll & Vo), which changes with a damaged digit.
fn checksum(seed: u64, settings: &Value, result: &Value) -> u64 {
    let text = format!("{seed} {settings} {result}");
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Runs the work on one core, so that its seconds are for one core: an engine within it has a thread pool with one thread, and the
/// calling thread only waits.
fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.expect("a thread can be started");
    std::thread::scope(|scope| scope.spawn(|| one.install(work)).join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
