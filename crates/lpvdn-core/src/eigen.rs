//! All eigenvalues and eigenvectors of a small symmetric matrix.
//!
//! Householder reflections make the matrix tridiagonal, and QL steps with implicit shifts make that
//! diagonal (Wilkinson and Reinsch 1971). A few hundred rows take a fraction of a second; nothing here
//! depends on the number of threads.

/// The eigenvalues of a symmetric matrix, largest first, and the eigenvector of each.
#[derive(Debug)]
pub struct Eigen {
    /// The eigenvalues, largest first.
    pub values: Vec<f64>,
    /// The eigenvector of each, of unit length.
    pub vectors: Vec<Vec<f64>>,
}

/// A column at a time: `columns[j][i]` is the entry of row i. In the end the columns are eigenvectors.
struct Work {
    columns: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

/// QL steps until an eigenvalue stands alone; two or three are the rule.
const MOST_STEPS: usize = 100;

impl Eigen {
    /// Of the matrix with these columns; only its symmetric part is looked at.
    pub fn of(columns: Vec<Vec<f64>>) -> Eigen {
        let n = columns.len();
        let mut work = Work { columns, diagonal: vec![0.0; n], beside: vec![0.0; n] };
        if n > 0 {
            work.make_tridiagonal();
            work.collect_reflections();
            work.make_diagonal();
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| work.diagonal[b].total_cmp(&work.diagonal[a]).then(a.cmp(&b)));
        Eigen {
            values: order.iter().map(|&j| work.diagonal[j]).collect(),
            vectors: order.iter().map(|&j| std::mem::take(&mut work.columns[j])).collect(),
        }
    }
}

impl Work {
    /// Reflects row after row, the last first, onto its neighbour of the diagonal. The reflections stay
    /// in the upper triangle, and their lengths in `diagonal`.
    fn make_tridiagonal(&mut self) {
        let n = self.diagonal.len();
        for j in 0..n {
            self.diagonal[j] = self.columns[j][n - 1];
        }
        for i in (1..n).rev() {
            let scale: f64 = self.diagonal[..i].iter().map(|x| x.abs()).sum();
            self.diagonal[i] = if scale == 0.0 { self.skip(i) } else { self.reflect(i, scale) };
        }
    }

    /// The row is as it should be.
    fn skip(&mut self, i: usize) -> f64 {
        self.beside[i] = self.diagonal[i - 1];
        for j in 0..i {
            self.diagonal[j] = self.columns[j][i - 1];
            self.columns[j][i] = 0.0;
            self.columns[i][j] = 0.0;
        }
        0.0
    }

    fn reflect(&mut self, i: usize, scale: f64) -> f64 {
        let (d, e) = (&mut self.diagonal, &mut self.beside);
        d[..i].iter_mut().for_each(|x| *x /= scale);
        let squares: f64 = d[..i].iter().map(|x| x * x).sum();
        let f = d[i - 1];
        let g = if f > 0.0 { -squares.sqrt() } else { squares.sqrt() };
        e[i] = scale * g;
        let h = squares - f * g;
        d[i - 1] = f - g;
        e[..i].fill(0.0);
        for j in 0..i {
            let f = d[j];
            self.columns[i][j] = f;
            let column = &self.columns[j];
            let mut g = e[j] + column[j] * f;
            for k in j + 1..i {
                g += column[k] * d[k];
                e[k] += column[k] * f;
            }
            e[j] = g;
        }
        e[..i].iter_mut().for_each(|x| *x /= h);
        let half = e[..i].iter().zip(&d[..i]).map(|(e, d)| e * d).sum::<f64>() / (h + h);
        e[..i].iter_mut().zip(&d[..i]).for_each(|(e, d)| *e -= half * d);
        for j in 0..i {
            let (f, g) = (d[j], e[j]);
            let column = &mut self.columns[j];
            for k in j..i {
                column[k] -= f * e[k] + g * d[k];
            }
            d[j] = column[i - 1];
            column[i] = 0.0;
        }
        h
    }

    /// The product of all reflections.
    fn collect_reflections(&mut self) {
        let n = self.diagonal.len();
        for i in 0..n - 1 {
            self.columns[i][n - 1] = self.columns[i][i];
            self.columns[i][i] = 1.0;
            let h = self.diagonal[i + 1];
            let reflection = self.columns[i + 1][..=i].to_vec();
            if h != 0.0 {
                for column in &mut self.columns[..=i] {
                    let along: f64 = reflection.iter().zip(&column[..]).map(|(r, c)| r * c).sum::<f64>() / h;
                    column.iter_mut().zip(&reflection).for_each(|(c, r)| *c -= along * r);
                }
            }
            self.columns[i + 1][..=i].fill(0.0);
        }
        for j in 0..n {
            self.diagonal[j] = self.columns[j][n - 1];
            self.columns[j][n - 1] = 0.0;
        }
        self.columns[n - 1][n - 1] = 1.0;
    }

