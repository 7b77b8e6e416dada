//! Files that appear complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file so that no one ever sees half of it.
///
/// The content goes to a temporary file in the same folder, which is synced and then renamed. When
/// `write` fails, the temporary file is removed and a file that was there before stays as it was.
/// A symbolic link keeps pointing where it did; what is not a file, such as `/dev/stdout` or a
/// pipe, is written to directly, for a rename would replace it.
pub fn atomic_write(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let target = match &existing {
        Some(found) if !found.is_file() => return write_directly(path, write),
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let (file, temporary) = Temporary::beside(&target)?;
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(existing) = existing {
        file.set_permissions(existing.permissions())?;
    }
    file.sync_all()?;
    drop(file);
    temporary.rename_to(&target)
}

fn write_directly(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    write(&mut writer)?;
    writer.flush()
}

/// A temporary file that is removed unless it is renamed.
struct Temporary {
    path: PathBuf,
    folder: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn beside(target: &Path) -> io::Result<(File, Temporary)> {
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        for attempt in 0..u32::MAX {
            let path = folder.join(format!(".lpvdn-{}-{attempt}.tmp", std::process::id()));
            // `create_new` neither follows a planted link nor takes over another thread's file.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Temporary { path, folder, renamed: false })),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "no name is left for a temporary file"))
    }

    fn rename_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        // The rename itself must survive a power cut. Some systems cannot open or sync a folder;
        // the file is in place all the same.
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_litter() {
        let folder = std::env::temp_dir().join(format!("lpvdn-file-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("data");
        atomic_write(&path, |w| w.write_all(b"old")).expect("written");
        let failed = atomic_write(&path, |w| {
            w.write_all(b"half of the new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("the file"), b"old");
        atomic_write(&path, |w| w.write_all(b"new")).expect("written");
        assert_eq!(fs::read(&path).expect("the file"), b"new");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
        fs::remove_dir_all(&folder).expect("removed");
    }
}
