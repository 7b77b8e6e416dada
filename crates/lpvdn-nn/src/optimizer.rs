//! Adam and SGD, each one pass over memory.

use std::ops::Range;

use lpvdn_core::{Real, kernel};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Parameters updated by one task: values, gradients and two moments of 16,384 fill 256 KiB.
const CHUNK: usize = 16_384;

/// The settings of Adam (Kingma and Ba 2015).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdamSettings {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment. 1e-8 is right here: the locality net learns through
    /// a loss weighted 1e-4, and an eps of 1e-5 would freeze it.
    pub eps: f64,
}

impl Default for AdamSettings {
    fn default() -> AdamSettings {
        AdamSettings { beta1: 0.9, beta2: 0.999, eps: 1e-8 }
    }
}

/// Adam's moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<T> {
    /// The settings.
    pub settings: AdamSettings,
    /// Steps taken.
    pub steps: u64,
    /// m, the running mean of the gradient.
    pub first: Vec<T>,
    /// v, the running mean of its square.
    pub second: Vec<T>,
}

impl<T: Real> Adam<T> {
    /// Moments of zero for `len` parameters.
    pub fn new(settings: AdamSettings, len: usize) -> Adam<T> {
        Adam { settings, steps: 0, first: vec![T::ZERO; len], second: vec![T::ZERO; len] }
    }

    /// One step on the parameters in `range`:
    /// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², p ← p − lr·m̂/(√v̂ + ε).
    pub fn step(&mut self, params: &mut [T], grads: &[T], range: Range<usize>, learning_rate: f64) {
        self.steps += 1;
        let AdamSettings { beta1, beta2, eps } = self.settings;
        // In f64, and by repeated squaring of ours: 0.999^n loses digits in f32.
        let correction1 = 1.0 - power(beta1, self.steps);
        let correction2 = 1.0 - power(beta2, self.steps);
        let rates = AdamRates {
            beta1: T::of(beta1),
            beta2: T::of(beta2),
            rest1: T::of(1.0 - beta1),
            rest2: T::of(1.0 - beta2),
            step: T::of(learning_rate / correction1),
            root: T::of(1.0 / correction2.sqrt()),
            eps: T::of(eps),
        };
        params[range.clone()]
            .par_chunks_mut(CHUNK)
            .zip(grads[range.clone()].par_chunks(CHUNK))
            .zip(self.first[range.clone()].par_chunks_mut(CHUNK))
            .zip(self.second[range].par_chunks_mut(CHUNK))
            .for_each(|(((p, g), m), v)| adam_update(p, g, m, v, &rates));
    }
}

/// βⁿ by repeated squaring: the same bits on every platform.
fn power(base: f64, mut n: u64) -> f64 {
    let (mut result, mut square) = (1.0, base);
    while n > 0 {
        if n & 1 == 1 {
            result *= square;
        }
        square *= square;
        n >>= 1;
    }
    result
}

struct AdamRates<T> {
    beta1: T,
    beta2: T,
    rest1: T,
    rest2: T,
    step: T,
    root: T,
    eps: T,
}

