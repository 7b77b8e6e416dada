//! Learning-rate schedules.

use lpvdn_core::math::cos;
use serde::{Deserialize, Serialize};

/// The learning rate over a phase, as a factor on its starting value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Always the starting value.
    Constant,
    /// Multiplied by `factor` every `every` epochs.
    Step {
        /// How many epochs a rate lasts; at least 1.
        every: usize,
        /// What it is multiplied by then.
        factor: f64,
    },
    /// Falls along half a cosine to `floor` times the starting value at the end of the phase.
    Cosine {
        /// The share of the starting value left at the end.
        floor: f64,
    },
}

impl Schedule {
    /// The factor in epoch `epoch` (from 0), at `progress` in [0, 1] of the whole phase.
    pub fn factor(self, epoch: usize, progress: f64) -> f64 {
        match self {
            Schedule::Constant => 1.0,
            // Repeated products, not powi: its rounding is the same on every platform.
            Schedule::Step { every, factor } => (0..epoch / every.max(1)).fold(1.0, |f, _| f * factor),
            Schedule::Cosine { floor } => {
                floor + (1.0 - floor) * 0.5 * (1.0 + cos(std::f64::consts::PI * progress.clamp(0.0, 1.0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_schedule_falls_every_few_epochs() {
        let s = Schedule::Step { every: 10, factor: 0.95 };
        assert_eq!(s.factor(9, 0.0), 1.0);
        assert_eq!(s.factor(10, 0.0), 0.95);
        assert!((s.factor(299, 1.0) - 0.95_f64.powi(29)).abs() < 1e-12);
    }

    #[test]
    fn a_cosine_schedule_starts_at_one_and_ends_at_its_floor() {
        let s = Schedule::Cosine { floor: 0.1 };
        assert_eq!(s.factor(0, 0.0), 1.0);
        assert!((s.factor(0, 0.5) - 0.55).abs() < 1e-9);
        assert!((s.factor(0, 1.0) - 0.1).abs() < 1e-9);
    }
}
