//! Central differences in double precision, for the tests of the terms.

/// Asserts that `gradient` is the derivative of `value` at `x`, coordinate by coordinate, to a
/// relative error of 1e-6 (of the larger of the two, or of 1e-3 times the largest coordinate, below
/// which a difference quotient is all rounding).
pub(crate) fn assert_gradient(what: &str, x: &[f64], gradient: &[f64], mut value: impl FnMut(&[f64]) -> f64) {
    assert_eq!(x.len(), gradient.len());
    let largest = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
    assert!(largest > 0.0, "{what}: the gradient is zero everywhere, so this test would show nothing");
    let mut at = x.to_vec();
    for i in 0..x.len() {
        let numeric = five_points(x[i], |v| {
            at[i] = v;
            value(&at)
        });
        at[i] = x[i];
        let scale = gradient[i].abs().max(numeric.abs()).max(1e-3 * largest);
        let error = (gradient[i] - numeric).abs() / scale;
        assert!(
            error < 1e-6,
            "{what}[{i}]: analytic {} against numeric {numeric}, error {error:e}",
            gradient[i]
        );
    }
}

/// The five-point formula, whose error falls with h⁴.
fn five_points(x: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let h = 1e-4 * x.abs().max(1.0);
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}