kernel! {
    fn adam_update<T>(p: &mut [T], g: &[T], m: &mut [T], v: &mut [T], rates: &AdamRates<T>) {
        for (((p, &g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
            // The moments of a silent unit fade away, and would stay subnormal for ever. What is left out of v is
            // nothing beside eps, unless that is far below 1e-8.
            *m = rates.beta1.fma::<FMA>(*m, rates.rest1 * g.unless_tiny()).unless_tiny();
            let seen = g.unless_square_tiny();
            *v = rates.beta2.fma::<FMA>(*v, rates.rest2 * (seen * seen)).unless_tiny();
            *p -= rates.step * *m / (v.sqrt() * rates.root + rates.eps);
        }
    }
}

/// SGD with momentum: u ← momentum·u + g, p ← p − lr·u.
#[derive(Clone, Debug, PartialEq)]
pub struct Sgd<T> {
    /// The momentum, 0 for none.
    pub momentum: f64,
    /// u, the running direction.
    pub velocity: Vec<T>,
}

impl<T: Real> Sgd<T> {
    /// At rest, for `len` parameters.
    pub fn new(momentum: f64, len: usize) -> Sgd<T> {
        Sgd { momentum, velocity: vec![T::ZERO; len] }
    }

    /// One step on the parameters in `range`.
    pub fn step(&mut self, params: &mut [T], grads: &[T], range: Range<usize>, learning_rate: f64) {
        let (momentum, rate) = (T::of(self.momentum), T::of(learning_rate));
        params[range.clone()]
            .par_chunks_mut(CHUNK)
            .zip(grads[range.clone()].par_chunks(CHUNK))
            .zip(self.velocity[range].par_chunks_mut(CHUNK))
            .for_each(|((p, g), u)| sgd_update(p, g, u, momentum, rate));
    }
}

kernel! {
    fn sgd_update<T>(p: &mut [T], g: &[T], u: &mut [T], momentum: T, rate: T) {
        for ((p, &g), u) in p.iter_mut().zip(g).zip(u) {
            *u = momentum.fma::<FMA>(*u, g).unless_tiny();
            *p -= rate * *u;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three steps of PyTorch 2 `Adam(lr=0.1)` on f(p) = Σ p² from p = (1, −2), computed in double
    /// precision.
    #[test]
    fn adam_takes_the_steps_that_pytorch_takes() {
        let mut params = vec![1.0_f64, -2.0];
        let mut adam = Adam::new(AdamSettings::default(), 2);
        for _ in 0..3 {
            let grads: Vec<f64> = params.iter().map(|p| 2.0 * p).collect();
            adam.step(&mut params, &grads, 0..2, 0.1);
        }
        assert!((params[0] - ADAM[0]).abs() < 1e-12 && (params[1] - ADAM[1]).abs() < 1e-12, "{params:?}");
    }
    const ADAM: [f64; 2] = [0.701_586_272_946_030_2, -1.700_623_392_046_465];

    #[test]
    fn sgd_with_momentum_keeps_its_direction() {
        let mut params = vec![1.0_f64];
        let mut sgd = Sgd::new(0.9, 1);
        sgd.step(&mut params, &[1.0], 0..1, 0.1);
        sgd.step(&mut params, &[0.0], 0..1, 0.1);
        assert!((params[0] - (1.0 - 0.1 - 0.09)).abs() < 1e-15);
    }

    #[test]
    fn what_is_left_of_old_gradients_becomes_zero_and_never_subnormal() {
        let (mut params, mut adam) = (vec![1.0_f32; 20], Adam::new(AdamSettings::default(), 20));
        let (mut slow, mut sgd) = (params.clone(), Sgd::new(0.9, 20));
        adam.step(&mut params, &[1e-3; 20], 0..20, 1e-3);
        sgd.step(&mut slow, &[1e-3; 20], 0..20, 1e-3);
        for _ in 0..1_000 {
            // Its square is subnormal.
            adam.step(&mut params, &[1e-20; 20], 0..20, 1e-3);
            sgd.step(&mut slow, &[0.0; 20], 0..20, 1e-3);
            for value in adam.first.iter().chain(&adam.second).chain(&sgd.velocity) {
                assert!(*value == 0.0 || value.is_normal(), "{value:e}");
            }
        }
        assert!(sgd.velocity.iter().all(|&u| u == 0.0));
        // A gradient that is not a number is not hidden.
        adam.step(&mut params, &[f32::NAN; 20], 0..20, 1e-3);
        assert!(params.iter().all(|p| p.is_nan()));
    }

    #[test]
    fn parameters_outside_the_range_stay() {
        let mut params = vec![1.0_f32; 10];
        let mut adam = Adam::new(AdamSettings::default(), 10);
        adam.step(&mut params, &[1.0; 10], 2..5, 0.5);
        assert_eq!(params[1], 1.0);
        assert!(params[2] < 1.0 && params[4] < 1.0);
        assert_eq!(params[5], 1.0);
    }
}
