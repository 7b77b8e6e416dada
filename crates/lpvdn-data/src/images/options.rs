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

/// How a picture of other proportions is brought to its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageFit {
    /// All of it, in its own proportions; what is left of the shape has the mean colour of its border.
    ///
    /// Not black: bars of another colour than the ground are edges, and pictures would be told apart by their
    /// proportions before all else. The mean of the border is the ground itself wherever there is a plain one.
    #[default]
    Pad,
    /// Its centre, in its own proportions; what does not fit is cut off on both sides.
    Crop,
    /// All of it, in the proportions of the shape.
    Stretch,
}

impl ImageFit {
    /// What models did before there was a choice.
    pub(crate) fn of_old_models() -> ImageFit {
        ImageFit::Stretch
    }

    /// Whether it is what models did before there was a choice.
    pub(crate) fn is_of_old_models(&self) -> bool {
        *self == ImageFit::of_old_models()
    }

    /// What it does, after `brought to 32x32`.
    pub fn in_words(self) -> &'static str {
        match self {
            ImageFit::Pad => "in their own proportions, the rest in the mean colour of their border",
            ImageFit::Crop => "by their centre, in their own proportions",
            ImageFit::Stretch => "stretched to its proportions",
        }
    }
}

/// What is done about files that cannot be read as pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The first of them ends the reading.
    #[default]
    Refuse,
    /// They are left out, and a note counts and names them.
    Skip,
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
