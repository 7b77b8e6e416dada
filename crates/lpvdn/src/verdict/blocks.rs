//! Which columns of rows stay together when the columns are permuted.

use std::ops::Range;

use lpvdn_core::view::Part;
use lpvdn_core::{ColumnKind, Dataset, View};

/// Some neighbouring columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) columns: Range<usize>,
    pub(super) kind: BlockKind,
}

/// What becomes of the columns of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BlockKind {
    /// Each is permuted by itself.
    Each,
    /// One column of the data: its categories stay together.
    Together,
    /// Each by itself, and rows get back their length.
    OfLength,
}

/// Those of rows that went through a view.
pub(super) fn of_view(view: &View) -> Vec<Block> {
    let kind = |part: &Part| match part {
        Part::Categories(_) => BlockKind::Together,
        Part::Directions(_) => BlockKind::OfLength,
        Part::Numbers(_) | Part::Terms(_) => BlockKind::Each,
    };
    placed(view.parts().iter().map(|part| (part.width(), kind(part))))
}

/// Those of rows as the data has them.
pub(super) fn of_groups(data: &Dataset, columns: usize) -> Vec<Block> {
    let kind = |kind: ColumnKind| match kind {
        ColumnKind::Category => BlockKind::Together,
        _ => BlockKind::Each,
    };
    match &data.groups {
        Some(groups) => placed(groups.iter().map(|group| (group.width, kind(group.kind)))),
        None => placed([(columns, BlockKind::Each)]),
    }
}

fn placed(widths: impl IntoIterator<Item = (usize, BlockKind)>) -> Vec<Block> {
    let mut start = 0;
    let block = |(width, kind): (usize, BlockKind)| {
        let columns = start..start + width;
        start = columns.end;
        Block { columns, kind }
    };
    widths.into_iter().map(block).collect()
}
