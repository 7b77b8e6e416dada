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
                *a = (T::ONE / (T::ONE + (-(*a + b)).exp::<FMA>())).unless_tiny();
            }),
        }
    }
}

kernel! {
    /// g ← g · activation′, where `a` is the activation's output; what is tiny becomes 0 on the way
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
                *g = (g.unless_square_tiny() * (a * (T::ONE - a)).unless_square_tiny()).unless_tiny();
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_gradient_or_probability_is_subnormal() {
        let kinds = [Activation::Relu, Activation::LeakyRelu { slope: 0.2 }, Activation::Sigmoid];
        for activation in kinds {
            for logit in [-200.0_f32, -88.5, -80.0, -40.0, -1.0, 0.5, 30.0] {
                let mut a = [logit; 9];
                bias_then_activate(&mut a, &[0.0; 9], activation);
                for power in 0..45 {
                    let mut g = [10.0_f32.powi(-power); 9];
                    times_derivative(&mut g, &a, activation);
                    let fine = |v: &f32| *v == 0.0 || v.is_normal();
                    assert!(g.iter().chain(&a).all(fine), "{activation:?} {logit} 1e-{power}: {g:?} {a:?}");
                }
            }
        }
        let mut g = [f32::NAN; 9];
        times_derivative(&mut g, &[0.5; 9], Activation::Sigmoid);
        assert!(g.iter().all(|g| g.is_nan()));
    }
}
