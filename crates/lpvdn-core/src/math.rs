//! `exp` and `ln` for `f32` as branch-free polynomials.
//!
//! A loop over them vectorises, and an element gets the same bits whether it falls into the
//! vectorised body of the loop or into its tail, so that results do not depend on a slice's length.
//! Accuracy: within 2 units in the last place over the normal range (tested below).

use crate::real::Real;

/// eˣ in double precision. The standard library's goes to the system's C library, whose last bit
/// differs between systems; one seed would give other results there.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// ln x in double precision, the same on every system.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// cos x in double precision, the same on every system.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2 in two parts, the first with trailing zeros so that `n · LN_2_HIGH` is exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Adding and subtracting 1.5·2²³ rounds to the nearest integer and leaves it in the low bits.
const ROUND: f32 = 12_582_912.0;

/// eˣ. Below −87.3 the result is 0, above 88.7 it is infinite; NaN stays NaN.
#[inline(always)]
pub fn exp_f32<const FMA: bool>(x: f32) -> f32 {
    let clamped = x.at_least(-87.3).at_most(88.7);
    let shifted = clamped.fma::<FMA>(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.fma::<FMA>(-LN_2_HIGH, clamped);
    let r = n.fma::<FMA>(-LN_2_LOW, r);
    // Minimax polynomial of (eʳ − 1 − r)/r² on |r| ≤ ½ ln 2 (Cephes).
    let p = 1.987_569_1e-4_f32;
    let p = p.fma::<FMA>(r, 1.398_199_9e-3);
    let p = p.fma::<FMA>(r, 8.333_452e-3);
    let p = p.fma::<FMA>(r, 4.166_579_6e-2);
    let p = p.fma::<FMA>(r, 1.666_666_5e-1);
    let p = p.fma::<FMA>(r, 0.5);
    let p = p.fma::<FMA>(r * r, r) + 1.0;
    // 2ⁿ in two factors: n may be 128, which one exponent field cannot hold.
    let n = (shifted.to_bits() as i32) - (ROUND.to_bits() as i32);
    let half = n >> 1;
    let scale = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
    let y = p * scale(half) * scale(n - half);
    let y = if x < -87.3 { 0.0 } else { y };
    if x > 88.7 { f32::INFINITY } else { y }
}

/// ln x for normal x > 0. Zero gives −∞, a negative number or NaN gives NaN.
#[inline(always)]
pub fn ln_f32<const FMA: bool>(x: f32) -> f32 {
    // x = m · 2ᵉ with m in [√½, √2).
    let bits = x.to_bits();
    let offset = bits.wrapping_sub(0x3f35_04f3);
    let e = (offset as i32) >> 23;
    let m = f32::from_bits((offset & 0x007f_ffff).wrapping_add(0x3f35_04f3)) - 1.0;
    let e = e as f32;
    let p = 7.037_683_6e-2_f32;
    let p = p.fma::<FMA>(m, -1.151_461e-1);
    let p = p.fma::<FMA>(m, 1.167_699_9e-1);
    let p = p.fma::<FMA>(m, -1.242_014_1e-1);
    let p = p.fma::<FMA>(m, 1.424_932_3e-1);
    let p = p.fma::<FMA>(m, -1.666_805_7e-1);
    let p = p.fma::<FMA>(m, 2.000_071_5e-1);
    let p = p.fma::<FMA>(m, -2.499_999_4e-1);
    let p = p.fma::<FMA>(m, 3.333_333_3e-1);
    let m2 = m * m;
    let y = p * (m2 * m);
    let y = e.fma::<FMA>(LN_2_LOW, y);
    let y = m2.fma::<FMA>(-0.5, y);
    let y = e.fma::<FMA>(LN_2_HIGH, m + y);
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x > 0.0 { y } else { f32::NAN };
    if x == 0.0 { f32::NEG_INFINITY } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f32, b: f64) -> f64 {
        let unit = f64::from(f32::from_bits((b.abs() as f32).to_bits() + 1)) - f64::from(b.abs() as f32);
        (f64::from(a) - b).abs() / unit.max(1e-45)
    }

    #[test]
    fn exp_is_within_two_units_in_the_last_place() {
        for i in -87_000..88_000 {
            let x = i as f32 * 1e-3 + 3.3e-5;
            let exact = libm::exp(f64::from(x));
            assert!(ulps(exp_f32::<true>(x), exact) < 2.0, "exp({x}) fused");
            assert!(ulps(exp_f32::<false>(x), exact) < 2.0, "exp({x}) unfused");
        }
    }

    #[test]
    fn ln_is_within_two_units_in_the_last_place() {
        let mut x = 1.2e-38_f32;
        while x < 3e38 {
            let exact = libm::log(f64::from(x));
            assert!(ulps(ln_f32::<true>(x), exact) < 2.0, "ln({x}) fused");
            assert!(ulps(ln_f32::<false>(x), exact) < 2.0, "ln({x}) unfused");
            x *= 1.000_73;
        }
    }

    #[test]
    fn special_values_are_kept() {
        assert!(exp_f32::<true>(f32::NAN).is_nan());
        assert_eq!(exp_f32::<true>(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp_f32::<true>(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp_f32::<true>(0.0), 1.0);
        assert!(ln_f32::<true>(f32::NAN).is_nan());
        assert!(ln_f32::<true>(-1.0).is_nan());
        assert_eq!(ln_f32::<true>(0.0), f32::NEG_INFINITY);
        assert_eq!(ln_f32::<true>(f32::INFINITY), f32::INFINITY);
        assert_eq!(ln_f32::<true>(1.0), 0.0);
    }
}