    fn make_diagonal(&mut self) {
        let n = self.diagonal.len();
        self.beside.rotate_left(1);
        self.beside[n - 1] = 0.0;
        let (mut shift, mut size) = (0.0, 0.0_f64);
        for l in 0..n {
            size = size.max(self.diagonal[l].abs() + self.beside[l].abs());
            let small = f64::EPSILON * size;
            let m = (l..n).find(|&m| self.beside[m].abs() <= small).unwrap_or(n - 1);
            if m > l {
                for _ in 0..MOST_STEPS {
                    shift += self.step(l, m);
                    if self.beside[l].abs() <= small {
                        break;
                    }
                }
            }
            self.diagonal[l] += shift;
            self.beside[l] = 0.0;
        }
    }

    /// One QL step on rows l to m; returns by how much the diagonal was shifted.
    fn step(&mut self, l: usize, m: usize) -> f64 {
        let (d, e) = (&mut self.diagonal, &mut self.beside);
        let g = d[l];
        let p = (d[l + 1] - g) / (2.0 * e[l]);
        let r = if p < 0.0 { -length(p, 1.0) } else { length(p, 1.0) };
        d[l] = e[l] / (p + r);
        d[l + 1] = e[l] * (p + r);
        let (next, shift) = (d[l + 1], g - d[l]);
        d[l + 2..].iter_mut().for_each(|x| *x -= shift);
        let mut p = d[m];
        let (mut c, mut c2, mut c3, mut s, mut s2) = (1.0, 1.0, 1.0, 0.0, 0.0);
        let first = e[l + 1];
        for i in (l..m).rev() {
            (c3, c2, s2) = (c2, c, s);
            let (g, h, r) = (c * e[i], c * p, length(p, e[i]));
            e[i + 1] = s * r;
            (s, c) = (e[i] / r, p / r);
            p = c * d[i] - s * g;
            d[i + 1] = h + s * (c * g + s * d[i]);
            let (left, right) = self.columns.split_at_mut(i + 1);
            for (a, b) in left[i].iter_mut().zip(&mut right[0]) {
                (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
            }
        }
        let p = -s * s2 * c3 * first * e[l] / next;
        (e[l], d[l]) = (s * p, c * p);
        shift
    }
}

/// √(a² + b²), by operations that every machine rounds alike. Entries are about 1, so that nothing
/// overflows.
fn length(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

#[cfg(test)]
mod tests {
    use crate::StreamKey;

    use super::*;

    fn check(matrix: &[Vec<f64>]) {
        let n = matrix.len();
        let Eigen { values, vectors } = Eigen::of(matrix.to_vec());
        for (value, vector) in values.iter().zip(&vectors) {
            for i in 0..n {
                let product: f64 = (0..n).map(|j| matrix[j][i] * vector[j]).sum();
                assert!((product - value * vector[i]).abs() < 1e-10 * n as f64, "row {i} of {n}");
            }
        }
        for a in 0..n {
            for b in 0..n {
                let product: f64 = vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum();
                assert!((product - f64::from(u8::from(a == b))).abs() < 1e-10 * n as f64, "{a} and {b}");
            }
        }
        assert!(values.windows(2).all(|v| v[0] >= v[1]));
    }

    #[test]
    fn eigenvectors_solve_their_equation_and_are_orthogonal() {
        let mut s = StreamKey::new(1, "eigen").open();
        for n in [0, 1, 2, 3, 7, 40, 120] {
            let draws: Vec<f64> = (0..n * n).map(|_| s.normal()).collect();
            let cell = |i: usize, j: usize| draws[i * n + j] + draws[j * n + i];
            let m: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| cell(i, j)).collect()).collect();
            check(&m);
        }
    }

    #[test]
    fn equal_eigenvalues_and_empty_rows_are_no_trouble() {
        check(&vec![vec![0.0; 6]; 6]);
        let square = |n: usize, cell: fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..n).map(|i| (0..n).map(|j| cell(i, j)).collect()).collect()
        };
        check(&square(9, |i, j| f64::from(u8::from(i == j))));
        // Two groups that know nothing of each other, as in a graph that falls apart.
        check(&square(20, |i, j| if i % 2 == j % 2 { 0.1 } else { 0.0 }));
    }
}
