//! The instruction-set level, chosen once per process.
//!
//! A released binary must be fast without `-C target-cpu=native`, so each elementwise kernel is
//! compiled once for every level and the level is picked at run time. `LPVDN_SIMD=scalar` (or
//! `avx2`) pins it, for tests and for comparing machines.

use std::sync::OnceLock;

/// The environment variable that pins the level.
pub const LEVEL_VARIABLE: &str = "LPVDN_SIMD";

/// An instruction-set level. Results are equal to the bit within a level, and equal within rounding
/// between levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What every processor of the architecture has.
    Scalar,
    /// x86-64 with AVX2 and fused multiply-add.
    Avx2,
}

impl Level {
    /// The level of this process: what [`LEVEL_VARIABLE`] says, or the best one there is.
    pub fn current() -> Level {
        static CURRENT: OnceLock<Level> = OnceLock::new();
        *CURRENT.get_or_init(|| Level::requested().unwrap_or_else(|_| Level::detect()))
    }

    /// What the environment asks for; the error names what would be accepted.
    pub fn requested() -> Result<Level, String> {
        match std::env::var(LEVEL_VARIABLE).as_deref() {
            Err(_) | Ok("" | "auto") => Ok(Level::detect()),
            Ok("scalar") => Ok(Level::Scalar),
            Ok("avx2") if Level::detect() == Level::Avx2 => Ok(Level::Avx2),
            Ok("avx2") => Err(format!("{LEVEL_VARIABLE}=avx2, but this processor has no AVX2 with FMA")),
            Ok(other) => Err(format!("{LEVEL_VARIABLE}={other}: expected auto, scalar or avx2")),
        }
    }

    /// The name used in [`LEVEL_VARIABLE`].
    pub fn name(self) -> &'static str {
        match self {
            Level::Scalar => "scalar",
            Level::Avx2 => "avx2",
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn detect() -> Level {
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            Level::Avx2
        } else {
            Level::Scalar
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Level {
        Level::Scalar
    }
}

/// Whether products may use the wider registers of AVX-512: where the processor has them and
/// [`LEVEL_VARIABLE`] does not pin AVX2. That is no level of its own, because an element of a product is the same
/// chain of fused multiply-adds in either, bit for bit.
#[inline]
pub(crate) fn wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        static WIDE: OnceLock<bool> = OnceLock::new();
        *WIDE.get_or_init(|| {
            let pinned = matches!(std::env::var(LEVEL_VARIABLE).as_deref(), Ok("avx2"));
            !pinned && Level::current() == Level::Avx2 && std::is_x86_feature_detected!("avx512f")
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Defines a function generic over [`Real`](crate::Real) that is compiled for every [`Level`] and
/// dispatched at run time.
///
/// In the body, `FMA` is a constant telling whether fused multiply-add is an instruction here; pass
/// it on to [`Real::fma`](crate::Real::fma), [`Real::exp`](crate::Real::exp) and
/// [`Real::ln`](crate::Real::ln).
///
/// ```
/// use lpvdn_core::{Real, kernel};
/// kernel! {
///     /// y ← y + a·x
///     pub fn axpy<T>(a: T, x: &[T], y: &mut [T]) {
///         for (y, &x) in y.iter_mut().zip(x) {
///             *y = a.fma::<FMA>(x, *y);
///         }
///     }
/// }
/// let mut y = [1.0_f32, 2.0];
/// axpy(2.0, &[10.0, 20.0], &mut y);
/// assert_eq!(y, [21.0, 42.0]);
/// ```
#[macro_export]
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$T:ident>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<$T: $crate::Real>($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body<$T: $crate::Real, const FMA: bool>($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2<$T: $crate::Real>($($arg: $ty),*) $(-> $ret)? {
                body::<$T, true>($($arg),*)
            }

            match $crate::Level::current() {
                // SAFETY: `Level::Avx2` is only ever chosen where the processor has both features.
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx2 => unsafe { avx2($($arg),*) },
                _ => body::<$T, false>($($arg),*),
            }
        }
    };
}
