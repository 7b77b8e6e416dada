//! What can be said about how pictures become rows.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// No side is longer than this.
const LONGEST: u32 = 4096;

/// To how many points pictures are brought, written `28x28`, or `28` for both sides.
///
/// ```
/// use lpvdn_data::ImageSize;
/// assert_eq!("28".parse(), Ok(ImageSize { width: 28, height: 28 }));
/// assert_eq!("32x24".parse::<ImageSize>().map(|size| size.to_string()), Ok("32x24".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ImageSize {
    /// The points of a line.
    pub width: u32,
    /// The lines.
    pub height: u32,
}

/// Whether pictures are read in grey or in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageColor {
    /// A value a point.
    Grey,
    /// Three values a point: red, green and blue.
    Rgb,
}

impl FromStr for ImageSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ImageSize, String> {
        let side = |part: &str| part.trim().parse().ok().filter(|side| (1..=LONGEST).contains(side));
        let (width, height) = text.split_once(['x', '×']).unwrap_or((text, text));
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(ImageSize { width, height }),
            _ => Err(format!("{text:?} is not a size; write 28x28, or 28, with sides from 1 to {LONGEST}")),
        }
    }
}

impl fmt::Display for ImageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl From<ImageSize> for String {
    fn from(size: ImageSize) -> String {
        size.to_string()
    }
}

impl TryFrom<String> for ImageSize {
    type Error = String;

    fn try_from(text: String) -> Result<ImageSize, String> {
        text.parse()
    }
}

impl ImageColor {
    /// The values of a point.
    pub fn channels(self) -> u8 {
        match self {
            ImageColor::Grey => 1,
            ImageColor::Rgb => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_sides_that_can_be_held() {
        for bad in ["", "x", "28x", "0", "0x5", "28x28x3", "-1", "4097", "4294967296", "a"] {
            assert!(bad.parse::<ImageSize>().is_err(), "{bad:?}");
        }
        assert_eq!("1 x 4096".parse(), Ok(ImageSize { width: 1, height: 4096 }));
    }
}
