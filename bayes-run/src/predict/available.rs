//! The memory that is free on this machine.

/// The file in which Linux reports it.
const FILE: &str = "/proc/meminfo";

/// Bytes that are free, or that the system can free; `None` if the system does not say.
///
/// Linux grants more memory than there is, and ends the process that uses it: a failed allocation is no sign to wait for.
pub(super) fn memory() -> Option<u64> {
    of(&std::fs::read_to_string(FILE).ok()?)
}

/// The available bytes by the text of the file.
fn of(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_counts_in_kibibytes() {
        let text = "MemTotal:       24576000 kB\nMemFree:          204800 kB\nMemAvailable:    1048576 kB\n";
        assert_eq!(of(text), Some(1 << 30));
        assert_eq!(of("MemTotal: 5 kB\n"), None);
    }
}
