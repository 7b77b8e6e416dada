//! Bases of subspaces, as the columns of row-major matrices: what subspace iterations share.

use rayon::prelude::*;

/// A column that is shorter than this share of what it was, after the others are taken off, depends on them.
const DEPENDENT: f64 = 1e-6;

/// Makes the columns of a row-major matrix orthonormal, one after the other; those that depend on earlier ones become
/// zero. Each is projected twice, which removes what rounding leaves.
pub(crate) fn orthonormalise(z: &mut [f32], width: usize) {
    let length = z.len() / width;
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(width);
    for c in 0..width {
        let mut column: Vec<f64> = (0..length).map(|j| f64::from(z[j * width + c])).collect();
        let before = dot(&column, &column).sqrt();
        for _ in 0..2 {
            let along: Vec<f64> = done.par_iter().map(|other| dot(other, &column)).collect();
            for (other, along) in done.iter().zip(along) {
                column.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
        }
        let after = dot(&column, &column).sqrt();
        let factor = if after > DEPENDENT * before { 1.0 / after } else { 0.0 };
        column.iter_mut().for_each(|x| *x *= factor);
        done.push(column);
    }
    z.par_chunks_mut(width).enumerate().for_each(|(j, row)| {
        row.iter_mut().zip(&done).for_each(|(z, column)| *z = column[j] as f32);
    });
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Z E, each column with the sign that makes its largest element positive.
pub(crate) fn rotated(z: &[f32], width: usize, vectors: &[Vec<f64>]) -> Vec<f32> {
    let components = vectors.len();
    let mut out = vec![0.0_f32; z.len() / width * components];
    out.par_chunks_mut(components).zip(z.par_chunks(width)).for_each(|(out, z)| {
        for (out, vector) in out.iter_mut().zip(vectors) {
            *out = z.iter().zip(vector).map(|(z, e)| f64::from(*z) * e).sum::<f64>() as f32;
        }
    });
    for c in 0..components {
        let largest = out
            .iter()
            .skip(c)
            .step_by(components)
            .fold(0.0_f32, |a, &b| if b.abs() > a.abs() { b } else { a });
        if largest < 0.0 {
            out.iter_mut().skip(c).step_by(components).for_each(|x| *x = -*x);
        }
    }
    out
}
