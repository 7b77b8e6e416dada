//! Bases of subspaces, as the columns of row-major matrices: what subspace iterations share.

use rayon::prelude::*;

/// A column that is shorter than this share of what it was, after the others are taken off, depends on them.
const DEPENDENT: f64 = 1e-6;
/// Columns that are multiplied with another at a time.
const TOGETHER: usize = 4;
/// Elements of a column that a thread takes at a time.
const STRETCH: usize = 4096;

/// The work was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Makes the columns of a row-major matrix orthonormal, one after the other; those that depend on earlier ones become
/// zero. Each is projected twice, which removes what rounding leaves.
pub(crate) fn orthonormalise(z: &mut [f32], width: usize, stopped: &dyn Fn() -> bool) -> Result<(), Stopped> {
    let length = z.len() / width;
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(width);
    for c in 0..width {
        if stopped() {
            return Err(Stopped);
        }
        let mut column: Vec<f64> = (0..length).map(|j| f64::from(z[j * width + c])).collect();
        let before = dot(&column, &column).sqrt();
        for _ in 0..2 {
            let along: Vec<f64> =
                done.par_chunks(TOGETHER).flat_map_iter(|some| dots(some, &column)).collect();
            take_off(&mut column, &done, &along);
        }
        let after = dot(&column, &column).sqrt();
        let factor = if after > DEPENDENT * before { 1.0 / after } else { 0.0 };
        column.iter_mut().for_each(|x| *x *= factor);
        done.push(column);
    }
    z.par_chunks_mut(width).enumerate().for_each(|(j, row)| {
        row.iter_mut().zip(&done).for_each(|(z, column)| *z = column[j] as f32);
    });
    Ok(())
}

/// Takes the parts along other columns off a column. Each element is one difference after the other, in their order.
fn take_off(column: &mut [f64], others: &[Vec<f64>], along: &[f64]) {
    column.par_chunks_mut(STRETCH).enumerate().for_each(|(i, stretch)| {
        for (other, along) in others.iter().zip(along) {
            stretch.iter_mut().zip(&other[i * STRETCH..]).for_each(|(x, o)| *x -= along * o);
        }
    });
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The products of up to four columns with another one. Each is one sum in the order of the elements; four at a time,
/// because one addition after the other would wait for the one before.
fn dots(some: &[Vec<f64>], other: &[f64]) -> Vec<f64> {
    let [a, b, c, d] = some else { return some.iter().map(|column| dot(column, other)).collect() };
    // The sum of an iterator starts from −0.
    let mut sums = [-0.0_f64; TOGETHER];
    for ((((a, b), c), d), o) in a.iter().zip(b).zip(c).zip(d).zip(other) {
        sums[0] += a * o;
        sums[1] += b * o;
        sums[2] += c * o;
        sums[3] += d * o;
    }
    sums.to_vec()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::StreamKey;

    #[test]
    fn products_of_several_columns_at_a_time_are_those_of_one_by_one_to_the_bit() {
        let mut stream = StreamKey::new(1, "dots").open();
        let mut column = || (0..1000).map(|_| stream.normal()).collect::<Vec<f64>>();
        let (some, other) = ([column(), column(), column(), column()], column());
        let one_by_one: Vec<f64> = some.iter().map(|column| dot(column, &other)).collect();
        assert_eq!(dots(&some, &other), one_by_one);
    }
}
