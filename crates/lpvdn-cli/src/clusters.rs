//! How many clusters: a number, or a range from which one is chosen.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The numbers that `auto` chooses from.
const AUTO: RangeInclusive<usize> = 2..=20;

/// What `--clusters` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clusters {
    Number(usize),
    Auto,
    Range { from: usize, to: usize },
}

impl Clusters {
    /// The range to choose from in data of so many rows, if there is a choice.
    pub(crate) fn range(self, rows: usize) -> Option<RangeInclusive<usize>> {
        match self {
            Clusters::Number(_) => None,
            // Clusters of one row are none.
            Clusters::Auto => Some(*AUTO.start()..=(*AUTO.end()).min(rows / 2).max(*AUTO.start())),
            Clusters::Range { from, to } => Some(from..=to),
        }
    }
}

impl FromStr for Clusters {
    type Err = String;

    fn from_str(text: &str) -> Result<Clusters, String> {
        let help = || {
            format!(
                "{text:?} is neither a number of clusters, as 10, nor a range to choose from, as 2-20, nor auto"
            )
        };
        if text == "auto" {
            return Ok(Clusters::Auto);
        }
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| help());
        match text.split_once('-') {
            Some((from, to)) => Ok(Clusters::Range { from: number(from)?, to: number(to)? }),
            None => number(text).map(Clusters::Number),
        }
    }
}

impl fmt::Display for Clusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clusters::Number(n) => n.fmt(f),
            Clusters::Auto => f.write_str("auto"),
            Clusters::Range { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

impl Serialize for Clusters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Clusters::Number(n) => n.serialize(serializer),
            other => serializer.collect_str(other),
        }
    }
}

impl<'de> Deserialize<'de> for Clusters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Clusters, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Clusters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of clusters, a range as \"2-20\", or \"auto\"")
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Clusters, E> {
                let bad = || E::invalid_value(Unexpected::Signed(n), &self);
                usize::try_from(n).map(Clusters::Number).map_err(|_| bad())
            }
            fn visit_u64<E: Error>(self, n: u64) -> Result<Clusters, E> {
                let bad = || E::invalid_value(Unexpected::Unsigned(n), &self);
                usize::try_from(n).map(Clusters::Number).map_err(|_| bad())
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Clusters, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_was_read() {
        for text in ["7", "auto", "3-12"] {
            let clusters: Clusters = text.parse().expect("clusters");
            assert_eq!(clusters.to_string(), text);
        }
        for text in ["", "-3", "2-", "two", "2-3-4", "1.5", "Auto"] {
            let error = text.parse::<Clusters>().expect_err(text);
            assert!(error.contains("nor auto"), "{error}");
        }
    }

    #[test]
    fn few_rows_leave_few_numbers_to_choose_from() {
        assert_eq!(Clusters::Auto.range(10_000), Some(2..=20));
        assert_eq!(Clusters::Auto.range(12), Some(2..=6));
        assert_eq!(Clusters::Auto.range(2), Some(2..=2));
        assert_eq!(Clusters::Number(3).range(12), None);
    }
}
