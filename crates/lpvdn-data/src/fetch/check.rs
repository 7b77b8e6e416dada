//! Whether a file has the right bytes.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};

use crate::known::Check;

/// Text does not become smaller than this; a file that is, is made to be unpacked without end.
const LARGEST_RATIO: u64 = 50;

/// What a look at all bytes gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They are the right ones.
    Right,
    /// They are not, in words.
    Wrong(String),
    /// They are as many as they should be, and no checksum is known; this is their SHA-256.
    Unchecked(String),
}

/// Looks at all bytes of a file. An error is one of the system.
pub(super) fn file(path: &Path, check: Check) -> io::Result<Verdict> {
    let reader = || File::open(path).map(|file| BufReader::with_capacity(1 << 18, file));
    match check {
        Check::Served { sha256, .. } => Ok(compared(hashed(reader()?)?, check.exactly(), sha256)),
        Check::Unpacked { bytes, sha256 } => {
            // No more than one byte beyond the expected: a small file may unpack to any size.
            match hashed(MultiGzDecoder::new(reader()?).take(bytes + 1)) {
                Ok(found) => Ok(compared(found, Some(bytes), sha256)),
                Err(cause) => damaged(cause),
            }
        }
        Check::Sized { bytes } => {
            let found = std::fs::metadata(path)?.len();
            if found != bytes {
                return Ok(Verdict::Wrong(format!("it has {found} bytes, but {bytes} are expected")));
            }
            // At least what gzip itself says about its bytes can be checked.
            if is_gzip(&mut reader()?)? {
                let most = bytes.saturating_mul(LARGEST_RATIO);
                let mut unpacked = MultiGzDecoder::new(reader()?).take(most + 1);
                match io::copy(&mut unpacked, &mut io::sink()) {
                    Err(cause) => return damaged(cause),
                    Ok(size) if size > most => {
                        return Ok(Verdict::Wrong(format!("it unpacks to more than {most} bytes")));
                    }
                    Ok(_) => {}
                }
            }
            Ok(Verdict::Unchecked(hashed(reader()?)?.1))
        }
    }
}

fn is_gzip(reader: &mut impl Read) -> io::Result<bool> {
    let mut start = Vec::new();
    reader.take(2).read_to_end(&mut start)?;
    Ok(start == [0x1f, 0x8b])
}

fn damaged(cause: io::Error) -> io::Result<Verdict> {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    match cause.kind() {
        InvalidData | InvalidInput | Other | UnexpectedEof => {
            Ok(Verdict::Wrong(format!("it does not unpack ({cause})")))
        }
        _ => Err(cause),
    }
}

fn compared((size, found): (u64, String), bytes: Option<u64>, sha256: &str) -> Verdict {
    match bytes {
        _ if found == sha256 => Verdict::Right,
        Some(bytes) if bytes != size => Verdict::Wrong(format!(
            "it has the wrong bytes: expected are {bytes} with SHA-256 {sha256}, found {size} with {found}"
        )),
        _ => Verdict::Wrong(format!("it has the wrong bytes: expected is SHA-256 {sha256}, found {found}")),
    }
}

/// How many bytes there are, and their hash.
fn hashed(mut reader: impl Read) -> io::Result<(u64, String)> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    let mut size = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((size, hex(&hash.finalize()))),
            Ok(count) => {
                size += count as u64;
                hash.update(&buffer[..count]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
