//! A ZIP archive of NumPy arrays, written as a stream.

use std::io::{Seek, SeekFrom, Write};

use anyhow::{Result, bail};
use flate2::Crc;

use super::npy_header;

/// An archive without compression. What is known only after a member is written is filled in then.
pub(super) struct Archive<'a, W> {
    out: &'a mut W,
    /// Of each member: name, place, size, checksum.
    members: Vec<(String, u32, u32, u32)>,
}

impl<'a, W: Write + Seek> Archive<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Archive<'a, W> {
        Archive { out, members: Vec::new() }
    }

    /// Adds an array; `values` writes its bytes.
    pub(super) fn array(
        &mut self,
        name: &str,
        descr: &str,
        shape: &str,
        values: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let name = format!("{name}.npy");
        let place = small(self.out.stream_position()?)?;
        self.out.write_all(&local(&name, 0, 0))?;
        let mut crc = Crc::new();
        let mut size = 0_u64;
        let out = &mut *self.out;
        let mut write = |bytes: &[u8]| -> Result<()> {
            crc.update(bytes);
            size += bytes.len() as u64;
            Ok(out.write_all(bytes)?)
        };
        write(&npy_header(descr, shape))?;
        values(&mut write)?;
        let size = small(size)?;
        let end = self.out.stream_position()?;
        self.out.seek(SeekFrom::Start(place.into()))?;
        self.out.write_all(&local(&name, crc.sum(), size))?;
        self.out.seek(SeekFrom::Start(end))?;
        self.members.push((name, place, size, crc.sum()));
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(self) -> Result<()> {
        let start = small(self.out.stream_position()?)?;
        let mut directory = Vec::new();
        for (name, place, size, crc) in &self.members {
            directory.extend_from_slice(b"PK\x01\x02\x14\x00");
            directory.extend_from_slice(&common(name, *crc, *size));
            // No comment, first disk, no attributes.
            directory.extend_from_slice(&[0; 10]);
            directory.extend_from_slice(&place.to_le_bytes());
            directory.extend_from_slice(name.as_bytes());
        }
        let count = (self.members.len() as u16).to_le_bytes();
        self.out.write_all(&directory)?;
        self.out.write_all(b"PK\x05\x06\0\0\0\0")?;
        self.out.write_all(&[count, count].concat())?;
        self.out.write_all(&(directory.len() as u32).to_le_bytes())?;
        self.out.write_all(&start.to_le_bytes())?;
        self.out.write_all(&[0, 0])?;
        Ok(())
    }
}

/// Larger archives would need ZIP64.
fn small(size: u64) -> Result<u32> {
    match u32::try_from(size) {
        Ok(size) => Ok(size),
        Err(_) => bail!("the archive would be larger than 4 GB; ask for fewer --rows"),
    }
}

fn local(name: &str, crc: u32, size: u32) -> Vec<u8> {
    [b"PK\x03\x04".as_slice(), &common(name, crc, size), name.as_bytes()].concat()
}

/// What both headers have: version, flags, method, a fixed time, checksum, sizes, lengths.
fn common(name: &str, crc: u32, size: u32) -> Vec<u8> {
    let mut header = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    for number in [crc, size, size] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    header.extend_from_slice(&(name.len() as u16).to_le_bytes());
    header.extend_from_slice(&[0, 0]);
    header
}
