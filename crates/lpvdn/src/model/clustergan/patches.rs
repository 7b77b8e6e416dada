//! The patches of an image that a convolution reads: 4 × 4 points, one patch for every second point in
//! either direction, with one point of padding around the image.
//!
//! With its patches as the rows of a matrix, a convolution is a matrix product. An image lies line by
//! line, the channels of a point side by side, and so does a patch: four stretches of an image make one.

use lpvdn_core::{Matrix, Real};
use rayon::prelude::*;

/// Points of a patch in either direction.
const SIDE: usize = 4;
/// From one patch to the next.
const STRIDE: usize = 2;
/// Points of zeros around the image.
const PADDING: usize = 1;

/// The patches of an image of 2·`height` × 2·`width` points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patches {
    /// Patches from top to bottom.
    pub(super) height: usize,
    /// Patches from left to right.
    pub(super) width: usize,
    /// The image's channels.
    pub(super) channels: usize,
}

impl Patches {
    /// The number of patches.
    pub(super) fn count(&self) -> usize {
        self.height * self.width
    }

    /// The values of a patch.
    pub(super) fn values(&self) -> usize {
        SIDE * SIDE * self.channels
    }

    /// The shape of a patch.
    pub(super) fn shape(&self) -> [usize; 3] {
        [SIDE, SIDE, self.channels]
    }

    /// The values of an image.
    pub(super) fn image(&self) -> usize {
        STRIDE * STRIDE * self.count() * self.channels
    }

    /// `patches` ← one row for each patch of each image, zero where a patch reaches beyond it.
    pub(super) fn unfold<T: Real>(&self, images: &Matrix<T>, patches: &mut Matrix<T>) {
        patches.set_rows(images.rows() * self.count());
        let each = self.count() * self.values();
        patches.as_mut_slice().par_chunks_mut(each).enumerate().for_each(|(i, patches)| {
            let image = images.row(i);
            patches.fill(T::ZERO);
            self.for_each_stretch(|p, x, len| patches[p..p + len].copy_from_slice(&image[x..x + len]));
        });
    }

    /// The adjoint of [`unfold`](Patches::unfold): each point of an image is the sum of its copies in the
    /// patches. An image belongs to one task, so that the order of the sum is fixed.
    pub(super) fn fold<T: Real>(&self, patches: &Matrix<T>, images: &mut Matrix<T>) {
        images.set_rows(patches.rows() / self.count());
        let each = self.count() * self.values();
        images.as_mut_slice().par_chunks_mut(self.image()).enumerate().for_each(|(i, image)| {
            let patches = &patches.as_slice()[i * each..(i + 1) * each];
            image.fill(T::ZERO);
            self.for_each_stretch(|p, x, len| {
                image[x..x + len].iter_mut().zip(&patches[p..p + len]).for_each(|(x, &p)| *x += p);
            });
        });
    }

    /// Calls `each` with every stretch of values that lie side by side in a patch and in the image: where
    /// it starts among the patches, where in the image, and its length.
    fn for_each_stretch(&self, mut each: impl FnMut(usize, usize, usize)) {
        let (height, width, c) = (STRIDE * self.height, STRIDE * self.width, self.channels);
        for patch in 0..self.count() {
            let (top, left) = (STRIDE * (patch / self.width), STRIDE * (patch % self.width));
            // Columns of the patch that lie inside the image.
            let (first, end) = (PADDING.saturating_sub(left), SIDE.min(width + PADDING - left));
            for k in 0..SIDE {
                let Some(line) = (top + k).checked_sub(PADDING).filter(|&line| line < height) else {
                    continue;
                };
                let from = line * width + left + first - PADDING;
                each(((patch * SIDE + k) * SIDE + first) * c, from * c, (end - first) * c);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lpvdn_core::StreamKey;

    fn random(rows: usize, cols: usize, step: u64) -> Matrix<f64> {
        let mut s = StreamKey::new(1, "patches").at(0, 0, step).open();
        Matrix::from_fn(rows, cols, |_, _| s.normal())
    }

    const ALL: [Patches; 3] = [
        Patches { height: 2, width: 3, channels: 2 },
        Patches { height: 1, width: 1, channels: 3 },
        Patches { height: 4, width: 1, channels: 1 },
    ];

    #[test]
    fn every_value_of_a_patch_is_the_point_it_lies_over_or_zero() {
        for p in ALL {
            let images = random(2, p.image(), 1);
            let mut patches =
                Matrix::from_vec(vec![f64::NAN; 2 * p.count() * p.values()], 2 * p.count(), p.values());
            p.unfold(&images, &mut patches);
            let (height, width) = (2 * p.height as isize, 2 * p.width as isize);
            for n in 0..2 {
                for i in 0..p.height {
                    for j in 0..p.width {
                        for v in 0..p.values() {
                            let (ky, kx, c) = (v / p.channels / 4, v / p.channels % 4, v % p.channels);
                            let (y, x) = ((2 * i + ky) as isize - 1, (2 * j + kx) as isize - 1);
                            let inside = (0..height).contains(&y) && (0..width).contains(&x);
                            let at = (y * width + x) * p.channels as isize + c as isize;
                            let want = if inside { images.row(n)[at as usize] } else { 0.0 };
                            assert_eq!(patches.row(n * p.count() + i * p.width + j)[v], want);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn folding_is_the_adjoint_of_unfolding() {
        let dot = |a: &Matrix<f64>, b: &Matrix<f64>| -> f64 {
            a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a * b).sum()
        };
        for p in ALL {
            let (x, y) = (random(3, p.image(), 2), random(3 * p.count(), p.values(), 3));
            let (mut patches, mut images) = (Matrix::zeros(0, p.values()), Matrix::zeros(0, p.image()));
            p.unfold(&x, &mut patches);
            p.fold(&y, &mut images);
            let (a, b) = (dot(&patches, &y), dot(&x, &images));
            assert!((a - b).abs() < 1e-12 * a.abs().max(1.0), "{a} against {b}");
        }
    }
}
