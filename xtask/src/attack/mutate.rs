//! Damage to a file: what disks, networks, editors and attackers do.

use super::seeds::{Seed, gzipped, zstd_raw};

/// SplitMix64: a stream of numbers for each file.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64, file: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ file.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below `most`, which is not 0.
    pub(super) fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    pub(super) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Lengths that overflow, turn negative, or ask for everything.
const HUGE: [u64; 8] = [
    u64::MAX,
    i64::MAX as u64,
    1 << 40,
    u32::MAX as u64,
    i32::MAX as u64,
    (1 << 31) + 1,
    100_000_000,
    0x7fff_ffff_ffff_fff8,
];

/// Numbers for files of text.
const WORDS: [&str; 10] = [
    "4294967295",
    "18446744073709551615",
    "99999999999999999999999999",
    "-1",
    "1e308",
    "-1e309",
    "nan",
    "\u{1b}]0;x\u{7}",
    "\"",
    "",
];

/// A mutated copy of a seed, and how it was made.
pub(super) fn mutated(seed: &Seed, all: &[Seed], random: &mut Random) -> (Vec<u8>, String) {
    let mut bytes = seed.bytes.clone();
    let mut story = Vec::new();
    // Packed before, the damage is one to the packed bytes; packed after, one to the content.
    let packing = if seed.packable { random.below(6) } else { 5 };
    if packing == 0 {
        bytes = packed(&bytes, random, &mut story);
    }
    for _ in 0..=random.below(3) {
        story.push(mutate(&mut bytes, seed, all, random));
    }
    if packing == 1 {
        bytes = packed(&bytes, random, &mut story);
    }
    (bytes, story.join(", "))
}

fn packed(bytes: &[u8], random: &mut Random, story: &mut Vec<String>) -> Vec<u8> {
    if random.below(2) == 0 {
        story.push("gzip".to_owned());
        return gzipped(bytes);
    }
    story.push("zstd".to_owned());
    zstd_raw(bytes)
}

/// One change, and what it is.
fn mutate(bytes: &mut Vec<u8>, seed: &Seed, all: &[Seed], random: &mut Random) -> String {
    if bytes.is_empty() {
        return "nothing left".to_owned();
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0 | 1 => {
            let bit = random.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} flipped")
        }
        2 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        3 => {
            let other = &random.pick(all).bytes;
            let start = random.below(other.len());
            let end = start + random.below((other.len() - start).min(256) + 1);
            bytes.splice(at..at, other[start..end].iter().copied());
            format!("{} bytes of another file at {at}", end - start)
        }
        4 if seed.text => number(bytes, at, random),
        4 | 5 => length(bytes, at, random),
        6 => {
            let end = (at + 1 + random.below(64)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let most = if random.below(20) == 0 { 100_000 } else { 20 };
            let times = 1 + random.below(most);
            bytes.splice(at..at, piece.repeat(times));
            format!("{} bytes at {at} repeated {times} times", piece.len())
        }
        _ => {
            let end = (at + 1 + random.below(32)).min(bytes.len());
            bytes.drain(at..end);
            format!("{} bytes at {at} removed", end - at)
        }
    }
}

/// A number of a text becomes another.
fn number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) -> String {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let start = bytes[at..].iter().position(is_digit).map_or(at, |digits| at + digits);
    let end = start + bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
    let word = random.pick(&WORDS);
    bytes.splice(start..end, word.bytes());
    format!("{word:?} at {start}")
}

/// A huge number where one may stand, in either order of bytes.
fn length(bytes: &mut [u8], at: usize, random: &mut Random) -> String {
    // Lengths stand at the beginning and at the end of a file more often than within.
    let at = match random.below(3) {
        0 => at.min(at % 64),
        1 => bytes.len() - 1 - at % bytes.len().min(64),
        _ => at,
    };
    let (huge, width) = (*random.pick(&HUGE), *random.pick(&[2, 4, 8]));
    let big = random.below(2) == 0;
    let all = if big { huge.to_be_bytes() } else { huge.to_le_bytes() };
    let part = if big { &all[8 - width..] } else { &all[..width] };
    let end = (at + width).min(bytes.len());
    bytes[at..end].copy_from_slice(&part[..end - at]);
    format!("{huge} in {width} bytes at {at}")
}
