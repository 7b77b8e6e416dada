//! What the fuzz targets share. A target fails where a reader panics, takes memory for what a header
//! claims, does not end, or refuses a file with a sentence that no one can read.

pub mod checkpoint;
mod repair;

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use lpvdn::Model;
use lpvdn_core::{Batch, Dataset, Matrix};
use lpvdn_data::{Format, OpenOptions};

use repair::repaired;

/// Rows that are looked at.
const ROWS: usize = 64;
/// No message is longer, whatever stands in the file.
const LONGEST_MESSAGE: usize = 4_000;

/// Panics of the decoders of other libraries, which the readers contain, do not end the process; any
/// other panic still does, when it reaches the fuzzer. The words of the last one go to a file, because the fuzzer's own
/// report lacks them: `LPVDN_PANIC=FILE fuzz/target/…/TARGET ARTIFACT` shows what a finding is about.
pub fn contain() {
    let file = std::env::var_os("LPVDN_PANIC");
    std::panic::set_hook(Box::new(move |panic| {
        if let Some(file) = &file {
            let _ = fs::write(file, panic.to_string());
        }
    }));
}

thread_local! {
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

/// A refusal must be a sentence.
fn readable(error: &dyn std::fmt::Display) {
    let message = error.to_string();
    assert!(!message.is_empty() && message.len() < LONGEST_MESSAGE, "{message}");
}

/// Reads a file into memory, and once more with its rows left on the disk: both must give the same.
pub fn read(format: Format, bytes: &[u8]) {
    compare(&file(bytes), OpenOptions::default().format(format));
}

/// Reads a file whose format must be recognised, after unpacking where it is packed.
pub fn unpack(bytes: &[u8]) {
    compare(&file(bytes), OpenOptions::default());
}

fn compare(path: &Path, mut options: OpenOptions) {
    let held = rows(path, &options);
    options.memory = Some(0);
    match (held, rows(path, &options)) {
        (Ok(held), Ok(left)) => assert_eq!(left, held, "the rows depend on where they are kept"),
        (Err(_), Err(_)) => {}
        // Not every format can leave its rows on the disk.
        (Ok(_), Err(refusal)) => assert!(refusal.contains("memory"), "{refusal}"),
        (Err(refusal), Ok(_)) => panic!("refused only where there is memory: {refusal}"),
    }
}

/// Some rows as text, for which what is not a number equals itself, or why there are none.
fn rows(path: &Path, options: &OpenOptions) -> Result<String, String> {
    let opened = lpvdn_data::read(path, options).map_err(|error| {
        readable(&error);
        error.to_string()
    })?;
    Ok(first_rows(&opened.data))
}

fn first_rows(data: &Dataset) -> String {
    let mut batch = Batch::for_source(data.source.as_ref());
    let few = if data.cols() > 10_000 { 1 } else { ROWS };
    let mut wanted: Vec<u32> = (0..data.rows().min(few) as u32).collect();
    wanted.push(data.rows() as u32 - 1);
    data.source.gather(&wanted, &mut batch).expect("rows that were read before");
    format!("{} × {} {batch:?}", data.rows(), data.cols())
}

/// Loads a model as it is, and with its lengths and its checksum made right, and uses it.
pub fn load(bytes: &[u8]) {
    use_model(bytes);
    if let Some(repaired) = repaired(bytes) {
        use_model(&repaired);
    }
}

fn use_model(bytes: &[u8]) {
    match Model::load(file(bytes)) {
        Ok(model) => {
            let columns = model.data().columns;
            if columns < 10_000 {
                let row = Dataset::from(Matrix::<f32>::zeros(1, columns));
                let _ = model.predict(&row);
                let _ = model.place(&row, 0..1);
            }
            // What was accepted can be written, and read again.
            let again = model.to_bytes().expect("bytes");
            Model::from_bytes(&again, "again").expect("its own file");
        }
        Err(error) => readable(&error),
    }
}

/// Checks the text of a settings file.
pub fn settings(text: &str) {
    if let Err(refusal) = lpvdn_cli::check_settings(text) {
        readable(&refusal);
    }
}
