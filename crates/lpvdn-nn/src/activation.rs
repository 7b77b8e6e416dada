//! Activations, applied to a tile while it is in cache.

use lpvdn_core::kernel;
use serde::{Deserialize, Serialize};

/// An elementwise function between layers.
///
/// Each derivative is a function of the output, so the input need not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// a = x
    Identity,
    /// a = max(x, 0)
    Relu,
    /// a = x for x > 0, slope·x otherwise
    LeakyRelu {
        /// The slope below 0; must be positive.
        slope: f32,
    },
    /// a = 1/(1 + e⁻ˣ)
    Sigmoid,
}

kernel! {
    /// a ← activation(a + bias)
    pub fn bias_then_activate<T>(a: &mut [T], bias: &[T], activation: Activation) {
        let pairs = a.iter_mut().zip(bias);
        match activation {
            Activation::Identity => pairs.for_each(|(a, &b)| *a += b),
            Activation::Relu => pairs.for_each(|(a, &b)| *a = (*a + b).at_least(T::ZERO)),
            Activation::LeakyRelu { slope } => {
                let slope = T::of(f64::from(slope));
                pairs.for_each(|(a, &b)| {
                    let x = *a + b;
                    *a = if x > T::ZERO { x } else { slope * x };
                });
            }
            Activation::Sigmoid => pairs.for_each(|(a, &b)| {
                *a = T::ONE / (T::ONE + (-(*a + b)).exp::<FMA>());
            }),
        }
    }
}

kernel! {
    /// g ← g · activation′, where `a` is the activation's output; tiny ones become 0
    pub fn times_derivative<T>(g: &mut [T], a: &[T], activation: Activation) {
        let pairs = g.iter_mut().zip(a);
        match activation {
            Activation::Identity => {}
            Activation::Relu => pairs.for_each(|(g, &a)| *g = if a > T::ZERO { g.unless_tiny() } else { T::ZERO }),
            Activation::LeakyRelu { slope } => {
                let slope = T::of(f64::from(slope));
                pairs.for_each(|(g, &a)| {
                    let kept = g.unless_tiny();
                    *g = if a > T::ZERO { kept } else { slope * kept };
                });
            }
            Activation::Sigmoid => pairs.for_each(|(g, &a)| {
                *g = g.unless_tiny() * (a * (T::ONE - a)).unless_square_tiny();
            }),
        }
    }
}
