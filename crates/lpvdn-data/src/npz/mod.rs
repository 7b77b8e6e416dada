//! NPZ, a ZIP archive of NumPy arrays: what `numpy.savez` and `scipy.sparse.save_npz` write.

mod archive;
mod blocks;
mod directory;
mod scipy;
mod stream;

use self::archive::Archive;
use self::directory::{LOCAL, LOCAL_SIZE, Record};
use crate::error::quoted;
use crate::input::Input;
use crate::table::Table;
use crate::{DataError, Note, OpenOptions, npy};

/// What the array of rows is usually called, in any case; the first that is there is taken.
const ROWS: [&str; 8] = ["x", "data", "arr_0", "embeddings", "embedding", "features", "vectors", "images"];
/// What the classes are usually called.
const LABELS: [&str; 4] = ["y", "labels", "label", "target"];
/// How many arrays a message lists.
const LISTED: usize = 12;

/// Whether a file that begins so is an archive whose first member is an array.
pub(crate) fn recognises(sample: &[u8]) -> bool {
    if !is_zip(sample) || sample.len() < LOCAL_SIZE {
        return false;
    }
    let name = LOCAL_SIZE..LOCAL_SIZE + usize::from(Record(sample).short(26));
    sample.get(name).is_some_and(|name| name.ends_with(b".npy"))
}

/// Whether a file that begins so is a ZIP archive.
pub(crate) fn is_zip(sample: &[u8]) -> bool {
    sample.starts_with(LOCAL)
}

/// Reads the array of rows and, if there is one that fits them, the vector of their classes; or a
/// sparse matrix of SciPy's.
///
/// Classes that are not numbers, or not as many as there are rows, are left alone, for nothing but the
/// name says that they are classes; but the user is told.
pub(crate) fn read(input: Input<'static>, options: &OpenOptions) -> Result<Table, DataError> {
    let mut archive = Archive::open(input)?;
    if scipy::is_sparse(&archive) {
        let mut table = scipy::read(&mut archive, options)?;
        if options.label_column.is_none() {
            // SciPy writes none, but others add them beside the matrix.
            let arrays = Array::all(&mut archive)?;
            take_labels(&mut archive, arrays.iter(), &mut table)?;
        }
        return Ok(table);
    }
    let arrays = Array::all(&mut archive)?;
    let at = choose(&archive, &arrays)?;
    let mut table = npy::read(archive.member(at)?, options)?;
    if options.label_column.is_none() {
        take_labels(&mut archive, arrays.iter().filter(|array| array.at != at), &mut table)?;
    }
    Ok(table)
}

/// An array of the archive.
struct Array {
    at: usize,
    name: String,
    /// Nothing if its elements are not numbers.
    shape: Option<Vec<u64>>,
}

impl Array {
    fn all(archive: &mut Archive) -> Result<Vec<Array>, DataError> {
        let named: Vec<(usize, String)> = archive.arrays().map(|(at, name)| (at, name.to_owned())).collect();
        let array = |(at, name)| Ok(Array { at, name, shape: npy::shape(archive.member(at)?)? });
        named.into_iter().map(array).collect()
    }

    fn is_table(&self) -> bool {
        self.shape.as_ref().is_some_and(|shape| shape.len() >= 2)
    }

    fn is_called(&self, names: &[&str]) -> bool {
        names.iter().any(|name| name.eq_ignore_ascii_case(&self.name))
    }

    /// `x_train (60000 × 28 × 28)`.
    fn described(&self) -> String {
        let shape = match self.shape.as_deref() {
            None => "no numbers".to_owned(),
            Some([]) => "a single number".to_owned(),
            Some(shape) => shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" × "),
        };
        format!("{} ({shape})", quoted(self.name.as_bytes()))
    }
}

/// The array that holds the rows: the only one with rows and columns, or the one that is called so.
fn choose(archive: &Archive, arrays: &[Array]) -> Result<usize, DataError> {
    let tables: Vec<&Array> = arrays.iter().filter(|a| a.is_table()).collect();
    let by_name = || ROWS.iter().find_map(|name| tables.iter().find(|a| a.is_called(&[name])));
    match (&tables[..], arrays) {
        ([], []) => Err(archive.malformed("there are no arrays in it, that is, no members *.npy".into())),
        ([one], _) => Ok(one.at),
        // Its reader says best why it cannot be read.
        ([], [one]) => Ok(one.at),
        _ => by_name().map(|array| array.at).ok_or_else(|| archive.malformed(unclear(&tables, arrays))),
    }
}

fn unclear(tables: &[&Array], arrays: &[Array]) -> String {
    let problem = if tables.is_empty() {
        "no array in it has rows and columns"
    } else {
        "several arrays in it could be the rows, and none has a usual name such as x, data or embeddings"
    };
    let listed: Vec<String> = arrays.iter().take(LISTED).map(Array::described).collect();
    let more = if arrays.len() > LISTED { " …" } else { "" };
    format!(
        "{problem}: {}{more}; save the one that is meant, in Python: \
         numpy.save('data.npy', numpy.load('in.npz')['name'])",
        listed.join(", ")
    )
}

/// Reads the classes of the rows, or notes why what is called so cannot be them.
fn take_labels<'a>(
    archive: &mut Archive,
    arrays: impl Iterator<Item = &'a Array>,
    table: &mut Table,
) -> Result<(), DataError> {
    let rows = table.rows.count();
    let fits =
        |array: &Array| matches!(array.shape.as_deref(), Some([count] | [count, 1]) if *count == rows as u64);
    let called: Vec<&Array> = arrays.filter(|array| array.is_called(&LABELS)).collect();
    if let Some(array) = called.iter().find(|array| fits(array)) {
        table.labels = npy::read_labels(archive.member(array.at)?).map(Some)?;
        return Ok(());
    }
    table.notes.extend(called.iter().map(|array| {
        let array = array.described();
        let why = format!("because it is not one number for each of the {rows} rows");
        Note::from(format!("{array} is not taken for the classes, {why}"))
    }));
    Ok(())
}
