//! Dense rows around a few centres.

use std::io::Write;

use anyhow::Result;
use lpvdn_core::stream::{Stream, StreamKey};

use super::{Request, npy_header};

const CENTRES: usize = 10;
/// How far centres are from the origin in each column, in standard deviations of the noise.
const APART: f32 = 0.5;

pub(super) fn write(request: &Request, out: &mut impl Write) -> Result<()> {
    let Request { rows, cols, seed, .. } = *request;
    out.write_all(&npy_header("<f4", &format!("({rows}, {cols})")))?;
    let key = StreamKey::new(seed, "blobs");
    let mut stream = key.open();
    let centres: Vec<f32> = (0..CENTRES * cols).map(|_| APART * stream.normal() as f32).collect();
    let mut row = Vec::with_capacity(4 * cols);
    for i in 0..rows {
        let mut stream = key.at(1, 0, i as u64).open();
        let centre = stream.below(CENTRES as u64) as usize * cols;
        row.clear();
        for pair in centres[centre..centre + cols].chunks(2) {
            for (value, noise) in pair.iter().zip(nearly_normal(&mut stream)) {
                row.extend_from_slice(&(value + noise).to_le_bytes());
            }
        }
        out.write_all(&row)?;
    }
    Ok(())
}

/// Two draws of the sum of four bytes, made to mean 0 and standard deviation 1: near enough to normal,
/// and ten times as fast, which counts for billions of them.
fn nearly_normal(stream: &mut Stream) -> [f32; 2] {
    let bytes = stream.bits().to_le_bytes();
    let sum = |four: &[u8]| four.iter().map(|&b| f32::from(b)).sum::<f32>();
    [&bytes[..4], &bytes[4..]].map(|four| (sum(four) - 510.0) / 147.8)
}
