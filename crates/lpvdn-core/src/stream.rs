//! Random numbers keyed by what they are for.
//!
//! A stream's key is (seed, name, phase, epoch, step): nothing carries over from one step to the
//! next, so a resumed run draws what the uninterrupted one would have drawn, and a new use of
//! randomness does not shift the old ones. Shuffles and normal draws are our own code, because
//! those of `rand` change between its versions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Where in a run a stream belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamKey {
    /// The user's seed.
    pub seed: u64,
    /// What the numbers are for, such as `"noise"`.
    pub name: &'static str,
    /// The phase of the fit.
    pub phase: u32,
    /// The epoch within the phase.
    pub epoch: u32,
    /// The step within the epoch.
    pub step: u64,
}

impl StreamKey {
    /// The key of a stream that is drawn once per run.
    pub fn new(seed: u64, name: &'static str) -> StreamKey {
        StreamKey { seed, name, phase: 0, epoch: 0, step: 0 }
    }

    /// The same stream at another place of the run.
    pub fn at(self, phase: u32, epoch: u32, step: u64) -> StreamKey {
        StreamKey { phase, epoch, step, ..self }
    }

    /// Opens the stream at its beginning.
    pub fn open(self) -> Stream {
        Stream::new(self)
    }
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
    /// The second normal of the last pair.
    spare: Option<f64>,
}

impl Stream {
    /// Opens the stream of `key`: the coordinates themselves, side by side, are ChaCha's 256-bit key.
    pub fn new(key: StreamKey) -> Stream {
        let mut bytes = [0_u8; 32];
        bytes[0..8].copy_from_slice(&key.seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&name_hash(key.name).to_le_bytes());
        bytes[16..20].copy_from_slice(&key.phase.to_le_bytes());
        bytes[20..24].copy_from_slice(&key.epoch.to_le_bytes());
        bytes[24..32].copy_from_slice(&key.step.to_le_bytes());
        Stream { rng: ChaCha8Rng::from_seed(bytes), spare: None }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform on 0..n, without bias (Lemire's method). `n` must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        let mut wide = u128::from(self.bits()) * u128::from(n);
        if (wide as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (wide as u64) < threshold {
                wide = u128::from(self.bits()) * u128::from(n);
            }
        }
        (wide >> 64) as u64
    }

    /// A standard normal draw (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        // 1 − u lies in (0, 1], where the logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * self.uniform());
        self.spare = Some(radius * sin);
        radius * cos
    }

    /// Puts `items` into a random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            items.swap(i, j);
        }
    }
}

/// FNV-1a: tells names apart; it need not be more than that.
fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_gives_the_same_numbers_and_another_key_does_not() {
        let key = StreamKey::new(7, "noise").at(1, 2, 3);
        let draw = |key: StreamKey| {
            let mut s = key.open();
            [s.bits(), s.bits(), s.bits()]
        };
        assert_eq!(draw(key), draw(key));
        for other in [
            StreamKey { seed: 8, ..key },
            StreamKey { name: "shuffle", ..key },
            StreamKey { phase: 2, ..key },
            StreamKey { epoch: 3, ..key },
            StreamKey { step: 4, ..key },
        ] {
            assert_ne!(draw(key), draw(other), "{other:?}");
        }
    }

    /// Model files promise one result for one seed across versions: these bits must never change.
    #[test]
    fn the_numbers_of_a_stream_never_change() {
        let mut s = StreamKey::new(1, "golden").at(2, 3, 4).open();
        assert_eq!(s.bits(), 9_913_407_624_718_131_631);
        assert_eq!(s.normal().to_bits(), 0.357_773_637_724_996_8_f64.to_bits());
        let mut items: Vec<u32> = (0..8).collect();
        s.shuffle(&mut items);
        assert_eq!(items, [1, 5, 7, 2, 3, 4, 6, 0]);
    }

    #[test]
    fn normal_draws_have_mean_0_and_variance_1() {
        let mut s = StreamKey::new(3, "normal").open();
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| s.normal()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let var = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        let fourth = draws.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.01 && (var - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.1);
    }

    #[test]
    fn a_shuffle_keeps_every_item_and_every_place_is_equally_likely() {
        let mut counts = [[0_u32; 4]; 4];
        for step in 0..8_000 {
            let mut items = [0_usize, 1, 2, 3];
            StreamKey::new(5, "shuffle").at(0, 0, step).open().shuffle(&mut items);
            for (place, &item) in items.iter().enumerate() {
                counts[place][item] += 1;
            }
        }
        for count in counts.iter().flatten() {
            assert!((1_800..2_200).contains(count), "{counts:?}");
        }
    }
}
