//! The two floating-point types the engine is generic over.

use crate::product::pack::PackStore;
use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`.
///
/// Training runs in `f32`. Gradients are checked in `f64`: a loss of 500 carries a rounding error
/// of 3e-5 in `f32`, and a finite difference of it means nothing.
pub trait Real:
    sealed::Sealed
    + Copy
    + Default
    + Debug
    + Display
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Far below what changes a result, and so far above the subnormal numbers that a product with a weight of
    /// 10⁻⁸ is none of them. An operation that meets a subnormal number takes a hundred times as long.
    const TINY: Self;

    /// The nearest value of this type.
    fn of(x: f64) -> Self;
    /// This value in double precision.
    fn f64(self) -> f64;
    /// √x.
    fn sqrt(self) -> Self;
    /// |x|.
    fn abs(self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// a·b + c, in one rounding when `FMA`.
    ///
    /// `FMA` is for code compiled for an instruction set that has it; elsewhere a fused
    /// multiply-add is a slow library call.
    fn fma<const FMA: bool>(self, b: Self, c: Self) -> Self;
    /// eˣ, written so that loops over it vectorise (`f32`).
    fn exp<const FMA: bool>(self) -> Self;
    /// ln x, written so that loops over it vectorise (`f32`).
    fn ln<const FMA: bool>(self) -> Self;

    /// This thread's memory for packing the operands of products.
    #[doc(hidden)]
    fn with_pack_store<R>(f: impl FnOnce(&PackStore<Self>) -> R) -> R;

    /// This value, or 0 where it is smaller than [`TINY`](Real::TINY).
    #[inline(always)]
    fn unless_tiny(self) -> Self {
        if self.abs() < Self::TINY { Self::ZERO } else { self }
    }
    /// This value, or 0 where its square is smaller than [`TINY`](Real::TINY).
    #[inline(always)]
    fn unless_square_tiny(self) -> Self {
        if self.abs() < Self::TINY.sqrt() { Self::ZERO } else { self }
    }
    /// The larger of two; `self` where `self` is NaN, so that a NaN is never hidden.
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        if self < floor { floor } else { self }
    }
    /// The smaller of two; `self` where `self` is NaN.
    #[inline(always)]
    fn at_most(self, ceiling: Self) -> Self {
        if self > ceiling { ceiling } else { self }
    }
}

impl Real for f32 {
    fn with_pack_store<R>(f: impl FnOnce(&PackStore<f32>) -> R) -> R {
        thread_local!(static STORE: PackStore<f32> = PackStore::default());
        STORE.with(f)
    }

    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const TINY: f32 = 1e-30;

    #[inline(always)]
    fn of(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    #[inline(always)]
    fn fma<const FMA: bool>(self, b: f32, c: f32) -> f32 {
        if FMA { self.mul_add(b, c) } else { self * b + c }
    }
    #[inline(always)]
    fn exp<const FMA: bool>(self) -> f32 {
        crate::math::exp_f32::<FMA>(self)
    }
    #[inline(always)]
    fn ln<const FMA: bool>(self) -> f32 {
        crate::math::ln_f32::<FMA>(self)
    }
}

impl Real for f64 {
    fn with_pack_store<R>(f: impl FnOnce(&PackStore<f64>) -> R) -> R {
        thread_local!(static STORE: PackStore<f64> = PackStore::default());
        STORE.with(f)
    }

    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const TINY: f64 = 1e-290;

    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    #[inline(always)]
    fn fma<const FMA: bool>(self, b: f64, c: f64) -> f64 {
        if FMA { self.mul_add(b, c) } else { self * b + c }
    }
    #[inline(always)]
    fn exp<const FMA: bool>(self) -> f64 {
        libm::exp(self)
    }
    #[inline(always)]
    fn ln<const FMA: bool>(self) -> f64 {
        libm::log(self)
    }
}
