//! Where each parameter lies in the one slice that holds them all.

use std::ops::Range;

/// A stretch of the parameter slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: usize,
    len: usize,
}

impl Span {
    /// This stretch of `params`.
    pub fn of<T>(self, params: &[T]) -> &[T] {
        &params[self.range()]
    }
    /// This stretch of `params`.
    pub fn of_mut<T>(self, params: &mut [T]) -> &mut [T] {
        &mut params[self.range()]
    }
    /// The positions it covers.
    pub fn range(self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// A named parameter tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, such as `encoder.0.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Where it lies.
    pub span: Span,
}

/// The list of all parameters, in memory order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    entries: Vec<Entry>,
    len: usize,
}

impl Layout {
    /// Appends a tensor and returns its place.
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize]) -> Span {
        let span = Span { start: self.len, len: shape.iter().product() };
        self.len += span.len;
        self.entries.push(Entry { name: name.into(), shape: shape.to_vec(), span });
        span
    }

    /// The number of parameters.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The tensors, in memory order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
