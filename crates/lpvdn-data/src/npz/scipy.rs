//! Sparse matrices as `scipy.sparse.save_npz` writes them: the arrays of one layout, each a member.

use lpvdn_core::CsrMatrix;

use super::archive::Archive;
use super::{blocks, stream};
use crate::error::quoted;
use crate::sparse::{self, Entries, check_columns, check_rows, most_rows};
use crate::table::{Table, Values};
use crate::{DataError, OpenOptions, label_column, npy};

/// Bytes of an entry in memory.
const BYTES: u64 = 8;
const REMEDY: &str =
    "accepted are csr, csc, coo, bsr and dia, in Python: scipy.sparse.save_npz('data.npz', matrix.tocsr())";

/// Whether the archive has the members that every sparse matrix has.
pub(super) fn is_sparse(archive: &Archive) -> bool {
    ["format", "shape", "data"].iter().all(|name| archive.find(name).is_some())
}

/// Reads the matrix. Columns of a row may come in any order and repeatedly; SciPy allows it.
pub(super) fn read(archive: &mut Archive, options: &OpenOptions) -> Result<Table, DataError> {
    let layout = read_layout(archive)?;
    let shape = whole(archive, "shape", huge)?;
    let &[rows, cols] = &shape[..] else {
        let problem = format!("its shape has {} dimensions; 2 are needed: {REMEDY}", shape.len());
        return Err(archive.malformed(problem));
    };
    check_columns(cols).map_err(|problem| archive.malformed(problem))?;
    let label = label_column::chosen(archive.path(), options, cols as usize)?;
    if matches!(layout, Layout::Csr) {
        let entries = place(archive, "data").and_then(|at| npy::length(archive.member(at)?))?;
        if (entries as u64).saturating_mul(BYTES) > options.held_bytes() {
            return stream::read(archive, (rows, cols), entries, label, options);
        }
    }
    let matrix = read_matrix(archive, layout, (rows, cols))?;
    let matrix = matrix.map_err(|problem| archive.malformed(problem))?;
    label_column::split_off(Values::Sparse(matrix), label, archive.path(), options)
}

/// How the entries are listed.
#[derive(Clone, Copy)]
enum Layout {
    /// Row by row.
    Csr,
    /// Column by column.
    Csc,
    /// Each with its place.
    Coo,
    /// In dense blocks, row by row of these.
    Bsr,
    /// By diagonals.
    Dia,
}

fn read_layout(archive: &mut Archive) -> Result<Layout, DataError> {
    let at = place(archive, "format")?;
    let name = npy::read_word(archive.member(at)?)?;
    match &name[..] {
        "csr" => Ok(Layout::Csr),
        "csc" => Ok(Layout::Csc),
        "coo" => Ok(Layout::Coo),
        "bsr" => Ok(Layout::Bsr),
        "dia" => Ok(Layout::Dia),
        other => Err(archive.malformed(format!("its layout is {}; {REMEDY}", quoted(other.as_bytes())))),
    }
}

/// Reads the arrays and puts them together, or says why they do not fit.
fn read_matrix(
    archive: &mut Archive,
    layout: Layout,
    shape: (u64, u64),
) -> Result<Result<CsrMatrix<f32>, String>, DataError> {
    let data = place(archive, "data")?;
    Ok(match layout {
        Layout::Csr => {
            let data = npy::read_floats(archive.member(data)?)?;
            charge(archive, layout, data.len(), shape)?;
            from_csr(shape, whole(archive, "indptr", size)?, whole(archive, "indices", index)?, data)
        }
        Layout::Csc => {
            let data = npy::read_floats(archive.member(data)?)?;
            charge(archive, layout, data.len(), shape)?;
            from_csc(shape, &whole(archive, "indptr", size)?, whole(archive, "indices", index)?, data)
        }
        Layout::Coo => {
            let values = npy::read_floats(archive.member(data)?)?;
            charge(archive, layout, values.len(), shape)?;
            let (rows, columns) = (whole(archive, "row", index)?, whole(archive, "col", index)?);
            from_entries(shape, Entries { rows, columns, values })
        }
        Layout::Bsr => {
            let data = npy::read_array(archive.member(data)?)?;
            charge(archive, layout, data.1.len(), shape)?;
            let (offsets, columns) = (whole(archive, "indptr", size)?, whole(archive, "indices", size)?);
            blocks::from_blocks(shape, &offsets, &columns, data)
                .and_then(|entries| from_entries(shape, entries))
        }
        Layout::Dia => {
            let data = npy::read_array(archive.member(data)?)?;
            charge(archive, layout, data.1.len(), shape)?;
            let offsets = whole(archive, "offsets", |offset| offset)?;
            blocks::from_diagonals(shape, &offsets, data).and_then(|entries| from_entries(shape, entries))
        }
    })
}

