//! What the fuzz targets share. A target fails where a reader panics, takes memory for what a header
//! claims, does not end, or refuses a file with a sentence that no one can read.

use std::cell::{OnceCell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};

use lpvdn::Model;
use lpvdn_core::{Batch, Dataset, Matrix};
use lpvdn_data::{Format, OpenOptions};

/// Rows that are looked at.
const ROWS: usize = 64;
/// No message is longer, whatever stands in the file.
const LONGEST_MESSAGE: usize = 4_000;

/// Panics of the decoders of other libraries, which the readers contain, do not end the process; any
/// other panic still does, when it reaches the fuzzer.
pub fn contain() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = LAST_PANIC.with(|last| last.replace(panic.to_string()));
    }));
}

thread_local! {
    /// What the last panic said: the fuzzer's own report does not tell.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
    static SCRATCH: OnceCell<PathBuf> = const { OnceCell::new() };
}

/// A file with this content, in memory where the system has such files.
fn file(bytes: &[u8]) -> PathBuf {
    SCRATCH.with(|scratch| {
        let path = scratch.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
            folder.join(format!("lpvdn-fuzz-{}", std::process::id()))
        });
        fs::write(path, bytes).expect("a temporary file");
        path.clone()
    })
}

/// Reads a file into memory, and once more with its rows left on the disk: both must give the same.
pub fn read(format: Format, bytes: &[u8]) {
    let path = file(bytes);
    let mut options = OpenOptions::default().format(format);
    let held = rows(&path, &options);
    options.memory = Some(0);
    assert_eq!(rows(&path, &options), held, "the rows depend on where they are kept");
}

/// Some rows as text, for which what is not a number equals itself.
fn rows(path: &Path, options: &OpenOptions) -> Option<String> {
    match lpvdn_data::read(path, options) {
        Ok(opened) => Some(first_rows(&opened.data)),
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < LONGEST_MESSAGE, "{message}");
            None
        }
    }
}

fn first_rows(data: &Dataset) -> String {
    let mut batch = Batch::for_source(data.source.as_ref());
    let few = if data.cols() > 10_000 { 1 } else { ROWS };
    let mut wanted: Vec<u32> = (0..data.rows().min(few) as u32).collect();
    wanted.push(data.rows() as u32 - 1);
    data.source.gather(&wanted, &mut batch).expect("rows that were read before");
    format!("{} × {} {batch:?}", data.rows(), data.cols())
}

/// Loads a model, and uses it.
pub fn load(bytes: &[u8]) {
    match Model::load(file(bytes)) {
        Ok(model) => {
            let columns = model.data().columns;
            if columns < 10_000 {
                let row = Dataset::from(Matrix::<f32>::zeros(1, columns));
                let _ = model.predict(&row);
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < LONGEST_MESSAGE, "{message}");
        }
    }
}
