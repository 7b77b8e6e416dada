//! Cholesky factors of covariance matrices.

use lpvdn_core::Matrix;

/// The lower triangle $L$ with $A = LL^T$, or `None` where $A$ is not positive definite.
pub(super) fn factor(a: &Matrix<f64>) -> Option<Matrix<f64>> {
    let n = a.rows();
    let mut l = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = l.row(i)[..j].iter().zip(&l.row(j)[..j]).map(|(x, y)| x * y).sum();
            let rest = a.row(i)[j] - dot;
            if i != j {
                l.row_mut(i)[j] = rest / l.row(j)[j];
            } else if rest > 0.0 && rest.is_finite() {
                l.row_mut(i)[i] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    l.as_slice().iter().all(|x| x.is_finite()).then_some(l)
}

/// [`factor`] of $A + \epsilon I$ with the smallest $\epsilon$ of 0, 1e-12, 1e-11 … times the mean
/// variance that makes it positive definite; that $\epsilon$ is added to `a`.
pub(super) fn factor_with_ridge(a: &mut Matrix<f64>) -> Matrix<f64> {
    let n = a.rows();
    let trace: f64 = (0..n).map(|i| a.row(i)[i]).sum();
    // A component of equal rows and no regularisation has no scale at all.
    let mut ridge = (trace / n as f64 * 1e-12).max(1e-150);
    loop {
        if let Some(l) = factor(a) {
            return l;
        }
        (0..n).for_each(|i| a.row_mut(i)[i] += ridge);
        ridge *= 10.0;
    }
}

/// $L^{-1}$ of a lower triangle, by forward substitution.
pub(super) fn invert(l: &Matrix<f64>) -> Matrix<f64> {
    let n = l.rows();
    let mut inverse = Matrix::zeros(n, n);
    for i in 0..n {
        // Row i of L⁻¹ is (eᵢ − Σ_{m<i} L_im · row m) / L_ii.
        let mut row = vec![0.0; n];
        row[i] = 1.0;
        for m in 0..i {
            let scale = l.row(i)[m];
            row[..=m].iter_mut().zip(inverse.row(m)).for_each(|(r, x): (&mut f64, &f64)| *r -= scale * x);
        }
        let pivot = l.row(i)[i];
        inverse.row_mut(i).iter_mut().zip(row).for_each(|(o, r)| *o = r / pivot);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_the_factor_whitens_the_matrix() {
        let a = Matrix::from_vec(vec![4.0, 2.0, 0.6, 2.0, 3.0, 0.4, 0.6, 0.4, 2.0], 3, 3);
        let l = factor(&a).expect("positive definite");
        let p = invert(&l);
        for i in 0..3 {
            for j in 0..3 {
                let cell: f64 = (0..3)
                    .flat_map(|x| (0..3).map(move |y| (x, y)))
                    .map(|(x, y)| p.row(i)[x] * a.row(x)[y] * p.row(j)[y])
                    .sum();
                assert!((cell - f64::from(i == j)).abs() < 1e-12, "{i} {j} {cell}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factor_until_a_ridge_is_added() {
        for a in [vec![1.0, 1.0, 1.0, 1.0], vec![0.0; 4], vec![1e-200; 4]] {
            let mut a = Matrix::from_vec(a, 2, 2);
            let diagonal = a.row(0)[0];
            assert_eq!(factor(&a), None);
            let l = factor_with_ridge(&mut a);
            assert!(l.as_slice().iter().all(|x| x.is_finite()));
            assert!(a.row(0)[0] > diagonal && a.row(0)[0] <= diagonal * (1.0 + 1e-9) + 1e-149);
        }
    }
}