/// Enters what rows in order take next to the arrays of the file: offsets, for other layouts the entries once more,
/// and for those that hold zeros too the entries with their places.
fn charge(archive: &Archive, layout: Layout, entries: usize, (rows, _): (u64, u64)) -> Result<(), DataError> {
    let copies = match layout {
        Layout::Csr => 1,
        Layout::Csc | Layout::Coo => 2 * BYTES,
        Layout::Bsr | Layout::Dia => 5 * BYTES,
    };
    let rows = if matches!(layout, Layout::Csr) { 0 } else { rows.min(most_rows(entries)) };
    let bytes = (entries as u64).saturating_mul(copies).saturating_add(rows.saturating_mul(16));
    archive.budget().charge(archive.path(), bytes, "the rows of the matrix")
}

/// Where the array of this name is.
pub(super) fn place(archive: &Archive, name: &str) -> Result<usize, DataError> {
    archive.find(name).ok_or_else(|| {
        archive.malformed(format!("it has the members of a sparse matrix, but no {name}.npy; {REMEDY}"))
    })
}

pub(super) fn whole<T>(
    archive: &mut Archive,
    name: &str,
    convert: fn(i128) -> T,
) -> Result<Vec<T>, DataError> {
    let at = place(archive, name)?;
    npy::read_whole(archive.member(at)?, convert)
}

/// What does not fit becomes the largest number, which is outside every shape.
pub(super) fn index(number: i128) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn size(number: i128) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn huge(number: i128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Rows one after the other, each a list of columns.
fn from_csr(
    (rows, cols): (u64, u64),
    offsets: Vec<usize>,
    mut columns: Vec<u32>,
    mut values: Vec<f32>,
) -> Result<CsrMatrix<f32>, String> {
    check_lengths(columns.len(), values.len())?;
    let used = check_offsets(&offsets, "rows", rows, values.len())?;
    check_rows(rows, usize::MAX)?;
    // SciPy, too, leaves alone what stands after the last row.
    columns.truncate(used);
    values.truncate(used);
    check_inside("column", &columns, cols)?;
    sparse::tidied(cols as usize, offsets, columns, values).map_err(|e| e.to_string())
}

/// Columns one after the other, each a list of rows.
fn from_csc(
    (rows, cols): (u64, u64),
    offsets: &[usize],
    mut rows_of: Vec<u32>,
    mut values: Vec<f32>,
) -> Result<CsrMatrix<f32>, String> {
    check_lengths(rows_of.len(), values.len())?;
    let used = check_offsets(offsets, "columns", cols, values.len())?;
    rows_of.truncate(used);
    values.truncate(used);
    let mut columns = Vec::with_capacity(used);
    for (column, two) in offsets.windows(2).enumerate() {
        columns.resize(two[1], column as u32);
    }
    from_entries((rows, cols), Entries { rows: rows_of, columns, values })
}

/// Entries with their places, in any order.
fn from_entries((rows, cols): (u64, u64), entries: Entries) -> Result<CsrMatrix<f32>, String> {
    check_lengths(entries.rows.len(), entries.values.len())?;
    check_lengths(entries.columns.len(), entries.values.len())?;
    check_rows(rows, entries.values.len())?;
    check_inside("row", &entries.rows, rows)?;
    check_inside("column", &entries.columns, cols)?;
    entries.into_matrix(rows as usize, cols as usize)
}

pub(super) fn check_lengths(indices: usize, values: usize) -> Result<(), String> {
    if indices == values {
        return Ok(());
    }
    Err(format!("it has {indices} indices, but {values} values; each value needs one"))
}

/// Checks where each of `count` rows or columns begins, and gives the number of entries in them.
pub(super) fn check_offsets(
    offsets: &[usize],
    what: &str,
    count: u64,
    entries: usize,
) -> Result<usize, String> {
    if offsets.len() as u64 != count.saturating_add(1) {
        return Err(format!(
            "its shape has {count} {what}, but indptr has {} numbers; one more than {what} is needed",
            offsets.len()
        ));
    }
    let rise = offsets.windows(2).all(|two| two[0] <= two[1]);
    match (offsets.first(), offsets.last()) {
        (Some(0), Some(&used)) if rise && used <= entries => Ok(used),
        _ => Err(format!("indptr must begin with 0, never fall, and end at no more than {entries}")),
    }
}

fn check_inside(what: &str, indices: &[u32], count: u64) -> Result<(), String> {
    match indices.iter().position(|&index| u64::from(index) >= count) {
        None => Ok(()),
        Some(at) => Err(outside(at, what, count)),
    }
}

pub(super) fn outside(at: usize, what: &str, count: u64) -> String {
    format!("entry {at} is outside: its {what} must be from 0 to {}", count.max(1) - 1)
}
