//! Amounts of memory, as `2GB`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Memory(u64);

/// Units by their names; of those with the same value, the first is written.
const UNITS: [(&str, u64); 10] = [
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("B", 1),
];

impl Memory {
    pub(crate) fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Memory, String> {
        let wrong = || format!("{text:?} is no amount of memory; write it as 2GB, 1.5GB or 512MiB");
        let digits = text.trim().find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, unit) = text.trim().split_at(digits);
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let (_, bytes) =
            UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim())).ok_or_else(wrong)?;
        let amount = number * *bytes as f64;
        // Beyond this no machine has, and f64 counts no single bytes.
        if amount < 1.0 || amount > (1_u64 << 53) as f64 { Err(wrong()) } else { Ok(Memory(amount as u64)) }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |unit: &&(&str, u64)| self.0.is_multiple_of(unit.1);
        let (name, bytes) = UNITS.iter().find(fits).unwrap_or(&("B", 1));
        write!(f, "{}{name}", self.0 / bytes)
    }
}

impl From<Memory> for String {
    fn from(memory: Memory) -> String {
        memory.to_string()
    }
}

impl TryFrom<String> for Memory {
    type Error = String;

    fn try_from(text: String) -> Result<Memory, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_their_units_and_written_again() {
        for (text, bytes) in [
            ("2GB", 2_000_000_000),
            ("2 gb", 2_000_000_000),
            ("1.5GiB", 3 << 29),
            ("512MiB", 512 << 20),
            ("7B", 7),
        ] {
            let memory: Memory = text.parse().expect("an amount");
            assert_eq!(memory.bytes(), bytes, "{text}");
            assert_eq!(memory.to_string().parse(), Ok(memory), "{memory}");
        }
        for text in ["", "2", "GB", "-2GB", "2GBs", "0MB", "1e9", "9999999TB", "1..5GB"] {
            let message = text.parse::<Memory>().expect_err(text);
            assert!(message.contains("512MiB"), "{message}");
        }
    }
}
