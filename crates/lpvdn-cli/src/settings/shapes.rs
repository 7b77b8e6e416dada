//! Sizes of layers and shapes of images, as they are typed.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Layer sizes, written `500,500,2000`; nothing for no layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sizes(pub(crate) Vec<usize>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        if text.trim().is_empty() {
            return Ok(Sizes(Vec::new()));
        }
        text.split(',').map(size).collect::<Result<_, _>>().map(Sizes)
    }
}

/// Height, width and channels, written as 28x28x1; 28x28 is grey.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ImageShape(pub(crate) [usize; 3]);

impl FromStr for ImageShape {
    type Err = String;

    fn from_str(text: &str) -> Result<ImageShape, String> {
        let wrong = || format!("{text:?} is no shape of images; write it as 28x28x1");
        let sizes: Vec<usize> =
            text.split('x').map(|part| part.trim().parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        match sizes[..] {
            [height, width] => Ok(ImageShape([height, width, 1])),
            [height, width, channels] => Ok(ImageShape([height, width, channels])),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for ImageShape {
    type Error = String;
    fn try_from(text: String) -> Result<ImageShape, String> {
        text.parse()
    }
}

impl From<ImageShape> for String {
    fn from(ImageShape([height, width, channels]): ImageShape) -> String {
        format!("{height}x{width}x{channels}")
    }
}

/// A size in a list of them.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a size; write sizes as 500,500,2000"))
}
